"""Tangents of finite-element bodies in blocks of their parts: nodes and groups. Compiled.

The velocity of a node is P δ with its free axes, or of a node of a group [1, −r̂ R] δ, r from the mass centre
in the axes of y, R of the principal axes. So a stiffness A_ab of nodes a, b is P_aᵀ A_ab P_b, and a force f
at a node of a group adds −∂(X × Rᵀ f)/∂θ = (X·Rᵀ f) 1 − Rᵀ f Xᵀ, X = Rᵀ r.

Blocks in their order: of each element those of all pairs of its nodes, without those that are held; then one
of each part with itself.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array, inlined, jit
from mbplugin.math.emitters.stack import stack_array
from mbplugin.math.vec3 import cross, load9, rotate_back, sub
from mbplugin_flexible.content import FlexibleContent
from mbplugin_flexible.layout import (
    CONNECTIVITY,
    DOF,
    ELEMENTS,
    FORCE,
    G_R,
    G_X,
    GROUP_NODE,
    GROUPED,
    GROUPS,
    MASS,
    MASS_DAMPING,
    NODE_OF_PART,
    NODE_PARTS,
    NODES,
    NUMBERS,
    STIFFNESS_DAMPING,
)
from mbplugin_flexible.state import at, group_of


def coupled_parts(content: FlexibleContent) -> Array:
    """(m, 2) parts of the rows and columns of the blocks."""
    part = content.layout.part_of_node[content.mesh.elements]  # (elements, k)
    k = part.shape[1]
    pairs = np.stack([np.repeat(part, k, axis=1), np.tile(part, (1, k))], axis=2).reshape(-1, 2)
    alone = np.arange(len(content.layout.parts))
    return np.concatenate([pairs[(pairs >= 0).all(axis=1)], np.column_stack([alone, alone])])


@jit
def places(p):
    """First places of connectivity and numbers, number of elements, stiffness-proportional damping."""
    return int(p[CONNECTIVITY]), int(p[NUMBERS]), int(p[ELEMENTS]), p[STIFFNESS_DAMPING]


@jit
def clear(A, n):
    for i in range(n):
        A[i] = 0.0


@jit
def put_motion(p, c, node, P):
    """P (3, 6) of a node, and how many of its columns there are."""
    dof, first = int(p[DOF]) + 3 * node, p[int(p[DOF]) + 3 * node]
    clear(P, 18)
    if first <= GROUPED:
        _, own = group_of(p, int(GROUPED - first))
        R, r = load9(c, own + G_R), sub(at(c, 3 * node), at(c, own + G_X))
        for k in range(3):
            turn = cross((R[k], R[3 + k], R[6 + k]), r)
            P[6 * k + k] = 1.0
            P[3 + k], P[9 + k], P[15 + k] = turn
        return 6
    count = 0
    for k in range(3):
        if p[dof + k] >= 0.0:
            P[6 * k + count] = 1.0
            count += 1
    return count


@jit
def put_block(A, first, wide, P, rows, Q, columns, out, at_out):
    """Pᵀ A Q of the (3, 3) part of A from `first`, whose rows are `wide`, to `out`, row by row."""
    for j in range(columns):
        for i in range(rows):
            s = 0.0
            for m in range(3):
                row = first + wide * m
                s += P[6 * m + i] * (A[row] * Q[j] + A[row + 1] * Q[6 + j] + A[row + 2] * Q[12 + j])
            out[at_out + columns * i + j] = s


@inlined
def put_tangent(v, p, c, K, D, k, A, B, add_tangent, add_damping):
    """K and D of the body by the functions of its elements, of k nodes; A, B: work arrays (9 k²,)."""
    nodes, numbers, count, beta = places(p)
    place = 0
    for e in range(count):
        clear(A, 9 * k * k)
        add_tangent(p, nodes, numbers, e, c, 0, A, 0)
        if beta != 0.0:
            clear(B, 9 * k * k)
            add_damping(p, nodes, numbers, e, c, 0, beta, B, 0)
        place = put_element(p, c, nodes + k * e, k, A, B, beta != 0.0, K, D, place)
    put_parts(v, p, c, K, D, place)


@jit
def put_element(p, c, nodes, k, A, B, damped, K, D, place):
    """The blocks of one element from its stiffness A and damping B (3 k, 3 k); returns the next place."""
    P, Q = stack_array(18), stack_array(18)
    for a in range(k):
        rows = put_motion(p, c, int(p[nodes + a]), P)
        for b in range(k if rows > 0 else 0):
            columns = put_motion(p, c, int(p[nodes + b]), Q)
            first = 9 * k * a + 3 * b
            put_block(A, first, 3 * k, P, rows, Q, columns, K, place)
            if damped:
                put_block(B, first, 3 * k, P, rows, Q, columns, D, place)
            place += rows * columns
    return place


@jit
def put_parts(v, p, c, K, D, place):
    """The blocks of each part with itself: damping by mass, the turn of groups under the forces on their
    nodes, and the gyroscopic moments.
    """
    alpha, mass = p[MASS_DAMPING], int(p[MASS])
    for part in range(int(p[NODE_PARTS])):
        node = int(p[int(p[NODE_OF_PART]) + part])
        count = 0
        for k in range(3):
            count += 1 if p[int(p[DOF]) + 3 * node + k] >= 0.0 else 0
        for k in range(count):
            D[place + (count + 1) * k] = alpha * p[mass + node]
        place += count * count
    for g in range(int(p[GROUPS])):
        record, own = group_of(p, g)
        R, first, first_v = load9(c, own + G_R), int(p[record + 7]), int(p[record + 1])
        for m in range(int(p[record + 2])):
            k = first + GROUP_NODE * m
            f = rotate_back(R, at(c, 3 * FORCE * int(p[NODES]) + 3 * int(p[k])))
            add_turned_moment(at(p, k + 1), f, K, place + 21, 6)
        w, J = at(v, first_v + 3), at(p, record + 4)
        L = (J[0] * w[0], J[1] * w[1], J[2] * w[2])
        for k in range(3):
            D[place + 7 * k] = alpha * p[record + 3]
            D[place + 21 + 7 * k] = alpha * J[k]
            i, j = (k + 1) % 3, (k + 2) % 3
            # ω̂ J − the cross product with J ω
            D[place + 21 + 6 * i + j] += L[k] - w[k] * J[j]
            D[place + 21 + 6 * j + i] += w[k] * J[i] - L[k]
        place += 36


@jit
def add_turned_moment(X, f, K, place, wide):
    """K += (X·f) 1 − f Xᵀ, rows of `wide` numbers: minus the change of the moment X × f by a turn."""
    s = X[0] * f[0] + X[1] * f[1] + X[2] * f[2]
    for i in range(3):
        for j in range(3):
            K[place + wide * i + j] += (s if i == j else 0.0) - f[i] * X[j]
