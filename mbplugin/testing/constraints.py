"""Checks of constraint kinds and measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile import compile_system
from mbplugin.compile.cones import fault_of_cone
from mbplugin.hooks.registry import Registry
from mbplugin.kernels import entries
from mbplugin.model.table import validated
from mbplugin.problem import Problem
from mbplugin.tables.groups import Blocks, Bodies, Bounded, Markers, Rates, Rows, State
from mbplugin.tables.purposes import RETRACT
from mbplugin.tables.records import CONE, ON, ROW_TYPES
from mbplugin.testing import samples
from mbplugin.testing.carrying import carrying_checks
from mbplugin.testing.memory import reach, reached_check
from mbplugin.testing.motions import TOLERANCE, Motion, distance
from mbplugin.testing.report import Check
from mbplugin.testing.shapes import shape_checks
from mbplugin.testing.tangents import element_tangent_checks

SEEDS = (1, 2, 3)
#: number of poses at which the rank is checked, and the step between them [s]
POSES, STRIDE = 100, 0.5


def rows_checks(kind: str, problem: Problem, random: np.random.Generator) -> list[Check]:
    """Φ̇ = G v + Φₜ and −γ = d/dt (G v + Φₜ), by finite differences along a motion."""
    motion = Motion(problem, random)
    rows = problem[Rows]
    on = rows.active == 1
    # rows with bounds are off until a run begins
    on[problem[Bounded].index.row] = True
    position, held = on & (rows.level == 0), on & (rows.level <= 1)
    checks = []
    phi = lambda t, q, v: problem.residuals(t, q, v)[0]
    rate = lambda t, q, v: problem.residuals(t, q, v)[1]
    given = rate(*motion.at(0.0))
    if position.any():
        checks.append(
            Check(
                kind,
                "G v + phi_t is the rate of phi",
                distance(given[position], turned(motion, phi, rows.radians)[position]),
                TOLERANCE,
            )
        )
    if held.any():
        gamma = problem.constraints(*motion.at(0.0))[1]
        checks.append(
            Check(
                kind,
                "gamma is minus the rate of G v + phi_t",
                distance(-gamma[held], motion.difference(rate)[held]),
                TOLERANCE,
            )
        )
    return checks


def written(kind: str, problem: Problem, random: np.random.Generator) -> list[Check]:
    """Shape checks of the outputs at a moving state. A function that fails here may have corrupted memory: no
    other check is run then.
    """
    problem.set_state(0.37, problem.q, random.normal(size=problem.nv))
    return shape_checks(kind, problem)


def turned(motion: Motion, phi: Any, radians: Any) -> Any:
    """Rates of residuals; angles may jump by a full turn."""
    from mbplugin.testing.motions import H

    difference = np.asarray(phi(*motion.at(H))) - np.asarray(phi(*motion.at(-H)))
    whole = np.round(difference / (2 * np.pi)) * (2 * np.pi)
    return (difference - np.where(radians == 1, whole, 0.0)) / (2 * H)


def common_motion(problem: Problem, spin: Any, shift: Any) -> Any:
    """(nv,) velocities of a common rigid motion of all bodies, by least squares on marker twists."""
    state, markers = problem[State], problem[Markers]
    entries.evaluate(problem.addresses)
    x = markers.x.copy()
    moving = markers.index.body >= 0
    wanted = np.concatenate(
        [(shift + np.cross(spin, x))[moving], np.tile(spin, (int(moving.sum()), 1))]
    ).ravel()
    columns = []
    q = state.q.copy()
    for k in range(problem.nv):
        problem.set_state(float(state.time[0]), q, np.eye(problem.nv)[k])
        entries.evaluate(problem.addresses)
        columns.append(np.concatenate([markers.v[moving], markers.w[moving]]).ravel())
    return np.linalg.lstsq(np.array(columns).T, wanted, rcond=None)[0]


def constraint_checks(kind: Any, params: dict[str, Any], registry: Registry, planar: bool) -> list[Check]:
    """All checks of a constraint kind between free bodies."""
    name = f'constraint "{kind.name}"' + (" in the plane" if planar else "")
    checks: list[Check] = []
    reached = False
    if kind.row_type == ROW_TYPES[CONE]:
        checks.append(cone_check(name, kind, params))
        if not checks[0].ok:
            return checks
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        problem = held(samples.with_joint(kind, params, random, planar), registry)
        shapes = written(name, problem, random)
        checks += shapes
        if not shapes[0].ok:
            return worst_of(checks)
        checks += rows_checks(name, problem, random)
        checks += element_tangent_checks(name, problem, random)
        if kind.memory:
            reached = reach(problem, Motion(problem, random), random) or reached
            checks += rows_checks(f"{name} with memory", problem, random)
        near = held(samples.with_joint(kind, params, random, planar, close=True), registry)
        met = meet(near)
        if not met < 1e-8:
            checks.append(Check(name, "its positions can be assembled", met, 1e-8))
            continue
        checks.append(balance_check(name, near, random, planar))
        checks.append(work_check(name, near, random))
        checks.append(rank_check(name, near, random, kind.singular))
        checks += carrying_checks(name, near, registry)
    if kind.memory:
        checks.append(reached_check(name, reached))
    return worst_of(checks)


def held(system: Any, registry: Registry) -> Problem:
    """The compiled system, with rows whose forces have bounds held as those of joints."""
    problem = compile_system(system, registry)
    problem[State].mode[:] = ON
    problem[Rows].active[:] = 1
    return problem


def cone_check(name: str, kind: Any, params: dict[str, Any]) -> Check:
    """Restitution is within 0 and 1, and friction where it sticks is no less than where it slips."""
    given = validated(kind.parameters, params, "parameters", {}) if kind.parameters is not None else None
    fault = fault_of_cone(kind, given, len(kind.labels) - 1)
    return Check(name, "its friction and restitution are coefficients", float(bool(fault)), 0.0, fault)


def meet(problem: Problem) -> float:
    """Assemble the positions; returns the largest remaining residual."""
    state = problem[State]
    state.time[0], state.v[:] = 0.0, 0.0
    if (problem[Rows].level == 0).any():
        status, _ = entries.assemble_positions(problem.addresses, problem.names.size)
        problem.check(status)
    return float(np.abs(problem.residuals(0.0, state.q.copy(), state.v.copy())[0]).max(initial=0.0))


BALANCE = "action = reaction: no power in a common rigid motion"


def balance_check(name: str, problem: Problem, random: np.random.Generator, planar: bool) -> Check:
    """A row with power in a common rigid motion of all bodies is a force or moment without reaction."""
    spin, shift = random.normal(size=3), random.normal(size=3)
    if planar:
        spin, shift = np.array([0, 0, spin[2]]), np.array([shift[0], shift[1], 0])
    rate = rate_in(problem, common_motion(problem, spin, shift))
    return Check(name, BALANCE, distance(rate, np.zeros_like(rate)), 1e-8)


def measure_balance_check(name: str, problem: Problem, random: np.random.Generator) -> Check:
    """The same for a measure: in a common translation, and in a common rotation if that does not change its
    value, as it does for a component in world axes.
    """
    shifting, turning = (
        common_motion(problem, np.zeros(3), random.normal(size=3)),
        common_motion(problem, random.normal(size=3), random.normal(size=3)),
    )
    motion = Motion(problem, random)
    motion.v, start = turning, problem[State].q.copy()
    change = turned(motion, lambda t, q, v: problem.residuals(t, q, v)[0], problem[Rows].radians)
    problem[State].q[:] = start
    rate = rate_in(problem, shifting)
    kept = np.abs(change) < TOLERANCE
    rate = np.concatenate([rate, rate_in(problem, turning)[kept]])
    error = distance(rate, np.zeros_like(rate))
    return Check(
        name,
        BALANCE,
        error,
        1e-8,
        ""
        if kept.all()
        else f"error {error:.1e}; a common rotation changes its value, so only translations were tried",
    )


def rate_in(problem: Problem, v: Any) -> Any:
    """(rows,) G v for the velocities v (nv,)."""
    problem.set_state(0.0, problem[State].q.copy(), v)
    entries.evaluate(problem.addresses)
    return problem.jacobian() @ v


def stride(problem: Problem, v: Any) -> bool:
    """Take a step along v and assemble again; a smaller one if that fails."""
    start = problem[State].q.copy()
    for n in range(8):
        problem[State].q[:] = start
        problem[Rates].v_dot[:] = STRIDE * 0.5**n * v
        problem.check(entries.call_purpose(problem.addresses, RETRACT))
        if meet(problem) < 1e-8:
            return True
    return False


def work_check(name: str, problem: Problem, random: np.random.Generator) -> Check:
    """The reactions G_mᵀ λ of any λ have no power in motions with G v = 0."""
    q, blocks, markers = problem[State].q.copy(), problem[Blocks], problem[Markers]
    problem.set_state(0.0, q, allowed(problem, random))
    problem.check(entries.evaluate(problem.addresses))
    lam, work, size = random.normal(size=problem.nc), 0.0, 0.0
    for block in blocks.index:
        rows, slots = int(block.rows), int(block.slots)
        G_marker = blocks.G_marker[block.first_G_marker : block.first_G_marker + 6 * slots * rows].reshape(
            rows, slots, 6
        )
        wrench = np.einsum("r,rsc->sc", lam[block.first_row : block.first_row + rows], G_marker)
        at = blocks.marker[block.first_slot : block.first_slot + slots]
        power = wrench * np.hstack([markers.v[at], markers.w[at]])
        work, size = work + float(power.sum()), size + float(np.abs(power).sum())
    return Check(name, "its reactions have no power in allowed motions", abs(work) / (1.0 + size), 1e-11)


def allowed(problem: Problem, random: np.random.Generator) -> Any:
    """(nv,) a random velocity with G v = 0."""
    G = problem.jacobian()
    v = random.normal(size=problem.nv)
    return v - np.linalg.lstsq(G, G @ v, rcond=1e-12)[0]


def rank_check(name: str, problem: Problem, random: np.random.Generator, singular: str) -> Check:
    """The rows are independent at assembled positions: 100 poses of a random walk along allowed motions."""
    state, rank, rows = problem[State], problem.nc, problem.nc
    first, moved = state.q.copy(), 0
    for _ in range(POSES):
        state.v[:] = 0.0
        problem.check(entries.evaluate(problem.addresses))
        G = problem.jacobian()
        scaled = (
            G
            / np.sqrt(np.maximum(np.sum(G * G / np.maximum(1e-300, mass_diagonal(problem)), axis=1), 1e-300))[
                :, None
            ]
        )
        size = np.linalg.svd(scaled, compute_uv=False)
        rank = min(rank, int(np.sum(size > 1e-8 * size.max(initial=1.0))))
        if stride(problem, allowed(problem, random)):
            moved += 1
        else:
            # a walk may end in a corner, such as a rope segment of zero length: restart at the first pose
            state.q[:] = first
    if moved < POSES // 2:
        note = f"of {POSES} steps along allowed motions, {POSES - moved} could not be assembled"
        return Check(name, "its positions can be assembled", float(POSES - moved), POSES / 2, note)
    note = f"rank {rank} of {rows} rows at {POSES} poses" + (f"; not at {singular}" if singular else "")
    return Check(name, "its rows are independent at assembled positions", float(rows - rank), 0.0, note)


def measure_checks(kind: Any, registry: Registry) -> list[Check]:
    """Checks of a measure constrained to zero. Zero may be out of reach or singular, so no check assembles
    positions.
    """
    checks: list[Check] = []
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        problem = compile_system(samples.with_joint(kind, {}, random, False), registry)
        shapes = written(kind.name, problem, random)
        checks += shapes
        if not shapes[0].ok:
            return worst_of(checks)
        checks += rows_checks(kind.name, problem, random)
        checks += element_tangent_checks(kind.name, problem, random)
        checks.append(measure_balance_check(kind.name, problem, random))
    return worst_of(checks)


def mass_diagonal(problem: Problem) -> Any:
    inverse = problem[Bodies].inverse
    return np.where(inverse > 0, 1.0 / np.where(inverse > 0, inverse, 1.0), 1.0)


def worst_of(checks: list[Check]) -> list[Check]:
    """The worst of all seeds for each check."""
    worst: dict[tuple[str, str], Check] = {}
    for check in checks:
        key = (check.kind, check.what)
        if key not in worst or not check.error <= worst[key].error:
            worst[key] = check
    return list(worst.values())
