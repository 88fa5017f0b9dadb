"""Given initial velocities: which of them can hold, which repeat others, and the velocities that follow. Runs
and the velocity analysis both go by it.

Joints and motions come first, then the speeds of `start`s, then `velocity` and `angular_velocity` of bodies
in the scene's order. With G N = 0 and Nᵀ M N = 1, a given value b·v = s is a row Nᵀb over what joints and
motions leave free; the rows are made orthogonal to those before them (Gram and Schmidt, twice). One of which
nothing is left repeats them, and they tell the value that it must have; a given value that differs is
dropped. The rest follows by

    min ½ (v − w)ᵀ M (v − w),   G v = −Φₜ,   b·v = s of all that are kept

with w what the scene says of each body (0 where it says nothing).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mbplugin.analysis.rank.null_space import NullSpace, null_space
from mbplugin.errors import SceneError
from mbplugin.interface.problem import Problem
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.tables.groups import Bodies, Functions, Markers, Rows, State
from mbplugin.tables.records import VELOCITY_LEVEL
from mbplugin.tables.spec import Array

#: part of a row that is not rounding; difference of values, relative to the largest, that is none;
#: coefficient that says something
REST, SAME, PART = 1e-9, 1e-8, 1e-7
#: velocities up to which given ones are sorted in any case, and up to which where they do not fit
LISTED, LARGEST = 300, 900
#: change of a given velocity, relative to the largest, that is none
KEPT = 1e-9
#: passes at most, and change of the velocities, relative to the largest, after which there is none
PASSES, ROUNDING = 12, 1e-13
#: joints that a text names
NAMED = 4


@dataclass(frozen=True)
class Given:
    """One given velocity: what it is of, the value given, the value used, and whether earlier rows hold it
    already.

    by: the given velocities before it that tell its value; through: the joints and motions over which they
    do.
    """

    name: str
    unit: str
    given: float
    used: float
    redundant: bool
    conflicts: bool
    by: tuple[str, ...] = ()
    through: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        return "kept" if not self.redundant else "conflicts, dropped" if self.conflicts else "repeats, agrees"

    @property
    def source(self) -> str:
        """What gives it already; "" where nothing does."""
        if not self.redundant:
            return ""
        more = f" and {len(self.through) - NAMED} more" if len(self.through) > NAMED else ""
        joints = ", ".join(self.through[:NAMED]) + more
        if not self.by:
            return f"already held by {joints or 'the kind of the body'}"
        return f"already given by {' and '.join(self.by)}" + (f" through {joints}" if joints else "")

    def __str__(self) -> str:
        if self.conflicts:
            return f"{self.name}: given {self.given:.7g} {self.unit}, but {self.used:.7g} {self.unit} follows, {self.source}; the given value is not used"
        return (
            f"{self.name} = {self.given:.7g} {self.unit} is redundant: {self.source}"
            if self.redundant
            else f"{self.name} = {self.used:.7g} {self.unit}"
        )


@dataclass(frozen=True)
class Wanted:
    """A given velocity as a row: row (nv,) · v = value. body: its number in the scene, and `part` 0 to 5 of
    linear and angular velocity; -1 for starts.
    """

    name: str
    unit: str
    row: Array
    value: float
    body: int = -1
    part: int = -1


@dataclass(frozen=True)
class Found:
    """given: in the order in which they were taken. rank: of all rows together, free: freedoms that nothing
    gives (None, -1: not looked into).

    changed: by how much velocities differ from what the scene says [m/s or rad/s].
    """

    given: list[Given] | None
    rank: int
    free: int
    changed: float


class Basis:
    """Orthonormal rows Q and their values c:  Q y = c."""

    def __init__(self, n: int) -> None:
        self.room, self.values, self.count = np.zeros((n, n)), np.zeros(n), 0

    @property
    def Q(self) -> Array:
        return self.room[: self.count]

    @property
    def c(self) -> Array:
        return self.values[: self.count]

    def add(self, row: Array, value: float, size: float) -> tuple[bool, float]:
        """Whether the row is new beside its whole `size` (then it is taken), and the value that it has."""
        a, rest = np.zeros(self.count), row
        for _ in range(2):
            part = self.Q @ rest
            a, rest = a + part, rest - part @ self.Q
        left = float(np.linalg.norm(rest))
        if left <= REST * size or self.count == len(self.room):
            return False, float(a @ self.c)
        self.room[self.count], self.values[self.count] = rest / left, (value - a @ self.c) / left
        self.count += 1
        return True, value


def initial_velocities(problem: Problem, system: System, whole: bool = False) -> Found:
    """Sets the velocities of the assembled position; rows of starts are inactive and stay so. whole: sort the
    given ones even in a large model.

    Prescribed rates of joints and motions that contradict each other are the caller's business. Raises
    SceneError for a large model whose given velocities do not fit.
    """
    state = problem[State]
    wished = state.v.copy()
    problem.check(entries.assemble_velocities(problem.addresses))
    projected, starts = state.v.copy(), start_speeds(problem, system)
    rates = [
        float(np.abs(x).max(initial=0.0)) for x in (wished, problem[Rows].phi_t, [w.value for w in starts])
    ]
    largest = max(1e-300, *rates)
    bodies = [
        number
        for number, body in enumerate(system.bodies)
        if {"velocity", "angular_velocity"} & body.model_fields_set
    ]
    if not whole and not starts and not bodies:
        return Found([], -1, -1, float(np.abs(projected - wished).max(initial=0.0)))
    off, what = misfit(problem, system, starts, bodies) if starts or bodies else (0.0, "")
    fits = off <= KEPT * largest
    if problem.nv > LISTED and not whole:
        if fits:
            return Found(None, -1, -1, float(np.abs(projected - wished).max(initial=0.0)))
        if problem.nv > LARGEST:
            mend = f"differs by {off:.3g} from what the joints allow; models of more than {LARGEST} velocities need given ones that fit. Correct it, or leave it out"
            raise system.locate(SceneError("velocity", what, mend))
    of_bodies, twists = body_velocities(problem, system, bodies)
    for _ in range(PASSES):
        before = state.v.copy()
        found = nearest(problem, [*starts, *of_bodies], twists, wished, largest)
        # where functions of rates decide velocities, G follows v, and this is Newton's method
        if (
            not problem[Functions].partial.by_rate.any()
            or np.abs(state.v - before).max(initial=0.0) <= ROUNDING * largest
        ):
            break
    sparse = projected if fits else with_speeds(problem, system, found, wished)
    # the same to what is asked of given values, without what a choice among repeated values amplifies, and
    # with zeros that are exact
    if fits or np.abs(sparse - state.v).max(initial=0.0) <= KEPT * largest:
        state.v[:] = sparse
        problem.check(entries.evaluate(problem.addresses))
        return replace(found, changed=float(np.abs(sparse - wished).max(initial=0.0)))
    return found


def with_speeds(problem: Problem, system: System, found: Found, wished: Array) -> Array:
    """The velocities nearest to the wished ones with the speeds of starts that are kept, as the engine
    projects.
    """
    state, rows = problem[State], problem[Rows]
    now, before = state.v.copy(), rows.active.copy()
    kept = [row for row, one in zip(speed_rows(problem, system), found.given or []) if not one.redundant]
    rows.active[kept] = 1
    state.v[:] = wished
    problem.check(entries.assemble_velocities(problem.addresses))
    sparse = state.v.copy()
    rows.active[:], state.v[:] = before, now
    problem.check(entries.evaluate(problem.addresses))
    return sparse


def nearest(
    problem: Problem, wanted: list[Wanted], twists: dict[int, Array], wished: Array, largest: float
) -> Found:
    """Sets the velocities with all wanted values that can hold which are nearest to the wished ones, with G
    and Φₜ as they are at the present velocities.
    """
    state, rows = problem[State], problem[Rows]
    projected = state.v.copy()
    free = null_space(problem, rows.level <= VELOCITY_LEVEL)
    # what the iteration leaves is rounding, and goes as well
    rate = problem.sparse_jacobian() @ projected + rows.phi_t
    projected -= free.to_velocity @ rate[(rows.active == 1) & (rows.level <= VELOCITY_LEVEL)]
    basis, found = Basis(free.N.shape[1]), []
    kept: list[tuple[Wanted, Array]] = []
    inverse = np.linalg.inv(free.L)
    for one in wanted:
        row = one.row @ free.N
        offset = float(one.row @ projected)
        new, value = basis.add(row, one.value - offset, float(np.linalg.norm(inverse @ one.row)))
        if new:
            kept.append((one, row))
        value = one.value if new else value + offset
        conflicts = not new and abs(value - one.value) > SAME * largest
        found.append(
            Given(
                one.name,
                one.unit,
                one.value,
                value,
                not new,
                conflicts,
                *(() if new else sources(problem, one, row, kept, free)),
            )
        )
    wished = wished + corrections(problem, wanted, found, twists)
    y = free.N.T @ problem.mass(state.q.copy()) @ (wished - projected)
    y = y - basis.Q.T @ (basis.Q @ y) + basis.c @ basis.Q
    state.v[:] = projected + free.N @ y
    problem.check(entries.evaluate(problem.addresses))
    return Found(
        found,
        free.rank + basis.count,
        free.N.shape[1] - basis.count,
        float(np.abs(state.v - wished).max(initial=0.0)),
    )


def sources(
    problem: Problem, one: Wanted, row: Array, kept: list[tuple[Wanted, Array]], free: NullSpace
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the given velocities, and of the joints and motions, that a redundant row is a combination of."""
    rest, names, length = one.row.copy(), [], float(np.linalg.norm(row))
    if kept and length > 0.0:
        parts = np.linalg.lstsq(np.array([r for _, r in kept]).T, row, rcond=None)[0]
        for (earlier, r), a in zip(kept, parts):
            if abs(a) * np.linalg.norm(r) > PART * length:
                names.append(earlier.name)
                rest -= a * earlier.row
    rows = problem[Rows]
    active = np.flatnonzero((rows.active == 1) & (rows.level <= VELOCITY_LEVEL))
    size: Array = np.abs((free.to_lam @ rest)[:, None] * free.G).max(axis=1, initial=0.0)
    joints = [problem.names.rows[r].owner for r, s in zip(active, size) if s > PART * np.abs(one.row).max()]
    return tuple(names), tuple(dict.fromkeys(joints))


