"""Two slip functions that one gap presses, in a step: |Λ| ≤ μ P for their impulses, P that of the gap.

They stick, or they slip with Λ = −w/c against the slip w at the end of the step: compliant rows with one c,
which have the exact direction. c is the root of h(c) = μ P/|Λ| − 1, which grows with c, and is linear if the
mass is the same in both directions and P does not change. The secant method, between the exchanges of
`pivoting.py`.
"""

from __future__ import annotations

from math import hypot

from mbplugin.interface import inlined, internal
from mbplugin.stepping import view
from mbplugin.stepping.bounded_rows import ON, Bounded, leads, presser
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.bounds import MISSED_GOALS, let_yield, speed_of_impulse, tried_mode

#: relative errors of |Λ| below this are rounding
ROUNDING_OF_IMPULSE = 1e-9
#: growth of c in one iteration, at most
MAX_GROWTH = 100.0
#: growth of c where friction opens the gap, and c of slip without friction [W]
GROWTH_WHERE_OPEN, FREE_COMPLIANCE = 100.0, 1e12
#: part of the impulse of slip below which the one that is allowed is small
SMALL_IMPULSE = 1e-6


@internal
def slip_impulse(tables, i):
    """|Λ| of row i and its partner."""
    bounded, impulse = view(tables, Bounded).index, view(tables, Contacts).joint_impulse
    return hypot(impulse[bounded[i].row], impulse[bounded[bounded[i].partner].row])


@internal
def follow_cones(tables):
    """Let the compliances of slip follow the present impulses. Returns whether one has changed."""
    bounded, contacts, changed = view(tables, Bounded), view(tables, Contacts), False
    for i in range(bounded.index.shape[0]):
        one, bound = bounded.index[i], contacts.bounds[i]
        if not leads(one, i) or tried_mode(tables, i) != ON:
            continue
        impulse, c, most = slip_impulse(tables, i), contacts.row_compliance[one.row], bound.upper
        if c >= FREE_COMPLIANCE * heaviness(contacts, i):
            # next to nothing presses
            continue
        if most <= 0.0 or (c > 0.0 and most <= SMALL_IMPULSE * impulse):
            # friction pulls the gap open, or hardly anything presses: let it slip more easily
            miss, new = -1.0, GROWTH_WHERE_OPEN * c + heaviness(contacts, i)
        elif c == 0.0 and impulse <= bound.holds_to * (1.0 + ROUNDING_OF_IMPULSE):
            continue
        elif abs(impulse - most) > ROUNDING_OF_IMPULSE * most:
            miss = most / impulse - 1.0 if impulse > 0.0 else MAX_GROWTH
            slope = (miss + 1.0) * bound.scale * bound.scale
            if c > 0.0 and c != bound.last_compliance and bound.last_miss > -1.0:
                secant = (miss - bound.last_miss) / (c - bound.last_compliance)
                slope = secant if secant > 0.0 else slope / (1.0 + c * slope / (miss + 1.0))
            new = max(min(c - miss / slope, MAX_GROWTH * (c + 1.0 / slope)), 0.0)
        else:
            continue
        bound.last_compliance, bound.last_miss = c, miss
        let_yield(tables, i, within_bracket(contacts, i, c, miss, new))
        changed = True
    return changed


@inlined
def heaviness(contacts, i):
    """W of row i [1/kg, 1/(kg m²)]: the compliance that halves its impulse."""
    return 1.0 / (contacts.bounds[i].scale * contacts.bounds[i].scale)


@internal
def within_bracket(contacts, i, c, miss, new):
    """The next compliance: `new`, between those known to be too small and too large. c: the present one."""
    bound, new = contacts.bounds[i], min(new, FREE_COMPLIANCE * heaviness(contacts, i))
    if miss < 0.0:
        bound.too_small = max(bound.too_small, c)
    else:
        bound.too_large = c if bound.too_large == 0.0 else min(bound.too_large, c)
    if bound.too_large > bound.too_small >= 0.0 and not bound.too_small < new < bound.too_large:
        return 0.5 * (bound.too_small + bound.too_large)
    return new


@internal
def forget_brackets(tables):
    """Other rows have changed: what is known of compliances holds no longer."""
    bounds = view(tables, Contacts).bounds
    for i in range(bounds.shape[0]):
        bounds[i].too_small, bounds[i].too_large = -1.0, 0.0


@internal
def slips(tables):
    """Whether two rows that share a cone slip."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    for i in range(bounded.index.shape[0]):
        if bounded.index[i].partner >= 0 and contacts.row_compliance[bounded.index[i].row] > 0.0:
            return True
    return False


@internal
def slip_prevents(tables, row):
    """Whether a gap may be open only because of its friction: two rows that it presses yield too little."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if not leads(one, i) or tried_mode(tables, i) != ON or contacts.bounds[i].scale == 0.0:
            continue
        if presser(tables, one) == row:
            return contacts.row_compliance[one.row] < FREE_COMPLIANCE * heaviness(contacts, i)
    return False


@internal
def worst_slip(tables):
    """The largest change of speed by which an impulse misses its cone; 0 if it is within the goal [m/s,
    smallest radii by rad/s].
    """
    bounded, contacts, worst = view(tables, Bounded), view(tables, Contacts), 0.0
    for i in range(bounded.index.shape[0]):
        one, bound = bounded.index[i], contacts.bounds[i]
        if leads(one, i) and tried_mode(tables, i) == ON:
            off = slip_impulse(tables, i) - bound.holds_to
            if contacts.row_compliance[one.row] > 0.0:
                off = abs(slip_impulse(tables, i) - bound.upper)
            worst = max(worst, speed_of_impulse(tables, i, off))
    return worst if worst > MISSED_GOALS * contacts.record[0].goal else 0.0
