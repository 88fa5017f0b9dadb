"""Bad input gives one message with file, key, value and correction, exit code 2, and no files."""

from __future__ import annotations

import json
import os
import sys

import pytest
from child import tree
from refusals import refused
from scene_text import body, force, motion, solver, table, world
from small_systems import FREE_BODY, SWING
from snapshots import same_message

from mbplugin.cli.common import keys_and_values
from mbplugin.errors import value_text

# an empty line above, so that the messages count from 2
SCENE = "\n" + (
    world(name="swing")
    + SWING
    + force("rod", name="push", x="sin(time)")
    + solver(end=0.1)
    + table("output", frames=3)
)
PLANAR = world(gravity=[0, 0, -9.81]) + body("a", type="planar", mass=1, inertia=1) + solver(end=1)
PUSH = '[[force]]\nname = "push"'


def shape_of(file: str) -> str:
    """Line of the mass, and one of a mesh from this file."""
    return f'mass = 1.0\nshape = [{{ type = "mesh", file = "{file}" }}]'


#: what Python says of a file differs with its version
OF_PYTHON = r"(is not a valid path|is not TOML): .*"
DEEP, LONG = "(" * 900 + "1" + ")" * 900, f"{'a' * 5000}.stl"
HUGE = "density = 1e50\nshape = [{ type = 'sphere', radius = 1e40 }]"
CHANGED = [
    ("mass = 1.0", "mas = 1.0", 6, "body[0].mas", "1.0"),
    ("mass = 1.0", "mass = true", 6, "body[0].mass", "true"),
    ("mass = 1.0", 'mass = "heavy"', 6, "body[0].mass", '"heavy"'),
    ("mass = 1.0", "mass = [1]", 6, "body[0].mass", "[1]"),
    ("mass = 1.0", "mass = nan", 6, "body[0].mass", "nan"),
    ("mass = 1.0", "mass = inf", 6, "body[0].mass", "inf"),
    ("mass = 1.0", "mass = 0", 6, "body[0].mass", "0"),
    ("mass = 1.0", "mass = -2", 6, "body[0].mass", "-2"),
    ("mass = 1.0\n", "", 4, "body[0].mass", None),
    ("inertia = [0.01, 0.1, 0.1]", "inertia = [0.01, 0.01, 0.1]", 7, "body[0].inertia", "[0.01, 0.01, 0.1]"),
    ("inertia = [0.01, 0.1, 0.1]", "inertia = [0.01, 0.1]", 7, "body[0].inertia", "[0.01, 0.1]"),
    ("inertia = [0.01, 0.1, 0.1]", "inertia = []", 7, "body[0].inertia", "[]"),
    ("position = [0.5, 0, 0]", "position = [0.5, 0]", 8, "body[0].position", "[0.5, 0.0]"),
    ('name = "pivot"', 'name = ""', 10, "joint[0].name", '""'),
    ('type = "revolute"', 'type = "revolut"', 11, "joint[0].type", '"revolut"'),
    ('b = "rod"', 'b = "rood"', 13, "joint[0].b", '"rood"'),
    ('b = "rod"', 'b = "rod.tip"', 13, "joint[0].b", '"rod.tip"'),
    ('b = "rod"', 'b = "ground"', 13, "joint[0].b", '"ground"'),
    ("axis = [0, 1, 0]", "axis = [0, 0, 0]", 14, "joint[0].axis", "[0, 0, 0]"),
    ("axis = [0, 1, 0]", "axes = [0, 1, 0]", 14, "joint[0].axes", "[0, 1, 0]"),
    (
        "axis = [0, 1, 0]",
        "axis = [0, 1, 0]\nstart = { angle_deg = 10, angle = 1 }",
        15,
        "joint[0].start.angle_deg",
        "10.0",
    ),
    ("end = 0.1", "end = 0.1\ntolerence = 1e-8", 22, "solver.tolerence", "1e-08"),
    ("end = 0.1", "end = 0.1\ntolerance = 0", 22, "solver.tolerance", "0"),
    ("end = 0.1", 'end = 0.1\ntype = "rkk"', 22, "solver.type", '"rkk"'),
    ("end = 0.1", 'end = 0.1\nintegrator = "rk4"', 20, "solver.step", None),
    ("end = 0.1", "end = -1", 21, "solver.end", "-1"),
    ("frames = 3", "frames = 0", 23, "output.frames", "0"),
    ("frames = 3", "frames = 2.5", 23, "output.frames", "2.5"),
    ("[scene]", "[scene", 2, None, None),
    ("[solver]", "[sover]", 20, "sover", "{ end = 0.1 }"),
    ('"sin(time)"', '"sin(tim)"', 19, "force[0].force_x", '"sin(tim)"'),
    (
        '"sin(time)"',
        "\"__import__('os').system('touch hacked')\"",
        19,
        "force[0].force_x",
        "\"__import__('os').system('touch hacked')\"",
    ),
    ('"sin(time)"', f'"{DEEP}"', 19, "force[0].force_x", value_text(DEEP)),
    ('"sin(time)"', '"9**9**9**9"', 19, "force[0].force_x", '"9**9**9**9"'),
    ('"sin(time)"', '"time time"', 19, "force[0].force_x", '"time time"'),
    ('"sin(time)"', '"1/0"', 19, "force[0].force_x", '"1/0"'),
    ('"sin(time)"', "true", 19, "force[0].force_x", "true"),
    (PUSH, motion("pivot", length="time") + PUSH, 17, "motion[0].length", '"time"'),
    (PUSH, motion("pivot", speed="time") + PUSH, 17, "motion[0].speed", '"time"'),
    (PUSH, body("rod", mass=1, inertia=[1, 1, 1]) + PUSH, 16, "body[1].name", '"rod"'),
    ("mass = 1.0", shape_of("../wheel.stl"), 7, "body[0].shape[0].file", '"../wheel.stl"'),
    ("mass = 1.0", shape_of("wheel.stl"), 7, "body[0].shape[0].file", '"wheel.stl"'),
    ("mass = 1.0", shape_of("link.stl"), 7, "body[0].shape[0].file", '"link.stl"'),
    ("mass = 1.0", shape_of("circle.stl"), 7, "body[0].shape[0].file", '"circle.stl"'),
    ("mass = 1.0", shape_of("junk.stl"), 7, "body[0].shape[0].file", '"junk.stl"'),
    ("mass = 1.0", shape_of("a\\u0000b.stl"), 7, "body[0].shape[0].file", '"a\\u0000b.stl"'),
    ("mass = 1.0", shape_of(LONG), 7, "body[0].shape[0].file", value_text(LONG)),
    (
        "mass = 1.0",
        'mass = 1.0\nshape = [{ type = "bx", size = [1, 1, 1] }]',
        7,
        "body[0].shape[0].type",
        '"bx"',
    ),
    ("mass = 1.0", "mass = 1e-320", 6, "body[0].mass", "1e-320"),
    ("inertia = [0.01, 0.1, 0.1]", "inertia = [1e200, 1e200, 1e200]", 7, "body[0].inertia[0]", "1e+200"),
    ("mass = 1.0", "mass = 2020-01-01", 6, "body[0].mass", "2020-01-01"),
    ("mass = 1.0", 'mass = 1.0\n"\\u001b[2J" = 1', 4, "body[0].\x1b[2J", "1"),
    ("frames = 3", "frames = 1e15", 23, "output.frames", "1000000000000000"),
    ("frames = 3", "every = 1e-15", 23, "output.every", "1e-15"),
    ("frames = 3", "frames = 3\nstart = 7", 24, "output.start", "7.0"),
    ('"sin(time)"', '"log(time)"', 19, "force[0].force_x", '"log(time)"'),
    ("position = [0.5, 0, 0]", "position = [0, 1e300, 0]", 8, "body[0].position[1]", "1e+300"),
    ("position = [0.5, 0, 0]", "position = [0, -1e30, 0]", 8, "body[0].position[1]", "-1e+30"),
    ("end = 0.1", "end = 1e300", 21, "solver.end", "1e+300"),
    ("end = 0.1", "end = 1e-300", 21, "solver.end", "1e-300"),
    ("end = 0.1", "end = 1e30", 21, "solver.end", "1e+30"),
    ("end = 0.1", "end = 0.1\nstep = 1e-300\nintegrator = 'rk4'", 22, "solver.step", "1e-300"),
    ("end = 0.1", "end = 0.1\nstep = 1e-19\nintegrator = 'rk4'", 22, "solver.step", "1e-19"),
    ("end = 0.1", "end = 0.1\ntolerance = 0.2", 22, "solver.tolerance", "0.2"),
    ("end = 0.1", "end = 0.1\ntype = 'galpha'\ntolerance = 0.2", 23, "solver.tolerance", "0.2"),
    (PUSH, table("state", name="sum", rate="1", start=1e300) + PUSH, 18, "state[0].start", "1e+300"),
    (PUSH, table("state", name="sum", rate="1e300*time") + PUSH, 17, "state[0].rate", '"1e300*time"'),
    (PUSH, table("spline", name="s", x=[0, 1, 2], y=[0, 1e300, 2]) + PUSH, 18, "spline[0].y[1]", "1e+300"),
    (
        PUSH,
        table("force", type="torque", body="rod", torque_y=1e300) + PUSH,
        18,
        "force[0].torque_y",
        "1e+300",
    ),
    ('"sin(time)"', '"1e300*time"', 19, "force[0].force_x", '"1e300*time"'),
    ("axis = [0, 1, 0]", "axis = [0, 1e-300, 0]", 14, "joint[0].axis", "[0, 1e-300, 0]"),
    ("mass = 1.0\ninertia = [0.01, 0.1, 0.1]", HUGE, 6, "body[0].density", "1e+50"),
    (PUSH, motion("pivot", angle="1/time") + PUSH, 17, "motion[0].angle", '"1/time"'),
]
WHOLE = [
    ("", None, None),
    ("a = " + "[" * 20000, None, None),
    ("a = " + "{ a = " * 5000, None, None),
    ("a" + ".a" * 100_000 + " = 1", 1, None),
    ("[a" + ".a" * 100_000 + "]", 1, None),
    ("# " + "x" * 25_000_000, None, None),
    (b'[scene]\nname = "caf\xe9"\n', 2, None),
    (PLANAR, 2, "scene.gravity"),
    (world(name=3) + FREE_BODY, 2, "scene.name"),
    ("x" * 100, 1, None),
]


