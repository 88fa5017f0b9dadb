"""Equilibria and modes of cylinders, cones and ellipsoids, and of what lies on meshes: closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from on_surfaces import flat, ring
from scene_text import body, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

G, MU = 9.81, 0.8
NEARLY, BEYOND = 0.999, 1.001


def slope(angle):
    return [G * math.sin(angle), 0.0, -G * math.cos(angle)]


def on(shape, *, gravity=(0, 0, -G), friction=MU):
    """The ground, of one material."""
    material = table("material", name="stuff", friction=friction)
    return world(gravity=list(gravity), collide=True, material="stuff", shape=[shape]) + material


def solid(name, shape, at, **keys):
    return body(
        name, density=1000.0, position=list(at), collide=True, material="stuff", shape=[shape], **keys
    )


PLANE = {"type": "plane", "size": [9, 9]}


@pytest.mark.parametrize(
    ("shape", "centre", "angle"),
    [
        # the mass centre of a cylinder is L/2 above its foot, of a cone L/4
        ({"type": "cylinder", "radius": 0.1, "length": 0.5}, 0.25, math.atan(0.4)),
        ({"type": "cone", "radius": 0.1, "length": 0.8}, 0.2, math.atan(0.5)),
    ],
    ids=["cylinder", "cone"],
)
def test_a_round_foot_stands_until_the_weight_leaves_its_rim(shape, centre, angle):
    """Towards a point of the rim. Beyond, a cylinder rolls away on its side, and a cone lies with its apex
    down the slope, from where it would turn.
    """
    top = solid("top", shape, (0, 0, 0.5 * shape["length"]))
    system = lambda part: mb.System.from_text(on(PLANE, gravity=slope(part * angle)) + top)
    report = system(NEARLY).analyze("static")
    assert report.position[0] == pytest.approx([0, 0, centre], abs=1e-9)
    lowest = sum(one.force[2] for one in report.contacts if one.point[0] > 0.0999)
    assert lowest / sum(one.force[2] for one in report.contacts) > 0.99
    if shape["type"] == "cylinder":
        with pytest.raises(PhysicsError, match="no equilibrium"):
            system(BEYOND).analyze("static")
    else:
        fallen = system(BEYOND).analyze("static")
        height = 0.75 * shape["length"] * math.sin(math.atan(shape["radius"] / shape["length"]))
        assert fallen.position[0, 2] == pytest.approx(height, abs=1e-8)
        assert not fallen.stable


def test_an_ellipsoid_lies_on_its_flattest_side_and_rocks_about_it():
    """Both radii of curvature are above the height of the mass centre c: it rolls there and back with
    ω² = m g (a²/c − c) / (I + m c²), about each of the two axes.
    """
    a, b, c = 0.3, 0.2, 0.1
    tilted = {"axis": [0.6, 0.8, 0.0], "angle": 0.05}
    shape = {"type": "ellipsoid", "radii": [a, b, c]}
    text = on(PLANE) + solid("egg", shape, (0, 0, 0.12), orientation=tilted)
    report = mb.System.from_text(text).analyze("static")
    assert report.position[0, 2] == pytest.approx(c, abs=1e-8)
    assert sum(one.force[2] for one in report.contacts) == pytest.approx(
        -G * 4000.0 / 3.0 * math.pi * a * b * c, rel=1e-9
    )
    found = mb.System.from_text(on(PLANE) + solid("egg", shape, (0, 0, c))).analyze("eigen")
    omega = lambda one, other: math.sqrt(G * (one * one / c - c) / ((one * one + c * c) / 5.0 + c * c))
    rocking = sorted(mode.omega for mode in found.modes if mode.omega > 1e-3)
    assert rocking == pytest.approx(sorted([omega(a, b), omega(b, a)]), rel=1e-5)


def test_a_ball_lies_on_the_rim_of_a_hole_in_a_mesh(tmp_path):
    """A ring of 6 sides: the ball touches the middles of the edges of its hole."""
    radius, inner, n = 0.3, 0.2, 6
    trimesh.Trimesh(*ring(inner, 0.5, 0.1, n), process=False).export(tmp_path / "ring.stl")
    ground = on({"type": "mesh", "file": "ring.stl"}, friction=0.0)
    text = ground + solid("ball", {"type": "sphere", "radius": radius}, (0, 0, 0.4))
    report = mb.System.from_text(text, folder=tmp_path).analyze("static")
    height = 0.05 + math.sqrt(radius**2 - (inner * math.cos(math.pi / n)) ** 2)
    assert report.position[0] == pytest.approx([0, 0, height], abs=1e-7)
    weight = G * 1000.0 * 4.0 / 3.0 * math.pi * radius**3
    assert sum(one.force[2] for one in report.contacts) == pytest.approx(-weight, rel=1e-7)


@pytest.mark.parametrize("part", [NEARLY, BEYOND])
def test_a_block_on_a_mesh_holds_below_the_angle_of_friction_and_slides_above(tmp_path, part):
    trimesh.Trimesh(*flat(12, 4.0), process=False).export(tmp_path / "flat.stl")
    ground = on({"type": "mesh", "file": "flat.stl"}, gravity=slope(part * math.atan(0.3)), friction=0.3)
    text = ground + solid("block", {"type": "box", "size": [0.4, 0.3, 0.1]}, (0.03, 0.07, 0.05))
    system = mb.System.from_text(text, folder=tmp_path)
    if part < 1.0:
        report = system.analyze("static")
        assert report.position[0] == pytest.approx([0.03, 0.07, 0.05], abs=1e-9)
        total = np.sum([one.force for one in report.contacts], axis=0)
        assert np.abs(total) == pytest.approx(12.0 * np.abs(slope(part * math.atan(0.3))), abs=1e-9)
    else:
        with pytest.raises(PhysicsError, match="no equilibrium"):
            system.analyze("static")
