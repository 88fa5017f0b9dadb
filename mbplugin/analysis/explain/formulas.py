"""Formulas of constraint kinds and measures in LaTeX, for pages: `mbplugin explain`, and
docs/formulas.md.

A kind gives `formula`, one equation a line; one without falls back on its docstring. Of a kind made of basic
constraints the page also gives the measures, from which G and γ follow: Φ = s − target, G v + Φₜ = ṡ − its
rate, and the line that begins with γ is the measure's part of G v̇ = γ.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mbplugin.derive.formula import formula
from mbplugin.hooks.registry import Registry
from mbplugin.interface import ConstraintKind, Measure

WORDS = (
    "Positions $r$, velocities $v$, angular velocities $\\omega$ (world axes) and axes $\\hat x, "
    "\\hat y, \\hat z$ "
    "are those of the markers $a$ and $b$ of a joint; "
    "$R_a$ has the axes of $a$ as columns. Rates of vectors are those that the world sees. "
    "A row of a measure is $\\Phi = s - f(t)$, of an angle less whole turns: $G$ holds the factors of the "
    "velocities in $\\dot s$, and $\\gamma$ of the row is the one given here plus $\\ddot f$. "
    "$\\lambda$ acts on "
    "the markers as $G^T \\lambda$."
)
AXES = "xyz"


def displayed(formula: str) -> str:
    """Each line of a formula as an equation of its own."""
    return "\n\n".join(f"$$\n{line.strip()}\n$$" for line in formula.strip().splitlines())


def of_kind(kind: Any) -> str:
    """Φ and what else a kind says, in Markdown; its docstring, or that of its module, where it has no
    formula.
    """
    if said := kind.formula or formula_of(kind):
        return displayed(said)
    params = inspect.cleandoc(kind.__doc__) if "__doc__" in vars(kind) and kind.__doc__ else ""
    module = getattr(sys.modules.get(kind.__module__), "__doc__", "") or ""
    return f"```\n{params or module.strip() or 'nothing is said about it'}\n```"


def formula_of(thing: Any) -> str:
    """Equations of a measure or kind that is written as Φ or ψ, from its function; "" if there are none."""
    unknowns = list(getattr(thing, "unknowns", ()))
    name = "s" if isinstance(thing, Measure) else r"\Phi"
    written = {name: getattr(thing, "phi", None), r"\psi": getattr(thing, "psi", None)}
    found = [formula(f, thing.markers, unknowns, name) for name, f in written.items() if f is not None]
    return "" if "" in found else "\n".join(found)


def of_measure(measure: Measure) -> str:
    if said := measure.formula or formula_of(measure):
        return displayed(said)
    said = (
        inspect.getdoc(measure.function)
        or getattr(sys.modules.get(measure.function.__module__), "__doc__", "")
        or "nothing is said about it"
    )
    return f"```\n{said.strip()}\n```"


def name_of(measure: Measure) -> str:
    """Such as "dot x, z": the function and its settings; of an angle also its range."""
    name, settings = measure.function.__name__.removesuffix("_kernel").replace("_", " "), measure.settings
    if settings.keys() == {"k", "i", "e", "side"}:
        k, i, e = (AXES[settings[key]] for key in "kie")
        return (
            f"{name} about {k} of a, from {i} of a to {e} of b"
            if settings["side"] == 0
            else f"{name} about {k} of b, from {e} of a to {i} of b"
        )
    told = [
        AXES[value] if key in ("i", "j") and value in (0, 1, 2) else f"{key} = {value}"
        for key, value in settings.items()
    ]
    return f"{name} {', '.join(told)}".strip()


def measures_of(kind: Any, driven: Iterable[str], find: Callable[[str], Measure]) -> list[Measure]:
    """The measures in the rows of a joint: those of its basic constraints, and of its coordinates that are
    driven or that a relation of its own binds.
    """
    has_relation = kind.relation.__func__ is not ConstraintKind.relation.__func__  # type: ignore[attr-defined]
    driven = kind.coordinates if has_relation else driven
    given = [basic.measure for basic in kind.basics]
    given += [kind.coordinates[name] for name in driven if name in kind.coordinates]
    return [find(measure) if isinstance(measure, str) else measure for measure in given]


def of_measures(measures: Sequence[Measure], heading: str) -> list[str]:
    """One section for each measure, each once."""
    return [
        f"{heading} {name}\n\n{text}" for name, text in {name_of(m): of_measure(m) for m in measures}.items()
    ]


def page(registry: Registry, distribution: str) -> str:
    """All kinds and measures that a distribution registers."""
    mine = lambda what: {
        name: offers[0].thing
        for name, offers in registry.offers[what].items()
        if offers[0].distribution == distribution
    }
    shown = lambda kind: f"{inspect.cleandoc(kind.__doc__ or '')}\n\n{of_kind(kind)}"
    in_plane = lambda kind: (
        f"\n\nIn the plane: {shown(kind.Planar)}" if kind.Planar and kind.kernel is not None else ""
    )
    kinds = [
        f"### `{name}`\n\n{shown(kind)}{in_plane(kind)}" for name, kind in mine("constraint type").items()
    ]
    measures = [f"### `{name}`\n\n{of_measure(measure)}" for name, measure in mine("measure").items()]
    return "\n\n".join(["# Formulas", WORDS, "## Joints", *kinds, "## Measures", *measures]) + "\n"
