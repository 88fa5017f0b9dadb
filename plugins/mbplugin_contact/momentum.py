"""Balance of momentum of contacts and joints: how far velocities are from those that impulses give.

F = M (v − v_f) − Gᵀ r − G_jᵀ Λ,   Ĝ_j v + ĉ Λ̂ − ĝ
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import inlined, internal
from mbplugin.stepping import Blocks, Bodies, Pool, State, add_pool_columns, apply_mass, solve_mass, view
from mbplugin_contact.arrays import Contacts, compliant_rows
from mbplugin_contact.islands import copy_velocities
from mbplugin_contact.sweeps import law_residual


@internal
def begin_balance(tables, v):
    """F ← M (v − v_f)."""
    contacts, bodies = view(tables, Contacts), view(tables, Bodies)
    for i in range(contacts.record[0].first_velocity, contacts.record[0].end_velocity):
        c = contacts.velocities[i]
        contacts.work[c] = v[c] - contacts.v_free[c]
        contacts.F[c] = 0.0
    for s in range(contacts.record[0].first_body, contacts.record[0].end_body):
        i = contacts.bodies[s]
        apply_mass(bodies, i, 1.0, contacts.work, contacts.F)


@internal
def divide_by_mass(tables):
    """M⁻¹ F into `Contacts.work`."""
    contacts, bodies = view(tables, Contacts), view(tables, Bodies)
    copy_velocities(contacts, contacts.F, contacts.work)
    for s in range(contacts.record[0].first_body, contacts.record[0].end_body):
        i = contacts.bodies[s]
        solve_mass(bodies, i, contacts.work, bodies.index[i].first_v)


@internal
def add_joints(tables, v):
    """F ← F − Gᵀ Λ of joints, and Ĝ v − ĝ into `Contacts.joint_residual`. Returns the sum of its squares."""
    contacts, blocks = view(tables, Contacts), view(tables, Blocks)
    joint_rows = compliant_rows(contacts)
    total = 0.0
    for j in range(contacts.record[0].first_joint, contacts.record[0].end_joint):
        k = contacts.joints[j]
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            contacts.joint_residual[row] = 0.0
            s = joint_rows.scale[row]
            if s == 0.0:
                continue
            for i in range(block.first_member, block.first_member + block.members):
                member = blocks.member[i]
                g = member.first_G + r * member.nv
                for c in range(member.nv):
                    contacts.F[member.first_v + c] -= blocks.G[g + c] * contacts.impulse[row]
            rate = row_rate(blocks, block, r, v)
            contacts.joint_residual[row] = s * (
                rate + joint_rows.c[row] * contacts.impulse[row] - contacts.g[row]
            )
            total += contacts.joint_residual[row] * contacts.joint_residual[row]
    return total


@internal
def momentum_balance(tables, v):
    """F ← M (v − v_f) − Gᵀ r − G_jᵀ Λ, and M⁻¹ F into `Contacts.work`. Returns Fᵀ M⁻¹ F + |Ĝ v − ĝ|² [J]."""
    pool, contacts = view(tables, Pool), view(tables, Contacts)
    r = pool.impulse
    begin_balance(tables, v)
    for s in range(contacts.record[0].first_contact, contacts.record[0].end_contact):
        k = contacts.order[s]
        add_pool_columns(pool, pool.G, k, -r[3 * k], -r[3 * k + 1], -r[3 * k + 2], contacts.F)
    total = add_joints(tables, v)
    divide_by_mass(tables)
    for i in range(contacts.record[0].first_velocity, contacts.record[0].end_velocity):
        c = contacts.velocities[i]
        total += contacts.work[c] * contacts.F[c]
    return max(total, 0.0)


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


@internal
def measure(tables):
    """Residual of contacts and joints [m/s] at v − M⁻¹ F, the velocities that the present impulses give; they
    are left in `Contacts.work`.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    momentum_balance(tables, v)
    for i in range(contacts.record[0].first_velocity, contacts.record[0].end_velocity):
        c = contacts.velocities[i]
        contacts.work[c] = v[c] - contacts.work[c]
    return max(law_residual(tables, contacts.work), joint_miss(tables, contacts.work))


@internal
def joint_miss(tables, v):
    """The largest miss of a row of joints at velocities v [m/s], |Ĝ v + ĉ Λ̂ − ĝ| of a mass that is the mean
    of the contacts' 3 / trace(W); 0 for an island without contacts.
    """
    contacts, blocks = view(tables, Contacts), view(tables, Blocks)
    record, joint_rows = contacts.record[0], compliant_rows(contacts)
    mass, worst = 0.0, 0.0
    for s in range(record.first_contact, record.end_contact):
        mass += contacts.rho[contacts.order[s]] / (record.end_contact - record.first_contact)
    if mass == 0.0:
        return 0.0
    for j in range(record.first_joint, record.end_joint):
        block = blocks.index[contacts.joints[j]]
        for r in range(block.rows):
            row = block.first_row + r
            if joint_rows.scale[row] > 0.0:
                rate = row_rate(blocks, block, r, v)
                miss = rate + joint_rows.c[row] * contacts.impulse[row] - contacts.g[row]
                worst = max(worst, abs(joint_rows.scale[row] * miss))
    return worst / sqrt(mass)
