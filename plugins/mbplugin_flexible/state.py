"""From the coordinates of a finite-element body to its nodes, and from forces on nodes to its velocities.
Compiled. The places are in `layout.py`.
"""

from __future__ import annotations

from mbplugin.interface import jit
from mbplugin.math.emitters.arrays import part
from mbplugin.math.polar import spin_of, turning_inverse
from mbplugin.math.quat import load4, matrix
from mbplugin.math.vec3 import (
    ZERO,
    ZERO_MATRIX,
    add,
    add_outer,
    cross,
    load3,
    load9,
    rotate,
    rotate_back,
    scale,
    store3,
    store9,
    sub,
)
from mbplugin_flexible.layout import (
    ARMS,
    BIAS,
    CENTRE,
    DOF,
    F_A,
    F_INVERSE,
    F_R,
    F_V,
    F_W,
    F_W_BIAS,
    F_X,
    FORCE,
    FRAME,
    FRAME_SIZE,
    G_R,
    G_V,
    G_W,
    G_X,
    GROUP,
    GROUP_LIST,
    GROUP_SIZE,
    GROUPS,
    HELD,
    MASS,
    NODES,
    REST,
    TOTAL_MASS,
    GroupPlaces,
)
from mbplugin_flexible.mean import mean_rotation


@jit
def frame_of(ints):
    """First place of the mean frame in c."""
    return 3 * FRAME * ints[NODES]


@jit
def own_of(ints, g):
    """First place of group g in c."""
    return frame_of(ints) + FRAME_SIZE + GROUP_SIZE * g


@jit
def group_of(ints, g):
    """Group g."""
    k = ints[GROUP_LIST] + GROUP * g
    size, nodes = ints[k + 2], part(ints, ints[k + 3], ints[k + 2])
    return GroupPlaces(ints[k], ints[k + 1], size, nodes, ints[k + 4], own_of(ints, g))


@jit
def place_nodes(q, v, p, ints, c):
    """y and ẏ of all nodes, and their accelerations at v̇ = 0, which are those of a rigid turn or zero."""
    n, dof, rest = 3 * ints[NODES], ints[DOF], ints[REST]
    for i in range(n):
        k = ints[dof + i]
        if k >= 0:
            c[i], c[n + i] = q[k], v[k]
        elif k == HELD:
            c[i], c[n + i] = p[rest + i], 0.0
    for g in range(ints[GROUPS]):
        place_group(q, v, p, n, group_of(ints, g), c)


@jit
def place_group(q, v, p, n, group, c):
    """Place the nodes of a group that moves as one."""
    own, x, u = group.own, load3(q, group.first_q), load3(v, group.first_v)
    R = matrix(load4(q, group.first_q + 3))
    w = rotate(R, load3(v, group.first_v + 3))
    store3(c, own + G_X, x)
    store9(c, own + G_R, R)
    store3(c, own + G_W, w)
    store3(c, own + G_V, u)
    for m in range(group.size):
        i, arm = 3 * group.nodes[m], rotate(R, arm_of(p, group, m))
        swing = cross(w, arm)
        store3(c, i, add(x, arm))
        store3(c, n + i, add(u, swing))
        store3(c, BIAS * n + i, cross(w, swing))


@jit
def arm_of(p, group, m):
    """The place of node m of a group from its mass centre, in principal axes."""
    return load3(p, group.numbers + ARMS + 3 * m)


@jit
def place_frame(p, ints, c):
    """The mean frame: mass centre, rotation and their motion. NaN if the nodes are turned inside out."""
    n, mass, rest, centre = ints[NODES], ints[MASS], ints[REST], load3(p, CENTRE)
    x = u = a = ZERO
    A = A_dot = A_bias = ZERO_MATRIX
    for node in range(n):
        i, w = 3 * node, p[mass + node] / p[TOTAL_MASS]
        X = sub(load3(p, rest + i), centre)
        y, y_dot, bias = load3(c, i), load3(c, 3 * n + i), load3(c, 3 * BIAS * n + i)
        x, u, a = add(x, scale(w, y)), add(u, scale(w, y_dot)), add(a, scale(w, bias))
        A = add_outer(A, w, sub(y, centre), X)
        A_dot, A_bias = add_outer(A_dot, w, y_dot, X), add_outer(A_bias, w, bias, X)
    R, U = mean_rotation(A, 0.0)
    inverse = turning_inverse(U)
    spin, spin_bias = spin_of(R, U, inverse, A_dot, A_bias)
    f = frame_of(ints)
    for place, value in ((F_X, x), (F_V, u), (F_A, a), (F_W, spin), (F_W_BIAS, spin_bias)):
        store3(c, f + place, value)
    store9(c, f + F_R, R)
    store9(c, f + F_INVERSE, inverse)


@jit
def gather_forces(v, p, ints, c, h):
    """h from the forces of all nodes, and −ω × J ω of the groups."""
    n, dof = 3 * ints[NODES], ints[DOF]
    for i in range(n):
        k = ints[dof + i]
        if k >= 0:
            h[k] = c[FORCE * n + i]
    for g in range(ints[GROUPS]):
        group = group_of(ints, g)
        R = load9(c, group.own + G_R)
        force = moment = ZERO
        for m in range(group.size):
            f = load3(c, FORCE * n + 3 * group.nodes[m])
            force = add(force, f)
            moment = add(moment, cross(arm_of(p, group, m), rotate_back(R, f)))
        w, J = load3(v, group.first_v + 3), load3(p, group.numbers + 1)
        store3(h, group.first_v, force)
        store3(h, group.first_v + 3, sub(moment, cross(w, (J[0] * w[0], J[1] * w[1], J[2] * w[2]))))
