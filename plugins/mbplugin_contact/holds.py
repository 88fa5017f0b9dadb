"""Contacts that persist hold their mean relative velocity, not only that at the end of the step.

Normals and tangents rotate with the bodies, so that G v of the same v differs from that of the last step. A
contact that stays leaves half of that difference at the end of the step: its mean velocity is zero, in its
tangents where it sticks. A contact held at the end of each step would open a gap and creep by ½ h ω² r per
second on a rotating support, and a rocking body would gain energy of the order h.

These velocities fit together along chains and trees of bodies, and around a loop or two. In a heap whose
bodies lock each other they would force slip: there the end of the step is held.
"""

from __future__ import annotations

from mbplugin.interface import OPEN, STICK, inlined, internal
from mbplugin.math.vec3 import load, load_matrix, rotate_back, store
from mbplugin.stepping import Blocks, State, TransientMarkers, TransientRows, view
from mbplugin.stepping.members import first_member
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.groups import STAYING, group_bodies, group_of

#: part of the goal below which a velocity is left as it is
NEGLIGIBLE = 1e-3
#: change of a slip in a step, in parts of it, up to which its direction is foreseen
SLIP_CHANGE = 0.25
#: loops of bodies that are held in a group, at most
LOOPS = 2


@internal
def hold(tables, k, i):
    """Write `held_rate` and `stays` of contact k, which was contact i of the last step."""
    contacts, axes = view(tables, Contacts), load_matrix(view(tables, TransientMarkers).R, 2 * k + 1)
    jumped = view(tables, State).history[0] == 0.0
    if jumped or contacts.last[i].stays == 0 or contacts.before[k, 0] < -contacts.record[0].impact:
        return
    contacts.stays[k] = 1
    contacts.held_rate[k, 0] = 0.5 * (contacts.before[k, 0] - contacts.last[i].normal_rate)
    if contacts.last[i].status == OPEN:
        return
    if contacts.last[i].status == STICK:
        _, a, b = rotate_back(axes, load(contacts.last_rate, i))
        contacts.held_rate[k, 1] = 0.5 * (contacts.before[k, 1] - a)
        contacts.held_rate[k, 2] = 0.5 * (contacts.before[k, 2] - b)
    else:
        _, a, b = rotate_back(axes, load(contacts.last_change, i))
        follow_slip(contacts, k, a, b)


@inlined
def follow_slip(contacts, k, a, b):
    """Let friction of contact k act along its mean slip: (a, b) is the change of the slip in the last step,
    of which the part across is expected again.
    """
    x, y = contacts.before[k, 1], contacts.before[k, 2]
    square = x * x + y * y
    if a * a + b * b < SLIP_CHANGE**2 * square:
        along = (a * x + b * y) / square
        contacts.held_rate[k, 1], contacts.held_rate[k, 2] = 0.5 * (along * x - a), 0.5 * (along * y - b)


@internal
def release_locked(tables):
    """Write `holds_mean` of contacts; groups of bodies that lock each other hold the end of the step."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    largest, n = 0.0, transient.used[0]
    for k in range(n):
        contacts.holds_mean[k] = 0
        for c in range(3):
            largest = max(largest, abs(contacts.held_rate[k, c]))
    if largest <= NEGLIGIBLE * contacts.record[0].goal:
        return
    group_bodies(tables, STAYING)
    count_pairs(tables)
    for k in range(n):
        g = group_of(contacts, transient, k)
        if contacts.groups[g].pairs + 1.0 - contacts.groups[g].bodies - contacts.groups[g].grounded > LOOPS:
            store(contacts.held_rate, k, (0.0, 0.0, 0.0))
        elif abs(contacts.held_rate[k, 0]) > NEGLIGIBLE * contacts.record[0].goal:
            contacts.holds_mean[k] = 1


@internal
def count_pairs(tables):
    """Write the numbers of bodies of each group, and of pairs of them that touch or are joined."""
    contacts, transient, blocks = view(tables, Contacts), view(tables, TransientRows), view(tables, Blocks)
    for i in range(contacts.group.shape[0]):
        contacts.groups[contacts.group[i]].bodies += 1
        if contacts.tree[i] == 2:
            add_pair(contacts, contacts.group[i], True)
    k, n, markers = 0, transient.used[0], view(tables, TransientMarkers).index
    while k < n:
        a, b, g, touch = markers[2 * k].part, markers[2 * k + 1].part, group_of(contacts, transient, k), False
        first = transient.member[first_member(transient, k, 0)]
        second = transient.member[first_member(transient, k, 1)]
        while k < n and markers[2 * k].part == a and markers[2 * k + 1].part == b:
            touch = touch or contacts.status[k] != OPEN
            k += 1
        if touch:
            add_pair(contacts, g, first.nv == 0 or (second.nv == 0 and second.body != first.body))
    for k in range(blocks.index.shape[0]):
        block, g, moving = blocks.index[k], 0, 0
        for i in range(block.first_member, block.first_member + block.members):
            if blocks.member[i].nv > 0:
                g, moving = contacts.group[blocks.member[i].body], moving + 1
        if moving > 0:
            add_pair(contacts, g, moving == 1)


@inlined
def add_pair(contacts, g, grounded):
    """Count a pair of bodies of group g."""
    contacts.groups[g].pairs += 1
    if grounded:
        contacts.groups[g].grounded = 1
