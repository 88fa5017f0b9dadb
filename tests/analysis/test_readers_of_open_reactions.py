"""A run warns about expressions that read a reaction which rigid bodies do not determine."""

from __future__ import annotations

import pytest
from scene_text import bundled, torque

from mbplugin.model import System
from mbplugin.run.opening import opening
from mbplugin.run.prepare import prepare


def warnings(registry, text):
    """Warnings about expressions at the start of a run of the door with this torque on the handle."""
    more = torque("handle", name="brake", x=text)
    messages = opening(prepare(System.from_text(bundled("door_and_handle") + more), registry))
    return [line for level, line in messages if level == "warning" and "depends on a reaction" in line]


@pytest.mark.parametrize(
    ("text", "component"),
    [
        ("0.01*reaction(hinge_low.fz)", "hinge_low: force along z"),
        ("0.01*reaction(hinge_top.tx)", "hinge_top: torque about x"),
        ("0.01*reaction(hinge_low.force)", "hinge_low: force along x"),
        ("0.01*reaction(hinge_low.fz, handle)", "hinge_low: force along z"),
    ],
)
def test_a_shared_reaction_is_reported(registry, text, component):
    (line,) = warnings(registry, text)
    assert "force[0].torque_x" in line and component in line and "(shared)" in line and "enforce" in line


def test_only_the_component_that_is_read_is_reported(registry):
    (line,) = warnings(registry, "0.01*reaction(hinge_low.fz)")
    assert "torque" not in line.partition("depends on")[2].partition(";")[0] and "along x" not in line


@pytest.mark.parametrize(
    "text", ["0.01*reaction(screws.fz)", "0.01*reaction(hinge_low.tz)", "-0.01*rate(hinge_low.angle)"]
)
def test_a_determined_reaction_is_not_reported(registry, text):
    assert warnings(registry, text) == []
