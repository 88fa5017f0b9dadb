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
    """Fill `Contacts.penetration` and `deepest`. What bodies had when their contact began to act is left out.
    Returns a status, `NO_SOLUTION` for overlap that is too deep.
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    record, step = contacts.record[0], view(tables, Step).record[0]
    contacts.penetration[0] = 0.0
    first = 0
    for k in range(transient.used[0]):
        key, gap = contacts.key[k], transient.phi[3 * k]
        contacts.given[k] = 0.0
        if gap >= -record.loaded_gap_tolerance:
            continue
        thickness = pair_thickness(tables, key)
        while first < contacts.last_count[0] and contacts.last_key[first] < key:
            first += 1
        given = given_before(contacts, first, key)
        at_start = 0.5 * h * contacts.before[k, 0] - gap
        if given < 0.0:  # a new pair
            given = -gap if at_start > MADE * min(thickness, record.size) else 0.0
        contacts.given[k] = max(min(given, -gap), 0.0)
        overlap = -gap - contacts.given[k]
        if contacts.passing_by[k] > 0 or overlap <= 0.0:
            continue
        contacts.penetration[0] = max(contacts.penetration[0], overlap)
        relative = overlap / thickness
        if relative > contacts.deepest[0]:
            contacts.deepest[0], contacts.deepest[1] = relative, overlap
            contacts.deepest[2] = step.t0 + 0.5 * h
            contacts.deepest[3] = key
        if relative > TOO_DEEP and step.estimate == 1:
            record.refused, record.refused_overlap = key, relative
            return NO_SOLUTION
    return 0


@internal
def given_before(contacts, first, key):
    """The largest `given` of this pair of shapes in the last step; −1: it had no contact."""
    given, i = -1.0, first
    while i < contacts.last_count[0] and contacts.last_key[i] == key:
        given = max(given, contacts.last_given[i])
        i += 1
    return given