@pytest.fixture
def run(capsys, monkeypatch):
    """`mbplugin run NAME WORDS` in a folder: its exit code, the fields of its error and what it says."""
    from mbplugin.cli import main

    def run(folder, *words, name="scene.toml"):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["mbplugin", "run", name, *words, "--json"])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code or 0, json.loads(printed.out).get("error", {}), printed.err

    return run


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "value"), CHANGED, ids=[str(row[1])[:50] for row in CHANGED]
)
def test_a_wrong_line_is_named(tmp_path, run, old, new, line, key, value):
    (tmp_path / "elsewhere.stl").write_text("solid x\nendsolid x\n")
    scene = tmp_path / "scene"
    scene.mkdir()
    os.symlink(tmp_path / "elsewhere.stl", scene / "link.stl")
    os.symlink("circle.stl", scene / "circle.stl")
    (scene / "junk.stl").write_text("solid x\nendsolid x\n")
    assert old in SCENE
    (scene / "scene.toml").write_text(SCENE.replace(old, new))
    before = tree(tmp_path)
    code, error, said = run(scene, "-o", "out")
    assert (code, error["kind"], error["file"], error["line"]) == (2, "SceneError", "scene.toml", line), said
    assert (error.get("key"), error.get("value")) == (key, value), said
    assert said.count("\n") <= 4 and len(said) < 1200
    assert all(c.isprintable() or c == "\n" for c in said)
    assert tree(tmp_path) == before
    same_message(said, hide=OF_PYTHON)


