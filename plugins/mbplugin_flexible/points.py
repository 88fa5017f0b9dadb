"""Points of finite-element bodies: where they are, how they move, and what a wrench at them does. Compiled.

The record of a point begins with the parts that it moves with, then its kind:

    ONE_NODE     node, axes                      the axes do not turn
    ON_GROUP     group, place and axes in principal axes from its mass centre
    MEAN         whether in a plane, arm, axes, nodes (`layout.MEAN_NODE` numbers each)
    STILL        place, axes                     of a node that is held
    MASS_CENTRE  axes                            the mean frame of all nodes, by mass
    ON_FACE      axes, how many nodes, nodes, their weights   the axes do not turn; it names no parts
"""

from __future__ import annotations

from mbplugin.interface import jit
from mbplugin.math.polar import spin_of, turning_inverse
from mbplugin.math.vec3 import (
    ZERO,
    ZERO_MATRIX,
    add,
    add_outer,
    cross,
    dot,
    load3,
    load9,
    product,
    product_back,
    rotate,
    rotate_back,
    scale,
    store3,
    store9,
    sub,
)
from mbplugin_flexible.layout import (
    AXES,
    BIAS,
    CENTRE,
    CORNERS,
    DOF,
    F_A,
    F_INVERSE,
    F_R,
    F_V,
    F_W,
    F_W_BIAS,
    F_X,
    G_R,
    G_V,
    G_W,
    G_X,
    GROUPED,
    GROUPS,
    MASS,
    MASS_CENTRE,
    MEAN,
    MEAN_NODE,
    NODE_OF_PART,
    NODE_PARTS,
    NODES,
    ON_FACE,
    ON_GROUP,
    ONE_NODE,
    ORIGIN,
    REST,
    STILL,
    TOTAL_MASS,
)
from mbplugin_flexible.mean import mean_rotation, of_point
from mbplugin_flexible.state import arm_of, frame_of, group_of, own_of


@jit
def motion_of_point(ints, c, r):
    """y, axes, velocity, ω, and the last two's rates at v̇ = 0, in the axes of y."""
    o = 1 + int(r[0])
    kind, n = int(r[o]), 3 * ints[NODES]
    if kind == ONE_NODE:
        i = 3 * int(r[o + 1])
        return load3(c, i), load9(r, o + 2), load3(c, n + i), ZERO, load3(c, BIAS * n + i), ZERO
    if kind == ON_GROUP:
        own = own_of(ints, int(r[o + 1]))
        R, w = load9(c, own + G_R), load3(c, own + G_W)
        arm = rotate(R, load3(r, o + 2))
        u, a = of_point(arm, load3(c, own + G_V), w, ZERO, ZERO)
        return add(load3(c, own + G_X), arm), product(R, load9(r, o + 5)), u, w, a, ZERO
    if kind == ON_FACE:
        y = u = bias = ZERO
        size = int(r[o + 10])
        for m in range(o + 11, o + 11 + size):
            i, w = 3 * int(r[m]), r[m + size]
            y, u = add(y, scale(w, load3(c, i))), add(u, scale(w, load3(c, n + i)))
            bias = add(bias, scale(w, load3(c, BIAS * n + i)))
        return y, load9(r, o + 1), u, ZERO, bias, ZERO
    if kind == STILL:
        return load3(r, o + 1), load9(r, o + 4), ZERO, ZERO, ZERO, ZERO
    if kind == MASS_CENTRE:
        f = frame_of(ints)
        axes = product(load9(c, f + F_R), load9(r, o + 1))
        return (
            load3(c, f + F_X),
            axes,
            load3(c, f + F_V),
            load3(c, f + F_W),
            load3(c, f + F_A),
            load3(c, f + F_W_BIAS),
        )
    return motion_of_mean(ints, c, r, o)


@jit
def motion_of_mean(ints, c, r, o):
    n, nodes = 3 * ints[NODES], o + 15
    x = u = a = ZERO
    A = A_dot = A_bias = ZERO_MATRIX
    for m in range(int(r[o + 14])):
        k = nodes + MEAN_NODE * m
        i, w, X = 3 * int(r[k]), r[k + 1], load3(r, k + 2)
        y, y_dot, bias = load3(c, i), load3(c, n + i), load3(c, BIAS * n + i)
        x, u, a = add(x, scale(w, y)), add(u, scale(w, y_dot)), add(a, scale(w, bias))
        A, A_dot, A_bias = (
            add_outer(A, w, y, X),
            add_outer(A_dot, w, y_dot, X),
            add_outer(A_bias, w, bias, X),
        )
    R, U = mean_rotation(A, r[o + 1])
    spin, spin_bias = spin_of(R, U, turning_inverse(U), A_dot, A_bias)
    arm = rotate(R, load3(r, o + 2))
    u, a = of_point(arm, u, spin, a, spin_bias)
    return add(x, arm), product(R, load9(r, o + 5)), u, spin, a, spin_bias


