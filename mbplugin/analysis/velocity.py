"""Velocity analysis: which of the given initial velocities can hold, and the velocities that follow.

Rows are taken one after another: joints and motions, the speeds of `start`s, then the velocities of bodies in the scene's order. With y = Lᵀ v (M = L Lᵀ)
each is made orthogonal to those before it (Gram and Schmidt, twice); one of which nothing is left repeats them, and they tell the value that it must have.
A given value that differs is dropped: the earlier ones hold. What no row holds stays 0, so the kinetic energy is the least possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.report import Report, table
from mbplugin.errors import SceneError
from mbplugin.interface.problem import Problem
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.tables.groups import Bodies, Points, Rows, State
from mbplugin.tables.spec import Array

#: part of a row that is not rounding; difference of values, relative to the largest, that is none
REST, SAME = 1e-9, 1e-8


@dataclass(frozen=True)
class Given:
    """One given velocity: what it is of, the value given, the value used, and whether earlier rows hold it already."""

    name: str
    unit: str
    given: float
    used: float
    redundant: bool
    conflicts: bool

    @property
    def state(self) -> str:
        return "kept" if not self.redundant else "conflicts, dropped" if self.conflicts else "repeats, agrees"


@dataclass(kw_only=True)
class VelocityReport(Report):
    """rank: of the rows of joints, motions and given velocities together; free: velocities that nothing gives, left at the least energy."""

    what: ClassVar[str] = "velocity"
    rows: int
    rank: int
    free: int
    given: list[Given]
    bodies: list[str]
    velocity: Array
    angular_velocity: Array
    residual: float

    def lines(self) -> list[str]:
        found = [f"{self.rows} rows of joints, motions and given velocities, rank {self.rank}; {self.free} freedoms have no given velocity"]
        dropped = [g for g in self.given if g.conflicts]
        found += [f"{g.name}: given {g.given:.7g} {g.unit}, but {g.used:.7g} {g.unit} follows from what comes before it; it is dropped" for g in dropped]
        if self.given:
            found += table(["given velocity", "unit", "given", "used", "state"], [(g.name, g.unit, g.given, g.used, g.state) for g in self.given])
        moving = [(n, *v, *w) for n, v, w in zip(self.bodies, self.velocity.tolist(), self.angular_velocity.tolist())]
        found += table(["body", "vx [m/s]", "vy", "vz", "wx [rad/s]", "wy", "wz"], moving)
        return [*found, f"worst residual of a rate {self.residual:.1e} of the largest", *self.messages]

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows, "rank": self.rank, "free": self.free, "residual": self.residual,
            "given": [{"name": g.name, "unit": g.unit, "given": g.given, "used": g.used, "state": g.state} for g in self.given],
            "bodies": {n: {"velocity": v, "angular_velocity": w} for n, v, w in zip(self.bodies, self.velocity, self.angular_velocity)},
            "messages": self.messages,
        }  # fmt: skip


class Basis:
    """Orthonormal rows Q and their values c:  Q y = c."""

    def __init__(self, n: int) -> None:
        self.Q, self.c = np.zeros((0, n)), np.zeros(0)

    def add(self, row: Array, value: float) -> tuple[bool, float]:
        """Whether the row is new (then it is taken), and the value that it has."""
        size = float(np.linalg.norm(row))
        a, rest = np.zeros(len(self.Q)), row
        for _ in range(2):
            part = self.Q @ rest
            a, rest = a + part, rest - part @ self.Q
        left = float(np.linalg.norm(rest))
        if left <= REST * size or size == 0.0:
            return False, float(a @ self.c)
        self.Q = np.vstack([self.Q, rest / left])
        self.c = np.append(self.c, (value - a @ self.c) / left)
        return True, value


def velocity(problem: Problem, system: System) -> VelocityReport:
    """Initial velocities at the present, closed position; they are left in the problem's state. Raises SceneError where joints and motions contradict each other."""
    words, rows, state = problem.words, problem[Rows], problem[State]
    starts = [c.start_row for c in words.coordinates if c.start_row >= 0]
    rows.active[starts] = 1
    state.v[:] = 0.0
    problem.check(entries.evaluate_terms(problem.addresses))
    L = np.linalg.cholesky(problem.mass(state.q.copy()))
    to_y = lambda row: np.linalg.solve(L, row)
    G, value = problem.jacobian(), -rows.phi_t
    largest = float(np.abs(value).max(initial=0.0))
    basis, count, contradictions = Basis(problem.nv), 0, []
    for r in np.flatnonzero((rows.active == 1) & (rows.level <= 1)):
        if r in starts:
            continue
        count += 1
        new, must = basis.add(to_y(G[r]), float(value[r]))
        if not new and abs(must - value[r]) > SAME * max(largest, 1e-300):
            contradictions.append((words.rows[r].owner, float(value[r]), must))
    if contradictions:
        owner, wanted, must = contradictions[0]
        mend = f"asks for the rate {wanted:.6g}, but the joints and motions before it make it {must:.6g}; leave one of them out"
        raise system.locate(SceneError("motion" if owner.endswith(" motion") else "joint", owner, mend))
    found = []
    for name, unit, row, wanted in [*start_speeds(problem, system, G, value), *body_velocities(problem, system)]:
        count += 1
        new, must = basis.add(to_y(row), wanted)
        largest = max(largest, abs(wanted))
        found.append(Given(name, unit, wanted, must, not new, not new and abs(must - wanted) > SAME * max(largest, 1e-300)))
    rows.active[starts] = 0
    state.v[:] = np.linalg.solve(L.T, basis.c @ basis.Q)
    problem.check(entries.evaluate_terms(problem.addresses))
    at, points = words.body_point, problem[Points]
    rates = (problem.sparse_jacobian() @ state.v + rows.phi_t)[(rows.active == 1) & (rows.level <= 1)]
    rank = len(basis.c)
    return VelocityReport(
        rows=count, rank=rank, free=problem.nv - rank, given=found, bodies=words.bodies, velocity=points.v[at].copy(),
        angular_velocity=points.w[at].copy(), residual=float(np.abs(rates).max(initial=0.0) / max(np.abs(state.v).max(initial=0.0), largest, 1e-300)),
    )  # fmt: skip


