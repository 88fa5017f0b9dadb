"""When physics, plugins, disks or people stop a run: exit code, one message, and every earlier frame kept."""

from __future__ import annotations

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
from child import command, distribution, environment, started, tree

from mbplugin.results import RawResult

SCENE = """
[[body]]
name = "ball"
mass = 1.0
inertia = [1, 1, 1]
position = [1, 0, 0]
marker = [{ name = "eye" }]
[[force]]
name = "spring"
type = "spring_damper"
a = "ground"
b = "ball.eye"
stiffness = 100.0
length = 0.5
[solver]
end = END
[output]
frames = FRAMES
"""


def scene(end=1.0, frames=20, extra="", solver=""):
    return (
        SCENE.replace("END", str(end))
        .replace("FRAMES", str(frames))
        .replace("[solver]", f"{extra}\n[solver]\n{solver}")
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


def one_message(text: str) -> str:
    assert "Traceback" not in text and text.count("\n") <= 3, text
    return text


def test_a_motion_that_diverges_is_3_with_time_and_body(tmp_path):
    (tmp_path / "s.toml").write_text(
        scene(end=40.0, frames=400, solver='integrator = "rk4"\nstep = 0.1').replace("= 100.0", "= 5000.0")
    )
    done = command("run", "s.toml", "-o", "out", cwd=tmp_path)
    assert done.returncode == 3
    said = one_message(done.stderr)
    assert "t = " in said and '"ball"' in said and "smaller `step`" in said
    raw = RawResult(tmp_path / "out" / "result.zarr")
    assert 3 < raw.frames < 400
    assert any("diverges" in str(m) or "too small" in str(m) for m in raw.messages)


@pytest.mark.parametrize(
    ("expression", "names"),
    [("1/(time - 0.5)**2", "(time - 0.5)**2"), ("sqrt(0.5 - time)", "sqrt(0.5 - time)")],
)
def test_an_expression_that_has_no_value_is_3_with_time_and_text(tmp_path, expression, names):
    push = f'[[force]]\ntype = "force"\nbody = "ball"\nforce_x = "{expression}"'
    (tmp_path / "s.toml").write_text(scene(extra=push, frames=21, solver='integrator = "rk4"\nstep = 0.01'))
    done = command("run", "s.toml", "-o", "out", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    said = one_message(done.stderr)
    assert names in said and "t = 0.5" in said
    assert frames_kept(tmp_path / "out").frames >= 9


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("foreign_raises", "raised an exception"),
        ("foreign_nan", "wrench = [0.0, 0.0, nan"),
        ("foreign_nan_in_python", "nan"),
    ],
)
def test_a_plugin_that_fails_is_5_with_kind_element_and_time(tmp_path, kind, says):
    site = distribution(tmp_path / "site", "acme", "foreign_kinds.faulty")
    bad = f'[[force]]\nname = "left engine"\ntype = "{kind}"\nbody = "ball"'
    (tmp_path / "s.toml").write_text(scene(extra=bad, frames=21, solver="step = 0.01"))
    done = command("run", "s.toml", "-o", "out", cwd=tmp_path, extra=[site])
    assert done.returncode == 5, done.stderr
    said = done.stderr
    assert "Traceback" not in said
    assert kind in said and '"left engine"' in said and says in said and "t = 0.5" in said
    assert frames_kept(tmp_path / "out").frames >= 9


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
    ("extra", "solver", "says", "kept"),
    [
        ("", 'type = "fragile"\nstep = 0.01', "KeyError: 'nothing'", 8),
        ("", 'type = "stillborn"', "ZeroDivisionError: division by zero", None),
        ('[[force]]\ntype = "careless"\nbody = "ball"', "", "IndexError: list index out of range", None),
    ],
    ids=["while stepping", "at its start", "while compiling"],
)
def test_what_the_python_of_a_plugin_raises_is_5_with_its_name_and_line(tmp_path, extra, solver, says, kept):
    site = distribution(tmp_path / "site", "acme", "acme_fragile", FRAGILE)
    (tmp_path / "s.toml").write_text(scene(extra=extra, solver=solver))
    done = command("run", "s.toml", "-o", "out", cwd=tmp_path, extra=[site])
    assert done.returncode == 5, done.stderr
    said = one_message(done.stderr)
    assert "plugin acme (distribution acme)" in said and "acme_fragile.py, line" in said and says in said
    assert (tmp_path / "out").exists() == (kept is not None)
    if kept is not None:
        raw = frames_kept(tmp_path / "out")
        assert kept <= raw.frames < 21
        assert any(says in m.text for m in raw.messages)