@jit
def pose_in_world(p, pose):
    """Pose in world axes."""
    y, axes, u, w, a, w_bias = pose
    R = load9(p, AXES)
    x = add(load3(p, ORIGIN), rotate(R, y))
    return x, product(R, axes), rotate(R, u), rotate(R, w), rotate(R, a), rotate(R, w_bias)


@jit
def force_on_parts(p, ints, c, r, force, torque, out):
    """The generalized force of a wrench in world axes, over the parts of the point."""
    o, R0 = 1 + int(r[0]), load9(p, AXES)
    kind, f, t = int(r[o]), rotate_back(R0, force), rotate_back(R0, torque)
    if kind == ONE_NODE:
        put_free(ints, int(r[o + 1]), f, out, 0)
    elif kind == ON_GROUP:
        own = own_of(ints, int(r[o + 1]))
        put_on_group(load9(c, own + G_R), f, t, load3(r, o + 2), out, 0)
    elif kind == ON_FACE:
        force_on_corners(ints, c, r, o, f, out)
    elif kind == MASS_CENTRE:
        force_on_all(p, ints, c, f, t, out)
    elif kind == MEAN:
        force_on_mean(ints, c, r, o, f, t, out)


@jit
def put_free(ints, node, f, out, first):
    """Add a force to the free axes of a node, whose velocities begin at `first` of `out`."""
    j, dof = first, ints[DOF] + 3 * node
    for k in range(3):
        if ints[dof + k] >= 0:
            out[j] = f[k]
            j += 1


@jit
def put_on_group(R, f, t, place, out, first):
    """The force, and in principal axes the moment, on a group. place: in principal axes"""
    store3(out, first, f)
    store3(out, first + 3, add(rotate_back(R, t), cross(place, rotate_back(R, f))))


@jit
def force_on_all(p, ints, c, f, t, out):
    """On the mass centre: all velocities of the body, in their order."""
    n, mass, rest, dof = ints[NODES], ints[MASS], ints[REST], ints[DOF]
    frame, centre = frame_of(ints), load3(p, CENTRE)
    R = load9(c, frame + F_R)
    g = rotate(load9(c, frame + F_INVERSE), rotate_back(R, t))
    turning = t[0] != 0.0 or t[1] != 0.0 or t[2] != 0.0
    for node in range(n):
        i, w = 3 * node, p[mass + node] / p[TOTAL_MASS]
        on_node = f
        if turning:
            on_node = add(f, rotate(R, cross(g, sub(load3(p, rest + i), centre))))
        for k in range(3):
            if ints[dof + i + k] >= 0:
                out[ints[dof + i + k]] = w * on_node[k]
    for number in range(ints[GROUPS]):
        group = group_of(ints, number)
        Rg = load9(c, group.own + G_R)
        total = moment = ZERO
        for m in range(group.size):
            node = group.nodes[m]
            on_node = add(f, rotate(R, cross(g, sub(load3(p, rest + 3 * node), centre))))
            on_node = scale(p[mass + node] / p[TOTAL_MASS], on_node)
            total = add(total, on_node)
            moment = add(moment, cross(arm_of(p, group, m), rotate_back(Rg, on_node)))
        store3(out, group.first_v, total)
        store3(out, group.first_v + 3, moment)


