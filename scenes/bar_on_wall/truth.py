"""The bar is in contact for 2 L/c, c = √(E/ρ), with the force ρ A c v, and leaves with the speed v.

Of a mesh of n elements, nodes of the end face have half the mass of an element, m/2n, and lose its energy
when they hit. The front of the wave becomes n^(1/3) elements wide: the speed of the rebound falls short by
n^(−2/3).
"""

import numpy as np

LENGTH, AREA, YOUNG, DENSITY, SPEED, ELEMENTS, GAP = 1.0, 0.05**2, 1e6, 1e3, 1.0, 160, 1e-4
WAVE = np.sqrt(YOUNG / DENSITY)
DURATION, MASS = 2.0 * LENGTH / WAVE, DENSITY * AREA * LENGTH
SOURCE = "wave equation"


def truth(result):
    t, force = result.time, result.contact("ground", "bar").force[:, 0]
    force = force * np.sign(force[np.argmax(np.abs(force))])
    touching = np.flatnonzero(force > 1e-6 * DENSITY * AREA * WAVE * SPEED)
    yield "duration of contact [s]", t[touching[-1]] - t[touching[0]], DURATION, 0.01 * DURATION, "2 L/c"
    speed = result["bar"].center_of_mass_velocity[-1, 0]
    yield "speed of the rebound [m/s]", speed, SPEED, 0.01 * SPEED, SOURCE
    within = (t > GAP / SPEED + 0.2 * DURATION) & (t < GAP / SPEED + 0.8 * DURATION)
    plateau = DENSITY * AREA * WAVE * SPEED
    yield "force, mean of the middle part [N]", force[within].mean(), plateau, 0.01 * plateau, "ρ A c v"
    kinetic = 0.5 * MASS * SPEED**2
    lost = result.energy.impacts[-1] / kinetic
    yield "loss of impacts, part", lost, 0.5 / ELEMENTS, 5e-4, "half an element stops"
    yield "energy balance, part", np.abs(result.energy.balance).max() / kinetic, 0.0, 1e-3, "ledger"
    middle = result.energy.potential[np.argmin(np.abs(t - GAP / SPEED - 0.5 * DURATION))]
    yield "elastic energy at half the time, part", middle / kinetic, 1.0, 0.01, "the bar stands still"
