"""Points on curves of bodies, against motions with closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from mbplugin_joints.curves import PointOnCurve
from refusals import has, look, refused, time_in
from scene_text import body, joint, solver, table, world
from scipy.special import ellipk

import mbplugin as mb
from mbplugin.compile import compile_system
from mbplugin.errors import MbpluginError
from mbplugin.testing import check_constraint

G, R, PITCH = 9.81, 0.3, 0.5
HELIX = {"x": f"{R}*cos(s)", "y": f"{R}*sin(s)", "z": f"{PITCH}*s/(2*pi)", "range": ["-4*pi", "pi"]}
CYCLOID = {"x": f"{R}*(s + sin(s))", "z": f"{R}*(1 - cos(s))", "range": [-3, 3]}
CIRCLE = {"x": f"{R}*cos(s)", "y": f"{R}*sin(s)", "range": [0, "2*pi"], "closed": True}
OVAL = CIRCLE | {"y": "0.2*sin(s)"}


def bead(position, **keys):
    return body("bead", type="point", mass=0.4, position=position, **keys)


def on_wire(curve, **keys):
    return table("curve", name="wire", **curve) + joint(
        "guide", "point_on_curve", "ground", "bead", curve="wire", **keys
    )


def on_cycloid(angle):
    return bead([R * (angle + np.sin(angle)), 0, R * (1 - np.cos(angle))]) + on_wire(CYCLOID)


@pytest.mark.parametrize(
    ("by", "tolerance"),
    [(solver(tolerance=1e-10, end=1.0), 1e-8), (solver(type="galpha", tolerance=1e-8, end=1.0), 1e-5)],
    ids=["rk", "galpha"],
)
def test_bead_on_a_helix(runs, by, tolerance):
    """z̈ = −g k²/(r² + k²), with k = pitch/2π."""
    text = bead([R, 0, 0]) + on_wire(HELIX) + by
    k = PITCH / (2 * np.pi)
    for t, frame in zip((0.5, 1.0), runs.frames(text, [0.5, 1.0])):
        z = -0.5 * G * k**2 / (R**2 + k**2) * t**2
        place = [R * np.cos(z / k), R * np.sin(z / k), z]
        np.testing.assert_allclose(frame["bodies/position"][0], place, atol=tolerance)
        # from the begin of the wire, two turns below
        arc = (4 * np.pi + z / k) * np.hypot(R, k)
        assert frame["coordinates/value"][0] == pytest.approx(arc, abs=2 * tolerance)


def test_a_stiff_penalty_holds_a_bead_too(runs):
    """With 1e7 N/m the bead is off by its force over this, some 1e-6 m."""
    stiff = {"type": "penalty", "stiffness": 1e7, "damping": 1e3}
    text = bead([R, 0, 0]) + on_wire(HELIX, enforce=stiff) + solver(tolerance=1e-8, end=1.0)
    (end,) = runs.frames(text, [1.0])
    k = PITCH / (2 * np.pi)
    z = -0.5 * G * k**2 / (R**2 + k**2)
    np.testing.assert_allclose(
        end["bodies/position"][0], [R * np.cos(z / k), R * np.sin(z / k), z], atol=1e-5
    )


@pytest.mark.parametrize("angle", [0.3, 1.0, 2.5])
def test_bead_on_a_cycloid_swings_with_one_period(runs, angle):
    """T = 4π √(r/g) whatever the amplitude (Ch. Huygens, Horologium Oscillatorium, 1673)."""
    period = 4 * np.pi * np.sqrt(R / G)
    text = on_cycloid(angle) + solver(tolerance=1e-12, end=2 * period)
    start, half, whole = (
        frame["bodies/position"][0] for frame in runs.frames(text, [0.0, period / 2, 2 * period])
    )
    np.testing.assert_allclose(half, start * [-1, 1, 1], atol=1e-9)
    np.testing.assert_allclose(whole, start, atol=1e-9)


def test_bead_on_a_circle_in_a_plane_is_a_pendulum(runs):
    """T = 4 √(r/g) K(sin²(θ/2))."""
    theta = 2.0
    start = [R * np.sin(theta), -R * np.cos(theta)]
    text = (
        world(gravity=[0, -G, 0])
        + body("bead", type="planar", mass=0.4, inertia=0.01, position=start)
        + on_wire(CIRCLE)
    )
    period = 4 * np.sqrt(R / G) * ellipk(np.sin(theta / 2) ** 2)
    before, after = (
        frame["bodies/position"][0]
        for frame in runs.frames(text + solver(tolerance=1e-11, end=period), [0.0, period])
    )
    np.testing.assert_allclose(after, before, atol=1e-8)


def test_bead_on_a_turning_hoop_stays_where_gravity_and_spin_balance(runs):
    """cos θ = g/(ω² r) from the vertical; the hoop is given in the frame of a marker of its body."""
    omega = 8.0
    cosine = G / (omega**2 * R)
    place = np.array([R * np.sqrt(1 - cosine**2), 0, -R * cosine])
    hoop = {"orientation": {"axis": [1, 0, 0], "angle_deg": 90}}
    text = (
        body(
            "hoop",
            mass=1,
            inertia=[1, 1, 1],
            angular_velocity=[0, 0, omega],
            marker=[{"name": "rim", **hoop}],
        )
        + bead(place.tolist(), velocity=[0, omega * place[0], 0])
        + joint("axle", "revolute", "ground", "hoop", axis=[0, 0, 1])
        + table("motion", joint="axle", angle=f"{omega}*time")
        + table("curve", name="wire", body="hoop.rim", **CIRCLE)
        + joint("guide", "point_on_curve", "hoop", "bead", curve="wire")
        + solver(tolerance=1e-10, end=1.0)
    )
    (end,) = runs.frames(text, [1.0])
    turned = [place[0] * np.cos(omega), place[0] * np.sin(omega), place[2]]
    np.testing.assert_allclose(end["bodies/position"][1], turned, atol=1e-6)


def test_statics_and_modes_of_a_bead_on_a_cycloid():
    """At rest at the bottom; ω = √(g/4r)."""
    system = mb.System.from_text(on_cycloid(0.5) + solver(end=1.0))
    np.testing.assert_allclose(system.analyze("static").position[0], 0.0, atol=1e-9)
    (mode,) = system.analyze("eigen", about="static").modes
    assert abs(mode.s) == pytest.approx(np.sqrt(G / (4 * R)), rel=1e-6)


def test_a_point_that_leaves_an_open_end_ends_the_run(runs):
    text = bead([0.1, 0, 0], velocity=[1, 0, 0]) + on_wire({"points": [[0, 0, 0], [0.3, 0, 0]]})
    with pytest.raises(MbpluginError) as caught:
        runs.frames(text + solver(end=1.0), [1.0])
    assert has(str(caught.value), "guide")
    assert 0.0 <= (time_in(str(caught.value)) or 0.0) <= 0.2 + 1e-3
    look(str(caught.value), "")


def test_two_places_that_are_equally_near_are_told(registry):
    with refused("joint[0].curve", "wire"):
        compile_system(mb.System.from_text(bead([0, 0, 0.1]) + on_wire(OVAL) + solver(end=1)), registry)
    with refused("joint[0].near", 3.0):
        text = bead([0.1, 0, 0]) + on_wire({"points": [[0, 0, 0], [0.3, 0, 0]]}, near=3.0)
        compile_system(mb.System.from_text(text + solver(end=1)), registry)


@pytest.mark.parametrize(("curve", "a"), [("wir", "ground"), (3, "ground"), ("wire", "post")])
def test_curves_that_do_not_fit_are_refused(curve, a, registry):
    text = (
        body("post", mass=1, inertia=[1, 1, 1])
        + bead([R, 0, 0])
        + table("curve", name="wire", **HELIX)
        + joint("guide", "point_on_curve", a, "bead", curve=curve)
        + solver(end=1)
    )
    with refused("joint[0].curve"):
        compile_system(mb.System.from_text(text), registry)


@pytest.mark.parametrize("kind", [PointOnCurve])
def test_it_conforms(kind):
    report = check_constraint(kind)
    assert report.ok, f"\n{report}"
