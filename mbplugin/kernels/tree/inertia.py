"""Articulated inertias of trees: what a link with all that it carries opposes to an acceleration.

    U = I S,   D = Sᵀ U + armature,   I' = I − U D⁻¹ Uᵀ                 what the joint passes on
    H' = H + [r] M,   A' = A − H [r] + [r] H'ᵀ                          about the origin of the next link

I is a matrix of 21 numbers (`numbers.py`). D of one velocity is stored as its inverse, of several as a
Cholesky factor whose diagonal is inverted.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.flat import articulate_flat, show_in_space
from mbplugin.kernels.tree.numbers import ARM, ARTICULATED, NUMBERS, OWN, POSE, get, put, times_articulated
from mbplugin.kernels.view import view
from mbplugin.math.dense import cholesky
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import dot, load9, rotate
from mbplugin.math.vectors import copy_range
from mbplugin.tables.groups import Status, Trees
from mbplugin.tables.status import NO_MASS


@inlined
def own_inertia(trees, i):
    """The inertia of link i itself, about its origin in world axes, also as the articulated one."""
    n, o, a = NUMBERS * i, OWN * i, ARTICULATED * i
    R = load9(trees.pose, POSE * i)
    d, m = rotate(R, get(trees.fixed, n + 12)), trees.fixed[n + 15]
    J = trees.fixed
    j = n + 16
    rows = ((R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8]))
    p = (
        (
            rows[0][0] * J[j] + rows[0][1] * J[j + 3] + rows[0][2] * J[j + 4],
            rows[0][0] * J[j + 3] + rows[0][1] * J[j + 1] + rows[0][2] * J[j + 5],
            rows[0][0] * J[j + 4] + rows[0][1] * J[j + 5] + rows[0][2] * J[j + 2],
        ),
        (
            rows[1][0] * J[j] + rows[1][1] * J[j + 3] + rows[1][2] * J[j + 4],
            rows[1][0] * J[j + 3] + rows[1][1] * J[j + 1] + rows[1][2] * J[j + 5],
            rows[1][0] * J[j + 4] + rows[1][1] * J[j + 5] + rows[1][2] * J[j + 2],
        ),
        (
            rows[2][0] * J[j] + rows[2][1] * J[j + 3] + rows[2][2] * J[j + 4],
            rows[2][0] * J[j + 3] + rows[2][1] * J[j + 1] + rows[2][2] * J[j + 5],
            rows[2][0] * J[j + 4] + rows[2][1] * J[j + 5] + rows[2][2] * J[j + 2],
        ),
    )
    md = (m * d[0], m * d[1], m * d[2])
    I = trees.articulated
    I[a] = dot(p[0], rows[0]) + md[1] * d[1] + md[2] * d[2]
    I[a + 1] = dot(p[1], rows[1]) + md[0] * d[0] + md[2] * d[2]
    I[a + 2] = dot(p[2], rows[2]) + md[0] * d[0] + md[1] * d[1]
    I[a + 3] = dot(p[0], rows[1]) - md[0] * d[1]
    I[a + 4] = dot(p[0], rows[2]) - md[0] * d[2]
    I[a + 5] = dot(p[1], rows[2]) - md[1] * d[2]
    I[a + 6], I[a + 7], I[a + 8] = 0.0, -md[2], md[1]
    I[a + 9], I[a + 10], I[a + 11] = md[2], 0.0, -md[0]
    I[a + 12], I[a + 13], I[a + 14] = -md[1], md[0], 0.0
    I[a + 15], I[a + 16], I[a + 17] = m, m, m
    I[a + 18], I[a + 19], I[a + 20] = 0.0, 0.0, 0.0
    copy_range(I, a, trees.own, o, 6)
    put(trees.own, o + 6, md)
    trees.own[o + 9] = m


@inlined
def subtract_square(I, a, U, u, f):
    """I ← I − f U Uᵀ."""
    u0, u1, u2, u3, u4, u5 = U[u], U[u + 1], U[u + 2], U[u + 3], U[u + 4], U[u + 5]
    v0, v1, v2, v3, v4, v5 = f * u0, f * u1, f * u2, f * u3, f * u4, f * u5
    I[a] -= u0 * v0
    I[a + 1] -= u1 * v1
    I[a + 2] -= u2 * v2
    I[a + 3] -= u0 * v1
    I[a + 4] -= u0 * v2
    I[a + 5] -= u1 * v2
    I[a + 6] -= u0 * v3
    I[a + 7] -= u0 * v4
    I[a + 8] -= u0 * v5
    I[a + 9] -= u1 * v3
    I[a + 10] -= u1 * v4
    I[a + 11] -= u1 * v5
    I[a + 12] -= u2 * v3
    I[a + 13] -= u2 * v4
    I[a + 14] -= u2 * v5
    I[a + 15] -= u3 * v3
    I[a + 16] -= u4 * v4
    I[a + 17] -= u5 * v5
    I[a + 18] -= u3 * v4
    I[a + 19] -= u3 * v5
    I[a + 20] -= u4 * v5


@inlined
def add_moved(I, a, b, r):
    """I at b ← I at b + the inertia at a about a point at −r from its own."""
    M0, M1, M2, M3, M4, M5 = I[a + 15], I[a + 16], I[a + 17], I[a + 18], I[a + 19], I[a + 20]
    H0, H1, H2, H3, H4, H5, H6, H7, H8 = load9(I, a + 6)
    r0, r1, r2 = r
    G0 = H0 + r1 * M4 - r2 * M3
    G1 = H1 + r1 * M5 - r2 * M1
    G2 = H2 + r1 * M2 - r2 * M5
    G3 = H3 + r2 * M0 - r0 * M4
    G4 = H4 + r2 * M3 - r0 * M5
    G5 = H5 + r2 * M4 - r0 * M2
    G6 = H6 + r0 * M3 - r1 * M0
    G7 = H7 + r0 * M1 - r1 * M3
    G8 = H8 + r0 * M5 - r1 * M4
    I[b] += I[a] - (H1 * r2 - H2 * r1) + (r1 * G2 - r2 * G1)
    I[b + 1] += I[a + 1] - (H5 * r0 - H3 * r2) + (r2 * G3 - r0 * G5)
    I[b + 2] += I[a + 2] - (H6 * r1 - H7 * r0) + (r0 * G7 - r1 * G6)
    I[b + 3] += I[a + 3] - (H2 * r0 - H0 * r2) + (r1 * G5 - r2 * G4)
    I[b + 4] += I[a + 4] - (H0 * r1 - H1 * r0) + (r1 * G8 - r2 * G7)
    I[b + 5] += I[a + 5] - (H3 * r1 - H4 * r0) + (r2 * G6 - r0 * G8)
    I[b + 6] += G0
    I[b + 7] += G1
    I[b + 8] += G2
    I[b + 9] += G3
    I[b + 10] += G4
    I[b + 11] += G5
    I[b + 12] += G6
    I[b + 13] += G7
    I[b + 14] += G8
    I[b + 15] += M0
    I[b + 16] += M1
    I[b + 17] += M2
    I[b + 18] += M3
    I[b + 19] += M4
    I[b + 20] += M5


@internal
def eliminate_several(trees, link, a):
    """U, D and I' of a joint with several velocities; U is then L⁻¹ U. Returns False if D has no factor."""
    k, s, D = link.rates, 6 * link.first_rate, link.first_D
    for r in range(k):
        n, f = times_articulated(trees.articulated, a, get(trees.S, s + 6 * r), get(trees.S, s + 6 * r + 3))
        put(trees.U, s + 6 * r, n)
        put(trees.U, s + 6 * r + 3, f)
    for r in range(k):
        for c in range(k):
            x = 0.0
            for j in range(6):
                x += trees.S[s + 6 * r + j] * trees.U[s + 6 * c + j]
            trees.D[D + r * k + c] = x
        trees.D[D + r * k + r] += trees.armature[link.first_rate + r]
    if not cholesky(trees.D, D, k):
        return False
    for r in range(k):
        for j in range(6):
            x = trees.U[s + 6 * r + j]
            for c in range(r):
                x -= trees.D[D + r * k + c] * trees.U[s + 6 * c + j]
            trees.U[s + 6 * r + j] = x * trees.D[D + r * k + r]
        subtract_square(trees.articulated, a, trees.U, s + 6 * r, 1.0)
    return True


