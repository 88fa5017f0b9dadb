"""Expressions of coordinates are evaluated where the mechanism starts, not where the scene draws it."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, joint, motion, solver, table

import mbplugin as mb

AXES = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}


def sliders(*follow, start=None, kind="translational"):
    """Text of bodies on one joint each: jx, which begins at `start`, and one for each motion that follows."""
    text = NO_GRAVITY
    for number, name in enumerate(["x", *"yz"[: len(follow)]]):
        text += body(name, mass=1, inertia=[0.1, 0.1, 0.1], position=[number, 0, 0])
        begins = start if name == "x" else None
        text += joint(f"j{name}", kind, "ground", name, at=[number, 0, 0], axis=AXES[name], start=begins)
    key = "length" if kind == "translational" else "angle"
    for name, function in zip("yz", follow):
        text += motion(f"j{name}", **({key: function} if isinstance(function, str) else function))
    return text + solver(end=0.1) + table("output", frames=2, series=False)


def at_start(text, *names):
    result = mb.System.from_text(text).run(files=False)
    return [float(result.coordinate(name).value[0]) for name in names]


@pytest.mark.parametrize(
    ("follow", "value"),
    [
        ("sqrt(jx.length)", np.sqrt(0.5)),
        ("1/jx.length", 2.0),
        ("log(jx.length)", np.log(0.5)),
        ("jx.length**1.5", 0.5**1.5),
        ("2*jx.length", 1.0),
    ],
)
def test_a_motion_follows_a_coordinate_from_its_start(follow, value):
    found = at_start(sliders(follow, start={"length": 0.5}), "jx.length", "jy.length")
    np.testing.assert_allclose(found, [0.5, value], rtol=1e-12)


def test_so_does_one_that_follows_another():
    text = sliders("sqrt(jx.length)", "log(jy.length)", start={"length": 0.5})
    values = [0.5, np.sqrt(0.5), np.log(np.sqrt(0.5))]
    np.testing.assert_allclose(at_start(text, "jx.length", "jy.length", "jz.length"), values, rtol=1e-12)
    # in the other order in the file
    text = sliders("log(jz.length)", "sqrt(jx.length)", start={"length": 0.5})
    np.testing.assert_allclose(at_start(text, "jz.length", "jy.length"), values[1:], rtol=1e-12)


def test_turns_are_counted_from_the_start():
    text = sliders("2*jx.angle", "2*jy.angle", start={"angle": 10.0}, kind="revolute")
    found = at_start(text, "jx.angle", "jy.angle", "jz.angle")
    np.testing.assert_allclose(found, [10.0, 20.0, 40.0], rtol=1e-12)


def test_a_speed_follows_the_speed_of_the_start():
    follow = {"length_velocity": "0.06/rate(jx.length)"}
    text = sliders(follow, start={"length": 0.5, "speed": 0.3})
    result = mb.System.from_text(text).run(files=False)
    assert result.coordinate("jy.length").speed[0] == pytest.approx(0.2, rel=1e-12)


def test_a_speed_follows_the_length_of_the_start():
    text = sliders({"length_velocity": "0.1/jx.length"}, start={"length": 0.5})
    result = mb.System.from_text(text).run(files=False)
    assert result.coordinate("jy.length").speed[0] == pytest.approx(0.2, rel=1e-12)


@pytest.mark.parametrize("by", ["force", "variable", "state"])
def test_forces_and_variables_are_those_of_the_start(by):
    text = sliders(start={"length": 0.5})
    match by:
        case "force":
            text += table("force", type="joint_force", joint="jx", force="0.1/jx.length")
        case "variable":
            text += table("variable", name="near", value="0.1/jx.length")
            text += table("force", type="joint_force", joint="jx", force="near")
        case "state":
            text += table("state", name="s", rate="0.1/jx.length")
    result = mb.System.from_text(text).run(files=False)
    if by == "state":
        assert result.state("s")[1] == pytest.approx(0.2 * 0.05, rel=1e-6)
    else:
        assert result["x"].acceleration[0, 0] == pytest.approx(0.2, rel=1e-12)


@pytest.mark.parametrize("what", ["position", "velocity", "acceleration", "redundancy"])
def test_analyses_begin_there_too(what):
    mb.System.from_text(sliders("sqrt(jx.length)", start={"length": 0.5})).analyze(what)


@pytest.mark.parametrize(
    ("follow", "start"),
    [
        ("1/jx.length", None),
        ("log(jx.length)", {"length": 0.0}),
        ("sqrt(jx.length)", None),
        ("sqrt(jx.length)", {"length": -0.5}),
        ("sqrt(jx.length - 1)", {"length": 0.5}),
        ("jx.length**1.5", {"length": 0.0, "speed": 1.0}),
    ],
)
def test_an_expression_without_a_value_there_is_named(follow, start, tmp_path):
    file = tmp_path / "scene.toml"
    file.write_text(sliders(follow, start=start))
    line = file.read_text().splitlines().index(f'length = "{follow}"') + 1
    with refused("motion[0].length", follow, file=file, line=line):
        mb.System.from_file(file).run(files=False)


@pytest.mark.parametrize("what", ["position", "velocity", "acceleration", "static", "eigen", "redundancy"])
@pytest.mark.parametrize("follow", ["1/jx.length", "sqrt(jx.length)"])
def test_no_analysis_ends_in_an_error_of_linear_algebra(follow, what):
    with refused("motion[0].length"):
        mb.System.from_text(sliders(follow)).analyze(what)


def test_a_force_without_a_value_there_is_named():
    text = sliders(start={"length": 1.0})
    text += table("force", type="joint_force", joint="jx", force="0.1/(jx.length - 1)")
    with refused("force[0].force", "0.1/(jx.length - 1)"):
        mb.System.from_text(text).run(files=False)
