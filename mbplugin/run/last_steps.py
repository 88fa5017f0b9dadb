"""The last steps of a run that stops by an error, each with its frame: they are taken once more, from a saved
state. Bodies, joints and forces have a part in the end if its message names them, or if theirs is the largest
acceleration, constraint load or force, and has grown over the last steps.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from mbplugin.interface.solver import Integrator
from mbplugin.problem import Problem
from mbplugin.run.recorder import Recorder
from mbplugin.run.sink import Message
from mbplugin.tables.groups import FrameValues, Rows
from mbplugin.tables.records import POSITION_LEVEL
from mbplugin.tables.spec import Array

#: growth over the last steps from which the largest one has a part in the end
GROWN = 10.0
QUOTED = re.compile(r'"([^"]+)"')


class Loads(NamedTuple):
    """Loads of bodies and constraint rows at the end of a step."""

    accelerations: Array  # (bodies,) sizes of those of the mass centres [m/s²]
    rows: Array  # (rows,) |λ| [N, N·m]
    residuals: Array  # (rows,) |Φ| [size of the mechanism, rad]
    forces: Array  # (forces,) sizes of the forces on b [N]


def loads_of(problem: Problem, frame: Mapping[str, Array]) -> Loads:
    """The loads in the tables, of which `frame` has been read."""
    rows, names = problem[Rows], problem.names
    held = problem.on & (rows.level == POSITION_LEVEL)
    residuals = np.abs(rows.phi) / np.where(rows.radians == 1, 1.0, names.size)
    return Loads(
        np.linalg.norm(problem[FrameValues].v_dot[names.body_marker], axis=1),
        np.abs(rows.lam),
        np.where(held, residuals, 0.0),
        np.linalg.norm(frame["forces/wrench"][:, :3], axis=1),
    )


def culprits(problem: Problem, message: str, steps: Sequence[Loads]) -> dict[str, list[bool]]:
    """ "bodies/culprit", "joints/culprit", "forces/culprit": whether each of them has a part in the end.

    message: of the error; steps: the last ones, in order
    """
    names = problem.names
    found = {*QUOTED.findall(message), *grown(problem, steps[0], steps[-1])}
    found |= {names.joints[c.joint].name for c in names.coordinates if c.name in found}
    return {
        "bodies/culprit": [name in found for name in names.bodies],
        "joints/culprit": [joint.name in found for joint in names.joints],
        "forces/culprit": [name in found for name, _ in names.scene_forces],
    }


def grown(problem: Problem, first: Loads, last: Loads) -> Iterator[str]:
    """Names of the body of the largest acceleration, the joint or coordinate of the largest load, and the
    largest force at the end, if these have grown.
    """
    of = problem.names
    for names, before, after in (
        (of.bodies, first.accelerations, last.accelerations),
        ([row.owner for row in of.rows], first.rows, last.rows),
        ([name for name, _ in of.scene_forces], first.forces, last.forces),
    ):
        k = int(np.argmax(after)) if names else 0
        if names and not after[k] <= GROWN * before[k]:  # NaN too
            yield names[k]


def line(problem: Problem, loads: Loads) -> str:
    """One line on what bears the most."""
    names, parts = problem.names, []
    if names.bodies:
        k = int(np.argmax(loads.accelerations))
        parts.append(f'acceleration {loads.accelerations[k]:.3g} m/s² of "{names.bodies[k]}"')
    load, residual = {"m": "N", "rad": "N·m"}, {"m": "of the size", "rad": "rad"}
    for what, values, units in (("load", loads.rows, load), ("residual", loads.residuals, residual)):
        if names.rows:
            k = int(np.argmax(values))
            row = names.rows[k]
            parts.append(f'{what} {values[k]:.3g} {units[row.unit]} in "{row.owner}", {row.label}')
    if names.scene_forces:
        k = int(np.argmax(loads.forces))
        parts.append(f'force {loads.forces[k]:.3g} N of "{names.scene_forces[k][0]}"')
    return "largest " + "; ".join(parts) if parts else "there are no bodies"


#: steps that are kept, and wall time between two saved states [s]
STEPS, APART = 200, 0.1


class EndOfStep(NamedTuple):
    """Time, frame and loads of a step."""

    time: float  # [s]
    frame: dict[str, Any]  # as `Recorder.frame`
    loads: Loads


class LastSteps(NamedTuple):
    """The last steps, as a result has them."""

    frames: list[dict[str, Any]]
    messages: list[Message]
    culprits: dict[str, list[bool]]


class SavedStates:
    """States of a run, from the last of which its last steps can be taken once more."""

    def __init__(self, integrator: Integrator, recorder: Recorder) -> None:
        self.integrator, self.recorder = integrator, recorder
        #: number of the step and state; the first is at least STEPS before the present, or the start
        self.states: deque[tuple[int, dict[str, Any]]] = deque(maxlen=2)
        self.saved_at = -np.inf  # of the clock [s]

    def save(self) -> None:
        """Save the present state, if the last one is far enough behind."""
        steps, now = int(self.integrator.statistics["steps"]), time.monotonic()
        if not self.states or (steps >= self.states[-1][0] + STEPS and now >= self.saved_at + APART):
            self.states.append((steps, self.integrator.save()))
            self.saved_at = now

    def last_steps(self, error: Exception, end: float) -> LastSteps | None:
        """The steps before the present one, which has failed with the error; None if they cannot be taken.

        end: of the run [s]. The integrator is left as it is now.
        """
        kept = self.again(end)
        if not kept:
            return None
        problem = self.recorder.problem
        messages: list[Message] = [(step.time, "info", line(problem, step.loads)) for step in kept]
        return LastSteps(
            [step.frame for step in kept],
            [*messages, (kept[-1].time, "error", str(error))],
            culprits(problem, str(error), [step.loads for step in kept]),
        )

    def again(self, end: float) -> list[EndOfStep]:
        """The last steps, taken once more."""
        integrator, kept = self.integrator, deque[EndOfStep](maxlen=STEPS)
        failed, counts = integrator.save(), dict(integrator.statistics)
        try:
            integrator.load(self.states[0][1])
            while True:
                later = integrator.statistics["steps"] > counts["steps"] - STEPS
                if later and not (kept and kept[-1].time == integrator.time):
                    integrator.show(integrator.time)
                    frame = self.recorder.frame() | self.recorder.events(integrator.changes())
                    frame |= self.recorder.impacts(integrator.impacts())
                    kept.append(EndOfStep(integrator.time, frame, loads_of(self.recorder.problem, frame)))
                if integrator.statistics["evaluations"] >= counts["evaluations"]:
                    break
                integrator.advance(end, np.inf, 1)
        except Exception:
            pass
        finally:
            with suppress(Exception):
                integrator.load(failed)
        return list(kept)
