"""Tangents of the rows under a compliance (penalty): −Gᵀ (∂load/∂Φ dΦ + ∂load/∂Φ̇ dΦ̇).

The load itself is part of the wrenches, as λ is. Φ̇ = G_m twist + Φₜ changes with the places of the markers at
held twists too: for a measure by −twistᵀ K under a unit load.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tangent_differences import difference_compliances
from mbplugin.kernels.tangent_products import add_product_of_rows, put_by_increment
from mbplugin.kernels.tangents import CHUNK, FIND, called
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import internal
from mbplugin.math.vectors import add_scaled, copy_range
from mbplugin.tables.groups import (
    Blocks,
    Differences,
    Elements,
    Enforced,
    Increments,
    Markers,
    Rows,
    State,
    TangentBlocks,
    TangentPlan,
    Tangents,
    TangentWork,
)
from mbplugin.tables.purposes import SLOPE
from mbplugin.tables.records import ON


@by_address(seconds=5, when="enforced tangents")
def enforced_tangents(tables, what):
    """Find slopes, and the rates of rows where they matter (FIND), or add the rows. Returns a status."""
    rates = view(tables, Differences).rates
    if what != FIND:
        add_enforced(tables, rates[0] != 0)
        return 0
    status = find_slopes(tables)
    rates[0] = int(rates_matter(tables))
    return put_rates(tables) if status == 0 and rates[0] != 0 else status


@internal
def find_slopes(tables):
    """∂load/∂Φ and ∂load/∂Φ̇ of every enforced row. Returns a status."""
    tangents = view(tables, Tangents)
    calls = view(tables, TangentPlan).call
    for r in range(tangents.slope.shape[0]):
        tangents.slope[r], tangents.slope_dot[r] = 0.0, 0.0
    for i in range(calls.shape[0]):
        if calls[i].purpose == SLOPE:
            status = called(tables, calls[i].address, calls[i].first, calls[i].length)
            if status != 0:
                return status
    status = difference_compliances(tables) if view(tables, Differences).compliance.shape[0] > 0 else 0
    mode = view(tables, State).mode
    for r in range(tangents.slope.shape[0]):
        if mode[r] == ON:
            tangents.slope[r], tangents.slope_dot[r] = 0.0, 0.0
    return status


@internal
def rates_matter(tables):
    """Whether loads depend on how the rates of enforced rows change with the position."""
    plan = view(tables, TangentPlan)
    weight = view(tables, TangentBlocks).weight
    if plan.enforced.shape[0] == 0 or weight[2] == 0.0 or view(tables, TangentBlocks).hold_rates[0] != 0:
        return False
    slope_dot = view(tables, Tangents).slope_dot
    phi_t = view(tables, Rows).phi_t
    enforced = view(tables, Enforced).index
    v = view(tables, State).v
    damped, moving = False, False
    for i in range(enforced.shape[0]):
        damped |= slope_dot[enforced[i].row] != 0.0
        moving |= phi_t[enforced[i].row] != 0.0
    for k in range(v.shape[0]):
        moving |= v[k] != 0.0
    return damped and moving


@internal
def put_rates(tables):
    """∂(J twist)/∂(places) of the rows of measures. Returns a status."""
    plan = view(tables, TangentPlan)
    for i in range(plan.strip.shape[0]):
        strip = plan.strip[i]
        for start in range(0, strip.groups if strip.enforced != 0 else 0, CHUNK):
            for j in range(strip.first_member, strip.first_member + strip.members):
                status = put_rates_of(tables, strip, plan.member[j], start, min(CHUNK, strip.groups - start))
                if status != 0:
                    return status
    return 0


@internal
def put_rates_of(tables, strip, member, start, count):
    """Rates of the elements of one member, from group `start` on."""
    plan = view(tables, TangentPlan)
    space = view(tables, TangentWork)
    tangents = view(tables, Tangents)
    elements = view(tables, Elements).index
    markers = view(tables, Markers)
    m, each = strip.markers, member.each
    n = 6 * m
    first, number = member.first + start * each, count * each
    for e in range(first, first + number):
        copy_range(tangents.lam, elements[e].first_row, space.work, (e - first) * member.rows, member.rows)
    status = 0
    for r in range(member.rows):
        for e in range(first, first + number):
            for k in range(member.rows):
                tangents.lam[elements[e].first_row + k] = 1.0 if k == r else 0.0
        clear(tangents.value, member.place, number * member.numbers)
        if status == 0:
            status = called(tables, member.address, first, number)
        for e in range(first, first + number):
            at = member.place + (e - first) * member.numbers
            target = elements[e].first_G + r * n
            slot = strip.first_slot + (start + (e - first) // each) * m
            clear(space.row_rate, target, n)
            for s in range(m):
                p = plan.marker[slot + s]
                for i in range(6):
                    twist = markers.v[p, i] if i < 3 else markers.w[p, i - 3]
                    add_scaled(-twist, tangents.value, at + (6 * s + i) * n, space.row_rate, target, n)
    for e in range(first, first + number):
        copy_range(space.work, (e - first) * member.rows, tangents.lam, elements[e].first_row, member.rows)
    return status


@internal
def add_enforced(tables, rates):
    """−Gᵀ (∂load/∂Φ dΦ + ∂load/∂Φ̇ dΦ̇) of the rows under a compliance."""
    plan = view(tables, TangentPlan)
    space = view(tables, TangentWork)
    blocks = view(tables, Blocks)
    target = view(tables, TangentBlocks).value
    for i in range(plan.enforced.shape[0]):
        rows = plan.enforced[i]
        block = blocks.index[rows.block]
        skip = rows.first_row - block.first_row
        for j in range(block.members):
            right = blocks.member[block.first_member + j]
            if rates:
                put_moving_loads(tables, rows, block, j, right.nv)
            else:
                put_loads_of_rows(tables, rows, right.first_G + skip * right.nv, right.body, right.nv)
            for k in range(block.members):
                left = blocks.member[block.first_member + k]
                add_product_of_rows(
                    target,
                    plan.pair[rows.first_pair + k * block.members + j],
                    blocks.G,
                    left.first_G + skip * left.nv,
                    space.work,
                    0,
                    rows.rows,
                    left.nv,
                    right.nv,
                )


@internal
def put_loads_of_rows(tables, rows, g, body, n):
    """Minus the loads' change by the velocities of one body, (rows, n), into `work`."""
    G = view(tables, Blocks).G
    work = view(tables, TangentWork).work
    tangents = view(tables, Tangents)
    blocks = view(tables, TangentBlocks)
    b, c = blocks.weight[1], blocks.weight[2]
    if blocks.by_increments[0] == 0:
        for r in range(rows.rows):
            f = -(c * tangents.slope[rows.first_row + r] + b * tangents.slope_dot[rows.first_row + r])
            for k in range(n):
                work[r * n + k] = f * G[g + r * n + k]
        return
    put_by_increment(work, 0, G, g, view(tables, Increments), body, c, rows.rows, n)
    for r in range(rows.rows):
        on, on_rate = tangents.slope[rows.first_row + r], tangents.slope_dot[rows.first_row + r]
        for k in range(n):
            work[r * n + k] = -(on * work[r * n + k] + on_rate * b * G[g + r * n + k])


