"""Paths of bodies to the middle of the next step: whether two shapes meet, or pass each other by. A part of
the step.

A row n₀ · (x + h u) ≥ 0 with the normal of the present keeps a body before a plane that it need not touch: at
the seam of two boxes, past a corner, over an edge. Two convex shapes in translation do not meet if and only
if one plane separates their ways, and the normal where they are nearest is that of such a plane; where they
turn, their extents along it at both ends of the way are compared. A contact of a pair that passes by is
relaxed, not left out: it keeps its place, and acts where another impact of the step drives its bodies
together.
"""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.math.vec3 import add, column, cross, dot, load, load_matrix, scale, store, sub
from mbplugin.stepping import (
    Markers,
    State,
    Step,
    TransientMarkers,
    TransientRows,
    copy,
    locate_markers,
    run_part,
    transient_rates,
    view,
)
from mbplugin.stepping.shapes import Shapes, material_velocity
from mbplugin_contact.arrays import Contacts, points_of
from mbplugin_contact.belts import rates_before
from mbplugin_contact.geometry.tables import exchange
from mbplugin_contact.in_plane import in_plane
from mbplugin_contact.stretched import extent_along

#: times in a step at which a pair is examined, at most
MAX_POSITIONS = 10
#: times in a step at which a surface of triangles is examined, at least
LOOKS = 8
#: difference of normals up to which contacts of a surface pass by together
SAME_NORMAL = 1e-3
#: stages: before the step is solved for, with v₀; after it, with v₁, for pairs that pass by
BEFORE, AFTER = range(2)


def classify_passing(tables, number):
    """A part, in two stages. BEFORE the solve: writes `Contacts.before` and `passing_by` of all contacts.
    AFTER it: writes `after` of contacts that pass by, and `passing_by` = 0 where their bodies meet all the
    same, or more than 1 where one has acted. How many have changed: `ContactRecord.reclassified`. Returns a
    status.
    """
    contacts, state = view(tables, Contacts), view(tables, State)
    record = contacts.record[0]
    record.reclassified = 0
    if number == BEFORE:
        record.passing_count = 0
    elif record.passing_count == 0:
        return 0
    if not any_closing(tables, number):
        return 0
    copy(state.v, contacts.trial)
    if number == BEFORE:
        copy(view(tables, Step).v0, state.v)
    return locate_middle(tables, locate_markers(tables) or classify_pairs(tables, number))


@internal
def locate_middle(tables, status):
    """Give markers the twists of the middle of the step again, and the velocities back that were put into
    `Contacts.trial`. Returns the status, or that of the markers.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    v0, h = view(tables, Step).v0, view(tables, Step).record[0].length
    for k in range(v0.shape[0]):
        v[k] = v0[k] + 0.5 * h * contacts.v_dot_middle[k]
    status = status or locate_markers(tables)
    copy(contacts.trial, v)
    return status


@internal
def any_closing(tables, stage):
    """Whether a contact is to be examined. Fills `Contacts.before`; AFTER: `after` of those that pass by."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    v, any_suspect = view(tables, Step).v0 if stage == BEFORE else view(tables, State).v, False
    for k in range(transient.used[0]):
        if stage == BEFORE:
            u = rates_before(tables, k, v)
            store(contacts.before, k, u)
            contacts.passing_by[k] = 0
            any_suspect = any_suspect or suspect(tables, k, u[0])
        elif contacts.passing_by[k] > 0:
            store(contacts.after, k, transient_rates(transient, k, v))
            any_suspect = any_suspect or suspect(tables, k, contacts.after[k, 0])
    return any_suspect and view(tables, Step).record[0].length > 0.0


@internal
def suspect(tables, k, u):
    """Whether contact k, at relative velocity u [m/s], would act though its bodies may pass by: its gap
    closes in the step, for a rebound with the speed that weight adds to u.
    """
    record, h = view(tables, Contacts).record[0], view(tables, Step).record[0].length
    gap = view(tables, TransientRows).phi[3 * k]
    rebounds = u < -record.impact and gap + h * (u - record.impact) < -record.loaded_gap_tolerance
    return gap + h * u < -record.loaded_gap_tolerance or rebounds


