"""Curves that touch: cams with flat and roller followers, lift-off, and gears, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from mbplugin_joints.touching_curves import CurveOnCurve
from refusals import refused
from scene_text import body, joint, solver, table, world
from scipy.optimize import brentq
from tiers import slow

import mbplugin as mb
from mbplugin.compile import compile_system
from mbplugin.testing import check_constraint

G = 9.81
#: eccentricity and radius of a circular cam, radius of a roller [m]
E, RHO, ROLLER = 0.03, 0.05, 0.02
CAM = {"x": f"{E} + {RHO}*cos(s)", "y": f"{RHO}*sin(s)", "range": [0, "2*pi"], "closed": True}
FLAT = {"points": [[-0.2, 0], [0.2, 0]]}
ROUND = {"x": f"{ROLLER}*cos(s)", "y": f"{ROLLER}*sin(s)", "range": [0, "2*pi"], "closed": True}


RK, IMPLICIT = {"tolerance": 1e-10}, {"type": "galpha", "tolerance": 1e-8}


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
    error = 1e-8 if by is RK else 1e-6
    np.testing.assert_allclose(
        result["rod"].acceleration[:, 1], -(omega**2) * wave, atol=error * E * omega**2
    )


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


def test_a_follower_in_a_long_flight_lands_on_the_cam_that_turns_below_it():
    """A parabola until ρ + e sin ωt comes up to it, after ten turns; the follower flies at rk's leisure."""
    omega = 100.0
    text = cam(FLAT, RHO, omega, end=0.75, unilateral=True).replace("tolerance = 1e-10", "tolerance = 1e-4")
    result = mb.System.from_text(text).run(files=False)
    left = np.arcsin(G / (E * omega**2)) / omega
    rise = lambda t: E * (np.sin(omega * left) - np.sin(omega * t))
    height = lambda t: rise(t) + E * omega * np.cos(omega * left) * (t - left) - 0.5 * G * (t - left) ** 2
    t = np.linspace(left + 1e-3, 0.75, 100001)
    k = int(np.flatnonzero(height(t) < 0.0)[0])
    struck = brentq(height, t[k - 1], t[k], xtol=1e-14)
    assert struck - left > 9 * 2 * np.pi / omega
    landing = next(event for event in result.events if event.after != "free" and event.time > 0.1)
    assert landing.time == pytest.approx(struck, abs=1e-6)


@pytest.mark.parametrize(
    ("keys", "by"),
    [({}, RK), ({"unilateral": True}, IMPLICIT), slow({}, IMPLICIT), slow({"unilateral": True}, RK)],
)
def test_a_flat_follower_that_rubs_takes_a_torque(keys, by):
    """N = m (g − e ω² sin ωt), T = N (e cos ωt + μ (ρ + e sin ωt))."""
    omega, mu = 0.8 * np.sqrt(G / E), 0.3
    result = mb.System.from_text(cam(FLAT, RHO, omega, by=by, friction=mu, **keys)).run(files=False)
    wave, along = E * np.sin(omega * result.time), E * np.cos(omega * result.time)
    pressure = 0.5 * (G - omega**2 * wave)
    torque = result.coordinate("axle.angle").drive
    tolerance = 1e-6 if by is RK else 1e-3
    np.testing.assert_allclose(torque, pressure * (along + mu * (RHO + wave)), atol=tolerance)
    assert set(result.status("touch.friction").tolist()) == {"slips backwards"}


def test_a_follower_in_a_groove_rubs_on_both_flanks():
    """The groove pulls where m (g + ÿ) < 0, and its size presses."""
    omega, mu = 2.0 * np.sqrt(G / E), 0.3
    result = mb.System.from_text(cam(FLAT, RHO, omega, friction=mu, end=0.5)).run(files=False)
    wave, along = E * np.sin(omega * result.time), E * np.cos(omega * result.time)
    force = 0.5 * (G - omega**2 * wave)
    assert force.min() < -1.0
    torque = result.coordinate("axle.angle").drive
    np.testing.assert_allclose(torque, force * along + abs(force) * mu * (RHO + wave), atol=1e-5)


