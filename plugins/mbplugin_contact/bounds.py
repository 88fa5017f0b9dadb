"""Rows whose forces have bounds, in a step: limits, dry friction, clutches, motions of limited effort.

A row holds, G v₁ = g, as a joint does, or it gives the impulse h λ of a bound of its force; `pivoting.py`
decides which. What has held before keeps its mean velocity, as joints do; what comes to hold stops at the end
of the step, or closes its gap; a limit that is struck rebounds by Newton's law. Finite forces are those of
the whole step, and do nothing in an impact.
"""

from __future__ import annotations

from math import hypot, inf, sqrt

from mbplugin.interface import inlined, internal
from mbplugin.stepping import (
    FORCES,
    POSITION_LEVEL,
    Blocks,
    Bodies,
    Rows,
    State,
    Step,
    copy,
    evaluate_eom,
    solve_mass,
    view,
)
from mbplugin.stepping.bounded_rows import (
    ENERGY,
    IMPULSE,
    LOWER,
    OFF,
    ON,
    UPPER,
    Bearings,
    Bounded,
    aim,
    follows,
    leads,
    note_impulse,
    release_idle,
    set_mode,
)
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.momentum import add_row, row_rate

#: columns of `Contacts.bounds`: impulses between which a row holds; those of a row that does not; its scale;
#: the rate of its rebound, 0 if it has none; its impulse in the step; 1: that was a blow; Φ̇ at the start;
#: 1: it rests there; what the bounds are multiplied by, the step or an impulse on a bearing, and the last one
#: with what it has led to; 1: it is in a later phase of the step; G v before that
FROM, TO, LOW, HIGH, SCALE, REBOUND, TOTAL, STRUCK, RATE, RESTS = range(10)
FACTOR, TRIED, FOUND, LATER, BEFORE = range(10, 15)
#: of two rows that share a cone, the last compliance of slip and by how much that missed it; those known to
#: be too small (−1: none), and too large (0: none)
LAST, LAST_MISS, LEAST, MOST = range(19, 23)
#: and of a blow with all of its rebound: impulse, mean rate, rebound
IMPULSE_ALL, MEAN_ALL, REBOUND_ALL = range(15, 18)
#: 1: a limit that is approached, and would be passed in the step
APPROACHED = 18
#: rate that no limit reaches
NEVER = 1e30
#: speed that is rest [radii/s or rad/s]; gap that is none [radii or rad]
REST, CLOSE = 1e-9, 1e-7
#: approach without rebound, in changes of the velocity by forces in the step
SLOW = 2.0


@inlined
def rate_at(tables, one, v):
    """G v of a bounded row."""
    block = view(tables, Blocks).index[one.block]
    return row_rate(view(tables, Blocks), block, one.row - block.first_row, v)


@inlined
def unit_of(tables, one):
    """What counts as 1 in the unit of a bounded row: 1 rad, or the smallest radius of a shape."""
    return 1.0 if view(tables, Rows).radians[one.row] == 1 else view(tables, Contacts).record[0].size


@inlined
def is_slow(tables, one, rate):
    """Whether Φ̇ is rest."""
    return abs(rate) <= REST * unit_of(tables, one)


@inlined
def gap_of(tables, one):
    """Φ of a limit in the middle of the step, where γ is that of its rows: Φ = 0 if it holds."""
    rows, h = view(tables, Rows), view(tables, Step).record[0].length
    return rows.phi[one.row] + 0.125 * h * h * rows.gamma[one.row]


@inlined
def has_gap(tables, one):
    """Whether a row is a limit that is not reached in the middle of the step; one that has held until then is
    reached, where its Φ is curved.
    """
    gap = gap_of(tables, one) > CLOSE * unit_of(tables, one)
    return one.gap == 1 and gap and view(tables, Step).mode0[one.row] != ON


@internal
def note_rates(tables):
    """Φ̇ of all rows at the start of a step, where G is evaluated."""
    bounded, contacts, rows, v = (
        view(tables, Bounded).index,
        view(tables, Contacts),
        view(tables, Rows),
        view(tables, State).v,
    )
    for i in range(bounded.shape[0]):
        contacts.bounds[i, RATE] = rate_at(tables, bounded[i], v) + rows.phi_t[bounded[i].row]


