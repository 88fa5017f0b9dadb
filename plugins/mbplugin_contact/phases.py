"""Impacts that cause impacts within a step: they are solved for in phases.

A ball that is struck crosses the gap to the next one in a part of the step. Held at the end of the step, that
contact would act without rebound, and a row of elastic balls would stop like one of clay. So the impacts of a
step are taken in phases, in which some contacts wait and give no impulse. The key `impact` chooses the rule:

newton       bodies that touch are struck at once (`impacts.py`); a contact that has a gap to cross waits as
             long as others rebound.
sequential   bodies that approach strike each other; a contact or a limit of a struck body that is not
             approached itself waits.

What has waited is struck in a later phase if its bodies then approach each other, with the velocities of that
phase. After the last impact all act at once, without rebound, and carry the loads of the step: a force of
finite size does nothing in an impact. Impulses are those of all phases, the residual is the largest of them.

The velocities of all phases have the loads in them, M (v_free − v₀) = h f. Without these an impact of e = 1
keeps the energy: with impulses r = Σ rₚ of the phases the energies of the step change by
r · G (v₀ + v₁)/2 = Σ rₚ · G ((vₚ₋₁ − v_free + v₀) + vₚ)/2.
"""

from __future__ import annotations

from mbplugin.interface import OPEN, internal
from mbplugin.math.vec3 import add, load, store
from mbplugin.stepping import State, Step, TransientRows, copy, run_part, view
from mbplugin.stepping.bounded_rows import ON, Bounded
from mbplugin.stepping.impacts import forget_impacts
from mbplugin.stepping.members import members_of
from mbplugin_contact.account import relative_residual
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.belts import rates_after, rates_before
from mbplugin_contact.biases import approaches, closing_speed, set_biases
from mbplugin_contact.bounds import let_wait, set_targets, spend_bounds, tried_mode, would_be_passed
from mbplugin_contact.groups import JOINED, LOADED, group_bodies, group_of_row
from mbplugin_contact.impacts import restrain
from mbplugin_contact.impulses import impulse_at, set_impulse
from mbplugin_contact.noted import note_impacts
from mbplugin_contact.operators import law_residual
from mbplugin_contact.parts import SOLVE
from mbplugin_contact.rolling import bearing

#: phases of a step at most
MAX_PHASES = 1000
NO_IMPULSE = (0.0, 0.0, 0.0)


@internal
def strikes_others(tables, h):
    """Whether the step is taken in phases: something that is loaded, if all acts at once, waits for an impact
    of its bodies. Reads the impulses and biases of that solution.
    """
    contacts, transient, bounded = view(tables, Contacts), view(tables, TransientRows), view(tables, Bounded)
    if not mark_struck(tables, h, True):
        return False
    for k in range(transient.used[0]):
        if transient.impulse[3 * k] != 0.0 and of_struck_body(tables, k) and waits(tables, k, h):
            return True
    for i in range(bounded.index.shape[0]):
        loaded = tried_mode(tables, i) == ON and contacts.joint_impulse[bounded.index[i].row] != 0.0
        if loaded and limit_waits(tables, i):
            return True
    return False


@internal
def mark_struck(tables, h, loaded):
    """Mark groups of bodies that are struck, `GroupRecord.struck`: newton, those that loaded contacts
    connect, or all, in which one rebounds; sequential, those that joints connect of which one approaches
    another. Returns whether there is one.
    """
    contacts, transient, bounded = view(tables, Contacts), view(tables, TransientRows), view(tables, Bounded)
    sequential, found = contacts.record[0].sequential == 1, False
    if not sequential and (contacts.record[0].rebounding == 0 or not loaded):
        return contacts.record[0].rebounding > 0
    group_bodies(tables, JOINED if sequential else LOADED)
    for k in range(transient.used[0]):
        strikes = contacts.rebound[k] == 1 and transient.impulse[3 * k] > 0.0
        if sequential:
            strikes = approaches(tables, k, closing_speed(tables, k, h))
        found = found or strikes
        if not strikes:
            continue
        for m in members_of(transient, k):
            member = transient.member[m]
            if member.nv > 0:
                contacts.groups[contacts.group[member.body]].struck = 1
    for i in range(bounded.index.shape[0] if sequential else 0):
        if bounded.index[i].gap == 1 and contacts.bounds[i].approached == 1:
            contacts.groups[group_of_row(tables, i)].struck = 1
            found = True
    return found


