"""Runs stopped by physics, plugins, disks or signals: exit code, one message, and all earlier frames kept."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from child import after_each_frame, command, distribution, environment, going, tree
from refusals import error_of, has
from scene_text import body, force, solver, spring, table
from snapshots import same_message, same_report
from tiers import slow

from mbplugin.errors import PhysicsError, PluginError
from mbplugin.results import RawResult


def scene(end=1.0, frames=20, more="", series=None, stiffness=100.0, **keys):
    """Text of a ball on a spring; `keys` of the solver."""
    return (
        body("ball", mass=1.0, inertia=[1, 1, 1], position=[1, 0, 0], marker=[{"name": "eye"}])
        + spring("ground", "ball.eye", name="spring", stiffness=stiffness, length=0.5)
        + more
        + solver(**keys, end=end)
        + table("output", frames=frames, series=series)
    )


def frames_kept(folder, complete=False) -> RawResult:
    """The stored frames, which all can be read and are numbers."""
    raw = RawResult(folder / "result.zarr")
    assert raw.frames == len(raw.time)
    assert raw.complete == complete
    for key in ("bodies/position", "bodies/acceleration", "energy/balance"):
        assert len(raw[key]) == raw.frames
        assert np.isfinite(raw[key]).all()
    return raw


#: processor time, and when a signal has come
OF_THE_RUN = r"[\d.e-]+ s (?=in )|t = [\d.e-]+ s|frame \d+|[\d.e-]+ (?=evaluations)"


def one_message(text: str) -> str:
    assert "Traceback" not in text and text.count("\n") <= 3, text
    return text


def test_a_motion_that_diverges_exits_with_3_time_and_body(tmp_path):
    text = scene(end=40.0, frames=400, stiffness=5000.0, integrator="rk4", step=0.1)
    (tmp_path / "s.toml").write_text(text)
    done = command("run", "s.toml", "-o", "out", "--json", cwd=tmp_path)
    error = error_of(done, PhysicsError, "ball", "step")
    raw = RawResult(tmp_path / "out" / "result.zarr")
    assert 3 < raw.frames < 400 and error["time"] > raw.time[-1]
    last = RawResult(tmp_path / error["last_steps"] / "result.zarr")
    assert raw.time[-1] <= last.time[-1] < error["time"] and "mbplugin render" in done.stderr
    assert any(m.text in error["message"] for m in raw.messages)


@pytest.mark.parametrize(
    ("expression", "names"),
    [("1/(time - 0.5)**2", "(time - 0.5)**2"), ("sqrt(0.5 - time)", "sqrt(0.5 - time)")],
)
def test_an_expression_without_a_value_exits_with_3_time_and_text(tmp_path, expression, names):
    text = scene(more=force("ball", x=expression), frames=21, integrator="rk4", step=0.01)
    (tmp_path / "s.toml").write_text(text)
    done = command("run", "s.toml", "-o", "out", "--json", cwd=tmp_path)
    assert error_of(done, PhysicsError, names)["time"] == pytest.approx(0.5, abs=0.011)
    assert frames_kept(tmp_path / "out").frames >= 9


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("foreign_raises", ()),
        ("foreign_nan", ["nan"]),
        pytest.param("foreign_nan_in_python", ["nan"], marks=pytest.mark.slow),
    ],
)
def test_a_plugin_that_fails_exits_with_5_kind_element_and_time(tmp_path, kind, value):
    site = distribution(tmp_path / "site", "acme", "foreign_kinds.faulty")
    bad = table("force", name="left engine", type=kind, body="ball")
    (tmp_path / "s.toml").write_text(scene(more=bad, frames=21, step=0.01))
    done = command("run", "s.toml", "-o", "out", "--json", cwd=tmp_path, extra=[site])
    error = error_of(done, PluginError, kind, '"left engine"', *value)
    assert error["time"] == pytest.approx(0.5, abs=0.011)
    assert frames_kept(tmp_path / "out").frames >= 9
    last = frames_kept(tmp_path / error["last_steps"])
    assert last.attribute("forces/culprit") == [name == "left engine" for name in last.names("forces")]


FRAGILE = """
from mbplugin.interface import ForceKind, Parameters, SolverKind, hookimpl
from mbplugin.stepping import FixedStep, FixedStepSolver


class Fragile(FixedStepSolver):
    name = "fragile"
    parameters = FixedStep

    @staticmethod
    def step(state, dt):
        if state.time > 0.5:
            return {}["nothing"]
        state.v += dt * state.accelerations()
        state.advance(dt)


