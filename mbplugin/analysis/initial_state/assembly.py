"""The initial state: positions and velocities that satisfy every joint, motion and `start`, changed as little
as the masses allow.

min ½ δᵀ M δ subject to Φ(q ⊕ δ) = 0, by Newton's method; then the same for velocities, of which the given
ones that can hold are kept (`initial_velocities.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mbplugin.analysis.initial_state.conflicts import position_conflict, velocity_conflict
from mbplugin.analysis.initial_state.initial_velocities import Given, initial_velocities
from mbplugin.errors import SceneError
from mbplugin.kernels import entries
from mbplugin.model import System, large_angles
from mbplugin.problem import Problem
from mbplugin.tables.groups import Blocks, Couplings, Elements, Functions, Markers, Measures, Rows, State
from mbplugin.tables.purposes import COORDINATE
from mbplugin.tables.spec import Array

#: residual [size or rad] that assembly must reach, and change of a body [size] that it tells of
CLOSED, TOLD = 1e-9, 1e-6


@dataclass
class Assembly:
    """What assembly did: bodies that moved, and by how much [m]; one line for each in `messages`. dropped: a
    line for each given velocity that is not used.
    """

    moved: list[tuple[str, float]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)


def assemble_initial(problem: Problem, system: System) -> Assembly:
    """Bring the problem's state onto all constraints at t = 0. Raises SceneError where that is not possible,
    PhysicsError where joints contradict each other.
    """
    names, rows = problem.names, problem[Rows]
    report = Assembly()
    starts = held_starts(problem, system)
    for params, original in names.again:
        problem[Measures].last[params] = problem[Measures].last[original]
    place, given = Place(problem), problem.q
    status, worst = entries.assemble_positions(problem.addresses, names.size)
    problem.check(status)
    if not worst <= CLOSED:
        missed = unclosed(problem, system)
        raise position_conflict(problem, system, given) or system.locate(missed)
    for name, shift, turn in zip(names.bodies, *place.left(problem)):
        if shift > TOLD * names.size or turn > TOLD:
            report.moved.append((name, float(shift)))
            report.messages.append(
                f'assembly: body "{name}" was moved by {shift:.3g} m and turned by {turn:.3g} rad to satisfy joints, motions and starts'
            )
    rows.active[starts] = 0
    assemble_velocities(problem, system, report)
    problem.check(entries.evaluate(problem.addresses))
    problem.check(entries.call_purpose(problem.addresses, COORDINATE))
    problem[Measures].last[:] = problem[Measures].value
    report.messages += [*remarks(problem), *large_angles.remarks(system)]
    return report


def held_starts(problem: Problem, system: System) -> list[int]:
    """Make the rows of `start`s active and put angles into the turn of their targets, before positions are
    closed; returns those rows.

    Raises SceneError where an expression has no value, or a row no direction, at the positions that the scene
    gives.
    """
    starts = [c.start_row for c in problem.names.coordinates if c.start_row >= 0]
    problem[Rows].active[starts] = 1
    problem.check(entries.evaluate(problem.addresses))
    for mistake in (without_value(problem, system), without_direction(problem, system)):
        if mistake is not None:
            raise system.locate(mistake)
    unwrap_near_targets(problem)
    return starts


class Place:
    """Where the bodies are now."""

    def __init__(self, problem: Problem) -> None:
        self.x, self.axes = problem[Markers].x[problem.names.body_point].copy(), body_axes(problem)

    def left(self, problem: Problem) -> tuple[Array, Array]:
        """How far each body has moved from there since [m], and turned [rad], (bodies,) each."""
        moved = np.linalg.norm(problem[Markers].x[problem.names.body_point] - self.x, axis=1)
        return moved, np.linalg.norm(body_axes(problem) - self.axes, axis=1) / np.sqrt(2.0)


def remarks(problem: Problem) -> list[str]:
    """What the kinds of joints have to say of the assembled positions."""
    markers, found = problem[Markers], []
    for joint in problem.names.joints:
        text = joint.kind.remark([(markers.x[m], markers.R.reshape(-1, 3, 3)[m]) for m in joint.markers])
        if text:
            found.append(f'joint "{joint.name}": {text}')
    return found


def without_value(problem: Problem, system: System) -> SceneError | None:
    """An expression of time that has no value where the run begins, such as log(time)."""
    functions = problem[Functions]
    for text, row in zip(problem.names.functions, functions.index):
        value = functions.u[row.target, 0]
        if not np.isfinite(value):
            places = [
                (f"motion[{k}].{motion.key}", motion.expression) for k, motion in enumerate(system.motions)
            ]
            places += [
                (f"force[{k}].{key}", given)
                for k, force in enumerate(system.forces)
                for key, given in force.raw.items()
            ]
            places += [
                (f"joint[{k}].{key}", given)
                for k, joint in enumerate(system.joints)
                for key, given in joint.raw.items()
            ]
            key = next((key for key, given in places if str(given) == text), "expression")
            return SceneError(
                key,
                text,
                f"has no value at time = 0 ({value:g}); choose one that has a value at all times of the run",
            )
    return None


def without_direction(problem: Problem, system: System) -> SceneError | None:
    """A joint whose rows have no direction at the given positions, such as a rod of no length."""
    blocks = problem[Blocks]
    for joint in problem.names.joints:
        row = blocks.index[joint.block]
        size = 6 * row.slots * row.rows
        if not np.isfinite(blocks.G_marker[row.first_G_marker : row.first_G_marker + size]).all():
            number = next(k for k, j in enumerate(system.joints) if j.name == joint.name)
            mend = "has no direction at the given positions: do its two markers coincide? A bare body name puts both at one point; name a marker on each"
            return SceneError(
                f"joint[{number}]",
                joint.name,
                mend + ', such as "ground.axle" and "ball.rim", or move them apart',
            )
    return None


def body_axes(problem: Problem) -> Array:
    """(nb, 9) axes of the bodies."""
    return problem[Markers].R[problem.names.body_point].copy()


def unwrap_near_targets(problem: Problem) -> None:
    """Angles start in the turn in which a motion or a `start` puts them."""
    elements, u, last = problem[Elements], problem[Functions].u, problem[Measures].last
    function_of_row = {int(e.first_row): int(e.first_function) for e in elements.index} | {
        int(c.row): int(c.function) for c in problem[Couplings].index if c.function >= 0
    }
    for coordinate in problem.names.coordinates:
        for row in (coordinate.start_row, coordinate.motion_row):
            if row >= 0 and problem[Rows].level[row] == 0:
                last[coordinate.measure] = u[function_of_row[row], 0]


def unclosed(problem: Problem, system: System) -> SceneError:
    """Which joint cannot be closed, and by how much."""
    rows, names = problem[Rows], problem.names
    unit = np.where(rows.radians == 1, 1.0, names.size)
    residual = np.where((rows.active == 1) & (rows.level == 0), np.abs(rows.phi) / unit, 0.0)
    residual = np.where(np.isfinite(residual), residual, np.inf)
    worst = int(np.argmax(residual))
    name = names.rows[worst]
    joint = name.owner.removesuffix(" motion").removesuffix(" start")
    number = next((k for k, j in enumerate(system.joints) if j.name == joint), None)
    size = abs(float(rows.phi[worst]))
    others = sorted(
        {names.rows[r].owner for r in np.flatnonzero(residual > 0.1 * residual[worst])} - {name.owner}
    )
    against = f" (so do {', '.join(others[:5])})" if others else ""
    return SceneError(
        key=f"joint[{number}]" if number is not None else "joint",
        value=joint,
        mend=f"cannot be assembled at t = 0: {name.owner} misses {name.label} by {size:.3g} {name.unit}{against}; correct positions, lengths or starts",
    )


def assemble_velocities(problem: Problem, system: System, report: Assembly) -> None:
    """Velocities that joints and motions admit, with the given ones that can hold. Raises PhysicsError where
    prescribed rates contradict each other.
    """
    found = initial_velocities(problem, system)
    prescribed(problem, system)
    report.given = found.given or []
    report.dropped += [f"initial velocity {g}" for g in report.given if g.conflicts]
    report.messages += [f"initial velocity {g}" for g in report.given if g.redundant and not g.conflicts]
    scale = 1.0 + float(np.max(np.abs(problem[State].v), initial=0.0))
    if found.given != [] and found.changed > TOLD * scale:
        report.messages.append(
            "assembly: given velocities were kept, the others completed to match the joints"
        )


def prescribed(problem: Problem, system: System) -> None:
    """Raises PhysicsError where the present velocities do not have the rates that joints and motions
    prescribe: these contradict each other then.
    """
    rows, names, v = problem[Rows], problem.names, problem[State].v
    on = (rows.active == 1) & (rows.level <= 1)
    scale = 1.0 + float(np.max(np.abs(v), initial=0.0)) + float(np.max(np.abs(rows.phi_t), initial=0.0))
    residual = np.abs((problem.sparse_jacobian() @ v + rows.phi_t) * on)
    if np.max(residual, initial=0.0) > 1e-8 * scale * max(1.0, names.size):
        bad = sorted({names.rows[r].owner for r in np.flatnonzero(residual > 1e-8 * scale)})
        raise velocity_conflict(problem, system) or system.locate(
            SceneError(
                key="joint",
                value=", ".join(bad),
                mend=f"initial velocities conflict: the rates that {' and '.join(bad)} prescribe cannot all hold",
            )
        )
