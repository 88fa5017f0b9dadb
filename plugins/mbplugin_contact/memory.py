"""Contacts that stay: impulses of the last step, by the pair of shapes and the features that touch."""

from __future__ import annotations

from math import hypot

from mbplugin.interface import OPEN, SLIP, STICK, inlined, internal
from mbplugin.math.vec3 import add, dot, load, load_matrix, norm, rotate, rotate_back, scale, store, sub
from mbplugin.stepping import State, Step, TransientMarkers, TransientRows, request_capacity, run_part, view
from mbplugin.stepping.shapes import Shapes, shape_pose
from mbplugin_contact.arrays import LAST, Contacts
from mbplugin_contact.blows import mark_blows
from mbplugin_contact.groups import group_of
from mbplugin_contact.holds import hold
from mbplugin_contact.impulses import impulse_at, set_impulse
from mbplugin_contact.laws import ACCEPT, NO_MEMORY
from mbplugin_contact.nearest import LEFT, UNIQUE
from mbplugin_contact.parts import LAW
from mbplugin_contact.rolling import TOUCHES, bearing, moments_of

#: part of `ContactRecord.sliding_threshold` below which a contact does not slide, 1e-6 g h
SLIDING_OF_REST = 5e-7
#: a contact counts as unloaded if its impulse changes its velocity by less than this part of the goal
UNLOADED_SPEED = 1e-3
#: distance in smallest radii up to which a contact has the memory of one of the last step
NEAR_MEMORY = 1e-2
NOTHING = (0.0, 0.0, 0.0)


@internal
def recall(tables):
    """Write impulses, statuses and identities of the last step. Pairs are in the same order in both lists."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    record, kept, first = contacts.record[0], contacts.last_count[0], 0
    for k in range(transient.used[0]):
        while first < kept and contacts.last[first].key < contacts.key[k]:
            first += 1
        if contacts.turns[k] != TOUCHES:
            continue  # done with its contact
        forget(tables, k)
        for m in moments_of(tables, k):
            forget(tables, m)
        i = first
        while i < kept and contacts.last[i].key == contacts.key[k]:
            if contacts.last[i].feature == contacts.feature[k]:
                recall_with_moments(tables, k, i)
                break
            i += 1
        if record.remembers == 1:
            recall_memory(tables, k, first, i)
        rule = contacts.rules[contacts.rule[k]]
        rests = hypot(contacts.before[k, 1], contacts.before[k, 2]) <= speed_of_rest(contacts)
        if contacts.fresh[k] == 1 and rule.friction_static > rule.friction and rests:
            contacts.status[k] = STICK
    longer = growth_of_step(tables)
    for row in range(contacts.joint_impulse.shape[0]):
        contacts.joint_impulse[row] = longer * contacts.last_joint_impulse[row]


@inlined
def growth_of_step(tables):
    """Length of the step over that of the last one, by which impulses of forces grow: times are rounded."""
    before = view(tables, State).history[0]
    return view(tables, Step).record[0].length / before if before > 0.0 else 1.0


@internal
def forget(tables, k):
    """Block k is new, as far as is known yet."""
    contacts = view(tables, Contacts)
    set_impulse(view(tables, TransientRows), k, NOTHING)
    store(contacts.held_rate, k, NOTHING)
    store(contacts.reference, k, NOTHING)
    contacts.status[k] = contacts.identity[k] = contacts.waiting[k] = contacts.stays[k] = 0
    contacts.fresh[k], contacts.choice[k] = 1, UNIQUE


@internal
def recall_with_moments(tables, k, i):
    """Contact k was contact i of the last step, and so are its moments, which follow it in both lists."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    recall_contact(tables, k, i)
    for m in moments_of(tables, k):
        j = i + 1
        while j < contacts.last_count[0] and contacts.last[j].turns != TOUCHES:
            if contacts.last[j].turns == contacts.turns[m]:
                recall_contact(tables, m, j)
                # rounding of the axes
                transient.impulse[3 * m] = contacts.reference[m, 0] = 0.0
            j += 1


