"""Impulses with their velocities that are kept: the best of a solve, and those to which a path returns."""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.stepping import State, TransientRows, run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.islands import CONTACTS, ROWS, VELOCITIES, copy_island, island
from mbplugin_contact.laws import MAP
from mbplugin_contact.momentum import measure
from mbplugin_contact.operators import relative_velocities
from mbplugin_contact.parts import LAW

#: states that are kept: the best, whose residual is `ContactRecord.reached`; the present point of a path; the
#: best before Newton's method is tried from there
BEST, POINT, BEFORE = range(3)


@internal
def end_at_best(tables):
    """The best, with statuses of the exact law."""
    return_to(tables, BEST)
    view(tables, Contacts).record[0].exact = 1
    relative_velocities(tables, view(tables, State).v)
    run_part(tables, LAW, MAP)


@internal
def keep(tables, which):
    """The present velocities and impulses of the island, those of joints too."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    copy_island(contacts, VELOCITIES, view(tables, State).v, contacts.kept_velocity[:, which])
    copy_island(contacts, ROWS, contacts.impulse, contacts.kept_joint_impulse[:, which])
    for k in island(contacts, CONTACTS):
        for c in range(3):
            contacts.kept_impulse[k, 3 * which + c] = transient.impulse[3 * k + c]


@internal
def return_to(tables, which):
    """Velocities and impulses that `keep` has stored."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    copy_island(contacts, VELOCITIES, contacts.kept_velocity[:, which], view(tables, State).v)
    copy_island(contacts, ROWS, contacts.kept_joint_impulse[:, which], contacts.impulse)
    for k in island(contacts, CONTACTS):
        for c in range(3):
            transient.impulse[3 * k + c] = contacts.kept_impulse[k, 3 * which + c]


@internal
def try_exact_map(tables, v):
    """Returns the residual of the impulses that the exact map gives at v and r. They are kept if they are
    the best, with the velocities that they give, at which the residual was measured.
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    record, r = contacts.record[0], transient.impulse
    before = record.exact
    record.exact = 1
    relative_velocities(tables, v)
    run_part(tables, LAW, MAP)
    record.exact = before
    exchange(contacts, r)
    now = measure(tables)
    if now < record.reached:
        record.reached = now
        keep(tables, BEST)
        copy_island(contacts, VELOCITIES, contacts.work, contacts.kept_velocity[:, BEST])
    exchange(contacts, r)
    return now


@inlined
def exchange(contacts, r):
    """Exchange r and its map."""
    for k in island(contacts, CONTACTS):
        for c in range(3):
            r[3 * k + c], contacts.mapped[k, c] = contacts.mapped[k, c], r[3 * k + c]
