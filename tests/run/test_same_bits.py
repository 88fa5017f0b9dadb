"""A result is the same to the bit: run twice, with another number of frames, with other thread counts, killed
and resumed.
"""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from child import ROOT, command, started, tree

from mbplugin.results import RawResult

#: passes singular positions, so that hints which are not in the checkpoint would show
FOUR_BAR = str(ROOT / "scenes" / "four_bar_n2")
SHORT = ["--end", "3", "--set", "solver.tolerance=1e-9"]


def run(folder: Path, name: str, *names: str, **changes) -> RawResult:
    done = command("run", FOUR_BAR, "-o", name, *SHORT, *names, cwd=folder, **changes)
    assert done.returncode == 0, done.stderr
    return RawResult(folder / name / "result.zarr")


def assert_equal(a: RawResult, b: RawResult, of_a=slice(None), of_b=slice(None)) -> None:
    """All arrays of the frames, byte by byte."""
    assert set(a) == set(b)
    assert len(a.time[of_a]) > 5
    for key in a.attributes["frame_arrays"]:
        assert a[key][of_a].tobytes() == b[key][of_b].tobytes(), key


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> RawResult:
    folder = tmp_path_factory.mktemp("whole")
    return run(folder, "out", "--set", "output.frames=60")


def test_twice(whole, tmp_path):
    again = run(tmp_path, "out", "--set", "output.frames=60")
    assert_equal(whole, again)
    assert tree(whole.path.parent / "result") == tree(tmp_path / "out" / "result")


def test_with_another_number_of_frames_at_common_times(whole, tmp_path):
    other = run(tmp_path, "out", "--set", "output.frames=180")
    assert np.array_equal(whole.time, other.time[::3])
    assert_equal(whole, other, of_b=slice(None, None, 3))


@pytest.mark.parametrize("threads", ["1", "2"])
def test_with_other_thread_counts(whole, tmp_path, threads):
    names = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    assert_equal(whole, run(tmp_path, "out", "--set", "output.frames=60", **dict.fromkeys(names, threads)))


#: a run that takes long enough to be killed five times: a checkpoint at every frame, and frames that take
#: their time
SLOW = "import time, mbplugin.run.loop as loop\nloop.CHECKPOINT = 0.0\nold = loop.Run.record\n"
SLOW += "def record(self, stop):\n    old(self, stop)\n    time.sleep(0.02)\nloop.Run.record = record\nfrom mbplugin.cli import main\nmain()\n"


def test_killed_at_five_random_moments_and_resumed(whole, tmp_path):
    moments = random.Random(20261121)
    names = ["run", FOUR_BAR, "-o", "out", *SHORT, "--set", "output.frames=60"]
    store = tmp_path / "out" / "result.zarr"
    frames = []
    for k in range(5):
        going = started(*names, *(["--resume"] if k else []), cwd=tmp_path, code=SLOW)
        before = frames[-1] if frames else 0
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and going.poll() is None:
            time.sleep(0.01)
            if (store / "zarr.json").exists() and committed(store) > before:
                break
        time.sleep(moments.uniform(0.0, 0.25))
        going.send_signal(signal.SIGKILL)
        going.communicate()
        assert going.returncode == -signal.SIGKILL, "the run ended before it could be killed"
        frames.append(committed(store))
    assert frames == sorted(frames) and frames[0] > 0 and frames[-1] < 61
    done = command(*names, "--resume", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert_equal(whole, RawResult(store))
    assert tree(whole.path.parent / "result") == tree(tmp_path / "out" / "result")
    assert tree(whole.path.parent / "joints") == tree(tmp_path / "out" / "joints")


def committed(store: Path) -> int:
    try:
        return RawResult(store).frames
    except Exception:
        return 0
