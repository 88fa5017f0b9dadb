"""Degrees in the place of radians: with a unit they are refused, without one they are reported."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import has, refused
from scene_text import body, hinge, solver

from mbplugin.model import System
from mbplugin.model.remarks import large_angles


def text(turn=None, angles=(0, 0, 0), start=None):
    """A body turned by `turn` about z, with a marker at these Euler angles, on a hinge with this start."""
    return body(
        "b",
        mass=1,
        inertia=[1, 1, 1],
        orientation={"axis": [0, 0, 1], **(turn or {"angle": 1})},
        marker=[{"name": "m", "orientation": {"euler": "xyz", "angles": angles}}],
    ) + hinge("j", "ground", "b", start=start or {"angle": 1})


def remarks(**keys):
    return large_angles(System.from_text(text(**keys)))


@pytest.mark.parametrize("given", ["90 deg", "90°", "-9.5e1 degrees"])
def test_a_number_with_degrees_is_refused_with_the_key_that_takes_it(given):
    number = given.split(" ")[0].rstrip("°")
    for keys, where in (
        ({"turn": {"angle": given}}, "body[0].orientation.angle"),
        ({"start": {"angle": given}}, "joint[0].start.angle"),
    ):
        with refused(where, given) as caught:
            System.from_text(text(**keys))
        assert has(caught.value.mend, f"`angle_deg = {number}`")


def test_more_than_a_turn_in_radians_is_reported_and_a_turn_or_degrees_are_not():
    assert remarks() == []
    assert remarks(turn={"angle": 6.28}, angles=(6.2, -6.2, 0), start={"angle": -6.28}) == []
    assert remarks(turn={"angle_deg": 900}, start={"angle_deg": 900}) == []
    said = remarks(turn={"angle": 90}, angles=(0, 45, -90), start={"angle": 90})
    assert [line.split(" ")[0] for line in said] == [
        "body[0].orientation.angle",
        "body[0].marker[0].orientation.angles",
        "joint[0].start.angle",
    ]
    mend = "if degrees are meant, use `angle_deg`"
    assert said[0] == f"body[0].orientation.angle = 90 rad is 14.3 turns; {mend}"


def test_a_run_reports_large_angles(runs):
    messages = runs.prepare(text(turn={"angle": 90}) + solver(end=1)).assembly.messages
    assert any(has(line, f"{90 / (2 * np.pi):.3g}") for line in messages)
