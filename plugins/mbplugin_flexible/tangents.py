"""Tangents of finite-element bodies in blocks of their parts: nodes and groups. Compiled.

The velocity of a node is P δ with its free axes, or of a node of a group [1, −r̂ R] δ, r from the mass centre
in the axes of y, R of the principal axes. So a stiffness A_ab of nodes a, b is P_aᵀ A_ab P_b, and a force f
at a node of a group adds −∂(X × Rᵀ f)/∂θ = (X·Rᵀ f) 1 − Rᵀ f Xᵀ, X = Rᵀ r.

Blocks in their order: of each element those of all pairs of its nodes, without those that are held; then one
of each part with itself.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array, jit
from mbplugin.math.emitters.arrays import part
from mbplugin.math.emitters.stack import stack_array
from mbplugin.math.patch import add_cross_cross, add_gyroscopic
from mbplugin.math.vec3 import cross, load3, load9, rotate_back, sub
from mbplugin_flexible.content import FlexibleContent
from mbplugin_flexible.elements import Elements
from mbplugin_flexible.layout import (
    CONNECTIVITY,
    DOF,
    ELEMENTS,
    FORCE,
    G_R,
    G_X,
    GROUPED,
    GROUPS,
    MASS,
    MASS_DAMPING,
    NODE_OF_PART,
    NODE_PARTS,
    NODES,
    NUMBERS,
    OF_ELEMENTS,
)
from mbplugin_flexible.state import arm_of, group_of, own_of


def coupled_parts(content: FlexibleContent) -> Array:
    """(m, 2) parts of the rows and columns of the blocks."""
    part = content.layout.part_of_node[content.mesh.elements]  # (elements, k)
    k = part.shape[1]
    pairs = np.stack([np.repeat(part, k, axis=1), np.tile(part, (1, k))], axis=2).reshape(-1, 2)
    alone = np.arange(len(content.layout.parts))
    return np.concatenate([pairs[(pairs >= 0).all(axis=1)], np.column_stack([alone, alone])])


@jit
def elements_of(p, ints):
    """The elements of a body."""
    nodes, numbers, integers = ints[CONNECTIVITY], ints[NUMBERS], ints[OF_ELEMENTS]
    return Elements(
        ints[ELEMENTS],
        part(ints, nodes, integers - nodes),
        part(p, numbers, len(p) - numbers),
        part(ints, integers, len(ints) - integers),
    )


@jit
def clear(A, n):
    for i in range(n):
        A[i] = 0.0


@jit
def put_motion(ints, c, node, P):
    """P (3, 6) of a node, and how many of its columns there are."""
    dof = ints[DOF] + 3 * node
    clear(P, 18)
    if ints[dof] <= GROUPED:
        own = own_of(ints, GROUPED - ints[dof])
        R, r = load9(c, own + G_R), sub(load3(c, 3 * node), load3(c, own + G_X))
        for k in range(3):
            turn = cross((R[k], R[3 + k], R[6 + k]), r)
            P[6 * k + k] = 1.0
            P[3 + k], P[9 + k], P[15 + k] = turn
        return 6
    count = 0
    for k in range(3):
        if ints[dof + k] >= 0:
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


@jit
def put_element(ints, c, nodes, k, A, B, damped, K, D, place):
    """The blocks of one element of `nodes` (k,) from its stiffness A and damping B (3 k, 3 k); returns the
    next place.
    """
    P, Q = stack_array(18), stack_array(18)
    for a in range(k):
        rows = put_motion(ints, c, nodes[a], P)
        for b in range(k if rows > 0 else 0):
            columns = put_motion(ints, c, nodes[b], Q)
            first = 9 * k * a + 3 * b
            put_block(A, first, 3 * k, P, rows, Q, columns, K, place)
            if damped:
                put_block(B, first, 3 * k, P, rows, Q, columns, D, place)
            place += rows * columns
    return place


@jit
def put_parts(v, p, ints, c, K, D, place):
    """The blocks of each part with itself: damping by mass, the turn of groups under the forces on their
    nodes, and the gyroscopic moments.
    """
    alpha, mass, n = p[MASS_DAMPING], ints[MASS], ints[NODES]
    for number in range(ints[NODE_PARTS]):
        node = ints[ints[NODE_OF_PART] + number]
        count = 0
        for k in range(3):
            count += 1 if ints[ints[DOF] + 3 * node + k] >= 0 else 0
        for k in range(count):
            D[place + (count + 1) * k] = alpha * p[mass + node]
        place += count * count
    for g in range(ints[GROUPS]):
        group = group_of(ints, g)
        R, stiffness = load9(c, group.own + G_R), part(K, place, 36).reshape((6, 6))
        for m in range(group.size):
            f = rotate_back(R, load3(c, 3 * (FORCE * n + group.nodes[m])))
            add_cross_cross(stiffness, 3, 3, -1.0, arm_of(p, group, m), f)
        w, J = load3(v, group.first_v + 3), load3(p, group.numbers + 1)
        damping = part(D, place, 36).reshape((6, 6))
        for k in range(3):
            damping[k, k] = alpha * p[group.numbers]
            damping[3 + k, 3 + k] = alpha * J[k]
        add_gyroscopic(damping, 3, 3, J, w)
        place += 36