@internal
def of_struck_body(tables, k):
    """Whether a body of contact k is in a group that is marked as struck."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    for m in members_of(transient, k):
        member = transient.member[m]
        if member.nv > 0 and contacts.groups[contacts.group[member.body]].struck == 1:
            return True
    return False


@internal
def waits(tables, k, h):
    """Whether contact k waits where bodies are struck, by the rule of the scene; its moments wait with it."""
    contacts = view(tables, Contacts)
    k = bearing(contacts, k)
    if contacts.record[0].sequential == 0:
        return contacts.rebound[k] == 0 and has_to_cross(tables, k)
    passes = contacts.passing_by[k] > 0 or approaches(tables, k, closing_speed(tables, k, h))
    return not passes and of_struck_body(tables, k)


@internal
def has_to_cross(tables, k):
    """Whether contact k, under Coulomb's law, may rebound, and has a gap to cross. Impulses of other laws,
    such as of cohesion, are those of one step.
    """
    contacts, gap = view(tables, Contacts), view(tables, TransientRows).phi[3 * k]
    meets = contacts.passing_by[k] == 0 and contacts.contact_law[k] == 0
    rebounds = contacts.rules[contacts.rule[k]].restitution > 0.0
    return meets and rebounds and gap > contacts.record[0].loaded_gap_tolerance


@internal
def limit_waits(tables, i):
    """Whether bounded row i is a limit that waits: under the sequential rule, as contacts do."""
    contacts, one = view(tables, Contacts), view(tables, Bounded).index[i]
    limit = one.gap == 1 and contacts.bounds[i].approached == 0
    struck = contacts.groups[group_of_row(tables, i)].struck == 1
    return contacts.record[0].sequential == 1 and limit and struck


@internal
def strike_in_turn(tables, h):
    """Solve for the step in phases, from its free velocities; writes impulses, residual and v₁ of all of
    them. Returns a status.
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    record = contacts.record[0]
    begin_phases(tables)
    residual, missed = 0.0, 0
    for phase in range(MAX_PHASES):
        last = phase == MAX_PHASES - 1
        if last:
            note_unended(tables)
        set_phase(tables, h, last)
        status = run_part(tables, SOLVE, 0) or restrain(tables)
        if status != 0:
            return status
        residual, missed = max(residual, record.residual), max(missed, record.missed)
        end_phase(tables)
        if not goes_on(tables, h):
            break
        measure_approaches(tables)
    for k in range(transient.used[0]):
        store(contacts.before, k, rates_before(tables, k, view(tables, Step).v0))
        contacts.status[k], contacts.waiting[k] = contacts.phase_status[k], 0
        set_impulse(transient, k, load(contacts.phase_impulse, k))
    copy(contacts.phase_joint_impulse, contacts.joint_impulse)
    copy(contacts.v_begin, contacts.v_free)
    record.residual, record.missed = residual, missed
    return 0


@internal
def begin_phases(tables):
    """Write zero as the impulses of all phases, and keep v_free as `Contacts.v_begin`."""
    contacts = view(tables, Contacts)
    record = contacts.record[0]
    record.phases = record.hits = record.unended = 0
    record.relative = 0.0
    forget_impacts(tables)
    copy(contacts.v_free, contacts.v_begin)
    for k in range(view(tables, TransientRows).used[0]):
        store(contacts.phase_impulse, k, NO_IMPULSE)
        contacts.phase_residual[k] = 0.0
        contacts.phase_status[k] = OPEN
    for row in range(contacts.joint_impulse.shape[0]):
        contacts.phase_joint_impulse[row] = 0.0