#: from frame 1500 on no file may be longer than BYTES
LIMITED = """
import resource
import mbplugin.run.loop as loop
from mbplugin.cli import main
old = loop.Run.record
def record(self, stop):
    old(self, stop)
    if self.next > 1500:
        resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES, resource.RLIM_INFINITY))
loop.Run.record = record
main()
"""


@pytest.mark.parametrize(
    ("series", "limit"), [("false", 30_000), ("true", 30_000), ("false", 0), ("true", 0)]
)
def test_a_limit_of_file_size_is_4_and_earlier_frames_stay(tmp_path, series, limit):
    (tmp_path / "s.toml").write_text(
        scene(end=20.0, frames=4000).replace("[output]", f"[output]\nseries = {series}")
    )
    done = command("run", "s.toml", "-o", "out", cwd=tmp_path, code=LIMITED.replace("BYTES", str(limit)))
    assert done.returncode == 4, done.stderr[-2000:]
    said = one_message(done.stderr)
    assert "out/result" in said and "File too large (make room, then continue with --resume)" in said
    # a chunk holds 1024 frames
    raw = frames_kept(tmp_path / "out")
    assert 1024 <= raw.frames <= 4000 and raw.check() == []
    if series == "true":
        index = (tmp_path / "out" / "result.pvd").read_text()
        named = re.findall(r'file="([^"]+)"', index)
        assert index.rstrip().endswith("</VTKFile>")
        assert len(list((tmp_path / "out" / "result").glob("frame_*.vtp"))) >= 1024
        assert all((tmp_path / "out" / name).stat().st_size > 0 for name in named)


@pytest.mark.skipif(
    os.getuid() != 0 or shutil.which("mount") is None, reason="needs the right to mount a small tmpfs"
)
@pytest.mark.parametrize(("series", "frames"), [("true", 2000), ("false", 20000)])
def test_a_full_disk_is_4_and_earlier_frames_stay(tmp_path, series, frames):
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)], capture_output=True
        ).returncode
        != 0
    ):
        pytest.skip("a tmpfs cannot be mounted here")
    try:
        (tmp_path / "s.toml").write_text(
            scene(end=20.0, frames=frames).replace("[output]", f"[output]\nseries = {series}")
        )
        done = command("run", "s.toml", "-o", str(disk / "out"), cwd=tmp_path)
        assert done.returncode == 4, done.stderr[-2000:]
        assert "space" in one_message(done.stderr)
        assert frames_kept(disk / "out").frames > 10
        kept = frames_kept(disk / "out")
        if series == "true":
            # with room it goes on, and ends with the files of a run that was never stopped
            assert kept.checkpoint() is not None
            subprocess.run(["mount", "-o", "remount,size=300m", str(disk)], check=True)
            again = command("run", "s.toml", "-o", str(disk / "out"), "--resume", "--json", cwd=tmp_path)
            assert again.returncode == 0, again.stderr
            assert json.loads(again.stdout)["resume_from"] > 0.0
            assert command("run", "s.toml", "-o", "whole", cwd=tmp_path).returncode == 0
            for name in ("result", "joints"):
                assert not (disk / "out" / name).exists() or tree(disk / "out" / name) == tree(
                    tmp_path / "whole" / name
                )
            assert (disk / "out" / "result.pvd").read_bytes() == (
                tmp_path / "whole" / "result.pvd"
            ).read_bytes()
            whole, mended = (
                RawResult(tmp_path / "whole" / "result.zarr"),
                RawResult(disk / "out" / "result.zarr"),
            )
            assert whole.frames == mended.frames == frames + 1
            for key in whole.attributes["frame_arrays"]:
                assert whole[key].tobytes() == mended[key].tobytes(), key
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_ctrl_c_is_130_within_two_seconds_and_the_run_goes_on_with_resume(tmp_path):
    (tmp_path / "s.toml").write_text(scene(end=2000.0, frames=200))
    run = started("run", "s.toml", "-o", "out", cwd=tmp_path)
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and run.poll() is None:
            time.sleep(0.2)
            if (
                (tmp_path / "out" / "result.pvd").exists()
                and (tmp_path / "out" / "result").is_dir()
                and len(list((tmp_path / "out" / "result").iterdir())) > 3
            ):
                break
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=30)
        assert time.monotonic() - start < 2.0
    finally:
        run.kill()
    assert run.returncode == 130, said
    assert "--resume" in one_message(said)
    kept = frames_kept(tmp_path / "out").frames
    assert 3 < kept < 201
    # far enough to see that it goes on where it was, not from the beginning
    again = started("run", "s.toml", "-o", "out", "--resume", cwd=tmp_path)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and frames_kept(tmp_path / "out").frames <= kept + 1:
            time.sleep(0.2)
    finally:
        again.send_signal(signal.SIGINT)
        _, said = again.communicate(timeout=30)
    raw = frames_kept(tmp_path / "out")
    assert raw.frames > kept
    assert any("resumed at" in str(m) for m in raw.messages)


