"""Cardan's ratio: ω₂/ω₁ = cos β / (1 − sin² β cos² θ), θ from where the driving fork lies in the plane of
both shafts; behind the second joint it is 1 again.
"""

import numpy as np

BEND, RATE, MOMENT = 0.5, 20.0, 0.04
SOURCE = "Cardan's ratio"


def truth(result):
    theta = RATE * result.time
    below = 1.0 - (np.sin(BEND) * np.cos(theta)) ** 2
    ratio = np.cos(BEND) / below
    # d(ratio)/dθ
    slope = -np.cos(BEND) * np.sin(BEND) ** 2 * np.sin(2.0 * theta) / below**2
    axis = np.array([np.cos(BEND), np.sin(BEND), 0.0])
    middle = result["middle_shaft"].angular_velocity @ axis / RATE
    yield "speed ratio of the middle shaft, all frames", np.abs(middle - ratio).max(), 0.0, 1e-9, SOURCE
    yield "its largest", middle.max(), 1.0 / np.cos(BEND), 1e-9, "1 / cos of the bend"
    yield "its smallest", middle.min(), np.cos(BEND), 1e-9, "cos of the bend, at a quarter of a turn"
    yield (
        "speed of the axle shaft, all frames",
        np.abs(result.coordinate("axle.angle").speed - RATE).max(),
        0.0,
        1e-9 * RATE,
        "two bends that undo each other",
    )
    yield (
        "angle of the axle shaft at the end",
        result.coordinate("axle.angle").value[-1],
        2.0 * np.pi,
        1e-9,
        "one turn",
    )
    # T ω₁ = J ω₂ dω₂/dt: only the middle shaft changes its speed
    torque = MOMENT * RATE**2 * ratio * slope
    yield (
        "torque at the engine, all frames",
        np.abs(result.coordinate("engine.angle").drive - torque).max(),
        0.0,
        1e-8,
        "power that the middle shaft takes",
    )
    for name in ("first", "second"):
        joint = result.joint(name)
        size = np.linalg.norm(np.hstack([joint.force, joint.torque]), axis=1)
        yield (
            f"torque about the arms of the {name} cross",
            (np.abs(joint.local_torque[:, :2]).max(axis=1) / size).max(),
            0.0,
            1e-13,
            "free directions",
        )
    yield "constraint drift", result.drift_position.max(), 0.0, 1e-12, "of the mechanism's size"
