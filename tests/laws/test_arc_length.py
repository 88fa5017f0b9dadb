"""The arc length of a point on a curve as a coordinate: motions, springs, limits and friction along it."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import body, joint, solver, table, world
from scipy.integrate import solve_ivp

import mbplugin as mb
from mbplugin.compile import compile_system

G, R, M, MU = 9.81, 0.3, 0.4, 0.2
CIRCLE = {"x": f"{R}*cos(s)", "y": f"{R}*sin(s)", "range": [0, "2*pi"], "closed": True}
PITCH = 0.8
HELIX = {"x": f"{R}*cos(s)", "y": f"{R}*sin(s)", "z": f"-{PITCH}*s/(2*pi)", "range": [0, "40*pi"]}
CYCLOID = {"x": f"{R}*(s + sin(s))", "z": f"{R}*(1 - cos(s))", "range": [-3, 3]}
#: of the cycloid, arc length of its lowest point
BOTTOM = 4 * R * np.sin(1.5)
SLOPE = {"points": [[0, 0, 0], [-0.8, 0, -0.6]]}
SOLVERS = {
    "rk": ({"tolerance": 1e-10}, 1e-8),
    "galpha": ({"type": "galpha", "tolerance": 1e-8}, 2e-6),
    "contact": ({"type": "contact", "step": 2e-4}, 2e-4),
}
each_solver = pytest.mark.parametrize(("by", "tolerance"), SOLVERS.values(), ids=list(SOLVERS))


def on_wire(curve, position, speed=0.0, bead=(), gravity=G, **keys):
    start = {"start": {"speed": speed}} if speed else {}
    return (
        world(gravity=[0, 0, -gravity])
        + body("bead", type="point", mass=M, position=position, **dict(bead))
        + table("curve", name="wire", **curve)
        + joint("guide", "point_on_curve", "ground", "bead", curve="wire", **start, **keys)
    )


def arc(frame):
    return frame["coordinates/value"][0], frame["coordinates/speed"][0]


@each_solver
def test_friction_on_a_circle_takes_the_speed_by_the_angle_alone(runs, by, tolerance):
    """m v' = −μ m v²/r: v = v₀ exp(−μ θ) = v₀/(1 + μ v₀ t/r), as of a rope on a drum."""
    v0 = 2.0
    text = on_wire(CIRCLE, [R, 0, 0], v0, gravity=0, friction=MU)
    for t, frame in zip((1.0, 3.0), runs.frames(text + solver(**by, end=3.0), [1.0, 3.0])):
        s, speed = arc(frame)
        assert s == pytest.approx(R / MU * np.log(1 + MU * v0 * t / R), abs=10 * tolerance)
        assert speed == pytest.approx(v0 * np.exp(-MU * s / R), abs=10 * tolerance)
        assert s > 2 * np.pi * R or t < 3  # it counts turns


@pytest.mark.parametrize("tolerance", [1e-9])
def test_a_bead_that_rubs_down_a_helix_reaches_its_terminal_speed(runs, tolerance):
    """g sin α = μ √((g cos α)² + (v² cos² α/r)²)."""
    slope = np.arctan2(PITCH, 2 * np.pi * R)
    pressure = lambda v: np.hypot(G * np.cos(slope), v * v * np.cos(slope) ** 2 / R)
    terminal = np.sqrt(R * np.sqrt((G * np.sin(slope) / MU) ** 2 - (G * np.cos(slope)) ** 2)) / np.cos(slope)
    text = on_wire(HELIX, [R, 0, 0], friction=MU) + solver(tolerance=tolerance, end=12.0)
    exact = solve_ivp(
        lambda t, y: [y[1], G * np.sin(slope) - MU * pressure(y[1])], (0, 0.5), [0, 0], rtol=1e-12, atol=1e-12
    )
    early, late = runs.frames(text, [0.5, 12.0])
    np.testing.assert_allclose(arc(early), exact.y[:, -1], atol=1e-7)
    assert arc(late)[1] == pytest.approx(terminal, rel=1e-6)


