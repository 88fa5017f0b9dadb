"""Impulses of all contacts and joints of a step: sweeps first, then Newton's method.

Where little slides and the last step is near: an augmented Lagrangian (`newton`), with the projection onto
the cone. Where much slides, or without impulses of the last step: a path inside the cones (`interior`), or,
near the last step, that of a smooth law (`smoothing`).
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import inlined, internal
from mbplugin.stepping import State, TransientRows, run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.best import BEST, keep
from mbplugin_contact.drift import follow_drift, velocities_of_impulses
from mbplugin_contact.interior import PATIENT, QUICK
from mbplugin_contact.islands import (
    CONTACTS,
    JOINTS,
    ROWS,
    VELOCITIES,
    copy_island,
    group_islands,
    island,
    next_island,
    take_everything,
)
from mbplugin_contact.laws import SWEEP
from mbplugin_contact.linear import PATTERN, cost_of_factors
from mbplugin_contact.momentum import measure
from mbplugin_contact.nearest import choose, may_choose
from mbplugin_contact.newton import FROM_PRESENT, sliding
from mbplugin_contact.operators import add_impulses, law_residual
from mbplugin_contact.parts import INTERIOR, LAW, LINEAR, PASSES, PATH

#: stages: from the last step; with the projection onto the cone, where joints hold or a law has no smooth
#: map; with the exact map; to rounding
WARM, CONVEX, EXACT, POLISH = range(4)
#: penalty at first, of a start that is near, and of a polish: without sliding, with sliding
SOFT, FIRM, STIFF, STIFF_SLIDING = 10.0, 1e3, 1e6, 1e4
#: passes of a stage, of a polish
PASSES_OF_STAGE, PASSES_OF_POLISH = 60, 4
#: cost of a factorization in sweeps: below the first sliding contacts are polished too, above the second the
#: matrix is too costly
CHEAP, TOO_COSTLY = 10.0, 100.0
#: factorizations at most: of a cheap matrix, of another
MAX_FACTORIZATIONS_CHEAP, MAX_FACTORIZATIONS = 200, 50
#: sweeps before the exact map, where much slides: at least, and for each one that a factorization costs
SWEEPS_OF_SLIDING, SWEEPS_OF_COST = 50, 8.0
#: part of the goal to which a path is followed where all contacts stick; else it is polished
ENOUGH = 0.1
#: impulses for each velocity, above which a path begins wide
REDUNDANT = 2.0
#: Newton steps of a path, at most; of those inside the cones
STEPS, STEPS_QUICK, STEPS_PATIENT = 30, 80, 250
#: factorizations of a start that is near, and of a polish, at most
FEW = 25
#: factorizations of the exact map where paths have missed the goal; goals within which it is tried once more
AFTER_PATHS, CLOSE = 20, 10.0
#: sweeps at most instead of a matrix; sweeps between two looks at the residual
SWEEPS_INSTEAD, SWEEPS_AT_ONCE = 2000, 5
#: a polish begins above this part of the goal; after a step with one above that; it ends at that
TRIGGER, AGAIN, POLISHED = 1e-3, 1e-4, 1e-5
#: part of `ContactRecord.sliding_threshold` below which a start is near
NEAR = 5e-3
#: sliding speed of a start that is near, in its residual
SLOW = 3.0
#: part of the size of the momenta by which joints may miss their velocities
OPEN_JOINTS = 1e-13
#: contacts that are swept, not polished, as long as that is enough
SWEPT = 8


@internal
def solve_present(tables):
    """Solve for `State.v`, `TransientRows.impulse` and the impulses of joints, from the present ones and the
    free velocities. Its counts are added to those of the step. Returns a status.
    """
    transient, contacts, v = view(tables, TransientRows), view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    swept, factored = record.swept, record.factored
    record.swept = record.factored = record.missed = record.impacts = 0
    record.residual = 0.0
    record.polished = 0
    take_everything(tables)
    record.reached = 0.0
    if transient.used[0] == 0 and record.coupled == 0:
        return 0
    add_impulses(tables, v)
    status = 0
    if record.only_sweeps == 1:
        only_sweeps(tables)
    elif record.coupled == 1 or not settled(tables) or may_choose(tables):
        status = run_part(tables, LINEAR, PATTERN)
        if status == 0:
            status = sweep_instead(tables) if record.matrix_too_costly == 1 else solve_islands(tables)
    record.swept, record.factored = record.swept + swept, record.factored + factored
    record.residual = record.reached
    record.missed = 1 if record.reached > record.goal else 0
    return status


@internal
def solve_islands(tables):
    """Each island in turn; counts and residual are those of the island that has the largest. Returns a
    status.
    """
    contacts = view(tables, Contacts)
    record = contacts.record[0]
    coupled, before, alone = record.coupled, record.swept, contacts.swept_only[0]
    swept = factored = polished = status = 0
    worst = 0.0
    group_islands(tables)
    while status == 0 and next_island(tables):
        record.coupled = 1 if len(island(contacts, JOINTS)) > 0 else 0
        record.swept, record.factored = before, 0
        status = solve_island(tables, coupled == 0)
        worst = max(worst, record.reached)
        swept, factored = max(swept, record.swept), max(factored, record.factored)
        if record.factored > 0 and record.reached <= AGAIN * record.goal:
            polished = 1
    record.coupled, record.swept, record.factored, record.reached = coupled, swept, factored, worst
    record.polished = polished
    contacts.swept_only[0] = min(contacts.swept_only[0], alone + 1)
    take_everything(tables)
    return status


@internal
def solve_island(tables, swept):
    """The present island; swept: whether sweeps over everything are done. Returns a status."""
    status = find_impulses(tables, swept)
    return status if status != 0 else choose(tables)


@internal
def find_impulses(tables, swept):
    """Impulses of the present island that obey the law. Returns a status."""
    contacts, v = view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    record.reached = 1e300
    record.cost = cost_of_factors(tables)
    if record.coupled == 0:
        record.reached = law_residual(tables, v)
        if record.reached <= record.goal * trigger(contacts) or (not swept and settled(tables)):
            return 0
    if record.coupled == 0 and record.cost > TOO_COSTLY:
        return sweep_instead(tables)
    return stages(tables)


@internal
def settled(tables):
    """Whether sweeps are enough, where no joint holds a body."""
    contacts, v = view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    record.reached = law_residual(tables, v)
    if loose(record):
        sweep_on(tables, SWEEPS_INSTEAD, record.goal)
    elif len(island(contacts, CONTACTS)) <= SWEPT or record.reached > NEAR * record.sliding_threshold:
        sweep_on(tables, record.sweeps, POLISHED * record.goal)
    return record.reached <= record.goal * trigger(contacts)


@internal
def sweep_instead(tables):
    """Sweeps where a matrix would cost more. Returns a status."""
    contacts = view(tables, Contacts)
    record = contacts.record[0]
    if record.reached > record.goal:
        contacts.swept_only[0] += 1
        sweep_on(tables, SWEEPS_INSTEAD, record.goal)
    return 0


@inlined
def loose(record):
    """Whether the goal asks for short times, not for contacts that stick to rounding."""
    return record.goal > NEAR * record.sliding_threshold


@inlined
def trigger(contacts):
    """The part of the goal above which a step is polished; a loose goal is enough by itself.

    Impulses that stop a velocity left over from the last step push as much the other way in the next one:
    without a polish there, one would be needed in each second step.
    """
    if loose(contacts.record[0]):
        return 1.0
    return AGAIN if contacts.last_polished[0] == 1 else TRIGGER


@internal
def sweep_on(tables, max_sweeps, target):
    """At most so many sweeps, until the residual is `target` [m/s]."""
    contacts, v = view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    at_once = 1 if len(island(contacts, CONTACTS)) <= SWEPT else SWEEPS_AT_ONCE
    for first in range(0, max_sweeps, at_once):
        if record.reached <= target:
            break
        for _ in range(first, min(first + at_once, max_sweeps)):
            run_part(tables, LAW, SWEEP)
            record.swept += 1
        record.reached = law_residual(tables, v)


@internal
def only_sweeps(tables):
    """Exactly so many sweeps as the scene asks for."""
    contacts, v = view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    for _ in range(record.sweeps):
        run_part(tables, LAW, SWEEP)
    record.swept = record.sweeps
    record.reached = law_residual(tables, v)


@internal
def joints_open(tables):
    """Take the velocities that all impulses give, those of joints too. Returns whether they miss those that
    the joints ask for.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    copy_island(contacts, VELOCITIES, contacts.work, v)
    measure(tables)
    total = 0.0
    for row in island(contacts, ROWS):
        total += contacts.joint_residual[row] * contacts.joint_residual[row]
    return sqrt(total) > OPEN_JOINTS * contacts.record[0].momentum


