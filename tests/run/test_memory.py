"""The memory of a run does not grow with its length."""

from __future__ import annotations

import pytest
from child import MAIN, command
from scene_text import SCENES

PEAK = f"""
import resource
try:
    {MAIN}
finally:
    print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(folder, end: float, frames: int, series: str) -> float:
    """Peak resident memory [MB]."""
    scene, options = str(SCENES / "piston_crank"), f"-o out{frames} --end {end} --set output.frames={frames}"
    options += f" --set output.series={series}"
    done = command("run", scene, *options.split(), cwd=folder, code=PEAK)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.rsplit("peak", 1)[1]) / 1024.0


@pytest.mark.parametrize("series", ["false", pytest.param("true", marks=pytest.mark.slow)])
def test_a_run_eight_times_as_long_needs_no_more_memory(tmp_path, series):
    peak(tmp_path, 0.02, 10, series)  # what is compiled is in the cache now
    # buffers have their full lengths from some 1,000 frames on; a kB for each frame would be 14 MB more
    short, long = peak(tmp_path, 0.4, 2000, series), peak(tmp_path, 3.2, 16000, series)
    assert long - short < 8.0
