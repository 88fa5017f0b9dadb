"""Dry friction by a coefficient, which the joint's own reaction presses on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from headless import Runs
from mbplugin_joints.joints import Translational
from refusals import refused, stopped
from scene_text import body, joint, motion, solver, table, torque, world
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from tiers import slow, values_of

import mbplugin as mb
from mbplugin.errors import PhysicsError
from mbplugin.interface import Bearing, hookimpl

G = 9.81
#: of each solver: its keys, and the error that its step allows
HOW = {
    "rk": ({"tolerance": 1e-11}, 1e-7),
    "galpha": ({"type": "galpha", "step": 1e-3}, 1e-4),
    "contact": ({"type": "contact", "step": 1e-3}, 1e-3),
}
HOW |= {f"{how}, joint": ({**keys, "coordinates": "joint"}, error) for how, (keys, error) in HOW.items()}
COORDINATES = ("maximal", "joint")


def each_how(others: Sequence[Any], last: Any, solvers: dict[str, Any] = HOW) -> list[Any]:
    """Of each solver the last case, of rk all; other cases are slow."""
    cases = [(how, *values_of(one)) for how in solvers for one in (*others, last)]
    quick = [how == "rk" or tuple(values) == values_of(last) for how, *values in cases]
    return [one if q else slow(*one) for one, q in zip(cases, quick)]


#: of the pendulum: mass, moment of inertia about its mass centre, distance of that from the pin; the pin
M, J, A, MU, STATIC, R = 2.0, 0.3, 0.6, 0.4, 0.5, 0.15


def friction_torque(angle: float, speed: float, sign: float) -> float:
    """θ̈ of the pendulum (θ from hanging) that slips with this sign of its speed: the torque of friction is
    μ r |F|, and F = m (a e'' + g) depends on θ̈, which depends on the torque.
    """
    inertia = J + M * A * A

    def gap(torque: float) -> float:
        accelerates = (-M * G * A * np.sin(angle) - sign * torque) / inertia
        along = M * (A * speed**2 + G * np.cos(angle))
        across = M * (A * accelerates + G * np.sin(angle))
        return torque - MU * R * np.hypot(along, across)

    return brentq(gap, 0.0, 1e3, xtol=1e-15, rtol=8.9e-16)


def swings(angle: float, end: float) -> list:
    """Parts of the pendulum's motion from rest at this angle, each a dense solution; it sticks after them."""
    parts, t, y = [], 0.0, np.array([angle, 0.0])
    while t < end:
        # at rest: F = m g, and m g a sin θ has to be held
        if abs(A * np.sin(y[0])) <= STATIC * R:
            return parts
        sign = -np.sign(np.sin(y[0]))

        def rates(_, y, sign=sign):
            torque = friction_torque(y[0], y[1], sign)
            return [y[1], (-M * G * A * np.sin(y[0]) - sign * torque) / (J + M * A * A)]

        def stops(now, y, sign=sign, start=t):
            return sign * y[1] if now > start else 1.0

        stops.terminal, stops.direction = True, -1
        exact = {"rtol": 1e-12, "atol": 1e-13, "dense_output": True}
        part = solve_ivp(rates, (t, end), y, "DOP853", events=stops, **exact)
        parts.append(part)
        t, y = part.t[-1], np.array([part.y[0, -1], 0.0])
    return parts


def pendulum(how: str, end: float, angle: float = 1.4, **keys) -> mb.Result:
    text = world(gravity=[0, 0, -G]) + body("bob", mass=M, inertia=[1, J, 1], position=[0, 0, -A])
    given = {"friction": MU, "friction_static": STATIC, "radius": R, **keys}
    text += joint("pin", "revolute", "ground", "bob", axis=[0, 1, 0], start={"angle": angle}, **given)
    return mb.System.from_text(text + solver(**HOW[how][0], end=end) + table("output", frames=150)).run(
        files=False
    )


