"""Bodies on their ways to the middle of the next step: whether two shapes meet, or pass each other by. A part
of the step.

A row n₀ · (x + h u) ≥ 0 with the normal of the present keeps a body before a plane that it need not touch: at
the seam of two boxes, past a corner, over an edge. Two convex shapes in translation do not meet if and only
if one plane separates their ways, and the normal where they are nearest is that of such a plane; where they
turn, their extents along it at both ends of the way are compared. A contact of a pair that passes by is
relaxed, not left out: it keeps its place, and catches what another impact of the step throws at it.
"""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.math.vec3 import add, cross, dot, load, scale, sub
from mbplugin.stepping import (
    Markers,
    Pool,
    Shapes,
    State,
    Step,
    copy,
    locate_markers,
    pool_rates,
    run_part,
    view,
)
from mbplugin_contact.arrays import Contacts, points_of
from mbplugin_contact.geometry.tables import exchange

#: looks at a pair on its way through a step
LOOKS = 10
#: what the part does: before the step is solved for, with v₀; after it, with v₁, at those that pass by
BEFORE, AFTER = range(2)


def look(tables, number):
    """A part: `Contacts.passing` of all contacts; after the solve 0 again where bodies meet all the same. How
    many have changed is in `ContactRecord.met`. Returns a status.
    """
    mine, state = view(tables, Contacts), view(tables, State)
    record = mine.record[0]
    record.met = 0
    if number == BEFORE:
        record.by = 0
    elif record.by == 0:
        return 0
    if not has_suspects(tables, number):
        return 0
    copy(state.v, mine.trial)
    if number == BEFORE:
        copy(view(tables, Step).v0, state.v)
    status = locate_markers(tables)
    if status == 0:
        status = look_at_pairs(tables, number)
    # the twists of markers are again those of the middle of the step
    v0, h = view(tables, Step).v0, view(tables, Step).record[0].length
    for k in range(v0.shape[0]):
        state.v[k] = v0[k] + 0.5 * h * mine.v_dot_middle[k]
    if status == 0:
        status = locate_markers(tables)
    copy(mine.trial, state.v)
    return status


@internal
def has_suspects(tables, when):
    """Whether a contact is to be looked at. `Contacts.before` is filled; later `after` of what passes by."""
    mine, pool = view(tables, Contacts), view(tables, Pool)
    v, found = view(tables, Step).v0 if when == BEFORE else view(tables, State).v, False
    for k in range(pool.used[0]):
        if when == BEFORE:
            u = pool_rates(pool, k, v)
            mine.before[k, 0], mine.before[k, 1], mine.before[k, 2] = u
            mine.passing[k] = 0
            found = found or suspect(tables, k, u[0])
        elif mine.passing[k] > 0:
            mine.after[k, 0], mine.after[k, 1], mine.after[k, 2] = pool_rates(pool, k, v)
            found = found or suspect(tables, k, mine.after[k, 0])
    return found and view(tables, Step).record[0].length > 0.0


@internal
def suspect(tables, k, u):
    """Whether contact k, at relative velocity u [m/s], would act though its bodies may pass by: its gap
    closes in the step, with what weight adds to u if it rebounds.
    """
    record, h = view(tables, Contacts).record[0], view(tables, Step).record[0].length
    gap = view(tables, Pool).phi[3 * k]
    rebounds = u < -record.impact and gap + h * (u - record.impact) < -record.close
    return gap + h * u < -record.close or rebounds


@internal
def look_at_pairs(tables, when):
    """Contacts of a pair of shapes stand together and pass by together. Returns a status."""
    mine, pool = view(tables, Contacts), view(tables, Pool)
    record, n = mine.record[0], pool.used[0]
    rates = mine.before if when == BEFORE else mine.after
    first = 0
    while first < n:
        end, asked, deep = first, -1, False
        while end < n and mine.key[end] == mine.key[first]:
            if pool.phi[3 * end] < -record.close:
                deep = True
            elif suspect(tables, end, rates[end, 0]):
                asked = end
            end += 1
        if asked >= 0 and not deep and (when == BEFORE or mine.passing[first] > 0):
            status, passes = pass_by(tables, mine.key[first])
            if status != 0:
                return status
            for k in range(first, end):
                if when == BEFORE or not passes:
                    record.met += 0 if when == BEFORE else 1
                    record.by += 1 if passes else 0
                    mine.passing[k] = 1 if passes else 0
                elif pool.impulse[3 * k] > 0.0:
                    # it has acted, though nothing meets: it is relaxed further
                    record.met += 1
                    mine.passing[k] += 1
        first = end
    return 0


@internal
def pass_by(tables, key):
    """A status, and whether a plane separates the ways of the two shapes of this pair."""
    mine = view(tables, Contacts)
    record, points = mine.record[0], points_of(mine)
    n = view(tables, Shapes).index.shape[0]
    i, j = key // n, key % n
    h = view(tables, Step).record[0].length
    low, high, at = 0.0, h, h
    for _ in range(LOOKS):
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
            if points.gap[p] < -record.close:
                return 0, False
            normal = load(points.normal, p)
            x_i, x_j = load(points.x_a, p), load(points.x_b, p)
            rate = dot(normal, sub(velocity_at(tables, j, x_j), velocity_at(tables, i, x_i)))
            status, least = least_distance(tables, i, j, normal, h)
            if status != 0 or least >= -record.close:
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
def velocity_at(tables, i, x):
    """Velocity of shape i at the world point x [m/s]."""
    markers, m = view(tables, Markers), view(tables, Shapes).index[i].marker
    if m < 0:
        return (0.0, 0.0, 0.0)
    return add(load(markers.v, m), cross(load(markers.w, m), sub(x, load(markers.x, m))))


@internal
def least_distance(tables, i, j, normal, h):
    """A status, and the smaller of the distances along `normal` from shape i to shape j at both ends of the
    way [m].
    """
    record, least = view(tables, Contacts).record[0], 1e300
    for end in range(2):
        record.ahead = h * end
        status, a = extent(tables, i, normal)
        if status == 0:
            status, b = extent(tables, j, scale(-1.0, normal))
        record.ahead = 0.0
        if status != 0:
            return status, 0.0
        least = min(least, -a - b)
    return 0, least


@internal
def extent(tables, i, direction):
    """A status, and how far shape i reaches along `direction` [m]; infinitely, if it has no support."""
    mine, shapes = view(tables, Contacts), view(tables, Shapes)
    part, record = mine.reach[shapes.index[i].type], mine.record[0]
    if part < 0:
        return 0, 1e300
    record.along_x, record.along_y, record.along_z = direction
    status = run_part(tables, part, i)
    return status, record.extent


@internal
def points_between(tables, i, j):
    """Points of the shapes i and j where `ContactRecord.ahead` places them, normals from i to j. Returns a
    status.
    """
    mine, shapes = view(tables, Contacts), view(tables, Shapes)
    n, types = shapes.index.shape[0], mine.record[0].types
    number, part = i * n + j, mine.part[shapes.index[i].type * types + shapes.index[j].type]
    exchanged = part < 0
    if exchanged:
        number, part = j * n + i, mine.part[shapes.index[j].type * types + shapes.index[i].type]
    mine.record[0].points = 0
    status = run_part(tables, part, number) if part >= 0 else 0
    if exchanged:  # pairs stay in ascending order, by which contacts of the last step are found
        exchange(points_of(mine), mine.record[0].points)
    return status
