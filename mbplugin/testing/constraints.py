"""Checks of constraint kinds and measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile import compile_system
from mbplugin.hooks.registry import Registry
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Blocks, Bodies, Markers, Rates, Rows, State
from mbplugin.tables.purposes import RETRACT
from mbplugin.testing import samples
from mbplugin.testing.motions import TOLERANCE, Motion, distance
from mbplugin.testing.report import Check
from mbplugin.testing.shapes import shape_checks
from mbplugin.testing.tangents import element_tangent_checks

SEEDS = (1, 2, 3)
#: poses at which the rank is counted, and the velocity [s] by which they are apart
POSES, STRIDE = 100, 0.5


def rows_checks(kind: str, problem: Problem, random: np.random.Generator) -> list[Check]:
    """Φ̇ = G v + Φₜ and −γ = d/dt (G v + Φₜ), by differences along a motion."""
    motion = Motion(problem, random)
    rows = problem[Rows]
    on = rows.active == 1
    position, held = on & (rows.level == 0), on & (rows.level <= 1)
    found = []
    phi = lambda t, q, v: problem.residuals(t, q, v)[0]
    rate = lambda t, q, v: problem.residuals(t, q, v)[1]
    given = rate(*motion.at(0.0))
    if position.any():
        found.append(
            Check(
                kind,
                "G v + phi_t is the rate of phi",
                distance(given[position], turned(motion, phi, rows.radians)[position]),
                TOLERANCE,
            )
        )
    if held.any():
        gamma = problem.constraints(*motion.at(0.0))[1]
        found.append(
            Check(
                kind,
                "gamma is minus the rate of G v + phi_t",
                distance(-gamma[held], motion.difference(rate)[held]),
                TOLERANCE,
            )
        )
    return found


def written(kind: str, problem: Problem, random: np.random.Generator) -> list[Check]:
    """The shapes of what the functions write, at a state that moves. What fails here may have written
    anywhere: nothing else is tried then.
    """
    problem.set_state(0.37, problem.q, random.normal(size=problem.nv))
    return shape_checks(kind, problem)


def turned(motion: Motion, phi: Any, radians: Any) -> Any:
    """Rates of residuals of which angles may jump by a turn."""
    from mbplugin.testing.motions import H

    difference = np.asarray(phi(*motion.at(H))) - np.asarray(phi(*motion.at(-H)))
    whole = np.round(difference / (2 * np.pi)) * (2 * np.pi)
    return (difference - np.where(radians == 1, whole, 0.0)) / (2 * H)


def common_motion(problem: Problem, spin: Any, shift: Any) -> Any:
    """(nv,) velocities of all bodies that move as one rigid body, by least squares on the twists of all their
    points.
    """
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
    found: list[Check] = []
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        problem = compile_system(samples.with_joint(kind, params, random, planar), registry)
        shapes = written(name, problem, random)
        found += shapes
        if not shapes[0].ok:
            return worst_of(found)
        found += rows_checks(name, problem, random)
        found += element_tangent_checks(name, problem, random)
        near = compile_system(samples.with_joint(kind, params, random, planar, close=True), registry)
        met = meet(near)
        if not met < 1e-8:
            found.append(Check(name, "its positions can be met", met, 1e-8))
            continue
        found.append(balance_check(name, near, random, planar))
        found.append(work_check(name, near, random))
        found.append(rank_check(name, near, random, kind.singular))
    return worst_of(found)


def meet(problem: Problem) -> float:
    """Bring the problem onto its position rows; what is left of them."""
    state = problem[State]
    state.time[0], state.v[:] = 0.0, 0.0
    if (problem[Rows].level == 0).any():
        status, _ = entries.assemble_positions(problem.addresses, problem.names.size)
        problem.check(status)
    return float(np.abs(problem.residuals(0.0, state.q.copy(), state.v.copy())[0]).max(initial=0.0))


BALANCE = "action = reaction: no row works in a common rigid motion"


def balance_check(name: str, problem: Problem, random: np.random.Generator, planar: bool) -> Check:
    """A row that works in a common rigid motion of all bodies is a force or a moment without a reaction."""
    spin, shift = random.normal(size=3), random.normal(size=3)
    if planar:
        spin, shift = np.array([0, 0, spin[2]]), np.array([shift[0], shift[1], 0])
    rate = rate_in(problem, common_motion(problem, spin, shift))
    return Check(name, BALANCE, distance(rate, np.zeros_like(rate)), 1e-8)


def measure_balance_check(name: str, problem: Problem, random: np.random.Generator) -> Check:
    """The same of a measure: in a common shift, and in a common turn where that leaves its value as it is. A
    component in world axes is none that a turn leaves.
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
        else f"error {error:.1e}; a common turn changes its value, so only shifts were tried",
    )