@pytest.mark.parametrize("how", HOW)
def test_a_pendulum_swings_out_by_the_friction_of_its_own_reaction_and_sticks(how):
    """Against an own integration, in which the torque of friction is found by a bracketing method."""
    end = 6.0
    result, parts = pendulum(how, end), swings(1.4, end)
    s, t = result.coordinate("pin.angle"), result.time
    exact = np.full(len(t), parts[-1].y[0, -1])
    for part in reversed(parts):
        exact[t <= part.t[-1]] = part.sol(t[t <= part.t[-1]])[0]
    stops = parts[-1].t[-1]
    assert len(parts) > 2 and stops < end - 1.0
    np.testing.assert_allclose(s.value, exact, atol=HOW[how][1])
    assert np.abs(s.speed[t > stops + 0.1]).max() < 1e-12
    # what it has lost, and what its states say
    lost = M * G * A * (np.cos(s.value[-1]) - np.cos(1.4))
    states = dict(zip(result.raw.names("states"), result.raw["states/value"][-1]))
    assert states["pin.angle.friction.energy"] == pytest.approx(lost, rel=30 * HOW[how][1])
    assert result.energy.dissipated[-1] == pytest.approx(lost, rel=30 * HOW[how][1])


def slider(how: str = "rk", end: float = 1.0, more: str = "", **keys) -> mb.Result:
    """A block of 2 kg on a rail along x; `keys` of the joint, those of the body with a trailing _."""
    of_body = {key[:-1]: keys.pop(key) for key in list(keys) if key.endswith("_")}
    place = of_body.pop("position", [0, 0, 0])
    text = world(gravity=keys.pop("gravity", [0, 0, -G]))
    text += body("block", mass=M, inertia=[1, 1, 1], position=place, **of_body)
    text += joint("rail", "translational", "ground", "block", axis=[1, 0, 0], **keys)
    text += more + solver(**HOW[how][0], end=end) + table("output", frames=40)
    return mb.System.from_text(text).run(files=False)


@pytest.mark.parametrize(("how", "beyond"), each_how([-1e-6, 0.3], 1e-6))
def test_a_block_sticks_below_the_friction_angle_and_slides_above(how, beyond):
    """tan α = μ_s; then s̈ = g (sin α − μ cos α)."""
    mu, static = 0.3, 0.4
    slope = np.arctan(static) + beyond
    gravity = [G * np.sin(slope), 0, -G * np.cos(slope)]
    result = slider(how, gravity=gravity, friction=mu, friction_static=static)
    a = G * (np.sin(slope) - mu * np.cos(slope)) if beyond > 0 else 0.0
    s = result.coordinate("rail.length")
    np.testing.assert_allclose(s.value, a * result.time**2 / 2, atol=1e-9)
    np.testing.assert_allclose(s.speed, a * result.time, atol=1e-9)
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][-1]))
    weight = M * G * (mu * np.cos(slope) if beyond > 0 else np.sin(slope))
    assert loads["rail friction on block"][0] == pytest.approx(-weight, rel=1e-9)


#: forces of 60 N on the block, through its mass centre and along the rail
PUSHES = {
    "through the mass centre": table("force", name="push", type="force", body="block", force_x="60"),
    "along the rail": table("force", name="push", type="joint_force", joint="rail", force="60"),
    "none": "",
}


@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize(("how", "height"), each_how([-0.3, 0.0], 0.3))
def test_moments_press_on_both_ends_of_a_bearing(how, height, push):
    """The mass centre is h above the rail: pushed along it, m s̈ h presses with 2 m s̈ h / L. Else it is the
    friction f that does, with 2 f h / L:  f = μ m g / (1 − 2 μ h/L).
    """
    mu, length = 0.4, 0.5
    keys = {} if PUSHES[push] else {"velocity_": [5, 0, 0]}
    result = slider(how, 0.2, PUSHES[push], position_=[0, 0, height], friction=mu, length=length, **keys)
    ratio = 2 * mu * abs(height) / length
    decelerates = mu * G / (1 - ratio)
    match push:
        case "through the mass centre":
            speed = (60 / M - decelerates) * result.time
        case "along the rail":
            speed = (60 / M - mu * G) / (1 + ratio) * result.time
        case _:
            speed = 5 - decelerates * result.time
    np.testing.assert_allclose(result.coordinate("rail.length").speed, speed, atol=1e-9)