@internal
def stages(tables):
    """Passes of Newton's method for the present island. Returns a status."""
    contacts = view(tables, Contacts)
    record = contacts.record[0]
    if record.coupled == 1:
        record.exact = 0
        record.reached = measure(tables)
        if joints_open(tables):
            record.reached = max(record.reached, record.goal)
    near = record.reached <= NEAR * record.sliding_threshold and sliding(tables) <= SLOW * record.reached
    cheap = record.cost <= CHEAP
    slides = sliding(tables) > record.sliding_threshold or record.convex == 0
    record.exact = 1 if slides else 0
    for stage in range(4):
        record.max_factorizations = MAX_FACTORIZATIONS_CHEAP if cheap else MAX_FACTORIZATIONS
        record.max_iterations, record.target = PASSES_OF_STAGE, record.goal
        record.penalty = FIRM if near else SOFT
        if stage in (WARM, POLISH):
            enough = stage == POLISH and record.reached <= trigger(contacts) * record.goal
            if enough or (slides and not cheap) or (stage == WARM and not near):
                continue
            record.max_iterations, record.target = PASSES_OF_POLISH, POLISHED * record.goal
            record.penalty = STIFF if record.exact == 0 else STIFF_SLIDING
            if stage == WARM and record.reached > record.goal:
                record.penalty = FIRM
            record.max_factorizations = record.factored + FEW
        elif record.reached <= record.goal:
            continue
        elif stage == CONVEX:
            if slides or (record.smooth == 1 and record.coupled == 0):
                continue
            record.exact = 0
        else:
            record.exact = 1
            if record.smooth == 1 or record.cones == 1:
                status = paths(tables, (ENOUGH if slides and not cheap else TRIGGER) * record.goal)
                slides = sliding(tables) > record.goal or record.convex == 0
                if status != 0 or (slides and record.reached <= record.goal):
                    return status
                if record.reached <= record.goal:
                    record.exact = 0
                    continue
                record.max_factorizations = record.factored + AFTER_PATHS
            elif record.coupled == 0:
                sweep_first(tables)
                if not cheap and record.reached <= record.goal:
                    continue
            record.max_iterations, record.target, record.penalty = (
                PASSES_OF_STAGE,
                record.goal,
                FIRM if near else SOFT,
            )
        status = run_part(tables, PASSES, FROM_PRESENT)
        if status != 0:
            return status
    if record.coupled == 1 or record.reached <= record.goal:
        return 0
    follow_drift(tables)
    if record.reached <= record.goal or (record.cones == 1 and record.reached > CLOSE * record.goal):
        return 0
    if record.smooth == 1 and record.cones == 0:
        keep(tables, BEST)
        record.target, record.max_factorizations = TRIGGER * record.goal, record.factored + STEPS
        record.width = record.sliding_threshold
        return run_part(tables, PATH, 0)
    record.max_iterations, record.target, record.penalty = PASSES_OF_STAGE, record.goal, FIRM
    record.max_factorizations = record.factored + (AFTER_PATHS if record.cones == 1 else MAX_FACTORIZATIONS)
    return run_part(tables, PASSES, FROM_PRESENT)