@internal
def put_moving_loads(tables, rows, block, member, n):
    """Loads from the markers, with the change of the rates at held velocities."""
    plan = view(tables, TangentPlan)
    space = view(tables, TangentWork)
    tangents = view(tables, Tangents)
    blocks = view(tables, Blocks)
    c = view(tables, TangentBlocks).weight[2]
    use_retraction_tangent = view(tables, TangentBlocks).by_increments[0] != 0
    clear(space.work, 0, rows.rows * n)
    for s in range(block.slots):
        if plan.member_of_slot[rows.first_member + s] != member:
            continue
        h = tangents.jacobian[blocks.marker[block.first_slot + s]]
        for r in range(rows.rows):
            row = rows.first_row + r
            on, on_rate = tangents.slope[row], tangents.slope_dot[row]
            g = block.first_G_marker + 6 * ((row - block.first_row) * block.slots + s)
            for i in range(6):
                by_place = on * blocks.G_marker[g + i] + on_rate * space.row_rate[g + i]
                by_twist = on_rate * blocks.G_marker[g + i]
                for k in range(h + i * n, h + (i + 1) * n):
                    P = space.position[k] if use_retraction_tangent else c * tangents.H[k]
                    space.work[r * n + k - h - i * n] -= by_place * P + by_twist * space.velocity[k]