@pytest.mark.parametrize("how", ["rk", "rk, joint"])
def test_a_torque_about_a_rail_presses_on_both_flanks(how):
    """With |T| / r beside the weight."""
    more = torque("block", x="3")
    result = slider(how, 0.2, more, velocity_=[5, 0, 0], friction=0.4, radius=0.2)
    speed = 5 - 0.4 * (G + 3 / 0.2 / M) * result.time
    np.testing.assert_allclose(result.coordinate("rail.length").speed, speed, atol=1e-9)


@pytest.mark.parametrize("how", ["rk", "rk, joint"])
def test_friction_that_presses_its_own_bearing_beyond_all_measure_wedges(how):
    """With 2 μ h/L > 1 no deceleration obeys the law."""
    with stopped(PhysicsError, "rail.length", "joint[0].friction", time=0.0):
        slider(how, velocity_=[5, 0, 0], position_=[0, 0, 0.7], friction=0.4, length=0.5)


def spun(coordinates: str, kind: str, axis: list, **keys) -> float:
    """Deceleration about the axis of a wheel of 2 kg, 1 kg m², from 9 rad/s; loaded by its weight only."""
    if kind == "cylindrical":
        keys["friction"] = {"angle": keys["friction"]}
    axis = np.array(axis)
    where = keys.pop("position", [0, 0, 0])
    text = world(gravity=[0, 0, -G])
    text += body("wheel", mass=M, inertia=[1, 1, 1], position=where, angular_velocity=list(9.0 * axis))
    text += joint("pin", kind, "ground", "wheel", axis=list(axis), **keys)
    if kind == "cylindrical":
        text += motion("pin", length="0")
    text += solver(tolerance=1e-10, end=0.5, coordinates=coordinates)
    result = mb.System.from_text(text).run(files=False)
    return (9.0 - np.abs(result["wheel"].angular_velocity[-1]).max()) / 0.5


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("kind", ["revolute", "cylindrical"])
def test_weight_presses_on_a_pin_from_the_side_and_on_its_collar(coordinates, kind):
    """μ r m g with a level axis, or an upright one on the collar. Overhung by d: times 1 + 2 d/L. An armature
    presses on nothing.
    """
    mu, r = 0.3, 0.1
    brakes = lambda axis, **keys: spun(coordinates, kind, axis, **keys)
    keys = {"friction": mu, "radius": r}
    assert brakes([0, 1, 0], **keys) == pytest.approx(mu * r * M * G, abs=1e-9)
    overhung = {**keys, "length": 0.25, "position": [0, 0.2, 0]}
    assert brakes([0, 1, 0], **overhung) == pytest.approx(mu * r * M * G * 2.6, abs=1e-9)
    geared = {**overhung, "armature": 0.5 if kind == "revolute" else {"angle": 0.5}}
    assert brakes([0, 1, 0], **geared) == pytest.approx(mu * r * M * G * 2.6 / 1.5, abs=1e-9)
    if kind == "revolute":
        assert brakes([0, 0, 1], **keys) == pytest.approx(mu * r * M * G, abs=1e-9)


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_planar_bodies_press_on_pins_and_slots(coordinates):
    """A wheel on a pin, and a block that slides in a slot and turns on its pin, both by their weight."""
    mu, r = 0.3, 0.1
    text = world(gravity=[0, -G, 0])
    text += body("wheel", type="planar", mass=M, inertia=1, angular_velocity=9)
    text += joint("pin", "pin", "ground", "wheel", friction=mu, radius=r)
    text += body("block", type="planar", mass=M, inertia=1, angular_velocity=9, velocity=[5, 0])
    coefficients = {"length": 0.2, "angle": mu}
    text += joint("slot", "slot", "ground", "block", axis=[1, 0], friction=coefficients, radius=r)
    text += solver(tolerance=1e-10, end=0.5, coordinates=coordinates)
    result = mb.System.from_text(text).run(files=False)
    for name in ("pin.angle", "slot.angle"):
        speed = 9 - 0.5 * mu * r * M * G
        assert abs(result.coordinate(name).speed[-1]) == pytest.approx(speed, abs=1e-9)
    assert result.coordinate("slot.length").speed[-1] == pytest.approx(5 - 0.5 * 0.2 * G, abs=1e-9)


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"friction": 0.1}, "friction"),  # without a radius
        ({"friction": -0.1, "radius": 0.1}, "friction"),
        ({"friction": 0.1, "radius": -0.1}, "radius"),
        ({"friction": 0.1, "radius": 0}, "radius"),
        ({"friction": 0.1, "radius": 0.1, "length": 0}, "length"),
        ({"friction": 0.1, "radius": 0.1, "friction_static": 0.05}, "friction_static"),
        ({"friction": 0.1, "radius": 0.1, "friction_torque": 1.0}, "friction_torque"),
        ({"friction": {"angel": 0.1}, "radius": 0.1}, "friction.angel"),
        ({"friction": 0.1, "radius": 0.1, "type": "ball"}, "friction"),
        ({"friction": {"angle": 0.1}, "radius": 0.1, "type": "parallel"}, "friction"),
        ({"radius": 0.1}, "radius"),
        ({"length": 0.1, "friction_torque": 1.0}, "length"),
    ],
)
def test_a_mistake_is_refused_by_its_key(keys, key):
    keys = dict(keys)
    text = world() + body("wheel", mass=1, inertia=[1, 1, 1])
    text += joint("pin", keys.pop("type", "revolute"), "ground", "wheel", axis=[0, 0, 1], **keys)
    with refused(f"joint[0].{key}"):
        mb.System.from_text(text + solver(tolerance=1e-6, end=1.0)).run(files=False)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("how", [{"tolerance": 1e-9}, {"type": "galpha", "step": 5e-4}], ids=["rk", "galpha"])