@inlined
def redundant(contacts):
    """Whether contacts share their loads in so many ways that no impulse is near its next one."""
    return 3 * len(island(contacts, CONTACTS)) > REDUNDANT * len(island(contacts, VELOCITIES))


@internal
def paths(tables, target):
    """Follow the path of the smooth law from the impulses of the last step, and where that misses the goal,
    one inside the cones, then a patient one. Where impulses are redundant, those of the last step lead
    nowhere sooner. Returns a status.
    """
    contacts = view(tables, Contacts)
    record, loaded = contacts.record[0], 0
    record.target = target
    for k in island(contacts, CONTACTS):
        loaded += 1 - contacts.fresh[k]
    if record.smooth == 1 and loaded > 0 and (record.coupled == 1 or not redundant(contacts)):
        if record.coupled == 0:
            sweep_first(tables)
        if record.reached <= record.target:
            return 0
        keep(tables, BEST)
        record.width = record.sliding_threshold if redundant(contacts) else record.reached
        record.max_factorizations = record.factored + STEPS
        status = run_part(tables, PATH, 0)
        if status != 0 or record.reached <= record.goal:
            return status
    if record.cones == 0:
        return 0
    for path in (QUICK, PATIENT):
        keep(tables, BEST)
        record.max_factorizations = record.factored + (STEPS_QUICK if path == QUICK else STEPS_PATIENT)
        status = run_part(tables, INTERIOR, path)
        if status != 0 or record.reached <= record.goal:
            return status
    return 0


@internal
def sweep_first(tables):
    """Sweeps where much slides, before a matrix is used."""
    record = view(tables, Contacts).record[0]
    velocities_of_impulses(tables)
    record.reached = law_residual(tables, view(tables, State).v)
    sweeps = max(SWEEPS_OF_SLIDING, int(SWEEPS_OF_COST * record.cost))
    sweep_on(tables, sweeps, (POLISHED if record.cost <= CHEAP else 1.0) * record.goal)
