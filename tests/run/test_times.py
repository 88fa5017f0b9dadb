"""Frames are at even times, the last one at the end."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, table

from mbplugin.model import System
from mbplugin.run.times import frame_times


def times_of(end, **output):
    system = System.from_text(body("a", mass=1, inertia=[1, 1, 1]) + table("output", **output))
    return frame_times(system, end)


@pytest.mark.parametrize(
    ("output", "end", "count"),
    [
        ({"frames": 7}, 0.3, 8),
        ({"start": 0.1, "frames": 3}, 0.3, 4),
        ({"every": 0.1}, 0.3, 4),
        ({"start": 0.1, "every": 0.1}, 0.8, 8),
        ({"every": 0.1}, 0.35, 4),
    ],
)
def test_the_last_frame_is_not_after_the_end(output, end, count):
    times = times_of(end, **output)
    found = np.array([times[i] for i in range(len(times))])
    assert len(found) == count
    assert np.array_equal(times.up_to(count), found)
    # rounding must not put it a bit behind the end, where no step ever comes
    assert found[-1] <= end
    assert found[-1] == (end if end != 0.35 else pytest.approx(0.3))
    assert np.allclose(np.diff(found), found[1] - found[0], rtol=1e-12)


def test_times_need_no_memory():
    times = times_of(1.0, frames=100_000_000)
    assert (len(times), times[50_000_000], times[100_000_000]) == (100_000_001, 0.5, 1.0)
