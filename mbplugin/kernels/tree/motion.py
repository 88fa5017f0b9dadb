"""Poses, twists and bias accelerations of the links of trees, from joint coordinates and their rates.

ω = ω_l + S_ω ṡ,   v = v_l + ω_l × r + S_v ṡ                    l: the link that carries it, r = x − x_l
c_ω = ω_l × S_ω ṡ,   c_v = ω_l × (ω_l × r + 2 S_v ṡ)            acceleration that the joint adds at s̈ = 0,
                                                                and Ṡ ṡ in axes of l, where S is not constant
α⁰ = α⁰_l + c_ω,   a⁰ = a⁰_l + α⁰_l × r + c_v                   acceleration of the link at v̇ = 0
"""

from __future__ import annotations

from math import cos, sin

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.flat import move_flat
from mbplugin.kernels.tree.numbers import ARM, BIAS, NUMBERS, POSE, V, W, X, get, put
from mbplugin.kernels.view import tables_of, view
from mbplugin.math.jit import inlined, internal
from mbplugin.math.quat import exponential, matrix
from mbplugin.math.vec3 import add, cross, load9, product, rotate, scale, store9
from mbplugin.tables.groups import DerivedRows, Measures, State, Trees
from mbplugin.tables.records import BALL, CONSTANT, CROSS, DERIVED, FREE, SLIDING, TURNING


@inlined
def turned(T, s):
    """T turned by s about its z."""
    c, n = cos(s), sin(s)
    return (
        c * T[0] + n * T[1], c * T[1] - n * T[0], T[2],
        c * T[3] + n * T[4], c * T[4] - n * T[3], T[5],
        c * T[6] + n * T[7], c * T[7] - n * T[6], T[8],
    )  # fmt: skip


@internal
def by_constants(trees, state, link, T):
    """Angle about z, its rate, and the translation with its rate, world, of a joint whose S is constant in
    the axes T of its frame; writes S.
    """
    angle, rate = 0.0, 0.0
    place, velocity = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(link.rates):
        m = 6 * (link.first_rate + k)
        s, ds = state.q[link.first_q + k], state.v[link.first_v + k]
        turn, along = trees.motion[m + 2], rotate(T, get(trees.motion, m + 3))
        angle += turn * s
        rate += turn * ds
        place, velocity = add(place, scale(s, along)), add(velocity, scale(ds, along))
        put(trees.S, m, scale(turn, (T[2], T[5], T[8])))
        put(trees.S, m + 3, along)
    return angle, rate, place, velocity


@internal
def about_a_point(trees, state, T, first_q, first_v, first_rate):
    """Axes and angular velocity, relative and in world axes, of a rotation by a quaternion from the axes T;
    writes S. The rates are those about the turned axes.
    """
    q = state.q
    R = product(T, matrix((q[first_q], q[first_q + 1], q[first_q + 2], q[first_q + 3])))
    for k in range(3):
        put(trees.S, 6 * (first_rate + k), (R[k], R[3 + k], R[6 + k]))
        put(trees.S, 6 * (first_rate + k) + 3, (0.0, 0.0, 0.0))
    return R, rotate(R, get(state.v, first_v))


@internal
def about_two_axes(trees, state, link, T):
    """Axes T turned about their z, then about an axis in the turned ones; angular velocities of both. Writes
    S.
    """
    m = 6 * link.first_rate
    q, v = link.first_q, link.first_v
    turn, axis = trees.motion[m + 2], get(trees.motion, m + 6)
    R = turned(T, turn * state.q[q])
    first, second = scale(turn, (T[2], T[5], T[8])), rotate(R, axis)
    put(trees.S, m, first)
    put(trees.S, m + 3, (0.0, 0.0, 0.0))
    put(trees.S, m + 6, second)
    put(trees.S, m + 9, (0.0, 0.0, 0.0))
    R = product(R, matrix(exponential(scale(state.q[q + 1], axis))))
    return R, scale(state.v[v], first), scale(state.v[v + 1], second)


@internal
def by_rows(trees, state, link, T):
    """Axes, angular velocity, place, velocity and what the joint adds to both accelerations, of a joint in
    `DerivedRows`; writes S. The axes T are those of the marker on the carrying link.
    """
    rows = view(tables_of(trees), DerivedRows)
    p, b, first = 7 * link.derived, 6 * link.derived, rows.index[link.derived].first_coordinate
    spin, slip = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(link.rates):
        ds, j, m = state.v[link.first_v + k], 6 * (first + k), 6 * (link.first_rate + k)
        along, about = rotate(T, get(rows.S, j)), rotate(T, get(rows.S, j + 3))
        spin, slip = add(spin, scale(ds, about)), add(slip, scale(ds, along))
        put(trees.S, m, about)
        put(trees.S, m + 3, along)
    turn = matrix((rows.pose[p + 3], rows.pose[p + 4], rows.pose[p + 5], rows.pose[p + 6]))
    place = rotate(T, get(rows.pose, p))
    return product(T, turn), spin, place, slip, rotate(T, get(rows.bias, b + 3)), rotate(T, get(rows.bias, b))