def test_a_bead_sticks_on_a_slope_that_is_less_than_its_friction(runs):
    """tan α = 3/4."""
    for friction, holds in ((0.76, True), (0.74, False)):
        text = on_wire(SLOPE, [-0.16, 0, -0.12], friction=friction) + solver(end=0.5)
        (end,) = runs.frames(text, [0.5])
        fallen = 0.0 if holds else 0.5 * G * (0.6 - friction * 0.8) * 0.25
        assert arc(end)[0] - 0.2 == pytest.approx(fallen, abs=1e-8)


@each_solver
def test_a_motion_drives_a_bead_round_a_circle(by, tolerance):
    """N = m v²/r inwards and the weight, which the drive has no part in; a turn is 2π r."""
    v = 1.5
    text = on_wire(CIRCLE, [R, 0, 0]) + table("motion", joint="guide", arc_length=f"{v}*time")
    result = mb.System.from_text(text + solver(**by, end=3.0)).run(files=False)
    angle = v * result.time / R
    np.testing.assert_allclose(result.coordinate("guide.arc_length").value, v * result.time, atol=1e-9)
    place = R * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    np.testing.assert_allclose(result["bead"].position, place, atol=tolerance)
    if "step" not in by:
        exact = -M * v * v / R * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1) + [0, 0, M * G]
        np.testing.assert_allclose(result.joint("guide").force, exact, atol=1e-6)


def test_inverse_dynamics_gives_the_force_that_drives_along_a_slope():
    text = on_wire(SLOPE, [0, 0, 0]) + table("motion", joint="guide", arc_length="0.5*time**2")
    result = mb.System.from_text(text + solver(end=1.0)).analyze("inverse")
    np.testing.assert_allclose(result.drive[:, 0], M * (1.0 - 0.6 * G), atol=1e-9)


@pytest.mark.parametrize(
    ("keys", "enforce", "tolerance"),
    [
        ({}, "lagrange", 1e-8),
        ({"coordinates": "joint"}, "lagrange", 1e-8),
        ({}, {"type": "penalty", "stiffness": 1e7, "damping": 1e3}, 1e-4),
    ],
    ids=["maximal", "joint", "penalty"],
)
def test_a_bead_driven_round_a_hoop_that_turns_freely_keeps_its_angular_momentum(keys, enforce, tolerance):
    """(I + m x²) ω = const, in whatever coordinates, while the arc length counts one and a half turns."""
    inertia, omega, speed = 0.05, 3.0, 1.5
    text = (
        world(gravity=[0, 0, 0])
        + body("hoop", mass=1, inertia=[0.1, 0.1, inertia], angular_velocity=[0, 0, omega])
        + body("bead", type="point", mass=M, position=[R, 0, 0], velocity=[0, omega * R, 0])
        + joint("axle", "revolute", "ground", "hoop", axis=[0, 0, 1])
        + table("curve", name="wire", body="hoop", **{**CIRCLE, "z": CIRCLE["y"], "y": "0"})
        + joint("guide", "point_on_curve", "hoop", "bead", curve="wire", enforce=enforce)
        + table("motion", joint="guide", arc_length=f"{speed}*time")
    )
    result = mb.System.from_text(text + solver(tolerance=1e-10, end=1.9, **keys)).run(files=False)
    s = result.coordinate("guide.arc_length").value
    np.testing.assert_allclose(s, speed * result.time, atol=tolerance)
    assert s[-1] > 2.8 * np.pi * R
    momentum = (inertia + M * (R * np.cos(s / R)) ** 2) * result.coordinate("axle.angle").speed
    np.testing.assert_allclose(momentum, (inertia + M * R * R) * omega, rtol=10 * tolerance)


