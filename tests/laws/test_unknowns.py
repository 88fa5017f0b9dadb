"""Implicit variables, known only after the solve: accelerations, reactions, variables that depend on
themselves.
"""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused, stopped
from scene_text import body, force, joint, motion, solver, torque, variable, world
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from small_systems import TIMES, pendulum, run_two_wheels, two_wheels

import mbplugin as mb
from mbplugin.compile import compile_system
from mbplugin.errors import PhysicsError
from mbplugin.model import System


def test_a_torque_against_an_acceleration_is_added_inertia(runs):
    """(J + j) θ'' = τ: θ = θ₀ + ω₀ t + τ t²/(2 (J + j))."""
    value, *_ = run_two_wheels(runs, torque("p", z="0.7 - 0.5*acceleration(a.angle)"))
    np.testing.assert_allclose(value[:, 0], 0.3 + 1.5 * TIMES + 0.5 * TIMES**2, atol=1e-12)


def test_an_added_inertia_may_exceed_that_of_the_body(runs):
    """No iteration that puts F into z would converge: its factor is −j/J = −50."""
    value, *_ = run_two_wheels(runs, torque("p", z="0.7 - 10*acceleration(a.angle)"))
    np.testing.assert_allclose(value[:, 0], 0.3 + 1.5 * TIMES + 0.35 / 10.2 * TIMES**2, atol=1e-11)


def test_an_acceleration_that_follows_another(runs):
    """θ_b'' = 2 θ_a'' + 1, without a reaction on a."""
    value, speed, drive, _ = run_two_wheels(
        runs, torque("p", z="0.4*cos(3*time)") + motion("b", angle_acceleration="2*acceleration(a.angle) + 1")
    )
    np.testing.assert_allclose(speed[:, 0], 1.5 + 2 / 3 * np.sin(3 * TIMES), atol=1e-9)
    np.testing.assert_allclose(speed[:, 1], 4 / 3 * np.sin(3 * TIMES) + TIMES, atol=1e-9)
    np.testing.assert_allclose(drive[:, 1], 0.3 * (4 * np.cos(3 * TIMES) + 1), atol=1e-11)
    np.testing.assert_allclose(value[:, 1], 4 / 9 * (1 - np.cos(3 * TIMES)) + TIMES**2 / 2, atol=1e-8)


def test_the_acceleration_of_a_measure_between_markers(runs):
    """The x of a rim on a circle of 0.5 m has the acceleration −0.5 (θ' ² cos θ + θ'' sin θ)."""
    value, *_ = run_two_wheels(
        runs,
        motion("b", angle="time**2")
        + motion("a", angle_acceleration="acceleration(component_x(ground, q.rim))"),
        angle=None,
    )
    exact = lambda t: 0.5 * np.cos(t**2)
    np.testing.assert_allclose(value[:, 0], exact(TIMES) - exact(0.0), atol=1e-9)


def test_a_drive_can_be_read(runs):
    """The torque that turns b turns a too: J_a θ_a'' = 3 J_b θ_b''."""
    value, *_ = run_two_wheels(
        runs, motion("b", angle="sin(2*time)") + torque("p", z="3*reaction(b.angle)"), angle=0.0, speed=0.0
    )
    np.testing.assert_allclose(value[:, 0], 4.5 * (np.sin(2 * TIMES) - 2 * TIMES), atol=1e-8)


@pytest.mark.parametrize("method", ["constraint_force", "kkt", "newton_euler"])
def test_a_variable_that_depends_on_itself(runs, method):
    """y = cos(y) t: its value by bisection is the torque, so it is the acceleration of a wheel of 0.2 kg m²
    over 5.
    """
    more = variable("y", "cos(y)*time", start=0.5) + torque("p", z="0.2*y")
    text = two_wheels(more, 0.0, 0.0, method=method)
    frames = runs.frames(text, TIMES)
    exact = [brentq(lambda y, t=t: y - np.cos(y) * t, -2, 2, xtol=1e-15) for t in TIMES]
    np.testing.assert_allclose([f["bodies/angular_acceleration"][0, 2] for f in frames], exact, atol=1e-12)