def test_ctrl_c_before_the_first_step_is_130_at_once_also_inside_of_compiled_code(tmp_path):
    """As while LLVM works: the call under way takes minutes, and Python would look for signals after it."""
    busy = (
        "import hashlib\nopen('begun', 'w').close()\nhashlib.pbkdf2_hmac('sha256', b'x', b'y', 300_000_000)\n"
    )
    (tmp_path / "s.py").write_text(busy)
    run = started("run", "s.py", "-o", "out", cwd=tmp_path)
    try:
        deadline = time.monotonic() + 60
        while not (tmp_path / "begun").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.2)
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=30)
        assert time.monotonic() - start < 2.0
    finally:
        run.kill()
    assert run.returncode == 130
    assert said == "error: interrupted; nothing was written\n"
    assert not (tmp_path / "out").exists()


#: a checkpoint at every call, and no mercy after frame 8
KILLED = """
import os, signal
import mbplugin.run.loop as loop
from mbplugin.cli import main
loop.CHECKPOINT = 0.0
old = loop.Run.record
def record(self, stop):
    old(self, stop)
    if self.next > 8:
        os.kill(os.getpid(), signal.SIGKILL)
loop.Run.record = record
main()
"""


def test_what_was_said_before_a_kill_is_in_messages_txt_after_the_resume(tmp_path):
    (tmp_path / "s.toml").write_text(scene())
    assert command("run", "s.toml", "-o", "out", cwd=tmp_path, code=KILLED).returncode == -signal.SIGKILL
    assert "acceleration analysis" in (tmp_path / "out" / "messages.txt").read_text()
    assert command("run", "s.toml", "-o", "out", "--resume", cwd=tmp_path).returncode == 0
    said = " ".join((tmp_path / "out" / "messages.txt").read_text().split())
    messages = [" ".join(m.text.split()) for m in RawResult(tmp_path / "out" / "result.zarr").messages]
    assert [said.count(text) for text in messages] == [1] * len(messages)
    assert "acceleration analysis" in messages[0] and "resumed at t = " in messages[-1]


def test_a_run_that_was_killed_before_its_first_checkpoint_begins_again(tmp_path):
    (tmp_path / "s.toml").write_text(scene())
    never = KILLED.replace("loop.CHECKPOINT = 0.0", "loop.CHECKPOINT = 1e9")
    assert command("run", "s.toml", "-o", "out", cwd=tmp_path, code=never).returncode == -signal.SIGKILL
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
