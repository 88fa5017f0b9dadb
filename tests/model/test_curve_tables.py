"""Curves of bodies: what a scene may say of them, and how well their splines are the curves."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import has, refused
from scene_text import body, table
from scipy.special import ellipe

from mbplugin.model import System
from mbplugin.model.curve_fit import TOLERANCE
from mbplugin.run.curve_tubes import RADIUS, curve_tubes
from mbplugin.run.static_arrays import shape_arrays

BOB = body("bob", mass=1, inertia=[1, 1, 1])
ELLIPSE = {"x": "0.4*cos(s)", "y": "0.3*sin(s)", "range": [0, "2*pi"], "closed": True}
MARKER = {"name": "rim", "position": [1, 0, 0], "orientation": {"axis": [1, 0, 0], "angle_deg": 90}}
HELIX = {"x": "0.3*cos(s)", "y": "0.3*sin(s)", "z": "0.1*s", "range": [0, "6*pi"]}
SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]


def curve_of(folder=None, **keys):
    system = System.from_text(BOB + table("curve", name="wire", **keys), folder=folder)
    return system.curve_tables["wire"]


def test_a_helix_is_a_spline_over_its_arc_length():
    wire = curve_of(**HELIX)
    assert wire.error <= TOLERANCE
    assert wire.length == pytest.approx(6 * np.pi * np.hypot(0.3, 0.1), rel=1e-9)
    s = np.linspace(0.0, wire.length, 1001)
    angle = s / np.hypot(0.3, 0.1)
    exact = np.stack([0.3 * np.cos(angle), 0.3 * np.sin(angle), 0.1 * angle], axis=1)
    np.testing.assert_allclose(wire.spline(s), exact, atol=TOLERANCE * wire.size)


def test_its_sides_are_normal_to_it_and_turn_about_it_as_little_as_possible():
    wire = curve_of(**HELIX)
    tangents = wire.spline(wire.s, 1)
    np.testing.assert_allclose(np.linalg.norm(wire.sides, axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.sum(tangents * wire.sides, axis=1), 0.0, atol=1e-9)
    # between its ends it turns, against the normal to the axis, by the torsion times the arc length
    outwards = np.stack(
        [np.cos(wire.s / np.hypot(0.3, 0.1)), np.sin(wire.s / np.hypot(0.3, 0.1)), 0 * wire.s], 1
    )
    binormal = np.cross(tangents, outwards)
    angle = np.unwrap(np.arctan2(np.sum(wire.sides * binormal, 1), np.sum(wire.sides * outwards, 1)))
    torsion = 0.1 / (0.3**2 + 0.1**2)
    assert abs(angle[-1] - angle[0]) == pytest.approx(torsion * wire.length, rel=1e-6)


def test_a_closed_ellipse_goes_on_smoothly():
    rim = curve_of(**ELLIPSE)
    assert rim.length == pytest.approx(4 * 0.4 * ellipe(1 - (0.3 / 0.4) ** 2), rel=1e-9)
    for order in (0, 1, 2):
        np.testing.assert_allclose(rim.spline(0.0, order), rim.spline(rim.length, order), atol=1e-9)
    np.testing.assert_allclose(rim.sides, np.tile([0.0, 0.0, 1.0], (len(rim.s), 1)), atol=1e-12)


def test_nearest_places_are_told_in_order():
    rim = curve_of(**ELLIPSE)
    (near, first), (far, second) = rim.nearest(np.array([0.0, 0.1, 0.0]))
    assert (near, far) == pytest.approx((0.2, 0.4), rel=1e-9)
    assert (first, second) == pytest.approx((rim.length / 4, 3 * rim.length / 4), rel=1e-9)


def test_a_curve_goes_through_its_points_in_numbers_or_in_a_file(tmp_path):
    wire = curve_of(points=[[0, 0], [1, 0.5], [2, 0]])
    for point in ([0, 0, 0], [1, 0.5, 0], [2, 0, 0]):
        assert wire.nearest(np.array(point, float))[0][0] == pytest.approx(0.0, abs=1e-9)
    (tmp_path / "wire.csv").write_text("# a track\nx [mm],y [mm]\n0,0\n1000,500\n2000,0\n")
    other = curve_of(tmp_path, file="wire.csv")
    np.testing.assert_allclose(other.points, wire.points, atol=1e-12)
    loop = curve_of(points=SQUARE, closed=True)
    again = curve_of(points=[*SQUARE, SQUARE[0]], closed=True)
    np.testing.assert_array_equal(loop.points, again.points)
    assert np.linalg.norm(loop.points[-1] - loop.points[0]) == 0.0


def test_two_numbers_are_in_the_plane_of_the_scene():
    text = table("scene", plane="xz") + BOB + table("curve", name="wire", points=[[0, 0], [1, 2], [2, 0]])
    points = System.from_text(text).curve_tables["wire"].points
    assert np.ptp(points[:, 1]) == 0.0 and np.ptp(points[:, 2]) > 1.0


def test_curves_survive_writing_and_reading():
    text = (
        table("parameters", r=0.3)
        + table("spline", name="lift", x=[0, 1, 2], y=[0, 1, 0])
        + body("cam", mass=1, inertia=[1, 1, 1])
        + table("curve", name="rim", body="cam", x="r*s", z="lift(s)", range=[0, 2], color="red")
    )
    system = System.from_text(text)
    again = System.from_text(system.to_toml())
    assert again == system
    rim, same = system.curve_tables["rim"], again.curve_tables["rim"]
    np.testing.assert_array_equal(rim.points, same.points)
    assert system.changed("r", 0.6).curve_tables["rim"].points[-1, 0] == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({}, "curve[0]"),
        ({**ELLIPSE, "points": SQUARE}, "curve[0]"),
        ({"x": "s"}, "curve[0].range"),
        ({"x": "s", "range": [1, 0]}, "curve[0].range"),
        ({"points": SQUARE, "range": [0, 1]}, "curve[0].range"),
        ({"points": [[0, 0]]}, "curve[0].points"),
        ({"points": [[0, 0], [1, 0, 0]]}, "curve[0].points[1]"),
        ({"points": [[0, 0], [1, 0], [1, 0]]}, "curve[0].points[2]"),
        ({"points": [[0, 0], [1, 0]], "closed": True}, "curve[0].points"),
        ({"x": "r*s", "range": [0, 1]}, "curve[0].x"),
        ({"x": "time", "range": [0, 1]}, "curve[0].x"),
        ({"x": "s", "y": "sqrt(s)", "range": [-1, 1]}, "curve[0].y"),
        ({"x": "1", "range": [0, 1]}, "curve[0].x"),
        ({**ELLIPSE, "range": [0, 6]}, "curve[0].closed"),
        ({"x": "abs(s)", "y": "s", "range": [-1, 1]}, "curve[0].x"),
        ({"x": "s + sin(s)", "z": "1 - cos(s)", "range": [-4, 4]}, "curve[0].x"),
        ({"x": "s**2", "y": "s**3", "range": [-1, 1]}, "curve[0].x"),
        ({**ELLIPSE, "body": "cam"}, "curve[0].body"),
        ({**ELLIPSE, "body": "ground.axle"}, "curve[0].body"),
        ({"file": "none.csv"}, "curve[0].file"),
    ],
)
def test_a_mistake_is_reported_with_its_key_and_correction(keys, key):
    with refused(key):
        curve_of(**keys)


def test_names_of_curves_are_unique():
    with refused("curve[1].name", "wire"):
        System.from_text(BOB + 2 * table("curve", name="wire", **ELLIPSE))


def test_lines_of_a_file_are_named(tmp_path):
    for rows, line in (("0,0\n1\n", 2), ("0,0\n1,nan\n", 2), ("x [km],y\n0,0\n1,1\n", 1), ("0;0\n1;2\n", 1)):
        (tmp_path / "wire.csv").write_text(rows)
        with refused("curve[0].file", "wire.csv") as caught:
            curve_of(tmp_path, file="wire.csv")
        assert has(caught.value.mend, f"line {line}")


def test_a_curve_is_drawn_as_a_thin_tube_on_its_body():
    """V = A L with the area of a hexagon, for a closed curve in a plane (Pappus). The frame is a marker."""
    system = System.from_text(
        body("cam", mass=1, inertia=[1, 1, 1], marker=[MARKER])
        + table("curve", name="rim", body="cam.rim", color="red", **ELLIPSE)
        + table("curve", name="wire", visible=False, **HELIX)
    )
    arrays = shape_arrays(system)
    assert arrays["shapes/type"] == ["curve", "curve"] and arrays["shapes/name"] == ["rim", "wire"]
    assert arrays["shapes/body"].tolist() == [0, -1] and arrays["shapes/visible"].tolist() == [1, 0]
    (_, tube), _ = curve_tubes(system)
    points, triangles = tube.template_surface()
    np.testing.assert_allclose(points.mean(axis=0), [1, 0, 0], atol=1e-3)
    assert np.ptp(points[:, 2]) == pytest.approx(0.6, rel=0.02)  # y of the marker is z of the body
    a, b, c = (points[triangles[:, k]] for k in range(3))
    rim = system.curve_tables["rim"]
    hexagon = 1.5 * np.sqrt(3) * (RADIUS * rim.size) ** 2
    assert np.sum(a * np.cross(b, c)) / 6 == pytest.approx(hexagon * rim.length, rel=1e-3)
