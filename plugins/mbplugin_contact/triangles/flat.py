"""Where the supporting face or line of a shape lies over a triangle, along the normal of the triangle: a cap
of a cylinder, its side, a face of a plugin's shape. In the frame of the surface.
"""

from __future__ import annotations

from mbplugin.interface import MAX_CORNERS
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, dot, load, norm, scale, store, sub
from mbplugin_contact.geometry.clipping import FLAT, TILTED
from mbplugin_contact.geometry.face_points import clip_corners, cut_line
from mbplugin_contact.geometry.face_room import face_of_a, face_of_b
from mbplugin_contact.geometry.faces import is_round, line_of, nearest_normal, surface_at
from mbplugin_contact.geometry.tables import CORNER, POLYGON, TINY, crossing, edge_name, vertex_of_b
from mbplugin_contact.triangles.merged import add_point
from mbplugin_contact.triangles.polyhedra import name_of


@inlined
def lies_flat(face, corners, cosine):
    """Whether a face or line may lie over a triangle; cosine: between their normals."""
    return corners == 2 or (corners > 2 and -cosine > (FLAT if is_round(face) else TILTED))


@internal
def set_face(T, hulls, t, n):
    """Make triangle t, seen from where n points, the face of the first shape."""
    face, turned = face_of_a(hulls), dot(n, load(T.normal, t)) < 0.0
    for k in range(3):
        j = (3 - k) % 3 if turned else k
        store(face.x, k, load(T.vertex, T.corner[3 * t + j]))
        face.radius[k, 0] = 0.0
        face.name[k] = j
    face.radius[MAX_CORNERS, 0] = 0.0


@internal
def put_flat(T, hulls, t, corners, n, n_b, r, size, margin):
    """Note points of triangle t, with the normal n, and the face of so many corners in the room of the second
    shape; r: radius of a ball about its points. Returns the least height of the face over the triangle [m].
    """
    set_face(T, hulls, t, n)
    if corners == 2:
        return put_line(T, hulls, t, n, r, size, margin)
    work, ints, least = hulls.work, hulls.work_ints, 1e300
    m, base, origin, e, g = clip_corners(hulls, 3, n, corners, n_b, n, TINY * size)
    for k in range(m):
        row = load(work, POLYGON + base + k)
        least = min(least, row[2])
        name = name_of(T, t, ints[CORNER + base + k])
        if row[2] - r < margin and name > 0:
            on = add(origin, add(scale(row[0], e), scale(row[1], g)))
            add_point(T, hulls, size, on, n, row[2] - r, name)
    return least


@internal
def put_line(T, hulls, t, n, r, size, margin):
    """`put_flat` of a line: its ends, or where it crosses edges of the triangle."""
    line, least = line_of(face_of_b(hulls), 0, 1, -1.0), 1e300
    if not abs(line.s) < 1.0:
        return least
    across = nearest_normal(line, n)
    x = surface_at(line, 0.0, across)
    u = sub(surface_at(line, 1.0, across), x)
    begin, end, edge_0, edge_1 = cut_line(face_of_a(hulls), 3, n, x, u, n, TINY * size)
    if begin > end:
        return least
    own = edge_name(line.name_0, line.name_1)
    for k in range(2 if norm(u) * (end - begin) > TINY * size else 1):
        y, edge = add(x, scale(begin if k == 0 else end, u)), edge_0 if k == 0 else edge_1
        h = dot(n, sub(y, load(T.vertex, T.corner[3 * t])))
        least = min(least, h)
        vertex = vertex_of_b(line.name_0 if k == 0 else line.name_1)
        name = name_of(T, t, vertex if edge < 0 else crossing(edge, own))
        if h - r < margin and name > 0:
            add_point(T, hulls, size, sub(y, scale(h, n)), n, h - r, name)
    return least
