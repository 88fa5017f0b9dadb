"""Contacts between shapes at the present positions, as blocks of the transient rows."""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.math.vec3 import add, cross, load, norm, scale, store, sub
from mbplugin.stepping import (
    CONE,
    NOT_FINITE,
    OVERFLOW,
    Activity,
    Bodies,
    Markers,
    Step,
    TransientRows,
    acts,
    add_transient_block,
    attach_markers,
    clear_transient,
    request_capacity,
    set_block_points,
    set_row,
    transient_jacobian,
    view,
)
from mbplugin.stepping.members import spread_side
from mbplugin.stepping.shapes import Shapes, shape_pose
from mbplugin_contact.ahead import points_between
from mbplugin_contact.arrays import CONTACT, NEAR_PAIR, Contacts, grid_of, hulls_of, points_of, triangles_of
from mbplugin_contact.belts import set_belt
from mbplugin_contact.geometry.grid import ABSENT, NO_ROOM, NOT_A_NUMBER, find_pairs, set_box
from mbplugin_contact.in_plane import in_plane, plane_normal
from mbplugin_contact.operators import own_masses
from mbplugin_contact.rolling import TOUCHES, add_moments
from mbplugin_contact.sorted_keys import place_of
from mbplugin_contact.stretched import stretch_shapes
from mbplugin_contact.triangles.deforming import bounds_of, face_of, follow_nodes
from mbplugin_contact.triangles.names import face_at


def find_contacts(tables, number):
    """A part: a block of three rows for each point within the margin, pairs in ascending order. Returns a
    status.
    """
    return find(tables)


def find_stretched_contacts(tables, number):
    """A part: `find_contacts` where bodies stretch, after the bounds of their shapes. Returns a status."""
    stretch_shapes(tables)
    return find(tables)


@inlined
def find(tables):
    """Reads positions; writes all contacts and their rows there. Returns a status."""
    clear_transient(tables)
    status = broad_phase(tables) or narrow_phase(tables) or attach_markers(tables)
    status = status or transient_jacobian(tables)
    if status == 0:
        own_masses(tables)
    return status


@internal
def broad_phase(tables):
    """Write pairs of shapes whose boxes overlap. Returns a status."""
    contacts, shapes = view(tables, Contacts), view(tables, Shapes)
    set_margin(tables, view(tables, Step).record[0].length)
    grid, hulls, margin = grid_of(contacts), hulls_of(contacts), contacts.record[0].margin
    for i in range(shapes.index.shape[0]):
        x, R = shape_pose(tables, i)
        shape = shapes.index[i]
        grid.body[i] = shape.body
        hull, radius = contacts.hull[i], contacts.radius[i]
        set_box(grid, hulls, i, shape.type, shapes.p, shape.first, radius, hull, x, R, 0.5 * margin)
        if contacts.triangles[i] >= 0 and shape.corners > 0:
            follow_nodes(tables, i, 0.0)
            low, high = bounds_of(triangles_of(contacts), contacts.triangles[i])
            half = (0.5 * margin, 0.5 * margin, 0.5 * margin)
            store(grid.low, i, sub(low, half))
            store(grid.high, i, add(high, half))
        if contacts.surface[i] < 0:
            grid.rank[i] = ABSENT
    result = find_pairs(grid)
    if result == NO_ROOM:
        return request_capacity(tables, NEAR_PAIR, 2 * grid.used[1])
    return NOT_FINITE if result == NOT_A_NUMBER else 0


@internal
def narrow_phase(tables):
    """Reads these pairs; writes contacts of those that may touch. Returns a status."""
    grid = grid_of(view(tables, Contacts))
    for p in range(grid.used[0]):
        i, j = grid.pair[2 * p], grid.pair[2 * p + 1]
        status = touch(tables, i, j) if may_touch(tables, i, j) else 0
        if status != 0:
            return status
    return 0


@internal
def set_margin(tables, h):
    """The gap up to which contacts are made: two steps of the fastest body, and a thousandth of the smallest.
    The longest way of a body in a step is kept in `Totals`.
    """
    contacts, shapes, markers = view(tables, Contacts), view(tables, Shapes), view(tables, Markers)
    fastest, turning, totals = 0.0, 0.0, contacts.totals[0]
    size = 1e3 * contacts.record[0].min_margin
    for i in range(shapes.index.shape[0]):
        m = shapes.index[i].marker
        if m >= 0 and contacts.surface[i] >= 0:
            reach = contacts.radius[i] + norm(load(shapes.arm, i))
            speed, rate = norm(load(markers.v, m)), norm(load(markers.w, m))
            turning = max(turning, rate)
            fastest = max(fastest, speed + rate * reach + contacts.stretching[i])
            if h * speed > totals.longest_move * size:
                totals.longest_move, totals.longest_move_body = h * speed / size, shapes.index[i].body
                totals.longest_move_time = view(tables, Step).record[0].t0
    contacts.record[0].turning = turning
    contacts.record[0].margin = 2.0 * h * fastest + contacts.record[0].min_margin


