"""Frames store variables under their names: closed forms along a swing, and a reaction."""

import numpy as np
import pytest
from refusals import ANY, has, refused
from scene_text import body, table, world
from small_systems import pendulum

import mbplugin as mb

PENDULUM = pendulum(hinge="pin", mass=2.0, inertia=[0.1, 0.2, 0.1])
VARIABLES = """
[parameters]
zero = 0.0
[[variable]]
name = "height"
value = "-0.5*sin(pin.angle)"
unit = "m"
[[variable]]
name = "twice"
value = "2*height + zero"
[[variable]]
name = "load"
value = "reaction(pin.force)"
unit = "N"
[[variable]]
name = "fixed"
value = "zero"
"""


def test_variables_are_stored_by_name_and_unit(tmp_path):
    system = mb.System.from_text(PENDULUM + VARIABLES)
    result = system.run(tmp_path / "out", end=0.5)
    z = result["rod"].position[:, 2]
    assert np.ptp(z) > 0.1
    np.testing.assert_allclose(result.output("height"), z, atol=1e-12)
    np.testing.assert_allclose(result.output("twice"), 2 * z, atol=1e-12)
    force = np.linalg.norm(result.joint("pin").force, axis=1)
    np.testing.assert_allclose(result.output("load"), force, rtol=1e-9)
    assert result.outputs == {"height": "m", "twice": "", "load": "N", "fixed": ""}
    headings = [column.heading for column in result.columns("height", "output.load")]
    assert headings == ["time [s]", "height [m]", "load [N]"]
    assert not result.output("fixed").any()


def test_a_simulation_and_a_changed_parameter_show_them():
    problem = mb.System.from_text(PENDULUM + VARIABLES).compile()
    problem.set_parameter("zero", 3.0)
    simulation = problem.simulate()
    simulation.step(0.2)
    assert simulation.output("height") == pytest.approx(simulation["rod"].position[2], abs=1e-12)
    assert simulation.output("fixed") == 3.0
    assert simulation.output("twice") == pytest.approx(2 * simulation.output("height") + 3.0)


def test_kinematic_frames_have_them(tmp_path):
    moved = (
        PENDULUM
        + VARIABLES.split('[[variable]]\nname = "load"')[0]
        + '[[motion]]\njoint = "pin"\nangle = "time"\n'
    )
    system = mb.System.from_text(moved)
    result = system.run(tmp_path / "out", end=1.0)
    np.testing.assert_allclose(result.output("height"), -0.5 * np.sin(result.time), atol=1e-9)


def test_states_of_a_scene_are_read_by_name():
    system = mb.System.from_text(
        PENDULUM + '[[state]]\nname = "y"\nrate = "w"\nstart = 1\n' + '[[state]]\nname = "w"\nrate = "-4*y"\n'
    )
    result = system.run(end=0.5, files=False)
    assert result.states == {"y": "", "w": ""}
    np.testing.assert_allclose(result.state("y"), np.cos(2 * result.time), atol=1e-7)
    simulation = system.simulate()
    simulation.run(0.5)
    assert simulation.state("w") == result.state("w")[-1] == pytest.approx(-2 * np.sin(1.0), abs=1e-7)
    with refused("state", "z"):
        simulation.state("z")


def test_a_variable_with_an_unknown_body_is_quoted_itself():
    text = PENDULUM + table("variable", name="height", value="component_z(ground, rood)")
    with refused("variable[0].value", "component_z(ground, rood)", line=ANY):
        mb.System.from_text(text).compile()


@pytest.mark.parametrize("mass", ["density", "given"])
def test_a_planar_body_off_its_plane_says_by_how_much(mass):
    keys = (
        {"density": 1000} if mass == "density" else {"mass": 1, "inertia": 1, "center_of_mass": [0, 0, 0.05]}
    )
    shape = [{"type": "box", "size": [1, 1, 0.02], "position": [0, 0, 0.05]}]
    text = world(plane="xy", gravity=[0, 0, 0]) + body(
        "plate", type="planar", position=[0, 0], shape=shape, **keys
    )
    with refused("body[0].position") as caught:
        mb.System.from_text(text).compile()
    assert has(caught.value.mend, "0.05")
