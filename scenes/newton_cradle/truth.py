"""One pendulum that changes hands: sin(θ/2) = k sn(K − ω t, k²), k = sin(θ₀/2), ω² = g L / (L² + 2/5 r²)
(NIST DLMF 22.19). Balls of equal mass exchange their velocities at e = 1, and all impacts are at the lowest
point, so that the sum of the five angles is the angle of a single pendulum.

An impact is taken in the step in which the gap closes: an angle is off by up to the rate times the step, and
each swing carries on what the one before was off.
"""

import numpy as np
from scipy.special import ellipj, ellipk

G, LENGTH, RADIUS, LIFT, STEP = 9.81, 0.2, 0.02, 0.6, 1e-4
SOURCE = "pendulum equation, exchange of velocities"


def truth(result):
    t = result.time
    rate = np.sqrt(G * LENGTH / (LENGTH**2 + 0.4 * RADIUS**2))
    k = np.sin(0.5 * LIFT)
    quarter = ellipk(k * k) / rate
    single = 2.0 * np.arcsin(k * ellipj(ellipk(k * k) - rate * t, k * k)[0])
    angles = []
    for n in range(5):
        x, _, z = result[f"ball_{n + 1}"].position.T
        angles.append(np.arctan2(2.0 * (n - 2) * RADIUS - x, -z))
    angles = np.array(angles)
    # impacts until t, each off by up to a step
    fastest = 2.0 * k * rate
    allowed = fastest * STEP * (1.0 + np.floor((t + quarter) / (2.0 * quarter)))
    yield (
        "sum of the angles, all frames",
        (np.abs(angles.sum(axis=0) - single) / allowed).max(),
        0.0,
        1.0,
        SOURCE,
    )
    first, last = np.where(single > 0.0, single, 0.0), np.where(single < 0.0, single, 0.0)
    yield "first ball, all frames", (np.abs(angles[0] - first) / allowed).max(), 0.0, 1.0, SOURCE
    yield "last ball, all frames", (np.abs(angles[4] - last) / allowed).max(), 0.0, 1.0, SOURCE
    yield "the three between, all frames", (np.abs(angles[1:4]) / allowed).max(), 0.0, 1.0, SOURCE
    energy = result.raw["energy/kinetic"] + result.raw["energy/potential"]
    yield "change of the energy", np.abs(energy - energy[0]).max(), 0.0, 1e-6, "e = 1"
