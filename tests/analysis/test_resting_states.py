"""Equilibria and modes with inner states of controllers, and with reactions and accelerations in expressions:
closed forms.
"""

from __future__ import annotations

import numpy as np
import pytest
from refusals import stopped
from scene_text import body, hinge, joint, state, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

M, L, g = 2.0, 0.5, 9.81
#: about the hinge
J = 0.25 + M * L * L
PID = {"proportional": 40.0, "integral": 20.0, "derivative": 4.0, "filter_time": 0.05}


def pendulum(*parts: str, before: str = "", scene: str = "") -> mb.System:
    """An arm that hangs on a hinge about y, at an angle of 0 when it is straight down."""
    text = (scene or world(gravity=[0, 0, -g])) + before
    text += body("arm", mass=M, inertia=[0.2, 0.25, 0.1], position=[0, 0, -L])
    return mb.System.from_text(text + hinge("hinge", "ground", "arm", axis=[0, 1, 0]) + "".join(parts))


def slider(*parts: str, pull: float = 0.0, before: str = "", **keys) -> mb.System:
    text = world(gravity=[pull, 0, -g]) + before + body("arm", mass=M, inertia=[0.2, 0.2, 0.2])
    return mb.System.from_text(
        text + joint("slide", "translational", "ground", "arm", axis=[1, 0, 0], **keys) + "".join(parts)
    )


def torque(expression: str) -> str:
    return table("force", type="joint_force", joint="hinge", torque=expression)


def angle_of(report) -> float:
    x = report.position[0]
    return float(np.arctan2(-x[0], -x[2]))


@pytest.mark.parametrize(("integral", "stable"), [(20.0, True), (2000.0, False)])
def test_an_integrator_takes_the_arm_to_its_target(integral, stable):
    """It hangs at 0.5 rad; its poles are the roots of J s² + m g l cos φ + P + I/s + D s/(T s + 1)."""
    keys = PID | {"integral": integral}
    system = pendulum(table("force", type="pid", joint="hinge", target=0.5, **keys))
    report = system.analyze("static")
    assert angle_of(report) == pytest.approx(0.5, abs=1e-12)
    assert report.stable is stable
    c, T = M * g * L * np.cos(0.5) + keys["proportional"], keys["filter_time"]
    loop = np.polymul([J, 0, c, integral], [T, 1])
    poles = np.sort_complex(np.roots(np.polyadd(loop, [keys["derivative"], 0, 0])))
    assert report.growth == pytest.approx(poles.real.max(), rel=1e-8)
    modes = np.array([mode.s for mode in system.analyze("eigen").modes])
    found = np.sort_complex(np.concatenate([modes, modes[modes.imag > 0].conj()]))
    np.testing.assert_allclose(found, poles, rtol=1e-8)
    np.testing.assert_allclose(np.sort_complex(system.linearize(about="static").poles), poles, rtol=1e-8)


def test_a_filter_alone_may_hold_what_nothing_else_holds():
    """60 (0.3 − s) against 2 N; with inner states held, the slider would fall without end."""
    lead = table(
        "transfer_function", name="lead", input="0.3-slide.length", numerator=[30, 60], denominator=[0.05, 1]
    )
    motor = table("force", type="motor", joint="slide", mode="torque", target="lead")
    report = slider(lead, motor, pull=1.0).analyze("static")
    assert report.position[0][0] == pytest.approx(0.3 + M / 60, abs=1e-12) and report.stable
    lag = state("lag", "-4*lag+slide.length-0.4")
    push = table("force", type="joint_force", joint="slide", force="-5*lag")
    assert slider(push, before=lag).analyze("static").position[0][0] == pytest.approx(0.4, abs=1e-12)


def test_reactions_and_accelerations_in_expressions_are_those_of_rest():
    """0.1 m · N = m g l sin φ with N = m g; accelerations are 0, and count as inertia in the modes."""
    system = pendulum(torque("0.1*reaction(hinge.force)"))
    report = system.analyze("static")
    assert np.sin(angle_of(report)) == pytest.approx(0.1 / L, abs=1e-12) and report.stable
    system = pendulum(torque("3-0.1*acceleration(hinge.angle)"))
    angle = angle_of(system.analyze("static"))
    assert np.sin(angle) == pytest.approx(3 / (M * g * L), abs=1e-12)
    expected = np.sqrt(M * g * L * np.cos(angle) / (J + 0.1))
    assert system.analyze("eigen").frequencies == pytest.approx([expected], rel=1e-9)


def test_rows_with_bounds_act_beside_inner_states():
    """The controller drags the slider against friction to 0.2 m; a limit at 0.1 m stops it, and a filter."""
    pid = table("force", type="pid", joint="slide", target=0.2, **PID)
    report = slider(pid, pull=1.5, friction_force=1.0, limits=[-0.2, 0.3]).analyze("static")
    assert report.position[0][0] == pytest.approx(0.2, abs=1e-12)
    force = {one.name: one.force for one in report.bounds}
    assert force["slide.length.friction"] == pytest.approx(-1.0) and force["slide.length.upper_limit"] == 0.0
    held = table("force", type="joint_force", joint="slide", force="50*lag")
    report = slider(held, before=state("lag", "-lag+0.2-slide.length"), limits=[-0.2, 0.1]).analyze("static")
    force = {one.name: one.force for one in report.bounds}
    assert report.position[0][0] == pytest.approx(0.1, abs=1e-12)
    assert force["slide.length.upper_limit"] == pytest.approx(5.0, rel=1e-9)


def test_what_has_no_rest_is_named():
    with stopped(PhysicsError, "clock"):
        slider(before=state("clock", "1.5"), stiffness=10.0).analyze("static")
    pid = table("force", type="pid", joint="slide", target=0.5, **PID)
    with stopped(PhysicsError, "pid_1.integral"):
        slider(pid, limits=[-0.2, 0.3]).analyze("static")


def test_a_run_begins_with_inner_states_at_rest():
    scene = world(gravity=[0, 0, -g], start="static")
    pid = table("force", type="pid", joint="hinge", target=0.5, **PID)
    result = pendulum(pid, scene=scene).run(end=0.5, files=False)
    assert np.ptp(result.coordinate("hinge.angle").value) < 1e-10
