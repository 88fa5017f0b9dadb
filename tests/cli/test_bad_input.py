"""Bad input gives one message with file, key, value and correction, exit code 2, and no files."""

from __future__ import annotations

import os
import sys

import pytest
from child import tree
from scene_text import body, force, motion, solver, table, world
from small_systems import FREE_BODY, SWING

from mbplugin.cli.common import keys_and_values
from mbplugin.errors import SceneError

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


HUGE = "density = 1e50\nshape = [{ type = 'sphere', radius = 1e40 }]"
CHANGED = [
    ("mass = 1.0", "mas = 1.0", ["body[0].mas", "did you mean", "mass"]),
    ("mass = 1.0", "mass = true", ["body[0].mass", "true", "must be a number"]),
    ("mass = 1.0", 'mass = "heavy"', ["body[0].mass", "heavy"]),
    ("mass = 1.0", "mass = [1]", ["body[0].mass"]),
    ("mass = 1.0", "mass = nan", ["body[0].mass", "nan"]),
    ("mass = 1.0", "mass = inf", ["body[0].mass", "inf"]),
    ("mass = 1.0", "mass = 0", ["body[0].mass", "greater than 0"]),
    ("mass = 1.0", "mass = -2", ["body[0].mass", "greater than 0"]),
    ("mass = 1.0\n", "", ["body[0].mass"]),
    ("inertia = [0.01, 0.1, 0.1]", "inertia = [0.01, 0.01, 0.1]", ["body[0].inertia", "triangle"]),
    ("inertia = [0.01, 0.1, 0.1]", "inertia = [0.01, 0.1]", ["body[0].inertia"]),
    ("inertia = [0.01, 0.1, 0.1]", "inertia = []", ["body[0].inertia"]),
    ("position = [0.5, 0, 0]", "position = [0.5, 0]", ["body[0].position"]),
    ('name = "pivot"', 'name = ""', ["joint[0].name"]),
    ('type = "revolute"', 'type = "revolut"', ["joint[0].type", "revolut", "did you mean", "revolute"]),
    ('b = "rod"', 'b = "rood"', ["joint[0].b", "rood", "did you mean", "rod"]),
    ('b = "rod"', 'b = "rod.tip"', ["joint[0].b", "tip"]),
    ('b = "rod"', 'b = "ground"', ["joint[0]", "itself"]),
    ("axis = [0, 1, 0]", "axis = [0, 0, 0]", ["joint[0].axis"]),
    ("axis = [0, 1, 0]", "axes = [0, 1, 0]", ["joint[0].axes", "axis"]),
    ("axis = [0, 1, 0]", "axis = [0, 1, 0]\nstart = { angle_deg = 10, angle = 1 }", ["angle"]),
    ("end = 0.1", "end = 0.1\ntolerence = 1e-8", ["solver.tolerence", "tolerance"]),
    ("end = 0.1", "end = 0.1\ntolerance = 0", ["solver.tolerance", "greater than 0"]),
    ("end = 0.1", 'end = 0.1\ntype = "rkk"', ["solver.type", "rkk"]),
    ("end = 0.1", 'end = 0.1\nintegrator = "rk4"', ["step", "rk4"]),
    ("end = 0.1", "end = -1", ["solver.end"]),
    ("frames = 3", "frames = 0", ["output.frames"]),
    ("frames = 3", "frames = 2.5", ["output.frames"]),
    ("[scene]", "[scene", ["line 2"]),
    ("[solver]", "[sover]", ["sover", "did you mean", "solver"]),
    ('"sin(time)"', '"sin(tim)"', ["force[0].force_x", "tim", "did you mean", "time"]),
    ('"sin(time)"', "\"__import__('os').system('touch hacked')\"", ["force[0].force_x", "__import__"]),
    ('"sin(time)"', '"' + "(" * 900 + "1" + ")" * 900 + '"', ["force[0].force_x"]),
    ('"sin(time)"', '"9**9**9**9"', ["force[0].force_x", "exponent"]),
    ('"sin(time)"', '"time time"', ["force[0].force_x"]),
    ('"sin(time)"', '"1/0"', ["force[0].force_x"]),
    ('"sin(time)"', "true", ["force[0].force_x"]),
    (PUSH, motion("pivot", length="time") + PUSH, ["motion[0].length", "angle"]),
    (PUSH, motion("pivot", speed="time") + PUSH, ['has no free coordinate "speed"', "be driven: angle"]),
    (PUSH, body("rod", mass=1, inertia=[1, 1, 1]) + PUSH, ["body[1].name", "rod"]),
    ("mass = 1.0", shape_of("../wheel.stl"), ["shape[0].file", "inside the scene's folder"]),
    ("mass = 1.0", shape_of("wheel.stl"), ["shape[0].file", "no such file"]),
    ("mass = 1.0", shape_of("link.stl"), ["shape[0].file", "inside the scene's folder"]),
    ("mass = 1.0", shape_of("circle.stl"), ["shape[0].file"]),
    ("mass = 1.0", shape_of("junk.stl"), ["line 7: body[0].shape[0].file", "no triangles"]),
    ("mass = 1.0", shape_of("a\\u0000b.stl"), ["shape[0].file", "null byte"]),
    ("mass = 1.0", shape_of(f"{'a' * 5000}.stl"), ["shape[0].file", "too long"]),
    (
        "mass = 1.0",
        'mass = 1.0\nshape = [{ type = "bx", size = [1, 1, 1] }]',
        ['line 7: body[0].shape[0].type = "bx": unknown type; did you mean "box"?'],
    ),
    ("mass = 1.0", "mass = 1e-320", ["body[0].mass", "at least 1e-50"]),
    ("inertia = [0.01, 0.1, 0.1]", "inertia = [1e200, 1e200, 1e200]", ["body[0].inertia[0]", "1e+50"]),
    ("mass = 1.0", "mass = 2020-01-01", ["body[0].mass = 2020-01-01"]),
    ("mass = 1.0", 'mass = 1.0\n"\\u001b[2J" = 1', ["\\u001b[2J", "unknown key"]),
    ("frames = 3", "frames = 1e15", ["output.frames", "1e+15 frames"]),
    ("frames = 3", "every = 1e-15", ["output.every", "1e+14 frames"]),
    ("frames = 3", "frames = 3\nstart = 7", ["output.start = 7", "before the end of the run, 0.1 s"]),
    ('"sin(time)"', '"log(time)"', ["force[0].force_x", "log(time)", "no value at time = 0"]),
    ("position = [0.5, 0, 0]", "position = [0, 1e300, 0]", ["body[0].position[1]", "1e+50"]),
    ("position = [0.5, 0, 0]", "position = [0, -1e30, 0]", ["body[0].position[1]", "1e+20"]),
    ("end = 0.1", "end = 1e300", ["solver.end", "1e+50"]),
    ("end = 0.1", "end = 1e-300", ["solver.end", "at least 1e-50"]),
    ("end = 0.1", "end = 1e30", ["solver.end", "from 1e-20 to 1e+20 s"]),
    ("end = 0.1", "end = 0.1\nstep = 1e-300\nintegrator = 'rk4'", ["solver.step", "at least 1e-50"]),
    ("end = 0.1", "end = 0.1\nstep = 1e-19\nintegrator = 'rk4'", ["solver.step", "1e+18 steps"]),
    ("end = 0.1", "end = 0.1\ntolerance = 0.2", ["solver.tolerance", "from 1e-16 to 0.1"]),
    ("end = 0.1", "end = 0.1\ntype = 'galpha'\ntolerance = 0.2", ["solver.tolerance", "from 1e-16 to 0.1"]),
    (PUSH, table("state", name="sum", rate="1", start=1e300) + PUSH, ["state[0].start", "1e+50"]),
    (PUSH, table("state", name="sum", rate="1e300*time") + PUSH, ["state[0].rate", "above 1e+50"]),
    (PUSH, table("spline", name="s", x=[0, 1, 2], y=[0, 1e300, 2]) + PUSH, ["spline[0].y", "1e+50"]),
    (PUSH, table("force", type="torque", body="rod", torque_y=1e300) + PUSH, ["force[0].torque_y", "1e+50"]),
    ('"sin(time)"', '"1e300*time"', ["force[0].force_x", "above 1e+50"]),
    ("axis = [0, 1, 0]", "axis = [0, 1e-300, 0]", ["joint[0].axis", "at least 1e-50"]),
    ("mass = 1.0\ninertia = [0.01, 0.1, 0.1]", HUGE, ["body[0].density", "1e+50 kg"]),
    (PUSH, motion("pivot", angle="1/time") + PUSH, ["motion[0].angle", "no value at time = 0"]),
]
WHOLE = [
    ("", ["is empty"]),
    ("a = " + "[" * 20000, ["nested too deeply"]),
    ("a = " + "{ a = " * 5000, ["nested too deeply"]),
    ("a" + ".a" * 100_000 + " = 1", ["line 1", "nested too deeply"]),
    ("[a" + ".a" * 100_000 + "]", ["line 1", "nested too deeply"]),
    ("# " + "x" * 25_000_000, ["MB"]),
    (b'[scene]\nname = "caf\xe9"\n', ["line 2", "UTF-8"]),
    (PLANAR, ["scene.gravity", "plane"]),
    (world(name=3) + FREE_BODY, ["scene.name"]),
    ("x" * 100, ["scene.toml"]),
]


