"""The search for steady motions: governors and conical pendulums against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused, stopped
from scene_text import body, hinge, joint, motion, state, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

g = 9.81
m, l, J, OMEGA = 1.7, 0.6, (0.05, 0.055, 0.01), 6.0
A, B, C = J[1] + m * l**2, J[0] + m * l**2, J[2]


def governor(
    angle: float, omega: float = OMEGA, drive: str = "", torque: str = "0", before: str = ""
) -> mb.System:
    """A rod on a hinge at a driven shaft; it begins at an angle from straight down."""
    text = world(gravity=[0, 0, -g]) + before + body("shaft", mass=1.0, inertia=[0.1, 0.1, 0.1])
    text += hinge("axle", "ground", "shaft", start=None if not drive else {"speed": omega})
    text += motion("axle", angle=f"{omega}*time") if not drive else ""
    text += body("rod", mass=m, inertia=J, position=[0, 0, -l])
    text += hinge("hinge", "shaft", "rod", axis=[0, 1, 0], start={"angle": angle})
    text += table("force", type="joint_force", joint="hinge", torque=torque)
    return mb.System.from_text(text)


def lean(report) -> float:
    x = report.position[1]
    return float(np.arctan2(np.hypot(x[0], x[1]), -x[2]))


@pytest.mark.parametrize("start", [0.05, 0.6, 2.0])
def test_a_governor_finds_its_angle(start):
    """cos θ = m g l / (Ω² (B − C)); straight down is steady too, and not stable."""
    theta = np.arccos(m * g * l / (OMEGA**2 * (B - C)))
    report = governor(start).analyze("static", about="motion")
    assert lean(report) == pytest.approx(theta, abs=1e-12) and report.stable
    np.testing.assert_allclose(np.abs(report.velocity[1]).max(), OMEGA * l * np.sin(theta), rtol=1e-12)
    # the shaft bears the rod's weight and its centrifugal force
    np.testing.assert_allclose(report.reactions[1][2], m * g, rtol=1e-9)
    np.testing.assert_allclose(
        np.linalg.norm(report.reactions[1][:2]), m * OMEGA**2 * l * np.sin(theta), rtol=1e-9
    )


def test_below_its_critical_speed_a_governor_hangs():
    report = governor(0.5, 2.0).analyze("static", about="motion")
    assert lean(report) == pytest.approx(0.0, abs=1e-9) and report.stable
    still = governor(0.0).analyze("static", about="motion")
    assert lean(still) == pytest.approx(0.0, abs=1e-9) and not still.stable
    assert still.growth == pytest.approx(np.sqrt((OMEGA**2 * (B - C) - m * g * l) / A), rel=1e-6)


def test_an_axle_that_spins_by_itself_keeps_its_speed():
    theta = np.arccos(m * g * l / (OMEGA**2 * (B - C)))
    report = governor(0.6, drive="none").analyze("static", about="motion")
    assert lean(report) == pytest.approx(theta, abs=1e-12)
    np.testing.assert_allclose(np.linalg.norm(report.velocity[1]), OMEGA * l * np.sin(theta), rtol=1e-12)


def test_inner_states_rest_in_a_steady_motion():
    """A filter of the angle is a spring: Ω² (B − C) sin θ cos θ = m g l sin θ + k θ."""
    from scipy.optimize import brentq

    k = 2.0
    system = governor(0.6, torque=f"-{k}*lag", before=state("lag", "5*(hinge.angle-lag)", start=0.6))
    report = system.analyze("static", about="motion")
    balance = lambda x: OMEGA**2 * (B - C) * np.sin(x) * np.cos(x) - m * g * l * np.sin(x) - k * x
    assert lean(report) == pytest.approx(brentq(balance, 0.3, 1.5, xtol=1e-14), abs=1e-10)


def test_a_conical_pendulum_finds_its_height():
    """h = g/Ω² of a bob on a rod that no coordinate measures, in a frame that is given."""
    text = world(gravity=[0, 0, -g]) + body(
        "bob", type="point", mass=2.0, position=[0.3, 0, -0.8], velocity=[0, 1.26, 0]
    )
    system = mb.System.from_text(text + joint("line", "rod", "ground", "bob"))
    report = system.analyze("static", about="motion", frame="0,0,4.2")
    assert report.position[0][2] == pytest.approx(-g / 4.2**2, abs=1e-12)
    radius = np.sqrt(0.3**2 + 0.8**2 - (g / 4.2**2) ** 2)
    np.testing.assert_allclose(np.linalg.norm(report.velocity[0]), 4.2 * radius, rtol=1e-12)
    report.lines()
    assert report.as_dict()["growth"] == report.growth


def test_what_swings_has_no_steady_motion():
    text = world(gravity=[0, 0, -g]) + body("arm", mass=2.0, inertia=[0.2, 0.25, 0.1], position=[0, 0, -0.5])
    text += hinge("hinge", "ground", "arm", axis=[0, 1, 0], start={"angle": 0.3, "speed": 2.0})
    with stopped(PhysicsError):
        mb.System.from_text(text).analyze("static", about="motion")
    with refused("about"):
        mb.System.from_text(text).analyze("static", about="start")
    with refused("frame"):
        mb.System.from_text(text).analyze("static", frame="world")


def test_a_limit_stops_a_governor():
    """At 0.9 rad, before its free angle, it is pressed with Ω² (B − C) sin θ cos θ − m g l sin θ; a slow one
    that starts at its limit leaves it.
    """
    scene = governor(0.3)
    limited = scene.with_values({"joint.hinge.limits": [-0.9, 0.9]})
    report = limited.analyze("static", about="motion")
    assert lean(report) == pytest.approx(0.9, abs=1e-12)
    pressed = OMEGA**2 * (B - C) * np.sin(0.9) * np.cos(0.9) - m * g * l * np.sin(0.9)
    (force,) = [one.force for one in report.bounds if one.name.endswith("upper_limit")]
    assert abs(force) == pytest.approx(pressed, rel=1e-9)
    slow = governor(0.9, 2.0).with_values({"joint.hinge.limits": [-0.9, 0.9]})
    assert lean(slow.analyze("static", about="motion")) == pytest.approx(0.0, abs=1e-9)
