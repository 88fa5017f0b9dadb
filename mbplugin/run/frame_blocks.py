"""Frames in blocks: so many steps and frames in one call of compiled code as are done in a short time."""

from __future__ import annotations

import time

import numpy as np

from mbplugin.interface.solver import Integrator
from mbplugin.run.integrator import Stepping
from mbplugin.run.orientations import oriented
from mbplugin.run.prepare import Prepared
from mbplugin.run.recorder import Frames
from mbplugin.run.times import FrameTimes
from mbplugin.tables.spec import Array

#: wall time of the frames of one block [s], its largest size in memory [bytes], and most frames
SECONDS, BYTES, FRAMES = 0.05, 4_000_000, 1024


def grown(done: int, took: float, target: float) -> int:
    """How much is done in `target` [s] if `done` took `took` [s]. At most 4 times as much, or what is done in
    a quarter of `target`: what is measured in a short time says little.
    """
    took = max(took, 1e-6)
    return max(1, int(done * min(target / took, max(4.0, target / 4 / took))))


class FrameBlocks:
    """The blocks of frames of one run. Frames that need more than a record, and those of integrators without
    blocks, come one by one.
    """

    def __init__(self, prepared: Prepared, integrator: Integrator, times: FrameTimes, end: float) -> None:
        self.recorder, self.integrator, self.times, self.end = prepared.recorder, integrator, times, end
        self.layout = self.recorder.rows
        self.sizes, self.most = prepared.sizes, max(1, min(FRAMES, BYTES // (8 * self.layout.width)))
        if self.recorder.one_by_one:
            self.most = 1

    def advance(
        self, first: int, work: int, until: float | None = None
    ) -> tuple[str, Frames | None, Exception | None]:
        """Advance by at most `work` evaluations, with the frames from number `first` on.

        until: [s], default the end. Returns "frame", "end", "busy" or "failed", the frames passed, and the
        error of the failure.
        """
        limit = min(self.sizes.frames, self.most)
        times = self.times.up_to(min(first + limit, len(self.times)), first)
        start = time.monotonic()
        code, rows, error = self.steps(self.end if until is None else until, work, times)
        took = time.monotonic() - start
        if len(rows) > 0 or took > SECONDS:
            self.sizes.frames = min(grown(len(rows), took, SECONDS), self.most)
        frames, lost = self.made(rows, times[: len(rows)])
        return code, frames, lost if lost is not None else error

    def steps(self, until: float, work: int, times: Array) -> tuple[str, Array, Exception | None]:
        """Advance to `until` [s], or by `work` evaluations, or past the frames at `times` [s]. Returns the
        code, a row (n, width) for each frame that was passed, and the error of a failure.
        """
        if not isinstance(self.integrator, Stepping):
            return self.one(until, times, work)
        rows = self.layout.empty(len(times))
        code, count, error = self.integrator.advance_frames(until, work, times, self.layout, rows)
        return code, rows[:count], error

    def made(self, rows: Array, times: Array) -> tuple[Frames | None, Exception | None]:
        """The frames of these rows, up to one in which a body has no orientation, and the error there."""
        if not len(rows):
            return None, None
        frames = self.recorder.frames(rows, times)
        good, lost = oriented(frames)
        if lost is None:
            return frames, None
        return (self.recorder.frames(rows[:good], times[:good]) if good > 0 else None), lost

    def one(self, until: float, times: Array, work: int) -> tuple[str, Array, Exception | None]:
        """`steps` for the next frame alone, of an integrator with a loop of its own."""
        code = self.integrator.advance(until, times[0] if len(times) else np.inf, work)
        if not len(times) or times[0] > self.integrator.time:
            return code, self.layout.empty(0), None
        self.integrator.show(times[0])
        return ("frame" if code == "end" else code), self.recorder.row(), None
