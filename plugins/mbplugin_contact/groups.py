"""Groups: bodies that joints connect in a step, and contacts that are loaded, or that stay."""

from __future__ import annotations

from mbplugin.interface import OPEN, inlined, internal
from mbplugin.stepping import Blocks, TransientRows, view
from mbplugin.stepping.bounded_rows import Bounded
from mbplugin.stepping.members import first_member, members_of
from mbplugin_contact.arrays import Contacts

#: which contacts connect; JOINED: none, NEAR: all
LOADED, STAYING, JOINED, NEAR = range(4)


@internal
def group_bodies(tables, which):
    """Writes `Contacts.group` of every body: the least number of a body of its group; `Contacts.groups` is
    cleared. which: LOADED, STAYING, JOINED or NEAR.
    """
    contacts, transient, blocks = view(tables, Contacts), view(tables, TransientRows), view(tables, Blocks)
    group, bodies = contacts.group, contacts.group.shape[0]
    for i in range(bodies):
        group[i] = i
    for k in range(0 if which == JOINED else transient.used[0]):
        connects = transient.impulse[3 * k] != 0.0 if which == LOADED else contacts.status[k] != OPEN
        if connects or which == NEAR:
            for i in members_of(transient, k):
                connect(group, transient.member[first_moving(transient, k)], transient.member[i])
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        moving = block.first_member
        for i in range(block.first_member, block.first_member + block.members):
            connect(group, blocks.member[moving], blocks.member[i])
            moving = i if blocks.member[i].nv > 0 else moving
    for i in range(bodies):
        group[i] = root(group, i)
        # the last record is zero
        contacts.groups[i] = contacts.groups[bodies]


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
    return contacts.group[transient.member[first_moving(transient, k)].body]


@inlined
def first_moving(transient, k):
    """Place of the first member of contact k that moves."""
    first = first_member(transient, k, 0)
    return first if transient.member[first].nv > 0 else first_member(transient, k, 1)


@inlined
def of_link(contacts, transient, k):
    """Whether a side of contact k is a link of a tree."""
    a = transient.member[first_member(transient, k, 0)].body
    b = transient.member[first_member(transient, k, 1)].body
    return (a >= 0 and contacts.tree[a] > 0) or (b >= 0 and contacts.tree[b] > 0)


@inlined
def group_of_block(tables, k):
    """The group of the bodies of block k of rows of joints; −1: none of them moves."""
    blocks, group = view(tables, Blocks), -1
    block = blocks.index[k]
    for i in range(block.first_member, block.first_member + block.members):
        if blocks.member[i].nv > 0:
            group = view(tables, Contacts).group[blocks.member[i].body]
    return group


@inlined
def group_of_row(tables, i):
    """The group of the bodies of bounded row i."""
    return max(group_of_block(tables, view(tables, Bounded).index[i].block), 0)
