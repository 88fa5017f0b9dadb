"""Friction by a coefficient in a step: its bounds follow the reactions that the present solution has."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import Rows, Step, copy, view
from mbplugin.stepping.bounded_rows import ON, Bearings, Bounded, pressure
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.bounds import (
    FACTOR,
    FOUND,
    LATER,
    SCALE,
    TRIED,
    given_impulse,
    push,
    set_bounds,
    unit_of,
)

#: goals of a step above which a row is missed
GOALS = 10.0
#: change of the pressure on a bearing that is rounding; slope of its iteration at which no secant is taken,
#: of a reaction and of a row, which is tanh(μθ/2) for a rope on a drum
PRESSED, STEEP, STEEP_OF_ROWS = 1e-9, 0.9, 1.0 - 1e-6


@internal
def follow_pressures(tables):
    """Let bounds of friction on bearings follow the reactions that the present solution has, by a secant for
    each. Returns whether an impulse has changed.
    """
    bearings, bounded, contacts = view(tables, Bearings), view(tables, Bounded), view(tables, Contacts)
    changed, h = False, view(tables, Step).record[0].length
    if bearings.index.shape[0] == 0:
        return False
    copy(view(tables, Rows).lam, contacts.impulse_trial)
    take_multipliers(tables, contacts.bounds[bearings.index[0].bounded, LATER] == 0.0)
    for k in range(bearings.index.shape[0]):
        i = bearings.index[k].bounded
        found, used = h * pressure(tables, k), contacts.bounds[i, FACTOR]
        if bounded.index[i].partner >= 0:
            set_bounds(tables, i, found)
            continue
        before, last = contacts.bounds[i, TRIED], contacts.bounds[i, FOUND]
        if abs(found - used) <= PRESSED * (found + used):
            continue
        slope = (found - last) / (used - before) if used != before else 0.0
        steep = STEEP if bearings.index[k].pressing < 0 else STEEP_OF_ROWS
        new = max(used + (found - used) / (1.0 - slope), 0.0) if abs(slope) < steep else found
        given = given_impulse(contacts, i, bounded.chosen[i])
        set_bounds(tables, i, new)
        contacts.bounds[i, TRIED], contacts.bounds[i, FOUND] = used, found
        push(tables, i, given_impulse(contacts, i, bounded.chosen[i]) - given)
        changed = changed or bounded.chosen[i] != ON
    copy(contacts.impulse_trial, view(tables, Rows).lam)
    return changed


@internal
def worst_friction(tables):
    """The largest change of speed by which friction on a bearing differs from what its pressure gives; 0 if
    it is within the goal [m/s, smallest radii by rad/s].
    """
    bearings, bounded, contacts = view(tables, Bearings), view(tables, Bounded), view(tables, Contacts)
    worst, h = 0.0, view(tables, Step).record[0].length
    if bearings.index.shape[0] == 0:
        return worst
    copy(view(tables, Rows).lam, contacts.impulse_trial)
    take_multipliers(tables, contacts.bounds[bearings.index[0].bounded, LATER] == 0.0)
    for k in range(bearings.index.shape[0]):
        i = bearings.index[k].bounded
        one, scale = bounded.index[i], contacts.bounds[i, SCALE]
        if bounded.chosen[i] != ON and scale > 0.0:
            off = one.upper * abs(h * pressure(tables, k) - contacts.bounds[i, FACTOR])
            worst = max(worst, off / (scale * scale) * contacts.record[0].size / unit_of(tables, one))
    copy(contacts.impulse_trial, view(tables, Rows).lam)
    return worst if worst > GOALS * contacts.record[0].goal else 0.0


@internal
def take_multipliers(tables, first):
    """Mean multipliers of the step, from its impulses; in its first phase those of the smooth forces too."""
    contacts, rows, h = view(tables, Contacts), view(tables, Rows), view(tables, Step).record[0].length
    for r in range(contacts.impulse.shape[0]):
        if contacts.row_compliance[r] > 0.0:
            rows.lam[r] = contacts.impulse[r] / h - rows.load[r]
        elif contacts.row_scale[r] > 0.0:
            rows.lam[r] = (rows.lam[r] if first else 0.0) + contacts.impulse[r] / h
