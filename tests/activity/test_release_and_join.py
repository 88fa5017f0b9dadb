"""Joints, motions, forces and contacts that cease to act and begin again, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, motion, solver, table, world
from scipy.integrate import solve_ivp

import mbplugin as mb

G, MASS, ARM, INERTIA = 9.81, 2.0, 0.6, 0.3
#: about the pin
J = INERTIA + MASS * ARM**2
RK = {"tolerance": 1e-12}
HOW = {"rk": RK, "galpha": {"type": "galpha", "step": 1e-4}, "contact": {"type": "contact", "step": 1e-4}}
#: one with contacts takes longer than a step
FRAMES = table("output", frames=100)


def pendulum(how, end=1.0, **keys) -> mb.Result:
    """A rod on a pin, let go at 1.4 rad."""
    text = world(gravity=[0, 0, -G])
    text += body("rod", mass=MASS, inertia=[INERTIA, INERTIA, 0.1], position=[0, 0, -ARM])
    text += joint("pin", "revolute", "ground", "rod", axis=[0, 1, 0], start={"angle": 1.4}, **keys)
    return mb.System.from_text(text + solver(**how, end=end) + FRAMES).run(files=False)


def pin_force(angle, rate):
    """Size of the force of the pin."""
    along = MASS * G * np.cos(angle) + MASS * ARM * rate**2
    return np.hypot(along, MASS * G * np.sin(angle) * (1 - MASS * ARM**2 / J))


def free_from(event) -> tuple[float, float, float]:
    """Time, angle and rate at which event(angle, rate) becomes 0, by another integrator."""

    def ends(t, y):
        return event(*y)

    ends.terminal = True
    slope = lambda t, y: [y[1], -MASS * G * ARM / J * np.sin(y[0])]
    found = solve_ivp(slope, (0, 2), [1.4, 0], "DOP853", events=ends, rtol=1e-13, atol=1e-14)
    return found.t[-1], *found.y[:, -1]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(
    ("condition", "event"),
    [
        ("time > 0.5", None),
        ("pin.angle < 0.3", lambda angle, rate: angle - 0.3),
        ("reaction(pin.force) > 25", lambda angle, rate: pin_force(angle, rate) - 25),
    ],
)
def test_a_released_pendulum_flies_on(how, condition, event):
    """1 → 6 degrees of freedom at the instant, the energy continuous, then the parabola."""
    result = pendulum(HOW[how], release=condition)
    if event is None:
        slope = lambda t, y: [y[1], -MASS * G * ARM / J * np.sin(y[0])]
        t, angle, rate = 0.5, *solve_ivp(slope, (0, 0.5), [1.4, 0], "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    else:
        t, angle, rate = free_from(event)
    # under `contact` a reaction is the mean of a step, at whose end it is looked at
    late = {"rk": 1e-10, "galpha": 1e-6, "contact": 1.5e-4 if "reaction" in condition else 1e-6}[how]
    (one,) = result.events
    assert (one.element, one.before, one.after, one.dof) == ("pin", "acts", "released", 6)
    assert one.time == pytest.approx(t, abs=late)
    assert (result.dof[0], result.dof[-1]) == (1, 6)
    assert result.status("pin")[[0, -1]].tolist() == ["acts", "released"]
    fall = result.time[-1] - t
    x = -ARM * np.array([np.sin(angle), 0, np.cos(angle)])
    v = -ARM * rate * np.array([np.cos(angle), 0, -np.sin(angle)])
    end = x + v * fall - 0.5 * G * fall**2 * np.array([0, 0, 1])
    np.testing.assert_allclose(result["rod"].center_of_mass[-1], end, atol=10 * late)
    assert result["rod"].angular_velocity[-1, 1] == pytest.approx(rate, abs=20 * late)
    energy = result.energy.kinetic + result.energy.potential
    assert np.ptp(energy) < max(1e-9, 100 * late) and not np.any(result.energy.work)


@pytest.mark.parametrize("how", HOW)
def test_an_elastic_joint_lets_go_too(how):
    """After its release the mass centre falls freely, and the rod turns on."""
    law = {"type": "penalty", "stiffness": 1e4, "angular_stiffness": 1e3}
    result = pendulum(HOW[how], release="time > 0.5", enforce=law)
    k = int(np.searchsorted(result.time, 0.51))
    x, v = result["rod"].center_of_mass, result["rod"].center_of_mass_velocity
    fall = result.time[-1] - result.time[k]
    end = x[k] + v[k] * fall - 0.5 * G * fall**2 * np.array([0, 0, 1])
    np.testing.assert_allclose(x[-1], end, atol=1e-9)
    spin = result["rod"].angular_velocity
    np.testing.assert_allclose(spin[-1], spin[k], atol=1e-9)
    assert result.dof[[0, -1]].tolist() == [6, 6]
    assert result.events.of("pin").after[-1] == "released"


def test_a_reaction_under_contact_is_that_with_contacts():
    """A ball falls on a plate that hangs on a pin: the pin bears both, and breaks at the blow."""
    text = world(gravity=[0, 0, -G])
    plate = [{"type": "box", "size": [1, 1, 0.1]}]
    text += body("plate", mass=1, inertia=[1, 1, 1], shape=plate, collide=True)
    text += joint("pin", "fixed", "ground", "plate", release="reaction(pin.force) > 1.5*9.81")
    ball = [{"type": "sphere", "radius": 0.1}]
    place = {"position": [0, 0, 0.65], "shape": ball, "collide": True}
    text += body("ball", mass=1, inertia=[0.01, 0.01, 0.01], **place)
    result = mb.System.from_text(text + solver(type="contact", step=1e-3, end=0.5) + FRAMES).run(files=False)
    meets = np.sqrt(2 * 0.5 / G)
    assert result.events.of("pin").time[0] == pytest.approx(meets, abs=2e-3)


@pytest.mark.parametrize("how", HOW)
def test_what_meets_is_caught(how):
    """A cart strikes another, and a weld holds both: v = m₁ v₁ / (m₁ + m₂), and the rest is dissipated."""
    text = world(gravity=[0, 0, 0])
    text += body("first", mass=2, inertia=[1, 1, 1], velocity=[3, 0, 0])
    text += body("second", mass=1, inertia=[1, 1, 1], position=[1, 0, 0])
    for name in ("first", "second"):
        text += joint(f"{name}_rail", "translational", "ground", name, axis=[1, 0, 0])
    text += table(
        "joint",
        name="coupling",
        type="coupler",
        joints=["first_rail", "second_rail"],
        factors=[1, -1],
        target=1,
        active="first_rail.length - second_rail.length > 1 - 1e-9",
        snap=True,
    )
    result = mb.System.from_text(text + solver(**HOW[how], end=1) + FRAMES).run(files=False)
    (one,) = result.events
    assert one.time == pytest.approx(1 / 3, abs=1e-9) and (one.after, one.dof) == ("acts", 1)
    assert one.impulse == pytest.approx(2, abs=1e-9)
    for name in ("first", "second"):
        assert result[name].velocity[-1, 0] == pytest.approx(2, abs=1e-9)
    assert result.energy.dissipated[-1] == pytest.approx(3, abs=1e-9)
    assert np.abs(result.raw["energy/balance"]).max() < 1e-9


@pytest.mark.parametrize("how", HOW)
def test_a_motion_that_ends_lets_its_coordinate_coast(how):
    text = world(gravity=[0, 0, 0]) + body("disc", mass=1, inertia=[1, 1, 0.5])
    text += joint("hinge", "revolute", "ground", "disc", axis=[0, 0, 1])
    text += motion("hinge", angle="1.5*time**2", active="time < 0.4")
    result = mb.System.from_text(text + solver(**HOW[how], end=1) + FRAMES).run(files=False)
    angle = result.coordinate("hinge.angle").value
    assert angle[-1] == pytest.approx(1.5 * 0.16 + 1.2 * 0.6, abs=1e-6)
    assert result.events[0].element == "hinge_angle" and result.dof[-1] == 1
    assert result.energy.work[-1] == pytest.approx(0.5 * 0.5 * 1.2**2, abs=1e-6)


@pytest.mark.parametrize("how", HOW)
def test_a_motion_that_begins_drives_by_an_impulse(how):
    """From ω₀ to ω: the impulse J (ω − ω₀) does the work J (ω − ω₀) ω, of which ½ J (ω − ω₀)² is lost."""
    J, before, after = 0.5, 0.3, 1.2
    text = world(gravity=[0, 0, 0]) + body("disc", mass=1, inertia=[1, 1, J])
    text += joint("hinge", "revolute", "ground", "disc", axis=[0, 0, 1], start={"speed": before})
    text += motion("hinge", angle_velocity=str(after), active="time > 0.4")
    result = mb.System.from_text(text + solver(**HOW[how], end=1)).run(files=False)
    assert result.coordinate("hinge.angle").value[-1] == pytest.approx(before * 0.4 + after * 0.6, abs=1e-6)
    assert result.energy.work[-1] == pytest.approx(J * (after - before) * after, abs=1e-9)
    assert result.energy.dissipated[-1] == pytest.approx(0.5 * J * (after - before) ** 2, abs=1e-9)


@pytest.mark.parametrize("how", HOW)
def test_a_force_between_two_times_gives_its_impulse(how):
    text = world(gravity=[0, 0, 0]) + body("cube", mass=2, inertia=[1, 1, 1])
    text += table(
        "force", type="force", name="push", body="cube", force_x=3, active="time > 0.2 and time < 0.7"
    )
    result = mb.System.from_text(text + solver(**HOW[how], end=1) + FRAMES).run(files=False)
    assert result["cube"].velocity[-1, 0] == pytest.approx(3 * 0.5 / 2, abs=1e-12)
    assert result["cube"].position[-1, 0] == pytest.approx(0.5 * 1.5 * 0.25 + 0.75 * 0.3, abs=1e-8)
    assert [one.after for one in result.events] == ["acts", "off"]
    assert result.energy.work[-1] == pytest.approx(0.75**2, abs=1e-8)


@pytest.mark.parametrize("how", HOW)
def test_a_spring_that_breaks_takes_its_energy_along(how):
    """A mass on a spring of frequency ω, which breaks at x = 0.05: it goes on at √(v₀² − ω² x²)."""
    text = world(gravity=[0, 0, 0]) + body("cube", mass=1, inertia=[1, 1, 1], velocity=[1, 0, 0])
    text += joint("rail", "translational", "ground", "cube", axis=[1, 0, 0])
    text += table(
        "force",
        type="joint_spring_damper",
        name="spring",
        joint="rail",
        stiffness=100,
        release="rail.length > 0.05",
    )
    result = mb.System.from_text(text + solver(**HOW[how], end=0.5) + FRAMES).run(files=False)
    speed = np.sqrt(1 - 100 * 0.05**2)
    assert result.events[0].time == pytest.approx(np.arcsin(0.5) / 10, abs=1e-7)
    assert result["cube"].velocity[-1, 0] == pytest.approx(speed, abs=1e-7)
    # the energy that was in the spring is gone: work, negative
    assert result.energy.work[-1] == pytest.approx(-0.5 * 100 * 0.05**2, abs=1e-6)
    assert np.abs(result.raw["energy/balance"]).max() < 5e-6


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_contacts_that_are_released_let_a_ball_through(coordinates):
    text = world(gravity=[0, 0, -G], shape=[{"type": "plane", "collide": True}])
    text += body(
        "ball",
        mass=1,
        inertia=[1, 1, 1],
        position=[0, 0, 0.1],
        shape=[{"type": "sphere", "radius": 0.1}],
        collide=True,
        contacts={"release": "time > 0.25"},
    )
    text += joint("rail", "translational", "ground", "ball", at=[0, 0, 0.1], axis=[0, 0, 1])
    text += solver(type="contact", step=1e-3, end=0.75, coordinates=coordinates) + FRAMES
    result = mb.System.from_text(text).run(files=False)
    assert result["ball"].position[-1, 2] == pytest.approx(0.1 - 0.5 * G * 0.25, abs=1e-9)
    (one,) = result.events
    assert (one.element, one.after, one.time) == ("ball.contacts", "released", pytest.approx(0.25, abs=1e-12))


@pytest.mark.parametrize("how", HOW)
def test_a_joint_takes_its_motion_limits_and_spring_along(how):
    text = world(gravity=[0, 0, 0]) + body("rod", mass=1, inertia=[1, 1, 1], position=[0.5, 0, 0])
    text += joint(
        "pin",
        "revolute",
        "ground",
        "rod",
        axis=[0, 0, 1],
        stiffness=5,
        limits=[-1, 1],
        friction_torque=0.1,
        release="time > 0.5",
    )
    text += motion("pin", angle="0.3*time")
    result = mb.System.from_text(text + solver(**HOW[how], end=1) + FRAMES).run(files=False)
    assert result["rod"].angular_velocity[-1, 2] == pytest.approx(0.3, abs=1e-9)
    assert result["rod"].velocity[-1] @ result["rod"].velocity[-1] == pytest.approx(0.15**2, abs=1e-9)
    assert result.dof[-1] == 6
    assert np.abs(result.raw["energy/balance"]).max() < 5e-6


def test_a_box_that_is_let_go_on_a_belt_rides_along():
    """v = μ g t from the release on, up to the speed of the belt. A `[[contact]]` lets the two collide."""
    speed, mu, belt = 1.5, 0.3, {"size": [20, 2, 1], "position": [0, 0, -0.5], "collide": True}
    text = world(gravity=[0, 0, -G], shape=[{"type": "box", "surface_velocity": [speed, 0, 0], **belt}])
    shape = [{"type": "box", "size": [0.2, 0.2, 0.2]}]
    text += body("box", density=1000, position=[0, 0, 0.1], shape=shape, collide=True)
    text += table("contact", a="ground", b="box", friction=mu)
    text += joint("weld", "fixed", "ground", "box", release="time > 0.2")
    result = mb.System.from_text(text + solver(type="contact", step=1e-3, end=1.0) + FRAMES).run(files=False)
    slips = speed / (mu * G)
    way = 0.5 * speed * slips + speed * (0.8 - slips)
    assert result["box"].velocity[-1] == pytest.approx([speed, 0, 0], abs=1e-9)
    assert result["box"].position[-1] == pytest.approx([way, 0, 0.1], abs=2e-3)
    assert np.abs(result.raw["energy/balance"]).max() < 1e-8
