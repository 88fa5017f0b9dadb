"""Two wheels on axles along z, of 0.2 and 0.3 kg m², and what drives them."""

from __future__ import annotations

import numpy as np
from scene_text import NO_GRAVITY, body, joint, solver

TIMES = np.linspace(0.0, 2.0, 21)


def two_wheels(more="", angle=0.3, speed=1.5, **keys):
    """Text of the scene: bodies p and q on hinges a and b. Hinge a has a start unless `angle` is None; `keys` are
    those of the solver.
    """
    start = None if angle is None else {"angle": angle, "speed": speed}
    return (
        NO_GRAVITY
        + body("p", mass=1, inertia=[0.1, 0.1, 0.2])
        + body(
            "q",
            mass=1,
            inertia=[0.2, 0.2, 0.3],
            position=[1, 0, 0],
            marker=[{"name": "rim", "position": [0.5, 0, 0]}],
        )
        + joint("a", "revolute", "ground", "p", axis=[0, 0, 1], start=start)
        + joint("b", "revolute", "ground", "q", at=[1, 0, 0], axis=[0, 0, 1])
        + more
        + solver(**({"tolerance": 1e-10, "end": 2} | keys))
    )


def run(runs, more, angle=0.3, speed=1.5, times=TIMES):
    """Angles, rates and drives of a and b as columns, and the energy balance."""
    frames = runs.frames(two_wheels(more, angle, speed), times)
    stack = lambda key: np.array([f[f"coordinates/{key}"] for f in frames])
    balance = np.array([f["energy/balance"] for f in frames])
    return stack("value"), stack("speed"), stack("drive"), balance
