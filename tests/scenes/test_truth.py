"""Bundled scenes agree with independent references, and scenes that are one per cent wrong do not."""

from __future__ import annotations

import tempfile

import pytest
from scene_text import NO_GRAVITY, SCENES, solver
from small_systems import FREE_BODY

from mbplugin.cli.verify import verify_scene

#: scene -> the parameter that is changed by one per cent
WRONG = {
    "piston_crank": "crank=0.04343",
    "quick_return": "crank=0.101",
    "double_wishbone": "mass=25.25",
    "double_pendulum": "mass=1.01",
    "two_bodies_one_pin": "mass=2.02",
    "free_body": "moment=1.515",
    "andrews_squeezer": "torque=0.03333",
    "heavy_top": "mass=15.15",
    "four_bar_n2": "mass=1.01",
    "cardan_shaft": "bend=0.505",
    "atwood": "heavy=3.03",
    "screw_jack": "pitch=0.00606",
    "bearing_friction": "friction=0.1515",
    "stick_slip_hinge": "static=9.09",
    "door_with_stop": "friction=1.01",
    "motor_against_stop": "mass=40.4",
    "freewheel": "friction=0.202",
    "pin_release": "strength=30.3",
    "geneva_drive": "inertia=2.02e-4",
    "rope_swing": "push=3.535",
    "capstan_brake": "friction=0.303",
    "door_and_handle": "mass=20.2",
    "four_bar_hinges": "mass=2.02",
    "four_bar_point_line": "mass=2.02",
    "three_link_plate": "mass=3.03",
    "door_with_penalty_hinge": "stiffness=1.01e6",
    "piston_crank_kinematics": "throw=0.04343",
    "double_pendulum_modes": "lower_mass=1.01",
    "spring_mass_chain": "mass=10.1",
    "robot_arm_inverse": "load=2.626",
    "six_axis_arm": "load=2.626",
    "free_flyer": "base=20.2",
    "stewart_platform": "lift=0.0505",
    "block_on_incline": "friction=0.606",
    "rolling_to_rest": "speed=1.212",
    "sliding_to_rolling": "speed=2.02",
    "coulomb_oscillator": "stiffness=1.01",
    "shaken_table": "friction=0.808",
    "heavy_on_light": "edge=0.101",
    "brick_wall": "height=0.101",
    "arch": "density=2020.0",
    "bouncing_ball": "height=1.01",
    "newton_cradle": "length=0.202",
    "conveyor": "friction=0.505",
    "gripper": "mass=0.06464",
    "spheres_in_a_box": "mass=0.505",
    "breathing_block": "edge=0.101",
    "bar_on_wall": "length=1.01",
    "cantilever": "length=1.01",
    "elastic_cube": "edge=0.102",
    "ball_on_plate": "mass=1.01",
    "crank_with_elastic_rod": "throw=0.0505",
}
#: wrong scenes of the default run, of each analysis and solver; the others are slow tests
QUICK = (
    *("door_with_penalty_hinge", "double_pendulum_modes", "piston_crank_kinematics", "spring_mass_chain"),
    *("robot_arm_inverse", "atwood", "two_bodies_one_pin", "motor_against_stop", "block_on_incline"),
)
#: scenes of seconds, whose truth a smaller system of another test has too: slow tests
LONG = ("crank_with_elastic_rod", "spheres_in_a_box", "ball_on_plate", "double_wishbone", "bar_on_wall")
#: no files for ParaView, which no truth reads
NO_SERIES = "output.series=false"
#: fewer frames, where they cost more than the steps between them
FRAMES = {"spheres_in_a_box": 10, "bar_on_wall": 500, "bouncing_ball": 200}


@pytest.fixture(autouse=True)
def results_in_memory(tmp_path, monkeypatch):
    """`verify` puts its results into the folder of the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_every_scene_has_a_wrong_variant():
    assert {p.name for p in SCENES.iterdir() if (p / "scene.toml").exists()} == set(WRONG)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in WRONG]
)
def test_scene_agrees_with_its_truth(name):
    frames = [f"output.frames={FRAMES[name]}"] if name in FRAMES else []
    rows = verify_scene(SCENES / name, [NO_SERIES, *frames])
    assert rows
    assert [row for row in rows if not row["ok"]] == []


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in WRONG]
)
def test_scene_that_is_one_per_cent_wrong_fails(name):
    assert any(not row["ok"] for row in verify_scene(SCENES / name, [WRONG[name]]))


def test_a_folder_without_truth_is_a_failure(tmp_path):
    (tmp_path / "scene.toml").write_text(NO_GRAVITY + FREE_BODY + solver(end=0.1))
    assert not verify_scene(tmp_path, [])[0]["ok"]
    (tmp_path / "truth.py").write_text(
        "def truth(result):\n    yield 'nan', float('nan'), 0.0, 1.0, 'nowhere'\n"
    )
    assert not verify_scene(tmp_path, [])[0]["ok"]
    (tmp_path / "truth.py").write_text("def truth(result):\n    return iter(())\n")
    assert not verify_scene(tmp_path, [])[0]["ok"]
