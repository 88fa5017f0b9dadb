"""A surface of triangles (a) over a half-space (b): its lowest vertices."""

from __future__ import annotations

from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, column, dot, load, rotate, rotate_back, scale, sub
from mbplugin_contact.geometry.plane_pairs import put_over
from mbplugin_contact.triangles.merged import OF_CORNER, add_point, merge, named
from mbplugin_contact.triangles.tables import COUNT, FEATURE, GAP, ON_SURFACE


@internal
def touch_half_space(T, hulls, surface, points, a, b, size, margin):
    """Points of a surface over a half-space. Returns their number."""
    record = T.index[surface]
    up = rotate_back(a.R, column(b.R, 2))
    offset = dot(column(b.R, 2), sub(a.x, b.x))
    n = scale(-1.0, up)
    T.work_ints[COUNT] = 0
    node = 0
    # from box to box, without those that are above the margin
    while node >= 0:
        leaf = node - record.leaves + 1
        k = record.first_node + node
        low = (
            (T.low[k, 0] if up[0] > 0.0 else T.high[k, 0]) * up[0]
            + (T.low[k, 1] if up[1] > 0.0 else T.high[k, 1]) * up[1]
            + (T.low[k, 2] if up[2] > 0.0 else T.high[k, 2]) * up[2]
        )
        if offset + low < margin:
            if leaf < 0:
                node = 2 * node + 1
                continue
            first = record.first + record.triangles * leaf // record.leaves
            last = record.first + record.triangles * (leaf + 1) // record.leaves
            for i in range(first, last):
                for c in range(3):
                    v = T.corner[3 * T.order[i] + c]
                    p = load(T.vertex, v)
                    height = offset + dot(up, p)
                    if height < margin:
                        # all in one plane: that of the half-space
                        add_point(T, hulls, size, add(p, scale(height, n)), n, height, named(OF_CORNER, v, 0))
        # the next box of the tree: to the right of this one, or of one above it
        while node > 0 and node % 2 == 0:
            node = (node - 1) // 2
        node = node + 1 if node > 0 else -1
    merge(T, hulls, size)
    for k in range(T.work_ints[COUNT]):
        height = T.work[GAP + k, 0]
        x = add(a.x, rotate(a.R, sub(load(T.work, ON_SURFACE + k), scale(height, n))))
        put_over(points, k, x, column(b.R, 2), height, margin, T.work_ints[FEATURE + k])
    return T.work_ints[COUNT]
