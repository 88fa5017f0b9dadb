"""Of forces that are not unique, a run has those nearest to the forces of the step before."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest
from blocks import G, Watch, block, contact_solver
from mbplugin_contact.arrays import Contacts
from scene_text import body, force, joint, table, world

import mbplugin as mb
from mbplugin.tables.groups import TransientRows


def closing(friction: float, press: float, gaps: tuple[float, float], height: float) -> str:
    """A box that rests on a table, and two fingers on sliders that are pressed against it."""
    plane = {"type": "plane", "name": "table", "size": [2, 2]}
    text = world(collide=True, material="stone", shape=[plane])
    text += table("material", name="stone", friction=friction)
    for name, side, gap in (("left", -1.0, gaps[0]), ("right", 1.0, gaps[1])):
        at = [side * (0.06 + gap), 0, height]
        text += block(name, (0.02, 0.06, 0.06), 0.1, at)
        text += joint(f"slider_{name}", "translational", "ground", name, at=at, axis=[1, 0, 0])
        text += force(name, name=f"press_{name}", x=-side * press)
    return text + block("box", (0.1, 0.1, 0.1), 1.0, [0, 0, 0.05]) + contact_solver(1e-3, 0.1, frames=20)


@pytest.mark.parametrize(
    ("friction", "press", "gaps", "height"),
    [
        (0.6, 100.0, (1e-3, 1e-3), 0.05),
        (0.6, 100.0, (1e-3, 3e-3), 0.05),
        (0.3, 10.0, (1e-3, 1e-3), 0.05),
        (1.0, 100.0, (2e-3, 2e-3), 0.07),
    ],
)
def test_a_gripper_that_closes_on_a_resting_box_leaves_its_weight_on_the_table(friction, press, gaps, height):
    """The fingers could carry any force along them up to μ N, down too: the box would be pressed on the table
    with m g + 2 μ N. It has been on the table, and the fingers come new.
    """
    result = mb.System.from_text(closing(friction, press, gaps, height)).run(files=False)
    assert result.contact("left", "box").normal_force[-1] == pytest.approx(press, rel=1e-9)
    assert result.contact("ground", "box").normal_force[-1] == pytest.approx(G, rel=1e-4)
    for finger in ("left", "right"):
        assert abs(result.contact(finger, "box").force[-1, 2]) < 1e-4 * press


def legs(places: np.ndarray) -> str:
    """A smooth plate on balls of the ground."""
    shape = [{"type": "sphere", "radius": 0.1, "position": [x, y, -0.15]} for x, y in places]
    text = world(collide=True, material="stone", shape=shape) + table("material", name="stone", friction=0.0)
    return text + block("plate", (3.0, 3.0, 0.1), 1.0, [0, 0, 0]) + contact_solver(1e-3, 1.0)


@pytest.mark.parametrize("n", [4, 7])
def test_the_first_forces_of_a_table_are_the_smallest_that_carry_it(runs, n):
    """min Σ w r² with w = tr W_c = the normal entry of a smooth contact, and the balance A r = b: the least
    norm of √w r, by the pseudoinverse.
    """
    angles = 2.0 * pi * np.arange(n) / n + 0.3 * np.sin(3.0 * np.arange(n))
    places = np.array([[0.9 * cos(a), 0.8 * sin(a)] for a in angles])
    watch = Watch(runs, legs(places))
    watch.to(3 * watch.step)
    transient, contacts = watch.problem[TransientRows], watch.problem[Contacts]
    found = transient.impulse[: 3 * n : 3] / watch.step
    A = np.vstack([np.ones(n), places[:, 1], -places[:, 0]])
    w = np.array([np.trace(contacts.W[k].reshape(3, 3)) for k in range(n)])
    right = np.linalg.pinv(A / np.sqrt(w)) @ [G, 0.0, 0.0] / np.sqrt(w)
    assert right.min() > 0.0
    assert found == pytest.approx(right, rel=1e-4)


def test_a_load_that_comes_is_shared_by_what_changes_least(runs):
    """A plate on four legs at the corners of a square, with a load that moves from its middle towards one: of
    the legs' forces the sum over a diagonal is not unique. What is added is the least change: the legs beside
    the diagonal of the load keep their quarters.
    """
    places = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    text = legs(places) + body("load", mass=2.0, inertia=[1e-3] * 3, position=[0, 0, 0.2])
    text += joint("rail", "translational", "plate", "load", at=[0, 0, 0.2], axis=[1, 1, 0])
    text += table("motion", joint="rail", length="0.2*(1 - cos(4*time))")
    watch = Watch(runs, text)
    for time in (0.01, 0.1, 0.2, 0.3):
        watch.to(time)
        _, side, _, other = watch.problem[TransientRows].impulse[:12:3] / watch.step
        assert side == pytest.approx(other, rel=1e-4)
        assert side == pytest.approx(0.25 * 3.0 * G, rel=5e-3)
