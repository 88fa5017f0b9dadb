"""A = a M + b D + c K in blocks of bodies, with K = −∂(h + Gᵀλ)/∂q and D = −∂h/∂v at the present state and λ.

With H the twists of all markers from v, E = ∂(H v)/∂q, and w the wrenches at the markers, h + Gᵀλ = Hᵀ w +
(the bodies' own forces). An unknown δ changes positions by c δ and velocities by b δ, so that the markers'
places change by P δ = c H δ and their twists by V δ = (b H + c E) δ:

    A = a M + Hᵀ (K_m P + D_m V) + b D_b + c K_b       K_m = −∂w/∂(places), D_m = −∂w/∂(twists) of the markers
    K_b = −∂(Hᵀ w)/∂q, w held, − ∂(own forces)/∂q,     D_b = −∂(own forces)/∂v

Elements give K_m and D_m, body kinds the rest, in closed form; for those that give none, differences are
taken of them alone (`tangent_differences.py`). An enforced row adds −Gᵀ (∂load/∂Φ dΦ + ∂load/∂Φ̇ dΦ̇), and its
load counts in w. Where the unknown is the increment of a step, positions change by c T δ (`increments.py`).

Of a tree, K_b and D_b are those of its recursion: c K_b has ∂(M v̇ − h)/∂q at the v̇ in `Rates`, since its M
depends on q (`kernels/tree/tangents.py`). M of other bodies is constant, or its change is left out.

A marker on a body with parts counts here as a body with the marker's twist as velocities;
`problem/part_tangents.py` takes its blocks to the velocities of the parts, and adds what the kinds of such
bodies write.

Inner states of elements follow dx = s dẋ; states of the scene, implicit variables and memory are held.
"""

from __future__ import annotations

from mbplugin.kernels.modes import acts
from mbplugin.kernels.tangent_products import add_range, add_sandwich, put_by_increment
from mbplugin.kernels.tree.mass_matrix import add_mass_of_tree
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import internal
from mbplugin.math.profile import first_column
from mbplugin.math.vectors import add_scaled, copy_range
from mbplugin.tables.groups import (
    Activity,
    Blocks,
    Bodies,
    Differences,
    Elements,
    Enforced,
    Increments,
    Markers,
    Rows,
    State,
    Status,
    TangentBlocks,
    TangentPlan,
    Tangents,
    TangentWork,
    Wrenches,
)
from mbplugin.tables.purposes import GEOMETRIC
from mbplugin.tables.records import DENSE, ON, PROFILE, TREE
from mbplugin.tables.status import TANGENT_RAISED

#: places of c and of 1 in `TangentBlocks.weight`
C_WEIGHT, ONE = 2, 4
#: what `enforced_tangents` does: find slopes and rates, or add the rows
FIND, ADD = range(2)
#: records that a tangent function is called for at a time, so that their numbers stay near the processor
CHUNK = 4


@internal
def needs_twists(tables):
    """Whether the twists of markers change with the unknowns, and anything depends on them."""
    differences = view(tables, Differences)
    if differences.twists[0] == 0 and differences.rates[0] == 0:
        return False
    weight = view(tables, TangentBlocks).weight
    if weight[1] != 0.0:
        return True
    v = view(tables, State).v
    moving = False
    for k in range(v.shape[0]):
        moving |= v[k] != 0.0
    return moving and weight[2] != 0.0


@internal
def add_masses(tables, a):
    """a M."""
    bodies = view(tables, Bodies)
    blocks = view(tables, TangentBlocks)
    diagonal = view(tables, TangentPlan).diagonal
    for i in range(bodies.index.shape[0]):
        body = bodies.index[i]
        n, at = body.nv, diagonal[i]
        if a == 0.0:
            continue
        if body.mass_form == DENSE:
            for k in range(n * n):
                blocks.value[at + k] = a * bodies.M[body.first_mass + k]
        elif body.mass_form == PROFILE:
            for r in range(n):
                row = body.first_mass + bodies.profile[body.first_profile + r + 1] - 1 - r
                for k in range(first_column(bodies.profile, body.first_profile, r), r + 1):
                    blocks.value[at + r * n + k] = a * bodies.M[row + k]
                    blocks.value[at + k * n + r] = a * bodies.M[row + k]
        elif body.mass_form == TREE:
            add_mass_of_tree(tables, body.tree, a, blocks.value, at, n)
        else:
            for k in range(n):
                blocks.value[at + k * n + k] = a / bodies.inverse[body.first_v + k]