def test_variables_in_a_circle_through_the_solve(runs):
    """u = 0.1 v + 1, v = θ'' + u², J θ'' = u − 0.05 v: three equations, one of them the wheel's."""
    found = runs.frames(
        two_wheels(
            variable("u", "0.1*v + 1", start=1)
            + variable("v", "acceleration(a.angle) + u**2")
            + torque("p", z="u - 0.05*v"),
            0.0,
            0.0,
        ),
        [0.0, 0.2],
    )

    def rest(u):
        v = (u - 1) / 0.1
        return 0.2 * (v - u**2) - (u - 0.05 * v)

    u = brentq(rest, 1.0, 3.0, xtol=1e-15)
    expected = (u - 1) / 0.1 - u**2
    for frame in found:
        np.testing.assert_allclose(frame["bodies/angular_acceleration"][0, 2], expected, rtol=1e-11)


def slope(normal):
    """Text of a block on a slope; coefficient of friction 0.3, and this expression of the normal force."""
    return (
        world(gravity=[0, 0, -9.81])
        + body("block", mass=2.5, inertia=[0.1, 0.1, 0.1])
        + body("along", mass=1, inertia=[1, 1, 1])
        + joint("to_ground", "fixed", "ground", "along")
        + joint("guide", "translational", "ground", "block", axis=[0.8, 0, -0.6])
        + force("block", x=f"-0.8*0.3*{normal}", z=f"0.6*0.3*{normal}")
        + solver(tolerance=1e-10, end=1)
    )


NORMAL = [
    "reaction(guide.force)",
    "sqrt(reaction(guide.fx)**2 + reaction(guide.fy)**2)",
    "abs(0.6*reaction(guide.fx, ground) + 0.8*reaction(guide.fz, along))",
]


@pytest.mark.parametrize("normal", NORMAL)
def test_friction_of_a_block_on_a_slope(runs, normal):
    """a = g (sin α − μ cos α) down the slope, sin α = 0.6."""
    frame = runs.frames(slope(normal), [0.0, 1.0])[-1]
    np.testing.assert_allclose(frame["coordinates/speed"][0], 9.81 * (0.6 - 0.3 * 0.8), rtol=1e-10)


def test_a_reaction_in_the_axes_of_a_marker(runs):
    """What holds a mass is −m g; its components along the axes of a tilted marker push another body."""
    g, mass, turn = (
        np.array([1.0, -2.0, 3.0]),
        2.5,
        np.radians(50.0) * np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0),
    )
    tilted = {"name": "tilted", "orientation": {"axis": [1, 2, 3], "angle_deg": 50}}
    text = world(gravity=g.tolist()) + body("held", mass=mass, inertia=[1, 1, 1], marker=[tilted])
    text += body("free", mass=1, inertia=[1, 1, 1]) + joint("hold", "fixed", "ground", "held")
    text += force("free", **{axis: f"reaction(hold.f{axis}, held.tilted)" for axis in "xyz"})
    (frame,) = runs.frames(text + solver(end=1), [0.0])
    expected = g + Rotation.from_rotvec(turn).inv().apply(-mass * g)
    np.testing.assert_allclose(frame["bodies/acceleration"][1], expected, rtol=1e-12)


PENDULUM = (
    world(gravity=[0, 0, -9.81])
    + pendulum("bob", "pin", [0.6, 0, 0], mass=1.3, inertia=[0.05, 0.07, 0.05])
    + torque("bob", y="-0.02*reaction(pin.force)*tanh(50*rate(pin.angle))")
    + solver(tolerance=1e-11, end=0.6)
)


def test_bearing_friction_of_a_pendulum(runs):
    """The friction torque needs the force in the pin, which needs θ'', which needs the torque: closed by
    bisection at every rate of the reference.
    """
    m, l, J, g = 1.3, 0.6, 0.07 + 1.3 * 0.36, 9.81

    def acceleration(angle, speed):
        # angle about y from +x, positive downwards
        def rest(a):
            along, across = m * (l * speed**2 + g * np.sin(angle)), m * (g * np.cos(angle) - l * a)
            return J * a - m * g * l * np.cos(angle) + 0.02 * np.hypot(along, across) * np.tanh(50 * speed)

        return brentq(rest, -100, 100, xtol=1e-14)

    times = [0.0, 0.2, 0.4, 0.6]
    exact = solve_ivp(
        lambda t, y: [y[1], acceleration(*y)], (0, 0.6), [0, 0], rtol=1e-11, atol=1e-12, t_eval=times
    ).y
    frames = runs.frames(PENDULUM, times)
    np.testing.assert_allclose([f["coordinates/value"][0] for f in frames], exact[0], atol=1e-9)
    assert (
        exact[0, -1] > 0.55 * np.pi
    )  # past the lowest point, so that the friction has changed with the force


