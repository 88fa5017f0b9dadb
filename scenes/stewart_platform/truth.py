"""The legs have the lengths that a platform has which moves along a curve and does not turn."""

import numpy as np


def truth(result):
    t, platform = result.time, result["platform"]
    place = np.column_stack([0.15 * np.sin(2 * t), 0.1 * (1 - np.cos(2 * t)), 1.2 + 0.05 * np.sin(3 * t)])
    rate = np.column_stack([0.3 * np.cos(2 * t), 0.2 * np.sin(2 * t), 0.15 * np.cos(3 * t)])
    second = np.column_stack([-0.6 * np.sin(2 * t), 0.4 * np.cos(2 * t), -0.45 * np.sin(3 * t)])
    source = "inverse kinematics of a shifted platform"
    for what, found, exact, tolerance in (
        ("position", platform.position, place, 1e-9),
        ("velocity", platform.velocity, rate, 1e-8),
        ("acceleration", platform.acceleration, second, 1e-7),
    ):
        yield what, np.abs(found - exact).max(), 0.0, tolerance, source
    yield "turn", np.abs(platform.orientation[:, 1:]).max(), 0.0, 1e-9, source
    yield "energy", np.abs(result.energy.balance).max(), 0.0, 1e-5, "work of the legs"
