"""Friction by a coefficient and expressions read the reactions of joints that carry bodies: closed forms, and
the same runs in maximal coordinates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import random_trees
from headless import Runs
from mbplugin_joints import Revolute
from runs_in_both import differences, in_both, same_events
from scene_text import body, force, joint, motion, solver, table, torque, world
from test_contact_in_joint_coordinates import FIRST_ORDER, HALF, step_of
from test_implicit_steps import EVENT, TOLERANCE, implicit
from test_runs_in_joint_coordinates import ENDS, cases

import mbplugin as mb
from mbplugin.errors import PhysicsError, SceneError
from mbplugin.interface import Bearing, hookimpl

FRAMES = "[output]\nframes = 10\n"
G = 9.81
HOW = {
    "rk": {"tolerance": 1e-11},
    "galpha": {"type": "galpha", "tolerance": 1e-9},
    "contact": {"type": "contact", "step": 1e-3},
}
BOTH = pytest.mark.parametrize("coordinates", ["maximal", "joint"])
#: what a generated scene may end with: shares of reactions that press, loads that nothing solves, errors of
#: implicit steps from rest in maximal coordinates
REFUSED = ("do not determine", "solves the equations", "rounding noise", *ENDS)


def runs_in_both(text: str, **keys: Any) -> tuple[mb.Result, mb.Result]:
    try:
        return in_both(text, **keys)
    except (PhysicsError, SceneError) as error:
        assert any(reason in str(error) for reason in REFUSED), text
        pytest.skip(str(error))


#: momenta beside as many rows as other states: frames must not write them over these
BESIDE = [(random_trees.random_reader, 67)]


@pytest.mark.parametrize(("draw", "seed"), [*cases({random_trees.random_reader: (9, 67)}), *BESIDE])
def test_generated_systems_move_as_in_maximal_coordinates(draw, seed):
    """Sticking and slipping, loops, planar bodies, armatures; loads by components in any axes. Every fourth
    one with momenta as states.
    """
    text = draw(seed).text(tolerance=1e-11, end=0.3) + FRAMES
    maximal, in_joints = runs_in_both(text, form=("acceleration", "momentum")[seed % 4 == 3])
    same_events(maximal, in_joints, 1e-8)
    found = differences(maximal, in_joints)
    assert max(found.values()) < 1e-8, f"{found}\n{text}"
    for result in (maximal, in_joints):
        assert np.abs(result.energy.balance).max() < 1e-9 * (1.0 + np.abs(result.energy.kinetic).max()), text


@pytest.mark.parametrize(("draw", "seed"), cases({random_trees.random_reader: (1, 40)}))
def test_so_they_do_in_implicit_steps(draw, seed):
    text = implicit(draw(seed).text(end=0.2) + FRAMES)
    maximal, in_joints = runs_in_both(text)
    same_events(maximal, in_joints, EVENT)
    found = differences(maximal, in_joints)
    assert max(found.values()) < 10.0 * TOLERANCE, f"{found}\n{text}"


@pytest.mark.parametrize(("draw", "seed"), cases({random_trees.random_reader: (1, 40)}))
def test_so_they_do_in_steps_with_impulses_to_their_order(draw, seed):
    """What friction does in a step begins with the first power of its length."""
    found = []
    for h in (1e-3, 2.5e-4):
        text = draw(seed).text(**step_of(h, end=0.1)) + FRAMES
        found.append(differences(*runs_in_both(text)))
    for key, fine in found[1].items():
        assert fine < max(1e-8, HALF * found[0][key]), f"{key}: {found}\n{text}"
        assert fine < (1e-3 if key in FIRST_ORDER else 1e-4), f"{key}: {found}\n{text}"


# closed forms


@BOTH
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("upwards", [True, False])
def test_a_thrust_follows_the_force_of_a_weld(how, coordinates, upwards):
    """A carriage on an upright rail bears m, and is pushed by F + c R, with R = m (a + g) in the weld:
    (M + m) (a + g) = F + c R.
    """
    M, m, F, c = 3.0, 2.0, 80.0, 0.6
    ends, sign = (("carriage", "load"), "") if upwards else (("load", "carriage"), "-")
    text = world(gravity=[0, 0, -G])
    text += body("carriage", mass=M, inertia=[1, 1, 1]) + body(
        "load", mass=m, inertia=[1, 1, 1], position=[1, 0, 0]
    )
    text += joint("rail", "translational", "ground", "carriage", axis=[0, 0, 1])
    text += joint("weld", "fixed", *ends, at=[0.5, 0, 0])
    text += force("carriage", z=f"{F} + {c}*{sign}reaction(weld.fz, ground)")
    text += solver(**HOW[how], end=0.5, coordinates=coordinates) + FRAMES
    result = mb.System.from_text(text).run(files=False)
    a = F / (M + m - c * m) - G
    np.testing.assert_allclose(result["load"].position[:, 2], 0.5 * a * result.time**2, atol=1e-9)


@BOTH
@pytest.mark.parametrize("how", HOW)
def test_a_bob_that_is_whirled_leaves_at_the_force_in_the_hub(how, coordinates):
    """ω = α t about an upright axis: |F| = S ((α t)⁴ + α²)^½ in the hub with S = Σ m r, and from then on it
    flies straight, at α t L.
    """
    arm, bob, L, alpha, most = 2.0, 0.5, 1.0, 3.0, 18.0
    text = world(gravity=[0, 0, 0])
    text += body("arm", mass=arm, inertia=[0.1, 0.2, 0.2], position=[L / 2, 0, 0])
    text += body("bob", mass=bob, inertia=[0.01, 0.01, 0.01], position=[L, 0, 0])
    text += joint("hub", "revolute", "ground", "arm", axis=[0, 0, 1], armature=0.7)
    text += motion("hub", angle_velocity=f"{alpha}*time")
    text += joint("grip", "fixed", "arm", "bob", release=f"reaction(hub.force) > {most}")
    text += solver(**HOW[how], end=1.2, coordinates=coordinates) + FRAMES
    result = mb.System.from_text(text).run(files=False)
    S = arm * L / 2 + bob * L
    leaves = ((most / S) ** 2 - alpha**2) ** 0.25 / alpha
    (event,) = result.events.of("grip")
    # under `contact` a reaction is the mean of a step, at whose end it is looked at
    late = {"rk": 1e-8, "galpha": 1e-5, "contact": 2.1e-3}[how]
    assert event.time == pytest.approx(leaves, abs=late)
    speed = np.linalg.norm(result["bob"].velocity[-1])
    assert speed == pytest.approx(alpha * leaves * L, abs=10.0 * late)


@BOTH
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("rotor", ["angle", "length"])
def test_a_rotor_is_no_part_of_the_thrust_of_a_screw(how, coordinates, rotor):
    """Of a rotor on either coordinate, with ℓ the length of a radian: fz = m (z̈ + g) + a z̈ where a is on z,
    z̈ = ℓ θ̈, (I + m ℓ² + a (1 or ℓ²)) θ̈ = τ − m g ℓ.
    """
    m, moment, a, ell, drive = 2.0, 2.0, 3.0, 0.5 / (2 * np.pi), 4.0
    text = world(gravity=[0, 0, -G])
    text += body("nut", mass=m, inertia=[1, 1.5, moment])
    text += body("other", mass=1, inertia=[1, 1, 1], position=[0, 5, 0])
    text += joint("screw", "screw", "ground", "nut", axis=[0, 0, 1], pitch=0.5, armature={rotor: a})
    text += joint("held", "ball", "ground", "other", at=[0, 5, 0])
    rise = ell * (drive - m * G * ell) / (moment + m * ell**2 + a * (1.0 if rotor == "angle" else ell**2))
    thrust = m * (rise + G) + (a * rise if rotor == "length" else 0.0)
    text += torque("other", x=f"10*(reaction(screw.fz, ground) - {thrust!r})")
    text += torque("nut", z=drive) + solver(**HOW[how], end=0.4, coordinates=coordinates)
    result = mb.System.from_text(text + FRAMES).run(files=False)
    assert np.abs(result["other"].angular_velocity[:, 0]).max() < 1e-9


@BOTH
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("kind", ["revolute", "translational", "cylindrical"])
def test_armatures_are_no_part_of_a_reaction(how, coordinates, kind):
    """No joint bears along its own coordinates: what is pushed by that stays at rest."""
    turns = kind != "translational"
    coordinate = {"revolute": "angle", "translational": "length", "cylindrical": "angle"}[kind]
    text = world(gravity=[1, 2, -G])
    text += body("wheel", mass=2, inertia=[1, 1.5, 2], position=[0.4, 0.2, 0])
    text += body("other", mass=1, inertia=[1, 1, 1], position=[0, 5, 0])
    text += joint("pin", kind, "ground", "wheel", axis=[0, 0, 1], armature={coordinate: 3.0})
    text += joint("held", "ball", "ground", "other", at=[0, 5, 0])
    text += torque("other", x=f"10*reaction(pin.{'t' if turns else 'f'}z, ground)")
    text += torque("wheel", z="4", x="0.3") + solver(**HOW[how], end=0.4, coordinates=coordinates)
    result = mb.System.from_text(text + FRAMES).run(files=False)
    assert np.abs(result.coordinate(f"pin.{coordinate}").speed[-1]) > 0.2
    assert np.abs(result["other"].angular_velocity[:, 0]).max() < 1e-9


@BOTH
def test_a_condition_reads_the_load_of_a_joint_with_contacts(coordinates):
    """A ball falls on a plate on an arm: what hangs there is let go at the blow."""
    text = world(gravity=[0, 0, -G])
    plate = [{"type": "box", "size": [1, 1, 0.1]}]
    text += body("plate", mass=1, inertia=[1, 1, 1], shape=plate, collide=True)
    text += body("weight", mass=0.2, inertia=[0.1, 0.1, 0.1], position=[0, 0, -1])
    text += joint("arm", "fixed", "plate", "ground", at=[2, 0, 0])
    text += joint("hook", "fixed", "plate", "weight", release=f"reaction(arm.force) > {1.5 * 1.2 * G}")
    ball = [{"type": "sphere", "radius": 0.1}]
    place = {"position": [0, 0, 0.65], "shape": ball, "collide": True}
    text += body("ball", mass=1, inertia=[0.01, 0.01, 0.01], **place)
    text += solver(type="contact", step=1e-3, end=0.5, coordinates=coordinates) + FRAMES
    result = mb.System.from_text(text).run(files=False)
    (event,) = result.events.of("hook")
    assert event.time == pytest.approx(np.sqrt(2 * 0.5 / G), abs=2e-3)


# impacts in turn, redundant rows


@pytest.mark.parametrize("impact", ["newton", "sequential"])
def test_blows_in_turn_press_on_a_rail_as_in_maximal_coordinates(impact):
    """Two balls in a column fall on a slider: each phase presses with impulses of its own."""
    text = world(gravity=[0, 0, 0]) + table("material", name="steel", restitution=0.6, friction=0.0)
    keys = {"collide": True, "inertia": [1e-2] * 3, "material": "steel"}
    box = [{"type": "box", "size": [4.0, 0.2, 0.2]}]
    text += body("block", mass=2, velocity=[2, 0, 0], shape=box, **keys)
    text += joint("rail", "translational", "ground", "block", axis=[1, 0, 0], friction=0.2)
    sphere = [{"type": "sphere", "radius": 0.1}]
    for name, mass, height, speed in (("low", 0.5, 0.5, 2.0), ("high", 1.0, 0.7001, 2.0)):
        text += body(name, mass=mass, position=[0, 0, height], velocity=[0, 0, -speed], shape=sphere, **keys)
    text += solver(type="contact", step=1e-3, end=0.5, impact=impact) + table("output", frames=50)
    maximal, in_joints = in_both(text)
    lost = maximal.state("rail.length.friction.impulse")[-1]
    assert lost < -0.5
    assert in_joints.state("rail.length.friction.impulse")[-1] == pytest.approx(lost, rel=1e-9)
    np.testing.assert_allclose(in_joints["high"].velocity, maximal["high"].velocity, atol=1e-9)
    # all that presses is what balls give
    given = 0.5 * (maximal["low"].velocity[-1, 2] + 2.0) + maximal["high"].velocity[-1, 2] + 2.0
    assert lost == pytest.approx(-0.2 * given, rel=1e-9)


class Pin(Revolute):
    """A pin without a collar: only what is across its axis presses."""

    name = "foreign_pin"
    bearings = {"angle": Bearing("z", lambda radius, length: (radius, 0.0, 0.0, 0.0), needs=("radius",))}


class Offer:
    @staticmethod
    @hookimpl
    def mbplugin_constraint_types(register):
        register(Pin)


@pytest.mark.parametrize("how", ["rk", "galpha"])
def test_friction_in_a_loop_with_redundant_rows(how):
    """A four-bar of hinges in space has three of them, none of which presses: what slips has μ r |F⊥|."""
    mu, r = 0.3, 0.03
    text, keys = world(gravity=[0, 0, -G]), {"friction": mu, "radius": r, "axis": [0, 1, 0]}
    for name, x, z in (("crank", 0.0, 0.1), ("rod", 0.3, 0.3), ("rocker", 0.6, 0.2)):
        text += body(name, mass=1, inertia=[0.02, 0.02, 0.02], position=[x, 0, z])
    pins = {"a": ("ground", "crank", [0, 0, 0]), "b": ("rod", "crank", [0, 0, 0.2])}
    pins |= {"c": ("rod", "rocker", [0.6, 0, 0.4]), "d": ("rocker", "ground", [0.6, 0, 0])}
    for name, (before, after, at) in pins.items():
        text += joint(name, "foreign_pin", before, after, at=at, **keys)
    text += torque("crank", y="3 + 2*sin(9*time)")
    runs, times, found = Runs.offering(pin=Offer), [0.1, 0.3, 0.5], []
    for coordinates in ("maximal", "joint"):
        found.append(runs.frames(text + solver(**HOW[how], end=0.5, coordinates=coordinates), times))
    for a, b in zip(*found):
        for key in ("coordinates/value", "coordinates/speed", "states/value"):
            np.testing.assert_allclose(b[key], a[key], atol=1e-8 if how == "rk" else 1e-6, err_msg=key)
        across = np.linalg.norm(b["joints/force"][:, [0, 2]], axis=1)
        np.testing.assert_allclose(
            across, np.linalg.norm(a["joints/force"][:, [0, 2]], axis=1), rtol=1e-6 if how == "rk" else 1e-4
        )
    assert np.abs(found[0][-1]["coordinates/speed"]).max() > 0.5