def test_frames_leave_the_bits_alone(runs):
    """The iteration starts from the values of the last step, not from those of a frame between steps."""
    text = two_wheels(
        variable("y", "cos(y)*time", start=0.5) + torque("p", z="y - 0.1*acceleration(a.angle)**2"), 0.0, 0.0
    )
    few, many = runs.frames(text, [0.0, 2.0]), runs.frames(text, np.linspace(0, 2, 41))
    assert few[-1]["coordinates/value"].tobytes() == many[-1]["coordinates/value"].tobytes()
    assert (
        few[-1]["bodies/angular_acceleration"].tobytes() == many[-1]["bodies/angular_acceleration"].tobytes()
    )


def test_a_saved_state_continues_to_the_bit():
    """The iteration starts from the values that the state has, not from those that this process had last."""
    text = two_wheels(
        variable("y", "cos(y)*time", start=0.5) + torque("p", z="y - 0.1*acceleration(a.angle)**2"), 0.0, 0.0
    )
    one, other = (mb.System.from_text(text).simulate() for _ in range(2))
    for time in (0.5, 1.0, 1.5):
        one.run(time)
        saved = one.save()
        one.run(time + 0.25)
        other.load(saved)
        other.run(time + 0.25)
        for wheel in "pq":
            assert one[wheel].angular_velocity.tobytes() == other[wheel].angular_velocity.tobytes()


@pytest.mark.parametrize(
    ("more", "name"),
    [
        (torque("p", z="1 + 0.2*acceleration(a.angle)"), '"acceleration(a.angle)"'),
        (variable("y", "y + 1 + y**2", start=0.2) + torque("p", z="y"), '"y"'),
        (motion("b", angle_acceleration="acceleration(b.angle)"), '"acceleration(b.angle)"'),
    ],
)
def test_a_loop_without_a_solution_is_named(runs, more, name):
    with stopped(PhysicsError, name, hide=r"t = \S+ s|\"y\" = .*(?=\))"):
        runs.frames(two_wheels(more, 0.3, 0.0), [0.0, 0.1])


@pytest.mark.parametrize(
    ("more", "key"),
    [
        (motion("b", angle="acceleration(a.angle)"), "motion[0].angle"),
        (motion("b", angle_velocity="reaction(a.fx)"), "motion[0].angle_velocity"),
        (variable("y", "0.5*y", start=1) + motion("b", angle="y"), "motion[0].angle"),
        (torque("p", z="reaction(a)"), "force[0].torque_z"),
        (torque("p", z="reaction(c.fx)"), "force[0].torque_z"),
        (torque("p", z="reaction(a.fw)"), "force[0].torque_z"),
        (torque("p", z="reaction(a.angle)"), "force[0].torque_z"),
        (torque("p", z="reaction(a.fx, nowhere)"), "force[0].torque_z"),
        (torque("p", z="acceleration(2*a.angle)"), "force[0].torque_z"),
        (torque("p", z="acceleration(a.angel)"), "force[0].torque_z"),
        (variable("y", "z", start=1) + torque("p", z="y") + variable("z", "yy"), "variable[1].value"),
        (torque("p", z="cosinus(1)"), "force[0].torque_z"),
        (torque("p", z="sine(a.angle + 1)"), "force[0].torque_z"),
        (
            joint("u", "universal", "p", "q", at=[0.5, 0, 0]) + torque("p", z="reaction(u.fx)"),
            "force[0].torque_z",
        ),
    ],
)
def test_a_mistake_is_reported_with_its_correction(registry, more, key):
    with refused(key):
        compile_system(System.from_text(two_wheels(more, 0.3, 0.0)), registry)
