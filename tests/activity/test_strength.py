"""Ropes that break."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused, stopped
from scene_text import body, joint, solver, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

G, MASS, LENGTH = 9.81, 2.0, 1.5
HOW = {"rk": {"tolerance": 1e-12}, "galpha": {"type": "galpha", "step": 1e-4}, "contact": {"step": 1e-4}}


@pytest.mark.parametrize("how", HOW)
def test_a_rope_breaks_where_its_tension_exceeds_its_strength(how):
    """A mass on a rope, let go at the horizontal: T = 3 m g sin φ below it, with v² = 2 g L sin φ."""
    text = world(gravity=[0, 0, -G])
    text += body("mass", type="point", mass=MASS, position=[LENGTH, 0, 0])
    text += joint("rope", "rope", "ground", "mass", strength=2.0 * MASS * G)
    keys = HOW[how] | ({"type": "contact"} if how == "contact" else {})
    text += solver(**keys, end=1.0) + table("output", frames=100)
    result = mb.System.from_text(text).run(files=False)
    broken = result.events.of("rope")[0]
    assert (broken.before, broken.after, broken.dof) == ("acts", "broken", 3)
    late = {"rk": 1e-8, "galpha": 1e-5, "contact": 3e-4}[how]
    sine = 2.0 / 3.0
    k = int(np.searchsorted(result.time, broken.time))
    # back from the first frame behind it
    fall = result.time[k] - broken.time
    v = result["mass"].velocity[k] + [0, 0, G * fall]
    x = result["mass"].position[k] - v * fall + [0, 0, 0.5 * G * fall**2]
    np.testing.assert_allclose(x, LENGTH * np.array([np.sqrt(1 - sine**2), 0, -sine]), atol=10 * late)
    speed = np.sqrt(2 * G * LENGTH * sine)
    np.testing.assert_allclose(v, speed * np.array([-sine, 0, -np.sqrt(1 - sine**2)]), atol=20 * late)
    rest = result.time[-1] - broken.time
    end = x + v * rest - 0.5 * G * rest**2 * np.array([0, 0, 1])
    np.testing.assert_allclose(result["mass"].position[-1], end, atol=1e-8)
    assert result.status("rope")[[0, -1]].tolist() == ["acts", "broken"]


def test_a_strength_is_positive():
    text = world() + body("mass", type="point", mass=1, position=[1, 0, 0])
    text += joint("rope", "rope", "ground", "mass", strength=0)
    with refused("joint[0].strength", 0):
        mb.System.from_text(text).run(files=False)
    with refused("joint[0].release", ""):
        mb.System.from_text(text.replace("strength = 0", 'strength = 1\nrelease = ""')).run(files=False)


@pytest.mark.parametrize("how", HOW)
def test_a_rope_that_is_let_go_for_a_while_is_beyond_its_length_meanwhile(how):
    """It is taut before, off from 0.5 to 0.52 s, and cannot begin again: the mass has gone too far."""
    text = world(gravity=[0, 0, -G])
    text += body("mass", type="point", mass=MASS, position=[0, 0, -LENGTH], velocity=[1, 0, 0])
    text += joint("rope", "rope", "ground", "mass", active="time < 0.5 or time > 0.52")
    keys = HOW[how] | ({"type": "contact"} if how == "contact" else {})
    with stopped(PhysicsError, "rope", time=0.52):
        mb.System.from_text(text + solver(**keys, end=1.0) + table("output", frames=50)).run(files=False)