@internal
def put_loads(tables):
    """λ of rows that are on, and the loads of enforced ones."""
    rows, mode = view(tables, Rows), view(tables, State).mode
    lam = view(tables, Tangents).lam
    enforced = view(tables, Enforced).index
    for r in range(lam.shape[0]):
        lam[r] = rows.lam[r] if mode[r] == ON else 0.0
    for i in range(enforced.shape[0]):
        lam[enforced[i].row] += rows.load[enforced[i].row]


@internal
def put_wrenches(tables):
    """The wrenches of forces and rows at every marker."""
    wrench = view(tables, Tangents).wrench
    lam = view(tables, Tangents).lam
    blocks = view(tables, Blocks)
    forces = view(tables, Wrenches).wrench
    marker = view(tables, TangentPlan).force_marker
    for p in range(wrench.shape[0]):
        for k in range(6):
            wrench[p, k] = 0.0
    for s in range(marker.shape[0]):
        for k in range(6):
            wrench[marker[s], k] += forces[6 * s + k]
    for i in range(blocks.index.shape[0]):
        block = blocks.index[i]
        for r in range(block.rows):
            load = lam[block.first_row + r]
            if load == 0.0:
                continue
            for s in range(block.slots):
                p = blocks.marker[block.first_slot + s]
                g = block.first_G_marker + 6 * (r * block.slots + s)
                for k in range(6):
                    wrench[p, k] += blocks.G_marker[g + k] * load


@internal
def called(tables, address, first, count):
    """Call a tangent function. Returns a status."""
    if call_batch(address, first, count, tables) != 0:
        view(tables, Status).batch[0] = address
        return TANGENT_RAISED
    return 0


@internal
def call_over(tables, purpose, twisted):
    """Call the functions of bodies and markers, and take over what they write; E if `twisted`.

    Returns a status.
    """
    calls = view(tables, TangentPlan).call
    value = view(tables, Tangents).value
    for i in range(calls.shape[0]):
        call = calls[i]
        if call.purpose != purpose:
            continue
        if call.numbers == 0:
            status = called(tables, call.address, call.first, call.length)
            if status != 0:
                return status
            continue
        for start in range(0, call.length, CHUNK):
            count = min(CHUNK, call.length - start)
            clear(value, 0, count * call.numbers)
            status = called(tables, call.address, call.first + start, count)
            if status != 0:
                return status
            for k in range(count):
                if purpose == GEOMETRIC:
                    take_geometric(tables, call.first + start + k, k * call.numbers, twisted)
                else:
                    take_internal(tables, call.first + start + k, k * call.numbers)
    return 0


@internal
def take_geometric(tables, marker, at, twisted):
    """K of a marker's body, and E if `twisted`, from `value`."""
    space = view(tables, TangentWork)
    tangents = view(tables, Tangents)
    body = view(tables, Markers).index[marker].body
    nv, own = view(tables, Bodies).index[body].nv, view(tables, Increments).first[body]
    add_range(space.own, own, tangents.value, at, nv * nv)
    h = tangents.jacobian[marker]
    copy_range(tangents.value, at + nv * nv, space.velocity, h, 6 * nv if twisted else 0)


@internal
def take_internal(tables, body, at):
    """K and D of a body's own forces, from `value`."""
    plan = view(tables, TangentPlan)
    space = view(tables, TangentWork)
    blocks = view(tables, TangentBlocks)
    value = view(tables, Tangents).value
    nv, own = view(tables, Bodies).index[body].nv, view(tables, Increments).first[body]
    add_range(space.own, own, value, at, nv * nv)
    if blocks.weight[1] != 0.0:
        add_scaled(blocks.weight[1], value, at + nv * nv, blocks.value, plan.diagonal[body], nv * nv)


@internal
def put_columns(tables, twisted):
    """P = c H T and V = b H + c E T of every marker on a body; E is in `velocity`. Without T, P is not
    stored.
    """
    tangents = view(tables, Tangents)
    space = view(tables, TangentWork)
    blocks = view(tables, TangentBlocks)
    increments = view(tables, Increments)
    markers = view(tables, Markers).index
    b, c = blocks.weight[1], blocks.weight[2]
    for p in range(markers.shape[0] if twisted or blocks.by_increments[0] != 0 else 0):
        h = tangents.jacobian[p]
        if h < 0:
            continue
        n = tangents.width[p]
        if blocks.by_increments[0] != 0:
            body = markers[p].body
            put_by_increment(space.position, h, tangents.H, h, increments, body, c, 6, n)
            if twisted:
                put_by_increment(space.work, 0, space.velocity, h, increments, body, c, 6, n)
                for k in range(6 * n):
                    space.velocity[h + k] = b * tangents.H[h + k] + (space.work[k] if c != 0.0 else 0.0)
        elif twisted:
            for k in range(6 * n):
                E = c * space.velocity[h + k] if c != 0.0 else 0.0
                space.velocity[h + k] = b * tangents.H[h + k] + E


