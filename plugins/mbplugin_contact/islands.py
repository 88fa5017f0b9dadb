"""Islands: bodies that contacts and joints connect. Newton's method solves them one after another.

Every loop of the solve is over lists of contacts, velocities, bodies, joints and rows, in a range of each:
that of an island, or that of all. Islands are the parts of the matrix, which knows what is connected.
"""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.matrix import Matrix, end_of_part
from mbplugin.stepping import Blocks, Bodies, Pool, view
from mbplugin_contact.arrays import Contacts


@internal
def take_everything(tables):
    """Lists in the order of the tables; the ranges are those of all."""
    contacts, record = view(tables, Contacts), view(tables, Contacts).record[0]
    record.first_contact = record.first_velocity = record.first_body = record.first_joint = 0
    record.first_row = record.first_panel = 0
    record.end_contact = count(contacts.order, view(tables, Pool).used[0])
    record.end_velocity = count(contacts.velocities, contacts.velocities.shape[0])
    record.end_body = count(contacts.bodies, contacts.bodies.shape[0])
    record.end_joint = count(contacts.joints, contacts.joints.shape[0])
    record.end_row = count(contacts.rows, contacts.rows.shape[0])
    record.end_panel = record.end_body + record.end_joint


@internal
def count(numbers, n):
    """0, 1, ..., n − 1. Returns n."""
    for k in range(n):
        numbers[k] = k
    return n


@internal
def group_islands(tables):
    """Lists in which those of an island stand together, in the order of the parts of the matrix. The ranges
    are empty, before the first one.
    """
    contacts, m = view(tables, Contacts), view(tables, Matrix)
    bodies, blocks = view(tables, Bodies), view(tables, Blocks)
    nb, v, b, j, r = contacts.bodies.shape[0], 0, 0, 0, 0
    for s in range(m.info[0].nodes):
        node = m.panel[m.panel[s].grouped].node
        if node < nb:
            contacts.bodies[b] = node
            b += 1
            for c in range(bodies.index[node].nv):
                contacts.velocities[v] = bodies.index[node].first_v + c
                v += 1
        else:
            contacts.joints[j] = node - nb
            j += 1
            block = blocks.index[node - nb]
            for c in range(block.rows):
                contacts.rows[r] = block.first_row + c
                r += 1
    group_contacts(tables)
    record = contacts.record[0]
    record.end_contact = record.end_velocity = record.end_body = record.end_joint = 0
    record.end_row = record.end_panel = 0


@internal
def group_contacts(tables):
    """The list of contacts, by islands."""
    contacts, m, n = view(tables, Contacts), view(tables, Matrix), view(tables, Pool).used[0]
    start = m.work
    for p in range(m.info[0].parts + 1):
        start[p] = 0
    for k in range(n):
        start[island_of(tables, k) + 1] += 1
    for p in range(m.info[0].parts):
        start[p + 1] += start[p]
    for k in range(n):
        p = island_of(tables, k)
        contacts.order[start[p]] = k
        start[p] += 1


@internal
def island_of(tables, k):
    """The part of the matrix to which the bodies of contact k belong."""
    member, m = view(tables, Pool).member, view(tables, Matrix)
    s = 2 * k if member[2 * k].nv > 0 else 2 * k + 1
    return m.panel[m.node[member[s].body].position].part


@internal
def next_island(tables):
    """Move the ranges on to the next island. Returns whether there is one."""
    contacts, m = view(tables, Contacts), view(tables, Matrix)
    bodies, blocks, record = view(tables, Bodies), view(tables, Blocks), contacts.record[0]
    if record.end_panel == m.info[0].nodes:
        return False
    part = m.panel[m.panel[record.end_panel].grouped].part
    record.first_panel, record.first_contact = record.end_panel, record.end_contact
    record.first_velocity, record.first_body = record.end_velocity, record.end_body
    record.first_joint, record.first_row = record.end_joint, record.end_row
    record.end_panel = end_of_part(m, record.first_panel)
    nb, b, j, v, r = contacts.bodies.shape[0], 0, 0, 0, 0
    for s in range(record.first_panel, record.end_panel):
        node = m.panel[m.panel[s].grouped].node
        if node < nb:
            b += 1
            v += bodies.index[node].nv
        else:
            j += 1
            r += blocks.index[node - nb].rows
    record.end_body, record.end_joint = record.first_body + b, record.first_joint + j
    record.end_velocity, record.end_row = record.first_velocity + v, record.first_row + r
    k, n = record.first_contact, view(tables, Pool).used[0]
    while k < n and island_of(tables, contacts.order[k]) == part:
        k += 1
    record.end_contact = k
    return True


@inlined
def copy_velocities(contacts, a, b):
    """b ← a for the velocities of the island."""
    for i in range(contacts.record[0].first_velocity, contacts.record[0].end_velocity):
        c = contacts.velocities[i]
        b[c] = a[c]


@inlined
def copy_rows(contacts, a, b):
    """b ← a for the rows of joints of the island."""
    for i in range(contacts.record[0].first_row, contacts.record[0].end_row):
        row = contacts.rows[i]
        b[row] = a[row]
