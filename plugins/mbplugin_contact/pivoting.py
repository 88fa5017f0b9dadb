"""Modes of bounded rows in a step: principal pivoting around the solution for contacts.

After a solution rows that contradict their law are exchanged, and the step is solved for again (K. G. Murty,
Linear Complementarity, 1988). Rows that contradict each other are told apart by one step of least squares.
"""

from __future__ import annotations

from math import hypot

from mbplugin.interface import internal
from mbplugin.stepping import State, TransientRows, run_part, view
from mbplugin.stepping.bounded_rows import LOWER, OFF, ON, UPPER, Bounded, follows, leads, presser
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.best import BEFORE, keep, return_to
from mbplugin_contact.bounds import (
    MISSED_GOALS,
    begin_slip,
    given_impulse,
    is_slow,
    push,
    rate_at,
    rebound,
    scale_at,
    tried_mode,
    try_mode,
    unit_of,
)
from mbplugin_contact.friction_cones import follow_cones, forget_brackets, slip_prevents, slips, worst_slip
from mbplugin_contact.groups import LOADED, group_bodies, group_of_row
from mbplugin_contact.linear import FACTORS, STEP
from mbplugin_contact.momentum import measure, momentum_balance
from mbplugin_contact.parts import LINEAR
from mbplugin_contact.pressures import follow_pressures, worst_friction
from mbplugin_contact.solve import joints_open, solve_present

#: impulses below this part of the largest one are rounding
ROUNDING_OF_IMPULSE = 1e-11
#: exchanges for each row, at most; tries in which all rows that contradict their law are exchanged at once
MAX_PIVOTS, TRIES_AT_ONCE = 20, 4
#: part of the fastest row above which a row is missed, beside `MISSED_GOALS`
MISSED_SPEED = 1e-5


def solve_with_bounds(tables, number):
    """A part. Reads and writes what `solve_present` does, and writes the modes of bounded rows that their law
    asks for. Returns a status.
    """
    n, contradictions, changed = view(tables, Bounded).index.shape[0], 0, True
    status = solve_present(tables)
    for k in range(MAX_PIVOTS * n):
        if status != 0:
            return status
        if slips(tables) and worst_miss(tables, True) > 0.0:
            # two rows that stick where they cannot leave rounding of their own size
            status = refine(tables)
            if status != 0:
                return status
        if worst_miss(tables, True) > 0.0:
            contradictions += 1
            changed = give_way(tables, contradictions > n)
        else:
            pressed = follow_pressures(tables)
            exchanged = exchange(tables, k >= TRIES_AT_ONCE)
            if exchanged:
                forget_brackets(tables)
            changed = follow_cones(tables) or exchanged or pressed
        if changed:
            status = solve_present(tables)
        else:
            # impulses that were far from these have left rounding of their own size
            alone = k == 0 and view(tables, TransientRows).used[0] == 0
            status = 0 if alone else refine(tables)
            break
    if status == 0 and n > 0:
        record = view(tables, Contacts).record[0]
        worst = max(worst_miss(tables, False), worst_friction(tables), worst_slip(tables))
        if worst > 0.0:
            record.missed, record.residual = 1, max(record.residual, worst)
    return status


@internal
def refine(tables):
    """Solve once more if joints miss their velocities. Returns a status."""
    measure(tables)
    return solve_present(tables) if joints_open(tables) else 0


@internal
def give_way(tables, again):
    """Rows contradict each other: exchange those that the impulses of a least-squares solution take beyond
    their bounds. If there is none, or that was in vain again and again, nothing rebounds. Returns whether
    something has changed.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    if again and nothing_rebounds(tables):
        forget_impulses(tables)
        return True
    keep(tables, BEFORE)
    forget_impulses(tables)
    if run_part(tables, LINEAR, FACTORS) == 0:
        momentum_balance(tables, v)
        run_part(tables, LINEAR, STEP)
        for c in range(v.shape[0]):
            v[c] += contacts.step[c]
        for row in range(contacts.joint_impulse.shape[0]):
            contacts.joint_impulse[row] += contacts.joint_impulse_step[row]
        if exchange(tables, False):
            forget_impulses(tables)
            return True
    return_to(tables, BEFORE)
    changed = nothing_rebounds(tables)
    if changed:
        forget_impulses(tables)
    return changed


@internal
def nothing_rebounds(tables):
    """Limits that rebound only stop, or close their gap, in groups of bodies with rows that contradict each
    other: `contradicts`. Returns whether there is one.
    """
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    found, least = False, least_miss(tables)
    group_bodies(tables, LOADED)
    for i in range(bounded.index.shape[0]):
        if tried_mode(tables, i) == ON and miss_of(tables, i) > least:
            contacts.groups[group_of_row(tables, i)].contradicts = 1
    for i in range(bounded.index.shape[0]):
        if contacts.bounds[i].rebound > 0.0 and contacts.groups[group_of_row(tables, i)].contradicts == 1:
            rebound(tables, i, 0.0)
            found = True
    return found


@internal
def forget_impulses(tables):
    """No impulses of joints: those of rows that contradict each other are no start for others."""
    impulse = view(tables, Contacts).joint_impulse
    for row in range(impulse.shape[0]):
        impulse[row] = 0.0


@internal
def exchange(tables, one_only):
    """Exchange rows that contradict their law, or the first one. Returns whether there is one."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    found, largest = False, 0.0
    for i in range(bounded.index.shape[0]):
        largest = max(largest, abs(contacts.joint_impulse[bounded.index[i].row]))
    for i in range(bounded.index.shape[0]):
        mode, one = lawful_mode(tables, i, ROUNDING_OF_IMPULSE * largest), bounded.index[i]
        if mode == tried_mode(tables, i) or follows(one, i):
            continue
        found = True
        if leads(one, i):
            exchange_cone(tables, i, mode)
        else:
            given = given_impulse(contacts, i, tried_mode(tables, i))
            push(tables, i, given_impulse(contacts, i, mode) - given)
            try_mode(tables, i, mode)
            contacts.joint_impulse[one.row] = 0.0
        if one_only:
            break
    return found