def test_a_four_bar_with_friction_in_all_pins_obeys_it_in_each(how, coordinates):
    """It sticks at first, with shares by minimum norm; what slips has μ r |F| against its rate."""
    mu, r = 0.3, 0.03
    text, keys = world(gravity=[0, -G, 0]), {"friction": mu, "radius": r}
    for name, place in (("crank", [0, 0.1]), ("rod", [0.3, 0.3]), ("rocker", [0.6, 0.2])):
        text += body(name, type="planar", mass=1, inertia=0.02, position=place)
    pins = {"a": ("ground", "crank", [0, 0]), "b": ("crank", "rod", [0, 0.2])}
    pins |= {"c": ("rod", "rocker", [0.6, 0.4]), "d": ("ground", "rocker", [0.6, 0])}
    for name, (before, after, at) in pins.items():
        text += joint(name, "pin", before, after, at=at, **keys)
    text += torque("crank", z="2*sin(3*time)") + solver(**how, end=2.0, coordinates=coordinates)
    result = mb.System.from_text(text).run(files=False)
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][:, :, 5].T))
    force = np.linalg.norm(result.raw["joints/force"], axis=2)
    assert np.abs(result.coordinate("a.angle").speed[:2]).max() < 1e-12
    for k, (name, (_, after, _)) in enumerate(pins.items()):
        rate = result.coordinate(f"{name}.angle").speed
        slips = np.abs(rate) > 1e-6
        assert slips.sum() > 300
        exact = -np.sign(rate) * mu * r * force[:, k]
        np.testing.assert_allclose(loads[f"{name} friction on {after}"][slips], exact[slips], rtol=1e-9)
    assert np.abs(result.raw["energy/balance"]).max() < (1e-7 if "tolerance" in how else 1e-3)


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_a_saved_state_goes_on_to_the_same_bits(coordinates):
    """Saved while it sticks and while it slips, both ways."""
    text = world() + body("bob", mass=M, inertia=[1, J, 1], position=[0, 0, -A])
    text += joint("pin", "revolute", "ground", "bob", axis=[0, 1, 0], friction=MU, radius=R)
    text += torque("bob", y="9*sin(5*time)") + solver(tolerance=1e-9, end=9.0, coordinates=coordinates)
    one, other = (mb.System.from_text(text).simulate() for _ in range(2))
    for _ in range(12):
        one.step(0.1)
        other.load(one.save())
        for sim in (one, other):
            sim.step(0.15)
        for name in ("value", "speed"):
            assert getattr(one.coordinate("pin.angle"), name) == getattr(other.coordinate("pin.angle"), name)
        assert one.state("pin.angle.friction.impulse") == other.state("pin.angle.friction.impulse")


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_a_changed_parameter_acts_on_coefficients_and_sizes(coordinates):
    """J ω̇ = −μ r m g."""
    text = "[parameters]\nmu = 0.1\nr = 0.1\n" + world(gravity=[0, 0, -G])
    text += body("wheel", mass=M, inertia=[1, 1, 1], angular_velocity=[0, 9, 0])
    text += joint("pin", "revolute", "ground", "wheel", axis=[0, 1, 0], friction="mu", radius="r")
    text += solver(tolerance=1e-9, end=0.5, coordinates=coordinates)
    problem = mb.System.from_text(text).compile()
    for mu, r in ((0.1, 0.1), (0.3, 0.1), (0.3, 0.2)):
        problem.set_parameter("mu", mu)
        problem.set_parameter("r", r)
        speed = problem.copy().run().coordinate("pin.angle").speed[-1]
        assert speed == pytest.approx(9 - 0.5 * mu * r * M * G, abs=1e-9)


