"""Faces of bodies that deform: a surface whose vertices are the present places of nodes, in the world, and
the middles of quadrilaterals.

Nothing of it is flat for good: every edge and corner may touch, along the directions that
`directions.py` allows at the present positions.
"""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.math.vec3 import add, cross, load, norm, scale, store, sub
from mbplugin.stepping import Markers, view
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.arrays import Contacts, triangles_of
from mbplugin_contact.triangles.merged import OF_CORNER, OF_EDGE
from mbplugin_contact.triangles.near import corners_at


@internal
def follow_nodes(tables, i, ahead):
    """Move the surface of shape i, faces of a body that deforms, to where its nodes are `ahead` [s] after the
    present time with their present velocities: vertices, normals and boxes.
    """
    contacts, shapes, markers = view(tables, Contacts), view(tables, Shapes), view(tables, Markers)
    T, shape = triangles_of(contacts), shapes.index[i]
    record = T.index[contacts.triangles[i]]
    for f in range(shape.corners // shape.sides):
        middle, t = (0.0, 0.0, 0.0), record.first + (4 * f if shape.sides == 4 else f)
        for k in range(shape.sides):
            m = shapes.corner[shape.corner + shape.sides * f + k]
            x = add(load(markers.x, m), scale(ahead, load(markers.v, m)))
            # of a quadrilateral each corner begins a triangle
            store(T.vertex, T.corner[3 * (t + k) if shape.sides == 4 else 3 * t + k], x)
            middle = add(middle, scale(0.25, x))
        if shape.sides == 4:
            store(T.vertex, T.corner[3 * t + 2], middle)
    for t in range(record.first, record.first + record.triangles):
        a, b, c = corners_at(T, t)
        n = cross(sub(b, a), sub(c, a))
        area = norm(n)
        if area > 0.0:
            store(T.normal, t, scale(1.0 / area, n))
    for node in range(2 * record.leaves - 2, -1, -1):
        leaf = node - record.leaves + 1
        low, high = (1e300, 1e300, 1e300), (-1e300, -1e300, -1e300)
        if leaf >= 0:
            last = record.first + record.triangles * (leaf + 1) // record.leaves
            for k in range(record.first + record.triangles * leaf // record.leaves, last):
                a, b, c = corners_at(T, T.order[k])
                low, high = lowest(low, lowest(a, lowest(b, c))), highest(high, highest(a, highest(b, c)))
        else:
            for child in range(record.first_node + 2 * node + 1, record.first_node + 2 * node + 3):
                low, high = lowest(low, load(T.low, child)), highest(high, load(T.high, child))
        store(T.low, record.first_node + node, low)
        store(T.high, record.first_node + node, high)
    contacts.followed[i] = ahead


@inlined
def lowest(a, b):
    return (min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2]))


@inlined
def highest(a, b):
    return (max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]))


@internal
def face_of(T, surface, feature):
    """The triangle of a surface on which a point with this feature is, among those of the surface."""
    kind, number = feature >> 60, (feature >> 20) & ((1 << 40) - 1)
    first = T.index[surface].first
    if kind == OF_EDGE:
        return (number - T.edge[3 * first]) // 3
    if kind == OF_CORNER:
        t = 0
        while T.corner[3 * (first + t)] != number and T.corner[3 * (first + t) + 1] != number:
            if T.corner[3 * (first + t) + 2] == number:
                break
            t += 1
        return t
    return number - T.plane[first]


@inlined
def bounds_of(T, surface):
    """Low and high corner of the box about a surface, in its frame."""
    node = T.index[surface].first_node
    return load(T.low, node), load(T.high, node)
