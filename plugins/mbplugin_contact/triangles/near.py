"""The triangles of a surface not farther than `reach` from a box in its frame, one after another.

    start_search(T, surface, low, high, reach)
    t = next_near(T, surface, low, high, reach)        # −1: there is none left

A tree of boxes is descended with a stack in `Triangles.work_ints`. Of a height field the cells below the box
follow from its corners, whatever its size.
"""

from __future__ import annotations

from math import floor

from mbplugin.math.jit import inlined
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
def beyond(low, high, least, most):
    """How far the interval from `least` to `most` is from the one from `low` to `high`."""
    return max(max(low - most, least - high), 0.0)


@inlined
def is_near(T, t, low, high, reach):
    """Whether the box of triangle t is not farther than `reach` from this one."""
    a, b, c = corners_at(T, t)
    x = beyond(low[0], high[0], min(min(a[0], b[0]), c[0]), max(max(a[0], b[0]), c[0]))
    y = beyond(low[1], high[1], min(min(a[1], b[1]), c[1]), max(max(a[1], b[1]), c[1]))
    z = beyond(low[2], high[2], min(min(a[2], b[2]), c[2]), max(max(a[2], b[2]), c[2]))
    return x * x + y * y + z * z <= reach * reach


@inlined
def reaches(T, node, low, high, reach):
    """Whether box `node` of a tree is not farther than `reach` from this one."""
    x = beyond(low[0], high[0], T.low[node, 0], T.high[node, 0])
    y = beyond(low[1], high[1], T.low[node, 1], T.high[node, 1])
    z = beyond(low[2], high[2], T.low[node, 2], T.high[node, 2])
    return x * x + y * y + z * z <= reach * reach


@inlined
def start_search(T, surface, low, high, reach):
    """Begin the search for the triangles near a box."""
    record, ints = T.index[surface], T.work_ints
    ints[NEXT] = ints[LAST] = 0
    ints[STACK_SIZE] = 0
    if record.leaves > 0:
        if reaches(T, record.first_node, low, high, reach):
            ints[STACK], ints[STACK_SIZE] = 0, 1
        return
    # of a height field: NEXT is the triangle among those of the cells, the cells are behind it
    i0 = max(floor((low[0] - reach) / record.width + 0.5 * record.columns), 0)
    i1 = min(floor((high[0] + reach) / record.width + 0.5 * record.columns), record.columns - 1)
    j0 = max(floor((low[1] - reach) / record.length + 0.5 * record.rows), 0)
    j1 = min(floor((high[1] + reach) / record.length + 0.5 * record.rows), record.rows - 1)
    ints[STACK], ints[STACK + 1], ints[STACK + 2] = i0, j0, max(i1 - i0 + 1, 0)
    ints[LAST] = 2 * max(i1 - i0 + 1, 0) * max(j1 - j0 + 1, 0)


@inlined
def next_near(T, surface, low, high, reach):
    """The next triangle whose box is near; −1 if there is none."""
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
            if is_near(T, t, low, high, reach):
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
            if reaches(T, record.first_node + child, low, high, reach):
                ints[STACK + ints[STACK_SIZE]] = child
                ints[STACK_SIZE] += 1
