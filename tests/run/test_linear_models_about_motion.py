"""Linear models about motions: against derivatives of closed forms, and against differences of runs."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, hinge, joint, motion, solver, table, world
from scipy.linalg import expm

import mbplugin as mb

m1, m2, l1, l2, I1, I2, g, c = 1.0, 0.7, 0.5, 0.4, 0.02, 0.03, 9.81, 0.1
START = np.array([0.7, -0.4, 1.3, -2.1])


def two_rods() -> mb.System:
    """Two rods in a plane, with the angle of the second to the first, a damper, and a torque between them."""
    text = world(gravity=[0, -g, 0]) + table("input", name="torque")
    text += body("a", mass=m1, inertia=[I1, I1, I1], position=[0, -l1 / 2, 0])
    text += body("b", mass=m2, inertia=[I2, I2, I2], position=[0, -l1 - l2 / 2, 0])
    text += hinge("p", "ground", "a", damping=c, start={"angle": START[0], "speed": START[2]})
    text += hinge("q", "a", "b", at=[0, -l1, 0], start={"angle": START[1], "speed": START[3]})
    text += table("force", type="joint_force", joint="q", torque="torque")
    return mb.System.from_text(text + solver(type="rk", tolerance=1e-12, end=1.0))


def rates(z, torque=0.0):
    """ż of (p, q, ṗ, q̇) by the equations of Lagrange."""
    first, second, w1, w2 = z[0], z[0] + z[1], z[2], z[2] + z[3]
    couple = m2 * l1 * l2 / 2
    A = np.array(
        [
            [I1 + m1 * l1**2 / 4 + m2 * l1**2, couple * np.cos(z[1])],
            [couple * np.cos(z[1]), I2 + m2 * l2**2 / 4],
        ]
    )
    swing = couple * np.sin(z[1])
    one = swing * w2**2 - (m1 * l1 / 2 + m2 * l1) * g * np.sin(first) - c * w1 - torque
    other = -swing * w1**2 - m2 * g * l2 / 2 * np.sin(second) + torque
    a = np.linalg.solve(A, np.array([one, other]))
    return np.array([z[2], z[3], a[0], a[1] - a[0]])


@pytest.mark.parametrize("time", [0.0, 0.3])
def test_two_swinging_rods_have_the_derivatives_of_their_equations(time):
    system = two_rods()
    linear = system.linearize(about="motion", time=time)
    assert linear.states == ["p.angle", "q.angle", "rate(p.angle)", "rate(q.angle)"]
    simulation = system.simulate()
    simulation.run(time)
    angles = [simulation.coordinate(f"{name}.angle") for name in "pq"]
    z = np.array([one.value for one in angles] + [one.speed for one in angles])
    A = np.array([rates(z + 1e-30j * e).imag / 1e-30 for e in np.eye(4)]).T
    np.testing.assert_allclose(linear.A, A, atol=3e-9)
    np.testing.assert_allclose(linear.B[:, 0], rates(z, 1e-30j).imag / 1e-30, atol=1e-9)


def test_a_body_that_tumbles_has_the_derivatives_of_eulers_equations():
    """Motions that no coordinate measures: of δω, J δω̇ = −δω × J ω − ω × J δω."""
    J, w = np.array([0.1, 0.2, 0.3]), np.array([0.3, 1.0, 2.0])
    text = NO_GRAVITY + body(
        "r", mass=2.0, inertia=J.tolist(), velocity=[0.1, 0, 0], angular_velocity=w.tolist()
    )
    linear = mb.System.from_text(text).linearize(about="motion")
    cross = lambda a: np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    expected = (cross(J * w) - cross(w) * J) / J[:, None]
    # states are in unit masses
    unit = np.sqrt(J)
    np.testing.assert_allclose(linear.A[9:, 9:], unit[:, None] * expected / unit, atol=1e-9)
    # δθ turns with the body: δθ̇ = δω − ω × δθ
    np.testing.assert_allclose(linear.A[3:6, 3:6], -unit[:, None] * cross(w) / unit, atol=1e-9)
    np.testing.assert_allclose(linear.A[3:6, 9:], np.eye(3), atol=1e-9)


OMEGA, LENGTH, MASS, INERTIA = 6.0, 0.6, 1.7, (0.05, 0.055, 0.01)


def governor(angle: float, speed: float = 0.0) -> mb.System:
    """A rod on a hinge at a shaft that is driven, with a damper, at an angle from straight down."""
    text = world(gravity=[0, 0, -g]) + body("shaft", mass=1.0, inertia=[0.1, 0.1, 0.1])
    text += hinge("axle", "ground", "shaft") + motion("axle", angle=f"{OMEGA}*time")
    text += body("rod", mass=MASS, inertia=INERTIA, position=[0, 0, -LENGTH])
    start = {"angle": angle, "speed": speed}
    text += hinge("hinge", "shaft", "rod", axis=[0, 1, 0], damping=0.4, start=start)
    return mb.System.from_text(
        text + solver(type="rk", tolerance=1e-12, end=0.1) + table("output", every=0.1)
    )


def test_a_spinning_governor_agrees_with_differences_of_runs():
    """About its steady angle A is constant: states after τ change by exp(A τ)."""
    A, B, C = INERTIA[1] + MASS * LENGTH**2, INERTIA[0] + MASS * LENGTH**2, INERTIA[2]
    theta, h = np.arccos(MASS * g * LENGTH / (OMEGA**2 * (B - C))), 1e-4
    linear = governor(theta).linearize(about="motion")
    assert linear.states == ["hinge.angle", "rate(hinge.angle)"]
    stiffness = OMEGA**2 * (B - C) * np.sin(theta) ** 2
    np.testing.assert_allclose(linear.A, [[0, 1], [-stiffness / A, -0.4 / A]], atol=1e-8)

    def end(angle: float, speed: float):
        coordinate = governor(theta + angle, speed).run(files=False).coordinate("hinge.angle")
        return np.array([coordinate.value[-1], coordinate.speed[-1]])

    change = np.array([end(h, 0) - end(-h, 0), end(0, h) - end(0, -h)]).T / (2 * h)
    np.testing.assert_allclose(change, expm(0.1 * linear.A), atol=1e-6)


def test_a_disc_that_rolls_upright_is_stable_where_it_is_fast():
    """(A + m r²) s² = m g r − C (C + m r²) n²/A for the lean; everything else stays as it is."""
    A, C, r, mass = 0.05, 0.09, 0.3, 2.0

    def disc(spin: float) -> mb.System:
        text = world(gravity=[0, 0, -g], marker=[{"name": "floor", "position": [0, 0, 0]}])
        axle = {"name": "axle", "orientation": {"axis": [1, 0, 0], "angle_deg": 90}}
        text += body(
            "disc",
            mass=mass,
            inertia=[A, C, A],
            position=[0, 0, r],
            marker=[axle],
            angular_velocity=[0, spin, 0],
            velocity=[spin * r, 0, 0],
        )
        return mb.System.from_text(
            text + joint("roll", "rolling_disc", "ground.floor", "disc.axle", radius=r)
        )

    for spin in (0.5, 4.0):
        squared = (mass * g * r - C * (C + mass * r**2) * spin**2 / A) / (A + mass * r**2)
        report = disc(spin).analyze("eigen", about="motion", frame="world")
        assert not any("steady" in text for text in report.messages)
        found = [mode.s for mode in report.modes if mode.s != 0]
        expected = [1j * np.sqrt(-squared)] if squared < 0 else [-np.sqrt(squared), np.sqrt(squared)]
        np.testing.assert_allclose(sorted(found, key=lambda s: s.real), expected, atol=1e-6)


def test_times_belong_to_motions():
    for keys in ({"time": 1.0}, {"about": "motion", "time": -1.0}):
        with refused("time"):
            two_rods().linearize(**keys)


def test_a_pseudo_rigid_body_on_a_hinge_has_the_poles_of_its_modes():
    shape = [{"type": "box", "size": [0.2, 0.2, 0.1]}]
    text = NO_GRAVITY + body("arm", type="pseudo_rigid", density=1100, young=1e5, poisson=0.3, shape=shape)
    system = mb.System.from_text(text + hinge("hinge", "ground", "arm", stiffness=5.0))
    expected = np.repeat(system.analyze("eigen").frequencies, 2)
    np.testing.assert_allclose(np.sort(np.abs(system.linearize().poles)), expected, rtol=1e-8)
