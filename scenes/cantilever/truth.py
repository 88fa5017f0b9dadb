"""Timoshenko's cantilever under a force at its end: the mass centre sinks by P L³/8EI + P L/2κGA."""

import numpy as np

ANALYSIS = "static"
LENGTH, EDGE, LOAD, YOUNG = 1.0, 0.1, 1000.0, 2e11
SOURCE = "Timoshenko's beam, nu = 0"


def truth(report):
    inertia, shear = EDGE**4 / 12.0, 5.0 / 6.0 * (YOUNG / 2.0) * EDGE**2
    sunk = LOAD * LENGTH**3 / (8.0 * YOUNG * inertia) + LOAD * LENGTH / (2.0 * shear)
    x, y, z = np.asarray(report.position[0], float)
    yield "deflection of the mass centre [m]", -z, sunk, 3e-3 * sunk, SOURCE
    yield "shift along the beam [m]", x - 0.5 * LENGTH, 0.0, 1e-2 * sunk, "small strain"
    yield "shift across it [m]", y, 0.0, 1e-12, "symmetry"
    yield "it is stable", float(report.stable), 1.0, 0.5, "a beam"
