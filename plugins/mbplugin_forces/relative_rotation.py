"""The rotation vector θ of a relative rotation, and moments that belong to it.

    R = exp [θ]×,   δθ = J⁻¹ w,   J⁻¹ = 1 − ½ [θ]× + β [θ]×²,   β = (1 − ½φ cot ½φ)/φ²,   φ = |θ|

w is a small rotation of R from the left, δR = [w]× R. A moment m = ∂V/∂θ does the work m·δθ = (J⁻ᵀ m)·w, so
that J⁻ᵀ m is the torque. With h = 1 − cos φ and g = φ/sin φ, φ² = g² h (2 − h) and ½φ cot ½φ = g (1 − ½h).
Left Jacobian: T. D. Barfoot, State Estimation for Robotics (2017), eq. 7.82; the derivatives are our own, and
the conformance kit checks them against differences.
"""

from __future__ import annotations

from math import acos, atan2, sqrt

import numpy as np

from mbplugin.interface import Array, Known, jit
from mbplugin.math.vec3 import add_outer, cross, dot

#: h = 1 − cos φ below which g, β and γ are summed as series: about 8 degrees
SMALL = 0.01


@jit
def rotation_vector(R):
    """θ [rad] of a rotation matrix, nine numbers, |θ| ≤ π; with h and g."""
    s = (0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1]))
    h = 1.5 - 0.5 * (R[0] + R[4] + R[8])
    if h < SMALL:
        # Σ (2h)ⁿ (n!)²/(2n + 1)!
        g = 1.0 + h * (1 / 3 + h * (2 / 15 + h * (2 / 35 + h * (8 / 315 + h * (8 / 693 + h * 16 / 3003)))))
    else:
        sine = sqrt(dot(s, s))
        g = atan2(sine, 1.0 - h) / sine if sine > 0.0 else 0.0
    return (g * s[0], g * s[1], g * s[2]), h, g


@jit
def coefficients(theta, h, g):
    """β and γ = dβ/d(φ²)."""
    q = dot(theta, theta)
    if h < SMALL:
        # of the series of cot, with the numbers of Bernoulli
        beta = 1 / 12 + q * (1 / 720 + q * (1 / 30240 + q * (1 / 1209600 + q / 47900160)))
        last = 1 / 11975040 + q * 3455 / 1307674368000
        return beta, 1 / 720 + q * (1 / 15120 + q * (1 / 403200 + q * last))
    y = g * (1.0 - 0.5 * h)
    return (1.0 - y) / q, ((0.5 * y - 1.0) / q + 0.25 / h) / q


@jit
def torque_of(theta, beta, m):
    """J⁻ᵀ m = m + ½ θ × m + β θ × (θ × m)."""
    c = cross(theta, m)
    cc = cross(theta, c)
    return (
        m[0] + 0.5 * c[0] + beta * cc[0],
        m[1] + 0.5 * c[1] + beta * cc[1],
        m[2] + 0.5 * c[2] + beta * cc[2],
    )


@jit
def inverse_jacobian(theta, beta):
    """J⁻¹ as nine numbers."""
    x, y, z = theta
    d = 1.0 - beta * dot(theta, theta)
    return (
        d + beta * x * x, beta * x * y + 0.5 * z, beta * x * z - 0.5 * y,
        beta * x * y - 0.5 * z, d + beta * y * y, beta * y * z + 0.5 * x,
        beta * x * z + 0.5 * y, beta * y * z - 0.5 * x, d + beta * z * z,
    )  # fmt: skip


@jit
def torque_slope(theta, beta, gamma, m):
    """∂(J⁻ᵀ m)/∂θ at constant m: −½ [m]× + β ((θ·m) 1 + θ mᵀ − 2 m θᵀ) + 2γ θ × (θ × m) θᵀ."""
    s = beta * dot(theta, m)
    x, y, z = 0.5 * m[0], 0.5 * m[1], 0.5 * m[2]
    A = add_outer((s, z, -y, -z, s, x, y, -x, s), beta, theta, m)
    A = add_outer(A, -2.0 * beta, m, theta)
    return add_outer(A, 2.0 * gamma, cross(theta, cross(theta, m)), theta)


def matrix_of(theta: Array) -> Array:
    """The rotation matrix (3, 3) of a rotation vector (3,) [rad]."""
    x, y, z = theta
    phi = float(np.linalg.norm(theta))
    A = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    # sin φ/φ and (1 − cos φ)/φ², the latter without cancellation
    return np.eye(3) + np.sinc(phi / np.pi) * A + 0.5 * np.sinc(0.5 * phi / np.pi) ** 2 * (A @ A)


@jit
def ratio(c):
    """g = φ/sin φ by c = cos φ."""
    h = 1.0 - c
    if h < SMALL:
        return 1.0 + h * (1 / 3 + h * (2 / 15 + h * (2 / 35 + h * (8 / 315 + h * (8 / 693 + h * 16 / 3003)))))
    return acos(c) / sqrt(h * (2.0 - h))


@jit
def ratio_slope(c):
    """dg/dc, by (1 − c²) g' = c g − 1."""
    h = 1.0 - c
    if h < SMALL:
        return -(1 / 3 + h * (4 / 15 + h * (6 / 35 + h * (32 / 315 + h * (40 / 693 + h * 32 / 1001)))))
    return (c * ratio(c) - 1.0) / (h * (2.0 - h))


@jit
def ratio_curvature(c):
    """d²g/dc², by (1 − c²) g'' = 3 c g' + g."""
    h = 1.0 - c
    if h < SMALL:
        return 4 / 15 + h * (12 / 35 + h * (32 / 105 + h * (160 / 693 + h * (160 / 1001 + h * 224 / 2145))))
    return (3.0 * c * ratio_slope(c) + ratio(c)) / (h * (2.0 - h))


#: for functions that are derived
g_of_cosine = Known(ratio, ratio_slope, ratio_curvature)
