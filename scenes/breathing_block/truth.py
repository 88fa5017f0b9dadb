"""A cube of edge a and density ρ that stretches by s in all directions: ρ a²/12 s̈ = −3 K (s − 1), so that
ω² = 36 K/(ρ a²), K = E/(3 (1 − 2ν)). One that stretches by 1 + s along x, 1 − s along y: ρ a²/12 s̈ = −2 μ s,
so that ω² = 24 μ/(ρ a²), μ = E/(2 (1 + ν)). Stress and strain are proportional at any stretch, so both are
harmonic.
"""

import numpy as np

EDGE, DENSITY, YOUNG, POISSON, RATE = 0.1, 1000.0, 1e6, 0.3, 300.0
BULK, SHEAR = YOUNG / (3 * (1 - 2 * POISSON)), YOUNG / (2 * (1 + POISSON))
BREATHING = np.sqrt(36 * BULK / (DENSITY * EDGE**2))
SHEARING = np.sqrt(24 * SHEAR / (DENSITY * EDGE**2))
SOURCE = "closed form"


def largest(result, name, exact):
    """The largest difference over all frames of a quantity from its exact values."""
    return np.abs(result.columns(name)[1].values - exact).max()


def truth(result):
    yield "ω of breathing", BREATHING, 1732.0508, 1e-4, "36 K/(ρ a²)"
    s = RATE / BREATHING * np.sin(BREATHING * result.time)
    for axis in ("xx", "yy", "zz"):
        error = largest(result, f"body.breathing.strain.{axis}", s + s**2 / 2)
        yield f"strain {axis} of the breathing cube, all frames", error, 0.0, 1e-8, SOURCE
    pressure = 3 * BULK * s / (1 + s) ** 2
    error = largest(result, "body.breathing.stress.zz", pressure)
    yield "stress of the breathing cube, all frames [Pa]", error, 0.0, 0.1, "3 K (s − 1)/s²"
    error = largest(result, "body.breathing.von_mises", 0.0)
    yield "its stress of von Mises [Pa]", error, 0.0, 1e-3, "its pressure is the same on all sides"
    s = RATE / SHEARING * np.sin(SHEARING * result.time)
    for axis, sign in (("xx", 1.0), ("yy", -1.0), ("zz", 0.0)):
        error = largest(result, f"body.shearing.strain.{axis}", sign * s + (sign * s) ** 2 / 2)
        yield f"strain {axis} of the shearing cube, all frames", error, 0.0, 1e-8, SOURCE
    energy = DENSITY * EDGE**5 / 24 * RATE**2 * (3 + 2)
    total = result.energy.kinetic + result.energy.potential
    yield "energy of both, all frames [J]", np.abs(total - energy).max(), 0.0, 1e-7, "ρ a⁵/24 Σ rate²"
