"""Names of points between two surfaces of triangles: on each a face, an edge or a corner, with its number.

The number of a face is that of its plane, that of an edge is `Triangles.edge`, and that of a corner is
`Triangles.home` of its vertex. Numbers of all surfaces are below 2²⁹.
"""

from __future__ import annotations

from mbplugin.math.jit import inlined
from mbplugin_contact.triangles.directions import is_corner
from mbplugin_contact.triangles.tables import SMOOTH

#: what of a surface touches
FACE, EDGE, CORNER = range(3)
BITS = 29


@inlined
def name_of_two(kind_a, number_a, kind_b, number_b):
    """The feature of a point between two surfaces."""
    return ((1 + 3 * kind_a + kind_b) << (2 * BITS)) | (number_a << BITS) | number_b


@inlined
def part_of_name(feature, second):
    """Kind and number of what touches of surface a, or of b (second = 1)."""
    both = (feature >> (2 * BITS)) - 1
    kind = both % 3 if second == 1 else both // 3
    number = feature if second == 1 else feature >> BITS
    return kind, number & ((1 << BITS) - 1)


@inlined
def face_at(T, surface, feature, second):
    """The triangle on which a point is, among those of its surface; each face is a plane of its own."""
    kind, number = part_of_name(feature, second)
    first = T.index[surface].first
    if kind == FACE:
        return number - T.plane[first]
    return ((number - T.edge[3 * first]) if kind == EDGE else number - 3 * first) // 3


@inlined
def edge_at(T, t, k, s):
    """Kind and number of what is at the part s of edge k of triangle t: the edge, or a corner at its ends."""
    if s <= 0.0 and is_corner(T, T.corner[3 * t + k]):
        return CORNER, T.home[T.corner[3 * t + k]]
    if s >= 1.0 and is_corner(T, T.corner[3 * t + (k + 1) % 3]):
        return CORNER, T.home[T.corner[3 * t + (k + 1) % 3]]
    if T.edge[3 * t + k] == SMOOTH:
        return FACE, T.plane[t]
    return EDGE, T.edge[3 * t + k]
