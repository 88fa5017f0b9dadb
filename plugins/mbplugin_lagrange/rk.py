"""Solver `rk`: explicit Runge-Kutta with projection; adaptive Dormand-Prince 5(4) unless told otherwise."""

from __future__ import annotations

from typing import Any, Literal

import numba
import numpy as np
from pydantic import Field, model_validator

from mbplugin.errors import PhysicsError, SceneError
from mbplugin.interface import Parameters, Positive, SolverKind
from mbplugin.interface.problem import Problem
from mbplugin.kernels.schur import FINEST
from mbplugin.tables import tape
from mbplugin.tables.groups import Elements, Functions, Markers, Measures, Rates, Rows, State
from mbplugin.tables.status import NO_PIVOT, NOT_FINITE, POSITION_JUMPS
from mbplugin_lagrange import codes, frame, places, step
from mbplugin_lagrange.store import Store
from mbplugin_lagrange.tableaus import TABLEAUS

#: share of evaluations whose constraint forces did not converge up to which that is no warning: at a singular
#: position itself there is one
FEW = 0.01
#: held steps after which one looks how far they led, and floors of the step that they should have led, each
STUCK, FAR = 2000, 100.0
#: relative residual of the constraint accelerations that is small enough for fixed steps and loose tolerances
LOOSEST = 1e-12
#: what makes an expression jump or have a kink
SWITCHING = (
    tape.ABS,
    tape.SIGN,
    tape.STEP,
    tape.MIN,
    tape.MAX,
    tape.GREATER,
    tape.GREATER_EQUAL,
    tape.SELECT,
)
RESULTS = {codes.BUSY: "busy", codes.FRAME: "frame", codes.END: "end"}


class RkParameters(Parameters):
    """Keys of `[solver]` with type = "rk"."""

    integrator: Literal["dp5", "dop853", "rk4"] = Field(
        "dp5", description="Dormand-Prince 5(4), Dormand-Prince 8(5,3), or classical RK4 of fixed step"
    )
    method: str = Field(
        "constraint_force",
        description="how accelerations and constraint forces are found; `mbplugin plugins` lists the methods",
    )
    tolerance: Positive = Field(
        1e-8, description="local error: relative, and absolute below a hundredth of the mechanism's size"
    )
    step: Positive | None = Field(None, description="fixed step of rk4, first step of the others [s]")

    @model_validator(mode="after")
    def fixed_step(self) -> RkParameters:
        if self.integrator == "rk4" and self.step is None:
            raise SceneError("step", mend='is needed by integrator = "rk4", whose step is fixed')
        return self


