"""Impacts: their law, and how much of the restitution keeps the energy from growing.

With u = G v₁ + e G v₀ (Newton's law of impact) simultaneous impacts with friction, or through joints, may
add energy (T. R. Kane & D. A. Levinson, Dynamics, McGraw-Hill 1985). Impulses r do the work r·(u₀ + u₁)/2.
Where that is positive for a group of bodies, its coefficients are scaled to s e: r and u₁ are linear in s as
long as the same contacts act, so that the work a + b s + c s² follows from two solutions, s = 0 and s = 1.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import internal
from mbplugin.math.vec3 import add, dot, load, scale, store
from mbplugin.stepping import Blocks, State, Step, TransientRows, run_part, view
from mbplugin.stepping.bounded_rows import Bounded
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.belts import rates_after
from mbplugin_contact.biases import closing_speed
from mbplugin_contact.bounds import (
    any_rebounds,
    keep_full_rebounds_of_rows,
    mean_rate,
    present_impulse,
    rebound,
)
from mbplugin_contact.groups import LOADED, group_bodies, group_of, group_of_block, group_of_row, of_link
from mbplugin_contact.impulses import impulse_at, set_impulse
from mbplugin_contact.momentum import miss_of_row
from mbplugin_contact.operators import law_residual
from mbplugin_contact.parts import SOLVE

#: energy that impacts may add by rounding, in vᵀ M v
ROUNDING_OF_ENERGY = 1e-13
#: goals above which a body that rebounds jams
GOALS_OF_JAM = 100.0


@internal
def restrain(tables):
    """Scale the restitution of groups whose energy impacts have raised, leave out that of groups that have
    missed the residual, since a body that jams cannot rebound, and solve again. Returns a status.
    """
    contacts = view(tables, Contacts)
    if contacts.record[0].rebounding == 0 and not any_rebounds(tables):
        return 0
    group_bodies(tables, LOADED)
    gains, misses = work_of_groups(tables), missed_groups(tables)
    if not gains and not misses:
        return 0
    contacts.totals[0].softened += 1 - contacts.record[0].scaled
    contacts.record[0].scaled = 1
    keep_full_rebounds(tables)
    for g in range(contacts.group.shape[0]):
        group = contacts.groups[g]
        sound = group.work <= group.rounding and group.missed == 0
        group.restitution = 1.0 if sound else 0.0
    status = solve_scaled(tables, False)
    if status == 0 and gains:
        find_restitutions(tables)
        status = solve_scaled(tables, True)
    if status == 0 and gains and work_of_groups(tables):
        for g in range(contacts.group.shape[0]):
            if contacts.groups[g].work > contacts.groups[g].rounding:
                contacts.groups[g].restitution = 0.0
        status = solve_scaled(tables, True)
    return status


@internal
def missed_groups(tables):
    """Mark groups that have a contact or a row of a joint far above the goal; returns whether there is one. A
    scene with a given number of sweeps accepts their residual.
    """
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    any_missed, far = False, GOALS_OF_JAM * contacts.record[0].goal
    if contacts.record[0].missed == 0 or contacts.record[0].only_sweeps == 1:
        return False
    law_residual(tables, v)
    for k in range(transient.used[0]):
        if contacts.contact_residual[k] > far and transient.impulse[3 * k] > 0.0:
            contacts.groups[group_of(contacts, transient, k)].missed = 1
            any_missed = True
    blocks = view(tables, Blocks)
    for k in range(blocks.index.shape[0]):
        block, group = blocks.index[k], group_of_block(tables, k)
        for r in range(block.rows):
            solved = contacts.row_scale[block.first_row + r] > 0.0
            if group >= 0 and solved and abs(miss_of_row(contacts, blocks, block, r, v)) > far:
                contacts.groups[group].missed = 1
                any_missed = True
    return any_missed


@internal
def work_of_groups(tables):
    """Write the work of the contacts of every group, and its rounding; returns whether one gains energy."""
    contacts, transient, bounded = view(tables, Contacts), view(tables, TransientRows), view(tables, Bounded)
    record, v, gains = contacts.record[0], view(tables, State).v, False
    residual = max(record.residual, record.goal)
    for g in range(contacts.group.shape[0]):
        group = contacts.groups[g]
        group.work, group.rounding = 0.0, ROUNDING_OF_ENERGY * record.momentum**2
    for k in range(transient.used[0]):
        group, r = contacts.groups[group_of(contacts, transient, k)], impulse_at(transient, k)
        group.rounding += (r[0] + abs(r[1]) + abs(r[2])) * residual
        group.work += dot(r, mean_rates(tables, k, v))
    for i in range(bounded.index.shape[0]):
        if bounded.index[i].works == 0:
            group = contacts.groups[group_of_row(tables, i)]
            impulse = present_impulse(tables, i)
            group.work += impulse * mean_rate(tables, i)
            group.rounding += abs(impulse) * residual
    for g in range(contacts.group.shape[0]):
        gains = gains or contacts.groups[g].work > contacts.groups[g].rounding
    return gains


@internal
def mean_rates(tables, k, v):
    """(u₀ + u₁) / 2 of contact k."""
    return scale(0.5, add(rates_after(tables, k, v), load(view(tables, Contacts).before, k)))


@internal
def keep_full_rebounds(tables):
    """Write impulses, mean velocities and e u₀ at s = 1, of contacts and of limits."""
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    keep_full_rebounds_of_rows(tables)
    for k in range(transient.used[0]):
        store(contacts.full_impulse, k, impulse_at(transient, k))
        store(contacts.full_mean, k, mean_rates(tables, k, v))
        contacts.full_rebound[k] = contacts.bias[k, 0] if contacts.rebound[k] == 1 else 0.0


@internal
def find_restitutions(tables):
    """s of every group that has gained energy, from the work a + b s + c s² of its contacts."""
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    for k in range(transient.used[0]):
        group, mean = contacts.groups[group_of(contacts, transient, k)], mean_rates(tables, k, v)
        r = impulse_at(transient, k)
        group.work_without += dot(r, mean)
        group.work_mixed += dot(r, load(contacts.full_mean, k)) + dot(load(contacts.full_impulse, k), mean)
    bounded = view(tables, Bounded)
    for i in range(bounded.index.shape[0]):
        if bounded.index[i].works == 0:
            group, bound = contacts.groups[group_of_row(tables, i)], contacts.bounds[i]
            impulse = present_impulse(tables, i)
            rate = mean_rate(tables, i)
            group.work_without += impulse * rate
            group.work_mixed += impulse * bound.full_mean_rate + bound.full_impulse * rate
    for g in range(contacts.group.shape[0]):
        group = contacts.groups[g]
        if group.restitution < 1.0 and group.missed == 0:
            a, b = group.work_without, group.work_mixed - 2.0 * group.work_without
            c = group.work - a - b
            square = b * b - 4.0 * a * c
            down = b + sqrt(max(square, 0.0))
            found = down > 0.0 and square >= 0.0
            group.restitution = min(max(-2.0 * a / down, 0.0), 1.0) if found else 0.0


@internal
def solve_scaled(tables, final):
    """Solve for the step again, with the restitution s e of each group; finally, contacts that do not rebound
    close their gaps. Returns a status.
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    h = view(tables, Step).record[0].length
    for k in range(transient.used[0]):
        group = contacts.groups[group_of(contacts, transient, k)]
        if group.missed == 1 and of_link(contacts, transient, k):
            # a search in vain leaves impulses that are large and move nothing
            set_impulse(transient, k, (0.0, 0.0, 0.0))
        if contacts.full_rebound[k] < 0.0:
            contacts.bias[k, 0] = group.restitution * contacts.full_rebound[k]
            if group.restitution == 0.0 and (final or group.missed == 1):
                contacts.bias[k, 0] = closing_speed(tables, k, h)
    for i in range(contacts.bounds.shape[0]):
        full = contacts.bounds[i].full_rebound
        if full > 0.0:
            rebound(tables, i, contacts.groups[group_of_row(tables, i)].restitution * full)
    return run_part(tables, SOLVE, 0)
