"""Commands end to end: exit codes, messages, and no files after bad input."""

from __future__ import annotations

import json
import re
from importlib.metadata import version

import numpy as np
from child import ROOT, after_each_frame, command, inside
from refusals import error_of, has, message_with
from scene_text import body, joint, solver, table, with_keys, world
from small_systems import SWING
from snapshots import same_message

from mbplugin.errors import PhysicsError, SceneError
from mbplugin.results import RawResult

SCENE = world(name="swing") + SWING + solver(end=0.5) + table("output", frames=20)


def test_the_version_is_that_of_the_distribution(tmp_path):
    assert command("--version", cwd=tmp_path).stdout == f"mbplugin {version('mbplugin')}\n"


def test_run_prints_the_promised_numbers(tmp_path):
    (tmp_path / "scene.toml").write_text(SCENE)
    done = command("run", "scene.toml", "-o", "out", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    counts = {"dof", "rows", "rank", "steps", "evaluations", "frames"}
    assert counts | {"cpu_seconds", "drift_position", "drift_velocity", "energy_error", "out"} <= set(found)
    assert (found["dof"], found["rows"], found["rank"], found["frames"]) == (1, 5, 5, 21)
    assert found["drift_position"] < 1e-12
    for name in ("result.zarr", "result.pvd", "joints.pvd", "messages.txt"):
        assert (tmp_path / "out" / name).exists()
    told = json.loads(command("info", "out", "--json", cwd=tmp_path).stdout)
    assert told["frames"] == 21
    assert "force" in told["quantities"]["joint"] and "balance" in told["quantities"]["energy"]


def test_a_run_warns_where_its_energy_does_not_add_up(tmp_path):
    ball = body("ball", mass=1, inertia=[1, 1, 1], position=[1.5, 0, 0])
    spring = table("force", name="s", type="spring_damper", a="ground", b="ball", stiffness=100, length=1.0)
    told = {}
    for step in (0.01, 0.2):  # 16 steps a period, and less than one
        text = world(gravity=[0, 0, 0]) + ball + spring + solver(integrator="rk4", step=step, end=1.0)
        (tmp_path / "scene.toml").write_text(text)
        done = inside("run", "scene.toml", "-o", f"out{step}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        told[step] = done.stdout
        said = (tmp_path / f"out{step}/messages.txt").read_text()
        assert said.count("[warning]") == (step == 0.2)
    (warning,) = [line for line in told[0.2].splitlines() if line.startswith("warning: ")]
    same_message(warning)
    assert "warning" not in told[0.01]


def test_a_run_says_what_assembly_has_moved(tmp_path):
    (tmp_path / "scene.toml").write_text(with_keys(SCENE, "pivot", start={"angle_deg": 30}))
    inside("run", "scene.toml", "-o", "out", cwd=tmp_path)
    # a chord of 30 degrees around the pivot, 0.5 m away
    moved = message_with(RawResult(tmp_path / "out" / "result.zarr").messages, '"rod"', "rad")
    assert has(moved.text, f"{np.sin(np.radians(15)):.3g} m")


def test_joints_that_cannot_close_are_named(tmp_path):
    tip = with_keys(SCENE, "rod", marker=[{"name": "tip", "position": [0.5, 0, 0]}])
    (tmp_path / "scene.toml").write_text(tip + joint("hook", "ball", "ground", "rod.tip", at=[5, 0, 0]))
    done = inside("run", "scene.toml", "-o", "out", "--json", cwd=tmp_path)
    # the hinge holds the tip at 1 m
    error_of(done, PhysicsError, "hook", "pivot", "-4 m")
    assert not (tmp_path / "out").exists()


def test_a_rod_of_no_length_is_named(tmp_path):
    """The point given on the ground is the mass centre of the other body."""
    (tmp_path / "scene.toml").write_text(SCENE + joint("nothing", "rod", "ground", "rod", at=[0.5, 0, 0]))
    done = inside("check", "scene.toml", "--json", cwd=tmp_path)
    assert error_of(done, SceneError, "nothing")["key"] == "joint[1]"


def test_check_shows_all_masses_and_which_follow_from_shapes(tmp_path):
    """A brick of 6 kg: I = m (b² + c²) / 12, beside the rod, whose mass is given."""
    brick = '[[body]]\nname = "brick"\ndensity = 1000\n'
    brick += 'shape = [{ type = "box", size = [0.1, 0.2, 0.3], position = [0.05, 0, 0] }]\n'
    (tmp_path / "scene.toml").write_text(SCENE + brick)
    said = inside("check", "scene.toml", cwd=tmp_path).stdout.splitlines()
    head = next(k for k, line in enumerate(said) if line.startswith("body "))
    rod, brick = (line.split() for line in said[head + 1 : head + 3])
    assert rod[:3] == ["rod", "given", "1"]
    assert rod[3:] == ["0", "0", "0", "0.01", "0.1", "0.1", "0", "0", "0"]
    assert brick == ["brick", "shapes", "6", "0.05", "0", "0", "0.065", "0.05", "0.025", "0", "0", "0"]
    assert said[head + 3 : head + 5] == ["total mass 7 kg", ""]
    masses = json.loads(inside("check", "scene.toml", "--json", cwd=tmp_path).stdout)["masses"]
    assert masses.keys() == {"rod", "brick"} and abs(masses["brick"]["inertia"][1][1] - 0.05) < 1e-15
    assert [of["from"] for of in masses.values()] == ["given", "shapes"]


def test_check_of_many_bodies_stays_short(tmp_path):
    bodies = "".join(body(f"ball{i}", type="point", mass=0.5, position=[i, 0, 0]) for i in range(300))
    (tmp_path / "scene.toml").write_text(bodies)
    said = inside("check", "scene.toml", cwd=tmp_path).stdout.splitlines()
    assert len(said) < 60
    assert "total mass 150 kg" in said and any(has(line, 276, "--json") for line in said)
    assert len(json.loads(inside("check", "scene.toml", "--json", cwd=tmp_path).stdout)["masses"]) == 300


def test_info_prints_each_message_on_lines_of_its_own(tmp_path):
    text = SCENE + joint("twice", "ball", "ground", "rod")
    (tmp_path / "scene.toml").write_text(text)
    assert inside("run", "scene.toml", "-o", "out", cwd=tmp_path).returncode == 0
    lines = inside("info", "out", cwd=tmp_path).stdout.splitlines()
    told = lines[lines.index("messages") + 1 :]
    said = (tmp_path / "out" / "messages.txt").read_text().splitlines()
    assert [line.strip() for line in told] == [re.sub(r"^\[\w+\] ", "", line).strip() for line in said]
    # a message begins at two columns, its further lines are indented below it
    starts = [line for line in told if line.startswith("  ") and not line.startswith("   ")]
    assert len(starts) == sum(line.startswith("[") for line in said) > 3


def test_new_scene_passes_check_and_is_not_overwritten(tmp_path):
    assert command("new", "swing", cwd=tmp_path).returncode == 0
    assert command("check", "swing", cwd=tmp_path).returncode == 0
    assert command("new", "swing", cwd=tmp_path).returncode == 2


def test_schema_knows_the_keys_of_kinds(tmp_path):
    schema = json.loads(inside("schema", cwd=tmp_path).stdout)
    force = schema["$defs"]["Force"]
    assert "spring_damper" in force["properties"]["type"]["enum"]
    assert any("stiffness" in rule["then"]["properties"] for rule in force["allOf"])


def test_a_resumed_run_is_bit_for_bit_the_whole_one(tmp_path):
    (tmp_path / "scene.toml").write_text(SCENE)
    assert command("run", "scene.toml", "-o", "whole", cwd=tmp_path).returncode == 0
    half = after_each_frame("stop[0] = stop[0] or 2 * (self.next > 9)")
    cut = command("run", "scene.toml", "-o", "cut", cwd=tmp_path, code=half, fork=True)
    assert cut.returncode == 130, cut.stderr
    assert "--resume" in cut.stderr
    assert command("run", "scene.toml", "-o", "cut", "--resume", cwd=tmp_path).returncode == 0
    a, b = RawResult(tmp_path / "whole" / "result.zarr"), RawResult(tmp_path / "cut" / "result.zarr")
    assert a.frames == b.frames == 21
    for key in ("time", "bodies/position", "bodies/acceleration", "joints/force", "energy/balance"):
        assert np.array_equal(a[key], b[key]), key


def test_a_run_with_ready_kernels_imports_nothing_that_it_does_not_need(tmp_path):
    code = "import sys\nfrom mbplugin.cli import main\ntry:\n    main()\nfinally:\n"
    code += "    print([m for m in HEAVY if m in sys.modules])"
    heavy = "HEAVY = ['zarr', 'vtk', 'vtkmodules', 'pyvista', 'matplotlib', 'trimesh', 'sympy', "
    heavy += "'scipy.linalg', 'scipy.sparse', 'pandas', 'rich']\n"
    words = ("run", str(ROOT / "scenes/piston_crank"), "-o")
    command(*words, "first", cwd=tmp_path)  # the compiler imports more
    done = command(*words, "second", cwd=tmp_path, code=heavy + code)
    assert done.stdout.rstrip().endswith("[]"), done.stdout[-300:] + done.stderr
