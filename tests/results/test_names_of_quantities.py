"""A * in the name of a quantity stands for any text."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import PLANAR_GRAVITY, body, motion, pin, solver, table

import mbplugin as mb


@pytest.fixture(scope="module")
def result():
    link = lambda i: body(f"link{i}", type="planar", mass=1.0, inertia=0.1, position=[i, 0])
    text = PLANAR_GRAVITY + link(0) + link(1)
    text += pin("base", "ground", "link0", 0) + pin("elbow", "link0", "link1", 0.5)
    text += motion("base", angle="time") + motion("elbow", angle="-time")
    return mb.System.from_text(text + solver(end=0.1) + table("output", frames=2)).run(files=False)


@pytest.mark.parametrize(
    "pattern, names",
    [
        ("coordinate.*.drive", ["coordinate.base.angle.drive", "coordinate.elbow.angle.drive"]),
        ("body.*.position.y", ["body.link0.position.y", "body.link1.position.y"]),
        ("joint.el*.force", [f"joint.elbow.force.{c}" for c in "xyz"]),
        ("body.link1.position.*", [f"body.link1.position.{c}" for c in "xyz"]),
        ("body.link1.orient*.*", [f"body.link1.orientation.{c}" for c in "wxyz"]),
        ("link1.position.*", [f"body.link1.position.{c}" for c in "xyz"]),
        ("joint.*.torque.[xz]", [f"joint.{name}.torque.{c}" for name in ("base", "elbow") for c in "xz"]),
        ("elbow.angle.*", [f"coordinate.elbow.angle.{c}" for c in ("value", "speed", "drive")]),
    ],
)
def test_a_pattern_gives_the_curves_of_all_names_that_fit(result, pattern, names):
    found = result.columns(pattern)
    assert [curve.label for curve in found[1:]] == names
    for curve, (_, alone) in zip(found[1:], (result.columns(name) for name in names)):
        assert (curve.values == alone.values).all() and curve.unit == alone.unit


def test_a_pattern_over_components_leaves_out_scalars(result):
    found = [curve.label for curve in result.columns("*.x")][1:]
    assert found and all(name.endswith(".x") for name in found)
    assert set(found) == {c.label for c in result.columns()[1:] if c.label.endswith(".x")}


def test_sweeps_plots_and_exports_take_patterns_over_components(result, tmp_path):
    axes = result.plot("body.link1.position.*").axes
    assert len(axes[0].get_lines()) == 3
    head = result.export(tmp_path / "x.csv", "body.link1.position.*").read_text().split("\n")[0]
    assert head.count("body.link1.position.") == 3
    swept = mb.sweep(
        result.system, {"body.link1.mass": [1.0, 2.0]}, "max(body.link1.position.*)", progress=False
    )
    assert len(swept.arrays) == 3


def test_a_star_alone_stands_for_all_quantities(result):
    assert [c.label for c in result.columns("*")] == [c.label for c in result.columns()]


@pytest.mark.parametrize("pattern", ["coordinate.*.torque", "coordinate.*.drive.x", "body.*.position.w"])
def test_a_pattern_that_fits_nothing_is_refused(result, pattern):
    with refused("what"):
        result.columns(pattern)


def test_a_column_has_the_name_of_a_variable_or_an_output_unless_that_means_another_quantity():
    """The joint and the strut are both called "pin": their forces keep their full names."""
    spring = lambda name: table(
        "force", type="spring_damper", name=name, a="ground", b="link0", stiffness=1.0, length=0.0
    )
    text = PLANAR_GRAVITY + body("link0", type="planar", mass=1.0, inertia=0.1, position=[0.5, 0])
    text += pin("pin", "ground", "link0", 0) + spring("pin") + spring("strut")
    text += table("variable", name="load", value="reaction(pin.force)", unit="N")
    result = mb.System.from_text(text + solver(end=0.1) + table("output", frames=2)).run(files=False)
    found = result.columns("load", "strut.force", "output.pin.force", "joint.pin.force", "output.load.value")
    assert [column.heading for column in found] == [
        "time [s]",
        "load [N]",
        "strut.force [N]",
        "output.pin.force.value [N]",
        *(f"joint.pin.force.{c} [N]" for c in "xyz"),
    ]
    with refused("what", "pin.force"):
        result.columns("pin.force")
    # every heading is a name that gives the same column again
    for column in result.columns()[1:]:
        (again,) = result.columns(column.label)[1:]
        assert again.label == column.label and np.array_equal(again.values, column.values, equal_nan=True)