@internal
def add_own(tables):
    """c K_b T of every body."""
    plan = view(tables, TangentPlan)
    space = view(tables, TangentWork)
    blocks = view(tables, TangentBlocks)
    increments = view(tables, Increments)
    bodies = view(tables, Bodies).index
    c = blocks.weight[2]
    for i in range(bodies.shape[0]):
        n, at, own = bodies[i].nv, plan.diagonal[i], increments.first[i]
        if blocks.by_increments[0] != 0:
            put_by_increment(space.work, 0, space.own, own, increments, i, c, n, n)
            add_scaled(1.0, space.work, 0, blocks.value, at, n * n)
        else:
            add_scaled(c, space.own, own, blocks.value, at, n * n)


@internal
def add_strips(tables, twisted):
    """The elements that give tangents. Returns a status."""
    plan = view(tables, TangentPlan)
    value = view(tables, Tangents).value
    for i in range(plan.strip.shape[0]):
        strip = plan.strip[i]
        m = strip.markers
        for start in range(0, strip.groups, CHUNK):
            count = min(CHUNK, strip.groups - start)
            for j in range(strip.first_member, strip.first_member + strip.members):
                member = plan.member[j]
                each = member.each
                clear(value, member.place, count * each * member.numbers)
                status = called(tables, member.address, member.first + start * each, count * each)
                if status != 0:
                    return status
                clear_silent(tables, member, start * each, count * each)
            for what in range(1 + int(twisted and strip.velocity != 0)):
                for g in range(count):
                    at = sum_group(tables, strip, g, what)
                    slot = strip.first_slot + (start + g) * m
                    pair = strip.first_pair + (start + g) * m * m
                    add_markers(tables, slot, m, slot, m, pair, value, at, what)
    return 0


@internal
def clear_silent(tables, member, start, count):
    """The tangents of forces that do not act are zero; of `count` records of a strip, from its record
    `start`.
    """
    of_slot, forces = view(tables, Activity).of_slot, view(tables, Wrenches).index
    for k in range(count if member.rows == 0 else 0):
        force = forces[view(tables, Elements).index[member.first + start + k].force]
        if not acts(tables, of_slot[force.first_slot]):
            clear(view(tables, Tangents).value, member.place + k * member.numbers, member.numbers)


@internal
def sum_group(tables, strip, g, what):
    """Add K (what = 0) or D (1) of the elements of a group to that of the first that has one. Returns where
    the sum begins in `value`.
    """
    plan = view(tables, TangentPlan)
    value = view(tables, Tangents).value
    size = 36 * strip.markers * strip.markers
    total = -1
    for j in range(strip.first_member, strip.first_member + strip.members):
        member = plan.member[j]
        for e in range(member.each if member.numbers > what * size else 0):
            at = member.place + (g * member.each + e) * member.numbers + what * size
            if total < 0:
                total = at
            else:
                add_range(value, total, value, at, size)
    return total


@internal
def add_markers(tables, act, acts, read, reads, pair, K, at, what):
    """Hᵀ K_m P (what = 0) or Hᵀ D_m V (1) of markers in `TangentPlan.marker`, K_m (6 acts, 6 reads) from
    `at`.
    """
    plan = view(tables, TangentPlan)
    space = view(tables, TangentWork)
    tangents = view(tables, Tangents)
    blocks = view(tables, TangentBlocks)
    # P is c H, or has the factor already
    scaled = what == 0 and blocks.by_increments[0] == 0
    columns = tangents.H if scaled else space.position if what == 0 else space.velocity
    factor = C_WEIGHT if scaled else ONE
    for s in range(acts):
        for t in range(reads):
            block = plan.pair[pair + s * reads + t]
            if block < 0:
                continue
            p, q = plan.marker[act + s], plan.marker[read + t]
            add_sandwich(
                blocks.value,
                block,
                tangents.H,
                tangents.jacobian[p],
                K,
                at + 36 * s * reads + 6 * t,
                6 * reads,
                columns,
                tangents.jacobian[q],
                blocks.weight,
                factor,
                tangents.width[p],
                tangents.width[q],
                space.line,
            )