@internal
def classify_pairs(tables, stage):
    """Contacts of two convex shapes stand together and pass by together; those of a surface of triangles each
    for itself. Returns a status.
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    record, n = contacts.record[0], transient.used[0]
    rates = contacts.before if stage == BEFORE else contacts.after
    first, before, passed = 0, -1, False
    while first < n:
        end, closing, deep = first, -1, False
        alone = contacts.triangle_index.shape[0] > 0 and is_surface_pair(tables, contacts.key[first])
        while end < n and contacts.key[end] == contacts.key[first] and not (alone and end > first):
            if transient.phi[3 * end] < -record.loaded_gap_tolerance:
                deep = True
            elif suspect(tables, end, rates[end, 0]):
                closing = end
            end += 1
        if closing >= 0 and not deep and (stage == BEFORE or contacts.passing_by[first] > 0):
            key = contacts.key[first]
            if alone and along_same(tables, before, first):
                status, passes = 0, passed
            else:
                status, passes = pass_surface_by(tables, first) if alone else pass_by(tables, key)
            if status != 0:
                return status
            before, passed = first, passes
            for k in range(first, end):
                if stage == BEFORE or not passes:
                    record.reclassified += 0 if stage == BEFORE else 1
                    record.passing_count += 1 if passes else 0
                    contacts.passing_by[k] = 1 if passes else 0
                elif transient.impulse[3 * k] > 0.0:
                    # it has acted, though its bodies do not meet: it is relaxed further
                    record.reclassified += 1
                    contacts.passing_by[k] += 1
        first = end
    return 0


@internal
def pass_by(tables, key):
    """A status, and whether a plane separates the ways of the two shapes of this pair."""
    contacts = view(tables, Contacts)
    record, points = contacts.record[0], points_of(contacts)
    n = view(tables, Shapes).index.shape[0]
    i, j = key // n, key % n
    h = view(tables, Step).record[0].length
    low, high, at = 0.0, h, h
    for _ in range(MAX_POSITIONS):
        record.ahead = at
        status = points_between(tables, i, j)
        record.ahead = 0.0
        if status != 0:
            return status, False
        rate = -1.0
        if record.points == 0:  # beyond the margin: nearest before that
            rate = 1.0
        else:
            p = 0
            for q in range(1, record.points):
                if points.gap[q] < points.gap[p]:
                    p = q
            if points.gap[p] < -record.loaded_gap_tolerance:
                return 0, False
            normal = load(points.normal, p)
            x_i, x_j = load(points.x_a, p), load(points.x_b, p)
            rate = dot(normal, sub(velocity_at(tables, j, x_j), velocity_at(tables, i, x_i)))
            status, smallest = min_distance(tables, i, j, normal, h)
            if status != 0 or smallest >= -record.loaded_gap_tolerance:
                return status, status == 0
        if rate < 0.0:
            low = at
        else:
            high = at
        if high - low <= 1e-3 * h:
            break
        at = 0.5 * (low + high)
    return 0, False


@internal
def is_surface_pair(tables, key):
    """Whether one of a pair of shapes touches by its triangles."""
    contacts, n = view(tables, Contacts), view(tables, Shapes).index.shape[0]
    return contacts.triangles[key // n] >= 0 or contacts.triangles[key % n] >= 0


@inlined
def along_same(tables, i, k):
    """Whether contacts i (−1: none) and k are of one pair of shapes, with one normal."""
    contacts, R = view(tables, Contacts), view(tables, TransientMarkers).R
    if i < 0 or contacts.key[i] != contacts.key[k]:
        return False
    d = sub(column(load_matrix(R, 2 * k + 1), 0), column(load_matrix(R, 2 * i + 1), 0))
    return dot(d, d) <= SAME_NORMAL * SAME_NORMAL


@internal
def pass_surface_by(tables, k):
    """A status, and whether the shapes of contact k, one of them a surface of triangles, do not meet along
    directions near its normal. The time advances by a part of the step, or to where a gap would close, so
    that none is left out and a sheet is not looked at from behind.
    """
    contacts = view(tables, Contacts)
    record, points = contacts.record[0], points_of(contacts)
    n, h = view(tables, Shapes).index.shape[0], view(tables, Step).record[0].length
    i, j = contacts.key[k] // n, contacts.key[k] % n
    axes = load_matrix(view(tables, TransientMarkers).R, 2 * k + 1)
    normal, t = column(axes, 0), 0.0
    for _ in range(2 * MAX_POSITIONS):
        record.ahead = t
        status = points_between(tables, i, j)
        record.ahead = 0.0
        if status != 0:
            return status, False
        longer = h / LOOKS
        for p in range(record.points):
            n_p = load(points.normal, p)
            if dot(n_p, normal) > 0.5:
                if points.gap[p] < -record.loaded_gap_tolerance:
                    return 0, False
                x_i, x_j = load(points.x_a, p), load(points.x_b, p)
                rate = dot(n_p, sub(velocity_at(tables, j, x_j), velocity_at(tables, i, x_i)))
                if rate < 0.0 and points.gap[p] <= record.loaded_gap_tolerance:
                    return 0, False
                if rate < 0.0:
                    longer = min(longer, points.gap[p] / -rate)
        if t >= h:
            return 0, True
        t = min(h, t + longer)
    return 0, False


@internal
def velocity_at(tables, i, x):
    """Velocity of shape i at the world point x [m/s]."""
    markers, shape = view(tables, Markers), view(tables, Shapes).index[i]
    m = shape.marker
    if m < 0:
        return (0.0, 0.0, 0.0)
    if shape.stretch >= 0:
        return material_velocity(tables, i, x)
    return add(load(markers.v, m), cross(load(markers.w, m), sub(x, load(markers.x, m))))


@internal
def min_distance(tables, i, j, normal, h):
    """A status, and the smaller of the distances along `normal` from shape i to shape j at both ends of the
    way [m].
    """
    record, smallest = view(tables, Contacts).record[0], 1e300
    for end in range(2):
        record.ahead = h * end
        status, a = extent(tables, i, normal)
        if status == 0:
            status, b = extent(tables, j, scale(-1.0, normal))
        record.ahead = 0.0
        if status != 0:
            return status, 0.0
        smallest = min(smallest, -a - b)
    return 0, smallest


@internal
def extent(tables, i, direction):
    """A status, and how far shape i reaches along `direction` [m]; infinitely, if it has no support."""
    contacts = view(tables, Contacts)
    if contacts.answers[view(tables, Shapes).index[i].type] < 0:
        return 0, 1e300
    contacts.record[0].status = 0
    reach = extent_along(tables, i, direction)
    return contacts.record[0].status, reach


@internal
def points_between(tables, i, j):
    """Points of the shapes i and j where `ContactRecord.ahead` places them, normals from i to j. Returns a
    status.
    """
    contacts, shapes = view(tables, Contacts), view(tables, Shapes)
    planar = contacts.record[0].planar
    if planar > 0 and in_plane(contacts, i, j):
        return run_part(tables, planar, i * shapes.index.shape[0] + j)
    n, types = shapes.index.shape[0], contacts.answers.shape[0]
    number, part = i * n + j, contacts.part[shapes.index[i].type * types + shapes.index[j].type]
    exchanged = part < 0
    if exchanged:
        number, part = j * n + i, contacts.part[shapes.index[j].type * types + shapes.index[i].type]
    contacts.record[0].points = 0
    status = run_part(tables, part, number) if part >= 0 else 0
    if exchanged:  # pairs stay in ascending order, by which contacts of the last step are found
        exchange(points_of(contacts), contacts.record[0].points)
    return status
