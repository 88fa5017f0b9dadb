"""Forces along a line, about an axis and on coordinates by name: their laws, with the stored motion."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import NO_GRAVITY, body, joint, solver, table, world

import mbplugin as mb

K, C, REST = 40.0, 3.0, 0.7


def two_masses(**force):
    """Two masses in free flight, and a force of the name "strut" between them."""
    return mb.System.from_text(
        NO_GRAVITY
        + body("a", type="point", mass=2.0, position=[0, 0, 0], velocity=[0, 1, 0])
        + body("b", type="point", mass=1.0, position=[1, 0, 0.5], velocity=[0, -0.3, 0.8])
        + table("force", name="strut", a="a", b="b", **force)
        + solver(end=2.0, tolerance=1e-9)
    ).run(files=False)


@pytest.mark.parametrize(
    "force",
    [
        {"type": "spring_damper", "stiffness": K, "damping": C, "length": REST},
        {"type": "line_force", "force": f"-{K}*(length - {REST}) - {C}*rate(length)"},
    ],
)
def test_length_speed_and_force_of_a_strut_are_those_of_its_ends(force):
    result = two_masses(**force)
    d = result["b"].position - result["a"].position
    d_dot = result["b"].velocity - result["a"].velocity
    length = np.linalg.norm(d, axis=1)
    speed = (d * d_dot).sum(axis=1) / length
    # tolerances: rounding of d, in a force of 40 N/m
    np.testing.assert_allclose(result.output("strut.length"), length, atol=1e-13)
    np.testing.assert_allclose(result.output("strut.speed"), speed, atol=1e-13)
    np.testing.assert_allclose(result.output("strut.force"), -K * (length - REST) - C * speed, atol=1e-11)
    # Newton: the force, positive where it pushes, is all that accelerates b
    np.testing.assert_allclose(
        result.output("strut.force")[:, None] * d / length[:, None], result["b"].acceleration, atol=1e-11
    )


def test_a_stored_force_has_one_name_in_plots_and_tables_with_its_unit():
    result = two_masses(type="spring_damper", stiffness=K, length=REST)
    assert result.outputs == {"strut.force": "N", "strut.length": "m", "strut.speed": "m/s"}
    (_, force) = result.columns("strut.force")
    assert force.unit == "N" and np.array_equal(force.values, result.output("strut.force"))


def oscillator(**force):
    """A rotor on a hinge, J = 0.5 kg m², let go at 0.8 rad with 1 rad/s; `force` has the name "motor"."""
    marker = [{"name": "axle"}]
    keys = {"stiffness": force.pop("spring")} if "spring" in force else {}
    return mb.System.from_text(
        world(gravity=[0, 0, 0], marker=marker)
        + body("rotor", mass=1.0, inertia=[0.3, 0.3, 0.5], marker=marker)
        + joint("hinge", "revolute", "ground.axle", "rotor.axle", start={"angle": 0.8, "speed": 1.0}, **keys)
        + (table("force", name="motor", **force) if force else "")
        + solver(end=3.0, tolerance=1e-11)
    ).run(files=False)


def test_torque_angle_and_speed_of_a_torsion_spring_are_those_of_the_oscillator():
    """J θ̈ = −k (θ − θ₀):  θ = θ₀ + A cos ωt + B sin ωt,  B ω = θ̇(0)"""
    k, rest = 8.0, 0.2
    w = np.sqrt(k / 0.5)
    keys = {"stiffness": k, "angle": rest}
    result = oscillator(type="torsion_spring_damper", a="ground.axle", b="rotor.axle", **keys)
    t = result.time
    swing = 0.6 * np.cos(w * t) + np.sin(w * t) / w
    assert result.outputs == {"motor.torque": "N m", "motor.angle": "rad", "motor.speed": "rad/s"}
    np.testing.assert_allclose(result.output("motor.angle"), rest + swing, atol=1e-8)
    np.testing.assert_allclose(result.output("motor.torque"), -k * swing, atol=1e-7)
    speed = -0.6 * w * np.sin(w * t) + np.cos(w * t)
    np.testing.assert_allclose(result.output("motor.speed"), speed, atol=1e-7)


def test_the_spring_of_a_joint_and_a_motor_have_their_torque():
    spring = oscillator(spring=8.0)
    assert spring.outputs == {"hinge_spring.force": "N m"}
    w = 4.0
    angle = 0.8 * np.cos(w * spring.time) + np.sin(w * spring.time) / w
    np.testing.assert_allclose(spring.output("hinge_spring.force"), -8.0 * angle, atol=1e-7)
    motor = oscillator(type="joint_force", joint="hinge", torque="0.3*sin(time)")
    np.testing.assert_allclose(motor.output("motor.force"), 0.3 * np.sin(motor.time), atol=1e-15)


def test_on_a_length_the_same_output_is_in_newtons():
    result = mb.System.from_text(
        body("cart", mass=1.0, inertia=[1, 1, 1])
        + joint("rail", "translational", "ground", "cart", axis=[1, 0, 0], damping=2.0)
        + table("force", name="push", type="joint_force", joint="rail", force="3")
        + solver(end=0.5)
    ).run(files=False)
    assert result.outputs == {"push.force": "N", "rail_spring.force": "N"}
    # m v̇ = 3 − c v
    np.testing.assert_allclose(
        result.output("rail_spring.force"), -3.0 * (1.0 - np.exp(-2.0 * result.time)), atol=1e-7
    )