class Stillborn(SolverKind):
    name = "stillborn"

    @staticmethod
    def start(problem, params, start, end, chosen):
        return 1 / 0


class Careless(ForceKind):
    name = "careless"
    markers = 1

    @classmethod
    def defaults(cls, params, markers):
        return markers[7]

    @staticmethod
    def kernel(a, wrench):
        wrench[0, 0] = 0.0


@hookimpl
def mbplugin_solvers(register):
    register(Fragile)
    register(Stillborn)


@hookimpl
def mbplugin_force_elements(register):
    register(Careless)
"""


@pytest.mark.parametrize(
    ("keys", "says", "kept"),
    [
        ({"type": "fragile", "step": 0.01}, "KeyError: 'nothing'", 8),
        ({"type": "stillborn"}, "ZeroDivisionError: division by zero", None),
        ({"more": table("force", type="careless", body="ball")}, "IndexError: list index out of range", None),
    ],
    ids=["while stepping", "at its start", "while compiling"],
)
def test_an_exception_in_a_plugin_exits_with_5_its_name_and_line(tmp_path, keys, says, kept):
    site = distribution(tmp_path / "site", "acme", "acme_fragile", FRAGILE)
    (tmp_path / "s.toml").write_text(scene(**keys))
    done = command("run", "s.toml", "-o", "out", "--json", cwd=tmp_path, extra=[site])
    error_of(done, PluginError, "acme", "acme_fragile.py", says)
    assert (tmp_path / "out").exists() == (kept is not None)
    if kept is not None:
        raw = frames_kept(tmp_path / "out")
        assert kept <= raw.frames < 21
        assert any(says in m.text for m in raw.messages)


@pytest.mark.parametrize(("series", "limit"), [(False, 4_000), slow(True, 30_000)])
def test_a_limit_of_file_size_exits_with_4_and_earlier_frames_stay(tmp_path, series, limit):
    (tmp_path / "s.toml").write_text(scene(end=10.0, frames=2000, series=series))
    bounds = f"resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY)"
    limited = after_each_frame(f"resource.setrlimit({bounds}) if self.next > 1100 else None")
    done = command("run", "s.toml", "-o", "out", cwd=tmp_path, code=limited, fork=True)
    assert done.returncode == 4, done.stderr[-2000:]
    said = one_message(done.stderr)
    # whichever file of the series comes first
    assert "out/" in said and has(said, os.strerror(errno.EFBIG), "--resume")
    # a chunk holds 1024 frames
    raw = frames_kept(tmp_path / "out")
    assert 1024 <= raw.frames <= 2000 and raw.check() == []
    if series:
        index = (tmp_path / "out" / "result.pvd").read_text()
        named = re.findall(r'file="([^"]+)"', index)
        assert index.rstrip().endswith("</VTKFile>")
        assert len(list((tmp_path / "out" / "result").glob("frame_*.vtp"))) >= 1024
        assert all((tmp_path / "out" / name).stat().st_size > 0 for name in named)


@pytest.mark.skipif(
    os.getuid() != 0 or shutil.which("mount") is None, reason="needs the right to mount a small tmpfs"
)
@pytest.mark.parametrize(
    # full before the store holds a frame, just after, and without a series
    ("size", "series", "frames"),
    [
        ("1500k", True, 600),
        pytest.param("3240k", True, 2000, marks=pytest.mark.slow),
        pytest.param("3m", False, 20000, marks=pytest.mark.slow),
    ],
)
def test_a_full_disk_exits_with_4_and_earlier_frames_stay(tmp_path, size, series, frames):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a tmpfs cannot be mounted here")
    try:
        (tmp_path / "s.toml").write_text(scene(end=20.0, frames=frames, series=series))
        done = command("run", "s.toml", "-o", str(disk / "out"), cwd=tmp_path)
        assert done.returncode == 4, done.stderr[-2000:]
        assert os.strerror(errno.ENOSPC) in one_message(done.stderr)
        assert frames_kept(disk / "out").frames > 10
        kept = frames_kept(disk / "out")
        if series:
            # with room it goes on, and ends with the files of a run that was never stopped
            assert kept.checkpoint() is not None
            subprocess.run(["mount", "-o", "remount,size=300m", str(disk)], check=True)
            again = command("run", "s.toml", "-o", str(disk / "out"), "--resume", "--json", cwd=tmp_path)
            assert again.returncode == 0, again.stderr
            assert json.loads(again.stdout)["resume_from"] > 0.0
            assert command("run", "s.toml", "-o", "whole", cwd=tmp_path).returncode == 0
            out, once = disk / "out", tmp_path / "whole"
            for name in ("result", "joints"):
                assert not (out / name).exists() or tree(out / name) == tree(once / name)
            assert (out / "result.pvd").read_bytes() == (once / "result.pvd").read_bytes()
            whole, mended = RawResult(once / "result.zarr"), RawResult(out / "result.zarr")
            assert whole.frames == mended.frames == frames + 1
            for key in whole.attributes["frame_arrays"]:
                assert whole[key].tobytes() == mended[key].tobytes(), key
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def interrupted(run) -> str:
    """What a run says that is interrupted and ends within two seconds."""
    start = time.monotonic()
    run.send_signal(signal.SIGINT)
    try:
        _, said = run.communicate(timeout=30)
        assert time.monotonic() - start < 2.0
    finally:
        run.kill()
    assert run.returncode == 130, said
    return said


def wait_until(ready, seconds, pause=0.2) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not ready():
        time.sleep(pause)


def test_ctrl_c_exits_with_130_within_two_seconds_and_resume_continues_the_run(tmp_path):
    # some 30 s on the machine at hand, 0.05 s a frame: it cannot end between two looks at its folder
    (tmp_path / "s.toml").write_text(scene(end=50_000.0, frames=500))
    run = going("run", "s.toml", "-o", "out", cwd=tmp_path)
    out = tmp_path / "out"
    frames = lambda: len(list((out / "result").iterdir())) if (out / "result").is_dir() else 0
    wait_until(lambda: run.poll() is not None or ((out / "result.pvd").exists() and frames() > 3), 120)
    assert "--resume" in one_message(interrupted(run))
    kept = frames_kept(out).frames
    assert 3 < kept < 501
    # far enough to see that it goes on where it was, not from the beginning
    again = going("run", "s.toml", "-o", "out", "--resume", cwd=tmp_path)
    try:
        wait_until(lambda: frames_kept(out).frames > kept + 1, 60)
    finally:
        again.send_signal(signal.SIGINT)
        again.communicate(timeout=30)
    raw = frames_kept(tmp_path / "out")
    assert raw.frames > kept
    assert any(has(message.text, f"frame {kept - 1}") for message in raw.messages)


def test_ctrl_c_before_the_first_step_exits_with_130_even_inside_compiled_code(tmp_path):
    """As while LLVM works: the call under way takes minutes, and Python would look for signals after it."""
    busy = (
        "import hashlib\nopen('begun', 'w').close()\nhashlib.pbkdf2_hmac('sha256', b'x', b'y', 300_000_000)\n"
    )
    (tmp_path / "s.py").write_text(busy)
    run = going("run", "s.py", "-o", "out", cwd=tmp_path)
    wait_until((tmp_path / "begun").exists, 60, pause=0.05)
    time.sleep(0.2)
    said = interrupted(run)
    one_message(said)
    same_message(said)
    assert not (tmp_path / "out").exists()


def killed(checkpoint: float) -> str:
    """A run that is killed after frame 8, with a checkpoint after so many seconds."""
    kill = "os.kill(os.getpid(), signal.SIGKILL) if self.next > 8 else None"
    return after_each_frame(kill, first=f"loop.CHECKPOINT = {checkpoint}")


def test_messages_before_a_kill_are_in_messages_txt_after_the_resume(tmp_path):
    (tmp_path / "s.toml").write_text(scene())
    assert (
        command("run", "s.toml", "-o", "out", cwd=tmp_path, code=killed(0.0), fork=True).returncode
        == -signal.SIGKILL
    )
    assert (tmp_path / "out" / "messages.txt").read_text()
    resumed = command("run", "s.toml", "-o", "out", "--resume", cwd=tmp_path)
    assert resumed.returncode == 0
    same_report("run_resumed", resumed.stdout, hide=OF_THE_RUN)
    said = " ".join((tmp_path / "out" / "messages.txt").read_text().split())
    messages = [" ".join(m.text.split()) for m in RawResult(tmp_path / "out" / "result.zarr").messages]
    assert [said.count(text) for text in messages] == [1] * len(messages)
    assert len(messages) > 1


def test_a_run_killed_before_its_first_checkpoint_begins_again(tmp_path):
    (tmp_path / "s.toml").write_text(scene())
    assert (
        command("run", "s.toml", "-o", "out", cwd=tmp_path, code=killed(1e9), fork=True).returncode
        == -signal.SIGKILL
    )
    again = command("run", "s.toml", "-o", "out", "--resume", "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["resume_from"] == 0.0
    assert frames_kept(tmp_path / "out", complete=True).frames == 21


def test_the_command_is_a_module_too(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mbplugin", "new", "swing"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "swing" / "scene.toml").exists()
