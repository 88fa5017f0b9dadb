"""A result is the same to the bit: run twice, with another number of frames, with other thread counts,
killed and resumed.
"""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from child import after_each_frame, command, going, tree
from scene_text import SCENES

from mbplugin.results import RawResult

#: passes singular positions, so that hints which are not in the checkpoint would show
FOUR_BAR = str(SCENES / "four_bar_n2")
SHORT = ["--end", "3", "--set", "solver.tolerance=1e-9"]
SIXTY = ["--set", "output.frames=60"]
NO_SERIES = ["--set", "output.series=false"]


def run(folder: Path, *options: str, **changes) -> RawResult:
    done = command("run", FOUR_BAR, "-o", "out", *SHORT, *options, cwd=folder, **changes)
    assert done.returncode == 0, done.stderr
    return RawResult(folder / "out" / "result.zarr")


def assert_equal(a: RawResult, b: RawResult, of_a=slice(None), of_b=slice(None)) -> None:
    """All arrays of the frames, byte by byte."""
    assert set(a) == set(b)
    assert len(a.time[of_a]) > 5
    for key in a.attributes["frame_arrays"]:
        assert a[key][of_a].tobytes() == b[key][of_b].tobytes(), key


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> RawResult:
    return run(tmp_path_factory.mktemp("whole"), *SIXTY)


def test_two_runs_give_the_same_bits(whole, tmp_path):
    assert_equal(whole, run(tmp_path, *SIXTY))
    assert tree(whole.path.parent / "result") == tree(tmp_path / "out" / "result")


def test_another_number_of_frames_gives_the_same_bits_at_common_times(whole, tmp_path):
    other = run(tmp_path, "--set", "output.frames=180", *NO_SERIES)
    assert np.array_equal(whole.time, other.time[::3])
    assert_equal(whole, other, of_b=slice(None, None, 3))


@pytest.mark.parametrize("ours, of_libraries", [("1", "2"), pytest.param("2", "1", marks=pytest.mark.slow)])
def test_other_thread_counts_give_the_same_bits(whole, tmp_path, ours, of_libraries):
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    threads = {"NUMBA_NUM_THREADS": ours} | dict.fromkeys(names, of_libraries)
    assert_equal(whole, run(tmp_path, *SIXTY, *NO_SERIES, **threads))


#: a run that takes long enough to be killed five times: a checkpoint at every frame, and frames that take
#: their time
SLOW = after_each_frame("time.sleep(0.02)", first="loop.CHECKPOINT = 0.0")


# test_kills.py does it with three
@pytest.mark.slow
def test_a_run_killed_five_times_and_resumed_gives_the_same_bits(whole, tmp_path):
    moments = random.Random(20261121)
    line = ["run", FOUR_BAR, "-o", "out", *SHORT, *SIXTY]
    store = tmp_path / "out" / "result.zarr"
    frames = []
    for k in range(5):
        killed = going(*line, *(["--resume"] if k else []), cwd=tmp_path, code=SLOW)
        before = frames[-1] if frames else 0
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and killed.poll() is None:
            time.sleep(0.01)
            if (store / "zarr.json").exists() and committed(store) > before:
                break
        time.sleep(moments.uniform(0.0, 0.25))
        killed.kill()
        killed.communicate()
        assert killed.returncode == -signal.SIGKILL, "the run ended before it could be killed"
        frames.append(committed(store))
    assert frames == sorted(frames) and frames[0] > 0 and frames[-1] < 61
    done = command(*line, "--resume", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert_equal(whole, RawResult(store))
    assert tree(whole.path.parent / "result") == tree(tmp_path / "out" / "result")
    assert tree(whole.path.parent / "joints") == tree(tmp_path / "out" / "joints")


def committed(store: Path) -> int:
    try:
        return RawResult(store).frames
    except Exception:
        return 0
