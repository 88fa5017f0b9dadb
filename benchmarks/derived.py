"""Kernels that are derived from Φ against the same kernels by hand (`tests/plugins/measures_by_hand.py`,
`joints_by_hand.py`), called as the step calls them, in turn.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from kernels import ELEMENTS, TIMES, calls
from timing import seconds, sized, table

from mbplugin.derive import functions
from mbplugin.hooks.registry import Registry
from mbplugin.interface import Basic, ConstraintKind, Measure
from mbplugin.interface.derived import levels_of
from mbplugin.kernels import entries
from mbplugin.tables.groups import Batches, Rows
from mbplugin.tables.purposes import CONSTRAINT

ROUNDS = 9


def pairs() -> dict[str, tuple[Any, Any]]:
    """Name -> measure or kind of ours, and by hand."""
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "plugins"))
    import joints_by_hand as joints
    import measures_by_hand as by_hand
    from mbplugin_joints import measures, pulley, rolling

    return {
        "distance": (measures.Distance, by_hand.Distance),
        "component": (measures.Component("y"), by_hand.Component("y")),
        "dot": (measures.Dot("x", "z"), by_hand.Dot("x", "z")),
        "angle": (measures.Angle, by_hand.Angle),
        "turn": (measures.Turn, by_hand.Turn),
        "twist": (measures.Twist, by_hand.Twist),
        "separation": (measures.Separation, by_hand.Separation),
        "rolling_disc": (rolling.RollingDisc, joints.RollingDisc),
        "wheel": (rolling.Wheel, joints.Wheel),
        "pulley": (pulley.Pulley, joints.Pulley),
    }


def kind_of(name: str, thing: Any) -> Any:
    """A constraint kind; of a measure, one that sets it to zero."""
    if not isinstance(thing, Measure):
        return type(thing.__name__, (thing,), {"name": name})
    basic = Basic(thing, tuple(f"row {k}" for k in range(thing.rows)))
    return type("Probe", (ConstraintKind,), {"name": name, "basics": (basic,)})


def batch(name: str, thing: Any, count: int) -> tuple[Any, Any]:
    """A problem with so many elements, and their batch."""
    from mbplugin.compile import compile_system
    from mbplugin.testing import samples
    from mbplugin.testing.kit import beside

    kind = kind_of(name, thing)
    registry: Registry = beside("constraint type", kind, None)
    keys = samples.sample(kind)
    system = samples.with_joint(kind, keys, np.random.default_rng(0), False, count)
    problem = compile_system(system, registry)
    (row,) = [row for row in problem[Batches].index if row.purpose == CONSTRAINT]
    return problem, row


def source_of(thing: Any) -> functions.Source:
    """Functions of a measure or kind that are derived."""
    return functions.Source(thing.markers, levels_of(thing), thing.phi, getattr(thing, "psi", None))


def derived() -> None:
    count, times = sized((ELEMENTS, TIMES), (2, 1))
    rows: list[list[object]] = []
    for name, (ours, by_hand) in pairs().items():
        start = time.perf_counter()
        for role in ("measure" if isinstance(ours, Measure) else "constraint", "tangent"):
            functions.ROLES[role](source_of(ours))
        spent = 1e3 * (time.perf_counter() - start)
        found = [batch(f"{name}_{k}", thing, count) for k, thing in enumerate((ours, by_hand))]
        spans: list[list[float]] = [[], []]
        for _ in range(sized(ROUNDS, 1)):
            for k, (problem, row) in enumerate(found):
                timed = partial(calls, problem.addresses, row.address, row.first, row.length, times)
                spans[k].append(seconds(timed) / times / count * 1e9)
        first, second = (min(each) for each in spans)
        rows.append([name, second, first, first / second, spent])
    table(
        f"Kernels in batches of {count:,}: ns an element, and ms to derive kernel and tangent",
        ["function", "by hand", "derived", "ratio", "ms"],
        rows,
    )
    tangents()


def tangents() -> None:
    """`form_tangent` with many elements on the same bodies, an element: with the derived tangent, with that
    by hand if there is one, and with differences.
    """
    count, times = sized((100, 5), (2, 1))
    rows: list[list[object]] = []
    for name, (ours, by_hand) in pairs().items():
        tried = {"derived": (ours, True), "by hand": (by_hand, True), "differences": (ours, False)}
        if by_hand.tangent is None or hasattr(by_hand.tangent, "source"):
            del tried["by hand"]
        spans: dict[str, list[float]] = {way: [] for way in tried}
        made = {way: loaded(f"{name}_{way[:2]}", *each, count) for way, each in tried.items()}
        for _ in range(sized(ROUNDS, 1)):
            for way, problem in made.items():
                forming = partial(form_often, problem, times if way != "differences" else 1)
                spans[way].append(seconds(forming) / (times if way != "differences" else 1) / count * 1e9)
        best = {way: min(each) for way, each in spans.items()}
        rows.append([name, best.get("by hand", "-"), best["derived"], best["differences"]])
    table(
        f"Tangents of {count:,} elements in the engine: ns an element",
        ["function", "by hand", "derived", "differences"],
        rows,
    )


def loaded(name: str, thing: Any, closed_form: bool, count: int) -> Any:
    """A problem with elements under loads, ready for tangents."""
    problem, _ = batch(name, thing, count)
    problem.check(entries.evaluate(problem.addresses))
    problem.prepare_tangents(closed_form)
    problem[Rows].active[:] = 1
    problem[Rows].lam[:] = np.random.default_rng(1).normal(size=problem.nc)
    problem.form_tangent(0.0, 0.0, 1.0)
    return problem


def form_often(problem: Any, times: int) -> None:
    for _ in range(times):
        problem.form_tangent(0.0, 0.0, 1.0)
