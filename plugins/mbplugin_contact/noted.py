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
from mbplugin_contact.impulses import impulse_at


@internal
def note_impacts(tables):
    """Note the impacts among the present impulses, between `Contacts.before` and the present velocities.
    Returns how many there are.
    """
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    record, step, count = contacts.record[0], view(tables, Step).record[0], 0
    shapes = contacts.surface.shape[0]
    for k in range(transient.used[0]):
        impulse, before, key = impulse_at(transient, k), load(contacts.before, k), contacts.key[k]
        if not (impulse[0] > 0.0 and before[0] < -record.impact):
            continue
        count += 1
        after, t = rates_after(tables, k, v), step.t0 + step.length
        i = note_impact(tables, k, key // shapes, key % shapes, impulse, before, after, t)
        if i >= 0:
            note = view(tables, Impacts).index[i]
            note.phase, note.touched = max(1, record.phases), 1 - contacts.fresh[k]
            note.parts = 1 if after[0] > record.goal else 0
    return count