class Vee(Translational):
    """A slider in a groove whose flanks are at 45° to the load: they press on each other with √2 of it."""

    name = "foreign_vee"
    bearings = {"length": Bearing("z", lambda radius, length: (2**0.5, 0.0, 0.0, 0.0))}


class Offer:
    @staticmethod
    @hookimpl
    def mbplugin_constraint_types(register):
        register(Vee)


def test_a_kind_of_a_plugin_says_what_presses_on_its_coordinate():
    text = world() + body("block", mass=M, inertia=[1, 1, 1], velocity=[5, 0, 0])
    text += joint("rail", "foreign_vee", "ground", "block", axis=[1, 0, 0], friction=0.2)
    frame = Runs.offering(vee=Offer).frames(text + solver(tolerance=1e-9, end=0.5), [0.5])[-1]
    assert frame["coordinates/speed"][0] == pytest.approx(5 - 0.2 * 2**0.5 * G * 0.5, abs=1e-9)


def door(**keys) -> str:
    """A door on two hinges, whose shares of the axial force rigid bodies do not determine."""
    text = world() + body("door", mass=20, inertia=[7, 8, 1.4], position=[0.45, 0, 0])
    for name, z in (("low", -0.5), ("high", 0.5)):
        more = keys if name == "high" else {}
        text += joint(name, "revolute", "ground", "door", at=[0, 0, z], axis=[0, 0, 1], **more)
    return text + torque("door", z="9") + solver(tolerance=1e-8, end=0.2)


def test_friction_on_a_reaction_that_is_not_determined_is_refused():
    keys = {"friction": 0.1, "radius": 0.01}
    with refused("joint[1].friction"):
        mb.System.from_text(door(**keys)).run(files=False)
    elastic = door(**keys).replace('type = "revolute"', 'type = "revolute"\nenforce = "penalty"')
    assert mb.System.from_text(elastic).run(files=False).coordinate("high.angle").value[-1] > 0.01


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("mu", [0.1, 0.5])
def test_a_blow_that_presses_a_slider_on_its_rail_brakes_it(mu, coordinates):
    """A ball of clay falls onto it: P = m' v', and the speed falls by μ P / m."""
    ball, fall, speed = 0.5, 3.0, 2.0
    shape = {"collide": True, "inertia": [1e-2] * 3}
    text = world(gravity=[0, 0, 0])
    box = [{"type": "box", "size": [4.0, 0.2, 0.2]}]
    text += body("block", mass=M, velocity=[speed, 0, 0], shape=box, **shape)
    text += joint("rail", "translational", "ground", "block", axis=[1, 0, 0], friction=mu)
    sphere = [{"type": "sphere", "radius": 0.1}]
    text += body("clay", mass=ball, position=[0, 0, 0.5], velocity=[0, 0, -fall], shape=sphere, **shape)
    text += solver(type="contact", step=1e-3, end=0.5, coordinates=coordinates) + table("output", frames=50)
    result = mb.System.from_text(text).run(files=False)
    assert result["block"].velocity[-1, 0] == pytest.approx(speed - mu * ball * fall / M, abs=1e-9)
    assert result.state("rail.length.friction.impulse")[-1] == pytest.approx(-mu * ball * fall, rel=1e-9)


