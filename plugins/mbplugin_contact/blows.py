"""Blows change velocities within a step: forces that depend on them are taken at the mean of both.

f is taken at v_m = v₀ + ½h v̇, of the motion before the step. Where impulses of contacts change that,
gyroscopic moments and dampers would do spurious work, of the order h in each blow, and spurious powers would
be booked. The groups of bodies that are struck so have their forces taken again at (v₀ + v₁)/2; where no
force does work that is booked, only those that lose hardly any energy: in the others what gyroscopic moments
do is small beside the loss. So it is where bodies or rows yield: their stiff forces answer the blow.
"""

from __future__ import annotations

from math import nan

from mbplugin.interface import inlined, internal
from mbplugin.math.vec3 import load, sub
from mbplugin.stepping import (
    Blocks,
    Bodies,
    Rates,
    State,
    Step,
    TransientRows,
    copy,
    evaluate_rates,
    transient_rates,
    view,
)
from mbplugin.stepping.compliant_rows import Enforced
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.belts import rates_after
from mbplugin_contact.bounds import STRUCK as BLOW
from mbplugin_contact.bounds import group_of_row
from mbplugin_contact.groups import LOADED, group_bodies, group_of

#: speed, in 2 g h, by which the mean velocity of a contact differs from that of the forces: it is struck
SUDDEN = 0.01
#: the same of velocities [m/s, rad/s], that is none at any contact
STILL = 1e-5
#: part of the work of a blow that contacts take, above which the error of the forces is neglected
LOSSY = 0.01
#: velocities of a rigid body
RIGID = 6
#: columns of `Contacts.sums`: 1: struck; work of the blows, and the part of it that contacts take; 1: it
#: yields
STRUCK, EXCHANGED, TAKEN, YIELDS = range(4)


@internal
def suddenly_changed(tables, h):
    """Whether forces of a group of bodies are to be taken again: `STRUCK` in `Contacts.sums`."""
    contacts, transient, v1 = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    if not any_velocity_jumps(tables, h):
        return False
    sums, limit, any_struck = contacts.sums, (SUDDEN * contacts.record[0].impact) ** 2, False
    aux_dot = view(tables, Rates).aux_dot
    booked = aux_dot[0] != 0.0 or aux_dot[1] != 0.0
    group_bodies(tables, LOADED)
    for k in range(transient.used[0]):
        r = 3 * k
        if transient.impulse[r] == 0.0:
            continue
        g = group_of(contacts, transient, k)
        n0, a0, b0 = load(contacts.before, k)
        n1, a1, b1 = rates_after(tables, k, v1)
        _, d_a, d_b = sub(load(contacts.belt, k), load(contacts.belt_before, k))
        n, a, b = transient_rates(transient, k, contacts.v_dot_middle)
        n, a, b = 0.5 * (n1 - n0 - h * n), 0.5 * (a1 - a0 - d_a - h * a), 0.5 * (b1 - b0 - d_b - h * b)
        if n * n + a * a + b * b > limit:
            sums[g, STRUCK] = 1.0
        sums[g, EXCHANGED] += transient.impulse[r] * (abs(n0) + abs(n1) + abs(n))
        sums[g, TAKEN] -= transient.impulse[r] * (n0 + n1)
        sums[g, TAKEN] -= transient.impulse[r + 1] * (a0 + a1) + transient.impulse[r + 2] * (b0 + b1)
    if booked:
        mark_yielding(tables)
    for g in range(sums.shape[0]):
        kept = not booked or sums[g, YIELDS] == 1.0
        if kept and sums[g, TAKEN] > LOSSY * sums[g, EXCHANGED]:
            sums[g, STRUCK] = 0.0
        any_struck = any_struck or sums[g, STRUCK] == 1.0
    return any_struck


@internal
def any_velocity_jumps(tables, h):
    """Whether some velocity differs from v₀ + h v̇."""
    contacts, v0, v1 = view(tables, Contacts), view(tables, Step).v0, view(tables, State).v
    for k in range(v1.shape[0]):
        if abs(v1[k] - v0[k] - h * contacts.v_dot_middle[k]) > STILL * contacts.record[0].impact:
            return True
    return False


