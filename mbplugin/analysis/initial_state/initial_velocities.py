"""Initial velocities: which of the given ones can hold, which are redundant, and the velocities that follow.

Runs and the velocity analysis use the same method. Rows are taken in order: joints and motions, the speeds of
`start`s, then `velocity` and `angular_velocity` of bodies in scene order. With G N = 0 and Nᵀ M N = 1, a
given velocity b·v = s is the row Nᵀ b in the null space of joints and motions. The rows are orthogonalised
one by one (Gram-Schmidt, twice). A row with zero remainder is redundant: earlier rows determine its value,
and a given value that differs is dropped. The other velocities follow from

    min ½ (v − w)ᵀ M (v − w),   G v = −Φₜ,   b·v = s of all rows that are kept

where w are the velocities of the scene (0 if not given). Bodies that deform move as wholes, if the rows of
joints and motions allow this: v is then w and a motion of these (`whole_bodies.py`). With
`given_velocities = "impulse"` those of bodies are w alone and no rows: M (v − w) is then the impulse of
joints, motions and starts at t = 0, which deforms bodies.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mbplugin.analysis.initial_state.whole_bodies import WholeBodies, least_motion
from mbplugin.analysis.phrases import enumerated
from mbplugin.analysis.rank.null_space import NullSpace, each_motion, null_space, unit_motions
from mbplugin.errors import SceneError, listed
from mbplugin.kernels import entries
from mbplugin.model import Body, System
from mbplugin.problem import Problem
from mbplugin.problem.point_jacobian import point_jacobian
from mbplugin.tables.groups import Bodies, Bounded, Functions, Markers, Rows, State
from mbplugin.tables.records import OFF, ON, VELOCITY_LEVEL
from mbplugin.tables.spec import Array

#: remainder of a row, relative to the row, up to which it is redundant
REMAINDER = 1e-9
#: difference of two values, relative to the largest velocity, up to which they agree
SAME_VELOCITY = 1e-8
#: smallest coefficient of an earlier row that counts as a source, relative to the row
SOURCE = 1e-7
#: number of velocities up to which given ones are always sorted, and up to which if they do not fit
ALWAYS_SORTED, SORTED = 300, 900
#: change of a given velocity, relative to the largest, up to which it counts as kept
KEPT = 1e-9
#: largest number of passes, and change of the velocities, relative to the largest, that ends them
MAX_PASSES, ROUNDING_OF_VELOCITY = 12, 1e-13
#: the choice of `given_velocities` for which they are the velocities before an impulse
IMPULSE = "impulse"
#: largest number of joints that a text names
NAMED = 4


@dataclass(frozen=True)
class Given:
    """A given velocity, and what became of it."""

    name: str  # such as 'body "door" velocity y'
    unit: str
    given: float
    used: float
    redundant: bool  # earlier rows determine its value
    conflicts: bool  # they determine another value
    by: tuple[str, ...] = ()  # earlier given velocities that determine the value
    through: tuple[str, ...] = ()  # joints and motions that transmit it

    @property
    def state(self) -> str:
        if not self.redundant:
            return "kept"
        return "conflicting, dropped" if self.conflicts else "redundant, consistent"

    @property
    def source(self) -> str:
        """Which rows determine the value; "" if it is not redundant."""
        if not self.redundant:
            return ""
        joints = listed(self.through, NAMED) if self.through else ""
        if not self.by:
            return joints or "the type of the body"
        return enumerated(self.by) + (f" through {joints}" if joints else "")

    def __str__(self) -> str:
        if self.conflicts:
            return (
                f"{self.name}: given as {self.given:.7g} {self.unit}, but {self.used:.7g} {self.unit} "
                f"follows from {self.source}; the given value is not used"
            )
        if self.redundant:
            return f"{self.name} = {self.given:.7g} {self.unit} is redundant: it follows from {self.source}"
        return f"{self.name} = {self.used:.7g} {self.unit}"


@dataclass(frozen=True)
class VelocityRow:
    """A given velocity as an equation: row · v = value."""

    name: str
    unit: str
    row: Array  # (nv,)
    value: float
    body: int = -1  # number in the scene; -1: the speed of a start
    component: int = -1  # 0 to 5 of the body's linear and angular velocity; -1: the speed of a start


@dataclass(frozen=True)
class InitialVelocities:
    """Outcome for the given velocities."""

    given: list[Given] | None  # in the order in which they were taken; None: not sorted
    rank: int  # of all rows together; -1: not sorted
    free: int  # degrees of freedom that no row determines; -1: not sorted
    changed: float  # largest difference from the velocities of the scene [m/s or rad/s]


class OrthonormalRows:
    """Orthonormal rows Q and their values c:  Q y = c."""

    def __init__(self, n: int) -> None:
        self.rows, self.values, self.count = np.zeros((n, n)), np.zeros(n), 0

    @property
    def Q(self) -> Array:
        return self.rows[: self.count]

    @property
    def c(self) -> Array:
        return self.values[: self.count]

    def add(self, row: Array, value: float, size: float) -> tuple[bool, float]:
        """Add a row (n,) unless it is redundant; returns whether it was added, and the value that it has.

        size: length of the row before projection, with which the remainder is compared.
        """
        coefficients, remainder = np.zeros(self.count), row
        for _ in range(2):
            part = self.Q @ remainder
            coefficients, remainder = coefficients + part, remainder - part @ self.Q
        length = float(np.linalg.norm(remainder))
        if length <= REMAINDER * size or self.count == len(self.rows):
            return False, float(coefficients @ self.c)
        self.rows[self.count] = remainder / length
        self.values[self.count] = (value - coefficients @ self.c) / length
        self.count += 1
        return True, value


def initial_velocities(problem: Problem, system: System, always_sort: bool = False) -> InitialVelocities:
    """Set the velocities at the assembled position; rows of starts have no effect, and stay so.

    always_sort: sort the given velocities even in a large model. The caller checks for contradicting rates of
    joints and motions. Raises SceneError for a large model whose given velocities do not fit its joints.
    """
    state = problem[State]
    scene_v = state.v.copy()
    impulsive = system.scene.given_velocities == IMPULSE
    # an impulse deforms what it acts on
    T = None if impulsive else whole_velocities(problem)
    if T is None:
        problem.check(entries.assemble_velocities(problem.addresses))
    projected, starts = state.v.copy(), start_speeds(problem, system)
    change = float(np.abs(projected - scene_v).max(initial=0.0))
    rates = (scene_v, problem[Rows].phi_t, [w.value for w in starts])
    largest = max(1e-300, *(float(np.abs(x).max(initial=0.0)) for x in rates))
    given_keys = {"velocity", "angular_velocity"}
    bodies = [
        k for k, body in enumerate(system.bodies) if given_keys & body.model_fields_set and not impulsive
    ]
    if not always_sort and not starts and not bodies:
        return InitialVelocities([], -1, -1, change)
    misfit, what = largest_misfit(problem, system, starts, bodies) if starts or bodies else (0.0, "")
    fits = misfit <= KEPT * largest
    count = problem.nv if T is None else T.shape[1]
    if count > ALWAYS_SORTED and not always_sort:
        if fits:
            return InitialVelocities(None, -1, -1, change)
        if count > SORTED:
            mend = (
                f"differs by {misfit:.3g} from what the joints allow; in models of more than {SORTED} "
                "velocities the given ones must fit. Correct it, or remove it"
            )
            raise system.locate(SceneError("velocity", what, mend))
    of_bodies, twists = body_velocities(problem, system, bodies)
    for _ in range(MAX_PASSES):
        before = state.v.copy()
        result = nearest(problem, [*starts, *of_bodies], twists, scene_v, largest, T)
        # if functions of rates determine velocities, G depends on v, and this is Newton's method
        if (
            not problem[Functions].partial.by_rate.any()
            or np.abs(state.v - before).max(initial=0.0) <= ROUNDING_OF_VELOCITY * largest
        ):
            break
    if T is not None:
        if fits:
            problem.evaluate_at(v=projected)
            result = replace(result, changed=change)
        return with_all_motions(problem, result) if always_sort else result
    by_projection = projected if fits else project_with_speeds(problem, system, result, scene_v)
    # the projection agrees, has exact zeros, and does not amplify rounding
    if fits or np.abs(by_projection - state.v).max(initial=0.0) <= KEPT * largest:
        problem.evaluate_at(v=by_projection)
        return replace(result, changed=float(np.abs(by_projection - scene_v).max(initial=0.0)))
    return result


def whole_velocities(problem: Problem) -> Any:
    """Project the velocities so that bodies that deform move as wholes. Returns T (nv, ny), the motions in
    which they do, or None, with the velocities as they were, if none deforms or the rows do not allow it.
    """
    wholes, scene_v, rows = WholeBodies(problem), problem.v, problem[Rows]
    if not wholes:
        return None
    T, _ = wholes.motions(problem)
    for _ in range(MAX_PASSES):
        on = np.flatnonzero(problem.on & (rows.level <= VELOCITY_LEVEL))
        rate = (problem.times_G(problem.v) + rows.phi_t)[on]
        largest = max(1e-300, *(float(np.abs(x).max(initial=0.0)) for x in (problem.v, rows.phi_t)))
        if np.abs(rate).max(initial=0.0) <= ROUNDING_OF_VELOCITY * largest:
            return T
        before = problem.v
        problem.evaluate_at(v=before + T @ least_motion(problem, T, on, -rate))
        if np.abs(problem.v - before).max(initial=0.0) <= ROUNDING_OF_VELOCITY * largest:
            break
    rate = (problem.times_G(problem.v) + rows.phi_t)[on]
    if np.abs(rate).max(initial=0.0) <= KEPT * largest:
        return T
    problem.evaluate_at(v=scene_v)
    return None


def with_all_motions(problem: Problem, result: InitialVelocities) -> InitialVelocities:
    """Complete the result by the numbers of rows and motions of bodies that may deform."""
    free = null_space(problem, problem[Rows].level <= VELOCITY_LEVEL)
    kept = sum(not given.redundant for given in result.given or [])
    return replace(result, rank=free.rank + kept, free=free.dof - kept)


@contextmanager
def without_limited_motions(problem: Problem) -> Iterator[None]:
    """Motions of limited effort prescribe no velocity at t = 0: no finite force changes it in no time."""
    mode, bounded = problem[State].mode, problem[Bounded].index
    limited = bounded["row"][bounded["works"] == 1]
    before = mode[limited].copy()
    mode[limited] = OFF
    try:
        yield
    finally:
        mode[limited] = before


def project_with_speeds(problem: Problem, system: System, result: InitialVelocities, scene_v: Array) -> Array:
    """(nv,) projection of the scene's velocities onto joints, motions and the start speeds that are kept."""
    # start speeds come first in `given`
    of_starts = zip(speed_rows(problem, system), result.given or [])
    trial = problem.copy()
    trial[State].mode[[row for row, given in of_starts if not given.redundant]] = ON
    trial[State].v[:] = scene_v
    trial.check(entries.assemble_velocities(trial.addresses))
    problem.evaluate_at()
    return trial.v