@pytest.mark.parametrize("how", ["contact", "contact, joint"])
def test_steps_with_it_are_solved_to_its_law(how):
    """Each force of friction of a pendulum that slips is μ r times the force in its pin."""
    result = pendulum(how, 1.0)
    loads = dict(zip(result.raw.names("loads"), np.moveaxis(result.raw["loads/wrench"], 1, 0)))
    force = np.linalg.norm(loads["pin on bob"][:, :3], axis=1)
    slips = np.abs(result.coordinate("pin.angle").speed) > 0.1
    friction = np.abs(loads["pin friction on bob"][:, 4])
    np.testing.assert_allclose(friction[slips], MU * R * force[slips], rtol=1e-7)
    assert "every step reached its residual" in str(result.messages)


JUMPS = HOW | {"momentum": (HOW["rk, joint"][0] | {"form": "momentum"}, HOW["rk"][1])}


@pytest.mark.parametrize(
    ("how", "mu", "slope"), each_how([(0.0, 0.5), (0.7, 0.5), (0.4, 0.0)], (0.3, 0.5), JUMPS)
)
def test_a_rail_whose_speed_jumps_drags_a_block_by_mu_of_the_impulse_that_presses(how, mu, slope):
    """The rail rises with w from one moment on. Across it the block gets w cos α, by the impulse
    P = m w cos α, and along it μ P, unless w sin α is less: then it sticks.
    """
    w, (sine, cosine) = 1.5, (np.sin(slope), np.cos(slope))
    text = world(gravity=[0, 0, 0])
    for name, mass in (("rail", 3.0), ("block", M)):
        text += body(name, mass=mass, inertia=[1, 1, 1])
    text += joint("lift", "translational", "ground", "rail", axis=[0, 0, 1])
    text += motion("lift", length_velocity=f"{w}*step(time - 0.2)")
    text += joint("slot", "translational", "rail", "block", axis=[cosine, 0, sine], friction=mu)
    text += solver(**JUMPS[how][0], end=0.4) + table("output", frames=40)
    result = mb.System.from_text(text).run(files=False)
    pressed = M * w * cosine
    along = min(w * sine, mu * pressed / M)
    velocity = along * np.array([cosine, 0, sine]) + w * cosine * np.array([-sine, 0, cosine])
    np.testing.assert_allclose(result["block"].velocity[-1], velocity, atol=1e-9)
    assert abs(result.energy.balance[-1]) < 1e-9
    slip = along - w * sine
    state = result.state
    assert abs(state("slot.length.friction.impulse")[-1]) == pytest.approx(M * along * (mu > 0), abs=1e-9)
    # of the slip before, 0, and after it takes the mean
    taken = -M * along * 0.5 * slip
    assert state("slot.length.friction.energy")[-1] == pytest.approx(taken, abs=1e-9)


@pytest.mark.parametrize(("how", "mu"), each_how([0.8], 0.1, JUMPS))
def test_a_weight_that_lands_on_a_carriage_brakes_it_by_its_friction(how, mu):
    """It lands on the limit of its own slide with v: P = m' v, and the speed falls by μ P / (m + m')."""
    weight, v, speed = 0.5, 3.0, 0.5
    text = world(gravity=[0, 0, 0])
    text += body("carriage", mass=M, inertia=[1, 1, 1])
    text += body("weight", mass=weight, inertia=[1, 1, 1])
    text += joint(
        "rail", "translational", "ground", "carriage", axis=[1, 0, 0], friction=mu, start={"speed": speed}
    )
    keys = {"start": {"length": 0.3, "speed": -v}, "limits": [0, 1]}
    text += joint("slide", "translational", "carriage", "weight", axis=[0, 0, 1], **keys)
    text += solver(**JUMPS[how][0], end=0.4) + table("output", frames=40)
    result = mb.System.from_text(text).run(files=False)
    left = max(0.0, speed - mu * weight * v / (M + weight))
    np.testing.assert_allclose(result["carriage"].velocity[-1], [left, 0, 0], atol=1e-9)
    assert abs(result.energy.balance[-1]) < 1e-9
