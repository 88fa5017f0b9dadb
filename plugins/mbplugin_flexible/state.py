"""From the coordinates of a finite-element body to its nodes, and from forces on nodes to its velocities.
Compiled. The places are in `layout.py`.
"""

from __future__ import annotations

from mbplugin.interface import jit
from mbplugin.math.quat import matrix
from mbplugin.math.vec3 import add, cross, load9, rotate, rotate_back, scale, sub
from mbplugin_flexible.layout import (
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
    GROUP_NODE,
    GROUP_SIZE,
    GROUPS,
    HELD,
    MASS,
    NODES,
    REST,
    TOTAL_MASS,
)
from mbplugin_flexible.mean import add_outer, inverse_of_turning, mean_rotation, mean_spin


@jit
def at(c, i):
    return (c[i], c[i + 1], c[i + 2])


@jit
def put(c, i, a):
    c[i], c[i + 1], c[i + 2] = a


@jit
def frame_of(p):
    """First place of the mean frame in c."""
    return 3 * FRAME * int(p[NODES])


@jit
def group_of(p, g):
    """First places of group g in p and in c."""
    return int(p[GROUP_LIST]) + GROUP * g, frame_of(p) + FRAME_SIZE + GROUP_SIZE * g


@jit
def place_nodes(q, v, p, c):
    """y and ẏ of all nodes, and their accelerations at v̇ = 0, which are those of a rigid turn or zero."""
    n, dof, rest = 3 * int(p[NODES]), int(p[DOF]), int(p[REST])
    for i in range(n):
        k = p[dof + i]
        if k >= 0.0:
            c[i], c[n + i] = q[int(k)], v[int(k)]
        elif k == HELD:
            c[i], c[n + i] = p[rest + i], 0.0
    for g in range(int(p[GROUPS])):
        place_group(q, v, p, c, g)


@jit
def place_group(q, v, p, c, g):
    """The same of a group that moves as one."""
    n, (record, own) = 3 * int(p[NODES]), group_of(p, g)
    first_q, first_v, first = int(p[record]), int(p[record + 1]), int(p[record + 7])
    x, u = at(q, first_q), at(v, first_v)
    R = matrix((q[first_q + 3], q[first_q + 4], q[first_q + 5], q[first_q + 6]))
    w = rotate(R, at(v, first_v + 3))
    put(c, own + G_X, x)
    put(c, own + G_W, w)
    put(c, own + G_V, u)
    for k in range(9):
        c[own + G_R + k] = R[k]
    for m in range(int(p[record + 2])):
        node = first + GROUP_NODE * m
        i, arm = 3 * int(p[node]), rotate(R, at(p, node + 1))
        swing = cross(w, arm)
        put(c, i, add(x, arm))
        put(c, n + i, add(u, swing))
        put(c, BIAS * n + i, cross(w, swing))


@jit
def place_frame(p, c):
    """The mean frame: mass centre, rotation and their motion. NaN if the nodes are turned inside out."""
    n, mass, rest, centre = int(p[NODES]), int(p[MASS]), int(p[REST]), at(p, CENTRE)
    x = u = a = (0.0, 0.0, 0.0)
    A = A_dot = A_bias = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for node in range(n):
        i, w = 3 * node, p[mass + node] / p[TOTAL_MASS]
        X = sub(at(p, rest + i), centre)
        y, y_dot, bias = at(c, i), at(c, 3 * n + i), at(c, 3 * BIAS * n + i)
        x, u, a = add(x, scale(w, y)), add(u, scale(w, y_dot)), add(a, scale(w, bias))
        A = add_outer(A, w, sub(y, centre), X)
        A_dot, A_bias = add_outer(A_dot, w, y_dot, X), add_outer(A_bias, w, bias, X)
    R, U = mean_rotation(A, 0.0)
    inverse = inverse_of_turning(U)
    spin, spin_bias = mean_spin(R, U, inverse, A_dot, A_bias)
    f = frame_of(p)
    for place, value in ((F_X, x), (F_V, u), (F_A, a), (F_W, spin), (F_W_BIAS, spin_bias)):
        put(c, f + place, value)
    for k in range(9):
        c[f + F_R + k], c[f + F_INVERSE + k] = R[k], inverse[k]


@jit
def gather_forces(v, p, c, h):
    """h from the forces of all nodes, and −ω × J ω of the groups."""
    n, dof = 3 * int(p[NODES]), int(p[DOF])
    for i in range(n):
        k = p[dof + i]
        if k >= 0.0:
            h[int(k)] = c[FORCE * n + i]
    for g in range(int(p[GROUPS])):
        record, own = group_of(p, g)
        R, first, first_v = load9(c, own + G_R), int(p[record + 7]), int(p[record + 1])
        force = moment = (0.0, 0.0, 0.0)
        for m in range(int(p[record + 2])):
            node = first + GROUP_NODE * m
            f = at(c, FORCE * n + 3 * int(p[node]))
            force = add(force, f)
            moment = add(moment, cross(at(p, node + 1), rotate_back(R, f)))
        w, J = at(v, first_v + 3), at(p, record + 4)
        put(h, first_v, force)
        put(h, first_v + 3, sub(moment, cross(w, (J[0] * w[0], J[1] * w[1], J[2] * w[2]))))