def nearest(
    problem: Problem,
    equations: list[VelocityRow],
    twists: dict[int, Array],
    scene_v: Array,
    largest: float,
    T: Any,
) -> InitialVelocities:
    """Set the velocities nearest to `scene_v`, in the mass norm, with all given values that can hold.

    G and Φₜ are taken at the present velocities. twists: as from `body_velocities`. largest: velocity scale.
    T: (nv, ny) motions to which the velocities are confined; None: all.
    """
    state, rows = problem[State], problem[Rows]
    projected = state.v.copy()
    space = null_space(problem, rows.level <= VELOCITY_LEVEL, T)
    # remove the rounding that the iterative projection leaves
    rate = problem.times_G(projected) + rows.phi_t
    projected -= space.to_velocity @ rate[problem.on & (rows.level <= VELOCITY_LEVEL)]
    basis = OrthonormalRows(space.dof)
    given: list[Given] = []
    kept: list[tuple[VelocityRow, Array]] = []
    L_inverse = np.linalg.inv(space.L)
    for equation in equations:
        row = equation.row @ space.N
        offset = float(equation.row @ projected)
        size = float(np.linalg.norm(L_inverse @ (equation.row if T is None else equation.row @ T)))
        is_new, value = basis.add(row, equation.value - offset, size)
        by: tuple[str, ...] = ()
        through: tuple[str, ...] = ()
        if is_new:
            kept.append((equation, row))
            value = equation.value
        else:
            value += offset
            by, through = sources(problem, equation, row, kept, space)
        conflicts = not is_new and abs(value - equation.value) > SAME_VELOCITY * largest
        name, unit = equation.name, equation.unit
        given.append(Given(name, unit, equation.value, value, not is_new, conflicts, by, through))
    target = scene_v + corrections(problem, equations, given, twists)
    y = space.N.T @ (problem.sparse_mass() @ (target - projected))
    y = y - basis.Q.T @ (basis.Q @ y) + basis.c @ basis.Q
    problem.evaluate_at(v=projected + space.N @ y)
    changed = float(np.abs(state.v - target).max(initial=0.0))
    return InitialVelocities(given, space.rank + basis.count, space.dof - basis.count, changed)


