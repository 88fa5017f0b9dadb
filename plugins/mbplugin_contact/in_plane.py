"""Contacts of planar bodies lie in the plane of the scene. A part finds the points between two outlines.

The second tangent of such a contact is the plane's normal, along which neither body moves: that row is zero,
and so are its velocity and its impulse.
"""

from __future__ import annotations

from mbplugin.interface import inlined
from mbplugin.math.vec3 import add, cross, dot, load, rotate, scale, sub
from mbplugin.stepping import view
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.arrays import Contacts, hulls_of, points_of
from mbplugin_contact.geometry.outlines import A, B, between_polygons, over_half_plane, put_corners
from mbplugin_contact.geometry.tables import exchange, perpendicular
from mbplugin_contact.outlines import SPATIAL
from mbplugin_contact.pairs import placed


@inlined
def in_plane(contacts, i, j):
    """Whether shapes i and j touch by their outlines: one is of a planar body, the other one too or of the
    ground.
    """
    return contacts.outline[i].first != SPATIAL and contacts.outline[j].first != SPATIAL


@inlined
def touches_in_plane(tables, k):
    """Whether contact k lies in the plane of planar bodies."""
    contacts, n = view(tables, Contacts), view(tables, Shapes).index.shape[0]
    return in_plane(contacts, contacts.key[k] // n, contacts.key[k] % n)


@inlined
def plane_normal(contacts):
    record = contacts.record[0]
    return (record.plane_x, record.plane_y, record.plane_z)


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