Row = tuple[str, str, Array, float]


def start_speeds(problem: Problem, system: System, G: Array, value: Array) -> list[Row]:
    """Name, unit, row and value of each `start.speed`."""
    named = {joint.name: joint for joint in system.joints}
    found = []
    for c in problem.words.coordinates:
        joint = named[problem.words.joints[c.joint].name]
        if c.start_row >= 0 and joint.start is not None and joint.start.speed is not None:
            found.append((f'joint "{joint.name}" start.speed', f"{c.unit}/s", G[c.start_row].copy(), float(value[c.start_row])))
    return found


def body_velocities(problem: Problem, system: System) -> list[Row]:
    """Name, unit, row and value of each component of a given velocity: of the body frame's origin, world axes; planar bodies have three."""
    state, points, found = problem[State], problem[Points], []
    for body, number, at in zip(system.bodies, problem.words.body_index, problem.words.body_point):
        keys = {"velocity", "angular_velocity"} & body.model_fields_set
        if not keys:
            continue
        v0, nv = problem[Bodies].row[number][[1, 3]]
        arm = -points.R.reshape(-1, 3, 3)[at] @ body.mass_properties().center_of_mass
        H = np.zeros((6, problem.nv))
        for k in range(v0, v0 + nv):
            state.v[:] = 0.0
            state.v[k] = 1.0
            problem.check(entries.evaluate_terms(problem.addresses))
            H[3:, k] = points.w[at]
            H[:3, k] = points.v[at] + np.cross(points.w[at], arm)
        state.v[:] = 0.0
        problem.check(entries.evaluate_terms(problem.addresses))
        parts: list[tuple[str, str, Array, Any]] = [("velocity", "m/s", H[:3], body.velocity)] if "velocity" in keys else []
        if "angular_velocity" in keys:
            parts.append(("angular_velocity", "rad/s", H[3:], body.angular_velocity))
        for key, unit, block, given in parts:
            for axis, row, value in zip("xyz", block, np.asarray(given, float)):
                # a component that this kind of body does not have is no row
                if np.abs(row).max() > 1e-12 or value != 0.0:
                    found.append((f'body "{body.name}" {key} {axis}', unit, row.copy(), float(value)))
    return found
