"""The best impulses of a solve, with their velocities."""

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
    pool, mine = view(tables, Pool), view(tables, Contacts)
    copy_velocities(mine, view(tables, State).v, mine.v_best)
    copy_rows(mine, mine.impulse, mine.impulse_best)
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        for r in range(3):
            mine.best[k, r] = pool.impulse[3 * k + r]


@internal
def return_best(tables):
    pool, mine = view(tables, Pool), view(tables, Contacts)
    copy_velocities(mine, mine.v_best, view(tables, State).v)
    copy_rows(mine, mine.impulse_best, mine.impulse)
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        for r in range(3):
            pool.impulse[3 * k + r] = mine.best[k, r]


@internal
def look(tables, v):
    """Residual of the impulses that the exact map gives at v and r; they are kept if they are the best."""
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


@inlined
def exchange(mine, r):
    """r and what its map is."""
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        for c in range(3):
            r[3 * k + c], mine.mapped[k, c] = mine.mapped[k, c], r[3 * k + c]
