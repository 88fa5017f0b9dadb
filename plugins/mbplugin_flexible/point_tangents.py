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
from mbplugin.math.patch import add_cross, add_cross_cross
from mbplugin.math.polar import axial, crossed_with, turning_inverse, turning_matrix, weighted
from mbplugin.math.vec3 import (
    ZERO_MATRIX,
    add,
    add_outer,
    cross,
    load3,
    load9,
    product_back,
    rotate,
    rotate_back,
    scale,
    sub,
)
from mbplugin_flexible.layout import AXES, G_R, G_X, MEAN, MEAN_NODE, ON_GROUP
from mbplugin_flexible.mean import mean_rotation
from mbplugin_flexible.state import own_of
from mbplugin_flexible.tangents import put_motion


@jit
def put_geometric(p, ints, c, r, force, torque, K):
    """K (moved, moved) of the point with the record r, of a wrench in world axes; zero on entry."""
    o, R0 = 1 + int(r[0]), load9(p, AXES)
    f, t = rotate_back(R0, force), rotate_back(R0, torque)
    if int(r[o]) == ON_GROUP:
        own = own_of(ints, int(r[o + 1]))
        R = load9(c, own + G_R)
        add_cross_cross(K, 3, 3, -1.0, load3(r, o + 2), rotate_back(R, f))
        add_cross(K, 3, 3, -1.0, rotate_back(R, t))
    elif int(r[o]) == MEAN:
        put_geometric_of_mean(ints, c, r, o, f, t, K)


@jit
def put_geometric_of_mean(ints, c, r, o, f, t, K):
    nodes, count, arm = o + 15, int(r[o + 14]), load3(r, o + 2)
    A = ZERO_MATRIX
    for m in range(count):
        k = nodes + MEAN_NODE * m
        A = add_outer(A, r[k + 1], load3(c, 3 * int(r[k])), load3(r, k + 2))
    R, U = mean_rotation(A, r[o + 1])
    inverse = turning_inverse(U)
    fb, tb = rotate_back(R, f), rotate_back(R, t)
    g = rotate(inverse, add(tb, cross(arm, fb)))
    P, Q = stack_array(18), stack_array(18)
    for m in range(count):
        k = nodes + MEAN_NODE * m
        node, X, first = int(r[k]), load3(r, k + 2), int(r[k + 5])
        columns = put_motion(ints, c, node, P)
        for j in range(columns):
            L = product_back(R, add_outer(ZERO_MATRIX, r[k + 1], (P[j], P[6 + j], P[12 + j]), X))
            phi = rotate(inverse, axial(L))
            dU = weighted(1.0, L, -1.0, crossed_with(phi, U))
            dY = turning_matrix(dU)
            moved = add(cross(tb, phi), cross(arm, cross(fb, phi)))
            dg = rotate(inverse, sub(moved, rotate(dY, g)))
            for n in range(count):
                i = nodes + MEAN_NODE * n
                Z = load3(r, i + 2)
                df = scale(r[i + 1], rotate(R, add(cross(phi, cross(g, Z)), cross(dg, Z))))
                for row in range(put_motion(ints, c, int(r[i]), Q)):
                    change = Q[row] * df[0] + Q[6 + row] * df[1] + Q[12 + row] * df[2]
                    K[int(r[i + 5]) + row, first + j] -= change
        if r[k + 6] >= 0.0:
            own = own_of(ints, int(r[k + 6]))
            Rg, y = load9(c, own + G_R), sub(load3(c, 3 * node), load3(c, own + G_X))
            on_node = scale(r[k + 1], add(f, rotate(R, cross(g, X))))
            add_cross_cross(K, first + 3, first + 3, -1.0, rotate_back(Rg, y), rotate_back(Rg, on_node))
