"""Defaults of keys that a scene leaves out follow from the positions at t = 0."""

from __future__ import annotations

import numpy as np
from scene_text import NO_GRAVITY, body, joint, solver, spring, world

PLACE = [0.3, 0.4, 1.2]
BALL = body("ball", mass=2.0, inertia=[1, 1, 1], position=PLACE, marker=[{"name": "o"}])


def test_a_spring_without_a_free_length_is_unloaded_at_the_start(runs):
    for frame in runs.frames(
        NO_GRAVITY + BALL + spring("ground", "ball", stiffness=50.0) + solver(end=1.0), [0.0, 1.0]
    ):
        np.testing.assert_allclose(frame["forces/wrench"], 0.0, atol=1e-12)
        assert abs(frame["forces/energy"][0]) < 1e-20
        np.testing.assert_allclose(frame["bodies/position"][0], PLACE, atol=1e-12)


def test_a_rod_without_a_length_has_the_initial_distance(runs):
    text = (
        world(gravity=[0, 0, 0], marker=[{"name": "o"}]) + BALL + joint("link", "rod", "ground.o", "ball.o")
    )
    assert runs.prepare(text).assembly.messages == []