def sources(
    problem: Problem,
    equation: VelocityRow,
    row: Array,
    kept: list[tuple[VelocityRow, Array]],
    space: NullSpace,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the given velocities, and of the joints and motions, that a redundant row is a combination of.

    row, and those in `kept`: projected onto the null space.
    """
    remainder, names, length = equation.row.copy(), [], float(np.linalg.norm(row))
    if kept and length > 0.0:
        coefficients = np.linalg.lstsq(np.array([r for _, r in kept]).T, row, rcond=None)[0]
        for (earlier, r), a in zip(kept, coefficients):
            if abs(a) * np.linalg.norm(r) > SOURCE * length:
                names.append(earlier.name)
                remainder -= a * earlier.row
    rows = problem[Rows]
    on = np.flatnonzero(problem.on & (rows.level <= VELOCITY_LEVEL))
    parts: Array = np.abs((space.to_lam @ remainder)[:, None] * space.G).max(axis=1, initial=0.0)
    least = SOURCE * np.abs(equation.row).max()
    joints = [problem.names.rows[r].owner for r, part in zip(on, parts) if part > least]
    return tuple(names), tuple(dict.fromkeys(joints))


def corrections(
    problem: Problem, equations: list[VelocityRow], given: list[Given], twists: dict[int, Array]
) -> Array:
    """(nv,) change of the scene's velocities that removes dropped values of bodies, and nothing else."""
    change = {number: np.zeros(6) for number in twists}
    for equation, g in zip(equations, given):
        if g.conflicts and equation.body >= 0:
            change[equation.body][equation.component] = g.used - g.given
    parts = [
        np.linalg.pinv(twists[number], rcond=1e-12) @ twist for number, twist in change.items() if twist.any()
    ]
    return np.sum(parts, axis=0) if parts else np.zeros(problem.nv)


def largest_misfit(
    problem: Problem, system: System, starts: list[VelocityRow], bodies: list[int]
) -> tuple[float, str]:
    """Largest difference of the present velocities from a given one [m/s or rad/s], and its name."""
    markers = problem[Markers]
    misfits = [(abs(float(w.row @ problem[State].v) - w.value), w.name) for w in starts]
    for number in bodies:
        body, at = system.bodies[number], problem.names.body_marker[number]
        arm = -markers.R.reshape(-1, 3, 3)[at] @ body.mass_properties().center_of_mass
        w = markers.w[at]
        # ω × arm
        swing = w[[1, 2, 0]] * arm[[2, 0, 1]] - w[[2, 0, 1]] * arm[[1, 2, 0]]
        twist = np.concatenate([markers.v[at] + swing, w])
        for key, _, first, given in given_vectors(body):
            difference = float(np.abs(twist[first : first + 3] - given).max())
            misfits.append((difference, f'body "{body.name}" {key}'))
    return max(misfits)


def speed_rows(problem: Problem, system: System) -> list[int]:
    """Numbers of the rows of starts that give a speed."""
    joints = {joint.name: joint for joint in system.joints}
    rows = []
    for c in problem.names.coordinates:
        start = joints[problem.names.joints[c.joint].name].start if c.start_row >= 0 else None
        if start is not None and start.speed is not None:
            rows.append(c.start_row)
    return rows


def start_speeds(problem: Problem, system: System) -> list[VelocityRow]:
    """The equation of each `start.speed`."""
    names, chosen = problem.names, speed_rows(problem, system)
    if not chosen:
        return []
    trial = problem.copy()
    trial[State].mode[chosen] = ON
    trial.evaluate_at()
    G, value = trial.sparse_jacobian()[chosen].toarray(), -trial[Rows].phi_t[chosen]
    joint_of = {c.start_row: names.joints[c.joint].name for c in names.coordinates}
    return [
        VelocityRow(
            f'joint "{joint_of[r]}" start.speed', f"{names.rows[r].unit}/s", G[k].copy(), float(value[k])
        )
        for k, r in enumerate(chosen)
    ]


def body_velocities(
    problem: Problem, system: System, bodies: list[int]
) -> tuple[list[VelocityRow], dict[int, Array]]:
    """Equations of the given velocities of these bodies, and (6, nv) from v to the twist of each body.

    Twists are of the origin of the body frame, world axes; planar bodies have three components.
    """
    markers, names = problem[Markers], problem.names
    equations: list[VelocityRow] = []
    twists = {}
    for number in bodies:
        body, at = system.bodies[number], names.body_marker[number]
        record = problem[Bodies].index[names.body_index[number]]
        arm = -markers.R.reshape(-1, 3, 3)[at] @ body.mass_properties().center_of_mass
        H = twists[number] = np.zeros((6, problem.nv))
        if names.kinds[names.body_index[number]].parts:
            H += point_jacobian(problem, at)
            H[:3] += np.cross(H[3:], arm, axisa=0).T
        for k in each_motion(problem, unit_motions(problem, record)):
            H[3:, record.first_v + k] = markers.w[at]
            H[:3, record.first_v + k] = markers.v[at] + np.cross(markers.w[at], arm)
        for key, unit, first, given in given_vectors(body):
            for k, value in enumerate(given):
                # a component that this body type does not have gives no equation
                if np.abs(H[first + k]).max() > 1e-12 or value != 0.0:
                    name = f'body "{body.name}" {key} {"xyz"[k]}'
                    row = H[first + k].copy()
                    equations.append(VelocityRow(name, unit, row, float(value), number, first + k))
    return equations, twists


def given_vectors(body: Body) -> list[tuple[str, str, int, Array]]:
    """Key, unit, place in a twist and value (3,) of the velocities that the scene gives a body."""
    vectors = (("velocity", "m/s", 0, body.velocity), ("angular_velocity", "rad/s", 3, body.angular_velocity))
    keys = body.model_fields_set
    return [(key, unit, first, np.array(given, float)) for key, unit, first, given in vectors if key in keys]
