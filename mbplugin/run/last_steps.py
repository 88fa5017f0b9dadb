"""The last steps of a run that stops by an error, each with its frame: they are taken once more, from a saved
state.
"""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from mbplugin.interface.solver import Integrator
from mbplugin.run.culprits import Loads, culprits, line, loads_of
from mbplugin.run.recorder import Recorder
from mbplugin.run.sink import Message

#: steps that are kept, and wall time between two saved states [s]
STEPS, APART = 200, 0.1


class EndOfStep(NamedTuple):
    """What is kept of a step."""

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
        """Those before the present step, which has failed with the error; None if they cannot be taken.

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
