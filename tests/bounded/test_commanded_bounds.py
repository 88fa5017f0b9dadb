"""Bounds, ends and restitutions that expressions and inputs give: closed forms, under each solver, in both
coordinates.
"""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, force, joint, motion, solver, table, torque

import mbplugin as mb
from mbplugin.errors import PhysicsError

HOW = {
    "rk": {"tolerance": 1e-10},
    "galpha": {"type": "galpha", "tolerance": 1e-9},
    "contact": {"type": "contact", "step": 1e-3},
}
#: errors of positions and rates, and of the time of an event
NEAR, LATE = {"rk": 1e-8, "galpha": 2e-6, "contact": 1e-6}, {"rk": 1e-8, "galpha": 1e-5, "contact": 1.1e-3}
EACH = [(how, coordinates) for how in HOW for coordinates in ("maximal", "joint")]
each = pytest.mark.parametrize(("how", "coordinates"), EACH)
FRAMES = table("output", frames=40)
I = 0.5  # moment of inertia of the disc


def disc(how, coordinates, end, *more, **keys):
    text = NO_GRAVITY + "".join(more) + body("disc", mass=2, inertia=[1, 1, I])
    text += joint("pin", "revolute", "ground", "disc", axis=[0, 0, 1], **keys)
    return text + solver(**HOW[how], end=end, coordinates=coordinates) + FRAMES


def slider(how, coordinates, end, *more, **keys):
    text = NO_GRAVITY + "".join(more) + body("block", mass=2, inertia=[1, 1, 1])
    text += joint("rail", "translational", "ground", "block", axis=[1, 0, 0], **keys)
    return text + solver(**HOW[how], end=end, coordinates=coordinates) + FRAMES


def run(text):
    return mb.System.from_text(text).run(files=False)


@each
def test_a_brake_stops_a_disc_when_its_torque_has_taken_the_momentum(how, coordinates):
    """I ω₀ = ∫ c t² dt = c t³/3; the momentum that is left is I ω₀ − c t³/3."""
    w0, c = 4.0, 3.0
    result = run(disc(how, coordinates, 1.6, friction_torque=f"{c}*time**2", start={"speed": w0}))
    (event,) = result.events.of("pin.angle.friction")
    assert event.time == pytest.approx((3 * I * w0 / c) ** (1 / 3), abs=LATE[how])
    w = np.maximum(w0 - c * result.time**3 / (3 * I), 0.0)
    found = result.coordinate("pin.angle").speed
    at_rest = LATE[how] * c * event.time**2 / I
    np.testing.assert_allclose(found, w, atol=max(NEAR[how], at_rest if how == "contact" else 0.0))
    assert np.abs(result.energy.balance).max() < 1e-5


@each
def test_a_pedal_brakes_by_a_coefficient(how, coordinates):
    """An input is the coefficient μ of a bearing of radius r that a force F presses: I ω̇ = −μ r F, I about
    the axis, while it is on.
    """
    F, r, w0 = 40.0, 0.1, 6.0
    text = disc(
        how,
        coordinates,
        1.0,
        table("input", name="pedal", start=0.0),
        force("disc", x=F),
        friction="0.5*pedal",
        radius=r,
        start={"speed": w0},
    )
    simulation = mb.System.from_text(text).simulate()
    simulation.step(0.1)
    assert simulation.joint_velocities()[0] == pytest.approx(w0, abs=NEAR[how])
    simulation.inputs["pedal"] = 0.8
    simulation.step(0.3)
    assert simulation.joint_velocities()[0] == pytest.approx(w0 - 0.4 * r * F * 0.3 / I, abs=1e-5)
    simulation.inputs["pedal"] = 0.0
    simulation.step(0.1)
    assert simulation.joint_velocities()[0] == pytest.approx(w0 - 0.4 * r * F * 0.3 / I, abs=1e-5)


