"""Impacts that cause impacts within a step: bodies with air between them are struck in turn.

A ball that is struck crosses the gap to the next one in a part of the step. Held at the end of the step, that
contact would act without rebound, and a row of elastic balls would stop like one of clay. So the impacts of a
step are taken in phases: first those of bodies that approach at its start; contacts with a gap wait until
their bodies approach each other, and are then struck with the velocities of that phase. Contacts that touch
are struck at once (`impacts.py`), or in turn as well (`turns.py`). Impulses are those of all phases, the
residual is the largest of them.
"""

from __future__ import annotations

from mbplugin.interface import OPEN, internal
from mbplugin.math.vec3 import store
from mbplugin.stepping import State, Step, TransientRows, copy, run_part, transient_rates, view
from mbplugin.stepping.impacts import forget_impacts
from mbplugin_contact.account import relative_residual
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.belts import rates_after, rates_before
from mbplugin_contact.biases import closing_speed, set_biases
from mbplugin_contact.bounds import set_targets, spend_bounds
from mbplugin_contact.groups import LOADED, group_bodies, group_of
from mbplugin_contact.impacts import restrain
from mbplugin_contact.noted import note_impacts
from mbplugin_contact.operators import law_residual
from mbplugin_contact.parts import SOLVE
from mbplugin_contact.turns import MOST, let_others_wait, measure_approaches, others_wait, still_to_act

#: speed that a contact which waits takes off its own, in the largest of the contacts
WAITING = 10.0
#: column of `Contacts.sums`: 1: an impact of the group rebounds
REBOUNDS = 0