@internal
def release_bounds(tables):
    """No row holds, or has a load, in the forces of the step: all that they do is impulses."""
    bounded = view(tables, Bounded).index
    for i in range(bounded.shape[0]):
        set_mode(tables, bounded[i].row, OFF)


@internal
def begin_bounds(tables, h):
    """Modes of the last step, and bounds of the impulses of this one, with G in its middle."""
    bounded, contacts, state = view(tables, Bounded), view(tables, Contacts), view(tables, State)
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        mode = bounded.chosen[i] = mode_at_start(tables, one)
        rests = mode == ON or slips_slowly(tables, i)
        contacts.bounds[i, RESTS], contacts.bounds[i, LATER] = 1.0 if rests else 0.0, 0.0
        set_bounds(tables, i, h * state.memory[one.memory] if one.bearing >= 0 else h)
        contacts.bounds[i, SCALE] = scale_of(tables, one)
        contacts.bounds[i, REBOUND] = 0.0
        contacts.row_scale[one.row] = contacts.bounds[i, SCALE] if mode == ON else 0.0
    for row in range(contacts.impulse.shape[0]):
        if contacts.row_scale[row] == 0.0:
            contacts.impulse[row] = 0.0
    begin_cones(tables)


@inlined
def mode_at_start(tables, one):
    """The mode of a row at the start of the step; of one that was only idle, that of slip."""
    mode0 = view(tables, Step).mode0
    if one.bearing >= 0 and mode0[one.row] == OFF:
        pressing = view(tables, Bearings).index[one.bearing].pressing
        if pressing >= 0 and mode0[pressing] != OFF:
            return LOWER
    return mode0[one.row]


@internal
def set_bounds(tables, i, factor):
    """Bounds of the impulse of row i: `factor` times those of its force, or of its coefficient; none if it
    does not act.
    """
    contacts, one = view(tables, Contacts), view(tables, Bounded).index[i]
    if view(tables, Bounded).chosen[i] == OFF:
        for c in range(FROM, HIGH + 1):
            contacts.bounds[i, c] = 0.0
        return
    rests = contacts.bounds[i, RESTS] == 1.0
    if one.partner >= 0:
        # what slips on a cone is a row as well, which yields
        contacts.bounds[i, FACTOR] = factor
        contacts.bounds[i, TO] = factor * (one.holds_to if rests else one.upper)
        contacts.bounds[i, LOW], contacts.bounds[i, HIGH] = 0.0, factor * one.upper
        return
    contacts.bounds[i, FACTOR] = contacts.bounds[i, TRIED] = factor
    contacts.bounds[i, FROM] = bound(factor, one.holds_from if rests else one.lower)
    contacts.bounds[i, TO] = bound(factor, one.holds_to if rests else one.upper)
    contacts.bounds[i, LOW], contacts.bounds[i, HIGH] = bound(factor, one.lower), bound(factor, one.upper)


@inlined
def bound(factor, force):
    """The product; infinite if the force is."""
    return force if abs(force) == inf else factor * force


@internal
def scale_of(tables, one):
    """1 / √(G M⁻¹ Gᵀ) of a row."""
    blocks, bodies, work = view(tables, Blocks), view(tables, Bodies), view(tables, Contacts).F
    block, norm = blocks.index[one.block], 0.0
    for j in range(block.first_member, block.first_member + block.members):
        member = blocks.member[j]
        first = member.first_G + (one.row - block.first_row) * member.nv
        for c in range(member.nv):
            work[member.first_v + c] = blocks.G[first + c]
        if member.nv > 0:
            solve_mass(bodies, member.body, work, member.first_v)
        for c in range(member.nv):
            norm += blocks.G[first + c] * work[member.first_v + c]
    return 1.0 / sqrt(norm) if norm > 0.0 else 0.0


