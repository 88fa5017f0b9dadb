"""The mean position and rotation of weighted nodes, as of a rigid body that fits them best.

    y_m = Σ w y,   A = Σ w y Xᵀ = R U,  Σ w = 1, Σ w X = 0        R by polar decomposition
    ω and ω̇ of R by `spin_of`, with Y = tr(U) 1 − U

A force f and a moment τ about y_m give the node w (f + R (g × X)), Y g = Rᵀτ. Of nodes in a plane A has the
rank 2; the third axis of R is then perpendicular to the other two.

That R fits best in the sense of least squares: W. Kabsch, Acta Cryst. A 32 (1976) 922–923.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import jit
from mbplugin.math.polar import polar
from mbplugin.math.vec3 import add, cross, product_back, scale


@jit
def mean_rotation(A, planar):
    """R and U; planar: A has no third column."""
    if planar == 0.0:
        return polar(A)
    a, b = (A[0], A[3], A[6]), (A[1], A[4], A[7])
    n = cross(a, b)
    size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    n = scale(1.0 / sqrt(size), n)
    R, _ = polar((A[0], A[1], n[0], A[3], A[4], n[1], A[6], A[7], n[2]))
    return R, product_back(R, A)


@jit
def of_point(arm, u, w, a, w_bias):
    """Velocity, and acceleration at v̇ = 0, of a point with this arm from the mean position."""
    swing = cross(w, arm)
    return add(u, swing), add(a, add(cross(w_bias, arm), cross(w, swing)))