@internal
def strikes_others(tables):
    """Whether impacts of the step are taken in phases: a contact with a gap acts in a group of bodies of
    which some rebound.
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    if contacts.record[0].sequential == 1:
        return others_wait(tables, view(tables, Step).record[0].length)
    if contacts.record[0].rebounding == 0:
        return False
    group_bodies(tables, LOADED)
    for k in range(transient.used[0]):
        if contacts.rebound[k] == 1 and transient.impulse[3 * k] > 0.0:
            contacts.sums[group_of(contacts, transient, k), REBOUNDS] = 1.0
    for k in range(transient.used[0]):
        acts = transient.impulse[3 * k] > 0.0 and contacts.bias[k, 0] > 0.0 and may_wait(tables, k)
        if acts and contacts.sums[group_of(contacts, transient, k), REBOUNDS] == 1.0:
            return True
    return False


@internal
def may_wait(tables, k):
    """Whether contact k, under Coulomb's law, rebounds, and has a gap to cross. Impulses of other laws, such
    as of cohesion, are those of one step.
    """
    contacts = view(tables, Contacts)
    rebounds = (
        contacts.rules[contacts.rule[k]].restitution > 0.0
        and contacts.passing_by[k] == 0
        and contacts.contact_law[k] == 0
    )
    return rebounds and view(tables, TransientRows).phi[3 * k] > contacts.record[0].loaded_gap_tolerance


@internal
def strike_in_turn(tables, h):
    """Solve for the step in phases, from its free velocities. Returns a status."""
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    record = contacts.record[0]
    begin_phases(tables)
    residual, missed, status = 0.0, 0, 0
    for phase in range(MOST):
        if phase == MOST - 1:
            note_unended(tables)
        set_phase(tables, h, phase == MOST - 1)
        copy(contacts.v_free, v)
        status = run_part(tables, SOLVE, 0)
        if status == 0:
            status = restrain(tables)
        if status != 0:
            return status
        residual, missed = max(residual, record.residual), max(missed, record.missed)
        end_phase(tables)
        if not goes_on(tables, h):
            break
    for k in range(transient.used[0]):
        store(contacts.before, k, rates_before(tables, k, view(tables, Step).v0))
        contacts.status[k] = contacts.phase_status[k]
        contacts.waiting[k] = 0
        for c in range(3):
            transient.impulse[3 * k + c] = contacts.phase_impulse[k, c]
    copy(contacts.phase_joint_impulse, contacts.impulse)
    copy(contacts.v_begin, contacts.v_free)
    record.residual, record.missed = residual, missed
    return 0


@internal
def begin_phases(tables):
    """No contact has acted yet."""
    contacts = view(tables, Contacts)
    record = contacts.record[0]
    record.phases = record.hits = record.unended = 0
    record.relative = 0.0
    forget_impacts(tables)
    copy(contacts.v_free, contacts.v_begin)
    for k in range(view(tables, TransientRows).used[0]):
        store(contacts.phase_impulse, k, (0.0, 0.0, 0.0))
        contacts.phase_residual[k] = 0.0
        contacts.phase_status[k] = OPEN
    for row in range(contacts.impulse.shape[0]):
        contacts.phase_joint_impulse[row] = 0.0


@internal
def note_unended(tables):
    """The step has impacts after its last phase; of the first such step, where the fastest one is."""
    contacts, fastest = view(tables, Contacts), 0.0
    contacts.record[0].unended = 1
    if contacts.unended[0] > 0.0:
        return
    contacts.unended[1], contacts.unended[2] = view(tables, Step).record[0].t0, -1.0
    for k in range(view(tables, TransientRows).used[0]):
        if contacts.before[k, 0] < fastest:
            fastest, contacts.unended[2] = contacts.before[k, 0], contacts.key[k]


@internal
def set_phase(tables, h, last):
    """Bias of every contact in this phase: those that may wait, do so where others rebound; when all impacts
    are over, all act, and carry the loads of the step.
    """
    contacts, transient, fastest = view(tables, Contacts), view(tables, TransientRows), 0.0
    set_biases(tables, h)
    if contacts.record[0].sequential == 1:
        let_others_wait(tables, h, last)
        return
    if last or contacts.record[0].rebounding == 0:
        return
    for k in range(transient.used[0]):
        u, _, _ = transient_rates(transient, k, contacts.v_free)
        fastest = max(fastest, abs(u), abs(contacts.before[k, 0]))
    for k in range(transient.used[0]):
        if contacts.rebound[k] == 0 and may_wait(tables, k):
            contacts.bias[k, 0] += WAITING * fastest


@internal
def end_phase(tables):
    """Add up impulses and residuals; the next phase begins at the velocities that are reached."""
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    record = contacts.record[0]
    record.phases += 1
    if view(tables, Step).record[0].shown == 1:
        record.relative = max(record.relative, relative_residual(tables))
    law_residual(tables, v)
    note_impacts(tables)
    for k in range(transient.used[0]):
        contacts.phase_residual[k] = max(contacts.phase_residual[k], contacts.contact_residual[k])
        if transient.impulse[3 * k] > 0.0:
            # what closes its gap already has an impulse of rounding, and may be open beside it
            if contacts.status[k] != OPEN:
                contacts.phase_status[k] = contacts.status[k]
            record.hits += 1 if contacts.before[k, 0] < -record.impact else 0
        store(contacts.before, k, rates_after(tables, k, v))
        for c in range(3):
            contacts.phase_impulse[k, c] += transient.impulse[3 * k + c]
            transient.impulse[3 * k + c] = 0.0
    spend_bounds(tables)
    for row in range(contacts.impulse.shape[0]):
        contacts.phase_joint_impulse[row] += contacts.impulse[row]
        contacts.g[row] -= contacts.row_compliance[row] * contacts.impulse[row]
        contacts.impulse[row] = 0.0
    copy(v, contacts.v_free)
    set_targets(tables, v, view(tables, Step).record[0].length)


@internal
def goes_on(tables, h):
    """Whether a contact that has waited would be passed at the velocities that are reached; then velocities
    before the impacts of the next phase are measured.
    """
    contacts = view(tables, Contacts)
    if contacts.record[0].sequential == 1:
        passed = still_to_act(tables, h)
    else:
        passed = waits_to_rebound(tables, h)
    if passed:
        measure_approaches(tables)
    return passed


@internal
def waits_to_rebound(tables, h):
    """Whether a contact with a gap would be passed."""
    contacts = view(tables, Contacts)
    for k in range(view(tables, TransientRows).used[0]):
        if (
            may_wait(tables, k)
            and contacts.before[k, 0] + closing_speed(tables, k, h) < -contacts.record[0].goal
        ):
            return True
    return False