@internal
def exchange_cone(tables, i, mode):
    """Let row i and its partner be rows of the step, with the compliance of their present slip, or not."""
    bounded, contacts, v = view(tables, Bounded), view(tables, Contacts), view(tables, State).v
    j, slip = bounded.index[i].partner, 0.0
    for k in (i, j):
        row = bounded.index[k].row
        try_mode(tables, k, mode)
        contacts.joint_impulse[row] = 0.0
        slip = hypot(slip, rate_at(tables, bounded.index[k], v) - contacts.g[row])
    begin_slip(tables, i, slip if mode == ON else 0.0)


@internal
def lawful_mode(tables, i, tolerance):
    """The mode of row i that its impulse, or its velocity, asks for. tolerance: impulse that is rounding."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    one, mode = bounded.index[i], tried_mode(tables, i)
    if mode == OFF:
        return OFF
    if one.partner >= 0:
        row = presser(tables, one)
        return ON if row < 0 or contacts.row_scale[row] > 0.0 else LOWER
    if mode == ON:
        impulse = contacts.joint_impulse[one.row]
        if impulse < contacts.bounds[i].holds_from - tolerance:
            return ON if slip_prevents(tables, one.row) else LOWER
        return UPPER if impulse > contacts.bounds[i].holds_to + tolerance else ON
    miss = rate_at(tables, one, view(tables, State).v) - contacts.g[one.row]
    backwards = miss > 0.0 if mode == UPPER else miss < 0.0
    if not backwards or is_slow(tables, one, miss):
        return mode
    # other rows only add to the mass that the row has to stop
    least = abs(miss) * scale_at(tables, i) * scale_at(tables, i)
    if least > contacts.bounds[i].upper - contacts.bounds[i].lower:
        return LOWER if mode == UPPER else UPPER
    return ON


@internal
def miss_of(tables, i):
    """The residual of bounded row i at the present velocities: |Φ̇ − g| if it holds, else what it moves
    against its bound [m/s, smallest radii by rad/s].
    """
    bounded, contacts, v = view(tables, Bounded), view(tables, Contacts), view(tables, State).v
    one, mode = bounded.index[i], tried_mode(tables, i)
    if mode == OFF or (one.partner >= 0 and mode != ON):
        # it does not act, or nothing presses it
        return 0.0
    miss = rate_at(tables, one, v) - contacts.g[one.row]
    if mode == ON:
        miss += contacts.row_compliance[one.row] * contacts.joint_impulse[one.row]
        miss = abs(miss) if contacts.row_scale[one.row] > 0.0 else 0.0
    elif mode == LOWER:
        miss = -miss
    return miss * contacts.record[0].size / unit_of(tables, one)


@internal
def least_miss(tables):
    """Residual of bounded rows below which it is rounding."""
    bounded, contacts, fastest = view(tables, Bounded), view(tables, Contacts), 0.0
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if tried_mode(tables, i) == ON:
            speed = abs(contacts.g[one.row]) * contacts.record[0].size / unit_of(tables, one)
            fastest = max(fastest, speed)
    return MISSED_GOALS * contacts.record[0].goal + MISSED_SPEED * fastest


@internal
def worst_miss(tables, held):
    """The largest residual of a bounded row, or of those that hold alone; 0 if it is rounding."""
    bounded, worst = view(tables, Bounded), 0.0
    for i in range(bounded.index.shape[0]):
        if tried_mode(tables, i) == ON or not held:
            worst = max(worst, miss_of(tables, i))
    return worst if worst > least_miss(tables) else 0.0
