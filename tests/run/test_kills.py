"""Killed at random moments and resumed, on full disks and side by side: nothing is lost, same bits.

The long form (100 kills) runs with `pytest --slow`.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time

import pytest
from child import MAIN, command, going, tree
from scene_text import SCENES, body, solver, spring, table
from snapshots import same_message

from mbplugin.results import RawResult

#: a checkpoint at every frame, and frames that take their time: most moments are in the middle of a write
SLOW = f"""
import time
import mbplugin.run.frame_blocks as blocks, mbplugin.run.loop as loop
blocks.FRAMES = 1
loop.CHECKPOINT, loop.CALL = 0.0, 1e-4
old = loop.Run.record
def record(self, frames):
    old(self, frames)
    time.sleep(PAUSE)
loop.Run.record = record
{MAIN}
"""
FOUR_BAR = str(SCENES / "four_bar_n2")
LINE = ["run", FOUR_BAR, "-o", "out", "--end", "3", "--set", "output.frames=60"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The files of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    assert command(*LINE, cwd=folder).returncode == 0
    return folder / "out"


def assert_same(out, whole) -> None:
    raw, once = RawResult(out / "result.zarr"), RawResult(whole / "result.zarr")
    assert raw.complete and raw.check() == []
    for key in once.attributes["frame_arrays"]:
        assert raw[key].tobytes() == once[key].tobytes(), key
    for name in ("result", "joints"):
        assert tree(out / name) == tree(whole / name)
        assert (out / f"{name}.pvd").read_bytes() == (whole / f"{name}.pvd").read_bytes()
    left = {path.name for path in out.iterdir()} ^ {path.name for path in whole.iterdir()}
    assert left == set()


def committed(out) -> int:
    """Frames that can be read, all of them; 0 if there is no store yet."""
    if not (out / "result.zarr").exists():
        return 0
    raw = RawResult(out / "result.zarr")
    assert raw.check() == []
    return raw.frames


@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_a_run_killed_at_random_moments_and_resumed_has_the_same_bits(tmp_path, whole, kills):
    moments = random.Random(kills)
    out = tmp_path / "out"
    done = rounds = 0
    while done < kills:
        code = SLOW.replace("PAUSE", "0.02")
        run = going(*LINE, "--resume", cwd=tmp_path, code=code)
        # wait for the folder to be taken, then up to 1.5 s
        marker, before = out / ".mbplugin", time.time()
        while run.poll() is None and time.time() < before + 120:
            if marker.exists() and marker.stat().st_mtime > before:
                break
            time.sleep(0.01)
        time.sleep(moments.expovariate(3.0))
        run.kill()
        said = run.communicate()[1]
        assert run.returncode in (-signal.SIGKILL, 0), said
        committed(out)
        done += run.returncode != 0
        rounds += 1
        if run.returncode == 0:  # it was faster: the next one begins anew
            assert_same(out, whole)
            shutil.rmtree(out)
    last = command(*LINE, "--resume", cwd=tmp_path)
    assert last.returncode == 0, last.stderr
    assert_same(out, whole)
    print(done, "kills in", rounds, "runs")


#: a run that may write no larger files
LIMITED = f"""
import resource, signal, sys
sys.dont_write_bytecode = True
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, resource.RLIM_INFINITY))
{MAIN}
"""


@pytest.mark.parametrize("limits", [3, pytest.param(30, marks=pytest.mark.slow)])
def test_a_run_that_meets_a_limit_of_file_size_is_resumed_with_the_same_bits(tmp_path, whole, limits):
    """As on a full disk: a write ends somewhere in a file, which may be any file of the result."""
    draw = random.Random(limits)
    out = tmp_path / "out"
    failures = 0
    for _ in range(limits):
        code = LIMITED.replace("LARGEST", str(int(10 ** draw.uniform(2.0, 4.7))))
        done = command(*LINE, "--resume", cwd=tmp_path, code=code, fork=True)
        assert done.returncode in (0, 4) and "Traceback" not in done.stderr, done.stderr[-2000:]
        failures += done.returncode == 4
        committed(out)
        if done.returncode == 0:
            assert_same(out, whole)
            shutil.rmtree(out)
    assert failures > 0
    assert command(*LINE, "--resume", cwd=tmp_path).returncode == 0
    assert_same(out, whole)


BALL = (
    body("ball", mass=1.0, inertia=[1, 1, 1], position=[1, 0, 0], marker=[{"name": "eye"}])
    + spring("ground", "ball.eye", name="spring", stiffness=100.0, length=0.5)
    + solver(end=20.0)
    + table("output", frames=3000)
)


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root may mount a small disk")
def test_a_disk_that_is_full_again_and_again_loses_nothing(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = lambda *options: subprocess.run(["mount", *options, str(disk)], capture_output=True)
    if mount("-t", "tmpfs", "-o", "size=2m", "tmpfs").returncode:
        pytest.skip("a file system cannot be mounted here")
    (tmp_path / "s.toml").write_text(BALL)
    line = ["run", "s.toml", "--resume", "-o"]
    assert command(*line, str(tmp_path / "whole"), cwd=tmp_path).returncode == 0
    try:
        frames = []
        # the whole result takes 51 MB in pages of 4 kB: four series with a file a frame
        for size in range(2, 200, 4):
            mount("-o", f"remount,size={size}m")
            done = command(*line, str(disk / "out"), cwd=tmp_path)
            assert done.returncode in (0, 4) and "Traceback" not in done.stderr, done.stderr[-2000:]
            frames.append(committed(disk / "out"))
            if done.returncode == 0:
                break
        assert frames == sorted(frames) and len(frames) > 3 and frames[-1] == 3001
        raw, once = RawResult(disk / "out/result.zarr"), RawResult(tmp_path / "whole/result.zarr")
        for key in once.attributes["frame_arrays"]:
            assert raw[key].tobytes() == once[key].tobytes(), key
        assert tree(disk / "out/result") == tree(tmp_path / "whole/result")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# test_resume.py refuses a run beside another one
@pytest.mark.slow
def test_of_runs_that_begin_together_in_one_folder_one_goes_on(tmp_path, whole):
    for _ in range(20):
        code = SLOW.replace("PAUSE", "0.02")
        both = [going(*LINE, "--resume", cwd=tmp_path, code=code) for _ in range(2)]
        said = [run.communicate()[1] for run in both]
        codes = sorted(run.returncode for run in both)
        assert codes == [0, 4], said
        (refusal,) = [line for line in "".join(said).splitlines() if line.startswith("error: ")]
        same_message(refusal)
        assert_same(tmp_path / "out", whole)
        shutil.rmtree(tmp_path / "out")
