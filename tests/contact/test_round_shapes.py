"""Cylinders and cones that roll, stand, tip and climb, against closed forms and the equations of rolling."""

from __future__ import annotations

from math import atan, cos, pi, radians, sin, sqrt, tan

import numpy as np
import pytest
from scene_text import body, solver, table, world
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

R, L = 0.1, 0.3
CYLINDER = {"type": "cylinder", "radius": R, "length": L}
PLANE = {"type": "plane"}
#: at 1 m/s
ROLLING = {"velocity": [1, 0, 0], "angular_velocity": [0, 10, 0]}
LYING = {"axis": [1, 0, 0], "angle_deg": 90}
G = 9.81


def floor(*shapes, gravity=(0.0, 0.0, -G), friction=0.5):
    ground = world(collide=True, material="stone", shape=list(shapes or (PLANE,)), gravity=list(gravity))
    return ground + table("material", name="stone", friction=friction)


def solid(name="roller", **keys):
    keys = {"density": 1000.0, "material": "stone", "collide": True, "shape": [CYLINDER], **keys}
    return body(name, **keys)


def contact_solver(step=1e-3, **keys):
    return solver(type="contact", step=step, end=100.0, **keys)


def slope(angle, direction=0.0):
    """Gravity of a floor that falls by this angle along a direction in it."""
    along = G * sin(angle)
    return along * cos(direction), along * sin(direction), -G * cos(angle)


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_a_cylinder_rolls_down_a_slope_with_two_thirds_of_its_fall(runs, coordinates):
    angle = radians(20.0)
    scene = floor(gravity=slope(angle)) + solid(position=[0, 0, R], orientation=LYING)
    frame = runs.frames(scene + contact_solver(coordinates=coordinates), [2.0])[0]
    v = 2.0 / 3.0 * G * sin(angle) * 2.0
    np.testing.assert_allclose(frame["bodies/velocity"][0], [v, 0, 0], atol=1e-11)
    np.testing.assert_allclose(frame["bodies/angular_velocity"][0], [0, v / R, 0], atol=1e-9)
    np.testing.assert_allclose(frame["bodies/position"][0], [v, 0, R], atol=1e-11)


