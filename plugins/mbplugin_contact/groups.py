"""Groups: bodies that joints connect in a step, and contacts that are loaded, or that stay."""

from __future__ import annotations

from mbplugin.interface import OPEN, inlined, internal
from mbplugin.stepping import Blocks, TransientRows, view
from mbplugin_contact.arrays import Contacts

#: which contacts connect; JOINED: none, NEAR: all
LOADED, STAYING, JOINED, NEAR = range(4)


@internal
def group_bodies(tables, which):
    """`Contacts.group` of every body: the least number of a body of its group; `Contacts.sums` is cleared.
    which: LOADED, STAYING, JOINED or NEAR.
    """
    contacts, transient, blocks = view(tables, Contacts), view(tables, TransientRows), view(tables, Blocks)
    group = contacts.group
    for i in range(group.shape[0]):
        group[i] = i
    for k in range(0 if which == JOINED else transient.used[0]):
        connects = transient.impulse[3 * k] != 0.0 if which == LOADED else contacts.status[k] != OPEN
        if connects or which == NEAR:
            connect(group, transient.member[2 * k], transient.member[2 * k + 1])
    for k in range(blocks.index.shape[0]):
        first = blocks.index[k].first_member
        for i in range(first + 1, first + blocks.index[k].members):
            connect(group, blocks.member[first], blocks.member[i])
    for i in range(group.shape[0]):
        group[i] = root(group, i)
        for c in range(contacts.sums.shape[1]):
            contacts.sums[i, c] = 0.0


@internal
def connect(group, a, b):
    """Make one group of those of two members, if both move."""
    if a.nv > 0 and b.nv > 0:
        i, j = root(group, a.body), root(group, b.body)
        group[max(i, j)] = min(i, j)


@internal
def root(group, i):
    """The least number of a body of the group of body i, so far."""
    while group[i] != i:
        group[i] = group[group[i]]
        i = group[i]
    return i


@inlined
def group_of(contacts, transient, k):
    """The group of the bodies of contact k."""
    member = transient.member[2 * k] if transient.member[2 * k].nv > 0 else transient.member[2 * k + 1]
    return contacts.group[member.body]
