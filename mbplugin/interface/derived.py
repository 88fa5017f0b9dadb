"""Kernels and tangents that are derived when they are first asked for, from Φ or ψ of a measure or kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mbplugin.derive.author import name_of
from mbplugin.derive.forces import ForceSource
from mbplugin.derive.functions import derived
from mbplugin.derive.kernels import Source
from mbplugin.errors import PluginError, SceneError
from mbplugin.interface.outputs import state_names
from mbplugin.tables.records import POSITION_LEVEL


class Derived:
    """An attribute of a measure, or of a class of kinds: what its author sets; else it is derived."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.found = name, f"derived {name}"

    def __get__(self, measure: Any, kind: Any = None) -> Callable[..., Any] | None:
        if measure is None:
            return self.of(kind)
        given = measure.__dict__.get(self.name)
        if given is None:
            # looked up once: to compare the sources of functions takes time
            given = measure.__dict__.get(self.found)
        if given is None:
            given = measure.__dict__[self.found] = self.of(measure)
        return given  # type: ignore[no-any-return]

    def __set__(self, measure: Any, value: Any) -> None:
        measure.__dict__[self.name] = value

    def of(self, thing: Any) -> Callable[..., Any] | None:
        raise NotImplementedError


class DerivedRows(Derived):
    """Kernel or tangent of a measure or constraint kind, by its role."""

    def __init__(self, role: str) -> None:
        self.role = role

    def of(self, thing: Any) -> Callable[..., Any] | None:
        phi, psi = thing.phi, getattr(thing, "psi", None)
        if phi is None and psi is None:
            return None
        levels = levels_of(thing)
        if psi is None and levels.count(POSITION_LEVEL) != len(levels):
            raise PluginError(f"{phi.__name__}: rows that are not at position level come from `psi`")
        unknowns = tuple(getattr(thing, "unknowns", {}).items())
        ranges = tuple(getattr(thing, "ranges", {}).items())
        if (self.role == "accept" and not unknowns) or (self.role == "event" and not ranges):
            return None
        equations = getattr(thing, "equations", None)
        reported = getattr(thing, "output_values", None)
        outputs = tuple(thing.outputs) if reported is not None else ()
        states, rates = states_of(thing, phi or psi)
        return derived(
            self.role,
            Source(
                thing.markers,
                levels,
                phi,
                psi,
                unknowns,
                equations,
                outputs,
                reported,
                ranges,
                states,
                rates,
                is_measure=not hasattr(thing, "labels"),
            ),
        )


class DerivedForce(Derived):
    """Kernel or tangent of a force kind, by its role."""

    def __init__(self, role: str) -> None:
        self.role = role

    def of(self, thing: Any) -> Callable[..., Any] | None:
        V, R, reported = thing.potential, thing.dissipation, thing.output_values
        if V is None and R is None:
            return None
        outputs = tuple(thing.outputs) if reported is not None else ()
        measures = len(thing.measures)
        if measures and self.role == "force_tangent":
            return None  # with the tangents of its measures: differences
        role = "force_on_measures" if measures else self.role
        markers = (thing.markers or 2) if measures else thing.markers
        states, rates = states_of(thing, V or R)
        return derived(role, ForceSource(markers, V, R, measures, outputs, reported, states, rates))


def tangent_along(kind: Any, measures: Sequence[Any]) -> Callable[..., Any] | None:
    """The tangent of a force kind whose kernel is derived and which acts along one measure, a function of two
    markers; None of others.
    """
    V, R = kind.potential, kind.dissipation
    if len(measures) != 1 or not hasattr(kind.kernel, "lists"):
        return None
    (one,) = measures
    if one.phi is None or one.markers != 2 or one.unknowns:
        return None
    states, _ = states_of(kind, V or R)
    along = one.phi, tuple(one.settings.items())
    return derived("force_on_measure_tangent", ForceSource(2, V, R, 1, states=states, along=along))


def derive_anew(cls: type, functions: Sequence[str], made: Mapping[str, Derived]) -> None:
    """Let a class with functions of its own derive what it inherits by hand.

    made: attribute -> what derives it, of which the first is the kernel
    """
    depth = {
        name: next((k for k, base in enumerate(cls.__mro__) if name in vars(base)), len(cls.__mro__))
        for name in (*functions, *made)
    }
    kernel = next(iter(made))
    newest = min(functions, key=depth.__getitem__)
    if getattr(cls, newest) is None or depth[newest] >= depth[kernel]:
        return
    for name, each in made.items():
        if depth[newest] < depth[name]:
            each.__set_name__(cls, name)
            setattr(cls, name, each)


def levels_of(thing: Any) -> tuple[int, ...]:
    """Level of each row of a measure, or of the function of a constraint kind."""
    labels = getattr(thing, "labels", None)
    rows = thing.rows if labels is None else len(labels)
    level = getattr(thing, "level", POSITION_LEVEL)
    return (level,) * rows if isinstance(level, int) else tuple(level)


def refuse_short_lists(kind: Any, params: Any, markers: int) -> None:
    """Raise a SceneError for a parameter that has not an entry for each part of a sum along markers."""
    for name, window in getattr(kind.kernel, "lists", {}).items():
        given, parts = len(getattr(params, name)), max(0, markers - window + 1)
        if given != parts:
            each = {1: "each", 2: "each and the next"}.get(window, f"each {window} in turn")
            mend = f"has {given} entries; for {markers} markers give {parts}, one for {each}"
            raise SceneError(name, mend=mend)


def states_of(thing: Any, function: Any) -> tuple[int, Any]:
    """Number of inner states of a kind, and the function with their rates. Raises PluginError."""
    states, rates = len(state_names(getattr(thing, "states", 0))), getattr(thing, "state_rates", None)
    if (states > 0) != (rates is not None):
        lacks = "`states`, their names and units"
        if states:
            lacks = "`state_rates`, a function with a rate of each"
        raise PluginError(f"{name_of(function)}: a kind with inner states needs {lacks}")
    if states and thing.markers is None:
        raise PluginError(f"{name_of(function)}: inner states of a kind for any number of markers")
    return states, rates