@inlined
def given_impulse(contacts, i, mode):
    """The impulse of row i at a bound; 0 if it holds."""
    if mode == ON:
        return 0.0
    return contacts.bounds[i, HIGH] if mode == UPPER else contacts.bounds[i, LOW]


@inlined
def impulse_of(contacts, one, i, mode):
    """The impulse of row i in this mode."""
    return contacts.impulse[one.row] if mode == ON else given_impulse(contacts, i, mode)


@internal
def push(tables, i, impulse):
    """`Contacts.v_free` ← that + M⁻¹ Gᵀ impulse of row i."""
    if impulse == 0.0:
        return
    contacts, blocks, bodies = view(tables, Contacts), view(tables, Blocks), view(tables, Bodies)
    one = view(tables, Bounded).index[i]
    block = blocks.index[one.block]
    copy(contacts.v_free, contacts.work)
    for c in range(contacts.F.shape[0]):
        contacts.F[c] = 0.0
    add_row(blocks, block, one.row - block.first_row, impulse, contacts.F)
    for j in range(block.first_member, block.first_member + block.members):
        member = blocks.member[j]
        if member.nv > 0:
            solve_mass(bodies, member.body, contacts.F, member.first_v)
            for c in range(member.first_v, member.first_v + member.nv):
                contacts.v_free[c] = contacts.work[c] + contacts.F[c]


