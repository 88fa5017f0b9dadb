"""While the clutch pulls, the wheel turns as the sprocket, ψ = s/2 (1 − cos 2πt), and the clutch transmits
J ψ̈ + τ. It lets go where this is 0. Then the wheel coasts, θ̈ = −τ/J, until the sprocket is as fast again;
after the last stroke until it stands still.
"""

import numpy as np
from scipy.optimize import brentq

MOMENT, FRICTION, STROKE, STROKES = 0.1, 0.2, 2.0, 3
W, SLOWS = 2 * np.pi, FRICTION / MOMENT
SOURCE = "closed form, catches by bisection"
#: time after the beginning of a stroke at which the clutch lets go: ψ̈ = −τ/J
LETS_GO = np.arccos(-2 * SLOWS / (STROKE * W**2)) / W


def sprocket(t):
    """Angle, rate and acceleration."""
    if t >= STROKES:
        return 0.0, 0.0, 0.0
    return (
        STROKE / 2 * (1 - np.cos(W * t)),
        STROKE / 2 * W * np.sin(W * t),
        STROKE / 2 * W**2 * np.cos(W * t),
    )


SPEED = sprocket(LETS_GO)[1]
#: time of the next stroke at which the sprocket has caught up
CATCHES = brentq(lambda t: sprocket(t)[1] - (SPEED - SLOWS * (1 + t - LETS_GO)), 0.0, 0.2, xtol=1e-15)


def pulled(k):
    """Beginning and end of the pull of stroke k, and the angle of the wheel minus that of the sprocket."""
    start = k + (CATCHES if k else 0.0)
    coasted = SPEED * (1 + CATCHES - LETS_GO) - SLOWS * (1 + CATCHES - LETS_GO) ** 2 / 2
    ahead = k * (coasted + sprocket(LETS_GO)[0] - sprocket(CATCHES)[0])
    return start, k + LETS_GO, ahead


def exact(t):
    """Angle and rate of the wheel, torque of the clutch on it."""
    for k in reversed(range(STROKES)):
        start, end, ahead = pulled(k)
        if t >= end:
            s = min(t - end, SPEED / SLOWS)
            angle = ahead + sprocket(LETS_GO)[0] + SPEED * s - SLOWS * s**2 / 2
            return angle, SPEED - SLOWS * s, 0.0
        if t >= start:
            angle, rate, acceleration = sprocket(t)
            return ahead + angle, rate, MOMENT * acceleration + FRICTION
    return None


def truth(result):
    angle, rate, torque = np.array([exact(t) for t in result.time]).T
    s = result.coordinate("hub.angle")
    yield "angle of the wheel, all frames", np.abs(s.value - angle).max(), 0.0, 1e-8, SOURCE
    yield "rate of the wheel, all frames", np.abs(s.speed - rate).max(), 0.0, 1e-7, SOURCE
    slip = result.coordinate("clutch.angle").speed
    yield "rate of the clutch against its way", max(slip.max(), 0.0), 0.0, 1e-12, "it does not creep"
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][:, :, 4].T))
    found = -loads["clutch way on sprocket"]
    yield "torque of the clutch", np.abs(found - torque).max(), 0.0, 1e-6, "J ψ̈ + τ"
    stops = STROKES - 1 + LETS_GO + SPEED / SLOWS
    yield (
        "rate after it has stopped",
        np.abs(s.speed[result.time > stops]).max(),
        0.0,
        1e-12,
        "friction holds",
    )
    lost = FRICTION * angle[-1]
    yield "energy that friction takes", result.energy.dissipated[-1], lost, 1e-7, "friction times angle"
    yield "energy balance", np.abs(result.energy.balance).max(), 0.0, 1e-7, "work of the chain"