def corrections(
    problem: Problem, wanted: list[Wanted], found: list[Given], twists: dict[int, Array]
) -> Array:
    """(nv,) what dropped values of bodies are to be changed by, so that nothing is left of them; what the
    body has besides stays.
    """
    change = {number: np.zeros(6) for number in twists}
    for w, g in zip(wanted, found):
        if g.conflicts and w.body >= 0:
            change[w.body][w.part] = g.used - g.given
    parts = [
        np.linalg.pinv(twists[number], rcond=1e-12) @ twist for number, twist in change.items() if twist.any()
    ]
    return np.sum(parts, axis=0) if parts else np.zeros(problem.nv)


def misfit(problem: Problem, system: System, starts: list[Wanted], bodies: list[int]) -> tuple[float, str]:
    """By how much the present velocities miss a given one at most [m/s or rad/s], and its name."""
    markers = problem[Markers]
    worst: list[tuple[float, str]] = [
        (abs(float(w.row @ problem[State].v) - w.value), w.name) for w in starts
    ]
    for number in bodies:
        body, at = system.bodies[number], problem.names.body_point[number]
        arm = -markers.R.reshape(-1, 3, 3)[at] @ body.mass_properties().center_of_mass
        v, w = markers.v[at] + np.cross(markers.w[at], arm), markers.w[at]
        for key, now, wished in (
            ("velocity", v, body.velocity),
            ("angular_velocity", w, body.angular_velocity),
        ):
            if key in body.model_fields_set:
                worst.append(
                    (float(np.abs(now - np.asarray(wished, float)).max()), f'body "{body.name}" {key}')
                )
    return max(worst)


