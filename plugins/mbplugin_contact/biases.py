"""Velocity that each contact prescribes at the end of a step, u = G v₁ + bias: it closes its gap, and no
more; it rebounds; it keeps its mean velocity; a contact whose bodies pass by is relaxed.
"""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import TransientRows, transient_rates, view
from mbplugin_contact.arrays import Contacts

#: factor by which a contact that has acted in passing is relaxed further
RELAXED = 10.0


@internal
def set_biases(tables, h):
    """Reads gaps, velocities before and v_free; writes `bias` and `rebound` of all contacts."""
    contacts = view(tables, Contacts)
    contacts.record[0].rebounding = 0
    for k in range(view(tables, TransientRows).used[0]):
        closing = closing_speed(tables, k, h)
        contacts.bias[k, 0] = closing
        contacts.bias[k, 1], contacts.bias[k, 2] = contacts.held_rate[k, 1], contacts.held_rate[k, 2]
        if contacts.record[0].belts == 1:
            contacts.bias[k, 1] += contacts.belt[k, 1]
            contacts.bias[k, 2] += contacts.belt[k, 2]
        contacts.rebound[k] = 0
        if contacts.passing_by[k] > 0:
            contacts.bias[k, 0] = passing_speed(tables, k, closing)
        elif contacts.rules[contacts.rule[k]].restitution > 0.0 and approaches(tables, k, closing):
            contacts.rebound[k] = 1
            contacts.record[0].rebounding += 1
            contacts.bias[k, 0] = contacts.rules[contacts.rule[k]].restitution * contacts.before[k, 0]


@internal
def leave_out_impacts(tables):
    """Let contacts under Coulomb's law pass by whose bodies approach each other as in an impact."""
    contacts = view(tables, Contacts)
    for k in range(view(tables, TransientRows).used[0]):
        if contacts.contact_law[k] == 0 and contacts.before[k, 0] < -contacts.record[0].impact:
            contacts.passing_by[k] = 1
    contacts.record[0].passing_count = 0


@internal
def passing_speed(tables, k, closing):
    """A speed above that of contact k, whose bodies pass by: it acts if they are thrown at each other."""
    contacts = view(tables, Contacts)
    u, _, _ = transient_rates(view(tables, TransientRows), k, contacts.v_free)
    fastest = 1.1 * max(-u, -contacts.before[k, 0]) + contacts.record[0].impact
    return max(closing, RELAXED ** (contacts.passing_by[k] - 1) * fastest)


@internal
def approaches(tables, k, closing):
    """Whether the bodies of contact k approach faster than forces of the step let them, and would meet; not
    where they close their gap already, to the residual: struck again, they would do nothing.
    """
    contacts = view(tables, Contacts)
    if contacts.passing_by[k] > 0 or contacts.before[k, 0] >= -contacts.record[0].impact:
        return False
    u, _, _ = transient_rates(view(tables, TransientRows), k, contacts.v_free)
    return u + closing < -contacts.record[0].goal


@internal
def closing_speed(tables, k, h):
    """The speed at which contact k may approach in this step [m/s].

    Bodies that touch at more points than determine impulses cannot close all their gaps at once: gaps of
    rounding, and of the order h², would choose the impulses, and stay open. A gap that closed at once would
    take gap/h² off the forces of a step: where the mean velocity is held, its excess alone is closed.
    """
    contacts, gap = view(tables, Contacts), view(tables, TransientRows).phi[3 * k]
    close = contacts.record[0].loaded_gap_tolerance
    if contacts.holds_mean[k] == 1:
        return contacts.held_rate[k, 0] + max(gap - close, 0.0) / h
    return gap / h if gap > (close if contacts.fresh[k] == 0 else 0.0) else 0.0