@internal
def evaluate_at_mean(tables, h):
    """Accelerations without contacts in the middle of the step, at (v₀ + v₁)/2 of struck bodies; v₁ is kept
    in `Contacts.trial`. Returns a status.
    """
    contacts, state, v0 = view(tables, Contacts), view(tables, State), view(tables, Step).v0
    bodies = view(tables, Bodies).index
    copy(state.v, contacts.trial)
    for i in range(bodies.shape[0]):
        struck = contacts.sums[contacts.group[i], STRUCK] == 1.0
        for k in range(bodies[i].first_v, bodies[i].first_v + bodies[i].nv):
            if struck:
                contacts.v_dot_middle[k] = (state.v[k] - v0[k]) / h
            state.v[k] = v0[k] + 0.5 * h * contacts.v_dot_middle[k]
    return evaluate_rates(tables)


@internal
def forces_differ(tables, h):
    """Whether the forces at hand may lead to another solution than the last one."""
    contacts, v0, v_dot = view(tables, Contacts), view(tables, Step).v0, view(tables, Rates).v_dot
    if view(tables, Enforced).index.shape[0] > 0:
        return True
    for k in range(v_dot.shape[0]):
        if v0[k] + h * v_dot[k] != contacts.v_free[k]:
            return True
    return False


@internal
def mark_struck(tables):
    """Mark the groups of bodies that an impact has struck: `STRUCK` in `Contacts.sums`."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    group_bodies(tables, LOADED)
    for k in range(transient.used[0]):
        if transient.impulse[3 * k] > 0.0 and contacts.before[k, 0] < -contacts.record[0].impact:
            contacts.sums[group_of(contacts, transient, k), STRUCK] = 1.0
    mark_struck_rows(tables)


@inlined
def is_struck(contacts, transient, k):
    """Whether contact k is in a group that an impact has struck."""
    return contacts.sums[group_of(contacts, transient, k), STRUCK] == 1.0


@internal
def forget_blows(tables, h):
    """Accelerations of groups of bodies that an impact has struck, marked, are not those of the next step:
    they are found anew there (nan). Of groups that yield, whose forces answer the blow, they are those
    without the impulses of contacts and laws.
    """
    contacts, bodies = view(tables, Contacts), view(tables, Bodies).index
    history, v0 = view(tables, State).history, view(tables, Step).v0
    mark_yielding(tables)
    for i in range(bodies.shape[0]):
        g = contacts.group[i]
        if contacts.sums[g, STRUCK] == 1.0:
            for k in range(bodies[i].first_v, bodies[i].first_v + bodies[i].nv):
                free = (contacts.v_free[k] - v0[k]) / h
                history[1 + k] = free if contacts.sums[g, YIELDS] == 1.0 else nan


@internal
def mark_yielding(tables):
    """Mark groups in which a row yields or a body deforms: `YIELDS` in `Contacts.sums`."""
    contacts, blocks, bodies = view(tables, Contacts), view(tables, Blocks), view(tables, Bodies).index
    for i in range(bodies.shape[0]):
        if bodies[i].whole != i or bodies[i].nv > RIGID:
            contacts.sums[contacts.group[i], YIELDS] = 1.0
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for row in range(block.first_row, block.first_row + block.rows):
            if contacts.row_compliance[row] > 0.0:
                for i in range(block.first_member, block.first_member + block.members):
                    if blocks.member[i].nv > 0:
                        contacts.sums[contacts.group[blocks.member[i].body], YIELDS] = 1.0


@internal
def mark_struck_rows(tables):
    """Mark groups in which a bounded row was struck."""
    contacts = view(tables, Contacts)
    for i in range(contacts.bounds.shape[0]):
        if contacts.bounds[i, BLOW] == 1.0:
            contacts.sums[group_of_row(tables, i), STRUCK] = 1.0
