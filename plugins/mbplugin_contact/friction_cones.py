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
from mbplugin.stepping.bounded_rows import ON, Bearings, Bounded, leads
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.bounds import HIGH, LAST, LAST_MISS, LEAST, MOST, SCALE, TO, let_yield, unit_of

#: relative error of |Λ| that is rounding
ROUNDING = 1e-9
#: goals of a step above which a row is missed
GOALS = 10.0
#: growth of c in one iteration, at most
GROWTH = 100.0
#: growth of c where friction opens the gap, and c at which it is none [W]
EASIER, FREE = 100.0, 1e12
#: part of the impulse of slip below which the one that is allowed is small
SMALL = 1e-6


@internal
def slip_impulse(tables, i):
    """|Λ| of row i and its partner."""
    bounded, impulse = view(tables, Bounded).index, view(tables, Contacts).impulse
    return hypot(impulse[bounded[i].row], impulse[bounded[bounded[i].partner].row])


@internal
def follow_cones(tables):
    """Let the compliances of slip follow the present impulses. Returns whether one has changed."""
    bounded, contacts, changed = view(tables, Bounded), view(tables, Contacts), False
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if not leads(one, i) or bounded.chosen[i] != ON:
            continue
        impulse, c = slip_impulse(tables, i), contacts.row_compliance[one.row]
        most = contacts.bounds[i, HIGH]
        if c >= FREE * heaviness(contacts, i):
            # next to nothing presses
            continue
        if most <= 0.0 or (c > 0.0 and most <= SMALL * impulse):
            # friction pulls the gap open, or hardly anything presses: let it slip more easily
            contacts.bounds[i, LAST], contacts.bounds[i, LAST_MISS] = c, -1.0
            easier = EASIER * c + heaviness(contacts, i)
            let_yield(tables, i, within_bracket(contacts, i, c, -1.0, easier))
            changed = True
            continue
        if c == 0.0 and impulse <= contacts.bounds[i, TO] * (1.0 + ROUNDING):
            continue
        if abs(impulse - most) <= ROUNDING * most:
            continue
        miss = most / impulse - 1.0 if impulse > 0.0 else GROWTH
        slope = (miss + 1.0) * contacts.bounds[i, SCALE] * contacts.bounds[i, SCALE]
        if c > 0.0 and c != contacts.bounds[i, LAST] and contacts.bounds[i, LAST_MISS] > -1.0:
            secant = (miss - contacts.bounds[i, LAST_MISS]) / (c - contacts.bounds[i, LAST])
            slope = secant if secant > 0.0 else slope / (1.0 + c * slope / (miss + 1.0))
        new = min(c - miss / slope, GROWTH * (c + 1.0 / slope))
        contacts.bounds[i, LAST], contacts.bounds[i, LAST_MISS] = c, miss
        let_yield(tables, i, within_bracket(contacts, i, c, miss, max(new, 0.0)))
        changed = True
    return changed


@inlined
def heaviness(contacts, i):
    """W of row i [1/kg, 1/(kg m²)]: the compliance that halves its impulse."""
    return 1.0 / (contacts.bounds[i, SCALE] * contacts.bounds[i, SCALE])


@internal
def within_bracket(contacts, i, c, miss, new):
    """The next compliance: `new`, between those known to be too small and too large. c: the present one."""
    bounds, new = contacts.bounds, min(new, FREE * heaviness(contacts, i))
    if miss < 0.0:
        bounds[i, LEAST] = max(bounds[i, LEAST], c)
    else:
        bounds[i, MOST] = c if bounds[i, MOST] == 0.0 else min(bounds[i, MOST], c)
    if bounds[i, MOST] > bounds[i, LEAST] >= 0.0 and not bounds[i, LEAST] < new < bounds[i, MOST]:
        return 0.5 * (bounds[i, LEAST] + bounds[i, MOST])
    return new


@internal
def forget_brackets(tables):
    """Other rows have changed: what is known of compliances holds no longer."""
    bounds = view(tables, Contacts).bounds
    for i in range(bounds.shape[0]):
        bounds[i, LEAST], bounds[i, MOST] = -1.0, 0.0


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
        if not leads(one, i) or bounded.chosen[i] != ON or contacts.bounds[i, SCALE] == 0.0:
            continue
        if view(tables, Bearings).index[one.bearing].pressing == row:
            return contacts.row_compliance[one.row] < FREE * heaviness(contacts, i)
    return False


@internal
def worst_slip(tables):
    """The largest change of speed by which an impulse misses its cone; 0 if it is within the goal [m/s,
    smallest radii by rad/s].
    """
    bounded, contacts, worst = view(tables, Bounded), view(tables, Contacts), 0.0
    for i in range(bounded.index.shape[0]):
        one, scale = bounded.index[i], contacts.bounds[i, SCALE]
        if not leads(one, i) or bounded.chosen[i] != ON or scale == 0.0:
            continue
        impulse = slip_impulse(tables, i)
        off = impulse - contacts.bounds[i, TO]
        if contacts.row_compliance[one.row] > 0.0:
            off = abs(impulse - contacts.bounds[i, HIGH])
        worst = max(worst, off / (scale * scale) * contacts.record[0].size / unit_of(tables, one))
    return worst if worst > GOALS * contacts.record[0].goal else 0.0
