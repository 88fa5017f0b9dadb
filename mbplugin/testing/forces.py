"""Checks of force elements."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from mbplugin.compile import compile_system
from mbplugin.hooks.registry import Registry
from mbplugin.problem import Problem
from mbplugin.tables.groups import Batches, Elements, Markers, Rates, State, Wrenches
from mbplugin.tables.purposes import FORCE
from mbplugin.testing import samples
from mbplugin.testing.by_derivation import force_derivation_checks
from mbplugin.testing.constraints import SEEDS
from mbplugin.testing.cost import BATCH, cost
from mbplugin.testing.four_nodes import FourNodes
from mbplugin.testing.motions import TOLERANCE, Motion, check_memory, distance
from mbplugin.testing.report import Checks
from mbplugin.testing.shapes import written
from mbplugin.testing.tangents import element_tangent_checks

Array = np.ndarray[Any, Any]


def wrenches(problem: Problem, t: float, q: Array, v: Array) -> tuple[Array, float, float]:
    """(markers, 6) of the element, its energy and power."""
    problem.evaluate(t, q, v)
    tables = problem[Wrenches]
    first, count = tables.index[-1].first_slot, tables.index[-1].slots
    return (
        tables.wrench[6 * first : 6 * (first + count)].reshape(count, 6).copy(),
        float(tables.energy[-1]),
        float(tables.power[-1]),
    )


def twists(problem: Problem) -> tuple[Array, Array]:
    """(markers, 3) positions and (markers, 6) twists of the element's markers."""
    row = next(row for row in problem[Batches].index if row.purpose == FORCE)
    element, markers = problem[Elements].index[row.first], problem[Markers]
    count = int(problem[Wrenches].index[-1].slots)
    slots = problem[Elements].marker[element.first_slot : element.first_slot + count]
    return markers.x[slots].copy(), np.hstack([markers.v[slots], markers.w[slots]])


def force_checks(checks: Checks, kind: Any, registry: Registry, keys: dict[str, Any] | None = None) -> None:
    """Action = reaction, power, invariance and cost of a force element between spatial bodies."""
    if kind.on_faces:
        registry.add("body kind", FourNodes.name, FourNodes, "the kit", "the kit")
    force_derivation_checks(checks, kind)
    given = [samples.sample(kind), *kind.examples[1:]] if keys is None else [keys]
    (_, params), *others = (
        (of_example, samples.with_joint_made(kind, example, registry))
        for of_example, example in samples.each_example(checks, given)
    )
    if not checks_of_element(checks, kind, params, registry):
        return
    joint = samples.joint_that_fits(kind, params, registry)
    if joint is not None:
        situation = checks.with_suffix(" on a coordinate")
        checks_of_element(situation, kind, {**params, "joint": joint}, registry)
    joint = samples.other_coordinate(kind, params)
    if joint is not None:
        situation = checks.with_suffix(f" on a {joint['type']} joint")
        checks_of_element(situation, kind, {**params, "joint": joint}, registry)
    for of_example, example in others:
        checks_of_element(of_example, kind, example, registry)
    batch = samples.with_force(kind, params, np.random.default_rng(0), BATCH)
    checks.report.cost[checks.kind] = cost(compile_system(batch, registry), FORCE)


def checks_of_element(checks: Checks, kind: Any, params: dict[str, Any], registry: Registry) -> bool:
    """Checks in one situation: finite outputs, action = reaction, power against energy, frame invariance.
    Returns whether its functions write within their arrays.
    """
    largest, distances, reached = 0.0, [], False
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        problem = compile_system(samples.with_force(kind, params, random), registry)
        if not written(checks, problem, random):
            return False
        motion = Motion(problem, random)
        problem[State].aux[2:] = random.normal(size=len(problem[State].aux) - 2)
        load, apart = state_checks(checks, kind, problem, motion, random)
        largest = max(largest, load)
        distances += apart
        if kind.memory and motion.reach_memory(random):
            reached = True
            state_checks(checks.with_suffix(" with memory"), kind, problem, motion, random)
    idle = (
        f"it is zero at all tested poses, with markers {min(distances):.1f} to {max(distances):.1f} m apart: "
        "give the class `examples = [{...}]` with which it acts there"
    )
    checks.fact("it acts", largest != 0.0, idle)
    if kind.memory:
        check_memory(checks, reached)
    return True


def state_checks(
    checks: Checks, kind: Any, problem: Problem, motion: Motion, random: np.random.Generator
) -> tuple[float, list[float]]:
    """The checks at one motion with the present inner states and memory. Returns the largest load or power,
    and the distances of the markers.
    """
    inner = problem[State].aux[2:].copy()
    w, _, power = wrenches(problem, *motion.at(0.0))
    inner_rates = problem[Rates].aux_dot[2:].copy()
    x, twist = twists(problem)
    size = 1.0 + float(np.abs(w).max())
    if len(w) > 1 and not kind.on_faces:
        force, moment = w[:, :3].sum(axis=0), (np.cross(x, w[:, :3]) + w[:, 3:]).sum(axis=0)
        error = np.abs([force, moment]).max() / size
        checks.see("action = reaction: forces and moments sum to zero", error, 1e-10)
        if not problem[State].memory.any():  # a memory may hold vectors of the world
            checks.see("rotates with the world", turned_world(problem, motion, w, random), 1e-10)
    energy = functools.partial(energy_along, problem, motion.t0, inner, inner_rates)
    fall = motion.difference(energy)
    problem[State].aux[2:] = inner
    error = distance(np.sum(w * twist), power - fall)
    checks.see("power of the wrenches = power - rate of energy", error, TOLERANCE)
    element_tangent_checks(checks, problem, random)
    if kind.dissipates:
        checks.see("dissipated power is not negative", power / size, 1e-12)
    apart = [float(np.linalg.norm(x[i] - x[j])) for i in range(len(x)) for j in range(i)] or [0.0]
    return max(float(np.abs(w).max()), abs(power)), apart


def energy_along(
    problem: Problem, t0: float, inner: Array, inner_rates: Array, t: float, q: Array, v: Array
) -> float:
    """Energy of the element on a straight motion, with inner states extrapolated by their rates at t0."""
    problem[State].aux[2:] = inner + (t - t0) * inner_rates
    return wrenches(problem, t, q, v)[1]


def turned_world(problem: Problem, motion: Motion, w: Array, random: np.random.Generator) -> float:
    """Error of the wrenches in a rotated and translated world, rotated back. Bodies are spatial: q = (x,
    quaternion).
    """
    turn = Rotation.from_quat(np.roll(random.normal(size=4), -1))  # scipy has the scalar last
    Q, shift = turn.as_matrix(), random.normal(size=3)
    t, q, v = motion.at(0.0)
    moved, speeds = q.copy(), v.copy()
    for k in range(len(q) // 7):
        moved[7 * k : 7 * k + 3] = Q @ q[7 * k : 7 * k + 3] + shift
        axes = Rotation.from_quat(np.roll(q[7 * k + 3 : 7 * k + 7], -1))
        moved[7 * k + 3 : 7 * k + 7] = np.roll((turn * axes).as_quat(), 1)
        speeds[6 * k : 6 * k + 3] = Q @ v[6 * k : 6 * k + 3]
    other, _, _ = wrenches(problem, t, moved, speeds)
    back = np.hstack([other[:, :3] @ Q, other[:, 3:] @ Q])
    return float(np.abs(back - w).max()) / (1.0 + float(np.abs(w).max()))
