"""The mean position and rotation of weighted nodes, as of a rigid body that fits them best.

    y_m = Σ w y,   A = Σ w y Xᵀ = R U,  Σ w = 1, Σ w X = 0        R by polar decomposition
    Y ω = ax(RᵀȦ) in the axes of R,   Y = tr(U) 1 − U
    Y ω̇ = ax(L̇) − Ẏ ω,  L = RᵀȦ,  L̇ = RᵀÄ − ω̂ L,  U̇ = L − ω̂ U,  Ẏ = tr(U̇) 1 − U̇

A force f and a moment τ about y_m give the node w (f + R (g × X)), Y g = Rᵀτ. Of nodes in a plane A has the
rank 2; the third axis of R is then perpendicular to the other two.

That R fits best in the sense of least squares: W. Kabsch, Acta Cryst. A 32 (1976) 922–923.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import jit
from mbplugin.math.polar import axial, crossed_with, inverse_transposed, polar, turning_matrix, weighted
from mbplugin.math.vec3 import add, cross, product_back, rotate, scale, sub


@jit
def add_outer(A, w, y, X):
    """A + w y Xᵀ."""
    a, b, c = w * y[0], w * y[1], w * y[2]
    return (
        A[0] + a * X[0], A[1] + a * X[1], A[2] + a * X[2],
        A[3] + b * X[0], A[4] + b * X[1], A[5] + b * X[2],
        A[6] + c * X[0], A[7] + c * X[1], A[8] + c * X[2],
    )  # fmt: skip


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
def inverse_of_turning(U):
    """Y⁻¹; it is symmetric."""
    return inverse_transposed(turning_matrix(U[0] + U[4] + U[8], U))


@jit
def mean_spin(R, U, inverse, A_dot, A_bias):
    """ω and its rate at v̇ = 0, both in the axes of y."""
    L = product_back(R, A_dot)
    w = rotate(inverse, axial(L))
    U_dot = weighted(1.0, L, -1.0, crossed_with(w, U))
    L_dot = weighted(1.0, product_back(R, A_bias), -1.0, crossed_with(w, L))
    moved = rotate(turning_matrix(U_dot[0] + U_dot[4] + U_dot[8], U_dot), w)
    return rotate(R, w), rotate(R, rotate(inverse, sub(axial(L_dot), moved)))


@jit
def of_point(arm, u, w, a, w_bias):
    """Velocity, and acceleration at v̇ = 0, of a point with this arm from the mean position."""
    swing = cross(w, arm)
    return add(u, swing), add(a, add(cross(w_bias, arm), cross(w, swing)))