@pytest.fixture
def run(capsys, monkeypatch):
    """`mbplugin run NAME WORDS` in a folder: its exit code and what was printed to standard error."""
    from mbplugin.cli import main

    def run(folder, *words, name="scene.toml"):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["mbplugin", "run", name, *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, capsys.readouterr().err

    return run


@pytest.mark.parametrize(("old", "new", "words"), CHANGED, ids=[str(new)[:50] for _, new, _ in CHANGED])
def test_a_wrong_line_is_named(tmp_path, run, old, new, words):
    (tmp_path / "elsewhere.stl").write_text("solid x\nendsolid x\n")
    scene = tmp_path / "scene"
    scene.mkdir()
    os.symlink(tmp_path / "elsewhere.stl", scene / "link.stl")
    os.symlink("circle.stl", scene / "circle.stl")
    (scene / "junk.stl").write_text("solid x\nendsolid x\n")
    assert old in SCENE
    (scene / "scene.toml").write_text(SCENE.replace(old, new))
    before = tree(tmp_path)
    code, said = run(scene, "-o", "out")
    assert code == 2, said
    assert "scene.toml" in said or "--set" in said
    assert all(word in said for word in words), said
    assert said.count("\n") <= 4 and len(said) < 1200
    assert all(c.isprintable() or c == "\n" for c in said)
    assert tree(tmp_path) == before


@pytest.mark.parametrize(("text", "words"), WHOLE, ids=[str(words[0]) for _, words in WHOLE])
def test_a_file_that_is_no_scene_is_named(tmp_path, run, text, words):
    (tmp_path / "scene.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    code, said = run(tmp_path, "-o", "out")
    assert code == 2
    assert all(word in said for word in ["scene.toml", *words]), said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["missing.toml", "folder", "missing/scene.toml"])
def test_a_scene_that_is_not_there_is_named(tmp_path, run, name):
    (tmp_path / "folder").mkdir()
    code, said = run(tmp_path, "-o", "out", name=name)
    assert code == 2 and name in said and "no such file" in said


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("mas=2", ["--set mas", "mass"]),
        ("stiffness", ["--set", "stiffness", "key=value"]),
        ("solver.tolerance=abc", ["solver.tolerance"]),
        ("body.9.mass=1", ["body"]),
    ],
)
def test_a_wrong_set_option_is_named(tmp_path, run, change, words):
    (tmp_path / "scene.toml").write_text(table("parameters", mass=1) + SCENE)
    code, said = run(tmp_path, "-o", "out", "--set", change)
    assert code == 2
    assert all(word in said for word in words), said


