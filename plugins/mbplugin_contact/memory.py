"""Contacts that stay: impulses of the last step, by the pair of shapes and the features that touch."""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import OPEN, SLIP, STICK, inlined, internal
from mbplugin.math.vec3 import load, load_matrix, rotate, rotate_back, scale, store
from mbplugin.stepping import State, Step, TransientMarkers, TransientRows, request_capacity, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.blows import is_struck, mark_struck
from mbplugin_contact.holds import hold
from mbplugin_contact.nearest import CHOSEN, LEFT

#: part of `ContactRecord.sliding_threshold` below which a contact does not slide, 1e-6 g h
RESTING = 5e-7
#: change of its velocity by the impulse of a contact that counts as none, as a part of the goal
UNLOADED = 1e-3


@internal
def recall(tables):
    """Take impulses, statuses and identities of the last step. Pairs are in the same order in both lists."""
    transient, contacts, markers = (
        view(tables, TransientRows),
        view(tables, Contacts),
        view(tables, TransientMarkers),
    )
    r, held = transient.impulse, contacts.last_count[0]
    before, first = view(tables, State).history[0], 0
    longer = view(tables, Step).record[0].length / before if before > 0.0 else 1.0
    for k in range(transient.used[0]):
        while first < held and contacts.last_key[first] < contacts.key[k]:
            first += 1
        r[3 * k] = r[3 * k + 1] = r[3 * k + 2] = 0.0
        store(contacts.held_rate, k, (0.0, 0.0, 0.0))
        store(contacts.share, k, (0.0, 0.0, 0.0))
        contacts.status[k] = contacts.identity[k] = contacts.waiting[k] = contacts.stays[k] = 0
        contacts.fresh[k], contacts.chosen[k] = 1, CHOSEN
        i = first
        while i < held and contacts.last_key[i] == contacts.key[k]:
            if contacts.last_feature[i] == contacts.feature[k]:
                # columns of R: normal and tangents
                axes = load_matrix(markers.R, 2 * k + 1)
                P = rotate_back(axes, load(contacts.last_impulse, i))
                r[3 * k], r[3 * k + 1], r[3 * k + 2] = P
                store(contacts.share, k, scale(longer, rotate_back(axes, load(contacts.last_share, i))))
                contacts.status[k], contacts.identity[k] = contacts.last_status[i], contacts.last_identity[i]
                contacts.fresh[k] = 1 if contacts.last_status[i] == OPEN else 0
                contacts.chosen[k] = contacts.last_kept[i, 1]
                hold(tables, k, i)
                break
            i += 1
        rule = contacts.rules[contacts.rule[k]]
        if contacts.fresh[k] == 1 and rule.friction_static > rule.friction and rests(contacts, k):
            contacts.status[k] = STICK
    for row in range(contacts.impulse.shape[0]):
        contacts.impulse[row] = contacts.last_joint_impulse[row]


@inlined
def rests(contacts, k):
    """Whether contact k does not slide at the start of the step."""
    a, b = contacts.before[k, 1], contacts.before[k, 2]
    return sqrt(a * a + b * b) <= RESTING * contacts.record[0].sliding_threshold


@internal
def keep_contacts(tables):
    """Remember impulses for the next step, and give new contacts their identity; `Contacts.after` is filled.
    Returns a status.
    """
    transient, contacts, markers = (
        view(tables, TransientRows),
        view(tables, Contacts),
        view(tables, TransientMarkers),
    )
    n = transient.used[0]
    if contacts.record[0].impacts > 0:
        mark_struck(tables)
    if n > contacts.last_key.shape[0]:
        return request_capacity(tables, 1, n)
    r, R = transient.impulse, markers.R
    # impulses at the edge of the cone with no sliding: where bodies touch at several points, impulses are not
    # unique, and some reach the edge before the body moves
    at_rest = min(contacts.record[0].goal, RESTING * contacts.record[0].sliding_threshold)
    for k in range(n):
        contacts.last_key[k], contacts.last_feature[k] = contacts.key[k], contacts.feature[k]
        contacts.last_given[k] = contacts.given[k]
        if contacts.identity[k] == 0:
            contacts.identities[0] += 1
            contacts.identity[k] = contacts.identities[0]
        contacts.last_identity[k] = contacts.identity[k]
        m, i = 2 * k + 1, 3 * k
        a, b = contacts.after[k, 1], contacts.after[k, 2]
        first, second = a + contacts.held_rate[k, 1], b + contacts.held_rate[k, 2]
        if contacts.status[k] == SLIP and sqrt(first * first + second * second) <= at_rest:
            contacts.status[k] = STICK
        # whether a contact without load is open is a matter of rounding
        loaded = abs(r[i]) * contacts.W[k, 0] > UNLOADED * contacts.record[0].goal
        contacts.last_status[k] = contacts.status[k] if loaded else OPEN
        contacts.last_kept[k, 0], contacts.last_kept[k, 1] = (
            1 if loaded else contacts.stays[k],
            contacts.chosen[k],
        )
        axes = load_matrix(R, m)
        contacts.last_normal_rate[k] = contacts.after[k, 0]
        store(contacts.last_rate, k, rotate(axes, (0.0, a, b)))
        change = rotate(axes, (0.0, a - contacts.before[k, 1], b - contacts.before[k, 2]))
        store(contacts.last_change, k, change)
        impulse = (r[i], r[i + 1], r[i + 2])
        store(contacts.last_impulse, k, rotate(axes, impulse))
        # a blow is no force
        blow = contacts.record[0].impacts > 0 and is_struck(contacts, transient, k)
        kept = blow or contacts.chosen[k] == LEFT
        store(contacts.last_share, k, rotate(axes, load(contacts.share, k) if kept else impulse))
    contacts.last_count[0] = n
    contacts.last_polished[0] = contacts.record[0].polished
    return 0
