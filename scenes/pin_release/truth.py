"""The bar swings from φ = 90° down: J ω² = 2 m g a cos φ, with J about the pin. Along the bar its force is
m g cos φ + m a ω², across m g sin φ (1 − m a²/J). Where that reaches the strength the pin breaks, at an
instant found by quadrature; then the mass centre has a parabola and the bar turns with ω.
"""

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

G, MASS, MOMENT, ARM, STRENGTH = 9.81, 2.0, 0.06, 0.3, 30.0
J = MOMENT + MASS * ARM**2
SOURCE = "closed form, instant by quadrature"


def rate(angle):
    return -np.sqrt(2 * MASS * G * ARM / J * np.cos(angle))


def force(angle):
    along = MASS * G * np.cos(angle) + MASS * ARM * rate(angle) ** 2
    return np.hypot(along, MASS * G * np.sin(angle) * (1 - MASS * ARM**2 / J))


ANGLE = brentq(lambda angle: force(angle) - STRENGTH, 0.0, np.pi / 2 - 1e-9, xtol=1e-15)
# φ = π/2 − u² takes the root at the start away
TIME = quad(
    lambda u: 2 * u / -rate(np.pi / 2 - u * u), 0.0, np.sqrt(np.pi / 2 - ANGLE), epsabs=1e-14, epsrel=1e-14
)[0]


def flight(t):
    """Mass centre (n, 3) after the pin has broken."""
    fall = (t - TIME)[:, None]
    x = -ARM * np.array([np.sin(ANGLE), 0.0, np.cos(ANGLE)])
    v = -ARM * rate(ANGLE) * np.array([np.cos(ANGLE), 0.0, -np.sin(ANGLE)])
    return x + v * fall - 0.5 * np.array([0.0, 0.0, G]) * fall**2


def truth(result):
    (broken,) = result.events
    yield "time at which the pin breaks", broken.time, TIME, 1e-9, SOURCE
    yield "degrees of freedom before", float(result.dof[0]), 1.0, 0.5, "one hinge"
    yield "degrees of freedom after", float(result.dof[-1]), 6.0, 0.5, "a free body"
    free = result.time > TIME
    apart = result["bar"].center_of_mass[free] - flight(result.time[free])
    yield "mass centre, all frames after it", np.abs(apart).max(), 0.0, 1e-8, SOURCE
    spin = result["bar"].angular_velocity[free, 1]
    yield "rate, all frames after it", np.abs(spin - rate(ANGLE)).max(), 0.0, 1e-8, SOURCE
    energy = result.energy.kinetic + result.energy.potential
    yield "change of the energy", np.ptp(energy), 0.0, 1e-8, "the pin takes none"
    largest = np.linalg.norm(result.joint("pin").force, axis=1).max()
    yield "largest force of the pin beyond its strength", max(largest - STRENGTH, 0.0), 0.0, 1e-9, SOURCE
