"""Variables, states and splines: what a scene may say, and what is wrong with what it may not."""

from __future__ import annotations

import numpy as np
import pytest

from mbplugin.compile import compile_system
from mbplugin.errors import SceneError
from mbplugin.model import System
from mbplugin.model.expression import parse

BODY = """\
[[body]]
name = "bob"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "pin"
type = "revolute"
a = "ground"
b = "bob"
axis = [0, 0, 1]
"""


def compiled(text, registry):
    return compile_system(System.from_text(BODY + text + "[solver]\nend = 1\n"), registry)


@pytest.mark.parametrize(
    ("text", "key", "mend"),
    [
        (
            '[[variable]]\nname = "u"\nvalue = "2*v"\n[[variable]]\nname = "v"\nvalue = "u + 1"\n',
            "variable[",
            "circular definition: ",
        ),
        ('[[variable]]\nname = "u"\nvalue = "u"\n', "variable[0].value", "u -> u"),
        ('[[variable]]\nname = "u"\nvalue = "2*w"\n', "variable[0].value", 'unknown name "w"'),
        ('[[variable]]\nname = "sin"\nvalue = 1\n', "variable[0].name", "is reserved in expressions"),
        ('[[variable]]\nname = "two words"\nvalue = 1\n', "variable[0].name", "one word"),
        (
            '[[variable]]\nname = "u"\nvalue = 1\n[[state]]\nname = "u"\nrate = 1\n',
            "variable[0]",
            "names must be unique",
        ),
        ('[[state]]\nname = "x"\nrate = "yy"\n', "state[0].rate", 'unknown name "yy"'),
        ('[[state]]\nname = "x"\nrate = "pin.angel"\n', "state[0].rate", 'did you mean "pin.angle"'),
        ('[[spline]]\nname = "s"\nx = [0, 2, 1]\ny = [0, 0, 0]\n', "spline[0].x", "x must increase"),
        ('[[spline]]\nname = "s"\nx = [0, 1]\ny = [0, 0]\n', "spline[0].x", "three or more"),
        ('[[spline]]\nname = "s"\nx = [0, 1]\n', "spline[0]", "give `x` and `y`, or `file`"),
        ('[[spline]]\nname = "s"\nfile = "none.csv"\n', "spline[0].file", "cannot be read"),
        (
            '[[spline]]\nname = "s"\nx = [0, 1, 2]\ny = [0, 1, 0]\n'
            '[[variable]]\nname = "u"\nvalue = "s + 1"\n',
            "variable[0].value",
            "needs an argument",
        ),
        (
            '[[motion]]\njoint = "pin"\nangle = "distanc(bob, ground)"\n',
            "motion[0].angle",
            'did you mean "distance"',
        ),
        ('[[motion]]\njoint = "pin"\nangle = "distance(bob)"\n', "motion[0].angle", "is of 2 markers"),
        (
            '[[motion]]\njoint = "pin"\nangle_deg = "30*time"\n',
            "motion[0].angle_deg",
            'write angle = "pi/180*(30*time)"',
        ),
        (
            '[[joint]]\nname = "g"\ntype = "coupler"\njoints = ["pin", "g"]\nfactors = [1, 1]\n',
            "joint[1].joints[1]",
            "there is no such joint coordinate",
        ),
        (
            '[[joint]]\nname = "b"\ntype = "ball"\na = "ground"\nb = "bob"\nstart = { speed = 1 }\n',
            "joint[1].start",
            "give the body a `velocity`",
        ),
        ('[[motion]]\njoint = "pin"\nangle = "distance(bob, grund)"\n', "motion[0].angle", 'no body "grund"'),
        (
            '[[motion]]\njoint = "pin"\nangle = "rate(pin.angle)"\n',
            "motion[0].angle",
            "may not prescribe a position",
        ),
        (
            '[[motion]]\njoint = "pin"\nangle = "rate(2*pin.angle)"\n',
            "motion[0].angle",
            "takes one joint coordinate",
        ),
        (
            '[[state]]\nname = "x"\nrate = "rate(pin.angle)"\n[[motion]]\njoint = "pin"\nangle = "x"\n',
            "motion[0].angle",
            "may not prescribe a position",
        ),
        (
            '[[force]]\ntype = "torque"\nbody = "bob"\ntorque_z = "-pn.angle"\n',
            "force[0].torque_z",
            'did you mean "pin.angle"',
        ),
        (
            '[[force]]\ntype = "spring_damper"\na = "ground"\nb = "bob"\nstiffness = "pin.angle"\n',
            "force[0].stiffness",
            "depends on the motion",
        ),
    ],
)
def test_what_is_wrong_is_named(text, key, mend, registry):
    with pytest.raises(SceneError) as caught:
        compiled(text, registry)
    assert str(caught.value.key).startswith(key)
    assert mend in str(caught.value)


def test_a_spline_from_a_file(tmp_path):
    (tmp_path / "cam.csv").write_text("angle,lift\n0,0\n1,0.5\n2,0.25\n3,1\n")
    (tmp_path / "scene.toml").write_text(
        BODY + '[[spline]]\nname = "cam"\nfile = "cam.csv"\n[solver]\nend = 1\n'
    )
    system = System.from_file(tmp_path)
    meaning = system.symbols["cam"]
    assert meaning.numbers[:5] == (4.0, 0.0, 1.0, 2.0, 3.0)
    for rows, says in (
        ("0,0\n1\n2,0.25\n", r"line 3 \('1'\) needs a second, finite number"),
        ("0;0\n1;2\n2;0.25\n", "has 0 lines with two numbers"),
        ("0,0\n1,2\n1,3\n", "line 4: x must increase, but 1 follows 1"),
        ("0,0\n1,nan\n2,3\n", r"line 3 \('1,nan'\) needs a second, finite number"),
    ):
        (tmp_path / "cam.csv").write_text("angle,lift\n" + rows)
        with pytest.raises(SceneError, match=rf"cam\.csv.*{says}"):
            System.from_file(tmp_path)
    (tmp_path / "cam.csv").unlink()
    folder = f"expected it in the scene's folder, at {tmp_path.resolve()}"
    with pytest.raises(SceneError, match=rf"cannot be read: No such file or directory; {folder}/cam\.csv"):
        System.from_file(tmp_path)


def test_a_scene_with_all_of_them_is_the_same_after_writing_and_reading(registry):
    text = BODY + (
        '[[variable]]\nname = "u"\nvalue = "2*x + s(time)"\n[[state]]\nname = "x"\nrate = "-x"\nstart = 2\n'
        '[[spline]]\nname = "s"\nx = [0, 1, 2]\ny = [0, 1, 4]\n'
        '[[motion]]\njoint = "pin"\nangle_velocity = "u"\n[solver]\nend = 1\n'
    )
    system = System.from_text(text)
    again = System.from_text(system.to_toml())
    assert again == system
    assert np.array_equal(
        compile_system(again, registry).addresses[1::2], compile_system(system, registry).addresses[1::2]
    )


def test_polynomials_are_summed_by_horner():
    assert parse("polynomial(3, 1, -2, 0.5)").constant == 1 - 6 + 4.5
    with pytest.raises(SceneError, match="needs coefficients"):
        parse("polynomial(time)")


def test_names_that_are_no_single_words_are_quoted():
    (reference,) = parse("2*'left hinge'.angle").references
    assert reference.markers == ("left hinge.angle",)
