"""The solver `contact` in joint coordinates: laws of mechanics, and the same runs in maximal coordinates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_trees
import runs_in_both
from runs_in_both import in_both
from scene_text import body, changed, hinge, joint, motion, solver, table, world

import mbplugin as mb

FRAMES = "[output]\nframes = 5\n"
#: what a step has as means of its own
FIRST_ORDER = (
    "bodies/acceleration",
    "bodies/angular_acceleration",
    "coordinates/drive",
    "joints/force",
    "joints/torque",
    "loads/wrench",
)
#: differences that are rounding, and the part of them that is left in halved steps
ROUNDING, HALF = 1e-9, 0.8


def step_of(h: float, **keys: Any) -> dict[str, Any]:
    return {"type": "contact", "step": h, "tolerance": None, **keys}


# without contacts: the order of the method


def cases(draw: Any, few: int, many: int) -> list[Any]:
    return [
        pytest.param(draw, seed, id=f"{draw.__name__}-{seed}", marks=() if seed < few else pytest.mark.slow)
        for seed in range(many)
    ]


@pytest.mark.parametrize(
    ("draw", "seed"),
    [
        *cases(random_trees.random_tree, 2, 40),
        *cases(random_trees.random_mechanism, 1, 40),
        *cases(random_trees.random_vehicle, 1, 20),
    ],
)
def test_generated_systems_move_as_in_maximal_coordinates(draw, seed):
    """Of what both find to the order of the method, the difference falls with the step as that does."""
    found = []
    for h in (2e-3, 1e-3):
        text = draw(seed).text(**step_of(h, end=0.1)) + FRAMES
        found.append(runs_in_both.differences(*in_both(text)))
    for key, fine in found[1].items():
        assert fine < max(ROUNDING, HALF * found[0][key]), f"{key}: {found}\n{text}"
        assert fine < (1e-3 if key in FIRST_ORDER else 1e-4), f"{key}: {found}\n{text}"


# a rod on a hinge that strikes the floor


LENGTH, MASS, TURN, RESTITUTION = 0.8, 1.5, 0.3, 0.5


def rod(coordinates: str, h: float = 1e-4) -> mb.Result:
    """A rod on a hinge at a height that lets its tip touch the floor as it is level; it starts above."""
    start = 0.02
    R = {"axis": [0, -1, 0], "angle": start}
    text = (
        world(gravity=[0, 0, 0], material="ice", collide=True, shape=[{"type": "plane"}])
        + table("material", name="ice", restitution=RESTITUTION, friction=0.0)
        + body(
            "rod",
            mass=MASS,
            inertia=[1e-3, MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12],
            position=[LENGTH / 2 * np.cos(start), 0, 0.05 + LENGTH / 2 * np.sin(start)],
            orientation=R,
            angular_velocity=[0, 1.0, 0],
            velocity=[LENGTH / 2 * np.sin(start), 0, -LENGTH / 2 * np.cos(start)],
            material="ice",
            collide=True,
            shape=[{"type": "sphere", "radius": 0.05, "position": [LENGTH / 2, 0, 0]}],
        )
        + hinge("pin", "ground", "rod", at=(0, 0, 0.05), axis=(0, 1, 0))
        + solver(type="contact", step=h, end=0.04, coordinates=coordinates)
        + "[output]\nframes = 400\n"
    )
    return mb.System.from_text(text).run(files=False)


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_a_rod_that_strikes_the_floor_rebounds_and_loads_its_hinge(coordinates):
    """ω₁ = −e ω₀; the impulse at the tip is P = (1 + e) J ω₀ / l, and the hinge has m Δv − P, which is not 0
    as the tip is beyond the centre of percussion, at ⅔ l.
    """
    result = rod(coordinates)
    speed = result.coordinate("pin.angle").speed
    before, after = abs(speed[0]), abs(speed[-1])
    assert before == pytest.approx(1.0, abs=1e-6)
    assert after == pytest.approx(RESTITUTION, abs=1e-3)
    J = MASS * LENGTH**2 / 3
    P = (1 + RESTITUTION) * J / LENGTH
    assert result.impacts.impulse[0] == pytest.approx([0, 0, P], abs=2e-3 * P) or np.abs(
        result.impacts.impulse[0]
    ).max() == pytest.approx(P, rel=2e-3)
    change = MASS * LENGTH / 2 * (1 + RESTITUTION)
    force = np.asarray(result.joint("pin").force)
    k = int(np.argmax(np.abs(force[:, 2])))
    assert abs(force[k, 2]) * 1e-4 == pytest.approx(abs(change - P), rel=5e-3)


# links that touch each other, and bodies


def cart(coordinates: str, h: float) -> mb.Result:
    """Two balls on rods below a cart that moves freely along x; they strike each other."""
    text = (
        world(gravity=[0, 0, 0])
        + table("material", name="steel", restitution=0.8, friction=0.0)
        + body("cart", mass=2.0, inertia=[1, 1, 1])
        + joint("rail", "translational", "ground", "cart", at=[0, 0, 0], axis=[1, 0, 0])
    )
    for name, x, w in (("left", -0.1, 0.0), ("right", 0.1, 1.5)):
        text += body(
            name,
            mass=1.0,
            inertia=[0.004, 0.004, 0.004],
            position=[x, 0, -0.5],
            velocity=[-0.5 * w, 0, 0],
            angular_velocity=[0, w, 0],
            material="steel",
            collide=True,
            shape=[{"type": "sphere", "radius": 0.05}],
        ) + hinge(f"of_{name}", "cart", name, at=(x, 0, 0), axis=(0, 1, 0))
    text += solver(type="contact", step=h, end=0.5, coordinates=coordinates) + "[output]\nframes = 50\n"
    return mb.System.from_text(text).run(files=False)


def test_links_of_one_tree_strike_each_other_and_keep_its_momentum():
    """m v + Σ m v of cart and balls along the rail, which no impulse between them changes, to the order of
    the method; the impact is that of maximal coordinates.
    """
    masses, errors = np.array([2.0, 1.0, 1.0]), []
    for h in (2e-3, 1e-3):
        result = cart("joint", h)
        p = np.asarray(result.raw["bodies/center_of_mass_velocity"][:])[:, :, 0] @ masses
        errors.append(np.abs(p - p[0]).max())
    assert errors[1] < max(0.3 * errors[0], 1e-12) and errors[1] < 1e-5
    other = cart("maximal", 1e-3)
    assert len(result.impacts.time) == len(other.impacts.time) == 1
    assert set(zip(result.impacts.body_a, result.impacts.body_b)) == {("left", "right")}
    assert np.linalg.norm(result.impacts.impulse[0]) == pytest.approx(
        np.linalg.norm(other.impacts.impulse[0]), rel=1e-3
    )


def gripper(coordinates: str, h: float = 1e-3, friction: float = 0.6) -> str:
    """Two fingers on slides press a box with 20 N each, which they hold by friction against its weight."""
    text = (
        world(gravity=[0, 0, -9.81])
        + table("material", name="rubber", friction=friction)
        + body("palm", mass=1.0, inertia=[0.01, 0.01, 0.01], position=[0, 0, 0.2])
        + joint("lift", "translational", "ground", "palm", at=[0, 0, 0.2], axis=[0, 0, 1])
        + motion("lift", length="0.05*time**2")
        + body(
            "box",
            mass=0.8,
            inertia=[1e-3, 1e-3, 1e-3],
            material="rubber",
            collide=True,
            shape=[{"type": "box", "size": [0.1, 0.1, 0.1]}],
        )
    )
    for name, side in (("left", -1.0), ("right", 1.0)):
        text += body(
            name,
            mass=0.2,
            inertia=[1e-3, 1e-3, 1e-3],
            position=[side * 0.07, 0, 0],
            material="rubber",
            collide=True,
            shape=[{"type": "box", "size": [0.04, 0.08, 0.08]}],
        )
        text += joint(f"slide_{name}", "translational", "palm", name, at=[side * 0.07, 0, 0], axis=[1, 0, 0])
        text += table("force", name=f"grip_{name}", type="force", body=name, force_x=-20.0 * side)
    return text + solver(type="contact", step=h, end=0.5, coordinates=coordinates) + FRAMES


def test_a_gripper_on_an_arm_holds_a_box_and_its_slides_have_the_loads():
    """The box follows the palm; each slide carries m (g + a) / 2 of the box, and the weight of its finger."""
    result = mb.System.from_text(gripper("joint")).run(files=False)
    t = np.asarray(result.time)
    assert np.asarray(result["box"].position)[:, 2] == pytest.approx(0.05 * t**2, abs=2e-6)
    up = 0.5 * 0.8 * (9.81 + 0.1) + 0.2 * (9.81 + 0.1)
    for name in ("left", "right"):
        assert abs(result.joint(f"slide_{name}").force[-1, 2]) == pytest.approx(up, rel=1e-4)
    assert abs(result.joint("lift").force[-1, 2]) == pytest.approx(0.0, abs=1e-6)
    assert result.coordinate("lift.length").drive[-1] == pytest.approx(2.2 * 9.91, rel=1e-4)


@pytest.mark.slow
def test_a_gripper_holds_its_box_for_long():
    """100 s up and down, after a jerk in which the box slips: it does not creep by 1 µm."""
    text = changed(gripper("joint"), "0.05*time**2", "0.1*sin(time)")
    result = mb.System.from_text(changed(text, "end = 0.5", "end = 100.0")).run(files=False)
    z = [np.asarray(result[name].position)[1:, 2] for name in ("box", "palm")]
    assert np.ptp(z[0] - z[1]) < 1e-6 and abs(z[0][0] - z[1][0] + 0.2) < 1e-3
    assert np.abs(result.energy.balance).max() < 1e-4 * np.ptp(result.energy.kinetic)


# blows between smooth motion


def test_the_balance_of_energies_closes_over_blows():
    """A double pendulum that strikes the floor and its own stops: what is missing falls with h², since forces
    that are quadratic in the velocities act with those before a jump and after it.
    """
    missing = []
    for h in (1e-3, 5e-4):
        text = (
            world(gravity=[0, 0, -9.81], collide=True, shape=[{"type": "plane"}], material="wood")
            + table("material", name="wood", restitution=0.6, friction=0.3)
            + body("upper", mass=1.0, inertia=[0.02, 0.02, 0.005], position=[0.3, 0, 0.5])
            + body(
                "lower",
                mass=1.0,
                inertia=[0.02, 0.02, 0.005],
                position=[0.9, 0, 0.5],
                angular_velocity=[0, -6.0, 0],
                velocity=[0, 0, 1.8],
                material="wood",
                collide=True,
                shape=[{"type": "sphere", "radius": 0.05, "position": [0.3, 0, 0]}],
            )
            + hinge("shoulder", "ground", "upper", at=(0, 0, 0.5), axis=(0, 1, 0))
            + hinge(
                "elbow",
                "upper",
                "lower",
                at=(0.6, 0, 0.5),
                axis=(0, 1, 0),
                limits=[-2.0, 1.2],
                restitution=0.7,
            )
            + solver(type="contact", step=h, end=0.6, coordinates="joint")
            + "[output]\nframes = 100\n"
        )
        result = mb.System.from_text(text).run(files=False)
        assert len(result.impacts.time) > 0 and any("limit" in event.element for event in result.events)
        missing.append(np.abs(result.energy.balance).max() / np.ptp(result.energy.kinetic))
    assert missing[0] < 3e-5 and missing[1] < 0.6 * missing[0], missing


# what is not unique


def test_an_impulse_that_moves_nothing_stays_small():
    """A block on a steep slide strikes the floor, where friction would hold it for ever: it cannot rebound,
    and its impulse is not the one that grows without limit.
    """
    c, s = np.cos(1.2), np.sin(1.2)
    text = (
        world(gravity=[0, 0, -9.81], collide=True, shape=[{"type": "plane"}], material="rough")
        + table("material", name="rough", restitution=0.8, friction=1.1)
        + body(
            "block",
            mass=1.0,
            inertia=[0.01, 0.01, 0.01],
            position=[0, 0, 0.06],
            velocity=[s, 0, -c],
            material="rough",
            collide=True,
            shape=[{"type": "sphere", "radius": 0.05}],
        )
        + joint("slide", "translational", "ground", "block", at=[0, 0, 0.06], axis=[s, 0, -c])
        + solver(type="contact", step=1e-3, end=0.1, coordinates="joint")
        + "[output]\nframes = 20\n"
    )
    result = mb.System.from_text(text).run(files=False)
    assert result.coordinate("slide.length").speed[-1] == pytest.approx(0.0, abs=1e-6)
    assert 0 < np.linalg.norm(result.impacts.impulse, axis=1).max() < 100.0
    assert np.abs(result.energy.balance).max() < 1e-3


# around a run


def test_a_run_that_is_resumed_has_the_same_bits(tmp_path: Path):
    text = gripper("joint", friction=0.15)
    whole = mb.System.from_text(text).simulate()
    whole.step(0.2)
    saved = whole.save()
    whole.step(0.1)
    other = mb.System.from_text(text).simulate()
    other.load(saved)
    other.step(0.1)
    for name in ("box", "left", "palm"):
        for of in ("position", "velocity", "acceleration"):
            assert np.array_equal(getattr(whole[name], of), getattr(other[name], of))
    assert np.array_equal(whole.joint("slide_left").force, other.joint("slide_left").force)


def test_trees_of_many_velocities_keep_those_of_their_bodies():
    chain, before = world(gravity=[0, 0, -9.81]), "ground"
    for k in range(62):
        chain += body(f"b{k}", mass=1, inertia=[1, 1, 1], position=[k, 0, 0])
        chain += hinge(f"j{k}", before, f"b{k}", at=(k - 0.5, 0, 0), axis=(0, 1, 0))
        before = f"b{k}"
    text = chain + solver(type="contact", step=1e-3, end=2e-3, coordinates="joint") + FRAMES
    maximal, joint_ = in_both(text)
    assert np.array_equal(
        *(np.asarray(result.raw["bodies/center_of_mass"][:]) for result in (maximal, joint_))
    )
    system = mb.System.from_text(text)
    report = system.simulate()._prepared.trees()
    assert "its tree has 62 velocities" in str(report.reasons)


def test_impulses_on_a_gripper_are_those_of_maximal_coordinates():
    """Slides, springs, a motion and four contacts with friction; the sums are m Δv of each body."""
    found = []
    for coordinates in ("maximal", "joint"):
        system = mb.System.from_text(gripper(coordinates))
        simulation = system.simulate()
        simulation.run(0.1)
        before = simulation["left"].velocity.copy()
        simulation.run(0.1 + system.solver.raw["step"])
        found.append(simulation.impulses())
        gained = system.body("left").mass_properties().mass * (simulation["left"].velocity - before)
        assert found[-1].on("left")[0] == pytest.approx(gained, abs=1e-14)
    maximal, joint_ = found
    assert {*zip(maximal.element, maximal.body)} == {*zip(joint_.element, joint_.body)}
    for element, name in zip(maximal.element, maximal.body):
        one, other = (
            np.sum(
                [i for e, b, i in zip(each.element, each.body, each.impulse) if (e, b) == (element, name)],
                axis=0,
            )
            for each in found
        )
        assert one == pytest.approx(other, abs=1e-6), (element, name)
