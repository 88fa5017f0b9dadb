"""Impulses of all contacts and joints of a step: sweeps where no joint holds a body, then the attempts of the
plan, island by island.

Where little slides and the last step is near: an augmented Lagrangian (`newton.py`), with the projection onto
the cone. Where much slides, or without impulses of the last step: a path inside the cones (`interior.py`).
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import inlined, internal
from mbplugin.stepping import State, TransientRows, copy, run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.attempts import (
    ABOVE,
    CONES,
    COSTLY,
    FAR,
    FIRM,
    FROM_PATH,
    JOINED,
    NEAR,
    REMOTE,
    ROUGH,
    SLIDES,
    TRIED,
    WARM,
)
from mbplugin_contact.best import BEST, keep, return_to
from mbplugin_contact.islands import (
    CONTACTS,
    JOINTS,
    ROWS,
    VELOCITIES,
    begin_islands,
    copy_island,
    island,
    next_island,
    take_everything,
)
from mbplugin_contact.laws import SWEEP
from mbplugin_contact.linear import FACTORS, PATTERN, STEP, cost_of_factors
from mbplugin_contact.momentum import joint_misses, measure, momentum_balance
from mbplugin_contact.nearest import choose, may_choose
from mbplugin_contact.newton import sliding
from mbplugin_contact.operators import add_impulses, begin_attempt, law_residual
from mbplugin_contact.parts import LAW, LINEAR

#: cost of a factorization in sweeps: below the first sliding contacts are polished too, above the second the
#: matrix is too costly
CHEAP_FACTORIZATION, COSTLY_FACTORIZATION = 10.0, 100.0
#: sweeps before the matrix where much slides: at least, and for each one that a factorization costs
MIN_SWEEPS_OF_SLIDING, SWEEPS_OF_COST = 50, 8.0
#: impulses for each velocity, above which those of the last step lead nowhere
MAX_REDUNDANCY = 2.0
#: goals beyond which no attempt is made once more
MAX_GOALS_ONCE_MORE = 10.0
#: sweeps at most instead of a matrix; sweeps between two looks at the residual
SWEEPS_INSTEAD, SWEEPS_AT_ONCE = 2000, 5
#: parts of the goal: a polish begins above the first; after a step with one above the second; it ends at the
#: third
POLISH_ABOVE, POLISH_AGAIN_ABOVE, POLISHED = 1e-3, 1e-4, 1e-5
#: part of `ContactRecord.sliding_threshold` below which a start is near
NEAR_START = 5e-3
#: sliding speed of a start that is near, in its residual
SLIDING_OF_NEAR_START = 3.0
#: part of the size of the momenta by which joints may miss their velocities
OPEN_JOINTS = 1e-13
#: solutions with one factor of an island without contacts, at most; part of what its joints miss that counts
#: as a solution
MAX_REFINEMENTS, CLOSED_PART = 15, 1e-2
#: contacts that are swept, not polished, as long as that is enough
MAX_SWEPT_CONTACTS = 8


@internal
def solve_present(tables):
    """Reads v_free, the impulses of contacts and joints to begin with, and biases; writes v, impulses,
    statuses and the residual of the record. Sweeps and factorizations are added to those of the step. Returns
    a status.
    """
    transient, contacts, v = view(tables, TransientRows), view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    swept, factored = record.swept, record.factored
    record.swept = record.factored = record.missed = record.impacts = record.polished = 0
    record.residual = record.reached = 0.0
    take_everything(tables)
    copy(contacts.v_free, v)
    if transient.used[0] == 0 and record.coupled == 0:
        return 0
    add_impulses(tables, v)
    status = 0
    if record.only_sweeps == 1:
        sweep(tables, record.sweeps)
    elif record.coupled == 1 or not settled(tables) or may_choose(tables):
        status = run_part(tables, LINEAR, PATTERN)
        if status == 0 and record.matrix_too_costly == 1:
            sweep_instead(tables)
        elif status == 0:
            status = solve_islands(tables)
    record.swept, record.factored = record.swept + swept, record.factored + factored
    record.residual = record.reached
    record.missed = 1 if record.reached > record.goal else 0
    return status


@internal
def solve_islands(tables):
    """Solve each island in turn; writes counts and residual of the island that has the largest. Returns a
    status.
    """
    contacts = view(tables, Contacts)
    record = contacts.record[0]
    coupled, before = record.coupled, record.swept
    swept = factored = polished = status = 0
    worst = 0.0
    begin_islands(tables)
    while status == 0 and next_island(tables):
        record.coupled = 1 if len(island(contacts, JOINTS)) > 0 else 0
        if record.coupled == 0 and len(island(contacts, CONTACTS)) == 0:
            continue
        record.swept, record.factored = before, 0
        status = find_impulses(tables, coupled == 0) or choose(tables)
        worst = max(worst, record.reached)
        swept, factored = max(swept, record.swept), max(factored, record.factored)
        if record.factored > 0 and record.reached <= POLISH_AGAIN_ABOVE * record.goal:
            polished = 1
    record.coupled, record.swept, record.factored, record.reached = coupled, swept, factored, worst
    record.polished = polished
    take_everything(tables)
    return status


@internal
def find_impulses(tables, swept):
    """Solve the present island by sweeps, or by the plan. swept: sweeps over all contacts were made before
    islands were told apart; in a scene with joints they were not, and islands without any sweep themselves.
    Returns a status.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    record.reached = 1e300
    record.cost = cost_of_factors(tables)
    if record.coupled == 0:
        record.reached = law_residual(tables, v)
        if record.reached <= record.goal * trigger(contacts) or (not swept and settled(tables)):
            return 0
        if record.cost > COSTLY_FACTORIZATION:
            sweep_instead(tables)
            return 0
    return follow_plan(tables)


