"""Impulses of all contacts and joints of a step: sweeps first, then Newton's method. A part of the step."""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import internal
from mbplugin.stepping import Pool, State, copy, run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.laws import BEGIN
from mbplugin_contact.linear import PATTERN
from mbplugin_contact.memory import warm_start
from mbplugin_contact.newton import measure, sliding
from mbplugin_contact.operators import add_impulses
from mbplugin_contact.parts import LAW, LINEAR, PASSES
from mbplugin_contact.sweeps import law_residual, sweep

#: stages: from the last step; with the projection onto the cone; with the exact map; to rounding
WARM, CONVEX, EXACT, POLISH = range(4)
#: penalty at first, of a start that is near, and of a polish; passes of each
SOFT, FIRM, STIFF, PASSES_OF_STAGE, PASSES_OF_POLISH = 10.0, 1e3, 1e4, 60, 4
#: sweeps before the exact map, where much slides
SWEEPS_OF_SLIDING = 50
#: a polish begins above this part of the goal, ends at that
TRIGGER, POLISHED = 1e-3, 1e-5
#: multiples of the goal below which a start is near
NEAR = 1e4
#: part of the size of the momenta by which joints may miss their velocities
OPEN_JOINTS = 1e-13
#: contacts that are swept, not polished, as long as that is enough
FEW = 8


def solve_contacts(tables, number):
    """Solve for `State.v`, `Pool.impulse` and the impulses of joints, from those of the last step. Returns a
    status.
    """
    pool, mine, v = view(tables, Pool), view(tables, Contacts), view(tables, State).v
    record = mine.record[0]
    record.swept = record.factored = record.missed = record.impacts = 0
    record.residual = 0.0
    n = pool.used[0]
    if n == 0 and record.coupled == 0:
        return 0
    warm_start(tables)
    run_part(tables, LAW, BEGIN)
    add_impulses(tables, v)
    record.reached = law_residual(tables, v) if record.coupled == 0 else 1e300
    if record.coupled == 0 and (n <= FEW or record.reached > NEAR * record.goal):
        sweep_on(tables, record.sweeps)
    status = 0
    if record.reached > record.goal * TRIGGER:
        status = run_part(tables, LINEAR, PATTERN)
        if status == 0:
            status = stages(tables)
    record.residual = record.reached
    record.missed = 1 if record.reached > record.goal else 0
    return status


@internal
def sweep_on(tables, most):
    """At most so many sweeps, until the residual is that of a polish."""
    mine, v = view(tables, Contacts), view(tables, State).v
    record = mine.record[0]
    for _ in range(most):
        if record.reached <= POLISHED * record.goal:
            break
        sweep(tables)
        record.swept += 1
        record.reached = law_residual(tables, v)


@internal
def joints_open(tables):
    """Take the velocities that all impulses give, those of joints too. Returns whether they miss those that
    the joints ask for.
    """
    mine, v = view(tables, Contacts), view(tables, State).v
    copy(mine.work, v)
    measure(tables)
    total = 0.0
    for row in range(mine.open.shape[0]):
        total += mine.open[row] * mine.open[row]
    return sqrt(total) > OPEN_JOINTS * mine.record[0].momentum


@internal
def stages(tables):
    """Passes of Newton's method. Returns a status."""
    mine = view(tables, Contacts)
    record = mine.record[0]
    if record.coupled == 1:
        record.exact = 0
        record.reached = measure(tables)
        if joints_open(tables):
            record.reached = max(record.reached, record.goal)
    near = record.reached <= NEAR * record.goal
    slides = sliding(tables) > record.rough or record.convex == 0
    record.exact = 1 if slides else 0
    for stage in range(4):
        record.most, record.target = PASSES_OF_STAGE, record.goal
        record.penalty = FIRM if near else SOFT
        if stage == WARM:
            if not near:
                continue
            record.most, record.target, record.penalty = PASSES_OF_POLISH, POLISHED * record.goal, STIFF
        elif stage == POLISH:
            if record.reached <= TRIGGER * record.goal:
                continue
            record.most, record.target, record.penalty = PASSES_OF_POLISH, POLISHED * record.goal, STIFF
        elif record.reached <= record.goal:
            continue
        elif stage == CONVEX:
            if slides:
                continue
            record.exact = 0
        else:
            record.exact = 1
            if record.coupled == 0:
                sweep_on(tables, SWEEPS_OF_SLIDING)
        status = run_part(tables, PASSES, 0)
        if status != 0:
            return status
    return 0
