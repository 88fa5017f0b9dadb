"""Curves in frames of markers of bodies that deform: a straight one is a line of another joint."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import body, solver, table, world

import mbplugin as mb
from mbplugin.compile import compile_system

MESH = {"shape": "box", "size": [0.4, 0.1, 0.1], "divisions": [2, 1, 1], "elements": "hex8"}
RUBBER = table("material", name="rubber", young=1e6, poisson=0.3, density=1000)
BODIES = {
    "finite_element": {"type": "finite_element", "material": "rubber", "mesh": MESH},
    "pseudo_rigid": {
        "type": "pseudo_rigid",
        "density": 1000,
        "young": 1e6,
        "poisson": 0.3,
        "shape": [{"type": "box", "size": [0.4, 0.1, 0.1]}],
    },
}
MARKERS = {
    "finite_element": {"name": "tip", "nodes": "x+"},
    "pseudo_rigid": {"name": "tip", "position": [0.2, 0, 0]},
}
LINE = {"points": [[0, -0.5, 0], [0, 0.5, 0]]}


def scene(kind, guide, more=(), turn=(), **curve):
    """A bead on a line across the tip of a block; it slides along and bends and turns the block."""
    markers = [{**MARKERS[kind], **dict(turn)}, *more]
    return (
        world(gravity=[0, 0, -9.81])
        + RUBBER
        + body("block", position=[0, 0, 0], marker=markers, **BODIES[kind])
        + body("bead", type="point", mass=0.3, position=[0.2, 0, 0], velocity=[0, 0.5, 0])
        + (table("curve", name="wire", **LINE, **curve) if curve else "")
        + table("joint", name="guide", a="block.tip", b="bead", **guide)
        + solver(tolerance=1e-9, end=0.05)
    )


ON_CURVE = {"type": "point_on_curve", "curve": "wire"}


@pytest.mark.parametrize("kind", list(BODIES))
def test_a_bead_on_a_straight_curve_moves_as_on_a_line(kind):
    """Place, speed and the strain of the block, against `point_on_line` along y of the same marker."""
    turn = {"orientation": {"axis": [1, 0, 0], "angle_deg": -90}}
    on_curve = scene(kind, ON_CURVE, body="block.tip")
    on_line = scene(kind, {"type": "point_on_line"}, turn=turn)
    first, second = (mb.System.from_text(text).run(files=False) for text in (on_curve, on_line))
    arc, length = first.coordinate("guide.arc_length"), second.coordinate("guide.length")
    np.testing.assert_allclose(arc.value - 0.5, length.value, atol=1e-8)
    np.testing.assert_allclose(arc.speed, length.speed, atol=1e-6)
    np.testing.assert_allclose(first["bead"].position, second["bead"].position, atol=1e-8)
    np.testing.assert_allclose(first.energy.potential, second.energy.potential, atol=1e-7)
    assert np.ptp(length.value) > 0.02
    # the marker moves in the frame of the body, so pictures have no place for the curve
    assert "curve" not in first.raw.static().get("shapes/type", [])


@pytest.mark.parametrize("of", ["block", "block.other"])
@pytest.mark.parametrize("kind", list(BODIES))
def test_a_curve_of_the_body_itself_is_refused(kind, of, registry):
    other = {**MARKERS[kind], "name": "other"}
    text = scene(kind, ON_CURVE, more=[other], body=of)
    with refused("joint[0].curve", "wire"):
        compile_system(mb.System.from_text(text), registry)
