"""Checks of force elements."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from mbplugin.compile import compile_system
from mbplugin.hooks.registry import Registry
from mbplugin.problem import Problem
from mbplugin.tables.groups import Batches, Elements, Markers, Rates, State, Wrenches
from mbplugin.tables.purposes import FORCE
from mbplugin.testing import samples
from mbplugin.testing.constraints import SEEDS, worst_of, written
from mbplugin.testing.memory import reach, reached_check
from mbplugin.testing.motions import TOLERANCE, Motion, distance
from mbplugin.testing.report import Check
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


def force_checks(kind: Any, params: dict[str, Any], registry: Registry, where: str = "") -> list[Check]:
    """Checks of one kind: finite outputs, action = reaction, power against energy, frame invariance.

    where: it is tried, for the names of the checks
    """
    name = f'force "{kind.name}"{where}'
    checks: list[Check] = []
    largest, near, far, reached = 0.0, float("inf"), 0.0, False
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        problem = compile_system(samples.with_force(kind, params, random), registry)
        shapes = written(name, problem, random)
        checks += shapes
        if not shapes[0].ok:
            return worst_of(checks)
        motion = Motion(problem, random)
        problem[State].aux[2:] = random.normal(size=len(problem[State].aux) - 2)
        most, apart = state_checks(name, kind, problem, motion, random, checks)
        largest = max(largest, most)
        near, far = min(near, *apart), max(far, *apart)
        if kind.memory and reach(problem, motion, random):
            reached = True
            state_checks(f"{name} with memory", kind, problem, motion, random, checks)
    idle = (
        f"it is zero at all tested poses, with markers {near:.1f} to {far:.1f} m apart: give the class "
        "`examples = [{...}]` with which it acts there"
    )
    checks.append(Check(name, "it acts", float(largest == 0.0), 0.0, "" if largest > 0.0 else idle))
    if kind.memory:
        checks.append(reached_check(name, reached))
    return worst_of(checks)


def state_checks(
    name: str, kind: Any, problem: Problem, motion: Motion, random: np.random.Generator, checks: list[Check]
) -> tuple[float, list[float]]:
    """Adds the checks at one motion with the present inner states and memory. Returns the largest load or
    power, and the distances of the markers.
    """
    inner = problem[State].aux[2:].copy()
    w, _, power = wrenches(problem, *motion.at(0.0))
    inner_rates = problem[Rates].aux_dot[2:].copy()
    x, twist = twists(problem)
    size = 1.0 + float(np.abs(w).max())
    if len(w) > 1 and not kind.on_faces:
        force, moment = w[:, :3].sum(axis=0), (np.cross(x, w[:, :3]) + w[:, 3:]).sum(axis=0)
        error = float(np.abs([force, moment]).max()) / size
        checks.append(Check(name, "action = reaction: forces and moments sum to zero", error, 1e-10))
        if not problem[State].memory.any():  # a memory may hold vectors of the world
            checks.append(
                Check(name, "rotates with the world", turned_world(problem, motion, w, random), 1e-10)
            )
    energy = functools.partial(energy_along, problem, motion.t0, inner, inner_rates)
    fall = motion.difference(energy)
    problem[State].aux[2:] = inner
    done = np.array(float(np.sum(w * twist)))
    error = distance(done, np.array(power - float(fall)))
    checks.append(Check(name, "power of the wrenches = power - rate of energy", error, TOLERANCE))
    checks += element_tangent_checks(name, problem, random)
    if kind.dissipates:
        checks.append(Check(name, "dissipated power is not negative", max(0.0, power) / size, 1e-12))
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
    from mbplugin.model.orientation import matrix

    turn = random.normal(size=4)
    turn /= np.linalg.norm(turn)
    Q, shift = matrix(tuple(turn)), random.normal(size=3)
    t, q, v = motion.at(0.0)
    moved, speeds = q.copy(), v.copy()
    for k in range(len(q) // 7):
        moved[7 * k : 7 * k + 3] = Q @ q[7 * k : 7 * k + 3] + shift
        moved[7 * k + 3 : 7 * k + 7] = quaternion_product(turn, q[7 * k + 3 : 7 * k + 7])
        speeds[6 * k : 6 * k + 3] = Q @ v[6 * k : 6 * k + 3]
    other, _, _ = wrenches(problem, t, moved, speeds)
    back = np.hstack([other[:, :3] @ Q, other[:, 3:] @ Q])
    return float(np.abs(back - w).max()) / (1.0 + float(np.abs(w).max()))


def quaternion_product(p: Array, q: Array) -> Array:
    w, x = p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.array([w, *x])
