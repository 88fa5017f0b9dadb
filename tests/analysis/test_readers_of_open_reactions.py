"""An expression that goes by a reaction which rigid bodies leave open is told at the start of a run; one that
goes by a determined one is not.
"""

from __future__ import annotations

from scene_text import torque
from pathlib import Path

import pytest

from mbplugin.model import System
from mbplugin.run.opening import opening
from mbplugin.run.prepare import prepare

DOOR = (Path(__file__).parents[2] / "scenes" / "door_and_handle" / "scene.toml").read_text()


def told(registry, text):
    """Warnings about expressions that a run of the door with this torque on it begins with."""
    more = torque("handle", name="brake", x=text)
    found = opening(prepare(System.from_text(DOOR + more), registry))
    return [line for level, line in found if level == "warning" and "goes by a reaction" in line]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0.01*reaction(hinge_low.fz)", "hinge_low: force along z"),
        ("0.01*reaction(hinge_top.tx)", "hinge_top: torque about x"),
        ("0.01*reaction(hinge_low.force)", "hinge_low: force along x"),
        ("0.01*reaction(hinge_low.fz, handle)", "hinge_low: force along z"),
    ],
)
def test_what_is_shared_is_told(registry, text, names):
    (line,) = told(registry, text)
    assert "force[0].torque_x" in line and names in line and "(shared)" in line and "enforce" in line


def test_only_the_component_that_is_read_is_told(registry):
    (line,) = told(registry, "0.01*reaction(hinge_low.fz)")
    assert "torque" not in line.partition("goes by")[2].partition(";")[0] and "along x" not in line


@pytest.mark.parametrize(
    "text", ["0.01*reaction(screws.fz)", "0.01*reaction(hinge_low.tz)", "-0.01*rate(hinge_low.angle)"]
)
def test_what_is_determined_is_not(registry, text):
    assert told(registry, text) == []