@each
def test_what_holds_less_and_less_lets_go(how, coordinates):
    """Static friction 3 − t gives way to a torque of 2 at t = 1; then I ω̇ = 2 − 1."""
    keys = {"friction_torque": 1.0, "friction_static": "3 - time"}
    result = run(disc(how, coordinates, 1.8, **keys) + torque("disc", z=2.0))
    (event,) = result.events.of("pin.angle.friction")
    assert event.time == pytest.approx(1.0, abs=LATE[how])
    w = np.maximum(result.time - 1.0, 0.0) / I
    np.testing.assert_allclose(result.coordinate("pin.angle").speed, w, atol=LATE[how] / I)


@each
def test_a_motor_exerts_what_its_effort_allows(how, coordinates):
    """I ω̇ = 1 + t: ω = (t + t²/2)/I, below the rate that it is to have."""
    text = disc(how, coordinates, 0.8) + motion("pin", angle_velocity=50.0, effort_limit="1 + time")
    result = run(text)
    w = (result.time + result.time**2 / 2) / I
    np.testing.assert_allclose(result.coordinate("pin.angle").speed, w, atol=1e-5)


@each
def test_a_stop_that_moves_takes_a_block_along(how, coordinates):
    """A force presses it onto the stop at a t², 0.1 below it at first: m ẍ = −F until they meet, then the
    stop bears F + 2 m a.
    """
    a, F, m = 0.4, 3.0, 2.0
    result = run(
        slider(how, coordinates, 1.2, limits=[f"{a}*time**2 - 0.1", "5 + time"]) + force("block", x=-F)
    )
    meets = np.sqrt(0.1 / (a + 0.5 * F / m))
    t = result.time
    x = np.where(t < meets, -0.5 * F / m * t**2, a * t**2 - 0.1)
    np.testing.assert_allclose(
        result.coordinate("rail.length").value, x, atol=5e-3 if how == "contact" else 1e-6
    )
    assert np.abs(result.energy.balance).max() < (2e-2 if how == "contact" else 1e-6)


@each
def test_a_rebound_follows_its_expression(how, coordinates):
    """At 2 m/s it meets the stop 1 m away at t = 0.5, with e = 1 − t, and is back at 1 m/s."""
    keys = {"limits": [-9.0, 1.0], "restitution": "1 - time", "start": {"speed": 2.0}}
    result = run(slider(how, coordinates, 0.9, **keys))
    t = result.time
    x = np.where(t < 0.5, 2 * t, 1.0 - (t - 0.5))
    np.testing.assert_allclose(
        result.coordinate("rail.length").value, x, atol=3e-3 if how == "contact" else 1e-6
    )


@each
def test_an_input_drives_and_brakes_at_once(how, coordinates):
    """A force that stores no energy reads the same input as a brake: I ω̇ = 0.2 u − 0.5 u from its jump on."""
    pedal = table("input", name="u", start=0.0)
    text = disc(how, coordinates, 1.0, pedal, friction_torque="0.5*u", start={"speed": 3.0})
    simulation = mb.System.from_text(text + torque("disc", z="0.2*u")).simulate()
    simulation.step(0.1)
    simulation.inputs["u"] = 2.0
    simulation.step(0.5)
    assert simulation.joint_velocities()[0] == pytest.approx(3.0 - 0.6 * 0.5 / I, abs=1e-9)
    simulation.inputs["u"] = 0.0
    simulation.step(0.1)
    assert simulation.joint_velocities()[0] == pytest.approx(3.0 - 0.6 * 0.5 / I, abs=1e-9)


def test_what_is_no_bound_is_refused():
    text = disc("rk", "maximal", 2.0, friction_torque="1 - time", start={"speed": 90.0})
    with pytest.raises(PhysicsError, match=r'friction_torque = "1 - time", .* and must not be negative'):
        run(text)
    with pytest.raises(PhysicsError, match=r'restitution = "2\*time", .* must be from 0 to 1'):
        run(slider("rk", "maximal", 2.0, limits=[-9, 1], restitution="2*time", start={"speed": 1.1}))
    with refused("joint[0].friction_torque", "reaction(pin.force)"):
        run(disc("rk", "maximal", 1.0, friction_torque="reaction(pin.force)"))
    with refused("joint[0].limits", [0.0, "3 - rail.length"]):
        run(slider("rk", "maximal", 1.0, limits=[0.0, "3 - rail.length"]))