@internal
def articulate(trees, first, end):
    """U, D and articulated inertias of the links from `first` to `end`. Returns the number of a link whose
    velocities move no mass; −1: there is none.
    """
    I = trees.articulated
    for i in range(end - 1, first - 1, -1):
        link = trees.link[i]
        a, s = ARTICULATED * i, 6 * link.first_rate
        if link.rates == 1:
            n, f = times_articulated(I, a, get(trees.S, s), get(trees.S, s + 3))
            put(trees.U, s, n)
            put(trees.U, s + 3, f)
            D = dot(get(trees.S, s), n) + dot(get(trees.S, s + 3), f) + trees.armature[link.first_rate]
            if not D > 0.0:
                return i
            trees.D[link.first_D] = 1.0 / D
            if link.parent >= 0:
                subtract_square(I, a, trees.U, s, 1.0 / D)
        elif link.rates > 1 and not eliminate_several(trees, link, a):
            return i
        if link.parent >= 0:
            add_moved(I, a, ARTICULATED * link.parent, get(trees.pose, POSE * i + ARM))
    return -1


@by_address(when="spatial")
def articulate_spatial(tables, t):
    """Inertias of the links of tree t themselves, U, D and articulated inertias. Returns the number of a link
    whose velocities move no mass; −1: there is none.
    """
    trees = view(tables, Trees)
    first = trees.index[t].first_link
    end = first + trees.index[t].links
    for i in range(first, end):
        own_inertia(trees, i)
    return articulate(trees, first, end)


@internal
def inertias_in_space(tables, t):
    """Poses, S, biases and own inertias in space of the links of tree t, where it moves in a plane and has
    them there.
    """
    trees = view(tables, Trees)
    tree = trees.index[t]
    if tree.flat == 1:
        if tree.located == 0:
            show_in_space(tables, t)
        for i in range(tree.first_link, tree.first_link + tree.links):
            own_inertia(trees, i)


@by_address(when="tree")
def articulate_trees(tables, first, count):
    """Articulated inertias of `count` trees. Returns a status: NO_MASS, or 0."""
    trees = view(tables, Trees)
    for t in range(first, first + count):
        failed = articulate_flat(tables, t) if trees.index[t].flat == 1 else articulate_spatial(tables, t)
        if failed >= 0:
            view(tables, Status).batch[0] = failed
            return NO_MASS
    return 0
