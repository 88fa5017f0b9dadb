"""Impacts: their law, and how much of the restitution keeps the energy from growing.

With u = G v₁ + e G v₀ (Newton's law of impact) simultaneous impacts with friction, or through joints, may
add energy (T. R. Kane & D. A. Levinson, Dynamics, McGraw-Hill 1985). Impulses r do the work r·(u₀ + u₁)/2.
Where that is positive for a group of bodies, its coefficients are scaled to s e: r and u₁ are linear in s as
long as the same contacts act, so that the work a + b s + c s² follows from two solutions, s = 0 and s = 1.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import internal
from mbplugin.stepping import Blocks, State, Step, TransientRows, copy, run_part, view
from mbplugin.stepping.bounded_rows import Bounded
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.belts import rates_after
from mbplugin_contact.biases import closing_speed
from mbplugin_contact.bounds import (
    IMPULSE_ALL,
    MEAN_ALL,
    REBOUND_ALL,
    any_rebounds,
    group_of_row,
    impulse_of,
    keep_blows_of_rows,
    mean_rate,
    rebound,
)
from mbplugin_contact.groups import LOADED, group_bodies, group_of
from mbplugin_contact.momentum import row_rate
from mbplugin_contact.operators import law_residual
from mbplugin_contact.parts import SOLVE

#: energy that impacts may add by rounding, in vᵀ M v
ADDED = 1e-13
#: goals above which a body that rebounds jams
FAR = 100.0
#: columns of `Contacts.sums`: work of the contacts of a group [J], how well it is known; s; two parts of that
#: work; 1: above the goal
WORK, KNOWN, PART, NONE, MIXED, MISSED = range(6)
#: columns of `Contacts.blow`: impulse, mean relative velocity, e u₀
IMPULSE, MEAN, REBOUND = 0, 3, 6


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
    contacts.softened[0] += 1 - contacts.record[0].scaled
    contacts.record[0].scaled = 1
    keep_blows(tables)
    for g in range(contacts.sums.shape[0]):
        sound = contacts.sums[g, WORK] <= contacts.sums[g, KNOWN] and contacts.sums[g, MISSED] == 0.0
        contacts.sums[g, PART] = 1.0 if sound else 0.0
    status = solve_scaled(tables, False)
    if status == 0 and gains:
        find_parts(tables)
        status = solve_scaled(tables, True)
    if status == 0 and gains and work_of_groups(tables):
        for g in range(contacts.sums.shape[0]):
            if contacts.sums[g, WORK] > contacts.sums[g, KNOWN]:
                contacts.sums[g, PART] = 0.0
        status = solve_scaled(tables, True)
    return status


@internal
def missed_groups(tables):
    """Which groups with a rebound have a contact or a row of a joint far above the goal; returns whether one
    has. A scene with a given number of sweeps accepts their residual.
    """
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    any_missed, far = False, FAR * contacts.record[0].goal
    if contacts.record[0].missed == 0 or contacts.record[0].only_sweeps == 1:
        return False
    law_residual(tables, v)
    for k in range(transient.used[0]):
        if contacts.contact_residual[k] > far and transient.impulse[3 * k] > 0.0:
            contacts.sums[group_of(contacts, transient, k), MISSED] = 1.0
            any_missed = True
    blocks = view(tables, Blocks)
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            miss = row_rate(blocks, block, r, v) + contacts.row_compliance[row] * contacts.impulse[row]
            if contacts.row_scale[row] > 0.0 and abs(miss - contacts.g[row]) > far:
                for i in range(block.first_member, block.first_member + block.members):
                    if blocks.member[i].nv > 0:
                        contacts.sums[contacts.group[blocks.member[i].body], MISSED] = 1.0
                        any_missed = True
    return any_missed


@internal
def work_of_groups(tables):
    """The work of the contacts of every group in `Contacts.sums`; returns whether one gains energy."""
    contacts, transient, bounded = view(tables, Contacts), view(tables, TransientRows), view(tables, Bounded)
    sums, record, v = contacts.sums, contacts.record[0], view(tables, State).v
    for g in range(sums.shape[0]):
        sums[g, WORK], sums[g, KNOWN] = 0.0, ADDED * record.momentum**2
    for k in range(transient.used[0]):
        g, r = group_of(contacts, transient, k), 3 * k
        size = transient.impulse[r] + abs(transient.impulse[r + 1]) + abs(transient.impulse[r + 2])
        sums[g, KNOWN] += size * max(record.residual, record.goal)
        n, a, b = mean_rates(tables, k, v)
        sums[g, WORK] += (
            transient.impulse[r] * n + transient.impulse[r + 1] * a + transient.impulse[r + 2] * b
        )
    for i in range(bounded.index.shape[0]):
        if bounded.index[i].works == 0:
            g, impulse = group_of_row(tables, i), impulse_of(contacts, bounded.index[i], i, bounded.chosen[i])
            sums[g, WORK] += impulse * mean_rate(tables, i)
            sums[g, KNOWN] += abs(impulse) * max(record.residual, record.goal)
    for g in range(sums.shape[0]):
        if sums[g, WORK] > sums[g, KNOWN]:
            return True
    return False


@internal
def mean_rates(tables, k, v):
    """(u₀ + u₁) / 2 of contact k."""
    contacts = view(tables, Contacts)
    n, a, b = rates_after(tables, k, v)
    return (
        0.5 * (n + contacts.before[k, 0]),
        0.5 * (a + contacts.before[k, 1]),
        0.5 * (b + contacts.before[k, 2]),
    )


@internal
def keep_blows(tables):
    """Impulses and mean velocities at s = 1, and e u₀."""
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    keep_blows_of_rows(tables)
    for k in range(transient.used[0]):
        mean = mean_rates(tables, k, v)
        for c in range(3):
            contacts.blow[k, IMPULSE + c] = transient.impulse[3 * k + c]
            contacts.blow[k, MEAN + c] = mean[c]
        contacts.blow[k, REBOUND] = contacts.bias[k, 0] if contacts.rebound[k] == 1 else 0.0


@internal
def find_parts(tables):
    """s of every group that has gained energy, from the work a + b s + c s² of its contacts."""
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    sums = contacts.sums
    for k in range(transient.used[0]):
        g, mean = group_of(contacts, transient, k), mean_rates(tables, k, v)
        for c in range(3):
            r, r_all, u_all = (
                transient.impulse[3 * k + c],
                contacts.blow[k, IMPULSE + c],
                contacts.blow[k, MEAN + c],
            )
            sums[g, NONE] += r * mean[c]
            sums[g, MIXED] += r * u_all + r_all * mean[c]
    bounded = view(tables, Bounded)
    for i in range(bounded.index.shape[0]):
        if bounded.index[i].works == 0:
            g, impulse = group_of_row(tables, i), impulse_of(contacts, bounded.index[i], i, bounded.chosen[i])
            sums[g, NONE] += impulse * mean_rate(tables, i)
            sums[g, MIXED] += impulse * contacts.bounds[i, MEAN_ALL]
            sums[g, MIXED] += contacts.bounds[i, IMPULSE_ALL] * mean_rate(tables, i)
    for g in range(sums.shape[0]):
        if sums[g, PART] < 1.0 and sums[g, MISSED] == 0.0:
            a, b = sums[g, NONE], sums[g, MIXED] - 2.0 * sums[g, NONE]
            c = sums[g, WORK] - a - b
            square = b * b - 4.0 * a * c
            down = b + sqrt(max(square, 0.0))
            sums[g, PART] = min(max(-2.0 * a / down, 0.0), 1.0) if down > 0.0 and square >= 0.0 else 0.0


@internal
def solve_scaled(tables, final):
    """Solve for the step again, with the restitution s e of each group; finally, contacts that do not rebound
    close their gaps. Returns a status.
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    h = view(tables, Step).record[0].length
    for k in range(transient.used[0]):
        if contacts.blow[k, REBOUND] < 0.0:
            g = group_of(contacts, transient, k)
            contacts.bias[k, 0] = contacts.sums[g, PART] * contacts.blow[k, REBOUND]
            if contacts.sums[g, PART] == 0.0 and (final or contacts.sums[g, MISSED] == 1.0):
                contacts.bias[k, 0] = closing_speed(tables, k, h)
    for i in range(contacts.bounds.shape[0]):
        if contacts.bounds[i, REBOUND_ALL] > 0.0:
            rebound(tables, i, contacts.sums[group_of_row(tables, i), PART] * contacts.bounds[i, REBOUND_ALL])
    return solve_again(tables)


@internal
def solve_again(tables):
    """Solve for the step from the impulses that are there. Returns a status."""
    contacts = view(tables, Contacts)
    copy(contacts.v_free, view(tables, State).v)
    return run_part(tables, SOLVE, 0)