@pytest.mark.parametrize(("text", "line", "key"), WHOLE, ids=[str(row[0])[:20] for row in WHOLE])
def test_a_file_that_is_no_scene_is_named(tmp_path, run, text, line, key):
    (tmp_path / "scene.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    code, error, said = run(tmp_path, "-o", "out")
    assert (code, error["file"], error.get("line"), error.get("key")) == (2, "scene.toml", line, key), said
    assert not (tmp_path / "out").exists()
    same_message(said, hide=OF_PYTHON)


@pytest.mark.parametrize("name", ["missing.toml", "folder", "missing/scene.toml"])
def test_a_scene_that_is_not_there_is_named(tmp_path, run, name):
    (tmp_path / "folder").mkdir()
    code, error, said = run(tmp_path, "-o", "out", name=name)
    assert code == 2 and error["file"].startswith(name), said
    same_message(said)


@pytest.mark.parametrize(
    ("change", "key", "value"),
    [
        ("mas=2", "--set mas", "2"),
        ("stiffness", "--set", '"stiffness"'),
        ("solver.tolerance=abc", "--set solver.tolerance", '"abc"'),
        ("body.9.mass=1", "--set body.9.mass", "1"),
    ],
)
def test_a_wrong_set_option_is_named(tmp_path, run, change, key, value):
    (tmp_path / "scene.toml").write_text(table("parameters", mass=1) + SCENE)
    code, error, said = run(tmp_path, "-o", "out", "--set", change)
    assert (code, error["key"], error["value"]) == (2, key, value), said
    same_message(said)


@pytest.mark.parametrize("end", ["nan", "inf", "0", "-1"])
def test_an_invalid_end_time_is_named(tmp_path, run, end):
    (tmp_path / "scene.toml").write_text(SCENE)
    code, error, said = run(tmp_path, "-o", "out", f"--end={end}")
    assert (code, error["key"], error["value"]) == (2, "--end", value_text(float(end))), said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["../../elsewhere", "/elsewhere", "..", "a/b"])
