"""Blocks of rows that come and go: markers made where they are needed, G and M⁻¹ Gᵀ of their rows.

A row is a unit load on body b at its marker, and the opposite one on body a about the same point:

    G = G_m H,   X = M⁻¹ Gᵀ,   v ← v + X P

for an impulse P along the row. Any body kind works, by its own `point_at`, `locate` and
`to_generalized_force`.
"""

from __future__ import annotations

from mbplugin.kernels.inertia import solve_mass
from mbplugin.kernels.members import PARTS, RECORD, VELOCITIES, first_member, members_of
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.emitters.triple_products import RIGID
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, load, store, sub
from mbplugin.math.vectors import add_scaled, copy_range
from mbplugin.tables.groups import (
    Batches,
    Bodies,
    Capacity,
    Kinds,
    Status,
    TransientJobs,
    TransientMarkers,
    TransientRows,
)
from mbplugin.tables.records import DIAGONAL
from mbplugin.tables.status import NO_POINT_AT, OVERFLOW, RAISED

#: sets of growing arrays: transient blocks and rows, matrix of the step, impacts; those of a solver follow
TRANSIENT_BLOCKS, TRANSIENT_ROWS, MATRIX_CAPACITY, NOTED_IMPACTS, OWN_CAPACITY = range(5)
#: functions of a body kind on markers of the transient rows
POINT_AT, LOCATE, TO_GENERALIZED = range(3)


@internal
def request_capacity(tables, which, required):
    """Require `required` places in the solver's set `which` of growing arrays. Returns OVERFLOW, which the
    solver returns: the step is then repeated with longer arrays.
    """
    view(tables, Capacity).required[OWN_CAPACITY + which] = required
    return OVERFLOW


@internal
def clear_transient(tables):
    """Remove all blocks."""
    used = view(tables, TransientRows).used
    used[0] = used[1] = 0


@internal
def add_transient_block(tables, a, b, rows, row_type):
    """Add a block of `rows` rows of `row_type` between bodies, or parts of them, a and b (-1: the ground);
    its rows are zero.

    Returns its number; -1 if there is no place left: the solver then returns OVERFLOW.
    """
    transient, markers, jobs = (
        view(tables, TransientRows),
        view(tables, TransientMarkers),
        view(tables, TransientJobs),
    )
    k, first = transient.used[0], transient.used[1]
    full = False
    if k >= transient.index.shape[0]:
        view(tables, Capacity).required[TRANSIENT_BLOCKS] = k + 1
        full = True
    if first + rows > transient.phi.shape[0]:
        view(tables, Capacity).required[TRANSIENT_ROWS] = first + rows
        full = True
    if full:
        return -1
    transient.used[0], transient.used[1] = k + 1, first + rows
    block = transient.index[k]
    block.row_type, block.first_row, block.rows, block.label = row_type, first, rows, 0
    transient.friction[k] = 0.0
    for r in range(first, first + rows):
        transient.phi[r] = transient.target[r] = transient.impulse[r] = transient.lower[r] = transient.upper[
            r
        ] = 0.0
        clear(transient.G_marker, 12 * r, 12)
    bodies = view(tables, Bodies).index
    room = transient.width[PARTS] * transient.width[VELOCITIES]
    for m in members_of(transient, k):
        transient.member[m].body, transient.member[m].nv = -1, 0
    for s in range(2):
        body, g = a if s == 0 else b, room * (2 * first + s * rows)
        marker, job = markers.index[2 * k + s], jobs.index[2 * k + s]
        member = transient.member[first_member(transient, k, s)]
        marker.body = bodies[body].whole if body >= 0 else -1
        marker.first_parameter, marker.part = (2 * k + s) * transient.width[RECORD], body
        marker.face = -1
        if body >= 0 and bodies[body].nv == 0:
            # a link moves with the velocities of its tree
            body = marker.body
        other = transient.member[first_member(transient, k, 0)]
        again = s == 1 and body >= 0 and body == other.body
        member.body, member.first_G, member.first_v, member.nv = body, g, 0, 0
        job.marker, job.source, job.stride, job.rows = 2 * k + s, 12 * first + 6 * s, 12, rows
        job.target, job.add = g, 0
        if again:
            # one body: both markers add to the same part of G
            job.target, job.add = other.first_G, 1
        elif body >= 0:
            member.first_v, member.nv = bodies[body].first_v, bodies[body].nv
        job.width, job.first_piece, job.pieces = bodies[body].nv if body >= 0 else 0, 0, 0
    return k


