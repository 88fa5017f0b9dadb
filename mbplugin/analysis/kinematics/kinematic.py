"""Kinematic analysis: the motion that joints and motions determine by themselves.

nk rows of joints and nd of motions hold nv velocities. Each position follows from the one before by Newton's
method (`kernels/sweep.py`); no mass and no force plays a part in it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numba
import numpy as np

from mbplugin.analysis.phrases import joint_key
from mbplugin.analysis.rank.null_space import name_motions, null_space
from mbplugin.analysis.report import Report, States, table
from mbplugin.analysis.singular.reach import limit
from mbplugin.analysis.singular.singular import MAX_WATCHED_ROWS
from mbplugin.errors import PhysicsError, SceneError, listed, refuse_beyond_memory
from mbplugin.kernels import sweep
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows
from mbplugin.tables.spec import Array

#: bisections of the time at which motions lead out of reach
MAX_HALVINGS = 45
#: values below this part of the largest in their column are shown as 0
ROUNDING_OF_COLUMN = 1e-11


@dataclass
class Count:
    """Velocities, rows of joints and of motions, and the rank of all of them."""

    nv: int
    joint_rows: int
    motion_rows: int
    rank: int


@dataclass(kw_only=True, repr=False)
class KinematicReport(Report):
    """states: q, v, v̇ at all times. pose: as from `poses`."""

    what: ClassVar[str] = "kinematic"
    count: Count
    states: States
    pose: Array
    bodies: list[str]
    steps: Array
    cpu_seconds: float

    def body(self, name: str) -> dict[str, Array]:
        """position, axes, velocity, angular_velocity, acceleration, angular_acceleration of a body's mass
        centre over the times.
        """
        p = self.pose[:, self.bodies.index(name)]
        return {
            "position": p[:, :3],
            "axes": p[:, 3:12].reshape(-1, 3, 3),
            "velocity": p[:, 12:15],
            "angular_velocity": p[:, 15:18],
            "acceleration": p[:, 18:21],
            "angular_acceleration": p[:, 21:],
        }

    def lines(self) -> list[str]:
        c, t = self.count, self.states.time
        norm = lambda k, start: np.linalg.norm(self.pose[:, k, start : start + 3], axis=1).max()
        travel = lambda k: np.ptp(self.pose[:, k, :3], axis=0).max()
        largest = np.array(
            [(travel(k), norm(k, 12), norm(k, 15), norm(k, 18), norm(k, 21)) for k in range(len(self.bodies))]
        )
        largest[largest < ROUNDING_OF_COLUMN * largest.max(axis=0)] = 0.0
        rows = [(name, *values) for name, values in zip(self.bodies, largest.tolist())]
        return [
            f"{c.nv} velocities, {c.joint_rows} rows of joints, {c.motion_rows} of motions, rank {c.rank}: "
            "the motion is determined",
            f"{len(t)} positions from t = {t[0]:.6g} s to {t[-1]:.6g} s, {self.steps.mean():.2f} Newton "
            f"steps each, at most {self.steps.max()}",
            f"processor time {1e3 * self.cpu_seconds:.3g} ms",
            *table(["body", "travel [m]", "speed [m/s]", "[rad/s]", "acceleration [m/s2]", "[rad/s2]"], rows),
            *self.messages,
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            **vars(self.count),
            "time": self.states.time,
            "bodies": {name: self.body(name) for name in self.bodies},
            "newton_steps": self.steps,
            "cpu_seconds": self.cpu_seconds,
            "messages": self.messages,
        }


def kinematic(problem: Problem, system: System, times: Array, forces: bool) -> KinematicReport:
    """The motion at these times, from an assembled state at the first. forces: whether λ is computed too,
    which needs the masses of all bodies; otherwise it is NaN.

    Raises SceneError where motions are missing or too many, PhysicsError where the mechanism cannot be closed
    or is locked.
    """
    found = counted(problem, system)
    states, steps, cpu = swept(problem, times, forces)
    if not forces:
        states.lam[:] = np.nan  # it was found with placeholder masses and means nothing
    pose = poses(problem, states)
    return KinematicReport(
        count=found,
        states=states,
        pose=pose,
        bodies=problem.names.bodies,
        steps=steps,
        cpu_seconds=cpu,
        messages=leaps(problem, times, pose),
    )


def motion_rows(problem: Problem) -> list[int]:
    """Rows of the motions that act."""
    on = problem.on
    return [r for c in problem.names.coordinates for r in c.motion_rows if on[r]]


def counted(problem: Problem, system: System) -> Count:
    """Rows and rank at the present position. Raises SceneError that names motions that are missing or too
    many.
    """
    for k, motion in enumerate(system.motions):
        if motion.level > 0:
            mend = (
                "gives a rate, and positions do not follow from rates alone; "
                f'give "{motion.coordinate}" as a function of time'
            )
            raise system.locate(SceneError(f"motion[{k}].{motion.key}", motion.expression, mend))
    for coordinate in problem.names.coordinates:
        if (problem[Rows].level[coordinate.motion_rows] > 0).any():
            joint = problem.names.joints[coordinate.joint].name
            mend = (
                f'drives "{coordinate.name}" by a rate, and positions do not follow from rates alone; '
                "give it as a function of time"
            )
            raise system.locate(SceneError(joint_key(system, joint), joint, mend))
    problem.evaluate_at()
    driven = motion_rows(problem)
    on = np.ones(problem.nc, bool)
    whole = null_space(problem)
    count = Count(problem.nv, int(problem.on.sum()) - len(driven), len(driven), whole.rank)
    missing, many = problem.nv - whole.rank, []
    on[driven] = False
    before = null_space(problem, on).rank
    if whole.rank - before < len(driven):
        for row in driven:
            on[row] = True
            after = null_space(problem, on).rank
            if after == before:
                many.append(problem.names.rows[row].owner.removesuffix(" motion"))
            before = after
    if missing or many:
        raise system.locate(wrong_number(problem, system, missing, many, whole.N))
    return count


def wrong_number(problem: Problem, system: System, missing: int, many: list[str], N: Array) -> SceneError:
    """How many motions are missing or too many, and which."""
    parts = []
    if many:
        parts.append(
            f"{len(many)} too many: what drives {listed(many)} is held already by the joints and the "
            "other motions; leave out what repeats"
        )
    if missing:
        coordinates, sentences = name_motions(problem, N)
        drive = f"drive {listed(coordinates)}" if coordinates else ""
        hold = "add a joint or motion that holds what no joint coordinate shows: " if sentences else ""
        hold += "; ".join(sentences[:3])
        remedy = " and ".join(p for p in (drive, hold) if p)
        count = f"{missing} {'freedom is' if missing == 1 else 'freedoms are'}"
        parts.append(f"{count} left without a motion; {remedy}")
    return SceneError("motion", f"{len(system.motions)} given", ". ".join(parts))


def swept(problem: Problem, times: Array, forces: bool) -> tuple[States, Array, float]:
    """q, v, v̇ and λ at the times, the Newton steps of each, and processor seconds. Raises PhysicsError."""
    n = len(times)
    numbers = 2 + problem.nq + 2 * problem.nv + problem.nc + 24 * len(problem.names.bodies)
    refuse_beyond_memory("--positions", n, 8.0 * n * numbers, "ask for fewer")
    room = lambda k: np.zeros((n, k))
    states = States(
        np.array(times, float), room(problem.nq), room(problem.nv), room(problem.nv), room(problem.nc)
    )
    steps = np.zeros(n, np.int64)
    arguments = (
        problem.addresses,
        states.time,
        problem.names.size,
        int(forces),
        states.q,
        states.v,
        states.v_dot,
        states.lam,
        steps,
    )
    sweep.sweep.compile(tuple(map(numba.typeof, arguments)))
    start = time.process_time()
    status, done, worst = sweep.sweep(*arguments)
    cpu = time.process_time() - start
    problem.check(status)
    if done < n:
        raise stuck(problem, states.time, done, worst, states.q)
    if not (np.isfinite(states.v_dot).all() and np.isfinite(states.lam).all()):
        k = int(np.argmin(np.isfinite(states.v_dot).all(axis=1) & np.isfinite(states.lam).all(axis=1)))
        problem.set_state(float(states.time[k]), states.q[k], states.v[k])
        raise problem.not_finite() or PhysicsError(
            "accelerations are not numbers; look for a singular configuration", time=float(states.time[k])
        )
    return states, steps, cpu


def poses(problem: Problem, states: States) -> Array:
    """(n, bodies, 24) at n states: position, axes row by row, velocity, angular velocity, and the rates of
    both.
    """
    at = np.array(problem.names.body_marker)
    pose = np.zeros((len(states.time), len(at), 24))
    problem.check(sweep.show(problem.addresses, states.time, at, states.q, states.v, states.v_dot, pose))
    return pose


def stuck(problem: Problem, times: Array, k: int, worst: float, found: Array) -> PhysicsError:
    """Why no position (or no velocity) was found at times[k]. found: (n, nq) positions before it."""
    expression = problem.expression_without_value(slice(0, 3))
    if expression is not None:
        return expression
    t, rows, names = float(times[k]), problem[Rows], problem.names
    since = f"; the last position found is at t = {times[k - 1]:.6g} s" if k else ""
    if not worst <= sweep.CLOSE_ENOUGH:
        residual = problem.position_residuals()
        what, mend = (
            "the mechanism cannot be closed",
            "the motions lead out of its reach; limit them, or use more positions",
        )
    else:
        residual = np.where(
            problem.on, np.abs(problem.times_G(problem.v) + rows.phi_t) / problem.row_units, 0.0
        )
        what, mend = (
            "the mechanism is locked: no velocity follows the motions",
            "this is a singular configuration; limit the motions, or drive another coordinate",
        )
    residual = np.where(np.isfinite(residual), residual, np.inf)
    owners = list(
        dict.fromkeys(
            names.rows[r].owner for r in np.argsort(-residual)[:3] if residual[r] > 0.1 * residual.max()
        )
    )
    end = ""
    if k and problem.nc <= MAX_WATCHED_ROWS:
        end = limit(problem, *last_reached(problem, float(times[k - 1]), t, found[k - 1]))
    return PhysicsError(
        f"no feasible solution: {what} at {listed(owners)}{since}; {mend}{f'. {end}' if end else ''}", time=t
    )


def last_reached(problem: Problem, before: float, after: float, q: Array) -> tuple[float, Array]:
    """The last time [s] at which a position is found, and that position, by bisection between two times; q:
    the position at the first.
    """
    none = np.zeros(problem.nv)
    for _ in range(MAX_HALVINGS):
        middle = 0.5 * (before + after)
        problem.set_state(before, q, none)
        rooms = [np.zeros((1, n)) for n in (problem.nq, problem.nv, problem.nv, problem.nc)]
        times, steps = np.array([middle]), np.zeros(1, np.int64)
        status, done, _ = sweep.sweep(problem.addresses, times, problem.names.size, 0, *rooms, steps)
        if status == 0 and done:
            before, q = middle, rooms[0][0]
        else:
            after = middle
    return before, q


def leaps(problem: Problem, times: Array, pose: Array) -> list[str]:
    """A message if a body moved farther between two positions than its velocities explain: another way to
    close the same loop was found.
    """
    dt = np.diff(times)[:, None, None]
    if len(times) < 20:
        return []
    gone = np.diff(pose[:, :, :3], axis=0)
    defect = np.linalg.norm(gone - 0.5 * dt * (pose[1:, :, 12:15] + pose[:-1, :, 12:15]), axis=2).max(axis=1)
    k = int(np.argmax(defect))
    if defect[k] <= 0.05 * problem.names.size:
        return []
    when = f"between t = {times[k]:.6g} s and {times[k + 1]:.6g} s"
    return [
        f"{when} a body leaps by {defect[k]:.3g} m: use more positions, or look for a position where two "
        "assembly branches meet"
    ]
