"""The command line where the system gives less than usual: no home, ASCII only, closed pipes, odd names."""

from __future__ import annotations

import json
import os
import signal
import tomllib

import pytest
from child import MAIN, command, distribution, going
from refusals import error_of, has
from scene_text import solver, table
from small_systems import pendulum
from test_failures import one_message, wait_until

from mbplugin.errors import SceneError

HINGED = (
    pendulum("Stäbchen 棒", "Gelenk", position=[1, 0, 0], inertia=[1, 1, 1])
    + solver(end=0.02)
    + table("output", frames=3)
)
NO_HOME = f"""
import os, pwd
def nobody(user):
    raise KeyError(user)
pwd.getpwuid = nobody
for name in ("HOME", "XDG_CACHE_HOME"):
    os.environ.pop(name, None)
{MAIN}
"""
CLOSED_PIPE = f"""
import os
read_end, write_end = os.pipe()
os.close(read_end)
os.dup2(write_end, 1)
os.close(write_end)
{MAIN}
"""
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_without_a_home_the_cache_is_in_the_folder_for_temporary_files(tmp_path):
    (tmp_path / "tmp").mkdir()
    code = NO_HOME.replace(
        MAIN, "from mbplugin.compiler.folder import cache_folder; print(cache_folder().parent)"
    )
    done = command(cwd=tmp_path, code=code, MBPLUGIN_CACHE="", TMPDIR=str(tmp_path / "tmp"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "tmp" / f"mbplugin-{os.getuid()}")


@pytest.mark.slow
def test_a_scene_runs_without_a_home(tmp_path):
    (tmp_path / "s.toml").write_text(HINGED)
    done = command("run", "s.toml", "-o", "out", cwd=tmp_path, code=NO_HOME)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("check", "s.toml", "--matrices"),
        ("explain", "s.toml", "-o", "explained"),
        ("plugins", "show", "revolute"),
        ("new", "größe"),
        ("run", "missing-größe.toml"),
    ],
    ids=lambda words: words[0],
)
def test_commands_print_in_ascii_where_nothing_else_is_known(tmp_path, words):
    (tmp_path / "s.toml").write_text(HINGED)
    done = command(*words, cwd=tmp_path, fork=True, **ASCII)
    assert done.returncode == (2 if "missing" in words[1] else 0), done.stderr
    assert "Traceback" not in done.stderr and (done.stdout + done.stderr).isascii()
    if words[0] == "new":
        text = (tmp_path / "größe" / "scene.toml").read_text(encoding="utf-8")
        assert tomllib.loads(text)["scene"]["name"] == "größe"


def test_a_scene_with_other_letters_runs_in_ascii_into_a_folder_of_ascii(tmp_path):
    text = table("scene", name="Größe") + HINGED.replace("Stäbchen 棒", "rod")
    (tmp_path / "s.toml").write_text(text)
    done = command("run", "s.toml", cwd=tmp_path, fork=True, **ASCII)
    assert done.returncode == 0, done.stderr
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["Gr__e"]


@pytest.mark.parametrize("words", [("schema",), ("plugins",), ("check", "s.toml"), ("run", "s.toml")])
def test_a_reader_that_closes_the_pipe_ends_the_command_silently(tmp_path, words):
    (tmp_path / "s.toml").write_text(HINGED)
    done = command(*words, cwd=tmp_path, code=CLOSED_PIPE, fork=True)
    assert done.returncode == 1 and done.stderr == ""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("run", f"{'n' * 300}.toml"), 2),
        (("run", "s.toml", "-o", "n" * 300), 4),
        (("new", "n" * 300), 4),
        (("info", "n" * 300), 4),
    ],
)
def test_a_name_of_300_bytes_is_refused_in_one_line(tmp_path, words, code):
    (tmp_path / "s.toml").write_text(HINGED)
    done = command(*words, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1


def test_a_scene_named_with_300_bytes_has_a_shorter_default_folder(tmp_path):
    (tmp_path / "s.toml").write_text(table("scene", name="漢" * 100) + HINGED)
    assert command("run", "s.toml", cwd=tmp_path).returncode == 0
    (tmp_path / "t.toml").write_text(HINGED.replace("Gelenk", "漢" * 100))
    error = error_of(command("run", "t.toml", "--json", cwd=tmp_path), SceneError)
    assert (error["key"], error["line"]) == ("joint[0].name", 7)


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "a'b", "{name}", "ä b"])
def test_a_new_scene_may_have_any_name_of_a_folder(tmp_path, name):
    assert command("new", name, cwd=tmp_path).returncode == 0
    assert tomllib.loads((tmp_path / name / "scene.toml").read_text())["scene"]["name"] == name


