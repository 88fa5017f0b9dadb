"""A part that finds the points between the outlines of planar bodies, and of what the ground has in their
plane.
"""

from __future__ import annotations

from mbplugin.math.vec3 import add, cross, dot, load, rotate, scale, sub
from mbplugin.stepping import view
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.arrays import Contacts, hulls_of, points_of
from mbplugin_contact.asked import placed
from mbplugin_contact.geometry.outlines import A, B, between_polygons, over_half_plane, put_corners
from mbplugin_contact.geometry.tables import exchange, perpendicular
from mbplugin_contact.in_plane import plane_normal


def touch_in_plane(tables, number):
    """A part: the points between the outlines of shapes i and j of n, whose number is i n + j. Returns a
    status.
    """
    n, contacts = view(tables, Shapes).index.shape[0], view(tables, Contacts)
    i, j = number // n, number % n
    record, points = contacts.record[0], points_of(contacts)
    record.points = 0
    if contacts.outline[i].first < 0 or contacts.outline[j].first < 0:
        return 0
    exchanged = contacts.outline[i].corners == 0
    if exchanged:
        i, j = j, i
    a, b = placed(tables, i), placed(tables, j)
    normal = plane_normal(contacts)
    e = perpendicular(normal)
    g = cross(normal, e)
    frame = (sub(a.x, scale(dot(normal, a.x), normal)), e, g)
    work, corner, arm = hulls_of(contacts).work, contacts.hull_vertex, sub(b.x, a.x)
    one, other, margin = contacts.outline[i], contacts.outline[j], record.margin
    m_a, r_a, m_b, r_b = one.corners, one.radius, other.corners, other.radius
    size_a = put_corners(work, A, corner, one.first, m_a, a.R, (0.0, 0.0, 0.0), e, g)
    if m_b == 0:
        on_line = add(arm, rotate(b.R, load(corner, other.first)))
        up = rotate(b.R, load(corner, other.first + 1))
        x, y, n_x, n_y = dot(e, on_line), dot(g, on_line), dot(e, up), dot(g, up)
        record.points = over_half_plane(work, points, frame, m_a, r_a, x, y, n_x, n_y, margin)
    else:
        size_b = put_corners(work, B, corner, other.first, m_b, b.R, arm, e, g)
        record.points = between_polygons(work, points, frame, m_a, size_a, r_a, m_b, size_b, r_b, margin)
    if exchanged:
        exchange(points, record.points)
    return 0
