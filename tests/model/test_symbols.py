"""Variables, states and splines: what a scene may say, and the messages for mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import has, refused
from scene_text import body, hinge, joint, motion, solver, spring, state, table, torque, variable

from mbplugin.compile import compile_system
from mbplugin.model import System
from mbplugin.model.expression import parse

BODY = body("bob", mass=1, inertia=[1, 1, 1]) + hinge("pin", "ground", "bob")
END = solver(end=1)
SPLINE = {"name": "s", "x": [0, 1, 2], "y": [0, 1, 4]}


def compiled(text, registry):
    return compile_system(System.from_text(BODY + text + END), registry)


def spline(**keys):
    return table("spline", **(SPLINE | keys))


def driven(angle):
    return motion("pin", angle=angle)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (variable("u", "2*v") + variable("v", "u + 1"), "variable[0].value"),
        (variable("u", "u"), "variable[0].value"),
        (variable("u", "2*w"), "variable[0].value"),
        (variable("sin", 1), "variable[0].name"),
        (variable("two words", 1), "variable[0].name"),
        (variable("u", 1) + state("u", 1), "variable[0].name"),
        (state("x", "yy"), "state[0].rate"),
        (state("x", "pin.angel"), "state[0].rate"),
        (spline(x=[0, 2, 1]), "spline[0].x"),
        (spline(x=[0, 1], y=[0, 0]), "spline[0].x"),
        (spline(x=[0], y=[0], interpolation="linear"), "spline[0].x"),
        (spline(interpolation="quintic"), "spline[0].interpolation"),
        (spline(interpolation="linear") + driven("s(time)"), "motion[0].angle"),
        (spline(x=[0, 1], y=None), "spline[0]"),
        (spline(x=None, y=None, file="none.csv"), "spline[0].file"),
        (spline() + variable("u", "s + 1"), "variable[0].value"),
        (driven("distanc(bob, ground)"), "motion[0].angle"),
        (driven("distance(bob)"), "motion[0].angle"),
        (motion("pin", angle_deg="30*time"), "motion[0].angle_deg"),
        (table("joint", name="g", type="coupler", joints=["pin", "g"], factors=[1, 1]), "joint[1].joints[1]"),
        (joint("b", "ball", "ground", "bob", start={"speed": 1}), "joint[1].start"),
        (driven("distance(bob, grund)"), "motion[0].angle"),
        (driven("rate(pin.angle)"), "motion[0].angle"),
        (driven("rate(2*pin.angle)"), "motion[0].angle"),
        (state("x", "rate(pin.angle)") + driven("x"), "motion[0].angle"),
        (torque("bob", z="-pn.angle"), "force[0].torque_z"),
        (spring("ground", "bob", stiffness="pin.angle"), "force[0].stiffness"),
    ],
)
def test_a_mistake_is_reported_with_its_key_and_correction(text, key, registry):
    with refused(key):
        compiled(text, registry)


def test_a_spline_from_a_file(tmp_path):
    (tmp_path / "cam.csv").write_text("angle,lift\n0,0\n1,0.5\n2,0.25\n3,1\n")
    (tmp_path / "scene.toml").write_text(BODY + table("spline", name="cam", file="cam.csv") + END)
    system = System.from_file(tmp_path)
    meaning = system.symbols["cam"]
    assert meaning.numbers[:5] == (4.0, 0.0, 1.0, 2.0, 3.0)
    for rows, line in (
        ("0,0\n1\n2,0.25\n", 3),
        ("0;0\n1;2\n2;0.25\n", 2),
        ("0,0\n1,2\n1,3\n", 4),
        ("0,0\n1,nan\n2,3\n", 3),
    ):
        (tmp_path / "cam.csv").write_text("angle,lift\n" + rows)
        with refused("spline[0].file", "cam.csv") as caught:
            System.from_file(tmp_path)
        assert has(caught.value.mend, f"line {line}")
    (tmp_path / "cam.csv").unlink()
    with refused("spline[0].file", "cam.csv") as caught:
        System.from_file(tmp_path)
    assert has(caught.value.mend, tmp_path.resolve() / "cam.csv")


def test_variables_states_and_splines_survive_writing_and_reading(registry):
    symbols = variable("u", "2*x + s(time)") + state("x", "-x", start=2) + spline()
    system = System.from_text(BODY + symbols + motion("pin", angle_velocity="u") + END)
    again = System.from_text(system.to_toml())
    assert again == system
    one, other = (compile_system(each, registry).addresses[1::2] for each in (again, system))
    assert np.array_equal(one, other)


def test_polynomials_are_summed_by_horner():
    assert parse("polynomial(3, 1, -2, 0.5)").constant == 1 - 6 + 4.5
    with refused("", "polynomial(time)"):
        parse("polynomial(time)")


def test_names_of_several_words_are_quoted():
    (reference,) = parse("2*'left hinge'.angle").references
    assert reference.markers == ("left hinge.angle",)
