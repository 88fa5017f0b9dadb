"""Record of a step: energy taken by friction and impacts, relative velocities, residual and counts."""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import internal
from mbplugin.math.vec3 import add, load, store
from mbplugin.stepping import State, Step, TransientRows, run_part, transient_rates, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.belts import rates_after, work_of_belts
from mbplugin_contact.laws import NATURAL, RESIDUAL
from mbplugin_contact.noted import note_impacts
from mbplugin_contact.operators import law_residual, relative_velocities
from mbplugin_contact.parts import LAW


@internal
def account(tables):
    """Fill the arrays of `Contacts` that frames store, at the end of a step.

    An impulse does the work r · (u₀ + u₁) / 2: its normal part is taken by impacts, the other by friction.
    What belts do is work.
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    step = view(tables, Step).record[0]
    v1 = view(tables, State).v
    record, r = contacts.record[0], transient.impulse
    friction = impact = 0.0
    for k in range(transient.used[0]):
        n0, a0, b0 = load(contacts.before, k)
        n1, a1, b1 = rates_after(tables, k, v1)
        store(contacts.after, k, (n1, a1, b1))
        i = 3 * k
        impact -= 0.5 * r[i] * (n0 + n1)
        friction -= 0.5 * (r[i + 1] * (a0 + a1) + r[i + 2] * (b0 + b1))
        if r[i] > 0.0 and n0 < -record.impact and record.phases == 0:
            record.impacts += 1
    contacts.unended[0] += record.unended
    if record.phases == 0:
        note_impacts(tables)
    if record.phases > 0:
        record.impacts = record.hits
        contacts.relative_residual[0] = record.relative
        for k in range(transient.used[0]):
            contacts.contact_residual[k] = contacts.phase_residual[k]
    elif step.shown == 1:
        contacts.relative_residual[0] = relative_residual(tables)
    contacts.impacts[0] += record.impacts
    contacts.swept_only[0] = min(contacts.swept_only[0], record.swept_only + 1)
    view(tables, State).aux[0] += work_of_belts(tables)
    contacts.friction_loss[0] += friction
    contacts.impact_loss[0] += impact
    if record.scaled == 1:
        contacts.softened[1] += impact
    contacts.residual[0] = record.residual
    contacts.sweeps[0], contacts.factorizations[0] = record.swept, record.factored
    if record.missed == 1:
        contacts.missed[0] += 1
    if record.residual > contacts.worst[0]:
        contacts.worst[0], contacts.worst[1] = record.residual, step.t0 + step.length
        contacts.worst[2] = worst_pair(tables) if record.missed == 1 else -1


@internal
def relative_residual(tables):
    """|r − P_K(r − ũ)| / max(|q|, |r|, |u|) with u = W r + q, norms over all contacts in SI units, as papers
    give it (Siconos, `fc3d_compute_error`).
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    r = transient.impulse
    relative_velocities(tables, view(tables, State).v)
    run_part(tables, LAW, NATURAL)
    natural = q = p = u = 0.0
    for k in range(transient.used[0]):
        i = 3 * k
        n0, a0, b0 = add(transient_rates(transient, k, contacts.v_free), load(contacts.bias, k))
        n1, a1, b1 = load(contacts.u, k)
        natural += contacts.contact_residual[k] * contacts.contact_residual[k]
        q += n0 * n0 + a0 * a0 + b0 * b0
        u += n1 * n1 + a1 * a1 + b1 * b1
        p += r[i] * r[i] + r[i + 1] * r[i + 1] + r[i + 2] * r[i + 2]
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
