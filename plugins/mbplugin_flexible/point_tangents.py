"""The change of the generalized force of a constant wrench with the positions of nodes. Compiled.

Of the mean of nodes, with A = Σ w y Xᵀ = R U, Y g = Rᵀ τ, τ = t + R a × f and f_m = w (f + R (g × X))
(`mean.py`), a change dA turns R by φ, Y φ = ax(Rᵀ dA), and

    dU = Rᵀ dA − φ̂ U,   dY = tr(dU) 1 − dU,   d(Rᵀτ) = −φ × Rᵀ t + a × (Rᵀ f × φ)
    Y dg = d(Rᵀτ) − dY g,   df_m = w R (φ × (g × X) + dg × X)

Derived here; the kit takes differences.
"""

from __future__ import annotations

from mbplugin.interface import jit
from mbplugin.math.emitters.stack import stack_array
from mbplugin.math.polar import axial, crossed_with, turning_matrix, weighted
from mbplugin.math.vec3 import add, cross, load9, product_back, rotate, rotate_back, scale, sub
from mbplugin_flexible.layout import AXES, G_R, G_X, MEAN, MEAN_NODE, ON_GROUP
from mbplugin_flexible.mean import add_outer, inverse_of_turning, mean_rotation
from mbplugin_flexible.state import at, group_of
from mbplugin_flexible.tangents import put_motion


@jit
def put_geometric(p, c, r, force, torque, K):
    """K (moved, moved) of the point with the record r, of a wrench in world axes; zero on entry."""
    o, R0 = 1 + int(r[0]), load9(p, AXES)
    f, t = rotate_back(R0, force), rotate_back(R0, torque)
    if int(r[o]) == ON_GROUP:
        _, own = group_of(p, int(r[o + 1]))
        R = load9(c, own + G_R)
        add_moment(at(r, o + 2), rotate_back(R, f), K, 3)
        add_spin(rotate_back(R, t), K, 3)
    elif int(r[o]) == MEAN:
        put_geometric_of_mean(p, c, r, o, f, t, K)


@jit
def add_moment(X, f, K, first):
    """K += (X·f) 1 − f Xᵀ from the diagonal place `first`."""
    s = X[0] * f[0] + X[1] * f[1] + X[2] * f[2]
    for i in range(3):
        for j in range(3):
            K[first + i, first + j] += (s if i == j else 0.0) - f[i] * X[j]


@jit
def add_spin(t, K, first):
    """K −= the matrix of the cross product with t."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        K[first + i, first + j] += t[k]
        K[first + j, first + i] -= t[k]


@jit
def put_geometric_of_mean(p, c, r, o, f, t, K):
    nodes, count, arm = o + 15, int(r[o + 14]), at(r, o + 2)
    A = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for m in range(count):
        k = nodes + MEAN_NODE * m
        A = add_outer(A, r[k + 1], at(c, 3 * int(r[k])), at(r, k + 2))
    R, U = mean_rotation(A, r[o + 1])
    inverse = inverse_of_turning(U)
    fb, tb = rotate_back(R, f), rotate_back(R, t)
    g = rotate(inverse, add(tb, cross(arm, fb)))
    P, Q = stack_array(18), stack_array(18)
    for m in range(count):
        k = nodes + MEAN_NODE * m
        node, X, first = int(r[k]), at(r, k + 2), int(r[k + 5])
        columns = put_motion(p, c, node, P)
        for j in range(columns):
            none = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            L = product_back(R, add_outer(none, r[k + 1], (P[j], P[6 + j], P[12 + j]), X))
            phi = rotate(inverse, axial(L))
            dU = weighted(1.0, L, -1.0, crossed_with(phi, U))
            dY = turning_matrix(dU[0] + dU[4] + dU[8], dU)
            moved = add(cross(tb, phi), cross(arm, cross(fb, phi)))
            dg = rotate(inverse, sub(moved, rotate(dY, g)))
            for n in range(count):
                i = nodes + MEAN_NODE * n
                Z = at(r, i + 2)
                df = scale(r[i + 1], rotate(R, add(cross(phi, cross(g, Z)), cross(dg, Z))))
                for row in range(put_motion(p, c, int(r[i]), Q)):
                    change = Q[row] * df[0] + Q[6 + row] * df[1] + Q[12 + row] * df[2]
                    K[int(r[i + 5]) + row, first + j] -= change
        if r[k + 6] >= 0.0:
            _, own = group_of(p, int(r[k + 6]))
            Rg, y = load9(c, own + G_R), sub(at(c, 3 * node), at(c, own + G_X))
            on_node = scale(r[k + 1], add(f, rotate(R, cross(g, X))))
            add_moment(rotate_back(Rg, y), rotate_back(Rg, on_node), K, first + 3)