class Rk:
    """The integrator of one run."""

    def __init__(self, problem: Problem, params: RkParameters, start: float, end: float) -> None:
        self.problem, self.params, self.end = problem, params, end
        self.tableau = TABLEAUS[params.integrator]()
        state, s = problem[State], len(self.tableau.b)
        nx, nm, nl = len(state.aux), len(state.memory), len(problem[Measures].last)
        z = np.zeros
        q, v, x = problem.nq, problem.nv, nx
        self.store = Store(
            z(q),
            z(v),
            z(x),
            z(nm),
            z(nl),
            z(q),
            z(v),
            z(x),
            z(nm),
            z(nl),
            z((s, q)),
            z((s, v)),
            z((s, x)),
            z(q),
            z(v),
            z(x),
            z((2, q)),
            z((2, v)),
            z((2, x)),
            z(len(problem[Elements].event)),
            z(16),
            z(16, np.int64),
        )
        n = self.store.number
        n[places.T0] = n[places.T1] = n[places.STARTED] = start
        n[places.SIZE], n[places.TOLERANCE], n[places.PREVIOUS_ERROR] = (
            problem.names.size,
            params.tolerance,
            1e-4,
        )
        n[places.FIXED] = params.step if params.integrator == "rk4" else 0.0
        self.store.q1[:], self.store.v1[:], self.store.x1[:], self.store.memory1[:] = (
            state.q,
            state.v,
            state.aux,
            state.memory,
        )
        self.store.last1[:] = problem[Measures].last
        # high orders amplify noise: with 1e-3 of the tolerance, dop853 took 4 times the steps at 1e-12
        problem[Rows].goal[0] = (
            LOOSEST if n[places.FIXED] else min(LOOSEST, max(FINEST, 1e-6 * params.tolerance))
        )
        # no motion needs ten million steps: where the estimate asks for smaller ones, it measures rounding
        n[places.FLOOR] = 1e-7 * (end - start) if np.isfinite(end) else 1e-9
        self.store.count[places.REPEATED] = len(problem[Rows].level)
        self.told = self.told_unconverged = self.told_impacts = 0
        self.told_spin = False
        self.held_before, self.time_before = 0, start
        n[places.H] = params.step or self.first_step(end - start if np.isfinite(end) else 1.0)
        # here and not at the first step, where nothing could interrupt it
        step.advance.compile(
            tuple(map(numba.typeof, (problem.addresses, self.store, *self.tableau, end, end, 1)))
        )

    @property
    def time(self) -> float:
        return float(self.store.number[places.T1])

    @property
    def statistics(self) -> dict[str, float]:
        names = {
            "steps": places.STEPS,
            "rejected": places.REJECTED,
            "evaluations": places.EVALUATIONS,
            "unconverged": places.UNCONVERGED,
            "held": places.HELD,
            "events": places.EVENTS,
        }
        return {name: int(self.store.count[place]) for name, place in names.items()}

    def first_step(self, span: float) -> float:
        """A hundredth of the time in which the state would change by its own size, no more than a hundredth
        of the span.
        """
        self.check(frame.show(self.problem.addresses, self.store, *self.tableau[:3], self.time))
        self.store.count[places.EVALUATIONS] += 1
        rates = self.problem.tables[Rates]
        size, tolerance = self.problem.names.size, self.params.tolerance
        state = self.problem[State]
        scale = lambda y: tolerance * (0.01 * size + np.abs(y))
        d0 = max(
            np.max(np.abs(state.q) / scale(state.q), initial=0.0),
            np.max(np.abs(state.v) / scale(state.v), initial=0.0),
        )
        d1 = max(
            np.max(np.abs(rates.q_dot) / scale(state.q), initial=0.0),
            np.max(np.abs(rates.v_dot) / scale(state.v), initial=0.0),
        )
        return float(min(0.01 * span, 0.01 * d0 / d1 if d0 > 1e-5 and d1 > 1e-5 else 1e-6 * span, span))

    def check(self, status: int) -> None:
        if status == NOT_FINITE:
            raise self.stopped(codes.DIVERGED)
        if status == NO_PIVOT:
            t = float(self.problem[State].time[0])
            raise PhysicsError(f"t = {t:.9g} s: the constraints have no usable pivot; {self.suspect()}")
        if status == POSITION_JUMPS:
            raise self.jumped()
        self.problem.check(status)

    def advance(self, until: float, frame: float, work: int) -> str:
        code = step.advance(self.problem.addresses, self.store, *self.tableau, until, frame, work)
        if code in RESULTS:
            self.watch_progress()
            return RESULTS[code]
        if code == codes.FAILED:
            self.check(int(self.store.count[places.STATUS]))
        raise self.stopped(code)

    def stopped(self, code: int) -> Exception:
        """Why the physics cannot go on, or which plugin's function gave no number."""
        t = float(self.problem[State].time[0])
        blamed = self.problem.not_finite()
        if blamed is not None:
            return blamed
        what = "the motion diverges" if code == codes.DIVERGED else "the step has become too small"
        driven = code != codes.DIVERGED and any(c.motion_row >= 0 for c in self.problem.names.coordinates)
        where = (
            "; `mbplugin analyze SCENE kinematic` tells whether the mechanism can follow its motions so far"
            if driven
            else ""
        )
        return PhysicsError(f"{what}: {self.suspect()}{where}", time=t)

    def suspect(self) -> str:
        """The body that moves fastest, and what to try."""
        names = self.problem.names
        v = np.abs(self.problem[Markers].v[names.body_point]).max(axis=1) if names.bodies else np.zeros(0)
        v = np.where(np.isfinite(v), v, np.inf)
        name = (
            f'body "{names.bodies[int(np.argmax(v))]}" moves fastest ({v.max():.3g} m/s)'
            if len(v)
            else "there is no body"
        )
        mend = (
            "try a smaller `step`"
            if self.params.integrator == "rk4"
            else "check masses, stiffnesses and joints there, or try a smaller `tolerance`"
        )
        return f"{name}; {mend}"

    def show(self, time: float) -> None:
        self.check(frame.show(self.problem.addresses, self.store, *self.tableau[:3], time))

    def noise(self) -> str:
        """Why the error of a step does not fall with its length."""
        if not np.isin(self.problem[Functions].ops[:, 0], SWITCHING).any():
            return "the error estimate is rounding noise (a singular position at this tolerance)"
        return (
            "a shorter step makes the error no smaller: an expression of the motion (if, step, sign, abs, min, max) jumps or has a kink there, or the position is "
            "singular"
        )

    def watch_progress(self) -> None:
        """Raises PhysicsError where steps are held again and again without getting anywhere."""
        held, t = int(self.store.count[places.HELD]), self.time
        if held < self.held_before + STUCK:
            return
        if t - self.time_before < STUCK * FAR * self.store.number[places.FLOOR]:
            smooth = (
                "; smooth what jumps, such as tanh(rate/slip) in the place of sign(rate)"
                if "jumps" in self.noise()
                else "; try a larger `tolerance`"
            )
            raise PhysicsError(
                f"{self.noise()}. {held - self.held_before} steps led only {t - self.time_before:.2g} s ahead{smooth}",
                time=t,
            )
        self.held_before, self.time_before = held, t

    def messages(self) -> list[tuple[float, str, str]]:
        """What has happened since last asked: (time, level, text)."""
        held = int(self.store.count[places.HELD])
        found = []
        if held > self.told:
            t = float(self.store.number[places.HELD_TIME])
            text = f"t = {t:.9g} s: {self.noise()}; the step was held and accepted above the tolerance {held - self.told} times"
            found.append((t, "warning", text))
            self.told = held
        return [*found, *self.unconverged(), *self.impacts(), *self.spin()]

    def unconverged(self) -> list[tuple[float, str, str]]:
        """Constraint forces that the passes did not find to the last digits."""
        count = int(self.store.count[places.UNCONVERGED])
        if count <= self.told_unconverged:
            return []
        text = (
            f"t <= {self.time:.9g} s: {count - self.told_unconverged} evaluations ended with a residual of the constraint accelerations of up to "
            f"{self.store.number[places.WORST_RESIDUAL]:.1e}, scaled; rows that nearly repeat each other cause this: see `mbplugin check`"
        )
        few = count <= FEW * self.store.count[places.EVALUATIONS]
        self.told_unconverged = count
        return [(self.time, "info" if few else "warning", text)]

    def impacts(self) -> list[tuple[float, str, str]]:
        """Motions whose speed has changed at once."""
        count = int(self.store.count[places.IMPACTS])
        if count <= self.told_impacts:
            return []
        more = (
            f", {count - self.told_impacts} times since the last message"
            if count - self.told_impacts > 1
            else ""
        )
        self.told_impacts = count
        t = float(self.store.number[places.IMPACT_TIME])
        return [
            (
                t,
                "info",
                f"t = {t:.9g} s: the speed of a motion jumps{more}: bodies follow by an impulse, whose work counts",
            )
        ]

    def jumped(self) -> PhysicsError:
        """The motion that jumps from one position to another."""
        rows, names = self.problem[Rows], self.problem.names
        row = int(np.argmax(np.abs(np.where((rows.active == 1) & (rows.level == 0), rows.phi, 0.0))))
        name, unit = next(
            ((c.name, c.unit) for c in names.coordinates if c.motion_row == row),
            (str(names.rows[row].owner), names.rows[row].unit),
        )
        mend = "which needs an infinite speed; use haversine_step(time, x0, h0, x1, h1), or give its velocity"
        return PhysicsError(
            f'the motion of "{name}" jumps by {abs(rows.phi[row]):.4g} {unit}, {mend}',
            time=float(self.problem[State].time[0]),
        )

    def spin(self) -> list[tuple[float, str, str]]:
        """The angle that turned too far in one step, told once."""
        store = self.store
        if not store.count[places.SPUN] or self.told_spin:
            return []
        self.told_spin = True
        measure, h = int(self.store.count[places.SPUN]) - 1, float(store.number[places.SPIN_STEP])
        rate, t = float(store.number[places.SPIN]) / h, float(store.number[places.SPIN_TIME])
        name = next(
            (c.name for c in self.problem.names.coordinates if c.measure == measure),
            "an angle of a force or coupling",
        )
        text = (
            f"t = {t:.9g} s: {name} turns at {rate:.4g} rad/s, which is {rate * h:.3g} rad in a step of {h:.3g} s, more than half a turn: full turns may be "
            f"counted wrongly; steps below {np.pi / rate:.3g} s are safe (a smaller `tolerance`, or `step` of rk4)"
        )
        return [(t, "warning", text)]

    def save(self) -> dict[str, Any]:
        return {name: np.array(array) for name, array in self.store._asdict().items() if name[0] != "k"}

    def load(self, saved: dict[str, Any]) -> None:
        for name, array in saved.items():
            getattr(self.store, name)[...] = array
        self.store.count[places.FRESH] = 0
        self.told, self.told_unconverged = (
            int(self.store.count[places.HELD]),
            int(self.store.count[places.UNCONVERGED]),
        )
        self.held_before, self.time_before = self.told, self.time
        self.told_impacts = int(self.store.count[places.IMPACTS])


class RungeKutta(SolverKind):
    """Explicit Runge-Kutta methods on the index-1 form, with position and velocity projection after each
    accepted step.
    """

    name = "rk"
    parameters = RkParameters

    @classmethod
    def fixed_step(cls, params: Any) -> float | None:
        return params.step if params.integrator == "rk4" else None

    @staticmethod
    def start(problem: Problem, params: Any, start: float, end: float) -> Any:
        return Rk(problem, params, start, end)
