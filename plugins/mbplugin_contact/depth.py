"""Overlap of bodies in the middle of a step: what their impulses and the removal of overlap have left."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import NO_SOLUTION, Step, TransientRows, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.short_enough import MADE, pair_thickness

#: overlap in thicknesses at which a run ends: beyond it bodies are pushed out at the other side
TOO_DEEP = 0.5


@internal
def measure_overlap(tables, h):
    """Write `Contacts.penetration`, `initial_overlap`, and the deepest overlap of the run. What bodies had
    when their contact began to act is left out. Returns a status, `NO_SOLUTION` for overlap that is too deep.
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    record, totals, step = contacts.record[0], contacts.totals[0], view(tables, Step).record[0]
    contacts.penetration[0] = 0.0
    first = 0
    for k in range(transient.used[0]):
        key, gap = contacts.key[k], transient.phi[3 * k]
        contacts.initial_overlap[k] = 0.0
        if gap >= -record.loaded_gap_tolerance:
            continue
        thickness = pair_thickness(tables, key)
        while first < contacts.last_count[0] and contacts.last[first].key < key:
            first += 1
        initial = initial_overlap_before(contacts, first, key)
        at_start = 0.5 * h * contacts.before[k, 0] - gap
        if initial < 0.0:  # a new pair
            initial = -gap if at_start > MADE * min(thickness, record.size) else 0.0
        contacts.initial_overlap[k] = max(min(initial, -gap), 0.0)
        overlap = -gap - contacts.initial_overlap[k]
        if contacts.passing_by[k] > 0 or overlap <= 0.0:
            continue
        contacts.penetration[0] = max(contacts.penetration[0], overlap)
        relative = overlap / thickness
        if relative > totals.deepest:
            totals.deepest, totals.deepest_overlap = relative, overlap
            totals.deepest_time, totals.deepest_pair = step.t0 + 0.5 * h, key
        if relative > TOO_DEEP and step.estimate == 1:
            record.refused, record.refused_overlap = key, relative
            return NO_SOLUTION
    return 0


@internal
def initial_overlap_before(contacts, first, key):
    """The largest `initial_overlap` of this pair of shapes in the last step; −1: it had no contact."""
    largest, i = -1.0, first
    while i < contacts.last_count[0] and contacts.last[i].key == key:
        largest = max(largest, contacts.last[i].initial_overlap)
        i += 1
    return largest