@pytest.mark.parametrize("angle", [0.4, 1.3])
def test_a_spring_along_any_curve_swings_with_one_frequency(runs, angle):
    """s̈ = −(k/m) (s − s₁), whatever the curve, without gravity; with it on a cycloid k + m g/4r is the
    stiffness.
    """
    k, rest, t = 30.0, 1.1, 0.7
    place = [R * (angle + np.sin(angle)), 0, R * (1 - np.cos(angle))]
    start = BOTTOM + 4 * R * np.sin(angle / 2)
    for gravity in (0.0, G):
        stiffness = k + M * gravity / (4 * R)
        equilibrium = (k * rest + M * gravity / (4 * R) * BOTTOM) / stiffness
        text = on_wire(CYCLOID, place, gravity=gravity, stiffness=k, rest=rest)
        (end,) = runs.frames(text + solver(tolerance=1e-12, end=t), [t])
        omega = np.sqrt(stiffness / M)
        swing = start - equilibrium
        exact = equilibrium + swing * np.cos(omega * t), -swing * omega * np.sin(omega * t)
        np.testing.assert_allclose(arc(end), exact, atol=1e-9)


def test_statics_and_modes_of_a_spring_along_a_cycloid():
    k, rest = 30.0, 1.5
    text = on_wire(CYCLOID, [0.3, 0, 0.05], stiffness=k, rest=rest) + solver(end=1.0)
    system = mb.System.from_text(text)
    stiffness = k + M * G / (4 * R)
    equilibrium = (k * rest + M * G / (4 * R) * BOTTOM) / stiffness
    z = (equilibrium - BOTTOM) ** 2 / (8 * R)
    static = system.analyze("static")
    assert static.position[0, 2] == pytest.approx(z, abs=1e-9)
    (mode,) = system.analyze("eigen", about="static").modes
    assert abs(mode.s) == pytest.approx(np.sqrt(stiffness / M), rel=1e-6)


@each_solver
def test_a_bead_rebounds_from_the_end_of_its_wire(by, tolerance):
    """It falls along a slope of 1 m with g sin α and rises again to e² of the way."""
    e, a = 0.5, 0.6 * G
    text = on_wire(SLOPE, [0, 0, 0], limits="ends", restitution=e) + solver(**by, end=1.0)
    result = mb.System.from_text(text).run(files=False)
    s = result.coordinate("guide.arc_length").value
    struck = np.sqrt(2 / a)
    after = result.time > struck
    t = result.time[after] - struck
    np.testing.assert_allclose(s[~after], 0.5 * a * result.time[~after] ** 2, atol=50 * tolerance)
    np.testing.assert_allclose(s[after], 1 - e * a * struck * t + 0.5 * a * t * t, atol=50 * tolerance)
    assert s.max() <= 1 + 1e-6


def test_expressions_read_the_arc_length_and_its_rate(runs):
    """A force −c ṡ along the wire, by an expression, decays the speed by exp(−c t/m)."""
    c, v0 = 0.3, 1.0
    text = on_wire(CIRCLE, [R, 0, 0], v0, gravity=0)
    text += table("force", type="joint_force", joint="guide", force=f"-{c}*rate(guide.arc_length)")
    (end,) = runs.frames(text + solver(tolerance=1e-11, end=2.0), [2.0])
    s, speed = arc(end)
    assert speed == pytest.approx(v0 * np.exp(-c * 2.0 / M), abs=1e-9)
    assert s == pytest.approx((v0 - speed) * M / c, abs=1e-9)


def test_a_coupler_lets_one_bead_follow_another_along_a_curve(runs):
    """A coordinate in the row of another joint has unknowns of its own."""
    text = (
        on_wire(CIRCLE, [R, 0, 0], gravity=0)
        + body("other", type="point", mass=M, position=[0, 0, 0.1])
        + table("curve", name="line", points=[[-2, 0, 0.1], [2, 0, 0.1]])
        + joint("rail", "point_on_curve", "ground", "other", curve="line")
        + table("joint", name="tie", type="coupler", joints=["guide", "rail"], factors=[2, -1])
        + table("motion", joint="guide", arc_length="0.4*time")
    )
    (end,) = runs.frames(text + solver(end=2.0), [2.0])
    assert end["bodies/position"][1, 0] == pytest.approx(2 * 0.4 * 2, abs=1e-8)


@pytest.mark.parametrize(("curve", "keys", "key"), [(CIRCLE, {"limits": "ends"}, "joint[0].limits")])
def test_a_closed_curve_has_no_ends(curve, keys, key, registry):
    with refused(key):
        compile_system(mb.System.from_text(on_wire(curve, [R, 0, 0], **keys) + solver(end=1)), registry)
