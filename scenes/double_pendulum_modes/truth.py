"""Two uniform rods of equal mass and length: ω² = (g/l)(3 ∓ 6/√7)."""

import numpy as np

ANALYSIS = "eigen"
G, L = 9.81, 1.0
SOURCE = "two uniform rods, closed form"


def truth(report):
    exact = np.sqrt(G / L * (3.0 + np.array([-6.0, 6.0]) / np.sqrt(7.0)))
    yield "modes", len(report.modes), 2, 0.5, "two hinges"
    for k, omega in enumerate(exact):
        yield f"omega {k + 1}", report.frequencies[k], omega, 1e-9 * omega, SOURCE
        # (K − ω² M) φ = 0 in the angles of the rods:  M = [[4/3, 1/2], [1/2, 1/3]], K = (g/l) diag(3/2, 1/2)
        ratio = (1.5 * G / L - omega**2 * 4.0 / 3.0) / (omega**2 * 0.5)
        shape = report.modes[k].shape
        # angular velocities about y are the fifth velocity of each body
        yield f"shape {k + 1}", shape[10] / shape[4], ratio, 1e-8 * abs(ratio), "ratio of the rods' angles"
        yield f"damping {k + 1}", report.modes[k].zeta, 0.0, 1e-12, "no damper"
