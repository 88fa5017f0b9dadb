"""A velocity that follows the rate of a curved measure has the acceleration of that rate, including its
bias.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, motion, solver, world

SCENE = (
    world(gravity=[0, 0, -9.81])
    + body("bob", mass=1, inertia=[1, 1, 1], position=[1, 0.2, 0.5], velocity=[0.3, 2, -0.4])
    + body("wheel", mass=2, inertia=[0.1, 0.1, 0.2])
    + joint("axle", "revolute", "ground", "wheel", axis=[0, 0, 1])
    + motion("axle", angle_velocity="2*rate(distance(bob, ground))")
    + solver(tolerance=1e-10, end=0.5)
)


def test_the_acceleration_is_the_rate_of_the_rate(runs):
    """s = |x|, s̈ = (v·v + x·a − ṡ²)/s, with what the bob really does: the motor pulls on it too."""
    for frame in runs.frames(SCENE, [0.0, 0.2, 0.5]):
        x, v, a = (frame[f"bodies/{name}"][0] for name in ("position", "velocity", "acceleration"))
        s = np.linalg.norm(x)
        s_dot = x @ v / s
        assert frame["coordinates/speed"][0] == pytest.approx(2 * s_dot, abs=1e-9)
        assert frame["bodies/angular_acceleration"][1, 2] == pytest.approx(
            2 * (v @ v + x @ a - s_dot**2) / s, abs=1e-9
        )
