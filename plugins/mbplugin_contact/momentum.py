"""Balance of momentum of contacts and joints: how far velocities are from those that impulses give.

F = M (v − v_f) − Gᵀ r − G_jᵀ Λ,   Ĝ_j v + ĉ Λ̂ − ĝ
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import inlined, internal
from mbplugin.stepping import (
    Blocks,
    Bodies,
    State,
    TransientRows,
    add_transient_columns,
    apply_mass,
    solve_mass,
    view,
)
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.impulses import impulse_at
from mbplugin_contact.islands import BODIES, CONTACTS, JOINTS, VELOCITIES, copy_island, island
from mbplugin_contact.operators import law_residual


@internal
def begin_balance(tables, v):
    """F ← M (v − v_f)."""
    contacts, bodies = view(tables, Contacts), view(tables, Bodies)
    for c in island(contacts, VELOCITIES):
        contacts.work[c] = v[c] - contacts.v_free[c]
        contacts.F[c] = 0.0
    for i in island(contacts, BODIES):
        apply_mass(bodies, i, 1.0, contacts.work, contacts.F)


@internal
def finish_balance(tables, v):
    """F ← F − Gᵀ Λ of joints; writes M⁻¹ F into `Contacts.work` and Ĝ v − ĝ into `joint_residual`. Returns
    Fᵀ M⁻¹ F + |Ĝ v − ĝ|² [J].
    """
    contacts, blocks, bodies = view(tables, Contacts), view(tables, Blocks), view(tables, Bodies)
    for k in island(contacts, JOINTS):
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            if contacts.row_scale[row] > 0.0:
                add_row(blocks, block, r, -contacts.joint_impulse[row], contacts.F)
    total = joint_misses(tables, v)
    copy_island(contacts, VELOCITIES, contacts.F, contacts.work)
    for i in island(contacts, BODIES):
        solve_mass(bodies, i, contacts.work, bodies.index[i].first_v)
    for c in island(contacts, VELOCITIES):
        total += contacts.work[c] * contacts.F[c]
    return max(total, 0.0)


@internal
def joint_misses(tables, v):
    """Write Ĝ v + ĉ Λ̂ − ĝ of the rows of the island into `joint_residual`; returns the sum of squares [J]."""
    contacts, blocks, total = view(tables, Contacts), view(tables, Blocks), 0.0
    for k in island(contacts, JOINTS):
        block = blocks.index[k]
        for r in range(block.rows):
            row, miss = block.first_row + r, 0.0
            if contacts.row_scale[row] > 0.0:
                miss = contacts.row_scale[row] * miss_of_row(contacts, blocks, block, r, v)
            contacts.joint_residual[row] = miss
            total += miss * miss
    return total


@internal
def momentum_balance(tables, v):
    """F ← M (v − v_f) − Gᵀ r − G_jᵀ Λ, with what `finish_balance` gives."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    begin_balance(tables, v)
    for k in island(contacts, CONTACTS):
        n, a, b = impulse_at(transient, k)
        add_transient_columns(transient, transient.G, k, -n, -a, -b, contacts.F)
    return finish_balance(tables, v)


@inlined
def row_rate(blocks, block, r, v):
    """G v of row r of a block."""
    rate = 0.0
    for i in range(block.first_member, block.first_member + block.members):
        member = blocks.member[i]
        g = member.first_G + r * member.nv
        for c in range(member.nv):
            rate += blocks.G[g + c] * v[member.first_v + c]
    return rate


@inlined
def add_row(blocks, block, r, factor, F):
    """F ← F + factor Gᵀ of row r of a block."""
    for i in range(block.first_member, block.first_member + block.members):
        member = blocks.member[i]
        g = member.first_G + r * member.nv
        for c in range(member.nv):
            F[member.first_v + c] += factor * blocks.G[g + c]


@inlined
def miss_of_row(contacts, blocks, block, r, v):
    """G v + c Λ − g of row r of a block [m/s, rad/s]."""
    row = block.first_row + r
    rate = row_rate(blocks, block, r, v)
    return rate + contacts.row_compliance[row] * contacts.joint_impulse[row] - contacts.g[row]


@internal
def measure(tables):
    """Residual of contacts and joints [m/s] at v − M⁻¹ F, the velocities that the present impulses give;
    writes them into `Contacts.work`.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    momentum_balance(tables, v)
    for c in island(contacts, VELOCITIES):
        contacts.work[c] = v[c] - contacts.work[c]
    return max(law_residual(tables, contacts.work), joint_miss(tables, contacts.work))


@internal
def joint_miss(tables, v):
    """The largest residual of a row of joints at velocities v [m/s], |Ĝ v + ĉ Λ̂ − ĝ| of a mass that is the
    mean of the contacts' 3 / trace(W); 0 for an island without contacts.
    """
    contacts, blocks = view(tables, Contacts), view(tables, Blocks)
    mass, worst, present = 0.0, 0.0, island(contacts, CONTACTS)
    for k in present:
        mass += contacts.rho[k] / len(present)
    if mass == 0.0:
        return 0.0
    for k in island(contacts, JOINTS):
        block = blocks.index[k]
        for r in range(block.rows):
            scale = contacts.row_scale[block.first_row + r]
            if scale > 0.0:
                worst = max(worst, scale * abs(miss_of_row(contacts, blocks, block, r, v)))
    return worst / sqrt(mass)
