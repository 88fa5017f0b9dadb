"""What an integrator has to say while it steps: held steps, unconverged solves, jumps, fast turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.errors import PhysicsError
from mbplugin.tables import tape
from mbplugin.tables.groups import Functions

#: share of unconverged evaluations up to which they are no warning: at a singular position itself there is one
FEW = 0.01
#: held steps after which progress is checked, and how many floors of the step each should have led
STUCK, FAR = 2000, 100.0
#: operations that make an expression jump or have a kink
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

Message = tuple[float, str, str]


@dataclass
class Told:
    """Counts of what has been told already."""

    time: float  # when held steps were last checked [s]
    checked: int = 0  # held steps then
    held: int = 0
    unconverged: int = 0
    impacts: int = 0
    turned: bool = False

    @classmethod
    def at(cls, integrator: Any) -> Told:
        """All that has happened so far is told."""
        step = integrator.step
        held = int(step.held)
        return cls(integrator.time, held, held, int(step.unconverged), int(step.impacts))


def since(integrator: Any) -> list[Message]:
    """What has happened since last asked: (time, level, text)."""
    return [*held(integrator), *unconverged(integrator), *impacts(integrator), *turns(integrator)]


def noise(integrator: Any) -> str:
    """Why the error of a step does not fall with its length."""
    if not np.isin(integrator.problem[Functions].ops[:, 0], SWITCHING).any():
        return "the error estimate is rounding noise (a singular position at this tolerance)"
    return (
        "a shorter step makes the error no smaller: an expression of the motion (if, step, sign, abs, min, max) "
        "jumps or has a kink there, or the position is singular"
    )


def watch(integrator: Any) -> None:
    """Raises PhysicsError where steps are held again and again without getting anywhere."""
    told, now, t = integrator.told, int(integrator.step.held), integrator.time
    if now < told.checked + STUCK:
        return
    if t - told.time < STUCK * FAR * integrator.step.floor:
        if "jumps" in noise(integrator):
            mend = "smooth what jumps, such as tanh(rate/slip) in the place of sign(rate)"
        else:
            mend = "try a larger `tolerance`"
        text = f"{noise(integrator)}. {now - told.checked} steps led only {t - told.time:.2g} s ahead; {mend}"
        raise PhysicsError(text, time=t)
    told.checked, told.time = now, t


def held(integrator: Any) -> list[Message]:
    """Steps that were accepted above the tolerance."""
    told, step = integrator.told, integrator.step
    count = int(step.held) - told.held
    if count <= 0:
        return []
    told.held += count
    t = float(step.held_time)
    text = f"t = {t:.9g} s: {noise(integrator)}; the step was held and accepted above the tolerance {count} times"
    return [(t, "warning", text)]


def unconverged(integrator: Any) -> list[Message]:
    """Constraint accelerations that the passes did not find to the last digits."""
    told, step = integrator.told, integrator.step
    count = int(step.unconverged)
    if count <= told.unconverged:
        return []
    text = (
        f"t <= {integrator.time:.9g} s: {count - told.unconverged} evaluations ended with a residual of the constraint "
        f"accelerations of up to {step.worst_residual:.1e}, scaled; rows that nearly repeat each other cause this: see "
        "`mbplugin check`"
    )
    told.unconverged = count
    return [(integrator.time, "info" if count <= FEW * step.evaluations else "warning", text)]


def impacts(integrator: Any) -> list[Message]:
    """Motions whose speed has jumped."""
    told, step = integrator.told, integrator.step
    count = int(step.impacts) - told.impacts
    if count <= 0:
        return []
    told.impacts += count
    t = float(step.impact_time)
    times = f", {count} times since the last message" if count > 1 else ""
    text = (
        f"t = {t:.9g} s: the speed of a motion jumps{times}: bodies follow by an impulse, whose work counts"
    )
    return [(t, "info", text)]


def turns(integrator: Any) -> list[Message]:
    """The first angle that turned too far in one step."""
    told, step = integrator.told, integrator.step
    if not step.turned or told.turned:
        return []
    told.turned = True
    h, t = float(step.turn_step), float(step.turn_time)
    rate = float(step.turn) / h
    measure = int(step.turned) - 1
    coordinates = integrator.problem.names.coordinates
    name = next((c.name for c in coordinates if c.measure == measure), "an angle of a force or coupling")
    text = (
        f"t = {t:.9g} s: {name} turns at {rate:.4g} rad/s, which is {rate * h:.3g} rad in a step of {h:.3g} s, more "
        f"than half a turn: full turns may be counted wrongly; steps below {np.pi / rate:.3g} s are safe (a smaller "
        "`tolerance`, or `step` of rk4)"
    )
    return [(t, "warning", text)]