@internal
def recall_contact(tables, k, i):
    """Block k, a contact or moments, was block i of the last step."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    last, longer = contacts.last[i], growth_of_step(tables)
    # columns of R: normal and tangents
    axes = load_matrix(view(tables, TransientMarkers).R, 2 * k + 1)
    set_impulse(transient, k, rotate_back(axes, load(contacts.last_impulse, i)))
    store(contacts.reference, k, scale(longer, rotate_back(axes, load(contacts.last_reference, i))))
    contacts.status[k], contacts.identity[k] = last.status, last.identity
    contacts.fresh[k] = 1 if last.status == OPEN else 0
    contacts.choice[k] = last.choice
    hold(tables, k, i)


@internal
def recall_memory(tables, k, first, same):
    """The memory of contact k, whose pair begins at `first` among the last contacts: that of the nearest one
    of the pair, within a part of the size. Features may change their names where bodies are bonded: a contact
    without one of the same features, `same`, was the nearest one.
    """
    contacts, law = view(tables, Contacts), view(tables, Contacts).of_law[k]
    law.memory_0 = law.memory_1 = law.memory_2 = 0.0
    law.broke = NO_MEMORY
    x, nearest, i = place_on_first(tables, k), NEAR_MEMORY * contacts.record[0].size, first
    found, end = -1, contacts.last_count[0]
    while i < end and contacts.last[i].key == contacts.key[k]:
        last = contacts.last[i]
        distance = norm(sub(x, (last.x, last.y, last.z)))
        if distance < nearest and last.turns == TOUCHES:
            nearest, found = distance, i
            law.memory_0, law.memory_1, law.memory_2 = last.memory_0, last.memory_1, last.memory_2
            law.broke = 0
        i += 1
    renamed = same >= end or contacts.last[same].key != contacts.key[k]
    if found >= 0 and renamed:
        recall_with_moments(tables, k, found)


@internal
def place_on_first(tables, k):
    """Place of contact k in the frame of its first shape [m]."""
    n = view(tables, Shapes).index.shape[0]
    x, R = shape_pose(tables, view(tables, Contacts).key[k] // n)
    return rotate_back(R, sub(load(view(tables, TransientMarkers).x, 2 * k), x))


@inlined
def speed_of_rest(contacts):
    """Tangential speed up to which a contact does not slide [m/s]."""
    return SLIDING_OF_REST * contacts.record[0].sliding_threshold


@internal
def keep_memory(tables, k):
    """Keep the memory and the place of contact k for the next step, and count a bond that breaks."""
    contacts, step = view(tables, Contacts), view(tables, Step).record[0]
    last, law, totals = contacts.last[k], contacts.of_law[k], contacts.totals[0]
    last.memory_0, last.memory_1, last.memory_2 = law.memory_0, law.memory_1, law.memory_2
    last.x, last.y, last.z = place_on_first(tables, k)
    if law.broke == 1:
        if totals.broken == 0:
            totals.broken_time, totals.broken_pair = step.t0 + step.length, contacts.key[k]
        both = add(load(contacts.before, k), load(contacts.after, k))
        totals.broken += 1
        totals.broken_energy -= 0.5 * dot(impulse_at(view(tables, TransientRows), k), both)


@internal
def keep_contacts(tables):
    """Reads impulses, statuses and `Contacts.after`; writes the contacts of this step for the next one, and
    gives new ones their identity. Returns a status.
    """
    transient, contacts, markers = (
        view(tables, TransientRows),
        view(tables, Contacts),
        view(tables, TransientMarkers),
    )
    n, record = transient.used[0], contacts.record[0]
    if record.impacts > 0:
        mark_blows(tables)
    if n > contacts.last.shape[0]:
        return request_capacity(tables, LAST, n)
    # a contact that does not move sticks, though its impulse may be at the edge of the cone: where bodies
    # touch at several points, impulses are not unique, and some reach the edge before the body moves
    at_rest = min(record.goal, speed_of_rest(contacts))
    if record.remembers == 1:
        run_part(tables, LAW, ACCEPT)
    contacts.totals[0].stepped = 1
    for k in range(n):
        last, impulse, after = contacts.last[k], impulse_at(transient, k), load(contacts.after, k)
        if contacts.identity[k] == 0 and contacts.turns[k] == TOUCHES:
            contacts.totals[0].identities += 1
            contacts.identity[k] = contacts.totals[0].identities
        slip = hypot(after[1] + contacts.held_rate[k, 1], after[2] + contacts.held_rate[k, 2])
        if contacts.status[k] == SLIP and slip <= at_rest:
            contacts.status[k] = STICK
        # an unloaded contact counts as open: its status is a matter of rounding
        c = bearing(contacts, k)
        loaded = abs(transient.impulse[3 * c]) * contacts.W[c, 0] > UNLOADED_SPEED * record.goal
        last.key, last.feature, last.identity = contacts.key[k], contacts.feature[k], contacts.identity[k]
        last.initial_overlap, last.normal_rate = contacts.initial_overlap[k], after[0]
        last.status = contacts.status[k] if loaded else OPEN
        last.stays = 1 if loaded else contacts.stays[k]
        last.choice, last.turns = contacts.choice[k], contacts.turns[k]
        if record.remembers == 1 and contacts.turns[k] == TOUCHES:
            keep_memory(tables, k)
        axes, change = load_matrix(markers.R, 2 * k + 1), sub(after, load(contacts.before, k))
        store(contacts.last_rate, k, rotate(axes, (0.0, after[1], after[2])))
        store(contacts.last_change, k, rotate(axes, (0.0, change[1], change[2])))
        store(contacts.last_impulse, k, rotate(axes, impulse))
        # the impulse of a blow says nothing about forces: keep the reference of the step before
        blow = record.impacts > 0 and contacts.groups[group_of(contacts, transient, k)].struck == 1
        kept = blow or contacts.choice[k] == LEFT
        store(contacts.last_reference, k, rotate(axes, load(contacts.reference, k) if kept else impulse))
    contacts.last_count[0], contacts.last_polished[0] = n, record.polished
    return 0
