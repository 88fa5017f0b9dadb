"""Messages of an integrator: steps above the tolerance, unconverged solves, jumps, fast turns, warnings by
forces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.errors import PhysicsError
from mbplugin.problem.names import WarningForce
from mbplugin.tables import tape
from mbplugin.tables.groups import Bodies, Functions, Step
from mbplugin.tables.records import StepRecord

#: fraction of unconverged evaluations that is no warning yet: a singular position itself causes one
FEW = 0.01
#: residual, relative to the accelerations that the forces alone would give, that is rounding
ROUNDING = 1e-13
#: a count is reported again when it has grown by this factor
AGAIN = 10
#: held steps after which progress is checked, and their required mean length in units of `Step.record.floor`
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
#: numbers of the fields of the record that count what is reported; all are 0 in most runs
COUNTS = [StepRecord._fields.index(name) for name in ("held", "unconverged", "impacts", "turned")]

Message = tuple[float, str, str]


@dataclass
class Reported:
    """Counts of what has been reported already."""

    time: float  # last check of held steps [s]
    checked: int = 0  # held steps at that time
    held: int = 0
    unconverged: int = 0
    impacts: int = 0
    turned: bool = False
    forces: set[str] = field(default_factory=set)  # whose warnings are reported

    @classmethod
    def at(cls, integrator: Any) -> Reported:
        """Everything so far counts as reported."""
        step = integrator.step
        held = int(step.held)
        forces = {force.name for force, _ in warnings_of_forces(integrator.problem)}
        counts = held, held, int(step.unconverged), int(step.impacts)
        return cls(integrator.time, *counts, forces=forces)


def since(integrator: Any) -> list[Message]:
    """Messages since the last call: (time, level, text)."""
    of_forces = forces(integrator)
    if not integrator.counts[COUNTS].any():
        return of_forces
    return [*of_forces, *held(integrator), *unconverged(integrator), *impacts(integrator), *turns(integrator)]


def noise(integrator: Any) -> str:
    """Why the error of a step does not decrease with its length."""
    if not np.isin(integrator.problem[Functions].ops[:, 0], SWITCHING).any():
        return "the error estimate is rounding noise (a singular configuration at this tolerance)"
    return (
        "a shorter step does not reduce the error: an expression of the motion (if, step, sign, abs, "
        "min, max) jumps or has a kink there, or the configuration is singular"
    )


def watch(integrator: Any) -> None:
    """Raises PhysicsError if steps are held repeatedly without progress."""
    reported, now, t = integrator.reported, int(integrator.counts[COUNTS[0]]), integrator.time
    if now < reported.checked + STUCK:
        return
    if t - reported.time < STUCK * FAR * integrator.step.floor:
        if "jumps" in noise(integrator):
            mend = "smooth the jump, for example tanh(rate/slip) instead of sign(rate)"
        else:
            mend = "try a larger `tolerance`"
        steps = now - reported.checked
        text = f"{noise(integrator)}. {steps} steps advanced only {t - reported.time:.2g} s; "
        text += integrator.or_else(mend)
        raise PhysicsError(text, time=t)
    reported.checked, reported.time = now, t


def held(integrator: Any) -> list[Message]:
    """Message about steps accepted above the tolerance."""
    reported, step = integrator.reported, integrator.step
    count = int(step.held)
    if count <= reported.held or count < AGAIN * reported.held:
        return []
    reported.held = count
    t = float(step.held_time)
    text = f"t = {t:.9g} s: {noise(integrator)}; {count} steps so far were accepted above the tolerance"
    return [(t, "warning", text)]


def unconverged(integrator: Any) -> list[Message]:
    """Message about constraint accelerations that did not converge to the goal."""
    reported, step = integrator.reported, integrator.step
    count = int(step.unconverged)
    if count <= reported.unconverged or count < AGAIN * reported.unconverged:
        return []
    problem = integrator.problem
    possible = float(np.linalg.norm(problem.solve_mass_root(problem[Bodies].h)))
    if step.worst_residual <= ROUNDING * possible:
        return []  # at rest, where the accelerations are rounding themselves
    text = (
        f"t <= {integrator.time:.9g} s: {count} evaluations so far ended with a scaled residual of the "
        f"constraint accelerations of up to {step.worst_residual:.1e}; nearly redundant rows cause this: see "
        "`mbplugin check`"
    )
    reported.unconverged = count
    return [(integrator.time, "info" if count <= FEW * step.evaluations else "warning", text)]


def impacts(integrator: Any) -> list[Message]:
    """Message about motions whose speed has jumped."""
    reported, step = integrator.reported, integrator.step
    count = int(step.impacts) - reported.impacts
    if count <= 0:
        return []
    reported.impacts += count
    t = float(step.impact_time)
    times = f", {count} times since the last message" if count > 1 else ""
    text = (
        f"t = {t:.9g} s: the speed of a motion jumps{times}: an impulse changes the velocities; its work "
        "counts as work input"
    )
    return [(t, "info", text)]


def turns(integrator: Any) -> list[Message]:
    """Message about the first angle that changed by more than half a turn in one step."""
    reported, step = integrator.reported, integrator.step
    if not step.turned or reported.turned:
        return []
    reported.turned = True
    h, t = float(step.turn_step), float(step.turn_time)
    rate = float(step.turn) / h
    measure = int(step.turned) - 1
    coordinates = integrator.problem.names.coordinates
    name = next((c.name for c in coordinates if c.measure == measure), "an angle of a force or coupling")
    text = (
        f"t = {t:.9g} s: {name} turns at {rate:.4g} rad/s, which is {rate * h:.3g} rad in a step of "
        f"{h:.3g} s, more than half a turn: full turns may be counted wrongly; steps below "
        f"{np.pi / rate:.3g} s are safe (a smaller `tolerance`, or `step` of rk4)"
    )
    return [(t, "warning", text)]


def forces(integrator: Any) -> list[Message]:
    """The warnings of forces that are not reported yet."""
    told: list[Message] = []
    for force, (t, text) in warnings_of_forces(integrator.problem):
        if force.name not in integrator.reported.forces:
            integrator.reported.forces.add(force.name)
            told.append((float(t), "warning", f't = {t:.9g} s: force "{force.name}": {text}'))
    return told


def warnings_of_forces(problem: Any) -> Iterator[tuple[WarningForce, tuple[float, str]]]:
    """Forces whose memory at the end of the last step gives a warning, and its time [s] and text."""
    memory = problem[Step].memory1
    for force in problem.names.warning_forces:
        own = memory[force.first_memory : force.first_memory + force.kind.memory]
        if found := force.kind.warning(force.params, own):
            yield force, found
