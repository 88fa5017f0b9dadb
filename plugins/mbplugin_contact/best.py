"""Impulses with their velocities that are kept: the best of a solve, those to which it returns."""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.stepping import Pool, State, run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.islands import copy_rows, copy_velocities
from mbplugin_contact.laws import MAP
from mbplugin_contact.momentum import measure
from mbplugin_contact.operators import relative_velocities
from mbplugin_contact.parts import LAW


@internal
def keep_best(tables):
    mine = view(tables, Contacts)
    keep(tables, mine.v_best, mine.impulse_best, mine.best)


@internal
def return_best(tables):
    mine = view(tables, Contacts)
    return_to(tables, mine.v_best, mine.impulse_best, mine.best)


@internal
def keep(tables, v, rows, impulses):
    """Velocities, impulses of joints (nc,) and of contacts (n, 3) into these arrays."""
    pool, mine = view(tables, Pool), view(tables, Contacts)
    copy_velocities(mine, view(tables, State).v, v)
    copy_rows(mine, mine.impulse, rows)
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        for c in range(3):
            impulses[k, c] = pool.impulse[3 * k + c]


@internal
def return_to(tables, v, rows, impulses):
    """What `keep` has kept."""
    pool, mine = view(tables, Pool), view(tables, Contacts)
    copy_velocities(mine, v, view(tables, State).v)
    copy_rows(mine, rows, mine.impulse)
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        for c in range(3):
            pool.impulse[3 * k + c] = impulses[k, c]


@internal
def look(tables, v):
    """Returns the residual of the impulses that the exact map gives at v and r, which are kept if they are
    the best.
    """
    pool, mine = view(tables, Pool), view(tables, Contacts)
    record, r = mine.record[0], pool.impulse
    before = record.exact
    record.exact = 1
    relative_velocities(tables, v)
    run_part(tables, LAW, MAP)
    record.exact = before
    exchange(mine, r)
    now = measure(tables)
    if now < record.reached:
        record.reached = now
        keep_best(tables)
        if record.coupled == 0:
            copy_velocities(mine, mine.work, mine.v_best)
    exchange(mine, r)
    return now


@inlined
def exchange(mine, r):
    """r and what its map is."""
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        for c in range(3):
            r[3 * k + c], mine.mapped[k, c] = mine.mapped[k, c], r[3 * k + c]