@jit
def force_on_mean(ints, c, r, o, f, t, out):
    """On the mean of a set of nodes; a group may have several of them."""
    nodes, count = o + 15, int(r[o + 14])
    A = ZERO_MATRIX
    for m in range(count):
        k = nodes + MEAN_NODE * m
        A = add_outer(A, r[k + 1], load3(c, 3 * int(r[k])), load3(r, k + 2))
    R, U = mean_rotation(A, r[o + 1])
    t = add(t, cross(rotate(R, load3(r, o + 2)), f))
    g = rotate(turning_inverse(U), rotate_back(R, t))
    for m in range(count):
        k = nodes + MEAN_NODE * m
        if r[k + 6] >= 0.0:
            for i in range(6):
                out[int(r[k + 5]) + i] = 0.0
    for m in range(count):
        k = nodes + MEAN_NODE * m
        on_node = scale(r[k + 1], add(f, rotate(R, cross(g, load3(r, k + 2)))))
        first, group = int(r[k + 5]), int(r[k + 6])
        if group < 0:
            put_free(ints, int(r[k]), on_node, out, first)
            continue
        own = own_of(ints, group)
        arm = sub(load3(c, 3 * int(r[k])), load3(c, own + G_X))
        moment = rotate_back(load9(c, own + G_R), cross(arm, on_node))
        for i in range(3):
            out[first + i] += on_node[i]
            out[first + 3 + i] += moment[i]


@jit
def force_on_corners(ints, c, r, o, f, out):
    """On the nodes of a face: the velocities of each that moves, one node after another."""
    first, size = 0, int(r[o + 10])
    for m in range(o + 11, o + 11 + size):
        node, on_node = int(r[m]), scale(r[m + size], f)
        dof = ints[DOF] + 3 * node
        if ints[dof] <= GROUPED:
            own = own_of(ints, GROUPED - ints[dof])
            R, arm = load9(c, own + G_R), sub(load3(c, 3 * node), load3(c, own + G_X))
            store3(out, first, on_node)
            store3(out, first + 3, rotate_back(R, cross(arm, on_node)))
            first += 6
            continue
        put_free(ints, node, on_node, out, first)
        for k in range(3):
            first += 1 if ints[dof + k] >= 0 else 0


@jit
def face_record(t, p, ints, c, x, R, r):
    """The record of the point of triangle t of the faces that is nearest to x, with axes R in the world:
    weights of the nodes of its face, by barycentric coordinates, which may leave 0 to 1 by rounding. A face
    of four nodes is four triangles about its middle, which has a quarter of each node.
    """
    R0, size = load9(p, AXES), ints[ints[CORNERS]]
    face, side = (t // 4, t % 4) if size == 4 else (t, 0)
    first = ints[CORNERS] + 1 + size * face
    y = rotate_back(R0, sub(x, load3(p, ORIGIN)))
    a, b = load3(c, 3 * ints[first + side]), load3(c, 3 * ints[first + (side + 1) % size])
    d = load3(c, 3 * ints[first + 2])
    if size == 4:
        d = ZERO
        for k in range(4):
            d = add(d, scale(0.25, load3(c, 3 * ints[first + k])))
    e, g, arm = sub(b, a), sub(d, a), sub(y, a)
    normal = cross(e, g)
    area = dot(normal, normal)
    v, w = dot(cross(arm, g), normal) / area, dot(cross(e, arm), normal) / area
    r[0], r[1] = 0.0, ON_FACE
    store9(r, 2, product_back(R0, R))
    r[11] = size
    share = 0.25 * w if size == 4 else 0.0
    for k in range(size):
        r[12 + k], r[12 + size + k] = ints[first + k], share
    r[12 + size + side] += 1.0 - v - w
    r[12 + size + (side + 1) % size] += v
    if size == 3:
        r[17] = w


@jit
def touching_record(part_number, face, p, ints, c, x, R, r):
    """The record of a point of a face, of one part, or of a node that is held, at x with axes R in the world.
    face: −1: of none
    """
    if face >= 0:
        face_record(face, p, ints, c, x, R, r)
        return
    R0 = load9(p, AXES)
    y, axes = rotate_back(R0, sub(x, load3(p, ORIGIN))), product_back(R0, R)
    first = 0
    if part_number < 0:
        r[0], r[1] = 0.0, STILL
        store3(r, 2, y)
        first = 5
    elif part_number < ints[NODE_PARTS]:
        r[0], r[1], r[2] = 1.0, part_number, ONE_NODE
        r[3] = ints[ints[NODE_OF_PART] + part_number]
        first = 4
    else:
        g = part_number - ints[NODE_PARTS]
        own = own_of(ints, g)
        Rg = load9(c, own + G_R)
        r[0], r[1], r[2], r[3] = 1.0, part_number, ON_GROUP, g
        store3(r, 4, rotate_back(Rg, sub(y, load3(c, own + G_X))))
        axes = product_back(Rg, axes)
        first = 7
    store9(r, first, axes)