@internal
def settled(tables):
    """Sweep where no joint holds a body; returns whether the residual needs no more."""
    contacts, v = view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    record.reached = law_residual(tables, v)
    few = len(island(contacts, CONTACTS)) <= MAX_SWEPT_CONTACTS
    if loose(record):
        sweep_until(tables, SWEEPS_INSTEAD, record.goal)
    elif few or record.reached > NEAR_START * record.sliding_threshold:
        sweep_until(tables, record.sweeps, POLISHED * record.goal)
    return record.reached <= record.goal * trigger(contacts)


@internal
def sweep_instead(tables):
    """Sweep where a matrix would cost more; the step is counted once in `Totals.swept_only`."""
    contacts = view(tables, Contacts)
    record = contacts.record[0]
    if record.reached > record.goal:
        contacts.totals[0].swept_only = record.swept_only + 1
        sweep_until(tables, SWEEPS_INSTEAD, record.goal)


@inlined
def loose(record):
    """Whether the goal is so large that nothing is polished: it asks for short times."""
    return record.goal > NEAR_START * record.sliding_threshold


@inlined
def trigger(contacts):
    """The part of the goal above which a step is polished; a loose goal is enough by itself.

    Impulses that stop a velocity left over from the last step push as much the other way in the next one:
    without a polish there, one would be needed in each second step.
    """
    if loose(contacts.record[0]):
        return 1.0
    return POLISH_AGAIN_ABOVE if contacts.last_polished[0] == 1 else POLISH_ABOVE


@internal
def sweep(tables, sweeps):
    """Make so many sweeps over the island; writes their residual, `reached`."""
    record = view(tables, Contacts).record[0]
    for _ in range(sweeps):
        run_part(tables, LAW, SWEEP)
    record.swept += sweeps
    record.reached = law_residual(tables, view(tables, State).v)


@internal
def sweep_until(tables, max_sweeps, target):
    """Make at most so many sweeps, until the residual is `target` [m/s]."""
    contacts = view(tables, Contacts)
    at_once = 1 if len(island(contacts, CONTACTS)) <= MAX_SWEPT_CONTACTS else SWEEPS_AT_ONCE
    left = max_sweeps
    while left > 0 and contacts.record[0].reached > target:
        sweep(tables, min(at_once, left))
        left -= at_once


@internal
def sweep_sliding(tables):
    """Reads r and the target of the attempt; sweeps from v = v_f + M⁻¹ Gᵀ r, where much slides."""
    contacts, v = view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    copy_island(contacts, VELOCITIES, contacts.v_free, v)
    add_impulses(tables, v)
    record.reached = law_residual(tables, v)
    sweeps = max(MIN_SWEEPS_OF_SLIDING, int(SWEEPS_OF_COST * record.cost))
    sweep_until(tables, sweeps, record.target)


