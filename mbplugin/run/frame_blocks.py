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

    def advance(self, first: int, work: int) -> tuple[str, Frames | None, Exception | None]:
        """Advance by at most `work` evaluations, with the frames from number `first` on.

        Returns "frame", "end", "busy" or "failed", the frames passed, and the error of the failure.
        """
        limit = min(self.sizes.frames, self.most)
        times = self.times.up_to(min(first + limit, len(self.times)), first)
        start = time.monotonic()
        if isinstance(self.integrator, Stepping):
            rows = self.layout.empty(len(times))
            code, count, error = self.integrator.advance_frames(self.end, work, times, self.layout, rows)
        else:
            code, rows, error = self.one(times, work)
            count = len(rows)
        took = time.monotonic() - start
        if count > 0 or took > SECONDS:
            self.sizes.frames = min(grown(count, took, SECONDS), self.most)
        frames = self.recorder.frames(rows[:count], times[:count]) if count > 0 else None
        if frames is not None:
            good, lost = oriented(frames)
            if lost is not None:
                error = lost
                frames = self.recorder.frames(rows[:good], times[:good]) if good > 0 else None
        return code, frames, error

    def one(self, times: Array, work: int) -> tuple[str, Array, Exception | None]:
        """Advance like `Stepping.advance_frames`, for the next frame."""
        code = self.integrator.advance(self.end, times[0] if len(times) else np.inf, work)
        if not len(times) or times[0] > self.integrator.time:
            return code, self.layout.empty(0), None
        self.integrator.show(times[0])
        return ("frame" if code == "end" else code), self.recorder.row(), None