LOUD = """
import math
from mbplugin.interface import ForceKind, hookimpl

print("loading")
unknown = {"numba": lambda: None}


def stop(error):
    raise error


class Push(ForceKind):
    markers = 1

    @staticmethod
    def kernel(a, t, wrench):
        unknown["numba"]()
        wrench[0, :] = 0.0
        if t > 0.01:
            ACTION


class Loud(Push):
    name = "loud"


class Endless(ForceKind):
    name = "endless"
    markers = 1

    @staticmethod
    def kernel(a, t, wrench):
        for k in range(6):
            wrench[0, k] = 0.0
        while t > 0.01:
            wrench[0, 0] = math.sin(wrench[0, 0] + 1.0)


@hookimpl
def mbplugin_force_elements(register):
    register(Loud)
    register(Endless)
"""


def plugin(tmp_path, action: str, kind: str = "loud"):
    """A scene with a force of a plugin that does this in its kernel, and the folder of the plugin."""
    (tmp_path / "s.toml").write_text(HINGED + table("force", name="left", type=kind, body="Stäbchen 棒"))
    return distribution(tmp_path / "site", "acme", "acme_loud", LOUD.replace("ACTION", action))


def test_what_a_plugin_prints_is_not_in_the_document(tmp_path):
    site = plugin(tmp_path, 'print("pushing"); import os; os.write(1, b"from below\\n")')
    done = command("run", "s.toml", "-o", "out", "--json", cwd=tmp_path, extra=[site])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["frames"] == 4
    assert all(text in done.stderr for text in ("loading", "pushing", "from below"))


def test_an_error_under_json_is_a_document(tmp_path):
    done = command("run", "missing.toml", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["error"]["exit_code"] == done.returncode == 2


@pytest.mark.parametrize(
    "error",
    [
        "SystemExit(0)",
        'ValueError("a\\x1b[2Jb\\nc")',
        pytest.param("KeyboardInterrupt()", marks=pytest.mark.slow),
    ],
)
def test_whatever_a_kernel_raises_is_the_plugins_failure_in_one_line(tmp_path, error):
    site = plugin(tmp_path, f"stop({error})")
    done = command("run", "s.toml", "-o", "out", cwd=tmp_path, extra=[site])
    assert done.returncode == 5, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("error")]
    assert len(said) == 1 and error.partition("(")[0] in said[0] and '"left"' in said[0]
    assert "\x1b" not in done.stderr and "Traceback" not in done.stderr


def test_ctrl_c_is_heard_in_a_kernel_that_never_ends(tmp_path):
    site = plugin(tmp_path, "pass", kind="endless")
    code = MAIN.replace("from", "import mbplugin.run.interrupts as i; i.PATIENCE = 0.5; from", 1)
    (tmp_path / "t.toml").write_text(HINGED)
    run = going("run", "s.toml", "-o", "out", cwd=tmp_path, extra=[site], code=code)
    try:
        wait_until(lambda: (tmp_path / "out" / "result.zarr").exists() or run.poll() is not None, 200)
        wait_until(lambda: False, 1.0)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=20)
    finally:
        run.kill()
    assert run.returncode == 130, said
    assert has(one_message(said), '"endless"', '"left"')
