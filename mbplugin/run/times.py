"""The times of the frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.model import System

#: frames of a run; each is a file for ParaView
MOST = 100_000_000


@dataclass(frozen=True)
class FrameTimes:
    """Equidistant times: start + (stop - start) i / count, or start + every i if the interval is given;
    none is after `stop`. Of a run that was continued to another end, the interval is that of `planned`.

    Computed on demand, so that a long run needs no more memory.
    """

    start: float
    stop: float
    count: int
    every: float | None = None
    planned: FrameTimes | None = None

    def __len__(self) -> int:
        return self.count + 1

    def __getitem__(self, i: int) -> float:
        return float(self.up_to(i + 1, i)[0])

    def up_to(self, stop: int, start: int = 0) -> np.ndarray:
        """(stop - start,) times of the frames from `start` to before `stop`."""
        if self.planned is not None:
            return self.continued(start, stop)
        numbers = np.arange(start, stop)
        since = (
            self.every * numbers
            if self.every is not None
            else (self.stop - self.start) * (numbers / self.count)
        )
        return np.minimum(self.start + since, self.stop)

    def continued(self, start: int, stop: int) -> np.ndarray:
        """Times like `up_to`: the planned ones, and the same interval after them."""
        assert self.planned is not None
        plan = self.planned
        first = plan.up_to(min(stop, len(plan)), min(start, len(plan)))
        numbers = np.arange(max(start, len(plan)), max(stop, len(plan)))
        later = plan.start + (plan.stop - plan.start) * (numbers / plan.count)
        return np.minimum(np.concatenate([first, later]), self.stop)

    def to(self, times: FrameTimes) -> FrameTimes:
        """These times, continued to the end of `times`, which follow from the same scene."""
        if self.every is not None or times.stop == self.stop:
            return times
        interval = (self.stop - self.start) / self.count
        count = int(np.floor((times.stop - self.start) / interval * (1 + 1e-12) + 1e-9))
        return FrameTimes(self.start, times.stop, count, None, self)


def frame_times(system: System, end: float) -> FrameTimes:
    """From `output.start` to `output.end`, both included; with `every` a last shorter interval is omitted.
    Raises SceneError.
    """
    output = system.output
    stop = min(output.end if output.end is not None else end, end)
    if output.start >= stop:
        raise system.locate(
            SceneError("output.start", output.start, f"must be before the end of the run, {stop:g} s")
        )
    span = stop - output.start
    key, count = "frames", float(output.frames or 1)
    if output.every is not None:
        key, count = "every", float(np.floor(span / output.every * (1 + 1e-12) + 1e-9))
    if count > MOST:
        raise system.locate(
            SceneError(
                f"output.{key}",
                getattr(output, key),
                f"would give {count:.3g} frames; at most {MOST:.0e} are written",
            )
        )
    return FrameTimes(output.start, stop, int(count), output.every)