@internal
def joints_open(tables):
    """Write the velocities that all impulses give, those of joints too, into `State.v`; `measure` has found
    them. Returns whether they miss those that the joints ask for.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    copy_island(contacts, VELOCITIES, contacts.work, v)
    return sqrt(joint_misses(tables, v)) > OPEN_JOINTS * contacts.record[0].momentum


@internal
def close_joints(tables):
    """Reads v, Λ and `joint_residual` of an island without contacts, as `joints_open` leaves them; writes v
    and Λ that close its joints. Rows that contradict each other stay as they are. Returns a status.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    record.exact = 0
    keep(tables, BEST)
    status = run_part(tables, LINEAR, FACTORS)
    first = before = now = sqrt(joint_misses(tables, v))
    closed = OPEN_JOINTS * record.momentum
    for _ in range(MAX_REFINEMENTS if status == 0 else 0):
        # the balance holds for v = v_f + M⁻¹ Gᵀ Λ
        for c in island(contacts, VELOCITIES):
            contacts.F[c] = 0.0
        run_part(tables, LINEAR, STEP)
        for c in island(contacts, VELOCITIES):
            v[c] += contacts.step[c]
        for row in island(contacts, ROWS):
            contacts.joint_impulse[row] += contacts.joint_impulse_step[row]
        momentum_balance(tables, v)
        for c in island(contacts, VELOCITIES):
            v[c] -= contacts.work[c]
        now = sqrt(joint_misses(tables, v))
        if now <= closed or not now < 0.5 * before:
            break
        before = now
    if status == 0 and not now <= max(closed, CLOSED_PART * first):
        return_to(tables, BEST)
    return status


@internal
def follow_plan(tables):
    """Reads v, r, Λ of the present island, and their residual `reached`, of contacts alone; writes the best
    ones and their residual: the attempts of the plan that its situation asks for. Returns a status.
    """
    contacts = view(tables, Contacts)
    record, tried = contacts.record[0], False
    if record.coupled == 1:
        record.reached = measure(tables)
        if joints_open(tables):
            if len(island(contacts, CONTACTS)) == 0:
                return close_joints(tables)
            record.reached = max(record.reached, record.goal)
    lasting = WARM if leads_on(tables) else 0
    if (
        record.reached <= NEAR_START * record.sliding_threshold
        and sliding(tables) <= SLIDING_OF_NEAR_START * record.reached
    ):
        lasting |= NEAR
    now = lasting | situation(tables, False, False)
    record.costly = 1 if now & COSTLY != 0 else 0
    for k in range(FROM_PATH):
        attempt = contacts.attempts[k]
        if now & attempt.needs != attempt.needs or now & attempt.bars != 0:
            continue
        begin_attempt(contacts, k)
        if now & NEAR != 0:
            record.penalty = max(record.penalty, FIRM)
        if attempt.part == LAW:
            sweep_sliding(tables)
        else:
            status = run_part(tables, attempt.part, k)
            if status != 0:
                return status
        tried = tried or attempt.exact == 1
        now = lasting | situation(tables, True, tried)
    return 0


@internal
def situation(tables, made, tried):
    """The situations of the present island that change from attempt to attempt, as bits. made, tried: whether
    there was an attempt, and one with the exact map, after which what slides is known better.
    """
    contacts = view(tables, Contacts)
    record = contacts.record[0]
    slides = record.convex == 0 or sliding(tables) > (record.goal if tried else record.sliding_threshold)
    # joints are solved for in every step
    rough = record.reached > trigger(contacts) * record.goal or (record.coupled == 1 and not made)
    return (
        (ABOVE if record.reached > record.goal else 0)
        | (FAR if record.reached > MAX_GOALS_ONCE_MORE * record.goal else 0)
        | (REMOTE if record.reached > NEAR_START * record.sliding_threshold else 0)
        | (ROUGH if rough else 0)
        | (SLIDES if slides else 0)
        | (COSTLY if slides and record.cost > CHEAP_FACTORIZATION else 0)
        | (JOINED if record.coupled == 1 else 0)
        | (CONES if record.cones == 1 else 0)
        | (TRIED if tried else 0)
    )


@internal
def leads_on(tables):
    """Whether impulses of the last step are a start for those of the present island: there are some, and
    joints hold bodies, or contacts share their loads in few ways.
    """
    contacts, loaded = view(tables, Contacts), 0
    for k in island(contacts, CONTACTS):
        loaded += 1 - contacts.fresh[k]
    impulses, velocities = 3 * len(island(contacts, CONTACTS)), len(island(contacts, VELOCITIES))
    return loaded > 0 and (contacts.record[0].coupled == 1 or impulses <= MAX_REDUNDANCY * velocities)
