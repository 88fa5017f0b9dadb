"""Orders of the solver `contact` within one phase: the same contacts, and the same of them stick, throughout.

Steps are halved three times; the fitted order is that of the differences between neighbouring runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scene_text

import mbplugin as mb
from mbplugin.interface import OPEN, SLIP, STICK

#: fitted orders are within this of the stated one
NEAR = 0.1
#: the longest step [s], and how often it is halved; the first step of a ball on a ball, which knows no other,
#: leaves a gap that stays open, up to 1e-7 of the size
STEP, HALVED = 1e-3, 3
LONGER = {"ball rolls on a ball": 4e-3}


def floor(friction: float, angle: float = 0.0) -> str:
    gravity = [9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle)]
    shape = [{"type": "plane", "size": [5, 5]}]
    anchor = [{"name": "anchor", "position": [0.35, 0.1, 0.4]}]
    world = scene_text.world(gravity=gravity, collide=True, material="stone", shape=shape, marker=anchor)
    return world + scene_text.table("material", name="stone", friction=friction)


def solid(name: str, shape: dict[str, Any], position: Any, **keys: Any) -> str:
    keys = {"density": 1000.0, "collide": True, "material": "stone"} | keys
    return scene_text.body(name, position=position, shape=[shape], **keys)


def ball(radius: float, **keys: Any) -> str:
    return solid("ball", {"type": "sphere", "radius": radius}, [0.0, 0.0, radius], **keys)


def spring(body: str) -> str:
    return scene_text.spring("ground.anchor", body, stiffness=8.0, length=0.1, name="spring")


def pendulum() -> str:
    """Two links, which fly."""
    capsule = {"type": "capsule", "radius": 0.03, "length": 0.2}
    links = [solid(f"link{k}", capsule, [0.15 + 0.3 * k, 0.02 * k, 0.8]) for k in range(2)]
    hinge = scene_text.hinge("hinge", "ground", "link0", at=[0, 0, 0.8], axis=[0, 1, 0])
    joint = scene_text.joint("ball", "ball", "link0", "link1", at=[0.3, 0.01, 0.8])
    return floor(0.5) + "".join(links) + hinge + joint


def free_body() -> str:
    """A box that tumbles without a contact."""
    spin = {"velocity": [0.3, 0.1, 0.5], "angular_velocity": [3.0, -2.0, 4.0]}
    return floor(0.5) + solid("box", {"type": "box", "size": [0.1, 0.14, 0.2]}, [0, 0, 0.6], **spin)


def block_slides() -> str:
    """On a spring, whose force changes the load."""
    box = {"type": "box", "size": [0.16, 0.16, 0.06]}
    return floor(0.2) + solid("block", box, [0.0, 0.1, 0.03], velocity=[1.5, 0.0, 0.0]) + spring("block")


def ball_slides() -> str:
    """The direction of its slip is constant, that of its spin changes."""
    return floor(0.15) + ball(0.06, velocity=[1.5, 0.4, 0.0], angular_velocity=[5.0, -20.0, 3.0])


def ball_slides_round() -> str:
    """On a spring beside its way: the direction of the slip changes."""
    return (
        floor(0.15) + ball(0.06, velocity=[1.5, 0.0, 0.0], angular_velocity=[25.0, 0.0, 0.0]) + spring("ball")
    )


def ball_rolls() -> str:
    """On the same spring, rolling from the start."""
    return (
        floor(0.9) + ball(0.06, velocity=[0.6, 0.3, 0.0], angular_velocity=[-5.0, 10.0, 2.0]) + spring("ball")
    )


def ball_rolls_on_a_ball() -> str:
    """Down a fixed one, from where it is at rest."""
    under = [{"type": "sphere", "radius": 0.3}]
    x = 0.36 * np.array([np.sin(0.3), 0.0, np.cos(0.3)])
    world = scene_text.world(collide=True, material="stone", shape=under)
    material = scene_text.table("material", name="stone", friction=0.9)
    return world + material + solid("ball", {"type": "sphere", "radius": 0.06}, list(x))


def turning_table(friction: float, motion: str, bodies: str) -> str:
    """A table on a vertical axis, on which bodies lie."""
    world = scene_text.world() + scene_text.table("material", name="stone", friction=friction)
    top = {"type": "box", "size": [2.0, 2.0, 0.1]}
    table = solid("table", top, [0, 0, -0.05], angular_velocity=[0, 0, 2.0], density=20.0)
    drive = scene_text.motion("axle", angle=motion) if motion else ""
    return world + table + scene_text.hinge("axle", "ground", "table") + drive + bodies


#: speed and spin of what rests on a table that turns at 2 rad/s, 0.4 m from its axis
CARRIED = {"velocity": [0.0, 0.8, 0.0], "angular_velocity": [0.0, 0.0, 2.0]}


def block_on_a_driven_table() -> str:
    block = solid("block", {"type": "box", "size": [0.05, 0.05, 0.05]}, [0.4, 0, 0.025], **CARRIED)
    return turning_table(0.9, "2*time + 0.3*(1 - cos(3*time))", block)


def block_on_a_free_table() -> str:
    block = solid("block", {"type": "box", "size": [0.05, 0.05, 0.05]}, [0.4, 0, 0.025], **CARRIED)
    return turning_table(0.9, "", block)


def ball_on_a_driven_table() -> str:
    """Rolling from the start, in a circle."""
    rolling = {"velocity": [0.0, 0.3, 0.0], "angular_velocity": [(0.8 - 0.3) / 0.05, 0.0, 0.0]}
    rolling_ball = solid("ball", {"type": "sphere", "radius": 0.05}, [0.4, 0.0, 0.05], **rolling)
    return turning_table(0.9, "2*time", rolling_ball)


def capsule_rocks() -> str:
    """Down on one end, which sticks."""
    capsule = {"type": "capsule", "radius": 0.05, "length": 0.166}
    z = 0.05 + 0.083 * np.cos(np.pi / 3)
    tilted = {"axis": [0, 1, 0], "angle_deg": 60}
    return floor(1.2) + solid("capsule", capsule, [0.0, 0.0, z], orientation=tilted)


#: scene, end [s], statuses of loaded contacts
PHASES = {
    "pendulum": (pendulum, 0.3, set()),
    "free body": (free_body, 0.2, set()),
    "block slides": (block_slides, 0.2, {SLIP}),
    "ball slides": (ball_slides, 0.1, {SLIP}),
    "ball slides round": (ball_slides_round, 0.1, {SLIP}),
    "ball rolls": (ball_rolls, 0.3, {STICK}),
    "ball rolls on a ball": (ball_rolls_on_a_ball, 0.2, {STICK}),
    "ball on a driven table": (ball_on_a_driven_table, 0.3, {STICK}),
    "block on a driven table": (block_on_a_driven_table, 0.3, {STICK}),
    "block on a free table": (block_on_a_free_table, 0.3, {STICK}),
    "capsule rocks": (capsule_rocks, 0.1, {STICK}),
}


def ends(text: str, end: float, statuses: set[int], step: float = STEP) -> Iterator[Any]:
    """Positions and velocities of all bodies at the end, for each step; asserts that it is one phase."""
    for halved in range(HALVED + 1):
        h = step / 2**halved
        system = mb.System.from_text(text + scene_text.solver(type="contact", step=h, end=end))
        simulation = system.simulate()
        # after the first step, which knows no contacts yet; a time between two steps would show a shorter one
        for k in range(2, round(end / step) + 1, 5):
            simulation.run(k * step)
            if statuses:
                found = set(simulation.list("contacts").status.tolist()) - {OPEN}
                assert found == statuses, (k * step, found)
        simulation.run(end)
        bodies = [simulation[body.name] for body in system.bodies]
        yield np.concatenate(
            [np.concatenate([one.position, one.orientation, one.velocity]) for one in bodies]
        )


def order(values: list[Any]) -> tuple[float, list[float]]:
    """The fitted order, and the differences between neighbouring runs."""
    differences = [float(np.linalg.norm(a - b)) for a, b in pairwise(values)]
    return slope(differences), differences


def slope(errors: list[float]) -> float:
    """The fitted order of errors, each of half the step of the one before."""
    return float(-np.polyfit(np.arange(len(errors)), np.log2(errors), 1)[0])


@pytest.mark.parametrize("name", PHASES)
def test_motions_within_one_phase_are_of_second_order(name):
    make, end, statuses = PHASES[name]
    fitted, differences = order(list(ends(make(), end, statuses, LONGER.get(name, STEP))))
    assert abs(fitted - 2.0) <= NEAR, (fitted, differences)
