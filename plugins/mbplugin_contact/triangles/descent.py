"""Pairs of triangles of two surfaces that are near each other: two trees of boxes descended together; of a
height field (b) the cells below each box.
"""

from __future__ import annotations

from math import floor

from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, load, rotate, rotate_back, scale, sub
from mbplugin_contact.triangles.deforming import highest, lowest
from mbplugin_contact.triangles.merged import put_merged
from mbplugin_contact.triangles.near import beyond, corners_at, is_near
from mbplugin_contact.triangles.opposite import touch_pair
from mbplugin_contact.triangles.tables import COUNT, PAIR_STACK
from mbplugin_contact.triangles.twos import clear_chains, in_b, place

#: cells below a box up to which the triangles in them are looked at before the box is divided
FEW_CELLS = 8


@inlined
def turned_box(R, x, low, high):
    """The box about a box at x with axes R."""
    middle, half = scale(0.5, add(low, high)), scale(0.5, sub(high, low))
    centre = add(x, rotate(R, middle))
    around = (
        abs(R[0]) * half[0] + abs(R[1]) * half[1] + abs(R[2]) * half[2],
        abs(R[3]) * half[0] + abs(R[4]) * half[1] + abs(R[5]) * half[2],
        abs(R[6]) * half[0] + abs(R[7]) * half[1] + abs(R[8]) * half[2],
    )
    return sub(centre, around), add(centre, around)


@inlined
def distance2(low, high, least, most):
    """Squared distance of two boxes."""
    x = beyond(low[0], high[0], least[0], most[0])
    y = beyond(low[1], high[1], least[1], most[1])
    z = beyond(low[2], high[2], least[2], most[2])
    return x * x + y * y + z * z


@inlined
def box_of(corners):
    a, b, c = corners
    return lowest(a, lowest(b, c)), highest(a, highest(b, c))


@internal
def touch_surfaces(T, hulls, two):
    """Points of two surfaces, in `two.points`. Returns their number, which may be larger than the room there:
    points are then missing.
    """
    T.work_ints[COUNT] = 0
    if T.index[two.b].leaves > 0:
        descend_two(T, hulls, two)
    else:
        descend_over_field(T, hulls, two)
    if not two.deforms:
        return put_merged(T, hulls, two.size, two.points, two.x_0, two.R_0)
    clear_chains(T, two)
    return T.work_ints[COUNT]


@internal
def descend_two(T, hulls, two):
    a, b, stack, reach = T.index[two.a], T.index[two.b], T.work_ints, two.margin
    stack[PAIR_STACK] = stack[PAIR_STACK + 1] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        i, j = stack[PAIR_STACK + 2 * waiting], stack[PAIR_STACK + 2 * waiting + 1]
        k, m = a.first_node + i, b.first_node + j
        low, high = turned_box(two.R, two.x, load(T.low, m), load(T.high, m))
        if distance2(low, high, load(T.low, k), load(T.high, k)) > reach * reach:
            continue
        leaf_a, leaf_b = i - a.leaves + 1, j - b.leaves + 1
        if leaf_a >= 0 and leaf_b >= 0:
            touch_leaves(T, hulls, two, leaf_a, leaf_b)
        elif leaf_b >= 0 or (leaf_a < 0 and extent(T, k) > extent(T, m)):
            for child in (2 * i + 2, 2 * i + 1):
                stack[PAIR_STACK + 2 * waiting], stack[PAIR_STACK + 2 * waiting + 1] = child, j
                waiting += 1
        else:
            for child in (2 * j + 2, 2 * j + 1):
                stack[PAIR_STACK + 2 * waiting], stack[PAIR_STACK + 2 * waiting + 1] = i, child
                waiting += 1


@inlined
def extent(T, node):
    d = sub(load(T.high, node), load(T.low, node))
    return max(max(d[0], d[1]), d[2])


@internal
def touch_leaves(T, hulls, two, leaf_a, leaf_b):
    a, b, reach = T.index[two.a], T.index[two.b], two.margin
    for q in range(b.triangles * leaf_b // b.leaves, b.triangles * (leaf_b + 1) // b.leaves):
        t = T.order[b.first + q]
        low, high = box_of(place(T, two, t))
        for p in range(a.triangles * leaf_a // a.leaves, a.triangles * (leaf_a + 1) // a.leaves):
            s = T.order[a.first + p]
            if is_near(T, s, low, high, reach):
                touch_pair(T, hulls, two, s, t)


@inlined
def cells_below(field, low, high, reach):
    """The first and the last cell along x and along y below a box."""
    wide, long = field.width, field.length
    return (
        max(floor((low[0] - reach) / wide + 0.5 * field.columns), 0),
        min(floor((high[0] + reach) / wide + 0.5 * field.columns), field.columns - 1),
        max(floor((low[1] - reach) / long + 0.5 * field.rows), 0),
        min(floor((high[1] + reach) / long + 0.5 * field.rows), field.rows - 1),
    )


@internal
def box_over_field(T, two, low, high):
    """The box of b about a box of a, and whether triangles of the field may be near it."""
    field = T.index[two.b]
    inverse = (
        two.R[0], two.R[3], two.R[6], two.R[1], two.R[4], two.R[7], two.R[2], two.R[5], two.R[8],
    )  # fmt: skip
    low, high = turned_box(inverse, scale(-1.0, rotate_back(two.R, two.x)), low, high)
    whole = field.first_node
    if distance2(low, high, load(T.low, whole), load(T.high, whole)) > two.margin * two.margin:
        return low, high, False
    i0, i1, j0, j1 = cells_below(field, low, high, two.margin)
    if (i1 - i0 + 1) * (j1 - j0 + 1) > FEW_CELLS:
        return low, high, True
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            t = field.first + 2 * (i + field.columns * j)
            if is_near(T, t, low, high, two.margin) or is_near(T, t + 1, low, high, two.margin):
                return low, high, True
    return low, high, False


@internal
def descend_over_field(T, hulls, two):
    a, stack = T.index[two.a], T.work_ints
    stack[PAIR_STACK] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        i = stack[PAIR_STACK + waiting]
        k = a.first_node + i
        _, _, near = box_over_field(T, two, load(T.low, k), load(T.high, k))
        if not near:
            continue
        leaf = i - a.leaves + 1
        if leaf < 0:
            stack[PAIR_STACK + waiting], stack[PAIR_STACK + waiting + 1] = 2 * i + 2, 2 * i + 1
            waiting += 2
            continue
        for p in range(a.triangles * leaf // a.leaves, a.triangles * (leaf + 1) // a.leaves):
            touch_field(T, hulls, two, T.order[a.first + p])


@internal
def touch_field(T, hulls, two, s):
    """Points of triangle s of a and the field."""
    a, b, c = corners_at(T, s)
    low, high = box_of((in_b(two, a), in_b(two, b), in_b(two, c)))
    field = T.index[two.b]
    i0, i1, j0, j1 = cells_below(field, low, high, two.margin)
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            t = field.first + 2 * (i + field.columns * j)
            for one in range(t, t + 2):
                if is_near(T, one, low, high, two.margin):
                    touch_pair(T, hulls, two, s, one)
