"""Impulses of each two shapes that have touched, summed over all steps so far; pairs are sorted."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.math.vec3 import add, load, store
from mbplugin.stepping import request_capacity, view
from mbplugin_contact.arrays import TOUCHED_PAIR, Contacts
from mbplugin_contact.rolling import TOUCHES
from mbplugin_contact.sorted_keys import place_of


@internal
def add_to_sums(tables):
    """Add the impulses that `keep_contacts` has kept. Returns a status."""
    contacts = view(tables, Contacts)
    i, key = -1, -1
    for k in range(contacts.last_count[0]):
        P = load(contacts.last_impulse, k)
        if contacts.last[k].turns != TOUCHES or (P[0] == 0.0 and P[1] == 0.0 and P[2] == 0.0):
            continue
        if contacts.last[k].key != key:
            key = contacts.last[k].key
            i = place_of(contacts.sum_key, contacts.sum_count[0], key)
            if i == contacts.sum_count[0] or contacts.sum_key[i] != key:
                if contacts.sum_count[0] == contacts.sum_key.shape[0]:
                    return request_capacity(tables, TOUCHED_PAIR, contacts.sum_count[0] + 1)
                insert_pair(contacts, i, key)
        store(contacts.sum_impulse, i, add(load(contacts.sum_impulse, i), P))
    return 0


@internal
def insert_pair(contacts, i, key):
    """Insert a pair at place i, with no impulse yet."""
    for k in range(contacts.sum_count[0], i, -1):
        contacts.sum_key[k] = contacts.sum_key[k - 1]
        store(contacts.sum_impulse, k, load(contacts.sum_impulse, k - 1))
    contacts.sum_key[i] = key
    store(contacts.sum_impulse, i, (0.0, 0.0, 0.0))
    contacts.sum_count[0] += 1