@internal
def note_unended(tables):
    """Note impacts after the last phase of the step; of the first such step, where the fastest one is."""
    contacts, fastest = view(tables, Contacts), 0.0
    totals = contacts.totals[0]
    contacts.record[0].unended = 1
    if totals.unended > 0:
        return
    totals.unended_time, totals.unended_pair = view(tables, Step).record[0].t0, -1
    for k in range(view(tables, TransientRows).used[0]):
        if contacts.before[k, 0] < fastest:
            fastest, totals.unended_pair = contacts.before[k, 0], contacts.key[k]


@internal
def set_phase(tables, h, last):
    """Writes biases, and which contacts and limits wait in this phase: none in the last one, and where
    nothing is struck.
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    set_biases(tables, h)
    strikes = not last and mark_struck(tables, h, False)
    for k in range(transient.used[0]):
        contacts.waiting[k] = 1 if strikes and waits(tables, k, h) else 0
        if contacts.waiting[k] == 1:
            contacts.status[k], contacts.contact_residual[k] = OPEN, 0.0
            set_impulse(transient, k, NO_IMPULSE)
            store(contacts.u, k, NO_IMPULSE)
    for i in range(view(tables, Bounded).index.shape[0] if strikes else 0):
        if limit_waits(tables, i):
            let_wait(tables, i)


@internal
def end_phase(tables):
    """Add up impulses and residuals; the next phase begins at the velocities that are reached."""
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    record = contacts.record[0]
    record.phases += 1
    if view(tables, Step).record[0].frame_due == 1:
        record.relative = max(record.relative, relative_residual(tables))
    law_residual(tables, v)
    record.hits += note_impacts(tables)
    for k in range(transient.used[0]):
        contacts.phase_residual[k] = max(contacts.phase_residual[k], contacts.contact_residual[k])
        impulse = impulse_at(transient, k)
        # what closes its gap already has an impulse of rounding, and may be open beside it
        if impulse[0] > 0.0 and contacts.status[k] != OPEN:
            contacts.phase_status[k] = contacts.status[k]
        store(contacts.phase_impulse, k, add(load(contacts.phase_impulse, k), impulse))
        set_impulse(transient, k, NO_IMPULSE)
    spend_bounds(tables)
    for row in range(contacts.joint_impulse.shape[0]):
        contacts.phase_joint_impulse[row] += contacts.joint_impulse[row]
        contacts.g[row] -= contacts.row_compliance[row] * contacts.joint_impulse[row]
        contacts.joint_impulse[row] = 0.0
    copy(v, contacts.v_free)
    copy(v, contacts.v_phase)
    set_targets(tables, v, view(tables, Step).record[0].length)


@internal
def goes_on(tables, h):
    """Whether something that may have waited would be passed at the velocities that a phase has reached, or a
    contact under another law than Coulomb's has waited. Reads the velocities at its end.
    """
    contacts, bounded, v = view(tables, Contacts), view(tables, Bounded), view(tables, State).v
    sequential = contacts.record[0].sequential == 1
    for k in range(view(tables, TransientRows).used[0]):
        may_act = contacts.passing_by[k] == 0 if sequential else has_to_cross(tables, k)
        u = rates_after(tables, k, v)[0] + closing_speed(tables, k, h)
        if may_act and u < -contacts.record[0].goal:
            return True
        if contacts.waiting[k] == 1 and contacts.contact_law[bearing(contacts, k)] != 0:
            return True
    for i in range(bounded.index.shape[0] if sequential else 0):
        if bounded.index[i].gap == 1 and would_be_passed(tables, i):
            return True
    return False


@internal
def measure_approaches(tables):
    """Write velocities before the impacts of the next phase: of contacts, and of limits by `set_targets`."""
    contacts, v, v0 = view(tables, Contacts), view(tables, State).v, view(tables, Step).v0
    for c in range(v.shape[0]):
        contacts.trial[c] = v[c] - (contacts.v_begin[c] - v0[c])
    for k in range(view(tables, TransientRows).used[0]):
        store(contacts.before, k, rates_after(tables, k, contacts.trial))
    set_targets(tables, contacts.trial, view(tables, Step).record[0].length)
