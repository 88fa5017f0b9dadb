"""Sequential impacts: in a phase only bodies that approach strike each other, and what touches them waits.

A contact or a limit of a body that is struck, and that is not approached itself, gives no impulse then. It
is struck in a later phase if the impulses of others have made its bodies approach each other. After the last
impact all act at once, without rebound, and carry the loads of the step: a force of finite size does nothing
in an impact.

The velocities of all phases have the loads in them, M (v_free − v₀) = h f. Without these an impact of e = 1
keeps the energy: with impulses r = Σ rₚ of the phases the energies of the step change by
r · G (v₀ + v₁)/2 = Σ rₚ · G ((vₚ₋₁ − v_free + v₀) + vₚ)/2.
"""

from __future__ import annotations

from mbplugin.interface import OPEN, internal
from mbplugin.math.vec3 import store
from mbplugin.stepping import State, Step, TransientRows, view
from mbplugin.stepping.bounded_rows import ON, Bounded
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.belts import rates_after
from mbplugin_contact.biases import approaches, closing_speed
from mbplugin_contact.bounds import APPROACHED, group_of_row, let_wait, set_targets, would_be_passed
from mbplugin_contact.groups import JOINED, group_bodies

#: phases of a step at most
MOST = 1000
#: column of `Contacts.sums`: 1: a body of the group is struck
STRUCK = 0


@internal
def others_wait(tables, h):
    """Whether something that is loaded, if all acts at once, waits for an impact of its bodies."""
    contacts, transient, bounded = view(tables, Contacts), view(tables, TransientRows), view(tables, Bounded)
    if not mark_struck(tables, h):
        return False
    for k in range(transient.used[0]):
        if transient.impulse[3 * k] != 0.0 and waits(tables, k, h):
            return True
    for i in range(bounded.index.shape[0]):
        loaded = bounded.chosen[i] == ON and contacts.impulse[bounded.index[i].row] != 0.0
        if loaded and limit_waits(tables, i):
            return True
    return False


@internal
def mark_struck(tables, h):
    """`STRUCK` of groups of bodies that joints connect; returns whether there is one."""
    contacts, transient, bounded = view(tables, Contacts), view(tables, TransientRows), view(tables, Bounded)
    found = False
    for k in range(transient.used[0]):
        if approaches(tables, k, closing_speed(tables, k, h)):
            if not found:
                group_bodies(tables, JOINED)
            found = True
            for s in range(2):
                member = transient.member[2 * k + s]
                if member.nv > 0:
                    contacts.sums[contacts.group[member.body], STRUCK] = 1.0
    for i in range(bounded.index.shape[0]):
        if bounded.index[i].gap == 1 and contacts.bounds[i, APPROACHED] == 1.0:
            if not found:
                group_bodies(tables, JOINED)
            found = True
            contacts.sums[group_of_row(tables, i), STRUCK] = 1.0
    return found


@internal
def waits(tables, k, h):
    """Whether contact k waits: it is not approached, and one of its bodies is struck."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    if contacts.passing_by[k] > 0 or approaches(tables, k, closing_speed(tables, k, h)):
        return False
    for s in range(2):
        member = transient.member[2 * k + s]
        if member.nv > 0 and contacts.sums[contacts.group[member.body], STRUCK] == 1.0:
            return True
    return False


@internal
def limit_waits(tables, i):
    """Whether bounded row i is a limit that waits."""
    contacts, one = view(tables, Contacts), view(tables, Bounded).index[i]
    if one.gap == 0 or contacts.bounds[i, APPROACHED] == 1.0:
        return False
    return contacts.sums[group_of_row(tables, i), STRUCK] == 1.0


@internal
def let_others_wait(tables, h, last):
    """What is not approached waits where bodies are struck, in this phase, but in the last one."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    strikes = not last and mark_struck(tables, h)
    for k in range(transient.used[0]):
        contacts.waiting[k] = 1 if strikes and waits(tables, k, h) else 0
        if contacts.waiting[k] == 1:
            contacts.status[k], contacts.contact_residual[k] = OPEN, 0.0
            for c in range(3):
                transient.impulse[3 * k + c] = contacts.u[k, c] = 0.0
    if not strikes:
        return
    for i in range(view(tables, Bounded).index.shape[0]):
        if limit_waits(tables, i):
            let_wait(tables, i)


@internal
def measure_approaches(tables):
    """Velocities before the impacts of the next phase: those of contacts, and of limits by `set_targets`."""
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    v0 = view(tables, Step).v0
    for c in range(v.shape[0]):
        contacts.trial[c] = v[c] - (contacts.v_begin[c] - v0[c])
    for k in range(transient.used[0]):
        store(contacts.before, k, rates_after(tables, k, contacts.trial))
    set_targets(tables, contacts.trial, view(tables, Step).record[0].length)


@internal
def still_to_act(tables, h):
    """Whether a contact or a limit would be passed at the velocities that a phase has reached, or a contact
    under another law than Coulomb's has waited.
    """
    contacts, transient, bounded = view(tables, Contacts), view(tables, TransientRows), view(tables, Bounded)
    for k in range(transient.used[0]):
        u = contacts.before[k, 0] + closing_speed(tables, k, h)
        if contacts.passing_by[k] == 0 and u < -contacts.record[0].goal:
            return True
        if contacts.waiting[k] == 1 and contacts.contact_law[k] != 0:
            return True
    for i in range(bounded.index.shape[0]):
        if bounded.index[i].gap == 1 and would_be_passed(tables, i):
            return True
    return False