@internal
def move_link(trees, state, i):
    """Pose, twist and bias of link i."""
    link = trees.link[i]
    pose, bias = trees.pose, trees.bias
    n, p, b = NUMBERS * i, POSE * i, BIAS * i
    T, r = load9(trees.fixed, n), get(trees.fixed, n + 9)
    zero = (0.0, 0.0, 0.0)
    x, w_l, v_l, alpha_l, a_l = zero, zero, zero, zero, zero
    if link.parent >= 0:
        l = POSE * link.parent
        R_l = load9(pose, l)
        T, r = product(R_l, T), rotate(R_l, r)
        x, w_l, v_l = get(pose, l + X), get(pose, l + W), get(pose, l + V)
        alpha_l, a_l = get(bias, BIAS * link.parent + 6), get(bias, BIAS * link.parent + 9)
    axes, spin, slip, d_w, d_v = T, zero, zero, zero, zero
    if link.form == TURNING:
        e = (T[2], T[5], T[8])
        axes, spin = turned(T, state.q[link.first_q]), scale(state.v[link.first_v], e)
        put(trees.S, 6 * link.first_rate, e)
        put(trees.S, 6 * link.first_rate + 3, zero)
    elif link.form == SLIDING:
        e = (T[2], T[5], T[8])
        r, slip = add(r, scale(state.q[link.first_q], e)), scale(state.v[link.first_v], e)
        put(trees.S, 6 * link.first_rate, zero)
        put(trees.S, 6 * link.first_rate + 3, e)
    elif link.form == CONSTANT:
        angle, rate, place, slip = by_constants(trees, state, link, T)
        axes, spin, r = turned(T, angle), scale(rate, (T[2], T[5], T[8])), add(r, place)
    elif link.form == CROSS:
        axes, first, second = about_two_axes(trees, state, link, T)
        spin, d_w = add(first, second), cross(first, second)
    elif link.form == BALL:
        axes, spin = about_a_point(trees, state, T, link.first_q, link.first_v, link.first_rate)
    elif link.form == FREE:
        axes, spin = about_a_point(trees, state, T, link.first_q + 3, link.first_v + 3, link.first_rate + 3)
        r, slip = get(state.q, link.first_q), get(state.v, link.first_v)
        for k in range(3):
            put(trees.S, 6 * (link.first_rate + k), zero)
            put(trees.S, 6 * (link.first_rate + k) + 3, zero)
            trees.S[6 * (link.first_rate + k) + 3 + k] = 1.0
    elif link.form == DERIVED:
        axes, spin, place, slip, d_w, d_v = by_rows(trees, state, link, T)
        r = add(r, place)
    swing = cross(w_l, r)
    c_w = add(d_w, cross(w_l, spin))
    c_v = add(d_v, cross(w_l, add(swing, scale(2.0, slip))))
    store9(pose, p, axes)
    put(pose, p + X, add(x, r))
    put(pose, p + W, add(w_l, spin))
    put(pose, p + V, add(add(v_l, swing), slip))
    put(pose, p + ARM, r)
    put(bias, b, c_w)
    put(bias, b + 3, c_v)
    put(bias, b + 6, add(alpha_l, c_w))
    put(bias, b + 9, add(add(a_l, cross(alpha_l, r)), c_v))


@by_address(when="spatial")
def move_spatial(tables, t):
    """Poses, twists and bias accelerations of the links of tree t. Returns 0."""
    trees, state = view(tables, Trees), view(tables, State)
    tree = trees.index[t]
    for i in range(tree.first_link, tree.first_link + tree.links):
        move_link(trees, state, i)
    return 0


@inlined
def count_turns(tables):
    """Let the measures of angles that are coordinates have the turns of these, however long a step is."""
    turn, last, q = view(tables, Trees).turn, view(tables, Measures).last, view(tables, State).q
    for k in range(turn.shape[0]):
        last[turn[k, 0]] = q[turn[k, 1]]


@by_address(when="tree")
def move_trees(tables, first, count):
    """Poses, twists and bias accelerations of the links of `count` trees. Returns 0."""
    trees = view(tables, Trees)
    count_turns(tables)
    for t in range(first, first + count):
        if trees.index[t].flat == 1:
            move_flat(tables, t)
        else:
            move_spatial(tables, t)
    return 0
