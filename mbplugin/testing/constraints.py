"""Checks of constraint kinds and measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile import compile_system
from mbplugin.compile.cones import fault_of_cone
from mbplugin.hooks.registry import Registry, validated_keys
from mbplugin.interface import Basic, ConstraintKind
from mbplugin.interface.derived import levels_of
from mbplugin.kernels import entries
from mbplugin.model import Motion as MotionOfScene
from mbplugin.problem import Problem
from mbplugin.tables.groups import Blocks, Bodies, Bounded, Markers, Rates, Rows, State
from mbplugin.tables.purposes import CONSTRAINT, RETRACT
from mbplugin.tables.records import BOX, CONE, ON, ROW_TYPES
from mbplugin.testing import samples
from mbplugin.testing.by_derivation import derivation_checks
from mbplugin.testing.carrying import carrying_checks
from mbplugin.testing.cost import BATCH, cost
from mbplugin.testing.motions import TOLERANCE, H, Motion, check_memory, distance
from mbplugin.testing.report import Checks
from mbplugin.testing.shapes import written
from mbplugin.testing.tangents import element_tangent_checks

SEEDS = (1, 2, 3)
#: number of poses at which the rank is checked, and the step between them [s]
POSES, STRIDE = 100, 0.5
#: largest residual of positions that count as assembled [m, rad]
ASSEMBLED = 1e-8


def constraint_checks(
    checks: Checks, kind: Any, registry: Registry, keys: dict[str, Any] | None = None
) -> None:
    """Derivatives, action = reaction, rank and cost of a constraint kind between spatial bodies, and
    between planar ones if it has rows for them; of each example, with the rows that belong to its keys.
    """
    given = [samples.sample(kind), *kind.examples[1:]] if keys is None else [keys]
    for number, (of_example, example) in enumerate(samples.each_example(checks, given)):
        params = validated_keys(kind, example, checks.kind)
        if kind.coupling(params) is None and not kind.functions(params):
            checks_of_example(of_example, kind.variant(params), registry, example, timed=number == 0)
        # else its rows are made of measures, which are checked separately


def checks_of_example(
    checks: Checks, kind: Any, registry: Registry, keys: dict[str, Any], timed: bool
) -> None:
    """Checks of a constraint kind with one example of its keys."""
    if kind.basics or kind.kernel is not None or kind.Planar is None:
        if not checks_between_bodies(checks, kind, keys, registry, planar=False):
            return
        if timed:
            batch = samples.with_joint(kind, keys, np.random.default_rng(0), False, BATCH)
            checks.report.cost[checks.kind] = cost(compile_system(batch, registry), CONSTRAINT)
    if kind.Planar is not None:
        checks_between_bodies(checks.with_suffix(" in the plane"), kind, keys, registry, planar=True)


def checks_between_bodies(
    checks: Checks, kind: Any, keys: dict[str, Any], registry: Registry, planar: bool
) -> bool:
    """All checks of a constraint kind between free bodies. Returns whether its functions can be called again:
    they have coefficients and write within their arrays.
    """
    if kind.row_type == ROW_TYPES[CONE]:
        # restitution is within 0 and 1, and friction where it sticks is no less than where it slips
        fault = fault_of_cone(kind, validated_keys(kind, keys, checks.kind), len(kind.labels) - 1)
        if not checks.fact("its friction and restitution are coefficients", not fault, fault):
            return False
    form = kind.form(planar)
    if form.kernel is not None:
        derivation_checks(checks, form, held_levels(form), is_measure=False)
    reached = False
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        problem = held(samples.with_joint(kind, keys, random, planar), registry)
        if not written(checks, problem, random):
            return False
        rows_checks(checks, problem, random)
        if not kind.unknowns:
            element_tangent_checks(checks, problem, random)
        if kind.memory:
            reached = Motion(problem, random).reach_memory(random) or reached
            if kind.unknowns:  # from where they are, not from where they were at the start
                element_tangent_checks(checks, problem, random)
            rows_checks(checks.with_suffix(" with memory"), problem, random)
        coordinate_checks(checks, kind, keys, registry, planar, seed)
        near = held(samples.with_joint(kind, keys, random, planar, close=True), registry)
        met = meet(near)
        if not met < ASSEMBLED:
            checks.see("its positions can be assembled", met, ASSEMBLED)
            continue
        check_balance(checks, near, random, planar)
        check_work(checks, near, random)
        check_rank(checks, near, random, kind.singular)
        carrying_checks(checks, near, registry)
    if kind.memory:
        check_memory(checks, reached)
    return True


def coordinate_checks(
    checks: Checks, kind: Any, keys: dict[str, Any], registry: Registry, planar: bool, seed: int
) -> None:
    """Derivatives and tangents of the coordinates that have inner unknowns, as rows of motions."""
    for name, measure in kind.form(planar).coordinates.items():
        if isinstance(measure, str) or not measure.unknowns:
            continue
        random = np.random.default_rng(seed)
        tried = samples.with_joint(kind, keys, random, planar)
        tried.add(MotionOfScene.model_validate({"joint": "tried0", name: 0.0}))
        problem = held(tried, registry)
        of_coordinate = checks.with_suffix(f", its {name}")
        Motion(problem, random).reach_memory(random)
        rows_checks(of_coordinate, problem, random)
        element_tangent_checks(of_coordinate, problem, random)


def held_levels(kind: Any) -> list[int]:
    """Level of each row of a kernel; rows that limit or slip hold velocities."""
    levels = levels_of(kind)
    types = (kind.row_type,) * len(levels) if isinstance(kind.row_type, str) else kind.row_type
    slips = [t == ROW_TYPES[BOX] or (t == ROW_TYPES[CONE] and r > 0) for r, t in enumerate(types)]
    return [max(level, int(slip)) for level, slip in zip(levels, slips)]


def measure_checks(checks: Checks, measure: Any, registry: Registry) -> None:
    """Jacobian and bias of a measure, as a constraint that sets it to zero. Zero may be out of reach or
    singular, so no check assembles positions.
    """
    basic = Basic(measure, tuple(f"row {k}" for k in range(measure.rows)))
    declared = {"name": checks.kind, "markers": measure.markers, "basics": (basic,)}
    probe = type("Probe", (ConstraintKind,), declared)
    registry.add("constraint type", checks.kind, probe, "the kit", "the kit")
    derivation_checks(checks, measure, (0,) * measure.rows, is_measure=True)
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        problem = compile_system(samples.with_joint(probe, {}, random, False), registry)
        if not written(checks, problem, random):
            return
        rows_checks(checks, problem, random)
        element_tangent_checks(checks, problem, random)
        check_balance_of_measure(checks, problem, random)


def rows_checks(checks: Checks, problem: Problem, random: np.random.Generator) -> None:
    """Φ̇ = G v + Φₜ and −γ = d/dt (G v + Φₜ), by finite differences along a motion."""
    motion = Motion(problem, random)
    motion.follow_inner_states(random)
    rows = problem[Rows]
    on = problem.on
    # rows with bounds are off until a run begins
    on[problem[Bounded].index.row] = True
    position, held = on & (rows.level == 0), on & (rows.level <= 1)
    rate = lambda t, q, v: problem.residuals(t, q, v)[1]
    given = rate(*motion.at(0.0))
    if position.any():
        error = distance(given[position], residual_rates(motion)[position])
        checks.see("G v + phi_t is the rate of phi", error, TOLERANCE)
    if held.any():
        gamma = problem.constraints(*motion.at(0.0))[1]
        error = distance(-gamma[held], motion.difference(rate)[held])
        checks.see("gamma is minus the rate of G v + phi_t", error, TOLERANCE)


def residual_rates(motion: Motion) -> Any:
    """(nc,) rates of Φ along a motion; angles may jump by a full turn."""
    change = motion.change(lambda t, q, v: motion.problem.residuals(t, q, v)[0])
    whole = np.round(change / (2 * np.pi)) * (2 * np.pi)
    return (change - np.where(motion.problem[Rows].radians == 1, whole, 0.0)) / (2 * H)


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


def held(system: Any, registry: Registry) -> Problem:
    """The compiled system, with rows whose forces have bounds held as those of joints."""
    problem = compile_system(system, registry)
    problem[State].mode[:] = ON
    return problem


def meet(problem: Problem) -> float:
    """Assemble the positions; returns the largest remaining residual."""
    state = problem[State]
    state.time[0], state.v[:] = 0.0, 0.0
    if (problem[Rows].level == 0).any():
        status, _ = entries.assemble_positions(problem.addresses, problem.names.size)
        problem.check(status)
    return float(np.abs(problem.residuals(0.0, state.q.copy(), state.v.copy())[0]).max(initial=0.0))


BALANCE = "action = reaction: no power in a common rigid motion"


def check_balance(checks: Checks, problem: Problem, random: np.random.Generator, planar: bool) -> None:
    """A row with power in a common rigid motion of all bodies is a force or moment without reaction."""
    spin, shift = random.normal(size=3), random.normal(size=3)
    if planar:
        spin, shift = np.array([0, 0, spin[2]]), np.array([shift[0], shift[1], 0])
    rate = rate_in(problem, common_motion(problem, spin, shift))
    checks.see(BALANCE, distance(rate, np.zeros_like(rate)), 1e-8)


def check_balance_of_measure(checks: Checks, problem: Problem, random: np.random.Generator) -> None:
    """Balance of a measure: in a common translation, and in a common rotation if that does not change its
    value, as it does for a component in world axes.
    """
    shifting = common_motion(problem, np.zeros(3), random.normal(size=3))
    turning = common_motion(problem, random.normal(size=3), random.normal(size=3))
    motion = Motion(problem, random)
    motion.v, start = turning, problem[State].q.copy()
    kept = np.abs(residual_rates(motion)) < TOLERANCE
    problem[State].q[:] = start
    rate = np.concatenate([rate_in(problem, shifting), rate_in(problem, turning)[kept]])
    error = distance(rate, np.zeros_like(rate))
    note = f"error {error:.1e}; a common rotation changes its value, so only translations were tried"
    checks.see(BALANCE, error, 1e-8, "" if kept.all() else note)


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
        if meet(problem) < ASSEMBLED:
            return True
    return False


def check_work(checks: Checks, problem: Problem, random: np.random.Generator) -> None:
    """The reactions G_mᵀ λ of any λ have no power in motions with G v = 0."""
    q, blocks, markers = problem[State].q.copy(), problem[Blocks], problem[Markers]
    problem.set_state(0.0, q, allowed(problem, random))
    problem.check(entries.evaluate(problem.addresses))
    lam, work, size = random.normal(size=problem.nc), 0.0, 0.0
    for block in blocks.index:
        rows, slots = int(block.rows), int(block.slots)
        entries_of_block = slice(block.first_G_marker, block.first_G_marker + 6 * slots * rows)
        G_marker = blocks.G_marker[entries_of_block].reshape(rows, slots, 6)
        wrench = np.einsum("r,rsc->sc", lam[block.first_row : block.first_row + rows], G_marker)
        at = blocks.marker[block.first_slot : block.first_slot + slots]
        power = wrench * np.hstack([markers.v[at], markers.w[at]])
        work, size = work + float(power.sum()), size + float(np.abs(power).sum())
    checks.see("its reactions have no power in allowed motions", abs(work) / (1.0 + size), 1e-11)


def allowed(problem: Problem, random: np.random.Generator) -> Any:
    """(nv,) a random velocity with G v = 0."""
    G = problem.jacobian()
    v = random.normal(size=problem.nv)
    return v - np.linalg.lstsq(G, G @ v, rcond=1e-12)[0]


def check_rank(checks: Checks, problem: Problem, random: np.random.Generator, singular: str) -> None:
    """The rows are independent at assembled positions: 100 poses of a random walk along allowed motions."""
    state, rank, rows = problem[State], problem.nc, problem.nc
    first, moved = state.q.copy(), 0
    for _ in range(POSES):
        state.v[:] = 0.0
        problem.check(entries.evaluate(problem.addresses))
        G = problem.jacobian()
        inverse = problem[Bodies].inverse
        diagonal = np.where(inverse > 0, 1.0 / np.where(inverse > 0, inverse, 1.0), 1.0)  # of M
        length = np.sqrt(np.maximum(np.sum(G * G / np.maximum(1e-300, diagonal), axis=1), 1e-300))
        size = np.linalg.svd(G / length[:, None], compute_uv=False)
        rank = min(rank, int(np.sum(size > 1e-8 * size.max(initial=1.0))))
        if stride(problem, allowed(problem, random)):
            moved += 1
        else:
            # a walk may end in a corner, such as a rope segment of zero length: restart at the first pose
            state.q[:] = first
    if moved < POSES // 2:
        note = f"of {POSES} steps along allowed motions, {POSES - moved} could not be assembled"
        checks.see("its positions can be assembled", POSES - moved, POSES / 2, note)
        return
    note = f"rank {rank} of {rows} rows at {POSES} poses" + (f"; not at {singular}" if singular else "")
    checks.see("its rows are independent at assembled positions", rows - rank, 0.0, note)
