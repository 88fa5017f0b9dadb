"""On the circle φ̈ = −g/L sin φ, integrated at 1e-13 and started by v² = p g L. The tension
m (g cos φ + L φ̇²) is zero at cos φ = −(p − 2)/3; from there on the bob flies. Where it is at the distance L
again, its radial speed is lost and the circle goes on with the rest.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

MASS, LENGTH, PUSH, G = 2.0, 1.0, 3.5, 9.81
SOURCE = "the circle by DOP853, the parabola in closed form"
END = 3.0


def circle(angle, rate, until, let_go=None):
    """The motion on the circle from t = 0, as a dense solution."""
    return solve_ivp(
        lambda t, y: (y[1], -G / LENGTH * np.sin(y[0])),
        (0, until),
        (angle, rate),
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
        dense_output=True,
        events=let_go,
    )


def slack(t, y):
    return G * np.cos(y[0]) + LENGTH * y[1] ** 2


slack.terminal = True
FIRST = circle(0.0, np.sqrt(PUSH * G / LENGTH), END, slack)
LEAVES = FIRST.t[-1]
ANGLE, RATE = FIRST.y[:, -1]


def place(angle):
    return LENGTH * np.array([np.sin(angle), -np.cos(angle)])


def along(angle):
    return np.array([np.cos(angle), np.sin(angle)])


X, V = place(ANGLE), LENGTH * RATE * along(ANGLE)


def flight(s):
    return X + s * V - np.array([0.0, G * s * s / 2])


FLIES = brentq(lambda s: flight(s) @ flight(s) - LENGTH**2, 0.1, 1.5, xtol=1e-15)
CAUGHT = flight(FLIES)
ARRIVES = V - np.array([0.0, G * FLIES])
BACK = np.arctan2(CAUGHT[0], -CAUGHT[1])
LOST = ARRIVES @ CAUGHT / LENGTH
SECOND = circle(BACK, ARRIVES @ along(BACK) / LENGTH, END)


def exact(t):
    """Position in the plane, and tension."""
    if t < LEAVES:
        angle, rate = FIRST.sol(t)
    elif t < LEAVES + FLIES:
        return *flight(t - LEAVES), 0.0
    else:
        angle, rate = SECOND.sol(t - LEAVES - FLIES)
    return *place(angle), MASS * (G * np.cos(angle) + LENGTH * rate**2)


def truth(result):
    x, z, tension = np.array([exact(t) for t in result.time]).T
    found = result["bob"].position[:, [0, 2]]
    off = np.linalg.norm(found - np.stack([x, z], axis=1), axis=1)
    yield "position, all frames", off.max(), 0.0, 1e-8, SOURCE
    force = result.raw["bounds/force"][:, 0]
    yield "tension, all frames", np.abs(force - tension).max(), 0.0, 1e-6, SOURCE
    yield "least tension", min(force.min(), 0.0), 0.0, 1e-12, "a rope does not push"
    slack, taut = (next(e for e in result.events if e.after == word) for word in ("slack", "taut"))
    yield "time at which it goes slack", slack.time, LEAVES, 1e-9, SOURCE
    height = -LENGTH * np.cos(ANGLE)
    yield "height there", height, LENGTH * (PUSH - 2) / 3, 1e-10, "cos φ = −(p − 2)/3"
    yield "time at which it is taut again", taut.time, LEAVES + FLIES, 1e-9, SOURCE
    yield "impulse of the jerk", taut.impulse, MASS * LOST, 1e-8, "its radial momentum"
    lost = result.energy.dissipated[-1]
    yield "energy that the jerk takes", lost, MASS * LOST**2 / 2, 1e-8, "that of the radial speed"
    yield "energy balance", np.abs(result.energy.balance).max(), 0.0, 1e-8, "no other loss"
