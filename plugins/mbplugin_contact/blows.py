"""Blows change velocities within a step: forces that depend on them are taken at the mean of both.

f is taken at v_m = v₀ + ½h v̇, of the motion before the step. Where impulses of contacts change that,
gyroscopic moments and dampers would do spurious work, of the order h in each blow, and spurious powers would
be booked. The groups of bodies that are struck so have their forces taken again at (v₀ + v₁)/2; where no
force does work that is booked, only those that lose hardly any energy: in the others what gyroscopic moments
do is small beside the loss. So it is where bodies or rows yield: their stiff forces answer the blow.
"""

from __future__ import annotations

from math import nan

from mbplugin.interface import internal
from mbplugin.math.emitters.triple_products import RIGID
from mbplugin.math.vec3 import add, dot, load, scale, sub
from mbplugin.stepping import (
    Blocks,
    Bodies,
    Rates,
    State,
    Step,
    TransientRows,
    copy,
    end_jumps,
    evaluate_rates,
    forces_of_jumps,
    let_jump,
    transient_rates,
    view,
)
from mbplugin.stepping.compliant_rows import Enforced
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.belts import rates_after
from mbplugin_contact.groups import LOADED, group_bodies, group_of, group_of_block, group_of_row
from mbplugin_contact.impulses import impulse_at

#: speed, in 2 g h, by which the mean velocity of a contact differs from that of the forces: it is struck
SUDDEN = 0.01
#: the same of velocities [m/s, rad/s], that is none at any contact
STILL = 1e-5
#: part of the work of a blow that contacts take, above which the error of the forces is neglected
LOSSY = 0.01


@internal
def suddenly_changed(tables, h):
    """Whether forces of a group of bodies are to be taken again; writes `struck` of these groups."""
    contacts, transient, v1 = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    if not any_velocity_jumps(tables, h):
        return False
    limit, any_struck = (SUDDEN * contacts.record[0].impact) ** 2, False
    aux_dot = view(tables, Rates).aux_dot
    booked = aux_dot[0] != 0.0 or aux_dot[1] != 0.0
    group_bodies(tables, LOADED)
    for k in range(transient.used[0]):
        r = impulse_at(transient, k)
        if r[0] == 0.0:
            continue
        group = contacts.groups[group_of(contacts, transient, k)]
        before, after = load(contacts.before, k), rates_after(tables, k, v1)
        # of the bodies alone
        belt = sub(load(contacts.belt, k), load(contacts.belt_before, k))
        foreseen = transient_rates(transient, k, contacts.v_dot_middle)
        jump = sub(sub(sub(after, before), belt), scale(h, foreseen))
        if dot(jump, jump) > 4.0 * limit:
            group.struck = 1
        group.exchanged += r[0] * (abs(before[0]) + abs(after[0]) + 0.5 * abs(jump[0]))
        group.taken -= dot(r, add(before, after))
    if booked:
        mark_yielding(tables)
    for g in range(contacts.group.shape[0]):
        group = contacts.groups[g]
        kept = not booked or group.yields == 1
        if kept and group.taken > LOSSY * group.exchanged:
            group.struck = 0
        any_struck = any_struck or group.struck == 1
    return mark_trees(tables, h) or any_struck


@internal
def mark_trees(tables, h):
    """Mark the groups of trees whose velocities jump: their forces are quadratic in these. Returns whether
    there are any.
    """
    contacts, v0, v1 = view(tables, Contacts), view(tables, Step).v0, view(tables, State).v
    bodies, any_struck, limit = view(tables, Bodies).index, False, SUDDEN * contacts.record[0].impact
    for i in range(bodies.shape[0]):
        if contacts.tree[i] > 0:
            for k in range(bodies[i].first_v, bodies[i].first_v + bodies[i].nv):
                if abs(v1[k] - v0[k] - h * contacts.v_dot_middle[k]) > limit:
                    contacts.groups[contacts.group[i]].struck, any_struck = 1, True
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
        struck = contacts.groups[contacts.group[i]].struck == 1
        for k in range(bodies[i].first_v, bodies[i].first_v + bodies[i].nv):
            if struck:
                contacts.v_dot_middle[k] = (state.v[k] - v0[k]) / h
            if contacts.tree[i] > 0:
                contacts.jump[k] = 0.5 * (state.v[k] - v0[k]) if struck else 0.0
            state.v[k] = v0[k] + 0.5 * h * contacts.v_dot_middle[k]
    forces_of_jumps(tables, contacts.jump, contacts.jump_force)
    for k in range(contacts.jump.shape[0]):
        contacts.jump_force[k] *= -1.0
    let_jump(tables, contacts.jump_force)
    status = evaluate_rates(tables)
    end_jumps(tables)
    return status


@internal
def book_jumps(tables, h):
    """Reads v₀, v₁ and `Contacts.jump` of trees that were struck; adds what impulses did at velocities that
    are reached in the middle of the step to the energy that impacts take.
    """
    contacts, state, v0 = view(tables, Contacts), view(tables, State), view(tables, Step).v0
    any_jump = False
    for k in range(contacts.jump.shape[0]):
        any_jump = any_jump or contacts.jump[k] != 0.0
    if not any_jump:
        return
    forces_of_jumps(tables, state.v, contacts.jump_force)
    forces_of_jumps(tables, v0, contacts.jump_other)
    work = 0.0
    for k in range(contacts.jump.shape[0]):
        if contacts.jump[k] != 0.0:
            work += 0.25 * h * (state.v[k] - v0[k]) * (contacts.jump_force[k] - contacts.jump_other[k])
            contacts.jump[k] = 0.0
    contacts.impact_loss[0] -= work


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
def mark_blows(tables):
    """Mark the groups of bodies that an impact has struck, or a blow of a bounded row: `struck`."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    group_bodies(tables, LOADED)
    for k in range(transient.used[0]):
        if transient.impulse[3 * k] > 0.0 and contacts.before[k, 0] < -contacts.record[0].impact:
            contacts.groups[group_of(contacts, transient, k)].struck = 1
    for i in range(contacts.bounds.shape[0]):
        if contacts.bounds[i].struck == 1:
            contacts.groups[group_of_row(tables, i)].struck = 1


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
        if contacts.groups[g].struck == 1:
            for k in range(bodies[i].first_v, bodies[i].first_v + bodies[i].nv):
                free = (contacts.v_free[k] - v0[k]) / h
                history[1 + k] = free if contacts.groups[g].yields == 1 else nan


@internal
def mark_yielding(tables):
    """Mark groups in which a row yields or a body deforms: `yields`."""
    contacts, blocks, bodies = view(tables, Contacts), view(tables, Blocks), view(tables, Bodies).index
    for i in range(bodies.shape[0]):
        if bodies[i].whole != i or bodies[i].nv > RIGID:
            contacts.groups[contacts.group[i]].yields = 1
    for k in range(blocks.index.shape[0]):
        group, block = group_of_block(tables, k), blocks.index[k]
        for row in range(block.first_row, block.first_row + block.rows):
            if contacts.row_compliance[row] > 0.0 and group >= 0:
                contacts.groups[group].yields = 1