def speed_rows(problem: Problem, system: System) -> list[int]:
    """Rows of starts that give a speed: those that count where velocities are looked at."""
    named = {joint.name: joint for joint in system.joints}
    found = []
    for c in problem.names.coordinates:
        start = named[problem.names.joints[c.joint].name].start if c.start_row >= 0 else None
        if start is not None and start.speed is not None:
            found.append(c.start_row)
    return found


def start_speeds(problem: Problem, system: System) -> list[Wanted]:
    """Each `start.speed`."""
    rows, names = problem[Rows], problem.names
    chosen = speed_rows(problem, system)
    if not chosen:
        return []
    before = rows.active.copy()
    rows.active[chosen] = 1
    problem.check(entries.evaluate(problem.addresses))
    G, value = problem.sparse_jacobian()[chosen].toarray(), -rows.phi_t[chosen]
    rows.active[:] = before
    problem.check(entries.evaluate(problem.addresses))
    name = lambda r: next(
        f'joint "{names.joints[c.joint].name}" start.speed' for c in names.coordinates if c.start_row == r
    )
    return [
        Wanted(name(r), f"{names.rows[r].unit}/s", G[k].copy(), float(value[k])) for k, r in enumerate(chosen)
    ]


def body_velocities(
    problem: Problem, system: System, bodies: list[int]
) -> tuple[list[Wanted], dict[int, Array]]:
    """Each component of a given velocity of these bodies: of the body frame's origin, world axes; planar
    bodies have three. And (6, nv) from v to each body's twist.
    """
    state, markers, found = problem[State], problem[Markers], []
    now, twists = state.v.copy(), {}
    for number in bodies:
        body, index, at = (
            system.bodies[number],
            problem.names.body_index[number],
            problem.names.body_point[number],
        )
        keys = {"velocity", "angular_velocity"} & body.model_fields_set
        v0, nv = problem[Bodies].index[index][["first_v", "nv"]]
        arm = -markers.R.reshape(-1, 3, 3)[at] @ body.mass_properties().center_of_mass
        H = np.zeros((6, problem.nv))
        for k in range(v0, v0 + nv):
            state.v[:] = 0.0
            state.v[k] = 1.0
            problem.check(entries.evaluate(problem.addresses))
            H[3:, k] = markers.w[at]
            H[:3, k] = markers.v[at] + np.cross(markers.w[at], arm)
        twists[number] = H
        parts: list[tuple[str, str, int, Any]] = (
            [("velocity", "m/s", 0, body.velocity)] if "velocity" in keys else []
        )
        if "angular_velocity" in keys:
            parts.append(("angular_velocity", "rad/s", 3, body.angular_velocity))
        for key, unit, first, given in parts:
            for k, value in enumerate(np.asarray(given, float)):
                # a component that this kind of body does not have is no row
                if np.abs(H[first + k]).max() > 1e-12 or value != 0.0:
                    found.append(
                        Wanted(
                            f'body "{body.name}" {key} {"xyz"[k]}',
                            unit,
                            H[first + k].copy(),
                            float(value),
                            number,
                            first + k,
                        )
                    )
    state.v[:] = now
    problem.check(entries.evaluate(problem.addresses))
    return found, twists