@internal
def add_bounds_of_step(tables, h):
    """Add the impulses of rows at a bound to the free velocities, and set what rows that hold ask for."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    if bounded.index.shape[0] == 0:
        return
    for i in range(bounded.index.shape[0]):
        push(tables, i, given_impulse(contacts, i, bounded.chosen[i]))
    copy(contacts.v_free, view(tables, State).v)
    set_targets(tables, view(tables, Step).v0, h)


@internal
def set_targets(tables, v, h):
    """g of all rows. Of one that holds it is that of joints, its change δ by the rotation of G and of Φₜ in
    half a step taken off; others end at rest, or close their gap, or rebound. v: before an impact.
    """
    bounded, contacts, rows = view(tables, Bounded), view(tables, Contacts), view(tables, Rows)
    v0, mode0 = view(tables, Step).v0, view(tables, Step).mode0
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        contacts.bounds[i, BEFORE] = rate_at(tables, one, v)
        if one.works == 1:
            if mode0[one.row] != ON:
                contacts.g[one.row] = -rows.phi_t[one.row] + 0.5 * h * rows.gamma[one.row]
            continue
        turned = rate_at(tables, one, v0) - contacts.bounds[i, RATE]
        asked = limit_rate(tables, i, turned) if one.gap == 1 else 0.0
        contacts.g[one.row] = asked - turned - 2.0 * rows.phi_t[one.row]


@internal
def limit_rate(tables, i, turned):
    """Φ̇ at the end that limit i asks for at least: it closes its gap, or rebounds."""
    contacts, one = view(tables, Contacts), view(tables, Bounded).index[i]
    closing = closing_rate(tables, one)
    before, free = contacts.bounds[i, BEFORE] - turned, rate_at(tables, one, contacts.v_free) - turned
    threshold = max(SLOW * abs(free - before), REST * unit_of(tables, one))
    approached = before < -threshold and free + closing < 0.0
    if approached and contacts.record[0].before_impacts == 1:
        contacts.bounds[i, APPROACHED] = 0.0
        return -NEVER
    contacts.bounds[i, APPROACHED] = 1.0 if approached else 0.0
    if one.restitution > 0.0 and approached:
        contacts.bounds[i, REBOUND] = -one.restitution * before
        return -one.restitution * before
    return -closing


@inlined
def closing_rate(tables, one):
    """The rate at which a limit closes its gap in the step; 0 if there is none."""
    if not has_gap(tables, one):
        return 0.0
    return gap_of(tables, one) / view(tables, Step).record[0].length


@internal
def rebound(tables, i, rate):
    """Let limit i rebound with this rate; 0: it stops, or closes its gap."""
    contacts, one = view(tables, Contacts), view(tables, Bounded).index[i]
    turned = rate_at(tables, one, view(tables, Step).v0) - contacts.bounds[i, RATE]
    contacts.bounds[i, REBOUND] = rate
    asked = rate if rate > 0.0 else -closing_rate(tables, one)
    contacts.g[one.row] = asked - turned - 2.0 * view(tables, Rows).phi_t[one.row]


@internal
def group_of_row(tables, i):
    """The group of the bodies of bounded row i."""
    blocks = view(tables, Blocks)
    block, group = blocks.index[view(tables, Bounded).index[i].block], 0
    for j in range(block.first_member, block.first_member + block.members):
        if blocks.member[j].nv > 0:
            group = view(tables, Contacts).group[blocks.member[j].body]
    return group


@internal
def let_wait(tables, i):
    """Limit i does not act in a phase of the step."""
    contacts, bounded = view(tables, Contacts), view(tables, Bounded)
    row = bounded.index[i].row
    bounded.chosen[i], contacts.g[row] = LOWER, -NEVER
    contacts.impulse[row] = contacts.row_scale[row] = 0.0


@internal
def would_be_passed(tables, i):
    """Whether limit i would be passed at the present velocities."""
    one = view(tables, Bounded).index[i]
    miss = rate_at(tables, one, view(tables, State).v) - view(tables, Contacts).g[one.row]
    return miss < 0.0 and not is_slow(tables, one, miss)


@internal
def slips_slowly(tables, i):
    """Whether Φ̇ of row i, with that of its partner, was rest at the start of the step."""
    bounds, one = view(tables, Contacts).bounds, view(tables, Bounded).index[i]
    rate = bounds[i, RATE]
    return is_slow(tables, one, rate if one.partner < 0 else hypot(rate, bounds[one.partner, RATE]))


@internal
def begin_cones(tables):
    """Two slip rows that share a cone are rows of the step if a gap presses them; they stick, or slip as at
    its start.
    """
    bounded, contacts, mode0 = view(tables, Bounded), view(tables, Contacts), view(tables, Step).mode0
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if one.partner < 0 or bounded.chosen[i] == OFF:
            continue
        pressing = view(tables, Bearings).index[one.bearing].pressing
        presses = mode0[pressing] == ON
        bounded.chosen[i] = ON if presses else LOWER
        if not presses:
            set_bounds(tables, i, 0.0)
            contacts.impulse[one.row] = 0.0
        contacts.row_scale[one.row] = contacts.bounds[i, SCALE] if presses else 0.0
        if follows(one, i) and contacts.bounds[i, RESTS] == 0.0:
            begin_slip(
                tables, one.partner, hypot(contacts.bounds[i, RATE], contacts.bounds[one.partner, RATE])
            )


@internal
def begin_slip(tables, i, slip):
    """Let row i and its partner yield with the compliance of this slip under their present bound."""
    bounds = view(tables, Contacts).bounds
    most = bounds[i, HIGH]
    bounds[i, LAST] = slip / most if most > 0.0 else 0.0
    bounds[i, LEAST], bounds[i, MOST] = -1.0, 0.0
    let_yield(tables, i, bounds[i, LAST])


@internal
def let_yield(tables, i, compliance):
    """Let the slip of row i and its partner be −c times their impulses; 0: they stick."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    for k in (i, bounded.index[i].partner):
        row, scale = bounded.index[k].row, contacts.bounds[k, SCALE]
        contacts.row_compliance[row] = compliance
        if contacts.row_scale[row] > 0.0:
            contacts.row_scale[row] = scale / sqrt(1.0 + compliance * scale * scale)