def test_a_wheel_keeps_its_speed_for_forty_seconds(runs):
    scene = floor() + solid(
        position=[0, 0, R], orientation=LYING, velocity=[1, 0, 0], angular_velocity=[0, 10, 0]
    )
    frame = runs.frames(scene + contact_solver(2e-3), [40.0])[0]
    np.testing.assert_allclose(frame["bodies/velocity"][0], [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(frame["bodies/position"][0], [40, 0, R], atol=1e-8)


@pytest.mark.parametrize("direction", [0.0, 0.3, pi / 8])
def test_a_standing_cylinder_tips_at_its_angle_in_every_direction(runs, direction):
    tips = atan(R / (0.5 * L))
    for part, height in ((0.99, 0.5 * L), (1.01, None)):
        scene = floor(gravity=slope(part * tips, direction), friction=2.0) + solid(position=[0, 0, 0.5 * L])
        frame = runs.frames(scene + contact_solver(), [2.0])[0]
        z = frame["bodies/position"][0, 2]
        if height is not None:
            assert z == pytest.approx(height, abs=1e-4)
        else:
            assert z < 1.3 * R  # it lies, or is about to


def test_a_cylinder_in_a_v_presses_each_side_with_its_share_of_the_weight(runs):
    a = radians(30.0)
    sides = [
        {"type": "box", "size": [2, 2, 1], "orientation": {"axis": [0, 1, 0], "angle": s * a},
         "position": [-0.5 * s * sin(a) - 0.7 * s * cos(a), 0, -0.5 * cos(a) + 0.7 * sin(a)]}
        for s in (1.0, -1.0)
    ]  # fmt: skip
    scene = floor(*sides, friction=0.0) + solid(position=[0, 0, R / cos(a) + 1e-4], orientation=LYING)
    frame = runs.frames(scene + contact_solver(), [1.0])[0]
    weight = 1000.0 * pi * R * R * L * G
    force = frame["lists/contacts/force"]
    assert len(force) == 4
    np.testing.assert_allclose(np.abs(force[:, 0]).sum(), weight * tan(a), rtol=1e-6)
    np.testing.assert_allclose(force.sum(axis=0), [0, 0, weight], atol=1e-6 * weight)
    np.testing.assert_allclose(frame["bodies/position"][0], [0, 0, R / cos(a)], atol=1e-8)


@pytest.mark.parametrize("part, climbs", [(0.98, False), (1.02, True)])
def test_a_cylinder_climbs_a_step_from_the_speed_that_its_moment_of_momentum_gives(runs, part, climbs):
    step = 0.02
    edge = {"type": "box", "size": [1, 1, step], "position": [0.5, 0, 0.5 * step]}
    # about the edge: 3/2 R ω' = (3/2 R − h) ω, then 3/4 R² ω'² = g h
    speed = part * sqrt(4.0 / 3.0 * G * step) / (1.0 - 2.0 * step / (3.0 * R))
    keys = {"velocity": [speed, 0, 0], "angular_velocity": [0, speed / R, 0]}
    start = -sqrt(R * R - (R - step) ** 2) - 0.05
    scene = floor(PLANE, edge, friction=2.0) + solid(position=[start, 0, R], orientation=LYING, **keys)
    x, _, z = runs.frames(scene + contact_solver(2e-4), [1.2])[0]["bodies/position"][0]
    if climbs:
        assert x > 0.0
        assert z == pytest.approx(R + step, abs=1e-5)
    else:
        assert x < start
        assert z == pytest.approx(R, abs=1e-5)


def test_rollers_carry_a_plate_at_half_its_speed(runs):
    rollers = "".join(
        solid(f"roller_{k}", position=[0.3 * k, 0, R], orientation=LYING, velocity=[0.5, 0, 0],
              angular_velocity=[0, 0.5 / R, 0])
        for k in range(8)
    )  # fmt: skip
    plate = solid("plate", position=[1.05, 0, 2 * R + 0.02], velocity=[1, 0, 0],
                  shape=[{"type": "box", "size": [2.4, 0.2, 0.04]}])  # fmt: skip
    frame = runs.frames(floor() + rollers + plate + contact_solver(), [0.2])[0]
    velocity = frame["bodies/velocity"]
    np.testing.assert_allclose(velocity[:8, 0], 0.5, atol=1e-9)
    np.testing.assert_allclose(velocity[8], [1, 0, 0], atol=1e-9)


def test_a_cone_rolls_around_its_apex_and_returns(runs):
    half, length = radians(25.0), 0.2
    rate = 1.5  # about the vertical [rad/s]
    cone = {"type": "cone", "radius": length * tan(half), "length": length, "position": [0, 0, 0.25 * length]}
    axis = np.array([cos(half), 0.0, sin(half)])  # from the apex to the base, −z of the body
    place = 0.75 * length * axis
    turned = Rotation.align_vectors([-axis, [0, 1, 0]], [[0, 0, 1], [0, 1, 0]])[0].as_rotvec()
    angle = float(np.linalg.norm(turned))
    spin = [-rate / tan(half), 0.0, 0.0]
    keys = {
        "position": place.tolist(),
        "orientation": {"axis": (turned / angle).tolist(), "angle": angle},
        "velocity": np.cross(spin, place).tolist(),
        "angular_velocity": spin,
        "shape": [cone],
    }
    period = 2.0 * pi / rate
    quarter, whole = runs.frames(
        floor(friction=1.0) + solid(**keys) + contact_solver(), [period / 4.0, period]
    )
    np.testing.assert_allclose(quarter["bodies/position"][0], [0, place[0], place[2]], atol=2e-6)
    np.testing.assert_allclose(whole["bodies/position"][0], place, atol=5e-6)


def rolling(t, state, mass, inertia, half):
    """Rates of the orientation (quaternion x, y, z, w), the angular velocity and the place of the centre of a
    disc that rolls on the lower one of its rims; half: half of its thickness.

    With r from the centre to the contact, v = −ω × r, and (I + m (r² − r rᵀ)) ω̇ = −ω × I ω − m r × (ω × ṙ)
    + m g r × e_z.
    """
    q, w = state[:4], state[4:7]
    A = Rotation.from_quat(q).as_matrix()
    up, k = np.array([0.0, 0.0, 1.0]), A[:, 2] * np.sign(A[2, 2])
    k_dot = np.cross(w, k)
    s = up - (up @ k) * k
    s_dot = -(up @ k_dot) * k - (up @ k) * k_dot
    length = np.linalg.norm(s)
    e = s / length
    e_dot = (s_dot - (s_dot @ e) * e) / length
    r, r_dot = -R * e - half * k, -R * e_dot - half * k_dot
    moment = A @ np.diag(inertia) @ A.T
    load = -np.cross(w, moment @ w) - mass * np.cross(r, np.cross(w, r_dot)) + mass * G * np.cross(r, up)
    w_dot = np.linalg.solve(moment + mass * (r @ r * np.eye(3) - np.outer(r, r)), load)
    x, y, z, c = q
    q_dot = 0.5 * np.array([
        c * w[0] + w[1] * z - w[2] * y, c * w[1] + w[2] * x - w[0] * z, c * w[2] + w[0] * y - w[1] * x,
        -(w @ q[:3]),
    ])  # fmt: skip
    return np.concatenate([q_dot, w_dot, -np.cross(w, r)])


def test_a_disc_that_falls_rolling_follows_its_equations_until_it_runs_twenty_times_as_fast(runs):
    thickness, tilt, density = 0.01, radians(10.0), 1000.0
    mass = density * pi * R * R * thickness
    inertia = mass * np.array([R * R / 4 + thickness**2 / 12, R * R / 4 + thickness**2 / 12, R * R / 2])
    start = Rotation.from_rotvec([0.0, tilt, 0.0])
    spin = np.array([-2.0 * sin(tilt), 0.0, 1.0 - 2.0 * cos(tilt)])
    r = start.as_matrix() @ [R, 0.0, -0.5 * thickness]
    place = [0.0, 0.0, -r[2]]
    state = np.concatenate([start.as_quat(), spin, place])
    times = np.linspace(0.0, 0.1, 1001)
    truth = solve_ivp(
        rolling, (0.0, 0.1), state, "DOP853", times, rtol=1e-11, atol=1e-12,
        args=(mass, inertia, 0.5 * thickness),
    )  # fmt: skip
    # rate at which the contact runs around; 1 rad/s at first. It presses the floor all the time
    axes = Rotation.from_quat(truth.y[:4].T).as_matrix()[:, :, 2]
    heading = np.unwrap(np.arctan2(axes[:, 1], axes[:, 0]))
    rate = np.gradient(heading, times)
    end = int(np.argmax(np.abs(rate) > 20.0))
    assert end > 300
    keys = {
        "position": place,
        "orientation": {"axis": [0, 1, 0], "angle": tilt},
        "angular_velocity": spin.tolist(),
        "velocity": (-np.cross(spin, r)).tolist(),
        "shape": [{"type": "cylinder", "radius": R, "length": thickness}],
    }
    shown = [float(times[k]) for k in (end // 2, end)]
    frames = runs.frames(floor(friction=10.0) + solid(**keys) + contact_solver(1e-5), shown)
    for k, frame in zip((end // 2, end), frames):
        np.testing.assert_allclose(frame["bodies/position"][0], truth.y[7:, k], atol=1e-4 * R)
