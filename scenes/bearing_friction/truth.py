"""J θ̈ = m g l cos θ − μ r |F| tanh(θ̇/s),  F = m (g − a): θ̈ by bisection wherever the reference asks for
it.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

G, MASS, LENGTH, MOMENT, FRICTION, RADIUS, SLIP = 9.81, 1.3, 0.6, 0.07 + 1.3 * 0.6**2, 0.15, 0.05, 0.02
SOURCE = "one equation, closed by bisection; DOP853 at 1e-12"


def force(angle, rate, acceleration):
    """Size of the force in the bearing: along the rod and across it, angle from the horizontal downwards."""
    return MASS * np.hypot(LENGTH * rate**2 + G * np.sin(angle), G * np.cos(angle) - LENGTH * acceleration)


def acceleration(angle, rate):
    def rest(a):
        return (
            MOMENT * a
            - MASS * G * LENGTH * np.cos(angle)
            + FRICTION * RADIUS * force(angle, rate, a) * np.tanh(rate / SLIP)
        )

    return brentq(rest, -1000.0, 1000.0, xtol=1e-14, rtol=1e-15)


def truth(result):
    state = solve_ivp(
        lambda t, y: [y[1], acceleration(*y)],
        (0.0, result.time[-1]),
        [0.0, 0.0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
        t_eval=result.time,
    ).y
    hinge = result.coordinate("bearing.angle")
    yield "angle, all frames", np.abs(hinge.value - state[0]).max(), 0.0, 1e-8, SOURCE
    yield "rate, all frames", np.abs(hinge.speed - state[1]).max(), 0.0, 1e-7, SOURCE
    expected = np.array([acceleration(*y) for y in state.T])
    found = result["bob"].angular_acceleration[:, 1]
    yield "angular acceleration, all frames", np.abs(found - expected).max(), 0.0, 1e-6, SOURCE
    params = np.array([acceleration(*y) for y in zip(hinge.value, hinge.speed)])
    yield (
        "angular acceleration at the states found",
        np.abs(found - params).max(),
        0.0,
        1e-10,
        "bisection at the same state",
    )
    reaction = np.linalg.norm(result.joint("bearing").force, axis=1)
    yield (
        "force in the bearing",
        np.abs(reaction - force(hinge.value, hinge.speed, found)).max(),
        0.0,
        1e-10,
        "Newton's law of the mass centre",
    )
    yield "energy balance", np.abs(result.energy.balance).max(), 0.0, 1e-7, "work of the friction"
    yield "constraint drift", result.drift_position.max(), 0.0, 1e-12, "of the mechanism's size"
