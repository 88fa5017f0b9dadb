"""Constant torques: parabolas of the angle between impacts. The wind T drives the door with (T − τ)/J, and
brakes it with (T + τ)/J while it rebounds; of a speed ω it returns with q ω, q = e √((T − τ)/(T + τ)). All
impacts are over after the sum of a geometric series.
"""

import numpy as np

WIND, FRICTION, STOP, E, TURNS = 4.0, 1.0, 1.5, 0.5, 5.0
J = 20.0 / 12 * (0.8**2 + 0.04**2) + 20.0 * 0.4**2
DRIVEN, BRAKED = (WIND - FRICTION) / J, (WIND + FRICTION) / J
Q = E * np.sqrt(DRIVEN / BRAKED)
REACHED, STRUCK = np.sqrt(2 * STOP / DRIVEN), np.sqrt(2 * STOP * DRIVEN)
#: time between an impact and the next one, for each rad/s of the first
FLIGHT = E / BRAKED + Q / DRIVEN
SOURCE = "parabolas and a geometric series"


def impacts(since):
    """Times of the impacts until `since` the wind blows, and speeds before them."""
    t, speed = REACHED, STRUCK
    while t <= since and speed > 1e-9:
        yield t, speed
        t, speed = t + FLIGHT * speed, Q * speed


def blown(since):
    """Angle and rate on the way that the wind blows."""
    if since < REACHED:
        return DRIVEN * since**2 / 2, DRIVEN * since
    t, speed = list(impacts(since))[-1]
    s, back = since - t, E * speed
    if since >= REACHED + FLIGHT * STRUCK / (1 - Q):
        return STOP, 0.0
    if s < back / BRAKED:
        return STOP - back * s + BRAKED * s**2 / 2, -back + BRAKED * s
    s -= back / BRAKED
    return STOP - back**2 / (2 * BRAKED) + DRIVEN * s**2 / 2, DRIVEN * s


def exact(t):
    if t < TURNS:
        return blown(t)
    angle, rate = blown(t - TURNS)
    return STOP - angle, -rate


def truth(result):
    angle, rate = np.array([exact(t) for t in result.time]).T
    s = result.coordinate("hinge.angle")
    yield "angle, all frames", np.abs(s.value - angle).max(), 0.0, 1e-9, SOURCE
    yield "rate, all frames", np.abs(s.speed - rate).max(), 0.0, 1e-8, SOURCE
    beyond = max(-s.value.min(), s.value.max() - STOP)
    yield "angle beyond the limits", max(beyond, 0.0), 0.0, 1e-12, "it does not pass"
    for k, (t, _) in enumerate(list(impacts(TURNS))[:6]):
        # the parabola of the frame before it
        i = np.searchsorted(result.time, t) - 1
        v, a = s.speed[i], BRAKED if s.speed[i] < 0 else DRIVEN
        if v < 0:
            raise AssertionError("a frame between the turn and the impact is needed")
        found = result.time[i] + (np.sqrt(v**2 + 2 * a * (STOP - s.value[i])) - v) / a
        yield f"time of impact {k + 1}", found, t, 1e-8, SOURCE
    states = dict(zip(result.raw.names("states"), result.raw["states/value"].T))
    before = result.time < REACHED + FLIGHT * STRUCK * (1 - Q**5)
    struck = [sum(J * (1 + E) * w for _, w in impacts(t)) for t in result.time[before]]
    found = states["hinge.angle.upper_limit.impulse"][before]
    yield "impulses of the impacts", np.abs(found - struck).max(), 0.0, 1e-8, "J (1 + e) ω"
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][:, :, 5].T))
    rests = (result.time > 4.5) & (result.time < TURNS)
    held = loads["hinge limit on door"] + loads["hinge friction on door"]
    yield "stop and friction against the wind", np.abs(held[rests] + WIND).max(), 0.0, 1e-9, "statics"
    yield "speed at rest", np.abs(s.speed[rests]).max(), 0.0, 1e-12, "stop and friction"
    lost = 2 * WIND * STOP
    yield "energy lost in the end", result.energy.dissipated[-1], lost, 1e-8, "all work of the wind"
    yield "energy balance", np.abs(result.energy.balance).max(), 0.0, 1e-8, "work of the wind"
