"""Momentum and angular momentum of the whole, summed over the bodies: no wrench acts from outside."""

import numpy as np

#: body, mass, principal moments
BODIES = [
    ("base", 20.0, (1.2, 1.5, 1.1)),
    ("upper", 2.0, (0.004, 0.17, 0.17)),
    ("lower", 1.5, (0.003, 0.09, 0.09)),
    ("wheel", 1.0, (0.01, 0.01, 0.02)),
    ("boom", 0.8, (0.03, 0.03, 0.002)),
]


def rotated(q, v):
    """Vectors (n, 3) turned by quaternions (n, 4): v + 2 w (u × v) + 2 u × (u × v)."""
    u = q[:, 1:]
    t = 2.0 * np.cross(u, v)
    return v + q[:, :1] * t + np.cross(u, t)


def truth(result):
    P, L = 0.0, 0.0
    for name, mass, moments in BODIES:
        body = result[name]
        back = body.orientation * np.array([1.0, -1.0, -1.0, -1.0])
        spin = rotated(body.orientation, np.array(moments) * rotated(back, body.angular_velocity))
        P = P + mass * body.center_of_mass_velocity
        L = L + spin + np.cross(body.center_of_mass, mass * body.center_of_mass_velocity)
    for what, values in (("momentum", P), ("angular momentum", L)):
        size = np.linalg.norm(L[0])
        drift = np.abs(values - values[0]).max()
        yield what, drift, 0.0, 1e-13 * size, "no wrench from outside, 10 s at steps of 20 ms"
    yield "angular momentum at the start", L[0, 2], 0.6, 1e-12, "of the wheel, all else at rest"
    turned = 2 * np.arccos(np.clip(np.abs(result["base"].orientation[:, 0]), 0, 1)).max()
    yield "turn of the base", float(turned > 0.5), 1.0, 0.5, "more than half a radian by inner motions"
