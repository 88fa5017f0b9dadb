"""Arrays of polyhedra and of the points found, and the names of features.

A solver declares the arrays of `Hulls` and `ContactPoints` among its own tables and makes the groups from
them. Vectors are tuples of three numbers, axes nine numbers row by row.
"""

from __future__ import annotations

from typing import NamedTuple

from mbplugin.interface import put_point
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, load, norm, rotate, scale
from mbplugin.stepping.arrays import Floats3, Ints, Records

#: vertices, faces and corners of one face that a polyhedron may have
MAX_VERTICES, MAX_FACES, MAX_CORNERS = 500, 1000, 240
#: the first polyhedra: a cube of edge 1 that stands for boxes, a segment of length 1 along z for the cores of
#: capsules, a triangle with two faces whose corners are written as they are needed; then those of the scene
CUBE, SEGMENT, TRIANGLE, FIRST_HULL = range(4)
#: lengths below this part of the size of two shapes are rounding
TINY = 1e-10

# rows of `Hulls.work`
SIMPLEX_W, SIMPLEX_A, SIMPLEX_B, SIMPLEX_WEIGHT = 0, 4, 8, 12
POLYGON, OTHER, SIDE = 16, 1016, 1516
MOVED_VERTEX, MOVED_NORMAL = 2016, 3016
EPA_W, EPA_A, EPA_B, EPA_NORMAL, EPA_DISTANCE = 4016, 4144, 4272, 4400, 4656
ALONG = 4912
FACE_A, FACE_B = 5912, 6412
WORK_ROWS = 6912
EPA_VERTICES, EPA_FACES = 128, 256

# places in `Hulls.work_ints`
SIMPLEX_ID_A, SIMPLEX_ID_B = 0, 4
CORNER, EDGE = 16, 516
FACE, ALIVE, HORIZON = 2016, 2784, 3040
FACE_NAMES_A, FACE_NAMES_B = 3552, 3802
WORK_INTS = 4052


class HullRecord(NamedTuple):
    """A convex polyhedron. Lists are in `Hulls.list`; a list of lists begins with where each one starts."""

    first_vertex: int  # in `Hulls.vertex`
    vertices: int
    first_face: int  # in `Hulls.normal`
    faces: int
    corners: int  # vertices of each face, counter-clockwise seen from outside
    edges: int
    first_edge: int  # vertices v0, v1 and faces f0, f1 of each edge; f0 has it from v0 to v1
    neighbours: int  # of each vertex
    faces_at: int  # of each vertex
    x: float  # a point inside [m]
    y: float
    z: float
    radius: float  # of a sphere about it that holds the polyhedron [m]


class Hulls(NamedTuple):
    """Polyhedra, and work arrays."""

    index: Records[HullRecord]
    vertex: Floats3  # [m]
    normal: Floats3  # of faces, outward
    list: Ints
    work: Floats3  # (WORK_ROWS, 3)
    work_ints: Ints  # (WORK_INTS,)


@inlined
def put_local(points, k, x, R, p, n, gap, feature):
    """Write point k, given in the frame (x, R) of shape a by its point p on a and the normal n."""
    a, normal = add(x, rotate(R, p)), rotate(R, n)
    return put_point(points, k, a, add(x, rotate(R, add(p, scale(gap, n)))), normal, gap, feature)


@internal
def exchange(points, count):
    """Exchange the parts of the two shapes."""
    for k in range(count):
        for c in range(3):
            points.x_a[k, c], points.x_b[k, c] = points.x_b[k, c], points.x_a[k, c]
            points.normal[k, c] = -points.normal[k, c]


@inlined
def vertex_of_a(v):
    """The feature: vertex v of a in a face of b (of two capsules: its end)."""
    return (1 << 40) | v


@inlined
def vertex_of_b(v):
    return (2 << 40) | v


@inlined
def crossing(edge_a, edge_b):
    """The feature: two edges cross, each given by `edge_name`."""
    return (3 << 40) | (edge_a << 20) | edge_b


@inlined
def witness(i, j):
    """The feature: a single pair of nearest points, near the vertices i and j."""
    return (4 << 40) | (i << 20) | j


@inlined
def edge_name(i, j):
    """A number below 2²⁰ of the edge between two vertices, in either direction."""
    return (min(i, j) << 10) | max(i, j)


@internal
def perpendicular(n):
    """A unit vector perpendicular to the unit vector n: the same for the same n."""
    if abs(n[0]) <= abs(n[1]) and abs(n[0]) <= abs(n[2]):
        t = cross(n, (1.0, 0.0, 0.0))
    elif abs(n[1]) <= abs(n[2]):
        t = cross(n, (0.0, 1.0, 0.0))
    else:
        t = cross(n, (0.0, 0.0, 1.0))
    return scale(1.0 / norm(t), t)


@inlined
def hull_vertex(hulls, hull, size, k):
    """Vertex k of a polyhedron in its frame; `size`: the edges of a box, (1, 1, 1) of others."""
    v = load(hulls.vertex, hulls.index[hull].first_vertex + k)
    return (size[0] * v[0], size[1] * v[1], size[2] * v[2])


@inlined
def hull_normal(hulls, hull, k):
    """Outward normal of face k."""
    return load(hulls.normal, hulls.index[hull].first_face + k)


@internal
def support_vertex(hulls, hull, size, d, start):
    """The vertex farthest along d. A large polyhedron is climbed from vertex to vertex, from `start`."""
    record = hulls.index[hull]
    first, n = record.first_vertex, record.vertices
    d = (size[0] * d[0], size[1] * d[1], size[2] * d[2])
    if n <= 24:
        best, top = 0, dot(d, load(hulls.vertex, first))
        for k in range(1, n):
            h = dot(d, load(hulls.vertex, first + k))
            if h > top:
                best, top = k, h
        return best
    best = start
    top = dot(d, load(hulls.vertex, first + best))
    while True:
        here = best
        for i in range(hulls.list[record.neighbours + here], hulls.list[record.neighbours + here + 1]):
            k = hulls.list[i]
            h = dot(d, load(hulls.vertex, first + k))
            if h > top:
                best, top = k, h
        if best == here:
            return best


@internal
def facing(hulls, hull, size, d):
    """The face at the vertex farthest along d whose normal is nearest to d."""
    record = hulls.index[hull]
    v = support_vertex(hulls, hull, size, d, 0)
    best, closest = -1, -2.0
    for i in range(hulls.list[record.faces_at + v], hulls.list[record.faces_at + v + 1]):
        f = hulls.list[i]
        c = dot(d, hull_normal(hulls, hull, f))
        if c > closest:
            best, closest = f, c
    return best


@inlined
def face_offset(hulls, hull, size, f):
    """n·x of the plane of face f."""
    v = hulls.list[hulls.list[hulls.index[hull].corners + f]]
    return dot(hull_normal(hulls, hull, f), hull_vertex(hulls, hull, size, v))