ROUND_CAM = {"x": f"{RHO}*cos(s)", "y": f"{RHO}*sin(s)", "range": [0, "2*pi"], "closed": True}


@pytest.mark.parametrize("keys", [{}, {"unilateral": True}], ids=["in a groove", "unilateral"])
@pytest.mark.parametrize(
    ("by", "tolerance"), [(RK, 1e-7), ({"type": "contact", "step": 1e-4}, 1e-2)], ids=["rk", "contact"]
)
def test_a_roller_slips_on_a_cam_until_it_rolls(keys, by, tolerance):
    """I φ̈ = −μ m g r until r φ̇ = −ρ ω, at t = I ω ρ/(μ m g r²); then it sticks."""
    omega, mu, m, inertia = 10.0, 0.2, 0.5, 1e-4
    text = (
        world(gravity=[0, -G, 0])
        + body("cam", type="planar", mass=1, inertia=0.01)
        + body("roller", type="planar", mass=m, inertia=inertia, position=[0, RHO + ROLLER])
        + table("curve", name="rim", body="cam", **ROUND_CAM)
        + table("curve", name="tread", body="roller", **ROUND)
        + joint("axle", "pin", "ground", "cam")
        + joint("slide", "point_on_line", "ground", "roller", axis=[0, 1, 0], at=[0, RHO + ROLLER])
        + joint(
            "touch", "curve_on_curve", "cam", "roller", curve_a="rim", curve_b="tread", friction=mu, **keys
        )
        + table("motion", joint="axle", angle=f"{omega}*time")
        + solver(**by, end=0.3)
    )
    result = mb.System.from_text(text).run(files=False)
    rolls = inertia * omega * RHO / (mu * m * G * ROLLER**2)
    assert 0.1 < rolls < 0.2  # within the run
    slips = np.minimum(result.time, rolls)
    rate = mu * m * G * ROLLER / inertia
    exact = -0.5 * rate * slips**2 - omega * RHO / ROLLER * (result.time - slips)
    angle = result.coordinate("slide.angle").value
    np.testing.assert_allclose(angle - angle[0], exact, atol=tolerance * np.abs(exact).max())
    assert result.status("touch.friction")[-1] == "sticks"


def test_numbers_that_no_function_reads_make_no_other_machine_code(registry):
    """Friction at rest, and that there is friction at all, is for the rows, not for the arc lengths."""
    kernels = lambda **keys: {
        k.text for k in compile_system(mb.System.from_text(cam(FLAT, RHO, 1.0, **keys)), registry).kernels
    }
    none, rubs, sticks = kernels(), kernels(friction=0.2), kernels(friction=0.2, friction_static=0.3)
    assert rubs == sticks
    assert {text for text in none if "arc_length" in text} == {text for text in rubs if "arc_length" in text}


def test_arc_lengths_of_curves_that_touch_are_coordinates():
    """A roller of half the radius rolls twice round itself for each turn of the cam."""
    omega = 3.0
    result = mb.System.from_text(cam(FLAT, RHO, omega)).run(files=False)
    a, b = (result.coordinate(f"touch.arc_length_{one}") for one in "ab")
    angle = omega * result.time
    np.testing.assert_allclose(a.value - a.value[0], -RHO * angle, atol=1e-8)
    np.testing.assert_allclose(a.speed, -RHO * omega, atol=1e-6)
    np.testing.assert_allclose(b.value - b.value[0], E * (np.cos(angle) - 1.0), atol=1e-8)


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
        (FLAT, {"rolling": True, "friction": 0.1}, "joint[2].friction"),
        (FLAT, {"friction_static": 0.1}, "joint[2].friction_static"),
        (FLAT, {"friction": 0.2, "friction_static": 0.1}, "joint[2].friction_static"),
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
