"""Impacts as events: contacts that were approached faster than `ContactRecord.impact` and gave an impulse.

Each phase of a step (`phases.py`) has impacts of its own, of which Newton's law holds: a contact that is
struck twice in a step has two. Their number is that of `Contacts.impacts`.
"""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.math.vec3 import load
from mbplugin.stepping import State, Step, TransientRows, view
from mbplugin.stepping.impacts import Impacts, note_impact
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.belts import rates_after


@internal
def note_impacts(tables):
    """Note the impacts among the present impulses, between `Contacts.before` and the present velocities."""
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    record, step, r = contacts.record[0], view(tables, Step).record[0], transient.impulse
    for k in range(transient.used[0]):
        if not (r[3 * k] > 0.0 and contacts.before[k, 0] < -record.impact):
            continue
        a, b = contacts.key[k] // contacts.surface.shape[0], contacts.key[k] % contacts.surface.shape[0]
        impulse, after = (r[3 * k], r[3 * k + 1], r[3 * k + 2]), rates_after(tables, k, v)
        i = note_impact(tables, k, a, b, impulse, load(contacts.before, k), after, step.t0 + step.length)
        if i >= 0:
            note = view(tables, Impacts).index[i]
            note.phase, note.touched = max(1, record.phases), 1 - contacts.fresh[k]
            note.parts = 1 if after[0] > record.goal else 0
