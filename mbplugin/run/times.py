"""The times of the frames."""

from __future__ import annotations

import numpy as np

from mbplugin.model import System


def frame_times(system: System, end: float) -> np.ndarray:
    """(frames,) even times from `output.start` to `output.end`, both included; `every` leaves out a last shorter interval."""
    output = system.output
    stop = min(output.end if output.end is not None else end, end)
    start = min(output.start, stop)
    if output.every is not None:
        count = int(np.floor((stop - start) / output.every * (1 + 1e-12) + 1e-9))
        return start + output.every * np.arange(count + 1)
    frames = output.frames or 1
    return start + (stop - start) * (np.arange(frames + 1) / frames)
