"""Checks of an enforcement law: it writes its outputs, and the power of its load is its power minus the
rate of its energy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.analysis.tangent.derivative import derivative
from mbplugin.hooks.registry import Registry
from mbplugin.interface import Basic, ConstraintKind, Measure
from mbplugin.kernels import entries
from mbplugin.model import Joint
from mbplugin.problem import Problem
from mbplugin.run.prepare import prepare
from mbplugin.tables.groups import Batches, Rows, State, TangentPlan, Tangents
from mbplugin.tables.purposes import ACCEPT, ENFORCE, SLOPE
from mbplugin.testing import samples
from mbplugin.testing.cost import BATCH, cost
from mbplugin.testing.motions import check_memory, distance
from mbplugin.testing.report import Checks
from mbplugin.testing.shapes import shape_checks

#: relative step of finite differences in Φ, and the tolerance of their results
STEP, TOLERANCE = 1e-5, 1e-6
#: deviations that are tried; a law with memory accepts others before each of the second half
TRIES = 50


def apart(a, b, value, J, bias):  # type: ignore[no-untyped-def]
    """Distance of b from a along x of the world."""
    value[0] = b.x[0] - a.x[0]
    for k in range(12):
        J[k] = 0.0
    J[0], J[6], bias[0] = -1.0, 1.0, 0.0


class Probe(ConstraintKind):
    """One row, with a measure that needs no plugin."""

    name = "probe of the kit"
    basics = (Basic(Measure(apart), ("along x",)),)


def compiled(kind: Any, keys: dict[str, Any], registry: Registry, times: int = 1) -> Problem:
    """`times` joints of one row between two bodies, enforced by the law."""
    system = samples.system(2, np.random.default_rng(0), close=True)
    law = {"type": kind.name, **keys}
    for k in range(times):
        joint = {"name": f"tried{k}", "type": Probe.name, "enforce": law, **samples.markers(2)}
        system.add(Joint.model_validate(joint))
    return prepare(system, registry).problem


def enforcement_checks(
    checks: Checks, kind: Any, registry: Registry, keys: dict[str, Any] | None = None
) -> None:
    """Power and cost of an enforcement law; nothing for a kind that enforces by multipliers."""
    if kind.kernel is None:
        return
    keys = samples.sample(kind) if keys is None else keys
    registry.add("constraint type", Probe.name, Probe, "the kit", "the kit")
    problem = compiled(kind, keys, registry)
    if not shape_checks(checks, problem):
        return
    rows = problem[Rows]
    number = next(n for n, kernel in enumerate(problem.kernels) if kernel.role == "enforcement")
    first = int(problem[Batches].index[number].first)

    def law(phi: float, phi_dot: float) -> np.ndarray[Any, Any]:
        rows.phi[0], rows.phi_dot[0] = phi, phi_dot
        problem.kernels[number].call(first, 1, problem.addresses)
        return np.array([rows.load[0], rows.energy[0], rows.power[0]])

    random = np.random.default_rng(1)
    largest = 0.0
    for n in range(TRIES):
        phi, phi_dot = random.normal(size=2) * 10.0 ** random.uniform(-3, 0)
        if kind.memory and n >= TRIES // 2:
            law(*random.normal(size=2))
            problem.check(entries.call_purpose(problem.addresses, ACCEPT))
        load, _, power = law(phi, phi_dot)
        e = STEP * abs(phi)
        slope = (law(phi + e, phi_dot)[1] - law(phi - e, phi_dot)[1]) / (2.0 * e)
        size = abs(load * phi_dot) + abs(slope * phi_dot) + abs(power)
        error = abs(load * phi_dot - (power - slope * phi_dot)) / max(size, 1e-300)
        checks.see("power of the load = power - rate of energy", error, TOLERANCE)
        largest = max(largest, abs(load))
    if kind.memory:
        check_memory(checks, bool(problem[State].memory.any()))
    if number in problem.names.tangents:
        check_slopes(checks, problem, law, random)
    # a law without any load would pass unchecked
    note = "its load is zero everywhere; give the class `examples`"
    checks.fact("has a load at some deviation", largest > 0.0, note)
    checks.report.cost[checks.kind] = cost(compiled(kind, keys, registry, BATCH), ENFORCE)


def check_slopes(checks: Checks, problem: Problem, law: Any, random: np.random.Generator) -> None:
    """Slopes of the law's `tangent` against differences of its load."""
    problem.prepare_tangents()
    rows, tangents = problem[Rows], problem[Tangents]

    def slopes(phi: float, phi_dot: float) -> np.ndarray[Any, Any]:
        by_phi = derivative(lambda s: law(phi + s, phi_dot)[:1], STEP * abs(phi))
        return np.concatenate([by_phi, derivative(lambda s: law(phi, phi_dot + s)[:1], STEP * abs(phi_dot))])

    for _ in range(20):
        phi, phi_dot = random.normal(size=2) * 10.0 ** random.uniform(-3, 0)
        truth = slopes(phi, phi_dot)
        rows.phi[0], rows.phi_dot[0] = phi, phi_dot
        tangents.slope[:], tangents.slope_dot[:] = 0.0, 0.0
        for kernel, call in zip(problem.tangent_kernels, problem[TangentPlan].call):
            if call.purpose == SLOPE:
                kernel.call(int(call.first), 1, problem.addresses)
        found = np.array([tangents.slope[0], tangents.slope_dot[0]])
        checks.see("tangent = difference of the load", distance(found, truth), TOLERANCE)
