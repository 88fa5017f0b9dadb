"""Friction by a coefficient in a step: its bounds follow the reactions that the present solution has."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import Rows, State, Step, copy, view
from mbplugin.stepping.bounded_rows import (
    BLOW,
    ON,
    STEP,
    Bearings,
    Bounded,
    find_reactions,
    pressure,
    reactions_are_read,
)
from mbplugin.stepping.compliant_rows import Enforced
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.bounds import (
    MISSED_GOALS,
    given_impulse,
    present_impulse,
    push,
    set_bounds,
    speed_of_impulse,
    tried_mode,
)

#: changes of the pressure on a bearing below this part of it are rounding
ROUNDING_OF_PRESSURE = 1e-9
#: slope of the iteration for a pressure from which on no secant is taken, of a reaction and of a row, which
#: is tanh(μθ/2) for a rope on a drum
STEEP_SLOPE, STEEP_SLOPE_OF_ROWS = 0.9, 1.0 - 1e-6


@internal
def follow_pressures(tables):
    """Let bounds of friction on bearings follow the reactions that the present solution has, by a secant for
    each. Returns whether an impulse has changed.
    """
    bearings, bounded, contacts = view(tables, Bearings), view(tables, Bounded), view(tables, Contacts)
    changed = False
    find_pressures(tables)
    for k in range(bearings.index.shape[0]):
        i = bearings.index[k].bounded
        bound = contacts.bounds[i]
        found, used, last, last_used = bound.found, bound.factor, bound.last_found, bound.last_factor
        if bounded.index[i].partner >= 0:
            set_bounds(tables, i, found)
            continue
        if abs(found - used) <= ROUNDING_OF_PRESSURE * (found + used):
            continue
        slope = (found - last) / (used - last_used) if used != last_used else 0.0
        steep = STEEP_SLOPE if bearings.index[k].pressing < 0 else STEEP_SLOPE_OF_ROWS
        new = max(used + (found - used) / (1.0 - slope), 0.0) if abs(slope) < steep else found
        given = given_impulse(contacts, i, tried_mode(tables, i))
        set_bounds(tables, i, new)
        bound.last_factor, bound.last_found = used, found
        push(tables, i, given_impulse(contacts, i, tried_mode(tables, i)) - given)
        changed = changed or tried_mode(tables, i) != ON
    return changed


@internal
def worst_friction(tables):
    """The largest change of speed by which friction on a bearing differs from what its pressure gives; 0 if
    it is within the goal [m/s, smallest radii by rad/s].
    """
    bearings, bounded, contacts = view(tables, Bearings), view(tables, Bounded), view(tables, Contacts)
    worst = 0.0
    find_pressures(tables)
    for k in range(bearings.index.shape[0]):
        i = bearings.index[k].bounded
        if tried_mode(tables, i) != ON:
            off = bounded.index[i].upper * abs(contacts.bounds[i].found - contacts.bounds[i].factor)
            worst = max(worst, speed_of_impulse(tables, i, off))
    return worst if worst > MISSED_GOALS * contacts.record[0].goal else 0.0


@internal
def find_pressures(tables):
    """Write the impulse on each bearing in the present solution: `BoundRecord.found`. Of its first phase
    those of the smooth forces are a part.
    """
    bearings, contacts, rows = view(tables, Bearings).index, view(tables, Contacts), view(tables, Rows)
    h = view(tables, Step).record[0].length
    if bearings.shape[0] == 0:
        return
    smooth = 1.0 if contacts.bounds[bearings[0].bounded].later_phase == 0 else 0.0
    if reactions_are_read(tables):
        put_mean_forces(tables, smooth)
        find_reactions(tables, contacts.carried, contacts.v_dot_mean, STEP if smooth == 1.0 else BLOW)
    copy(rows.lam, contacts.joint_impulse_trial)
    for r in range(contacts.joint_impulse.shape[0]):
        if contacts.row_compliance[r] > 0.0:
            rows.lam[r] = contacts.joint_impulse[r] / h - rows.load[r]
        elif contacts.row_scale[r] > 0.0:
            rows.lam[r] = smooth * rows.lam[r] + contacts.joint_impulse[r] / h
    for k in range(bearings.shape[0]):
        contacts.bounds[bearings[k].bounded].found = h * pressure(tables, k)
    copy(contacts.joint_impulse_trial, rows.lam)


@internal
def put_mean_forces(tables, smooth):
    """Write the mean forces of all rows in the present solution, `Contacts.carried`, and its mean
    accelerations; smooth: part of the smooth forces in them.
    """
    contacts, rows, v = view(tables, Contacts), view(tables, Rows), view(tables, State).v
    bounded, enforced = view(tables, Bounded), view(tables, Enforced).index
    h = view(tables, Step).record[0].length
    for r in range(contacts.carried.shape[0]):
        given = contacts.joint_impulse[r] / h if contacts.row_scale[r] > 0.0 else 0.0
        contacts.carried[r] = smooth * rows.lam[r] + given
    for i in range(enforced.shape[0]):
        r = enforced[i].row
        if contacts.row_compliance[r] == 0.0:
            contacts.carried[r] += smooth * rows.load[r]
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        contacts.carried[one.row] = present_impulse(tables, i) / h
    for k in range(v.shape[0]):
        contacts.v_dot_mean[k] = (v[k] - contacts.v_phase[k]) / h
