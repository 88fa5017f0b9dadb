"""Islands: bodies that contacts and joints connect. Newton's method solves them one after another.

Every loop of the solve is over lists of contacts, velocities, bodies, joints and rows, in a range of each:
that of an island, or that of all. Islands are the connected parts of the matrix. Contacts that wait are in
none.
"""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.matrix import Matrix, end_of_part
from mbplugin.stepping import Blocks, Bodies, TransientRows, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.groups import first_moving

#: places in `Contacts.first` and `Contacts.end`: lists, and panels of the matrix
CONTACTS, VELOCITIES, BODIES, JOINTS, ROWS, PANELS = range(6)


@internal
def island(contacts, kind):
    """Numbers of the contacts, velocities, bodies, joints or rows of the present island."""
    lists = (contacts.order, contacts.velocities, contacts.bodies, contacts.joints, contacts.rows)
    return lists[kind][contacts.first[kind] : contacts.end[kind]]


@internal
def take_everything(tables):
    """Lists in the order of the tables; the ranges are those of all."""
    contacts, bodies = view(tables, Contacts), view(tables, Bodies).index.shape[0]
    nv, joints, rows = contacts.velocities.shape[0], contacts.joints.shape[0], contacts.rows.shape[0]
    acting = 0
    for k in range(view(tables, TransientRows).used[0]):
        contacts.order[acting] = k
        acting += 1 - contacts.waiting[k]
    contacts.record[0].acting = acting
    lengths = (acting, nv, bodies, joints, rows, bodies + joints)
    for kind in range(PANELS + 1):
        contacts.first[kind], contacts.end[kind] = 0, lengths[kind]
    for kind in range(CONTACTS + 1, PANELS):
        numbers = island(contacts, kind)
        for i in range(lengths[kind]):
            numbers[i] = i


@internal
def begin_islands(tables):
    """Sort the list of contacts by islands; the ranges are empty, before the first island."""
    contacts = view(tables, Contacts)
    group_contacts(tables)
    for kind in range(PANELS + 1):
        contacts.end[kind] = 0


@internal
def group_contacts(tables):
    """The list of contacts, by islands."""
    contacts, m, n = view(tables, Contacts), view(tables, Matrix), view(tables, TransientRows).used[0]
    start = m.work
    for p in range(m.info[0].parts + 1):
        start[p] = 0
    for k in range(n):
        start[island_of(tables, k) + 1] += 1 - contacts.waiting[k]
    for p in range(m.info[0].parts):
        start[p + 1] += start[p]
    for k in range(n):
        if contacts.waiting[k] == 0:
            p = island_of(tables, k)
            contacts.order[start[p]] = k
            start[p] += 1


@internal
def island_of(tables, k):
    """The part of the matrix to which the bodies of contact k belong."""
    transient, m = view(tables, TransientRows), view(tables, Matrix)
    body = transient.member[first_moving(transient, k)].body
    return m.panel[m.node[body].position].part


@internal
def next_island(tables):
    """Move the ranges on to the next island, and write its numbers into the lists. Returns whether there is
    one.
    """
    contacts, m = view(tables, Contacts), view(tables, Matrix)
    bodies, blocks = view(tables, Bodies).index, view(tables, Blocks).index
    first, end, nb = contacts.first, contacts.end, contacts.bodies.shape[0]
    if end[PANELS] == m.info[0].nodes:
        return False
    for kind in range(PANELS + 1):
        first[kind] = end[kind]
    end[PANELS] = end_of_part(m, first[PANELS])
    for s in range(first[PANELS], end[PANELS]):
        node = m.panel[m.panel[s].grouped].node
        if node < nb:
            append(contacts, BODIES, node, 1)
            append(contacts, VELOCITIES, bodies[node].first_v, bodies[node].nv)
        else:
            append(contacts, JOINTS, node - nb, 1)
            append(contacts, ROWS, blocks[node - nb].first_row, blocks[node - nb].rows)
    part = m.panel[m.panel[first[PANELS]].grouped].part
    acting = contacts.record[0].acting
    while end[CONTACTS] < acting and island_of(tables, contacts.order[end[CONTACTS]]) == part:
        end[CONTACTS] += 1
    return True


@internal
def append(contacts, kind, first, count):
    """Append numbers from `first` on to the list of the present island."""
    start = contacts.end[kind]
    contacts.end[kind] += count
    numbers = island(contacts, kind)[start - contacts.first[kind] :]
    for c in range(count):
        numbers[c] = first + c


@inlined
def copy_island(contacts, kind, a, b):
    """b ← a for the velocities, or the rows of joints, of the island."""
    for i in island(contacts, kind):
        b[i] = a[i]
