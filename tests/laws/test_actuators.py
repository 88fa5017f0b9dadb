"""Actuators, and motions that are given as a position, a velocity or an acceleration."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, joint, motion, solver, world
from scipy.spatial.transform import Rotation

TIMES = np.linspace(0.0, 2.0, 21)
MARK_A, MARK_B = np.array([0.1, 0.0, 0.2]), np.array([0.1, 0.3, 0.2])
BODIES = (
    NO_GRAVITY
    + body(
        "a",
        mass=1,
        inertia=[0.1, 0.2, 0.25],
        angular_velocity=[0.3, 0.2, 0.5],
        marker=[{"name": "m", "position": MARK_A}],
    )
    + body(
        "b",
        mass=2,
        inertia=[0.3, 0.2, 0.25],
        position=[0.9, 0, 0],
        marker=[{"name": "m", "position": MARK_B}],
    )
)
SOLVER = solver(tolerance=1e-11, end=2)


def two(a="a.m", b="b.m", **keys):
    """Text of two bodies with an actuator between them."""
    return BODIES + joint("cylinder", "actuator", a, b, **keys) + SOLVER


def length(frame):
    """Distance of the two markers and its rate, from the poses of the bodies."""
    ends = []
    for k, mark in enumerate((MARK_A, MARK_B)):
        arm = Rotation.from_quat(frame["bodies/orientation"][k][[1, 2, 3, 0]]).apply(mark)
        ends.append(
            (
                frame["bodies/position"][k] + arm,
                frame["bodies/velocity"][k] + np.cross(frame["bodies/angular_velocity"][k], arm),
            )
        )
    d, u = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]
    return np.linalg.norm(d), d @ u / np.linalg.norm(d)


def test_a_length_is_followed_at_every_frame(runs):
    for t, frame in zip(TIMES, runs.frames(two(length="1 + 0.2*sin(2*time)"), TIMES)):
        s, rate = length(frame)
        assert abs(s - (1 + 0.2 * np.sin(2 * t))) < 1e-10
        assert abs(rate - 0.4 * np.cos(2 * t)) < 1e-10
        assert frame["coordinates/value"][0] == pytest.approx(s, abs=1e-12)


def test_a_speed_is_followed_at_every_frame(runs):
    frames = runs.frames(two(speed="0.3*cos(time)"), TIMES)
    start = length(frames[0])[0]
    for t, frame in zip(TIMES, frames):
        s, rate = length(frame)
        assert abs(rate - 0.3 * np.cos(t)) < 1e-10
        assert abs(s - start - 0.3 * np.sin(t)) < 1e-8  # its integral, to the tolerance of the integrator


def test_an_acceleration_is_followed_at_every_frame(runs):
    """s̈ from the accelerations that the frame stores: u·(a_b − a_a) + (|ḋ|² − ṡ²)/s at the markers."""
    frames = runs.frames(two(acceleration="0.5*sin(time)", start={"speed": 0.1}), TIMES)
    start = length(frames[0])[0]
    for t, frame in zip(TIMES, frames):
        ends = []
        for k, mark in enumerate((MARK_A, MARK_B)):
            arm = Rotation.from_quat(frame["bodies/orientation"][k][[1, 2, 3, 0]]).apply(mark)
            w, alpha = frame["bodies/angular_velocity"][k], frame["bodies/angular_acceleration"][k]
            x, v, a = (frame[f"bodies/{word}"][k] for word in ("position", "velocity", "acceleration"))
            ends.append(
                (x + arm, v + np.cross(w, arm), a + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm)))
            )
        d, d1, d2 = (np.subtract(*pair) for pair in zip(ends[1], ends[0]))
        s = np.linalg.norm(d)
        s1 = d @ d1 / s
        assert abs(d @ d2 / s + (d1 @ d1 - s1**2) / s - 0.5 * np.sin(t)) < 1e-10
        assert abs(s1 - (0.6 - 0.5 * np.cos(t))) < 1e-8
        assert abs(s - start - 0.6 * t + 0.5 * np.sin(t)) < 1e-8
        # what drives by an acceleration does work too
        assert abs(float(frame["energy/balance"])) < 1e-8
    assert float(frames[-1]["energy/work"]) > 0.1


def points(kind, inertia):
    """Text of an actuator between the mass centres of two bodies of 1 and 3 kg."""
    one = {"type": kind, "inertia": inertia, "marker": [{"name": "m"}]}
    return (
        NO_GRAVITY
        + body("a", mass=1, velocity=[0, -0.3, 0], **one)
        + body("b", mass=3, position=[1, 0, 0], velocity=[0.4, 0.2, 0], **one)
        + joint("cylinder", "actuator", "a.m", "b.m", length="1 + 0.2*sin(2*time)")
        + SOLVER
    )


@pytest.mark.parametrize(
    ("kind", "inertia", "dof"),
    [("spatial", [0.1, 0.1, 0.1], 11), ("planar", 0.1, 5)],
    ids=["in space", "in the plane"],
)
def test_the_force_between_two_points_is_that_of_their_distance(runs, kind, inertia, dof):
    """μ (L̈ − h²/L³) along the line from a to b, h = |d × ḋ| being constant: positive where it pushes them
    apart.
    """
    mu, h = 1 * 3 / 4, 0.5
    frames = runs.frames(points(kind, inertia), TIMES)
    signs = set()
    for t, frame in zip(TIMES, frames):
        L = 1 + 0.2 * np.sin(2 * t)
        force = mu * (-0.8 * np.sin(2 * t) - h**2 / L**3)
        d = frame["bodies/position"][1] - frame["bodies/position"][0]
        np.testing.assert_allclose(np.linalg.norm(d), L, atol=1e-10)
        assert frame["coordinates/drive"][0] == pytest.approx(force, abs=1e-8)
        np.testing.assert_allclose(frame["joints/force"][0], force * d / L, atol=1e-8)
        np.testing.assert_allclose(frame["joints/local_force"][0], [0, 0, force], atol=1e-8)
        np.testing.assert_allclose(frame["bodies/acceleration"][1], force * d / L / 3, atol=1e-8)
        signs.add(np.sign(force))
    assert signs == {-1.0, 1.0}
    assert runs.prepare(points(kind, inertia)).rank.dof == dof


@pytest.mark.parametrize("level", ["length", "speed", "acceleration"])
def test_a_lift_carries_weight_and_acceleration(runs, level):
    """m (g + a) with s = 1 + t³/10."""
    function = {"length": "1 + 0.1*time**3", "speed": "0.3*time**2", "acceleration": "0.6*time"}[level]
    text = (
        body("cabin", mass=5, inertia=[1, 1, 1], position=[0, 0, 1], marker=[{"name": "floor"}])
        + joint("shaft", "translational", "ground", "cabin", axis=[0, 0, 1], at=[0, 0, 1])
        + joint("ram", "actuator", "ground", "cabin.floor", at=[0, 0, 0], **{level: function})
        + SOLVER
    )
    for t, frame in zip(TIMES, runs.frames(text, TIMES)):
        np.testing.assert_allclose(frame["joints/force"][1], [0, 0, 5 * (9.81 + 0.6 * t)], atol=1e-8)
        assert frame["coordinates/value"][1] == pytest.approx(1 + 0.1 * t**3, abs=1e-9)


# three levels

DRIVEN = {
    "slider": (
        {"type": "translational", "a": "ground", "b": "b", "axis": [0, 1, 0]},
        "length",
        ("0.2*sin(3*time)", "0.6*cos(3*time)", "-1.8*sin(3*time)"),
        0.6,
    ),
    "hinge": (
        {"type": "revolute", "a": "ground", "b": "b", "axis": [0, 1, 0]},
        "angle",
        ("0.7*sin(2*time)", "1.4*cos(2*time)", "-2.8*sin(2*time)"),
        1.4,
    ),
    "cylinder": (
        {"type": "actuator", "a": "ground.low", "b": "b.m"},
        "length",
        ("1 + 0.2*sin(2*time)", "0.4*cos(2*time)", "-0.8*sin(2*time)"),
        0.4,
    ),
}


def at_level(kind, level, functions=None, speed=None, **keys):
    """Text of a body with a tail, driven by the position, velocity or acceleration (`level` 0, 1, 2) of a
    joint; `keys` of the solver.
    """
    driven, coordinate, usual, start = DRIVEN[kind]
    start = start if speed is None else speed
    return (
        world(marker=[{"name": "low", "position": [0, 0, -1]}])
        + body("b", mass=2, inertia=[0.3, 0.2, 0.25], center_of_mass=[0.3, 0.1, 0], marker=[{"name": "m"}])
        + body("tail", mass=1, inertia=[0.1, 0.1, 0.1], position=[0.8, 0, 0])
        + joint("wag", "ball", "b", "tail", at=[0.4, 0, 0])
        + joint("driven", **driven, start={"speed": start} if level == 2 else None)
        + motion(
            "driven", **{coordinate + ("", "_velocity", "_acceleration")[level]: (functions or usual)[level]}
        )
        + solver(**({"tolerance": 1e-11, "end": 1} | keys))
    )


@pytest.mark.parametrize("kind", DRIVEN)
def test_three_levels_of_one_function_give_one_motion(runs, kind):
    times = np.linspace(0.0, 1.0, 6)
    position, velocity, acceleration = (runs.frames(at_level(kind, level), times) for level in (0, 1, 2))
    for frames in zip(position, velocity, acceleration):
        for key in (
            "bodies/position",
            "bodies/velocity",
            "coordinates/value",
            "coordinates/drive",
            "joints/force",
        ):
            for other in frames[1:]:
                np.testing.assert_allclose(
                    other[key], frames[0][key], atol=1e-8 * (1 + np.abs(frames[0][key]).max())
                )
        assert max(abs(float(frame["energy/balance"])) for frame in frames) < 1e-8
    assert np.ptp([frame["coordinates/value"][0] for frame in position]) > 0.1


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_driven_hinge_holds_each_level_at_its_own(runs, level):
    times = np.linspace(0.0, 1.0, 11)
    for t, frame in zip(times, runs.frames(at_level("hinge", level), times)):
        alpha, w = frame["bodies/angular_acceleration"][0], frame["bodies/angular_velocity"][0]
        found = (frame["coordinates/value"][0], w[1], alpha[1])[level]
        exact = (0.7 * np.sin(2 * t), 1.4 * np.cos(2 * t), -2.8 * np.sin(2 * t))[level]
        assert abs(found - exact) < 1e-10


@pytest.mark.parametrize("level", [0, 1, 2])
def test_ten_turns_forward_and_back_leave_a_continuous_angle(runs, level):
    """θ = 20 π sin²(π t/2): ten turns in a second, and back again."""
    functions = ("20*pi*sin(pi*time/2)**2", "10*pi**2*sin(pi*time)", "10*pi**3*cos(pi*time)")
    text = at_level("hinge", level, functions, speed=0, tolerance=1e-10, end=2)
    times = np.linspace(0.0, 2.0, 201)
    angle = np.array([frame["coordinates/value"][0] for frame in runs.frames(text, times)])
    np.testing.assert_allclose(angle, 20 * np.pi * np.sin(np.pi * times / 2) ** 2, atol=1e-7)
    assert np.abs(np.diff(angle)).max() <= 10 * np.pi**2 * 0.01 * 1.01
    assert angle.max() == pytest.approx(20 * np.pi)


def test_an_actuator_may_follow_something_else_that_moves(runs):
    """A master and a slave cylinder on two carts: the reaction and the drive are those of the slave alone."""
    text = two(length="1.1 + 0.5*component_x(ground, a)")
    for frame in runs.frames(text, [0.0, 0.7, 2.0]):
        s, _ = length(frame)
        assert s == pytest.approx(1.1 + 0.5 * frame["bodies/position"][0][0], abs=1e-10)
        np.testing.assert_allclose(
            frame["joints/local_force"][0], [0, 0, frame["coordinates/drive"][0]], atol=1e-12
        )
        # b feels nothing but the cylinder
        np.testing.assert_allclose(frame["bodies/acceleration"][1] * 2, frame["joints/force"][0], atol=1e-10)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        (two(), "joint[0]", "cylinder"),
        (two(length=1, speed="time"), "joint[0].speed", "time"),
        (two(speed="time", enforce="penalty"), "joint[0].enforce", "penalty"),
        (two(lenght=1), "joint[0].lenght", 1),
        (two(length="log(time)"), "joint[0].length", "log(time)"),
        (two(length="1 +"), "joint[0].length", "1 +"),
        # driven twice, and markers that coincide
        (two(speed="time") + motion("cylinder", length=1), "motion[0].length", 1),
        (two("a", "b", length=1, at=[0, 0, 0]), "joint[0]", "cylinder"),
    ],
)
def test_a_mistake_is_reported_with_its_correction(runs, text, key, value):
    with refused(key, value):
        runs.prepare(text)


def test_positions_do_not_follow_from_a_speed_alone(runs):
    from mbplugin.model import System
    from mbplugin.run.analyze import analyze

    with refused("joint[0]", "cylinder"):
        analyze(System.from_text(two(speed="time")), "kinematic", runs.registry)
