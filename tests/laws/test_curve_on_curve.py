"""Curves that touch: cams with flat and roller followers, lift-off, and gears, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from mbplugin_joints.touching_curves import CurveOnCurve
from refusals import refused
from scene_text import body, joint, solver, table, world

import mbplugin as mb
from mbplugin.compile import compile_system
from mbplugin.testing import check_constraint

G = 9.81
#: eccentricity and radius of a circular cam, radius of a roller [m]
E, RHO, ROLLER = 0.03, 0.05, 0.02
CAM = {"x": f"{E} + {RHO}*cos(s)", "y": f"{RHO}*sin(s)", "range": [0, "2*pi"], "closed": True}
FLAT = {"points": [[-0.2, 0], [0.2, 0]]}
ROUND = {"x": f"{ROLLER}*cos(s)", "y": f"{ROLLER}*sin(s)", "range": [0, "2*pi"], "closed": True}


RK = {"tolerance": 1e-10}


def cam(foot, height, omega, end=1.0, curve_b="foot", by=RK, **keys):
    """A cam about the origin and a follower above it that slides along y."""
    return (
        world(gravity=[0, -G, 0])
        + body("cam", type="planar", mass=1, inertia=0.01)
        + body("rod", type="planar", mass=0.5, inertia=0.01, position=[0, height], velocity=[0, E * omega])
        + table("curve", name="rim", body="cam", **CAM)
        + table("curve", name="foot", body="rod", **foot)
        + joint("axle", "pin", "ground", "cam")
        + joint("slide", "translational", "ground", "rod", axis=[0, 1, 0])
        + joint("touch", "curve_on_curve", "cam", "rod", curve_a="rim", curve_b=curve_b, **keys)
        + table("motion", joint="axle", angle=f"{omega}*time")
        + solver(**by, end=end)
    )


@pytest.mark.parametrize("by", [RK, {"type": "galpha", "tolerance": 1e-8}], ids=["rk", "galpha"])
def test_flat_follower_of_an_eccentric(by):
    """y = ρ + e sin ωt, ÿ = −e ω² sin ωt."""
    omega = 5.0
    result = mb.System.from_text(cam(FLAT, RHO, omega, by=by)).run(files=False)
    wave = E * np.sin(omega * result.time)
    np.testing.assert_allclose(result["rod"].position[:, 1], RHO + wave, atol=1e-9)
    np.testing.assert_allclose(
        result["rod"].velocity[:, 1], E * omega * np.cos(omega * result.time), atol=1e-6
    )
    # the curvature of the spline is right to about 1e-4
    np.testing.assert_allclose(result["rod"].acceleration[:, 1], -(omega**2) * wave, atol=2e-4 * E * omega**2)


def test_roller_follower_of_an_eccentric():
    """y = e sin ωt + √((ρ + r)² − e² cos² ωt)."""
    omega, reach = 5.0, RHO + ROLLER
    result = mb.System.from_text(cam(ROUND, np.sqrt(reach**2 - E**2), omega)).run(files=False)
    angle = omega * result.time
    lift = E * np.sin(angle) + np.sqrt(reach**2 - (E * np.cos(angle)) ** 2)
    np.testing.assert_allclose(result["rod"].position[:, 1], lift, atol=1e-9)


def test_a_follower_that_is_slow_enough_never_leaves_its_cam():
    omega = 0.98 * np.sqrt(G / E)
    result = mb.System.from_text(cam(FLAT, RHO, omega, end=0.6, unilateral=True)).run(files=False)
    assert np.abs(result.output("touch.gap")).max() < 1e-12
    assert not list(result.events)


def test_a_follower_leaves_its_cam_where_gravity_is_too_weak():
    """sin ωt = g/(e ω²), so never below ω = √(g/e); then it flies freely."""
    omega = 1.02 * np.sqrt(G / E)
    result = mb.System.from_text(cam(FLAT, RHO, omega, end=0.12, unilateral=True)).run(files=False)
    left = np.arcsin(G / (E * omega**2)) / omega
    (event,) = result.events
    assert event.time == pytest.approx(left, abs=2e-5)
    t = result.time[-1] - left
    height = RHO + E * np.sin(omega * left) + E * omega * np.cos(omega * left) * t - 0.5 * G * t**2
    assert result["rod"].position[-1, 1] == pytest.approx(height, abs=1e-8)
    gap = height - RHO - E * np.sin(omega * result.time[-1])
    assert result.output("touch.gap")[-1] == pytest.approx(gap, abs=1e-8)
    assert gap > 1e-4


def test_a_follower_that_has_left_comes_back_and_does_not_pass_through():
    omega = 3.0 * np.sqrt(G / E)
    spring = {"joint": "slide", "stiffness": 100.0, "rest": -0.1, "damping": 1.0}
    text = cam(FLAT, RHO, omega, end=0.6, unilateral=True, restitution=0.3)
    result = mb.System.from_text(text + table("force", type="joint_spring_damper", **spring)).run(files=False)
    gap = result.output("touch.gap")
    assert gap.min() > -1e-9 and gap.max() > 0.05
    assert len(result.events) > 3


def test_two_equal_elliptical_gears():
    """tan ½φ = −(1 − ε)/(1 + ε) tan ½θ about foci that are 2a apart. The second one slides along their line:
    the curves hold its distance.
    """
    a, b, omega = 0.4, 0.3, 1.3
    c = np.sqrt(a * a - b * b)
    ellipse = {"x": f"{a}*cos(s) - {c}", "y": f"{b}*sin(s)", "range": [0, "2*pi"], "closed": True}
    gears = {"curve_a": "first", "curve_b": "second", "rolling": True, "near_a": 0}
    planar = {"type": "planar", "mass": 1, "inertia": 0.01}
    text = (
        world(gravity=[0, 0, 0])
        + body("one", **planar)
        + body("two", position=[2 * a, 0], marker=[{"name": "focus"}], **planar)
        + table("curve", name="first", body="one", **ellipse)
        + table("curve", name="second", body="two", **ellipse)
        + joint("axle", "pin", "ground", "one")
        + joint("line", "point_on_line", "ground", "two", axis=[1, 0, 0], at=[2 * a, 0])
        + table("motion", joint="axle", angle=f"{omega}*time")
        + joint("mesh", "curve_on_curve", "one", "two", **gears)
        + solver(tolerance=1e-10, end=4.0)
    )
    result = mb.System.from_text(text).run(files=False)
    half, ratio = 0.5 * omega * result.time, (a - c) / (a + c)
    exact = -2 * np.unwrap(np.arctan2(ratio * np.sin(half), np.cos(half)))
    angle = result.coordinate("line.angle").value
    np.testing.assert_allclose(angle - angle[0], exact, atol=1e-7)
    np.testing.assert_allclose(result["two"].position[:, 0], 2 * a, atol=1e-8)


@pytest.mark.parametrize(
    ("foot", "keys", "key"),
    [
        (FLAT, {"rolling": True, "unilateral": True}, "joint[2].rolling"),
        (FLAT, {"restitution": 0.5}, "joint[2].restitution"),
        (FLAT, {"restitution": 1.5, "unilateral": True}, "joint[2].restitution"),
        (ROUND, {"curve_b": "rim"}, "joint[2].curve_b"),
        ({"x": "s", "y": "0.1*s**2", "z": "0.1*s**3", "range": [-1, 1]}, {}, "joint[2].curve_b"),
        ({"points": [[0.2, 0], [0.3, 0]]}, {}, "joint[2].curve_b"),
    ],
)
def test_curves_that_do_not_fit_are_refused(foot, keys, key, registry):
    text = cam(foot, RHO, 1.0, **keys)
    with refused(key):
        compile_system(mb.System.from_text(text), registry)


def test_it_conforms():
    report = check_constraint(CurveOnCurve)
    assert report.ok, f"\n{report}"