@internal
def spread_side(tables, k, s, parts, face):
    """Let side s of block k, of rows that are zero, move with `parts` of its body: those of the nodes of one
    of its faces, on which its marker is, four at most; s: 0 body a, 1 body b. A part that is −1 is held, or
    none; two may be the same.
    """
    transient, jobs = view(tables, TransientRows), view(tables, TransientJobs)
    bodies, rows = view(tables, Bodies).index, transient.index[k].rows
    marker, job = view(tables, TransientMarkers).index[2 * k + s], jobs.index[2 * k + s]
    first, room = first_member(transient, k, s), transient.width[PARTS] * transient.width[VELOCITIES]
    g = room * (2 * transient.index[k].first_row + s * rows)
    marker.face, job.first_piece, job.pieces, job.width = face, first, 0, 0
    end = first
    for part in parts:
        if part < 0:
            continue
        same = first
        while same < end and transient.member[same].body != part:
            same += 1
        piece, member = jobs.piece[first + job.pieces], transient.member[same]
        if same == end:
            member.body, member.first_G = part, g
            member.first_v, member.nv = bodies[part].first_v, bodies[part].nv
            g += rows * member.nv
        piece.target, piece.nv, piece.add = member.first_G, member.nv, 1 if same < end else 0
        end = max(end, same + 1)
        job.width += member.nv
        job.pieces += 1
    if end > first:
        marker.part = transient.member[first].body


@internal
def call_kind(tables, what, first, count):
    """Call a function of a body kind for transient markers that are all on bodies of this kind. Returns a
    status.
    """
    body = view(tables, TransientMarkers).index[first].body
    kind = view(tables, Kinds).index[view(tables, Bodies).index[body].kind]
    number = kind.locate
    if what == POINT_AT:
        number = kind.point_at
    elif what == TO_GENERALIZED:
        number = kind.to_generalized_force
    if number < 0:
        view(tables, Status).batch[0] = body
        return NO_POINT_AT
    batch = view(tables, Batches).index[number]
    if call_batch(batch.address, first, count, tables) != 0:
        batch.first, batch.length = first, count
        view(tables, Status).batch[0] = number
        return RAISED
    return 0


@internal
def call_kinds(tables, what):
    """Call a function of the body kinds for all markers in use. Returns a status."""
    index, bodies = view(tables, TransientMarkers).index, view(tables, Bodies).index
    n = 2 * view(tables, TransientRows).used[0]
    i = 0
    while i < n:
        body = index[i].body
        if body < 0:
            i += 1
            continue
        stop = i + 1
        while stop < n and index[stop].body >= 0 and bodies[index[stop].body].kind == bodies[body].kind:
            stop += 1
        status = call_kind(tables, what, i, stop - i)
        if status != 0:
            return status
        i = stop
    return 0


@inlined
def set_marker(markers, m, x, R):
    """Give marker m its point x [m] and axes R (nine numbers) in the world."""
    store(markers.x, m, x)
    for n in range(9):
        markers.R[m, n] = R[n]
    if markers.index[m].body < 0:
        for motion in (markers.v, markers.w, markers.v_bias, markers.w_bias):
            store(motion, m, (0.0, 0.0, 0.0))


@internal
def make_marker(tables, m, x, R):
    """Make transient marker m at the world point x [m], with axes R (nine numbers), on its body. Returns a
    status.

    The bodies must have been located at the present state (`evaluate_eom`, or `locate_markers`).
    """
    markers = view(tables, TransientMarkers)
    set_marker(markers, m, x, R)
    if markers.index[m].body < 0:
        return 0
    status = call_kind(tables, POINT_AT, m, 1)
    return status if status != 0 else call_kind(tables, LOCATE, m, 1)


