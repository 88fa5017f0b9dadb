"""Impulses with their velocities that are kept: the best of a solve, and those to which a path returns."""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.math.vec3 import load, store
from mbplugin.stepping import State, TransientRows, run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.impulses import impulse_at, set_impulse
from mbplugin_contact.islands import CONTACTS, ROWS, VELOCITIES, copy_island, island
from mbplugin_contact.laws import MAP
from mbplugin_contact.momentum import measure
from mbplugin_contact.operators import relative_velocities
from mbplugin_contact.parts import LAW

#: states that are kept: the best, whose residual is `ContactRecord.reached`; the present point of a path; the
#: best before Newton's method is tried from there
BEST, POINT, BEFORE = range(3)


@internal
def keep(tables, which):
    """Reads v, r and Λ of the island; writes them into column `which` of the kept arrays."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    copy_island(contacts, VELOCITIES, view(tables, State).v, contacts.kept_velocity[:, which])
    copy_island(contacts, ROWS, contacts.joint_impulse, contacts.kept_joint_impulse[:, which])
    for k in island(contacts, CONTACTS):
        for c in range(3):
            contacts.kept_impulse[k, 3 * which + c] = transient.impulse[3 * k + c]


@internal
def return_to(tables, which):
    """Reads column `which` of the kept arrays; writes v, r and Λ of the island."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    copy_island(contacts, VELOCITIES, contacts.kept_velocity[:, which], view(tables, State).v)
    copy_island(contacts, ROWS, contacts.kept_joint_impulse[:, which], contacts.joint_impulse)
    for k in island(contacts, CONTACTS):
        for c in range(3):
            transient.impulse[3 * k + c] = contacts.kept_impulse[k, 3 * which + c]


@internal
def take_if_best(tables, now):
    """Keep r and Λ, of residual `now`, with the velocities `Contacts.work` that they give, if best."""
    contacts = view(tables, Contacts)
    if now < contacts.record[0].reached:
        contacts.record[0].reached = now
        keep(tables, BEST)
        copy_island(contacts, VELOCITIES, contacts.work, contacts.kept_velocity[:, BEST])


@internal
def try_exact_map(tables, v):
    """The residual of the impulses that the exact map gives at v and r, which stay. They are kept if they are
    the best, with the velocities that they give, at which the residual was measured.
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    map_exactly(tables, v)
    exchange(transient, contacts)
    now = measure(tables)
    take_if_best(tables, now)
    exchange(transient, contacts)
    return now


@internal
def end_at_best(tables):
    """Write the best v, r and Λ, with `u`, `mapped` and statuses of the exact law at them: those of the last
    attempt may belong to impulses that were rejected.
    """
    return_to(tables, BEST)
    map_exactly(tables, view(tables, State).v)


@internal
def map_exactly(tables, v):
    """Reads v and r; writes `Contacts.u`, `mapped` by the exact map with σ = 1, and statuses."""
    record = view(tables, Contacts).record[0]
    exact, penalty = record.exact, record.penalty
    record.exact, record.penalty = 1, 1.0
    relative_velocities(tables, v)
    run_part(tables, LAW, MAP)
    record.exact, record.penalty = exact, penalty


@inlined
def exchange(transient, contacts):
    """Exchange r and its map."""
    for k in island(contacts, CONTACTS):
        impulse = impulse_at(transient, k)
        set_impulse(transient, k, load(contacts.mapped, k))
        store(contacts.mapped, k, impulse)
