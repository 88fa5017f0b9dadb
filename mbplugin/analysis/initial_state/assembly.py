"""Assembly of the initial state: positions and velocities that satisfy every joint, motion and `start`.

    min ½ δᵀ M δ  with  Φ(q ⊕ δ) = 0

by Newton's method; then the same for velocities, keeping the given ones that can hold
(`initial_velocities.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mbplugin.analysis.equilibrium.inner_states import states_of_scene
from mbplugin.analysis.initial_state import free_lengths
from mbplugin.analysis.initial_state.conflicts import position_conflict, velocity_conflict
from mbplugin.analysis.initial_state.deformed_bodies import refuse_deformed
from mbplugin.analysis.initial_state.following_rows import (
    expression_without_value,
    following_row_without_value,
    following_rows,
    layers,
    without,
)
from mbplugin.analysis.initial_state.half_turns import closed_antiparallel, flip_branches
from mbplugin.analysis.initial_state.held_bodies import place_held_bodies
from mbplugin.analysis.initial_state.initial_velocities import (
    IMPULSE,
    Given,
    initial_velocities,
    without_limited_motions,
)
from mbplugin.analysis.initial_state.light_rotors import light_rotors
from mbplugin.analysis.initial_state.points import rotated_point
from mbplugin.analysis.initial_state.small_steps import short_steps, whole_steps
from mbplugin.analysis.initial_state.undefined_directions import joint_without_direction
from mbplugin.analysis.initial_state.whole_bodies import WholeBodies
from mbplugin.analysis.phrases import joint_key
from mbplugin.compile import collisions
from mbplugin.errors import SceneError
from mbplugin.model import System, remarks
from mbplugin.problem import Problem
from mbplugin.tables.groups import Couplings, Elements, Functions, Markers, Measures, Rows, State
from mbplugin.tables.records import ON, POSITION_LEVEL, START, VELOCITY_LEVEL
from mbplugin.tables.spec import Array

#: residual [mechanism sizes or rad] that counts as closed
CLOSED = 1e-9
#: smallest displacement [mechanism sizes] or rotation [rad] of a body that is reported
REPORTED = 1e-6
#: displacement [mechanism sizes] or rotation [rad] of a body beyond which full steps may have turned an axis
#: over, so that short ones are tried
FAR_DISPLACEMENT = 0.5


@dataclass
class Assembly:
    """Changes that assembly made."""

    moved: list[tuple[str, float]] = field(default_factory=list)  # bodies, and how far [m]
    messages: list[str] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)  # given initial velocities
    dropped: list[str] = field(default_factory=list)  # a sentence for each given velocity that is not used
    warnings: list[str] = field(default_factory=list)  # about positions


def assemble_initial(
    problem: Problem, system: System, settled: Callable[[], tuple[Array, Array]] | None = None
) -> Assembly:
    """Bring the problem's state onto all constraints at t = 0.

    settled: gives coordinates and inner states of an equilibrium, at which it begins instead

    Raises SceneError if that is not possible, PhysicsError if constraints contradict each other.
    """
    names, measures = problem.names, problem[Measures]
    report = Assembly()
    starts = activate_starts(problem, system)
    for copy, original in names.same_measures:
        measures.last[copy] = measures.last[original]
    before, wholes = BodyPoses(problem), WholeBodies(problem)
    place_held_bodies(problem, wholes)
    drawn = flip_branches(problem, wholes)
    given_q = problem.q
    with light_rotors(problem):
        close_in_order(problem, system, before, starts, wholes)
        residual = close_positions(problem, before, wholes)
    if not residual <= CLOSED:
        error = following_row_without_value(problem, following_rows(problem))
        if error is not None:
            raise system.locate(error)
        unclosed = unclosed_joint(problem, system)
        raise position_conflict(problem, system, given_q) or system.locate(unclosed)
    refuse_deformed(problem, system, wholes)
    for name, moved, rotated in zip(names.bodies, *before.changes(problem)):
        if moved > REPORTED * names.size or rotated > REPORTED:
            report.moved.append((name, float(moved)))
            report.messages.append(
                f'assembly: body "{name}" was moved by {moved:.3g} m and rotated by {rotated:.3g} rad '
                "to satisfy joints, motions and starts"
            )
    report.warnings += closed_antiparallel(problem, system, drawn)
    problem[State].mode[starts] = START
    if settled is not None:
        q, problem[State].aux[states_of_scene(problem)] = settled()
        problem.evaluate_at(q)
        moved = before.changes(problem)[0]
        report.messages.append(
            f"start: the equilibrium; up to there bodies move by {np.max(moved, initial=0.0):.3g} m"
        )
    with without_limited_motions(problem):
        assemble_velocities(problem, system, report)
    problem.evaluate_at()
    error = expression_without_value(problem, moving=True) or following_row_without_value(
        problem, following_rows(problem)
    )
    if error is not None:
        raise system.locate(error)
    problem.count_turns()
    report.messages += [*names.remarks, *joint_remarks(problem), *remarks.large_angles(system)]
    report.messages += [*free_lengths.remarks(problem), *collisions.remarks(system, problem.names)]
    report.messages += collisions.node_remarks(system, problem.names)
    report.messages += collisions.narrow_remarks(system, problem.names)
    report.messages += remarks.bare_surfaces(system)
    return report


def close_in_order(
    problem: Problem, system: System, before: BodyPoses, starts: list[int], wholes: WholeBodies
) -> None:
    """Close the joints without the rows that follow the motion, then with one layer of these after the other,
    so that the coordinates that a layer reads are at their starts when it is added. The caller closes the
    joints with the last layer.

    Does nothing if there are no starts and all expressions have values. Raises SceneError if an expression
    has no value or no derivative when its layer is added.
    """
    following, level = following_rows(problem), problem[Rows].level
    pending = [row for row in following if level[row] == POSITION_LEVEL]
    if not pending or not (starts or following_row_without_value(problem, pending)):
        return
    others = [row for row in following if row not in pending]
    for layer in layers(problem, pending):
        leading = without(problem, pending + others)
        if not close_joints(leading, before, wholes) <= CLOSED:
            return
        problem.evaluate_at(leading.q)
        error = following_row_without_value(problem, layer)
        if error is not None:
            raise system.locate(error)
        unwrap_near_targets(problem)
        pending = [row for row in pending if row not in layer]


def close_positions(problem: Problem, before: BodyPoses, wholes: WholeBodies) -> float:
    """`close_joints`, without the rows at velocity level if their expressions have no value yet."""
    rates = [row for row in following_rows(problem) if problem[Rows].level[row] != POSITION_LEVEL]
    if following_row_without_value(problem, rates) is None:
        return close_joints(problem, before, wholes)
    leading = without(problem, rates)
    residual = close_joints(leading, before, wholes)
    problem.evaluate_at(leading.q)
    return residual


def close_joints(problem: Problem, before: BodyPoses, wholes: WholeBodies) -> float:
    """Newton's method from the present position, in short steps if it leads far away, first without deforming
    a body; returns the largest residual that remains [mechanism sizes or rad].
    """
    for _ in whole_steps(problem, wholes):
        pass
    wholes.closest = problem.q
    size, given_q = problem.names.size, problem.q
    residual, at_once = problem.close_positions(), problem.q
    moved, rotated = before.changes(problem)
    if (
        residual <= CLOSED
        and moved.max(initial=0.0) <= FAR_DISPLACEMENT * size
        and rotated.max(initial=0.0) <= FAR_DISPLACEMENT
    ):
        return residual
    problem.evaluate_at(given_q)
    for _ in short_steps(problem):
        pass
    in_steps = problem.close_positions()
    if residual <= CLOSED < in_steps:
        problem.evaluate_at(at_once)
        return residual
    return in_steps


def activate_starts(problem: Problem, system: System) -> list[int]:
    """Activate the rows of `start`s, and unwrap angles near their targets; returns the numbers of these rows.

    Raises SceneError if an expression of time has no value, or a joint no direction, at the positions of the
    scene.
    """
    starts = [c.start_row for c in problem.names.coordinates if c.start_row >= 0]
    problem[State].mode[starts] = ON
    problem.evaluate_at()
    error = (
        expression_without_value(problem, moving=False)
        or joint_without_direction(problem, system)
        or rotated_point(problem, system)
    )
    if error is not None:
        raise system.locate(error)
    unwrap_near_targets(problem)
    return starts


class BodyPoses:
    """Positions and axes of the bodies at one moment."""

    def __init__(self, problem: Problem) -> None:
        self.x = problem[Markers].x[problem.names.body_marker].copy()
        self.axes = problem[Markers].R[problem.names.body_marker].copy()  # (bodies, 9) rows of R

    def changes(self, problem: Problem) -> tuple[Array, Array]:
        """(bodies,) displacement [m] and angle of rotation [rad] since then."""
        now = BodyPoses(problem)
        moved, rotated = (np.linalg.norm(d, axis=1) for d in (now.x - self.x, now.axes - self.axes))
        # ‖ΔR‖ = 2 √2 sin(θ/2)
        return moved, 2.0 * np.arcsin(np.minimum(1.0, rotated / np.sqrt(8.0)))


def joint_remarks(problem: Problem) -> list[str]:
    """Remarks of the joint kinds on the assembled positions."""
    markers, remarks = problem[Markers], []
    for joint in problem.names.joints:
        text = joint.kind.remark([(markers.x[m], markers.R.reshape(-1, 3, 3)[m]) for m in joint.markers])
        if text:
            remarks.append(f'joint "{joint.name}": {text}')
    return remarks


def unwrap_near_targets(problem: Problem) -> None:
    """Let the next evaluation choose the revolution of each angle that is nearest to the value that its
    motion or `start` prescribes.
    """
    elements, u, last = problem[Elements], problem[Functions].u, problem[Measures].last
    index = elements.index
    function_of_row = dict(zip(index.first_row.tolist(), index.first_function.tolist()))
    function_of_row |= {int(c.row): int(c.function) for c in problem[Couplings].index if c.function >= 0}
    for coordinate in problem.names.coordinates:
        for row in (coordinate.start_row, *coordinate.motion_rows):
            if row >= 0 and problem[Rows].level[row] == POSITION_LEVEL:
                last[coordinate.measure] = u[function_of_row[row], 0]


def unclosed_joint(problem: Problem, system: System) -> SceneError:
    """The error for the joint with the largest residual, which names the others with large ones."""
    rows, names = problem[Rows], problem.names
    residual = problem.position_residuals()
    worst = int(np.argmax(residual))
    row = names.rows[worst]
    joint = row.owner.removesuffix(" motion").removesuffix(" start")
    size = abs(float(rows.phi[worst]))
    large = {names.rows[r].owner for r in np.flatnonzero(residual > 0.1 * residual[worst])} - {row.owner}
    others = f" (large residuals also in {', '.join(sorted(large)[:5])})" if large else ""
    return SceneError(
        key=joint_key(system, joint),
        value=joint,
        mend=f"cannot be assembled at t = 0: {row.owner} has a residual of {size:.3g} {row.unit} in "
        f"{row.label}{others}; correct positions, lengths or starts",
    )


def assemble_velocities(problem: Problem, system: System, report: Assembly) -> None:
    """Velocities that joints and motions admit, with the given ones that can hold.

    Raises PhysicsError if prescribed rates contradict each other.
    """
    given_v = problem.v
    if following_row_without_value(problem, following_rows(problem)):
        lead_velocities(problem, system)
    result = initial_velocities(problem, system)
    check_prescribed_rates(problem, system)
    report.given = result.given or []
    report.dropped += [f"initial velocity {g}" for g in report.given if g.conflicts]
    # do not report zero components that already satisfy the constraints: all components are given at once
    redundant = [g for g in report.given if g.redundant and not g.conflicts and g.given != 0.0]
    report.messages += [f"initial velocity {g}" for g in redundant]
    scale = 1.0 + float(np.max(np.abs(problem[State].v), initial=0.0))
    if system.scene.given_velocities == IMPULSE and result.changed > REPORTED * scale:
        before, after = (kinetic_energy(problem, v) for v in (given_v, problem.v))
        report.messages.append(
            "assembly: the given velocities are those before an impulse of joints, motions and starts at "
            f"t = 0, which changes the kinetic energy from {before:.6g} J to {after:.6g} J"
        )
    elif result.given != [] and result.changed > REPORTED * scale:
        report.messages.append(
            "assembly: the given velocities are kept; the others are chosen to satisfy the joints"
        )


def lead_velocities(problem: Problem, system: System) -> None:
    """Find velocities without the rows that follow the motion, at which the expressions of these rows are
    then evaluated.
    """
    following = following_rows(problem)
    leading = without(problem, following)
    initial_velocities(leading, system)
    problem.evaluate_at(v=leading.v)
    error = following_row_without_value(problem, following)
    if error is not None:
        raise system.locate(error)


def kinetic_energy(problem: Problem, v: Array) -> float:
    """[J] at the present position and the velocities v (nv,)."""
    return float(0.5 * v @ problem.mass(problem.q) @ v)


def check_prescribed_rates(problem: Problem, system: System) -> None:
    """Raises PhysicsError or SceneError if the rates that joints and motions prescribe contradict each other.

    The present velocities, which are projected onto these rates, then miss some of them.
    """
    rows, names, v = problem[Rows], problem.names, problem[State].v
    on = problem.on & (rows.level <= VELOCITY_LEVEL)
    scale = 1.0 + float(np.max(np.abs(v), initial=0.0)) + float(np.max(np.abs(rows.phi_t), initial=0.0))
    residual = np.abs((problem.times_G(v) + rows.phi_t) * on)
    if np.max(residual, initial=0.0) > 1e-8 * scale * max(1.0, names.size):
        owners = sorted({names.rows[r].owner for r in np.flatnonzero(residual > 1e-8 * scale)})
        raise velocity_conflict(problem, system) or system.locate(
            SceneError(
                key="joint",
                value=", ".join(owners),
                mend=f"no velocities satisfy these rates to better than {residual.max():.3g} (m/s or rad/s), "
                "although none contradicts the others: the rows are nearly dependent. Look for lengths or "
                "masses in wrong units, such as a mass centre far away from its joints",
            )
        )