@internal
def place_block(tables, k, x_a, x_b, R):
    """Make the markers of block k at the world points x_a on body a and x_b on body b [m], with axes R.
    Returns a status.
    """
    status = make_marker(tables, 2 * k, x_a, R)
    return status if status != 0 else make_marker(tables, 2 * k + 1, x_b, R)


@internal
def set_block_points(tables, k, x_a, x_b, R):
    """Set the points of many blocks: `attach_markers` then makes those of all at once, which is faster. Rows
    may be set before.
    """
    markers = view(tables, TransientMarkers)
    set_marker(markers, 2 * k, x_a, R)
    set_marker(markers, 2 * k + 1, x_b, R)


@internal
def attach_markers(tables):
    """Make the markers of all blocks where `set_block_points` put them, without their twists, which
    `transient_jacobian` does not need. Returns a status.
    """
    return call_kinds(tables, POINT_AT)


@internal
def locate_transient(tables):
    """Poses, twists and Ḣ v of all markers of the transient rows at the present state. Returns a status."""
    return call_kinds(tables, LOCATE)


@internal
def set_row(tables, k, r, force, torque):
    """Row r of block k: a unit load is this force and torque on body b at its marker, world axes, and the
    opposite on body a about the same point.
    """
    transient, x = view(tables, TransientRows), view(tables, TransientMarkers).x
    g = 12 * (transient.index[k].first_row + r)
    moment = add(torque, cross(sub(load(x, 2 * k + 1), load(x, 2 * k)), force))
    for c in range(3):
        transient.G_marker[g + c], transient.G_marker[g + 3 + c] = -force[c], -moment[c]
        transient.G_marker[g + 6 + c], transient.G_marker[g + 9 + c] = force[c], torque[c]


@internal
def transient_jacobian(tables):
    """G, X = M⁻¹ Gᵀ and diag(G M⁻¹ Gᵀ) of all rows of the transient rows. Returns a status.

    M must be that of the present state.
    """
    status = call_kinds(tables, TO_GENERALIZED)
    if status != 0:
        return status
    transient, bodies = view(tables, TransientRows), view(tables, Bodies)
    for k in range(transient.used[0]):
        first, rows = transient.index[k].first_row, transient.index[k].rows
        for r in range(rows):
            total = 0.0
            for m in members_of(transient, k):
                member = transient.member[m]
                nv, f = member.nv, member.first_v
                if nv == 0:
                    continue
                g = member.first_G + r * nv
                if bodies.index[member.body].mass_form != DIAGONAL:
                    copy_range(transient.G, g, transient.X, g, nv)
                    solve_mass(bodies, member.body, transient.X, g)
                    for c in range(nv):
                        total += transient.X[g + c] * transient.G[g + c]
                elif nv == RIGID:
                    total += by_diagonal_mass(transient.G, bodies.inverse, transient.X, g, f, RIGID)
                else:
                    total += by_diagonal_mass(transient.G, bodies.inverse, transient.X, g, f, nv)
            transient.inverse_mass[first + r] = total
    return 0


@inlined
def by_diagonal_mass(G, inverse, X, g, first, nv):
    """A row of X = M⁻¹ Gᵀ of a diagonal M; returns G X."""
    total = 0.0
    for c in range(nv):
        X[g + c] = G[g + c] * inverse[first + c]
        total += X[g + c] * G[g + c]
    return total


@inlined
def transient_row_rate(transient, k, r, v):
    """(G v) of row r of block k."""
    rate = 0.0
    for m in members_of(transient, k):
        member = transient.member[m]
        g = member.first_G + r * member.nv
        for c in range(member.nv):
            rate += transient.G[g + c] * v[member.first_v + c]
    return rate


@inlined
def add_transient_impulse(transient, k, r, P, v):
    """v ← v + M⁻¹ Gᵀ P for row r of block k."""
    for m in members_of(transient, k):
        member = transient.member[m]
        g = member.first_G + r * member.nv
        add_scaled(P, transient.X, g, v, member.first_v, member.nv)