@internal
def spend_bounds(tables):
    """Take the impulses of a phase of the step off those that finite bounds leave for the next one."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        spent = impulse_of(contacts, one, i, bounded.chosen[i])
        contacts.phase_joint_impulse[one.row] += spent - contacts.impulse[one.row]
        contacts.bounds[i, LATER] = 1.0
        if one.bearing >= 0:
            set_bounds(tables, i, 0.0)
            if leads(one, i):
                let_yield(tables, i, 0.0)
        elif one.upper < inf:
            for c in range(FROM, HIGH + 1):
                contacts.bounds[i, c] -= spent


@internal
def mean_rate(tables, i):
    """The mean of Φ̇ before a phase and now."""
    one = view(tables, Bounded).index[i]
    now = rate_at(tables, one, view(tables, State).v)
    return 0.5 * (view(tables, Contacts).bounds[i, BEFORE] + now) + view(tables, Rows).phi_t[one.row]


@internal
def keep_blows_of_rows(tables):
    """Impulses, mean rates and rebounds of limits with all of their restitution."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    for i in range(bounded.index.shape[0]):
        contacts.bounds[i, IMPULSE_ALL] = impulse_of(contacts, bounded.index[i], i, bounded.chosen[i])
        contacts.bounds[i, MEAN_ALL] = mean_rate(tables, i)
        contacts.bounds[i, REBOUND_ALL] = contacts.bounds[i, REBOUND]


@internal
def any_rebounds(tables):
    """Whether a limit rebounds."""
    contacts = view(tables, Contacts)
    for i in range(contacts.bounds.shape[0]):
        if contacts.bounds[i, REBOUND] > 0.0:
            return True
    return False


@internal
def end_bounds(tables, h):
    """Impulses and energies of the step, and modes at its end; blows count as impacts of the step."""
    bounded, contacts, state = view(tables, Bounded), view(tables, Contacts), view(tables, State)
    start, rows = view(tables, Step), view(tables, Rows)
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        mode = bounded.chosen[i]
        impulse = contacts.impulse[one.row]
        if contacts.record[0].phases == 0:
            impulse = impulse_of(contacts, one, i, mode)
        before = rate_at(tables, one, start.v0)
        energy = 0.5 * impulse * (before + rate_at(tables, one, state.v))
        state.aux[one.first_aux + IMPULSE] += impulse
        if one.opening >= 0:
            mean = 0.5 * (before + rate_at(tables, one, state.v)) + rows.phi_t[one.row]
            state.aux[one.opening] = start.aux0[one.opening] + h * mean
        if one.works == 1:
            state.aux[one.first_aux + ENERGY] += energy
            state.aux[0] += energy
        else:
            moved = impulse * rows.phi_t[one.row]
            state.aux[one.first_aux + ENERGY] -= energy + moved
            state.aux[0] -= moved
            state.aux[1] -= energy + moved
        if mode == ON and (contacts.bounds[i, REBOUND] > 0.0 or has_gap(tables, one)):
            mode = LOWER
        if one.partner >= 0 and contacts.row_compliance[one.row] > 0.0:
            mode = LOWER
        contacts.bounds[i, TOTAL], contacts.bounds[i, STRUCK] = impulse, 0.0
        if one.upper == inf and impulse > 0.0 and start.mode0[one.row] != ON:
            contacts.bounds[i, STRUCK] = 1.0
            contacts.record[0].impacts += 1
            note_impulse(tables, one.row, impulse)
        set_mode(tables, one.row, mode)
        contacts.lam[one.row] = impulse / h
        # the warm start of the next step
        contacts.last_joint_impulse[one.row] = impulse if mode == ON else 0.0
        if leads(one, i):
            other = bounded.index[one.partner]
            aim(tables, i, -impulse, -impulse_of(contacts, other, one.partner, bounded.chosen[one.partner]))
    release_idle(tables)


@internal
def resume_motions(tables, h):
    """Motions that have come to hold go on from where they are, at the end of the step. Returns a status."""
    bounded, rows, state = view(tables, Bounded).index, view(tables, Rows), view(tables, State)
    evaluated = False
    for i in range(bounded.shape[0]):
        one = bounded[i]
        resumes = state.mode[one.row] == ON and view(tables, Step).mode0[one.row] != ON
        if one.works == 0 or not resumes or rows.level[one.row] != POSITION_LEVEL:
            continue
        if not evaluated:
            state.time[0] = view(tables, Step).record[0].t0 + h
            status = evaluate_eom(tables, FORCES)
            if status != 0:
                return status
            evaluated = True
        state.memory[one.memory] += rows.phi[one.row]
    return 0
