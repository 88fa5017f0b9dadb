"""Record of a step: energy taken by friction and impacts, relative velocities, residual and counts."""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import internal
from mbplugin.math.vec3 import add, dot, load, store
from mbplugin.stepping import State, Step, TransientRows, run_part, transient_rates, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.belts import rates_after, work_of_belts
from mbplugin_contact.impulses import impulse_at
from mbplugin_contact.laws import NATURAL, RESIDUAL
from mbplugin_contact.noted import note_impacts
from mbplugin_contact.operators import law_residual, relative_velocities
from mbplugin_contact.parts import LAW


@internal
def account(tables):
    """Write `Contacts.after`, losses, the arrays that frames store and the totals, at the end of a step.

    An impulse does the work r · (u₀ + u₁) / 2: its normal part is taken by impacts, the other by friction.
    What belts do is work.
    """
    contacts, transient, state = view(tables, Contacts), view(tables, TransientRows), view(tables, State)
    step, record, totals = view(tables, Step).record[0], contacts.record[0], contacts.totals[0]
    friction = impact = 0.0
    for k in range(transient.used[0]):
        r, before, after = impulse_at(transient, k), load(contacts.before, k), rates_after(tables, k, state.v)
        store(contacts.after, k, after)
        normal = r[0] * (before[0] + after[0])
        impact -= 0.5 * normal
        friction -= 0.5 * (dot(r, add(before, after)) - normal)
    totals.unended += record.unended
    if record.phases > 0:
        record.impacts = record.hits
        contacts.relative_residual[0] = record.relative
        for k in range(transient.used[0]):
            contacts.contact_residual[k] = contacts.phase_residual[k]
    else:
        record.impacts = note_impacts(tables)
        if step.frame_due == 1:
            contacts.relative_residual[0] = relative_residual(tables)
    contacts.impacts[0] += record.impacts
    state.aux[0] += work_of_belts(tables)
    contacts.friction_loss[0] += friction
    contacts.impact_loss[0] += impact
    if record.scaled == 1:
        totals.softened_energy += impact
    contacts.residual[0] = record.residual
    contacts.sweeps[0], contacts.factorizations[0] = record.swept, record.factored
    contacts.missed[0] += record.missed
    if record.residual > totals.worst:
        totals.worst, totals.worst_time = record.residual, step.t0 + step.length
        totals.worst_pair = worst_pair(tables) if record.missed == 1 else -1


@internal
def relative_residual(tables):
    """|r − P_K(r − ũ)| / max(|q|, |r|, |u|) with u = W r + q, norms over all contacts in SI units, as papers
    give it (Siconos, `fc3d_compute_error`).
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    relative_velocities(tables, view(tables, State).v)
    run_part(tables, LAW, NATURAL)
    natural = q = p = u = 0.0
    for k in range(transient.used[0]):
        free = add(transient_rates(transient, k, contacts.v_free), load(contacts.bias, k))
        after, r = load(contacts.u, k), impulse_at(transient, k)
        natural += contacts.contact_residual[k] * contacts.contact_residual[k]
        q, u, p = q + dot(free, free), u + dot(after, after), p + dot(r, r)
    run_part(tables, LAW, RESIDUAL)  # `Contacts.contact_residual` is stored
    largest = max(q, u, p)
    return sqrt(natural / largest) if largest > 0.0 else 0.0


@internal
def worst_pair(tables):
    """The pair of shapes whose contact obeys the law worst; −1: there is no contact."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    if contacts.record[0].phases == 0:
        law_residual(tables, view(tables, State).v)
    worst, key = -1.0, -1
    for k in range(transient.used[0]):
        if contacts.contact_residual[k] > worst:
            worst, key = contacts.contact_residual[k], contacts.key[k]
    return key
