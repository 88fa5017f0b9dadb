"""Expressions of coordinates, rates, measures between markers, variables, states and splines, in motions and
forces.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, motion, solver, state, table, torque, variable, world
from scipy.integrate import solve_ivp
from small_systems import TIMES, run_two_wheels, two_wheels


def test_a_coordinate_that_is_a_function_of_another_pulls_on_both_bodies(runs):
    """θ_b = f(θ_a) + 0.3 t. One equation of motion: (J_a + J_b f'²) θ_a'' + J_b f' f'' θ_a'² = Q."""
    more = (
        variable("follow", "2*a.angle + 0.1*sin(a.angle) + late")
        + variable("late", "0.3*time")
        + motion("b", angle="follow")
        + torque("p", z="-0.5*a.angle - 0.1*rate(a.angle)")
    )
    value, _, drive, balance = run_two_wheels(runs, more)

    def rate(t, y):
        f1, f2 = 2 + 0.1 * np.cos(y[0]), -0.1 * np.sin(y[0])
        return [y[1], (-0.5 * y[0] - 0.1 * y[1] - 0.3 * f1 * f2 * y[1] ** 2) / (0.2 + 0.3 * f1**2)]

    exact = solve_ivp(rate, (0, 2), [0.3, 1.5], rtol=1e-12, atol=1e-13, t_eval=TIMES).y
    np.testing.assert_allclose(value[:, 0], exact[0], atol=1e-10)
    np.testing.assert_allclose(
        value[:, 1], 2 * value[:, 0] + 0.1 * np.sin(value[:, 0]) + 0.3 * TIMES, atol=1e-12
    )
    acceleration = np.array([rate(0, y)[1] for y in exact.T])
    f1, f2 = 2 + 0.1 * np.cos(exact[0]), -0.1 * np.sin(exact[0])
    np.testing.assert_allclose(drive[:, 1], 0.3 * (f1 * acceleration + f2 * exact[1] ** 2), atol=1e-8)
    assert np.abs(balance).max() < 1e-10


def test_a_gear_by_expression_is_the_gear_by_energy(runs):
    """θ_b = 2 θ_a is one wheel of inertia J_a + 4 J_b on a spring."""
    more = motion("b", angle="2*a.angle") + torque("q", z="-3*b.angle")
    value, *_ = run_two_wheels(runs, more, angle=0.4, speed=0.0)
    omega = np.sqrt(3 * 4 / (0.2 + 0.3 * 4))
    np.testing.assert_allclose(value[:, 0], 0.4 * np.cos(omega * TIMES), atol=1e-9)


def test_a_velocity_may_depend_on_another_coordinate(runs):
    value, speed, drive, _ = run_two_wheels(runs, motion("b", angle_velocity="2*a.angle + time"))
    np.testing.assert_allclose(speed[:, 1], 2 * value[:, 0] + TIMES, atol=1e-11)
    np.testing.assert_allclose(value[:, 1], 0.6 * TIMES + 1.5 * TIMES**2 + 0.5 * TIMES**2, atol=1e-9)
    np.testing.assert_allclose(drive[:, 1], 0.3 * (2 * 1.5 + 1), atol=1e-10)


def test_a_velocity_that_follows_another_pulls_on_it(runs):
    """θ_b' = 2 θ_a' is the gear: (J_a + 4 J_b) θ_a'' = τ, and the drive is J_b θ_b''."""
    value, speed, drive, balance = run_two_wheels(
        runs, motion("b", angle_velocity="2*rate(a.angle)") + torque("p", z="0.7")
    )
    acceleration = 0.7 / (0.2 + 4 * 0.3)
    np.testing.assert_allclose(speed[:, 0], 1.5 + acceleration * TIMES, atol=1e-11)
    np.testing.assert_allclose(speed[:, 1], 2 * speed[:, 0], atol=1e-12)
    np.testing.assert_allclose(value[:, 1], 2 * (value[:, 0] - 0.3), atol=1e-10)
    np.testing.assert_allclose(drive[:, 1], 0.3 * 2 * acceleration, atol=1e-11)
    assert np.abs(balance).max() < 1e-10


def test_a_velocity_that_is_no_linear_function_of_another(runs):
    """θ_b' = f(ω), ω = θ_a': (J_a + J_b f'²) ω' = τ by d'Alembert's principle with δθ_b' = f' δω."""
    value, speed, *_ = run_two_wheels(
        runs,
        motion("b", angle_velocity="rate(a.angle)**2 + sin(time)*a.angle")
        + torque("p", z="0.7 - 0.2*rate(a.angle)"),
    )

    def rate(t, y):
        angle, w = y
        # θ_b'' = 2 w w' + cos t θ_a + sin t w;  J_a w' = τ − 2 w J_b θ_b''
        return [
            w,
            (0.7 - 0.2 * w - 2 * w * 0.3 * (np.cos(t) * angle + np.sin(t) * w)) / (0.2 + 0.3 * 4 * w**2),
        ]

    exact = solve_ivp(rate, (0, 2), [0.3, 1.5], rtol=1e-12, atol=1e-13, t_eval=TIMES).y
    np.testing.assert_allclose(value[:, 0], exact[0], atol=1e-9)
    np.testing.assert_allclose(speed[:, 1], exact[1] ** 2 + np.sin(TIMES) * exact[0], atol=1e-9)
    np.testing.assert_allclose(speed[:, 1], speed[:, 0] ** 2 + np.sin(TIMES) * value[:, 0], atol=1e-13)


def test_a_velocity_that_follows_the_rate_of_a_place(runs):
    """θ_a' = ẋ of a rim on a circle of 0.5 m that turns at 1 rad/s: the drive is −J cos(t)/2, which the bias
    of that measure makes.
    """
    more = motion("b", angle="time") + motion("a", angle_velocity="rate(component_x(ground, q.rim))")
    value, speed, drive, _ = run_two_wheels(runs, more, angle=None)
    np.testing.assert_allclose(value[:, 0], 0.5 * (np.cos(TIMES) - 1), atol=1e-9)
    np.testing.assert_allclose(speed[:, 0], -0.5 * np.sin(TIMES), atol=1e-12)
    np.testing.assert_allclose(drive[:, 0], -0.2 * 0.5 * np.cos(TIMES), atol=1e-11)


def test_a_velocity_may_depend_on_a_state_whose_rate_is_of_the_motion(runs):
    """x' = θ_a' − x, θ_b' = x."""
    value, speed, *_ = run_two_wheels(runs, state("x", "rate(a.angle) - x") + motion("b", angle_velocity="x"))
    np.testing.assert_allclose(speed[:, 1], 1.5 * (1 - np.exp(-TIMES)), atol=1e-9)
    np.testing.assert_allclose(value[:, 1], 1.5 * (TIMES - 1 + np.exp(-TIMES)), atol=1e-9)


def test_an_acceleration_may_depend_on_coordinates_and_rates(runs):
    """θ'' = −4 θ − θ' + 1, closed form."""
    value, *_ = run_two_wheels(runs, motion("b", angle_acceleration="1 - 4*b.angle - rate(b.angle)"))
    omega = np.sqrt(4 - 0.25)
    exact = 0.25 * (1 - np.exp(-0.5 * TIMES) * (np.cos(omega * TIMES) + 0.5 / omega * np.sin(omega * TIMES)))
    np.testing.assert_allclose(value[:, 1], exact, atol=1e-9)


def test_a_drive_with_a_first_order_lag(runs):
    """ẋ = (1 − x)/T as a state, θ = x: 1 − exp(−t/T)."""
    more = state("x", "(1 - x)/0.2") + motion("b", angle="x")
    value, speed, drive, _ = run_two_wheels(runs, more, angle=0.0, speed=0.0)
    np.testing.assert_allclose(value[:, 1], 1 - np.exp(-TIMES / 0.2), atol=1e-9)
    np.testing.assert_allclose(speed[:, 1], np.exp(-TIMES / 0.2) / 0.2, atol=1e-8)
    np.testing.assert_allclose(drive[:, 1], -0.3 * np.exp(-TIMES / 0.2) / 0.04, atol=1e-7)


def test_states_that_drive_each_other(runs):
    """x' = y, y' = −9 x, θ = x: the second derivative goes through both."""
    more = state("x", "y", start=0.5) + state("y", "-9*x") + motion("b", angle="x")
    value, _, drive, _ = run_two_wheels(runs, more)
    np.testing.assert_allclose(value[:, 1], 0.5 * np.cos(3 * TIMES), atol=1e-9)
    np.testing.assert_allclose(drive[:, 1], -0.3 * 4.5 * np.cos(3 * TIMES), atol=1e-8)


def test_a_controller_with_an_integral(runs):
    """Torque −k z with ż = θ': a spring; the state keeps what the angle does."""
    more = state("z", "rate(a.angle)", start=0.3) + torque("p", z="-5*z")
    value, *_ = run_two_wheels(runs, more, speed=0.0)
    np.testing.assert_allclose(value[:, 0], 0.3 * np.cos(5 * TIMES), atol=1e-9)


def test_a_measure_between_markers(runs):
    """The rim of wheel q is at (1 + cos θ/2, sin θ/2): what stands in an expression is its place in the
    ground's axes.
    """
    more = motion("b", angle="time") + motion(
        "a", angle="component_x(ground, q.rim) + 2*component_y(ground, q.rim)"
    )
    value, speed, *_ = run_two_wheels(runs, more, angle=None)
    np.testing.assert_allclose(value[:, 0], 1 + 0.5 * np.cos(TIMES) + np.sin(TIMES), atol=1e-11)
    np.testing.assert_allclose(speed[:, 0], -0.5 * np.sin(TIMES) + np.cos(TIMES), atol=1e-10)


def test_an_angle_in_an_expression_counts_turns(runs):
    more = motion("a", angle="10*time") + motion("b", angle="-0.7*a.angle")
    value, *_ = run_two_wheels(runs, more, angle=None)
    np.testing.assert_allclose(value[:, 1], -7 * TIMES, atol=1e-11)


def test_a_spline_of_another_coordinate(runs):
    from scipy.interpolate import CubicSpline

    x, y = [-1.0, 0.0, 0.7, 2.0, 3.0], [0.2, 0.0, 0.5, 0.1, 0.3]
    more = (
        table("spline", name="cam", x=x, y=y)
        + motion("a", angle="2*time - 1.5")
        + motion("b", angle="cam(a.angle)")
    )
    value, speed, drive, _ = run_two_wheels(runs, more, angle=None)
    curve, at = CubicSpline(x, y), 2 * TIMES - 1.5
    inside = np.clip(at, x[0], x[-1])
    np.testing.assert_allclose(value[:, 1], curve(inside) + curve(inside, 1) * (at - inside), atol=1e-11)
    np.testing.assert_allclose(speed[:, 1], 2 * curve(inside, 1), atol=1e-10)
    mine = (at > x[0]) & (at < x[-1])
    np.testing.assert_allclose(drive[mine, 1], 0.3 * 4 * curve(at[mine], 2), atol=1e-8)


KINKED = [0.0, 0.2, 0.3, 0.5, 0.8, 1.0], [0.0, 0.0, 1.0, 1.0, 1.0, 0.2]


@pytest.mark.parametrize("interpolation", ["cubic", "monotone", "linear"])
def test_curves_through_points_are_those_of_scipy_and_numpy(runs, interpolation):
    """Values at frames, and the momentum that a force of this course gives: its integral over time."""
    from scipy.interpolate import CubicSpline, PchipInterpolator, make_interp_spline

    x, y = KINKED
    curve = {"cubic": CubicSpline, "monotone": PchipInterpolator}.get(
        interpolation, lambda x, y: make_interp_spline(x, y, k=1)
    )(x, y)
    text = (
        world(gravity=[0, 0, 0])
        + body("cart", mass=2.0, inertia=[1, 1, 1])
        + table("spline", name="pulse", x=x, y=y, interpolation=interpolation)
        + table("variable", name="course", value="pulse(time)")
        + table("force", type="force", body="cart", force_x="course")
        + solver(end=1.0, tolerance=1e-11)
    )
    times = np.linspace(0.0, 1.0, 41)
    frames = runs.frames(text, times)
    course = np.array([frame["outputs/value"][0] for frame in frames])
    np.testing.assert_allclose(course, curve(times), atol=1e-14)
    speed = np.array([frame["bodies/velocity"][0, 0] for frame in frames])
    momentum = [curve.antiderivative()(t) - curve.antiderivative()(0.0) for t in times]
    np.testing.assert_allclose(2.0 * speed, momentum, atol=1e-9)
    beyond = max(course.max() - max(y), min(y) - course.min())
    assert (beyond > 0.03) if interpolation == "cubic" else (beyond <= 1e-15)


def test_a_monotone_curve_drives_an_angle_with_its_own_derivatives(runs):
    from scipy.interpolate import PchipInterpolator

    x, y = [-2.0, 0.0, 0.7, 2.0, 3.0], [0.2, 0.0, 0.5, 0.5, 0.3]
    more = (
        table("spline", name="cam", x=x, y=y, interpolation="monotone")
        + motion("a", angle="2*time - 1.5")
        + motion("b", angle="cam(a.angle)")
    )
    value, speed, drive, _ = run_two_wheels(runs, more, angle=None)
    curve, at = PchipInterpolator(x, y), 2 * TIMES - 1.5
    mine = (at > x[0]) & (at < x[-1]) & (np.abs(at[:, None] - x).min(axis=1) > 1e-9)
    np.testing.assert_allclose(value[mine, 1], curve(at[mine]), atol=1e-11)
    np.testing.assert_allclose(speed[mine, 1], 2 * curve(at[mine], 1), atol=1e-10)
    np.testing.assert_allclose(drive[mine, 1], 0.3 * 4 * curve(at[mine], 2), atol=1e-8)


def test_a_speed_may_follow_straight_lines(runs):
    x, y = KINKED
    more = table("spline", name="ramp", x=x, y=y, interpolation="linear")
    more += motion("a", angle_velocity="ramp(time/4)")
    _, speed, *_ = run_two_wheels(runs, more, angle=None)
    np.testing.assert_allclose(speed[:, 0], np.interp(TIMES / 4, x, y), atol=1e-10)


@pytest.mark.parametrize("method", ["kkt", "newton_euler"])
def test_other_methods_agree(runs, method):
    more = motion("b", angle="2*a.angle") + torque("q", z="-3*b.angle")
    one, other = (
        runs.frames(two_wheels(more, 0.4, 0.0, **keys), [0.0, 0.5]) for keys in ({}, {"method": method})
    )
    np.testing.assert_allclose(one[-1]["coordinates/value"], other[-1]["coordinates/value"], atol=1e-11)
    np.testing.assert_allclose(one[-1]["coordinates/drive"], other[-1]["coordinates/drive"], atol=1e-10)