def test_the_name_of_a_scene_cannot_write_outside_the_folder(tmp_path, run, name):
    here = tmp_path / "one" / "two"
    here.mkdir(parents=True)
    (here / "scene.toml").write_text(SCENE.replace('"swing"', f'"{name}"'))
    code, _, said = run(here)
    assert code == 0, said
    assert {p.name for p in here.iterdir()} == {"scene.toml", "out"}
    assert [p.name for p in (here / "out").iterdir()] != []
    assert all((p / "result.zarr").is_dir() for p in (here / "out").iterdir())
    assert [p.name for p in tmp_path.iterdir()] == ["one"]
    assert [p.name for p in (tmp_path / "one").iterdir()] == ["two"]


def test_an_existing_result_is_not_changed_by_bad_input(tmp_path, run, monkeypatch):
    (tmp_path / "scene.toml").write_text(SCENE)
    monkeypatch.chdir(tmp_path)
    import mbplugin as mb

    mb.System.from_file("scene.toml").run("out")
    before = tree(tmp_path / "out")
    assert before.pop(".mbplugin")  # who held the folder last
    (tmp_path / "scene.toml").write_text(SCENE.replace('b = "rod"', 'b = "rood"'))
    code, _, _ = run(tmp_path, "-o", "out")
    assert code == 2
    (tmp_path / "scene.toml").write_text(SCENE.replace("mass = 1.0", "mass = 1.5"))
    code, error, said = run(tmp_path, "-o", "out", "--resume")
    assert (code, error["key"]) == (2, "--resume"), said
    same_message(said)
    after = tree(tmp_path / "out")
    assert after.pop(".mbplugin") and after == before


@pytest.mark.parametrize(
    "given", [["m"], ["=1"], [" =1"], ["m=1", "m=2"], ["m=1", "parameters.m=2"], ["parameters.m=1", "m = 2"]]
)
def test_a_change_on_the_command_line_that_says_nothing_or_two_things_is_refused(given):
    with refused("--set", given[-1]):
        keys_and_values(given, "stiffness=5")
