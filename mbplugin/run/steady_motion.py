"""A search for steady motions: positions at which accelerations are those of a steady rotation.

Joint coordinates s keep their rates, and their second derivatives vanish; of motions that no coordinate
measures, velocities are those nearest to the rigid motion u + Ω × x of the start, and

    s̈(q, v(q)) = 0,   P (v̇ − W v) = 0,   ẋ = 0

is solved by Newton's method for the position and inner states (W: `analysis/equilibrium/steady.py`). What
these do not determine, as the angle of an axle, stays as it is. The motion is steady if they still hold some
way along it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mbplugin.analysis.equilibrium.resting_states import Scaled
from mbplugin.analysis.equilibrium.steady import rigid_motion, turning
from mbplugin.analysis.forces_report import ForcesReport
from mbplugin.analysis.rank.null_space import body_twists, coordinate_rates, null_space
from mbplugin.analysis.report import States, table
from mbplugin.errors import PhysicsError, SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.interface.body import deforms
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.run.linear_chart import Chart
from mbplugin.run.linear_modes import modes_of
from mbplugin.run.operating_point import OperatingPoint
from mbplugin.run.variations import Tangents, reach
from mbplugin.tables.groups import Bearings, Bodies, Bounded, Markers, Rows
from mbplugin.tables.records import ACCELERATION_LEVEL, LOWER, ON, UPPER
from mbplugin.tables.spec import Array

#: steps of Newton's method, halvings of one, largest motion of one [sizes or rad]
STEPS, HALVINGS, STRIDE = 100, 30, 0.25
#: steps of differences [sizes or rad; relative to 1 + |x|]
DIFFERENCE = 1e-4
#: change of the unknowns that ends it, and that is a solution where it does not become smaller
CONVERGED, SOLVED = 1e-13, 1e-8
#: way along the motion after which it still has to be steady [sizes or rad], and what may be left there
AHEAD, STEADY = 0.05, 1e-5
#: eigenvalues, relative to the largest, that count as none
SOFT = 1e-9
#: exchanges of rows with bounds, and how far one may be beyond its law [largest force; sizes or rad]
EXCHANGES, BEYOND = 50, 1e-9
#: real part of a mode, relative to the largest, that is no growth
GROWING = 1e-6
#: what is told where nothing can move
LOCKED = "static analysis about a motion: the mobility is 0, so the motion is given; see `kinematic`"


@dataclass(kw_only=True, repr=False)
class SteadyReport(ForcesReport):
    """A steady motion. moved, position, velocity: of the bodies; spin: (3,) angular velocity of the frame in
    which it stands still [rad/s]; growth: largest real part of a mode about it [1/s], None without modes.
    """

    what: ClassVar[str] = "static"
    bodies: list[str]
    moved: Array
    position: Array
    velocity: Array
    steps: int
    spin: Array
    dof: int
    stable: bool = False
    growth: float | None = None

    def lines(self) -> list[str]:
        text = [f"steady motion after {self.steps} Newton steps"]
        if self.growth is not None:
            kind = "stable"
            if not self.stable:
                kind = "not stable: disturbances grow; a start beside it may lead to another"
            text.append(f"the motion is {kind} (largest real part of a mode {self.growth:.6g} 1/s)")
        rows = zip(self.bodies, self.position.tolist(), self.velocity.tolist(), self.moved.tolist())
        columns = ["body", "x [m]", "y [m]", "z [m]", "vx [m/s]", "vy [m/s]", "vz [m/s]", "moved [m]"]
        text += table(columns, [(name, *x, *v, moved) for name, x, v, moved in rows])
        return text + self.tables_of_forces() + self.messages

    def as_dict(self) -> dict[str, object]:
        found = zip(self.bodies, self.position, self.velocity, self.moved)
        return {
            "bodies": {n: {"position": x, "velocity": v, "moved": m} for n, x, v, m in found},
            **self.forces_as_dict(),
            "steps": self.steps,
            "spin": self.spin,
            "stable": self.stable,
            "growth": self.growth,
            "messages": self.messages,
        }


class SteadyMotion:
    """The search from an operating point that moves; the point is at the steady motion afterwards."""

    def __init__(self, point: OperatingPoint, system: System, spin: Array | None) -> None:
        """spin: (3,) angular velocity of the frame [rad/s]; None: that of the bodies. Raises SceneError,
        PhysicsError.
        """
        self.point, self.problem = point, point.problem
        problem = self.problem
        tangents = Tangents.of(point, True, LOCKED)
        point.at(point.q, point.v)
        self.drift, self.spin = rigid_motion(problem, spin)
        infos = problem.names.coordinates
        self.chart = Chart.of(point, tangents.N_v, tangents.M, range(len(infos)))
        self.rates = point.base.rate[self.chart.coordinates].copy()
        if not given_velocities(system):
            # what has no given rate stands still
            started = {joint.name for joint in system.joints if joint.start and joint.start.speed is not None}
            for k, number in enumerate(self.chart.coordinates):
                if problem.names.joints[infos[number].joint].name not in started:
                    self.rates[k] = 0.0
        if len(self.chart.P):
            self.refuse_deforming()

    def refuse_deforming(self) -> None:
        """Raises SceneError where a motion that no coordinate measures may be one that deforms."""
        names = self.problem.names
        for number, (kind, row) in enumerate(zip(names.kinds, self.problem[Bodies].index)):
            if deforms(kind, int(row.kind_v)):
                mend = f'body "{names.body(number)}" deforms, and no coordinate measures how'
                raise SceneError("--about", "motion", f"{mend}; run the scene until its motion is steady")

    def velocities(self, q: Array) -> Array:
        """v(q) (nv,): joints and motions hold, coordinates have their rates, the rest is nearest to the rigid
        motion.
        """
        point, problem = self.point, self.problem
        point.at(q, np.zeros(problem.nv))
        free = null_space(problem, problem[Rows].level < ACCELERATION_LEVEL)
        rows = point.velocity_rows
        v = -free.to_velocity @ problem[Rows].phi_t[rows]
        chosen, P = self.chart.coordinates, self.chart.P
        rates = coordinate_rates(problem, np.column_stack([free.N, v]))[chosen]
        T, right = [rates[:, :-1]], [self.rates - rates[:, -1]]
        if len(P):
            M = problem.mass(q)
            T.append(P @ free.N)
            right.append(P @ (free.N @ (free.N.T @ (M @ (self.rigid_velocities() - v)))))
        return np.asarray(v + free.N @ np.linalg.lstsq(np.vstack(T), np.concatenate(right), rcond=None)[0])

    def rigid_velocities(self) -> Array:
        """(nv,) of bodies that move as u + Ω × x at the present position, evaluated."""
        problem = self.problem
        twists = body_twists(problem, np.eye(problem.nv)).reshape(-1, problem.nv)
        x = problem[Markers].x[problem.names.body_marker]
        wanted = np.hstack([self.drift + np.cross(self.spin, x), np.tile(self.spin, (len(x), 1))]).ravel()
        return np.asarray(np.linalg.lstsq(twists, wanted, rcond=None)[0])

    def residual(self, q: Array, x: Array) -> Array:
        """s̈, P (v̇ − W v) and ẋ at a position with inner states x."""
        point = self.point
        aux = point.aux.copy()
        aux[point.inner] = x
        v = self.velocities(q)
        found = point.evaluate(q, v, aux, point.memory)
        parts = [found.rate_dot[self.chart.coordinates], found.x_dot]
        if len(self.chart.P):
            S, C = turning(self.problem, self.spin)
            parts.insert(1, self.chart.P @ (found.v_dot - (S - C) @ v))
        return np.concatenate(parts)

    def moved(self, q: Array, dq: Array) -> Array:
        self.point.at(q, self.point.v)
        self.problem.move_to(q, dq)
        self.problem.close_positions()
        return np.asarray(self.problem.q)

    def solve(self) -> int:
        """Steps along accelerations while they are large, then Newton's method; returns the number of steps.
        Raises PhysicsError.
        """
        point = self.point
        q, x = point.q, point.aux[point.inner]
        before = np.inf
        for count in range(STEPS):
            point.q, point.v = q, self.velocities(q)
            N = Tangents.of(point, True, None).N
            if not N.shape[1] + len(x):
                # rows that hold leave nothing
                self.finish(q, x)
                return count
            unit = np.concatenate([1.0 / reach(point, N), 1.0 + np.abs(x)])
            r, n = self.residual(q, x), N.shape[1]

            def at(step: Array, q: Array = q, x: Array = x, N: Array = N, n: int = n) -> tuple[Array, Array]:
                return self.moved(q, N @ step[:n]), x + step[n:]

            columns = []
            for k in range(len(unit)):
                h = DIFFERENCE * np.eye(len(unit))[k]
                ends = [self.residual(*at(part * unit * h)) for part in (1.0, -1.0, 2.0, -2.0)]
                columns.append((8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12.0 * DIFFERENCE))
            J = np.array(columns).T
            newton = Scaled(J)
            step = newton.solve(-r)
            size = float(np.abs(step).max(initial=0.0))
            uphill = False
            if not len(x):
                point.at(q, point.v)
                to_motions = np.linalg.inv(self.states_of(N))
                down = downhill(to_motions @ J / unit, to_motions @ r) / unit
                # where Newton's method is near, it goes to stable motions alone
                uphill = float(np.abs(down - step).max(initial=0.0)) > 0.1 * size
                step = down if uphill else step
                size = float(np.abs(step).max(initial=0.0))
            if size <= CONVERGED or (size <= SOLVED and size >= 0.5 * before):
                self.finish(q, x)
                if (np.abs(r) > SOLVED * newton.rows).any():
                    break
                return count
            before, part = size, min(1.0, STRIDE / size)
            for _ in range(HALVINGS):
                q_next, x_next = at(part * unit * step)
                r_next = self.residual(q_next, x_next)
                if uphill:
                    # as long as accelerations still point along the step
                    good = (to_motions @ r_next) @ (unit * step) >= -0.5 * ((to_motions @ r) @ (unit * step))
                else:
                    left = np.abs(newton.solve(r_next)).max(initial=0.0)
                    good = bool(left <= (1.0 - 0.25 * part) * size)
                if good:
                    break
                part *= 0.5
            else:
                break
            q, x = q_next, x_next
        raise PhysicsError(
            "static analysis about a motion found no steady motion: start nearer to it, or run the scene "
            "until its motion is steady"
        )

    def states_of(self, N: Array) -> Array:
        """(n, n) rates of the chart's states for motions N, at the present state, evaluated."""
        rates = coordinate_rates(self.problem, N)[self.chart.coordinates]
        return np.vstack([rates, self.chart.P @ N])

    def finish(self, q: Array, x: Array) -> None:
        """Put the point to a position, its velocities and inner states."""
        point = self.point
        point.q, point.v = q, self.velocities(q)
        point.aux[point.inner] = x
        for name, array in (("q", q), ("v", point.v), ("aux", point.aux)):
            point.put(point.saved, name, array)
        point.begin()

    def exchange(self) -> bool:
        """Let the row with bounds that is farthest beyond its law hold, or let it go, at the motion found.
        Returns whether there is one.
        """
        point, problem = self.point, self.problem
        index, lam, phi = problem[Bounded].index, problem[Rows].lam, problem[Rows].phi
        mode, worst, row, after = point.saved["mode1"], 0.0, -1, 0
        largest = max(float(np.abs(lam).max(initial=0.0)), float(np.abs(problem[Bodies].h).max(initial=0.0)))
        for one in index[index.partner < 0]:
            factor = problem[Bearings].pressure[one.bearing] if one.bearing >= 0 else 1.0
            if mode[one.row] == ON:
                low, high = factor * one.holds_from - lam[one.row], lam[one.row] - factor * one.holds_to
                beyond, then = max(low, high) / (largest + 1e-300), LOWER if low > high else UPPER
            elif mode[one.row] == LOWER and one.gap == 1:
                beyond, then = -phi[one.row] / problem.row_units[one.row], ON
            else:
                continue
            if beyond > max(worst, BEYOND):
                worst, row, after = float(beyond), int(one.row), then
        if row >= 0:
            point.put(point.saved, "mode", np.where(np.arange(len(mode)) == row, after, mode))
            point.at(point.q, point.v)
            problem.close_positions()
            point.q = problem.q
        return row >= 0

    def check(self) -> None:
        """Raises PhysicsError where a run does not go on steadily."""
        point = self.point
        point.at(point.q, point.v)
        fastest = float(reach(point, point.v[:, None])[0])
        if not fastest > 0.0:
            return
        point.advance(AHEAD / fastest)
        found = point.shown()
        parts = [found.rate_dot[self.chart.coordinates], found.x_dot]
        if len(self.chart.P):
            S, C = turning(self.problem, self.spin)
            parts.append((found.v_dot - (S - C) @ found.v) / self.problem.names.size)
        point.begin()
        if np.abs(np.concatenate(parts)).max(initial=0.0) > STEADY * max(fastest**2, 1.0):
            raise PhysicsError(
                "static analysis about a motion: accelerations vanish at one position, and not along the "
                "motion: it is not steady; coordinates that are to stand still need a rate of 0"
            )


