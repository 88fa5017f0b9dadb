"""What a scene leaves out is taken as the bodies stand at t = 0."""

from __future__ import annotations

import numpy as np

SCENE = """
[scene]
gravity = [0, 0, 0]
[[body]]
name = "ball"
mass = 2.0
inertia = [1, 1, 1]
position = [0.3, 0.4, 1.2]
[solver]
end = 1.0
"""
SPRING = '[[force]]\ntype = "spring_damper"\na = "ground"\nb = "ball"\nstiffness = 50.0\n'
ROD = '[[joint]]\nname = "link"\ntype = "rod"\na = "ground.o"\nb = "ball.o"\n'


def test_a_spring_without_a_free_length_is_slack_as_it_is_placed(runs):
    for frame in runs.frames(SCENE + SPRING, [0.0, 1.0]):
        np.testing.assert_allclose(frame["forces/wrench"], 0.0, atol=1e-12)
        assert abs(frame["forces/energy"][0]) < 1e-20
        np.testing.assert_allclose(frame["bodies/position"][0], [0.3, 0.4, 1.2], atol=1e-12)


def test_a_rod_without_a_length_leaves_its_bodies_where_they_are(runs):
    text = SCENE.replace("gravity = [0, 0, 0]", 'gravity = [0, 0, 0]\nmarker = [{ name = "o" }]').replace(
        "1.2]", '1.2]\nmarker = [{ name = "o" }]'
    )
    assert runs.prepare(text + ROD).assembly.messages == []
