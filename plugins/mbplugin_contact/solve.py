"""Impulses of all contacts and joints of a step: sweeps first, then Newton's method. A part of the step."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import Pool, State, run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.linear import PATTERN
from mbplugin_contact.memory import warm_start
from mbplugin_contact.operators import add_impulses
from mbplugin_contact.parts import LINEAR, PASSES
from mbplugin_contact.sweeps import law_residual, sweep

#: stages: cone projection and exact map to the goal; both with a stiff penalty, to rounding
CONVEX, EXACT, POLISH = range(3)
#: penalty at first, and of the polish; passes of each
SOFT, STIFF, PASSES_OF_STAGE, PASSES_OF_POLISH = 10.0, 1e4, 60, 4
#: a polish begins above this part of the goal, ends at that
TRIGGER, POLISHED = 1e-3, 1e-5


def solve_contacts(tables, number):
    """Solve for `State.v`, `Pool.impulse` and the impulses of joints, from those of the last step. Returns a
    status.
    """
    pool, mine, v = view(tables, Pool), view(tables, Contacts), view(tables, State).v
    record = mine.record[0]
    record.swept = record.factored = record.missed = record.impacts = 0
    record.residual = 0.0
    if pool.used[0] == 0 and record.coupled == 0:
        return 0
    warm_start(tables)
    worst = 1e300
    if record.coupled == 0:
        add_impulses(tables, v)
        worst = law_residual(tables, v)
        while worst > record.goal * POLISHED and record.swept < record.sweeps:
            sweep(tables, v)
            record.swept += 1
            worst = law_residual(tables, v)
    status = 0
    record.reached = worst
    if worst > record.goal * TRIGGER:
        status = run_part(tables, LINEAR, PATTERN)
        if status == 0:
            status = stages(tables)
    record.residual = record.reached
    record.missed = 1 if record.reached > record.goal else 0
    return status


@internal
def stages(tables):
    """Passes of Newton's method. Returns a status."""
    mine = view(tables, Contacts)
    record = mine.record[0]
    slides = 0
    for stage in range(3):
        if stage == POLISH:
            if record.reached <= TRIGGER * record.goal:
                return 0
            record.penalty, record.most, record.target = STIFF, PASSES_OF_POLISH, POLISHED * record.goal
            record.exact = slides
        else:
            if record.reached <= record.goal:
                continue
            record.penalty, record.most, record.target = SOFT, PASSES_OF_STAGE, record.goal
            record.exact = slides = 1 if stage == EXACT else 0
        status = run_part(tables, PASSES, 0)
        if status != 0:
            return status
    return 0