def downhill(J: Array, r: Array) -> Array:
    """The step y of J y = −r with −|λ| for the eigenvalues λ of the symmetric part of J (n, n): along
    accelerations r. What has no stiffness stays.
    """
    values, vectors = np.linalg.eigh(0.5 * (J + J.T))
    size = np.abs(values)
    inverse = np.where(size > SOFT * size.max(initial=0.0), 1.0 / np.maximum(size, 1e-300), 0.0)
    return np.asarray(vectors @ (inverse * (vectors.T @ r)))


def steady_motion(system: System, registry: Registry, spin: Array | None) -> tuple[SteadyReport, Problem]:
    """The steady motion found from the start, without forces in its report; and the problem, in that state.
    Raises SceneError, PhysicsError.
    """
    point = OperatingPoint(system, registry, moving=True)
    before = point.problem[Markers].x[point.problem.names.body_marker].copy()
    search = SteadyMotion(point, system, spin)
    steps = search.solve()
    for _ in range(EXCHANGES):
        if not search.exchange():
            break
        steps += search.solve()
    search.check()
    report = report_of(search, steps, before)
    report.stable = True
    if Tangents.of(point, True, None).N_v.shape[1]:
        s = np.array([mode.s for mode in modes_of(point.problem, point, True, search.spin).modes])
        report.growth = float(s.real.max())
        report.stable = bool(report.growth <= GROWING * np.abs(s).max())
    point.begin()
    return report, point.problem


def given_velocities(system: System) -> bool:
    """Whether a body has a given velocity."""
    return any(np.any(body.velocity) or np.any(body.angular_velocity) for body in system.bodies)


def report_of(search: SteadyMotion, steps: int, before: Array) -> SteadyReport:
    """The report without forces; before: (bodies, 3) positions at the start."""
    problem, point = search.problem, search.point
    markers, names = problem[Markers], problem.names
    x, v = markers.x[names.body_marker].copy(), markers.v[names.body_marker].copy()
    one = States(
        np.array([point.integrator.time]),
        point.q[None].copy(),
        point.v[None].copy(),
        point.base.v_dot[None].copy(),
        problem[Rows].lam[None].copy(),
    )
    return SteadyReport(
        states=one,
        bodies=names.bodies,
        moved=np.linalg.norm(x - before, axis=1),
        position=x,
        velocity=v,
        steps=steps,
        spin=search.spin,
        dof=search.chart.along.shape[1],
    )