def rate_in(problem: Problem, v: Any) -> Any:
    """(rows,) G v of all bodies moving so."""
    problem.set_state(0.0, problem[State].q.copy(), v)
    entries.evaluate(problem.addresses)
    return problem.jacobian() @ v


def stride(problem: Problem, v: Any) -> bool:
    """A step along v and back onto the positions; a smaller one where that fails."""
    start = problem[State].q.copy()
    for n in range(8):
        problem[State].q[:] = start
        problem[Rates].v_dot[:] = STRIDE * 0.5**n * v
        problem.check(entries.call_purpose(problem.addresses, RETRACT))
        if meet(problem) < 1e-8:
            return True
    return False


def work_check(name: str, problem: Problem, random: np.random.Generator) -> Check:
    """Its reactions G_mᵀ λ, any λ, do no work on markers that move as the rows allow, G v = 0."""
    q, blocks, markers = problem[State].q.copy(), problem[Blocks], problem[Markers]
    problem.set_state(0.0, q, allowed(problem, random))
    problem.check(entries.evaluate(problem.addresses))
    lam, work, size = random.normal(size=problem.nc), 0.0, 0.0
    for block in blocks.index:
        rows, slots = int(block.rows), int(block.slots)
        gm = blocks.G_marker[block.first_G_marker : block.first_G_marker + 6 * slots * rows].reshape(
            rows, slots, 6
        )
        wrench = np.einsum("r,rsc->sc", lam[block.first_row : block.first_row + rows], gm)
        at = blocks.marker[block.first_slot : block.first_slot + slots]
        power = wrench * np.hstack([markers.v[at], markers.w[at]])
        work, size = work + float(power.sum()), size + float(np.abs(power).sum())
    return Check(
        name, "its reactions do no work where the rows allow the motion", abs(work) / (1.0 + size), 1e-11
    )


def allowed(problem: Problem, random: np.random.Generator) -> Any:
    """(nv,) a random velocity with G v = 0."""
    G = problem.jacobian()
    v = random.normal(size=problem.nv)
    return v - np.linalg.lstsq(G, G @ v, rcond=1e-12)[0]


def rank_check(name: str, problem: Problem, random: np.random.Generator, singular: str) -> Check:
    """Where its positions are met, the rows are independent: at a hundred poses, on a random walk along what
    they allow.
    """
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
            state.q[:] = (
                first  # a walk may end in a corner, such as a rope's leg of no length; from the first pose another begins
            )
    if moved < POSES // 2:
        note = f"of {POSES} steps along what it allows, those that led to no pose that meets them"
        return Check(name, "its positions can be met", float(POSES - moved), POSES / 2, note)
    note = f"rank {rank} of {rows} rows at {POSES} poses" + (f"; not at {singular}" if singular else "")
    return Check(name, "its rows are independent where its positions are met", float(rows - rank), 0.0, note)


def measure_checks(kind: Any, registry: Registry) -> list[Check]:
    """Checks of a measure, held at zero by a constraint: zero may be out of reach or singular, so nothing is
    asked there.
    """
    found: list[Check] = []
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        problem = compile_system(samples.with_joint(kind, {}, random, False), registry)
        shapes = written(kind.name, problem, random)
        found += shapes
        if not shapes[0].ok:
            return worst_of(found)
        found += rows_checks(kind.name, problem, random)
        found += element_tangent_checks(kind.name, problem, random)
        found.append(measure_balance_check(kind.name, problem, random))
    return worst_of(found)


def mass_diagonal(problem: Problem) -> Any:
    inverse = problem[Bodies].inverse
    return np.where(inverse > 0, 1.0 / np.where(inverse > 0, inverse, 1.0), 1.0)


def worst_of(checks: list[Check]) -> list[Check]:
    """One check for each comparison: the worst of all seeds."""
    found: dict[tuple[str, str], Check] = {}
    for check in checks:
        key = (check.kind, check.what)
        if key not in found or not check.error <= found[key].error:
            found[key] = check
    return list(found.values())
