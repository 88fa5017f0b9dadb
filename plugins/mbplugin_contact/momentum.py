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
    mine, bodies = view(tables, Contacts), view(tables, Bodies)
    for i in range(mine.record[0].first_velocity, mine.record[0].end_velocity):
        c = mine.velocities[i]
        mine.work[c] = v[c] - mine.v_free[c]
        mine.F[c] = 0.0
    for s in range(mine.record[0].first_body, mine.record[0].end_body):
        i = mine.bodies[s]
        apply_mass(bodies, i, 1.0, mine.work, mine.F)


@internal
def divide_by_mass(tables):
    """M⁻¹ F into `Contacts.work`."""
    mine, bodies = view(tables, Contacts), view(tables, Bodies)
    copy_velocities(mine, mine.F, mine.work)
    for s in range(mine.record[0].first_body, mine.record[0].end_body):
        i = mine.bodies[s]
        solve_mass(bodies, i, mine.work, bodies.index[i].first_v)


@internal
def add_joints(tables, v):
    """F ← F − Gᵀ Λ of joints, and Ĝ v − ĝ into `Contacts.open`. Returns the sum of its squares."""
    mine, blocks = view(tables, Contacts), view(tables, Blocks)
    joint_rows = compliant_rows(mine)
    total = 0.0
    for j in range(mine.record[0].first_joint, mine.record[0].end_joint):
        k = mine.joints[j]
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            mine.open[row] = 0.0
            s = joint_rows.scale[row]
            if s == 0.0:
                continue
            for i in range(block.first_member, block.first_member + block.members):
                member = blocks.member[i]
                g = member.first_G + r * member.nv
                for c in range(member.nv):
                    mine.F[member.first_v + c] -= blocks.G[g + c] * mine.impulse[row]
            rate = row_rate(blocks, block, r, v)
            mine.open[row] = s * (rate + joint_rows.c[row] * mine.impulse[row] - mine.g[row])
            total += mine.open[row] * mine.open[row]
    return total


@internal
def momentum_balance(tables, v):
    """F ← M (v − v_f) − Gᵀ r − G_jᵀ Λ, and M⁻¹ F into `Contacts.work`. Returns Fᵀ M⁻¹ F + |Ĝ v − ĝ|² [J]."""
    pool, mine = view(tables, Pool), view(tables, Contacts)
    r = pool.impulse
    begin_balance(tables, v)
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        add_pool_columns(pool, pool.G, k, -r[3 * k], -r[3 * k + 1], -r[3 * k + 2], mine.F)
    total = add_joints(tables, v)
    divide_by_mass(tables)
    for i in range(mine.record[0].first_velocity, mine.record[0].end_velocity):
        c = mine.velocities[i]
        total += mine.work[c] * mine.F[c]
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
    mine, v = view(tables, Contacts), view(tables, State).v
    momentum_balance(tables, v)
    for i in range(mine.record[0].first_velocity, mine.record[0].end_velocity):
        c = mine.velocities[i]
        mine.work[c] = v[c] - mine.work[c]
    return max(law_residual(tables, mine.work), joint_miss(tables, mine.work))


@internal
def joint_miss(tables, v):
    """The largest miss of a row of joints at velocities v [m/s], |Ĝ v + ĉ Λ̂ − ĝ| of a mass that is the mean
    of the contacts' 3 / trace(W); 0 for an island without contacts.
    """
    mine, blocks = view(tables, Contacts), view(tables, Blocks)
    record, joint_rows = mine.record[0], compliant_rows(mine)
    mass, worst = 0.0, 0.0
    for s in range(record.first_contact, record.end_contact):
        mass += mine.rho[mine.contacts[s]] / (record.end_contact - record.first_contact)
    if mass == 0.0:
        return 0.0
    for j in range(record.first_joint, record.end_joint):
        block = blocks.index[mine.joints[j]]
        for r in range(block.rows):
            row = block.first_row + r
            if joint_rows.scale[row] > 0.0:
                rate = row_rate(blocks, block, r, v)
                miss = rate + joint_rows.c[row] * mine.impulse[row] - mine.g[row]
                worst = max(worst, abs(joint_rows.scale[row] * miss))
    return worst / sqrt(mass)
