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
def add_joints(tables, v):
    """F ← F − Gᵀ Λ of joints, and Ĝ v − ĝ into `Contacts.joint_residual`. Returns the sum of its squares."""
    contacts, blocks = view(tables, Contacts), view(tables, Blocks)
    total = 0.0
    for k in island(contacts, JOINTS):
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            contacts.joint_residual[row] = 0.0
            if contacts.row_scale[row] > 0.0:
                add_row(blocks, block, r, -contacts.impulse[row], contacts.F)
                contacts.joint_residual[row] = scaled_residual(contacts, blocks, block, r, v)
                total += contacts.joint_residual[row] * contacts.joint_residual[row]
    return total


@internal
def finish_balance(tables, v):
    """F with the impulses of joints, and M⁻¹ F into `Contacts.work`. Returns Fᵀ M⁻¹ F + |Ĝ v − ĝ|² [J]."""
    contacts, bodies = view(tables, Contacts), view(tables, Bodies)
    total = add_joints(tables, v)
    copy_island(contacts, VELOCITIES, contacts.F, contacts.work)
    for i in island(contacts, BODIES):
        solve_mass(bodies, i, contacts.work, bodies.index[i].first_v)
    for c in island(contacts, VELOCITIES):
        total += contacts.work[c] * contacts.F[c]
    return max(total, 0.0)


@internal
def momentum_balance(tables, v):
    """F ← M (v − v_f) − Gᵀ r − G_jᵀ Λ, with what `finish_balance` gives."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    r = transient.impulse
    begin_balance(tables, v)
    for k in island(contacts, CONTACTS):
        add_transient_columns(transient, transient.G, k, -r[3 * k], -r[3 * k + 1], -r[3 * k + 2], contacts.F)
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
def scaled_residual(contacts, blocks, block, r, v):
    """Ĝ v + ĉ Λ̂ − ĝ of row r of a block."""
    row = block.first_row + r
    residual = row_rate(blocks, block, r, v) + contacts.row_compliance[row] * contacts.impulse[row]
    return contacts.row_scale[row] * (residual - contacts.g[row])


@internal
def measure(tables):
    """Residual of contacts and joints [m/s] at v − M⁻¹ F, the velocities that the present impulses give; they
    are left in `Contacts.work`.
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
            if contacts.row_scale[block.first_row + r] > 0.0:
                worst = max(worst, abs(scaled_residual(contacts, blocks, block, r, v)))
    return worst / sqrt(mass)