@internal
def may_touch(tables, i, j):
    """Whether two shapes are on bodies that may touch."""
    contacts, shapes = view(tables, Contacts), view(tables, Shapes)
    a, b = shapes.index[i].body, shapes.index[j].body
    if a == b or does_not_collide(tables, a) or does_not_collide(tables, b):
        return False
    surfaces = contacts.record[0].surfaces
    if contacts.rules[contacts.surface[i] * surfaces + contacts.surface[j]].apart == 1:
        return False
    key = (min(a, b) + 1) * (view(tables, Bodies).index.shape[0] + 1) + max(a, b) + 1
    n = contacts.joined.shape[0]
    place = place_of(contacts.joined, n, key)
    return place == n or contacts.joined[place] != key


@inlined
def does_not_collide(tables, body):
    """Whether the contacts of a body do not act; body: −1: the ground."""
    return body >= 0 and not acts(tables, view(tables, Activity).of_body[body])


@internal
def touch(tables, i, j):
    """Contacts of shapes i and j, if they are near. Returns a status."""
    contacts = view(tables, Contacts)
    status = points_between(tables, i, j)
    for k in range(contacts.record[0].points):
        if status == 0:
            status = add_contact(tables, i, j, points_of(contacts), k)
    return status


@internal
def add_contact(tables, i, j, points, p):
    """A contact at point p of the list. Returns a status."""
    shapes, transient, contacts = view(tables, Shapes), view(tables, TransientRows), view(tables, Contacts)
    k = add_transient_block(tables, shapes.index[i].part, shapes.index[j].part, 3, CONE)
    if k < 0:
        return OVERFLOW
    if k >= contacts.key.shape[0]:
        return request_capacity(tables, CONTACT, k + 1)
    spread(tables, k, 0, i, j, points.feature[p])
    spread(tables, k, 1, j, i, points.feature[p])
    contacts.key[k], contacts.feature[k] = i * shapes.index.shape[0] + j, points.feature[p]
    contacts.bounded_by[k], contacts.turns[k] = -1, TOUCHES
    surfaces = contacts.record[0].surfaces
    contacts.rule[k] = contacts.surface[i] * surfaces + contacts.surface[j]
    gap = points.gap[p]
    transient.phi[3 * k] = 0.0 if abs(gap) <= contacts.record[0].zero_gap else gap
    normal = load(points.normal, p)
    first, second = tangents(normal)
    if contacts.record[0].planar > 0 and in_plane(contacts, i, j):
        second = plane_normal(contacts)
        first = cross(second, normal)
    axes = (normal[0], first[0], second[0], normal[1], first[1], second[1], normal[2], first[2], second[2])
    set_block_points(tables, k, load(points.x_a, p), load(points.x_b, p), axes)
    if contacts.record[0].belts == 1:
        set_belt(tables, k, i, j, first, second)
    none = (0.0, 0.0, 0.0)
    # both bodies are struck at the middle of their points, so that their order makes no difference
    arm = scale(0.5, sub(load(points.x_a, p), load(points.x_b, p)))
    set_row(tables, k, 0, normal, none)
    set_row(tables, k, 1, first, cross(arm, first))
    set_row(tables, k, 2, second, cross(arm, second))
    if contacts.record[0].law_of_moments < 0:
        return 0
    own = (load(points.x_a, p), load(points.x_b, p))
    return add_moments(tables, k, i, j, own[0], own[1], (normal, first, second))


@inlined
def spread(tables, k, s, i, other, feature):
    """Let side s of contact k of shape i, if that is the faces of a body, move with the nodes of one."""
    shapes, contacts = view(tables, Shapes), view(tables, Contacts)
    if shapes.index[i].corners > 0:
        T, surface = triangles_of(contacts), contacts.triangles[i]
        if contacts.triangles[other] >= 0:
            # of faces and a rigid surface the faces come first, of others shape a of the contact
            t = face_at(T, surface, feature, 1 if s == 1 and shapes.index[other].corners > 0 else 0)
        else:
            t = face_of(T, surface, feature)
        part, sides = shapes.corner_part, shapes.index[i].sides
        first = shapes.index[i].corner + sides * (t // 4 if sides == 4 else t)
        fourth = part[first + 3] if sides == 4 else -1
        spread_side(tables, k, s, (part[first], part[first + 1], part[first + 2], fourth), t)


@internal
def tangents(n):
    """Two unit vectors perpendicular to the unit vector n (T. Duff et al., J. Comput. Graph. Tech. 6 (2017)
    1-8).
    """
    s = 1.0 if n[2] >= 0.0 else -1.0
    a = -1.0 / (s + n[2])
    b = n[0] * n[1] * a
    return (1.0 + s * n[0] * n[0] * a, s * b, -s * n[0]), (b, s + n[1] * n[1] * a, -n[1])
