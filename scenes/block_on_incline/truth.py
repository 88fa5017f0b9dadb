"""d = v₀² / (2 g (μ cos θ − sin θ)), and rest."""

import numpy as np

G, ANGLE, SPEED, FRICTION, STEP = 9.81, 0.3490658503988659, 3.0, 0.6, 1e-3
SOURCE = "Coulomb's law, constant deceleration"


def truth(result):
    down = np.array([np.cos(ANGLE), 0.0, -np.sin(ANGLE)])
    deceleration = G * (FRICTION * np.cos(ANGLE) - np.sin(ANGLE))
    along = (result["block"].position - result["block"].position[0]) @ down
    t = np.minimum(result.time, SPEED / deceleration)
    # in the step in which the block stops, its position is off by at most a h² / 8
    error = 0.13 * deceleration * STEP**2
    yield (
        "distance, all frames",
        np.abs(along - SPEED * t + 0.5 * deceleration * t**2).max(),
        0.0,
        error,
        SOURCE,
    )
    yield "distance at rest", along[-1], 2.068192289159282, error, "v₀² / 2a"
    rests = result.time > SPEED / deceleration + STEP
    yield "speed at rest", np.abs(result["block"].velocity[rests]).max(), 0.0, 1e-12, "static friction"
