"""The gate follows x = v (1 − cos t) until it meets the upper stop, and waits there until the actuator turns
round at t = π; then it goes down as far, meets the lower stop and waits until t = 2π. At the stops the
actuator exerts its effort E: E − m g on the upper one, E + m g on the lower one.
"""

import numpy as np

MASS, SPEED, EFFORT, LIFT, G = 40.0, 0.4, 1000.0, 0.5, 9.81
REACHED = np.arccos(1 - LIFT / SPEED)
SOURCE = "play between two stops, closed form"


def exact(t):
    """Position, velocity, acceleration."""
    s = t % np.pi
    up = 1.0 if t % (2 * np.pi) < np.pi else -1.0
    start = 0.0 if up > 0 else LIFT
    if s >= REACHED:
        return LIFT - start, 0.0, 0.0
    return start + up * SPEED * (1 - np.cos(s)), up * SPEED * np.sin(s), up * SPEED * np.cos(s)


def truth(result):
    x, v, a = np.array([exact(t) for t in result.time]).T
    s = result.coordinate("guide.length")
    yield "position, all frames", np.abs(s.value - x).max(), 0.0, 1e-9, SOURCE
    yield "velocity, all frames", np.abs(s.speed - v).max(), 0.0, 1e-9, SOURCE
    waits = result.time % np.pi > REACHED
    upper, lower = (waits & (np.abs(x - end) < 1e-6) for end in (LIFT, 0.0))
    stop = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][:, :, 2].T))["guide limit on gate"]
    yield "force of the upper stop", np.abs(stop[upper] + EFFORT - MASS * G).max(), 0.0, 1e-9, "E − m g"
    yield "force of the lower stop", np.abs(stop[lower] - EFFORT - MASS * G).max(), 0.0, 1e-9, "E + m g"
    driven = np.where(upper, EFFORT, np.where(lower, -EFFORT, MASS * (G + a)))
    # at t = 0 the gate still stands on its stop
    yield "force of the actuator", np.abs(s.drive - driven)[1:].max(), 0.0, 1e-6, SOURCE
    yield "speed at the stops", np.abs(s.speed[waits]).max(), 0.0, 1e-12, "it does not creep"
    impacts = (result.time[-1] // np.pi) + 1
    lost = impacts * 0.5 * MASS * (SPEED * np.sin(REACHED)) ** 2
    yield "energy lost in impacts", result.energy.dissipated[-1], lost, 1e-8, "½ m v² each"
    yield "energy balance", np.abs(result.energy.balance).max(), 0.0, 1e-7, "work of the actuator"
