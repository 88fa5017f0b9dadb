"""Static analysis: a position at rest at which all forces are in equilibrium.

    h(q, v = 0) + Gᵀ λ = 0,   Φ(q) = 0

Newton's method in the null space N of the constraints (G N = 0, Nᵀ M N = 1), with K = −∂(h + Gᵀλ)/∂q and the
least-squares λ:

    Nᵀ K N y = Nᵀ h,   q ← q ⊕ N y,   then projection onto Φ = 0

Light bodies count with masses W ≥ M instead (`mass_scaling.py`). If NᵀKN is symmetric (or far from
equilibrium, where rotations make it unsymmetric), its eigenvalues are replaced by their absolute values, so
that a step decreases the potential energy also where it is not convex, and ends at a stable position. A step
in which a body would move too far is damped, (NᵀKN + σ) y = Nᵀh with a σ that doubles, so that motions of
little stiffness do not shorten the others; in large systems it is shortened. One along which the force
changes sign is shortened too. Load steps remove the initial unbalanced force r₀ in parts: h − (1 − s) r₀ is
in equilibrium at s = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbplugin.analysis.equilibrium.bounded_rows import BoundedRows
from mbplugin.analysis.equilibrium.dense_position import FAR_FROM_EQUILIBRIUM, DensePosition, Independent
from mbplugin.analysis.equilibrium.mass_scaling import largest_force
from mbplugin.analysis.equilibrium.sparse_position import LARGE_SYSTEM, SparsePosition, without_self_stress
from mbplugin.analysis.equilibrium.static_report import StaticReport
from mbplugin.analysis.equilibrium.touching_rows import CLOSED, REACH
from mbplugin.analysis.report import States
from mbplugin.analysis.tangent.stiffness import stride
from mbplugin.errors import PhysicsError, listed
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Markers, Measures, State
from mbplugin.tables.spec import Array

#: unbalanced force, relative to the largest force, that counts as zero; largest number of steps per load
BALANCED, STEPS = 1e-11, 200
#: least reference of unbalanced forces, in the largest force at the start: in equilibrium all may vanish
LEAST_REFERENCE = 1e-3
#: steps [sizes or rad] below this are rounding; in stiff systems the force that remains then is larger
ROUNDING_OF_STEP = 1e-14
#: unbalanced force, relative to the largest, that is left where forces were found before
HELD = 1e-6
#: large steps in a row that show that something falls, if the unbalanced force stays the same; relative
#: change up to which it does, and the least such force
IDLE_STEPS, SAME_FORCE, UNBALANCED = 12, 1e-9, 1e-8
#: largest translation [sizes] and rotation [rad] of a body in one step
STRIDE = 0.25
Position = DensePosition | SparsePosition


def static(
    problem: Problem,
    load_steps: int = 1,
    sparse: bool | None = None,
    bounded: BoundedRows | None = None,
    held: bool = False,
) -> StaticReport:
    """The equilibrium that Newton's method finds from the present, assembled state; the caller fills in the
    forces. bounded: rows with bounds that act, which have the modes found afterwards; held: whether their
    forces are known to hold the system where it is. Raises PhysicsError if it finds none.
    """
    state, names = problem[State], problem.names
    problem.evaluate_at(v=0.0)
    touches = bounded is not None and bounded.touching is not None
    # contacts are rows of dense matrices alone; what they hold where it begins needs none
    position = position_of(problem, False if touches and not held else sparse)
    if bounded is not None and not held:
        bounded.begin()
    start, before, last = (
        state.q.copy(),
        problem[Markers].x[names.body_marker].copy(),
        problem[Measures].last.copy(),
    )
    steps: list[tuple[float, float, float]] = []
    messages = []
    good, fell = held, False
    for count in () if held else dict.fromkeys((load_steps, 10 * load_steps)):
        problem[Measures].last[:] = last
        problem.evaluate_at(start)
        steps.clear()
        position.here()
        if bounded is not None:
            bounded.begin()
        first = unbalanced(problem, position, bounded)[0]
        loads = np.linspace(0.0, 1.0, count + 1)[1:].tolist()
        good = all(balance(problem, position, (1.0 - load) * first, load, steps, bounded) for load in loads)
        fell = bool(steps) and falls(steps[-IDLE_STEPS:], steps[-1][1])
        # what falls does so under any part of its load
        if good or fell:
            break
        messages = [f"no equilibrium with the full load at once; {10 * load_steps} load steps were used"]
    if not good:
        raise no_balance(problem, position, bounded, before if fell else None)
    position.here()
    force, lam = unbalanced(problem, position, bounded)
    if held and bounded is not None:
        force, lam = refined(problem, position, bounded, force)
        steps.append((1.0, float(np.abs(force).max(initial=0.0)) / largest_force(problem, lam), 0.0))
        if not steps[-1][1] <= HELD:
            raise no_balance(problem, position, bounded, None)
    rest = settled(problem, position, bounded, lam)
    if rest.stable is None:
        messages.append("whether it is stable is not told of contacts of so many bodies")
    x = problem[Markers].x[names.body_marker].copy()
    return StaticReport(
        states=States(
            state.time.copy(),
            state.q[None].copy(),
            np.zeros((1, problem.nv)),
            np.zeros((1, problem.nv)),
            rest.lam[None],
        ),
        bodies=names.bodies,
        moved=np.linalg.norm(x - before, axis=1),
        position=x,
        steps=steps,
        stiffnesses=rest.stiffnesses,
        dof=rest.dof,
        zero=rest.zero,
        stable=rest.stable,
        messages=messages,
    )


class Settled(NamedTuple):
    """Multipliers (nc,) of an equilibrium, its stiffness as `Position.stiffnesses`; stable None: untold."""

    lam: Array
    stiffnesses: Array
    zero: Array | float
    dof: int
    stable: bool | None


def settled(problem: Problem, position: Position, bounded: BoundedRows | None, lam: Array) -> Settled:
    """What the present equilibrium is like. Rows with bounds get the modes found: what holds is a constraint
    from now on. lam: as from `unbalanced`
    """
    if bounded is not None:
        bounded.press(lam)
        bounded.put_modes()
        lam[~problem.on] = 0.0
        problem.evaluate_at()
        position.here()
    touches = bounded is not None and bounded.touching is not None
    if touches and isinstance(position, SparsePosition):
        return Settled(lam, np.zeros(0), 0.0, 0, None)
    values, zero, dof = stiffnesses(problem, position, lam, bounded)
    return Settled(lam, values, zero, dof, bool((values > zero).all()))


def stiffnesses(
    problem: Problem, position: Position, lam: Array, bounded: BoundedRows | None
) -> tuple[Array, Array | float, int]:
    """Eigenvalues of K over the motions that joints and contacts allow, as `Position.stiffnesses`."""
    if bounded is None or bounded.touching is None or isinstance(position, SparsePosition):
        return position.stiffnesses(lam)
    position.hold(bounded.touched)
    return position.stiffnesses(lam, bounded.touching.stiffness(bounded.force[bounded.own :]))


def refined(problem: Problem, position: Position, bounded: BoundedRows, rest: Array) -> tuple[Array, Array]:
    """`unbalanced` after forces of the rows that hold have taken the rest (nv,) of a step's rounding, and
    those of many shares have come as near to the one of least norm as their bounds allow.
    """
    if isinstance(position, DensePosition):
        N = position.free.N
        rows = Independent.of(bounded.holding @ N)
        bounded.carry(rows.forces(-N.T @ rest))
        least = rows.forces(-N.T @ (problem[Bodies].h + bounded.at_bounds))
        bounded.share(least - bounded.carried)
    return unbalanced(problem, position, bounded)


def position_of(problem: Problem, sparse: bool | None = None) -> Position:
    """The present position, with sparse matrices (None: if the system is large)."""
    is_large = problem.nv > LARGE_SYSTEM if sparse is None else sparse
    return SparsePosition(problem) if is_large else DensePosition(problem)


def unbalanced(
    problem: Problem, position: Position, bounded: BoundedRows | None = None
) -> tuple[Array, Array]:
    """h + Gᵀλ (nv,), and the λ (nc,) that minimizes it in the norm of M⁻¹, of least norm, beside the forces
    of bounded rows.
    """
    h = problem[Bodies].h.copy()
    lam = multipliers(position, h, bounded)
    if isinstance(position, SparsePosition):
        lam[problem.on] = without_self_stress(problem, lam)[problem.on]
    rest = h + problem.times_G_T(lam)
    return rest if bounded is None else rest + bounded.of_contacts, lam


def multipliers(position: Position, h: Array, bounded: BoundedRows | None) -> Array:
    """λ (nc,) that leaves the least h + Gᵀλ in the norm of M⁻¹, with the forces of bounded rows in it."""
    if bounded is None:
        return position.multipliers(h)
    lam = position.multipliers(h + bounded.total)
    lam[bounded.row] = bounded.force[: bounded.own]
    return lam


def balance(
    problem: Problem,
    position: Position,
    taken: Array,
    load: float,
    steps: list[tuple[float, float, float]],
    bounded: BoundedRows | None = None,
) -> bool:
    """Newton on h − taken + Gᵀλ = 0 from the present position, at which `position` is. True if it ends in
    equilibrium.
    """
    size, least = problem.names.size, 0.0
    most = STRIDE if bounded is None or bounded.touching is None else REACH

    def fits(dq: Array) -> bool:
        return not most < stride(problem, dq) < np.inf

    for k in range(STEPS):
        h = problem[Bodies].h - taken
        lam = multipliers(position, h, bounded)
        largest = largest_force(problem, lam)
        least = LEAST_REFERENCE * largest if k == 0 else least
        scale = max(largest, least)
        rest = h + problem.times_G_T(lam)
        if bounded is not None:
            rest += bounded.of_contacts
        level = float(np.abs(rest).max(initial=0.0)) / scale
        if not np.isfinite(level):
            return False
        dq = position.step(
            lam, h, level, level > FAR_FROM_EQUILIBRIUM and k < position.downhill, fits, bounded
        )
        # the remaining force and the step are both rounding errors
        reach = stride(problem, dq)
        if not np.isfinite(reach):
            return False
        steps.append((load, level, reach))
        idle = k >= IDLE_STEPS and level > UNBALANCED and falls(steps[-IDLE_STEPS:], level)
        # what falls may fall onto something
        if idle and (bounded is None or not bounded.nears(dq)):
            return False
        closed = bounded is None or (bounded.open <= CLOSED and bounded.lawful)
        if (level <= BALANCED and reach <= 1e-9 * max(1.0, size) and closed) or position.locked:
            return True
        if closed and len(steps) > 3 and level <= 1e-9 and reach >= 0.3 * steps[-2][2] and reach <= 1e-7:
            return True
        if (
            closed
            and len(steps) > 1
            and level <= FAR_FROM_EQUILIBRIUM
            and max(reach, steps[-2][2]) <= ROUNDING_OF_STEP
        ):
            return True
        if not go(problem, position, dq, taken, reach <= 1e-4, bounded):
            return False
        # the equilibrium may be several turns away
        problem.count_turns()
    return False


def falls(steps: list[tuple[float, float, float]], level: float) -> bool:
    """Whether large steps have left the unbalanced force as it was: nothing holds what moves."""
    return len(steps) == IDLE_STEPS and all(
        abs(before - level) <= SAME_FORCE * level and reach >= 0.1 * REACH for _, before, reach in steps
    )


def go(
    problem: Problem,
    position: Position,
    dq: Array,
    taken: Array,
    near: bool,
    bounded: BoundedRows | None = None,
) -> bool:
    """Move by δ, or by less if the force along it would change sign, and update `position`. False if the
    constraints cannot be closed.
    """
    q, before = problem.q, None if bounded is None else bounded.before

    def slope_along(dq: Array) -> float:
        h = problem[Bodies].h - taken
        return float((h if bounded is None else h + bounded.total) @ dq)

    slope = slope_along(dq)
    for _ in range(12):
        problem.move_to(q, dq)
        closed = problem.close_positions() <= 1e-9
        problem.evaluate_at()
        if closed:
            position.here()
            if bounded is not None and before is not None:
                bounded.follow(before, dq)
        if closed and near:
            return True
        if closed:
            # project δ: constraint forces do no work on it to first order
            after = slope_along(position.allowed(dq))
            if after >= -0.5 * abs(slope):
                return True
        dq = 0.5 * dq
        slope *= 0.5
    return bool(closed)


def no_balance(
    problem: Problem, position: Position, bounded: BoundedRows | None, before: Array | None
) -> PhysicsError:
    """The error if no equilibrium was found; names the body with the largest unbalanced force, and of what
    falls the way. before: (bodies, 3) where they were, if something falls
    """
    position.here()
    rest, lam = unbalanced(problem, position, bounded)
    pulls = np.array([np.abs(rest[v]).max() for v in velocities_of_bodies(problem)])
    if isinstance(position, SparsePosition) and np.isfinite(pulls).all():
        # in a large system, name one of the bodies that a step would move farthest
        dq = position.step(lam, problem[Bodies].h, 1.0, True, lambda dq: True, bounded)
        moves = np.array([np.abs(dq[v]).max() for v in velocities_of_bodies(problem)])
        pulls = np.where(moves >= 0.1 * moves.max(), pulls, 0.0)
    k = int(np.argmax(np.where(np.isfinite(pulls), pulls, np.inf)))
    body = problem.names.bodies[k]
    if before is not None:
        moved = problem[Markers].x[problem.names.body_marker] - before
        farthest = int(np.argmax(np.linalg.norm(moved, axis=1)))
        way = float(np.linalg.norm(moved[farthest]))
        unbalanced_force = f"which keeps an unbalanced force of {pulls[k]:.3g} N or N m"
        hold_it = "hold it by a joint, a contact, a spring or more friction"
        if way <= CLOSED * problem.names.size:
            return PhysicsError(
                f'static analysis found no equilibrium: nothing stops the turning of body "{body}", '
                f"{unbalanced_force}; {hold_it}",
                time=problem.time,
            )
        body = problem.names.bodies[farthest]
        direction = listed([f"{x:.3g}" for x in np.round(moved[farthest] / way, 3) + 0.0])
        return PhysicsError(
            f'static analysis found no equilibrium: nothing stops body "{body}" on its way along '
            f"[{direction}], {unbalanced_force}; {hold_it}",
            time=problem.time,
        )
    return PhysicsError(
        f'static analysis found no equilibrium: body "{body}" keeps an unbalanced force of '
        f"{pulls[k]:.3g} N or N m; constrain bodies that can move without limit (`mbplugin check` counts "
        "the degrees of freedom), start nearer to the equilibrium, or use more --load-steps",
        time=problem.time,
    )


def velocities_of_bodies(problem: Problem) -> list[slice]:
    """Where in v each body of the scene is."""
    index = problem[Bodies].index
    return [slice(index[k].first_v, index[k].first_v + index[k].kind_v) for k in problem.names.body_index]
