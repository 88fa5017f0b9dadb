"""Impulses of all contacts and joints of a step: sweeps first, then Newton's method."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import Pool, State, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.newton import FIRST, augmented_lagrangian, measure, prepare_matrix, sliding
from mbplugin_contact.operators import add_impulse
from mbplugin_contact.sweeps import law_residual, sweep

#: a polish begins above this part of the goal, ends at that
TRIGGER, POLISHED = 1e-3, 1e-5
#: penalty and passes of the polish
STIFF, POLISHING = 1e4, 4


@internal
def solve_contacts(tables):
    """Solve for `State.v`, `Pool.impulse` and the impulses of joints, from those in the tables. Returns a
    status.
    """
    pool, mine, v = view(tables, Pool), view(tables, Contacts), view(tables, State).v
    record = mine.record[0]
    n = pool.used[0]
    record.swept = record.factored = record.missed = record.impacts = 0
    record.residual = 0.0
    joints = record.coupled == 1
    if n == 0 and not joints:
        return 0
    worst = 1e300
    if not joints:
        for k in range(n):
            add_impulse(pool, k, pool.impulse[3 * k], pool.impulse[3 * k + 1], pool.impulse[3 * k + 2], v)
        worst = law_residual(tables, v)
        while worst > record.goal * POLISHED and record.swept < record.sweeps:
            sweep(tables, v)
            record.swept += 1
            worst = law_residual(tables, v)
        if worst <= record.goal * TRIGGER:
            record.residual = worst
            return 0
    status = prepare_matrix(tables)
    if status != 0:
        return status
    if joints:
        worst = measure(tables)
    status, worst = augmented_lagrangian(tables, 0, record.goal, worst, FIRST, 60)
    if status == 0 and worst > record.goal:
        status, worst = augmented_lagrangian(tables, 1, record.goal, worst, FIRST, 60)
    if status == 0 and worst > TRIGGER * record.goal:
        exact = 1 if sliding(tables) > record.goal else 0
        status, worst = augmented_lagrangian(tables, exact, POLISHED * record.goal, worst, STIFF, POLISHING)
    record.residual = worst
    record.missed = 1 if worst > record.goal else 0
    return status
