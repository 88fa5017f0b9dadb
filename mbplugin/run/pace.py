"""Steps of a run to its end, what limits them where they are many, and motions that frames or fixed steps do
not follow. All of it follows from counts of steps, so that it is the same on any machine.

An explicit step h follows a rate s [1/s] only while h s is small: the spin of a body, and f''/f' and f'/f of
the expressions of time. If none of them limits the steps, the body with the largest error of a step is named.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.errors import MbpluginError
from mbplugin.model.expression import MOVING
from mbplugin.run.integrator import Stepping
from mbplugin.stepping import entries
from mbplugin.tables import tape
from mbplugin.tables.groups import Bodies, Functions, Markers, State
from mbplugin.tables.spec import Array

#: steps to the end of which something is told if they can be avoided, and in any case
LONG, MANY = 1e5, 1e6
#: evaluations after which the pace is looked at; then after twice as many, and so on
WINDOW = 20_000
#: step times rate below which a rate does not limit the step
SMALL = 0.01
#: times at which expressions are looked at, and their distance in steps; times over a run of fixed steps
SAMPLES, APART, FEW_SAMPLES = 400, 0.25, 16
#: periods of a motion between two frames that hardly are meant; angle in a fixed step that is too large [rad]
PERIODS, UNFOLLOWED = 10.0, 1.0


class Pace:
    """Steps of a run against simulated time. frames: of the run."""

    def __init__(self, integrator: Any, frames: int) -> None:
        self.frames = frames
        self.time, self.steps = integrator.time, int(integrator.statistics["steps"])  # at the last look
        self.next = 0  # evaluations at the next one
        self.told = False

    def room(self, evaluations: int) -> int:
        """Evaluations that are left until the next look."""
        return max(1, self.next - evaluations)

    def look(self, integrator: Any, end: float) -> str:
        """A warning, once, where the end is many steps away, or where a motion is too fast; else ""."""
        evaluations, first = int(integrator.statistics["evaluations"]), self.next == 0
        if evaluations < self.next:
            return ""
        self.next = max(self.next, WINDOW)
        while self.next <= evaluations:
            self.next *= 2
        if first:
            self.told = bool(text := self.before(integrator, end))
            return text
        steps, now = int(integrator.statistics["steps"]), float(integrator.time)
        taken, advanced = steps - self.steps, now - self.time
        self.time, self.steps = now, steps
        text = "" if self.told or now >= end else self.ahead(integrator, end, taken, advanced)
        self.told = self.told or bool(text)
        return f"t = {now:.6g} s: {text}" if text else ""

    def before(self, integrator: Any, end: float) -> str:
        """A motion that fixed steps do not follow; else ""."""
        if is_fixed(integrator) and of_time(integrator.problem):
            return limit_of(integrator, functools.partial(unfollowed, end))
        return ""

    def ahead(self, integrator: Any, end: float, taken: int, advanced: float) -> str:
        """Time ahead for a run that has advanced so far [s] in the steps taken since the last look."""
        if taken == 0 or not advanced > 0.0:
            return f"no end in sight: no step ends; {limit_of(integrator)}"
        h = advanced / taken
        left = (end - integrator.time) / h
        if left < LONG:
            return ""
        apart = end / max(self.frames - 1, 1)
        steps = f"{left:.2g} steps of {h:.2g} s to the end"
        if text := limit_of(integrator, lambda integrator, _: faster_than_frames(apart, integrator, h)):
            return f"{steps}, limited by {text}"
        return f"{steps}; {limit_of(integrator)}" if left >= MANY else ""


@dataclass
class Limit:
    """A possible reason of short steps: a rate [1/s], and a text that says what it is and the mend."""

    rate: float
    text: str
    what: str = ""  # the text without the mend


def is_fixed(integrator: Any) -> bool:
    return isinstance(integrator, Stepping) and bool(integrator.control.fixed)


def limit_of(integrator: Any, describe: Callable[[Any, float], str] | None = None) -> str:
    """What limits the step now, and the mend; the run goes on as if nobody had looked.

    describe: what is asked instead, of the integrator and the length of its step
    """
    if not isinstance(integrator, Stepping):
        return "" if describe else "its solver does not say why"
    step, reported, saved = integrator.step, integrator.reported, integrator.save()
    h = float(step.t1 - step.t0) or float(step.h)
    try:
        with np.errstate(all="ignore"):
            integrator.show(integrator.time)
            return (describe or described)(integrator, h)
    except (MbpluginError, np.linalg.LinAlgError):
        return "" if describe else f"its steps have {h:.2g} s"
    finally:
        integrator.load(saved)
        integrator.reported = reported


def described(integrator: Any, h: float) -> str:
    problem = integrator.problem
    if integrator.control.fixed:
        return f"its steps of fixed length have {h:.2g} s: choose a longer `step`"
    found = [*spin(problem), *motions(problem, steps_from(integrator.time, h))]
    largest = max(found, key=lambda limit: limit.rate, default=Limit(0.0, ""))
    if h * largest.rate > SMALL:
        return f"steps of {h:.2g} s are limited by {largest.text}"
    if name := largest_error(integrator):
        return (
            f'steps of {h:.2g} s: the error of body "{name}" is the largest; look for a stiff force, a tiny '
            'inertia or nearly singular joints there, take type = "galpha", or try a larger `tolerance`'
        )
    return f"steps of {h:.2g} s: {integrator.suspect()}"


def unfollowed(end: float, integrator: Any, h: float) -> str:
    """A motion that fixed steps do not follow; "" if there is none."""
    h, now = float(integrator.control.fixed), integrator.time
    span = end - now if np.isfinite(end) else SAMPLES * h
    times = now + span * (np.arange(FEW_SAMPLES) * 0.618 % 1.0)
    found = [m for m in motions(integrator.problem, times) if h * m.rate > UNFOLLOWED]
    if not found:
        return ""
    return (
        f"steps of {h:.2g} s do not follow {found[0].what}: choose a `step` below "
        f"{0.1 * UNFOLLOWED / found[0].rate:.1g} s, or lower it"
    )


def faster_than_frames(apart: float, integrator: Any, h: float) -> str:
    """A motion with many periods between two frames, `apart` [s], which makes the steps short; "" if there is
    none.
    """
    found = [m for m in motions(integrator.problem, steps_from(integrator.time, h)) if h * m.rate > SMALL]
    if not found or found[0].rate * apart <= 2 * np.pi * PERIODS:
        return ""
    periods = found[0].rate * apart / (2 * np.pi)
    return f"{found[0].what}, {periods:.2g} periods from one frame to the next: lower it, or shorten `end`"


def steps_from(time: float, h: float) -> Array:
    """(SAMPLES,) times over many steps of length h."""
    return time + APART * h * np.arange(SAMPLES)


def spin(problem: Any) -> list[Limit]:
    """The fastest rotation of a body."""
    names = problem.names
    if not names.bodies:
        return []
    w = np.linalg.norm(problem[Markers].w[names.body_marker], axis=1)
    k = int(np.argmax(w))
    text = (
        f'the spin of body "{names.bodies[k]}", {w[k]:.3g} rad/s: each turn takes some twenty steps; check '
        "its angular velocity, or shorten `end`"
    )
    return [Limit(float(w[k]), text)]


def of_time(problem: Any) -> list[tuple[str, Any]]:
    """Text and record of the functions that depend on time alone."""
    functions = problem[Functions]
    codes = lambda row: functions.ops[row.start : row.stop, 0]
    return [
        (text, row)
        for (_, text), row in zip(problem.names.functions, functions.index)
        if tape.TIME in codes(row) and not np.isin(codes(row), list(MOVING)).any()
    ]


def motions(problem: Any, times: Array) -> list[Limit]:
    """The fastest expression of time: of the smaller one of f''/f' and f'/f over these times."""
    functions, state, rows = problem[Functions], problem[State], of_time(problem)
    if not rows:
        return []
    u = np.zeros((len(times), len(rows), 3))
    now = float(state.time[0])
    for k, at in enumerate(times):
        state.time[0] = at
        entries.evaluate_rates(problem.addresses)
        u[k] = [functions.u[row.target] for _, row in rows]
    state.time[0] = now
    size = 0.5 * np.ptp(u, axis=0)  # (functions, 3)
    rates = np.minimum(size[:, 1] / size[:, 0], size[:, 2] / size[:, 1])
    rates = np.where(np.isfinite(rates), rates, 0.0)
    k = int(np.argmax(rates))
    what = f'the frequency of the expression "{rows[k][0]}", about {rates[k] / (2 * np.pi):.3g} Hz'
    return [Limit(float(rates[k]), f"{what}: lower it, or shorten `end`", what)]


def largest_error(integrator: Any) -> str:
    """The body whose velocities have the largest error estimate; "" if the solver has none."""
    problem = integrator.problem
    if not integrator.kind.velocity_error:
        return ""
    error = np.abs(getattr(problem[integrator.own], integrator.kind.velocity_error)[: problem.nv])
    if not len(error) or not np.isfinite(error).all():
        return ""
    place = int(np.argmax(error))
    number = int(np.searchsorted(problem[Bodies].index.first_v, place, side="right")) - 1
    if problem.folded is not None and (links := problem.folded.links_of(number)):
        rates = np.cumsum([link.rates for link in links])
        place -= int(problem[Bodies].index.first_v[number])
        return links[int(np.searchsorted(rates, place, side="right"))].body
    names = problem.names
    return names.body(number) if number in {*names.body_index, *names.rotors} else ""