@pytest.mark.parametrize("end", ["nan", "inf", "0", "-1"])
def test_an_invalid_end_time_is_named(tmp_path, run, end):
    (tmp_path / "scene.toml").write_text(SCENE)
    code, said = run(tmp_path, "-o", "out", f"--end={end}")
    assert code == 2
    assert "--end" in said and "greater than 0" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["../../elsewhere", "/elsewhere", "..", "a/b"])
def test_the_name_of_a_scene_cannot_write_outside_the_folder(tmp_path, run, name):
    here = tmp_path / "one" / "two"
    here.mkdir(parents=True)
    (here / "scene.toml").write_text(SCENE.replace('"swing"', f'"{name}"'))
    code, said = run(here)
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
    code, _ = run(tmp_path, "-o", "out")
    assert code == 2
    (tmp_path / "scene.toml").write_text(SCENE.replace("mass = 1.0", "mass = 1.5"))
    code, said = run(tmp_path, "-o", "out", "--resume")
    assert code == 2 and "another scene" in said
    after = tree(tmp_path / "out")
    assert after.pop(".mbplugin") and after == before


@pytest.mark.parametrize(
    ("given", "mend"),
    [
        (["m"], "write key=value"),
        (["=1"], "write key=value"),
        ([" =1"], "write key=value"),
        (["m=1", "m=2"], "given twice"),
        (["m=1", "parameters.m=2"], "given twice"),
        (["parameters.m=1", "m = 2"], "given twice"),
    ],
)
def test_a_change_on_the_command_line_that_says_nothing_or_two_things_is_refused(given, mend):
    with pytest.raises(SceneError) as told:
        keys_and_values(given, "stiffness=5")
    assert (told.value.key, told.value.value) == ("--set", given[-1]) and mend in told.value.mend
