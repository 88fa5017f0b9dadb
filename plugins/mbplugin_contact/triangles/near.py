"""The triangles of a surface near a box in its frame, one after another.

    start_search(T, surface, low, high)
    t = next_near(T, surface, low, high)        # −1: there is none left

A tree of boxes is descended with a stack in `Triangles.work_ints`. Of a height field the cells below the box
follow from its corners, whatever its size.
"""

from __future__ import annotations

from math import floor

from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import load
from mbplugin_contact.triangles.tables import LAST, NEXT, STACK, STACK_SIZE


@inlined
def corners_at(T, t):
    """The corners of triangle t."""
    return (
        load(T.vertex, T.corner[3 * t]),
        load(T.vertex, T.corner[3 * t + 1]),
        load(T.vertex, T.corner[3 * t + 2]),
    )


@inlined
def is_near(T, t, low, high):
    """Whether the box of triangle t overlaps this one."""
    a, b, c = corners_at(T, t)
    return (
        min(min(a[0], b[0]), c[0]) <= high[0]
        and max(max(a[0], b[0]), c[0]) >= low[0]
        and min(min(a[1], b[1]), c[1]) <= high[1]
        and max(max(a[1], b[1]), c[1]) >= low[1]
        and min(min(a[2], b[2]), c[2]) <= high[2]
        and max(max(a[2], b[2]), c[2]) >= low[2]
    )


@inlined
def overlaps(T, node, low, high):
    """Whether box `node` of a tree overlaps this one."""
    return (
        T.low[node, 0] <= high[0]
        and T.high[node, 0] >= low[0]
        and T.low[node, 1] <= high[1]
        and T.high[node, 1] >= low[1]
        and T.low[node, 2] <= high[2]
        and T.high[node, 2] >= low[2]
    )


@internal
def start_search(T, surface, low, high):
    """Begin the search for the triangles near a box."""
    record, ints = T.index[surface], T.work_ints
    ints[NEXT] = ints[LAST] = 0
    ints[STACK_SIZE] = 0
    if record.leaves > 0:
        if overlaps(T, record.first_node, low, high):
            ints[STACK], ints[STACK_SIZE] = 0, 1
        return
    # of a height field: NEXT is the triangle among those of the cells, the cells are behind it
    i0 = max(floor(low[0] / record.width + 0.5 * record.columns), 0)
    i1 = min(floor(high[0] / record.width + 0.5 * record.columns), record.columns - 1)
    j0 = max(floor(low[1] / record.length + 0.5 * record.rows), 0)
    j1 = min(floor(high[1] / record.length + 0.5 * record.rows), record.rows - 1)
    ints[STACK], ints[STACK + 1], ints[STACK + 2] = i0, j0, max(i1 - i0 + 1, 0)
    ints[LAST] = 2 * max(i1 - i0 + 1, 0) * max(j1 - j0 + 1, 0)


@internal
def next_near(T, surface, low, high):
    """The next triangle whose box overlaps this one; −1 if there is none."""
    record, ints = T.index[surface], T.work_ints
    while True:
        while ints[NEXT] < ints[LAST]:
            k = ints[NEXT]
            ints[NEXT] = k + 1
            if record.leaves > 0:
                t = T.order[record.first + k]
            else:
                wide = ints[STACK + 2]
                cell = ints[STACK] + (k // 2) % wide + record.columns * (ints[STACK + 1] + k // 2 // wide)
                t = record.first + 2 * cell + k % 2
            if is_near(T, t, low, high):
                return t
        size = ints[STACK_SIZE]
        if record.leaves == 0 or size == 0:
            return -1
        node = ints[STACK + size - 1]
        ints[STACK_SIZE] = size - 1
        leaf = node - record.leaves + 1
        if leaf >= 0:
            ints[NEXT] = record.triangles * leaf // record.leaves
            ints[LAST] = record.triangles * (leaf + 1) // record.leaves
            continue
        for child in (2 * node + 2, 2 * node + 1):
            if overlaps(T, record.first_node + child, low, high):
                ints[STACK + ints[STACK_SIZE]] = child
                ints[STACK_SIZE] += 1
