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
    Bounded,
    aim,
    follows,
    is_off,
    leads,
    note_impulse,
    presser,
    release_idle,
)
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.momentum import add_row, row_rate

#: goals of a step above which a bounded row is missed
MISSED_GOALS = 10.0
#: rate that no limit reaches
UNREACHED_RATE = 1e30
#: scale of a row that nobody has asked for in this step
UNKNOWN = -1.0
#: speeds below this count as zero [radii/s or rad/s]; gaps below this count as closed [radii or rad]
SPEED_OF_REST, CLOSED_GAP = 1e-9, 1e-7
#: approach without rebound, in changes of the velocity by forces in the step
SLOW_APPROACH = 2.0


@inlined
def tried_mode(tables, i):
    """The mode of bounded row i in the present solution."""
    return view(tables, Rows).next_mode[view(tables, Bounded).index[i].row]


@inlined
def rate_at(tables, one, v):
    """G v of a bounded row."""
    block = view(tables, Blocks).index[one.block]
    return row_rate(view(tables, Blocks), block, one.row - block.first_row, v)


@inlined
def unit_of(tables, one):
    """The unit of a bounded row: 1 rad, or the smallest radius of a shape."""
    return 1.0 if view(tables, Rows).radians[one.row] == 1 else view(tables, Contacts).record[0].size


@inlined
def is_slow(tables, one, rate):
    """Whether a rate counts as zero."""
    return abs(rate) <= SPEED_OF_REST * unit_of(tables, one)


@inlined
def speed_of_impulse(tables, i, impulse):
    """The speed that an impulse of bounded row i gives [m/s, smallest radii by rad/s]; 0 if nothing moves."""
    scale, one = scale_at(tables, i), view(tables, Bounded).index[i]
    if scale == 0.0:
        return 0.0
    return impulse / (scale * scale) * view(tables, Contacts).record[0].size / unit_of(tables, one)


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
    gap = gap_of(tables, one) > CLOSED_GAP * unit_of(tables, one)
    return one.gap == 1 and gap and view(tables, Step).mode0[one.row] != ON


@internal
def note_rates(tables):
    """Write Φ̇ of all bounded rows at the start of a step, where G is evaluated."""
    bounded, contacts = view(tables, Bounded).index, view(tables, Contacts)
    rows, v = view(tables, Rows), view(tables, State).v
    for i in range(bounded.shape[0]):
        contacts.bounds[i].start_rate = rate_at(tables, bounded[i], v) + rows.phi_t[bounded[i].row]


@internal
def release_bounds(tables):
    """Write OFF as the mode of all bounded rows while forces and accelerations in the middle of the step are
    evaluated: these rows act by impulses, not by forces. `begin_bounds` follows, with G of the middle.
    """
    bounded, mode = view(tables, Bounded).index, view(tables, State).mode
    for i in range(bounded.shape[0]):
        mode[bounded[i].row] = OFF


@internal
def begin_bounds(tables, h):
    """Reads modes at the start of the step (`Step.mode0`), and G in its middle; writes modes to begin with,
    and bounds of the impulses of this step.
    """
    bounded, contacts, state = view(tables, Bounded), view(tables, Contacts), view(tables, State)
    for i in range(bounded.index.shape[0]):
        one, bound = bounded.index[i], contacts.bounds[i]
        bound.scale, mode = UNKNOWN if one.partner < 0 else scale_of(tables, one), mode_at_start(tables, one)
        try_mode(tables, i, mode)
        bound.rests = 1 if mode == ON or is_slow(tables, one, start_rate(tables, i)) else 0
        bound.later_phase = 0
        set_bounds(tables, i, h * state.memory[one.memory] if one.bearing >= 0 else h)
        bound.rebound = 0.0
    for row in range(contacts.joint_impulse.shape[0]):
        if contacts.row_scale[row] == 0.0:
            contacts.joint_impulse[row] = 0.0
    begin_cones(tables)


@inlined
def mode_at_start(tables, one):
    """The mode of a row at the start of the step; of one that was only idle, that of slip."""
    mode0 = view(tables, Step).mode0
    return LOWER if mode0[one.row] == OFF and not is_off(tables, one, mode0) else mode0[one.row]


@internal
def try_mode(tables, i, mode):
    """Let bounded row i have this mode in the solution; where it is on, it is a row of the step."""
    contacts, row = view(tables, Contacts), view(tables, Bounded).index[i].row
    view(tables, Rows).next_mode[row] = mode
    contacts.row_scale[row] = scale_at(tables, i) if mode == ON else 0.0


@internal
def set_bounds(tables, i, factor):
    """Bounds of the impulse of row i: `factor` times those of its force, or of its coefficient; none if it
    does not act.
    """
    bound, one = view(tables, Contacts).bounds[i], view(tables, Bounded).index[i]
    if tried_mode(tables, i) == OFF:
        bound.holds_from = bound.holds_to = bound.lower = bound.upper = 0.0
        return
    rests = bound.rests == 1
    bound.factor = factor
    bound.holds_to = times(factor, one.holds_to if rests else one.upper)
    bound.upper = times(factor, one.upper)
    if one.partner >= 0:
        # what slips on a cone is a row as well, which yields
        bound.lower = 0.0
        return
    bound.last_factor = factor
    bound.holds_from = times(factor, one.holds_from if rests else one.lower)
    bound.lower = times(factor, one.lower)


@inlined
def times(factor, force):
    """The product; infinite if the force is."""
    return force if abs(force) == inf else factor * force


@internal
def respond(tables, one):
    """Write M⁻¹ Gᵀ of a bounded row into `Contacts.F`, at the velocities of its bodies."""
    blocks, F = view(tables, Blocks), view(tables, Contacts).F
    block = blocks.index[one.block]
    for j in range(block.first_member, block.first_member + block.members):
        member = blocks.member[j]
        for c in range(member.first_v, member.first_v + member.nv):
            F[c] = 0.0
    add_row(blocks, block, one.row - block.first_row, 1.0, F)
    for j in range(block.first_member, block.first_member + block.members):
        if blocks.member[j].nv > 0:
            solve_mass(view(tables, Bodies), blocks.member[j].body, F, blocks.member[j].first_v)


@inlined
def scale_at(tables, i):
    """`scale_of` bounded row i, found once in a step; of few rows it is asked for."""
    bound = view(tables, Contacts).bounds[i]
    if bound.scale == UNKNOWN:
        bound.scale = scale_of(tables, view(tables, Bounded).index[i])
    return bound.scale


@internal
def scale_of(tables, one):
    """1 / √(G M⁻¹ Gᵀ) of a row."""
    respond(tables, one)
    norm = rate_at(tables, one, view(tables, Contacts).F)
    return 1.0 / sqrt(norm) if norm > 0.0 else 0.0


@inlined
def given_impulse(contacts, i, mode):
    """The impulse of row i at a bound; 0 if it holds."""
    if mode == ON:
        return 0.0
    return contacts.bounds[i].upper if mode == UPPER else contacts.bounds[i].lower


@inlined
def present_impulse(tables, i):
    """The impulse of bounded row i in the present solution."""
    contacts, mode = view(tables, Contacts), tried_mode(tables, i)
    row = view(tables, Bounded).index[i].row
    return contacts.joint_impulse[row] if mode == ON else given_impulse(contacts, i, mode)


@internal
def push(tables, i, impulse):
    """`Contacts.v_free` ← that + M⁻¹ Gᵀ impulse of row i."""
    if impulse == 0.0:
        return
    contacts, blocks, one = view(tables, Contacts), view(tables, Blocks), view(tables, Bounded).index[i]
    block = blocks.index[one.block]
    respond(tables, one)
    for j in range(block.first_member, block.first_member + block.members):
        member = blocks.member[j]
        for c in range(member.first_v, member.first_v + member.nv):
            contacts.v_free[c] += impulse * contacts.F[c]


@internal
def add_bounds_of_step(tables, h):
    """Reads modes and bounds; adds the impulses of rows at a bound to v_free, and writes G v that rows which
    hold ask for, `Contacts.g`.
    """
    bounded, contacts = view(tables, Bounded).index, view(tables, Contacts)
    if bounded.shape[0] == 0:
        return
    for i in range(bounded.shape[0]):
        push(tables, i, given_impulse(contacts, i, tried_mode(tables, i)))
    set_targets(tables, view(tables, Step).v0, h)


@internal
def set_targets(tables, v, h):
    """Write g of all bounded rows; v: before an impact. A row that holds asks for what joints do, less its
    change δ by the rotation of G and of Φₜ in half a step; others end at rest, close their gap, or rebound.
    """
    bounded, contacts, rows = view(tables, Bounded), view(tables, Contacts), view(tables, Rows)
    v0, mode0 = view(tables, Step).v0, view(tables, Step).mode0
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        contacts.bounds[i].rate_before = rate_at(tables, one, v)
        if one.works == 1:
            if mode0[one.row] != ON:
                contacts.g[one.row] = -rows.phi_t[one.row] + 0.5 * h * rows.gamma[one.row]
            continue
        turned = rate_at(tables, one, v0) - contacts.bounds[i].start_rate
        asked = limit_rate(tables, i, turned) if one.gap == 1 else 0.0
        contacts.g[one.row] = asked - turned - 2.0 * rows.phi_t[one.row]


@internal
def limit_rate(tables, i, turned):
    """Φ̇ at the end that limit i asks for at least: it closes its gap, or rebounds."""
    contacts, one = view(tables, Contacts), view(tables, Bounded).index[i]
    closing, bound = closing_rate(tables, one), contacts.bounds[i]
    before, free = bound.rate_before - turned, rate_at(tables, one, contacts.v_free) - turned
    threshold = max(SLOW_APPROACH * abs(free - before), SPEED_OF_REST * unit_of(tables, one))
    approached = before < -threshold and free + closing < 0.0
    if approached and contacts.record[0].before_impacts == 1:
        bound.approached = 0
        return -UNREACHED_RATE
    bound.approached = 1 if approached else 0
    if one.restitution > 0.0 and approached:
        bound.rebound = -one.restitution * before
        return bound.rebound
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
    turned = rate_at(tables, one, view(tables, Step).v0) - contacts.bounds[i].start_rate
    contacts.bounds[i].rebound = rate
    asked = rate if rate > 0.0 else -closing_rate(tables, one)
    contacts.g[one.row] = asked - turned - 2.0 * view(tables, Rows).phi_t[one.row]


@internal
def let_wait(tables, i):
    """Let limit i not act in a phase of the step."""
    contacts, row = view(tables, Contacts), view(tables, Bounded).index[i].row
    try_mode(tables, i, LOWER)
    contacts.joint_impulse[row], contacts.g[row] = 0.0, -UNREACHED_RATE


@internal
def would_be_passed(tables, i):
    """Whether limit i would be passed at the present velocities."""
    one = view(tables, Bounded).index[i]
    miss = rate_at(tables, one, view(tables, State).v) - view(tables, Contacts).g[one.row]
    return miss < 0.0 and not is_slow(tables, one, miss)


@internal
def start_rate(tables, i):
    """Φ̇ of row i at the start of the step, or the speed of the slip that it has with its partner."""
    bounds, one = view(tables, Contacts).bounds, view(tables, Bounded).index[i]
    rate = bounds[i].start_rate
    return rate if one.partner < 0 else hypot(rate, bounds[one.partner].start_rate)


@internal
def begin_cones(tables):
    """Two slip rows that share a cone are rows of the step if a gap presses them; they stick, or slip as at
    its start.
    """
    bounded, contacts, mode0 = view(tables, Bounded), view(tables, Contacts), view(tables, Step).mode0
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if one.partner < 0 or tried_mode(tables, i) == OFF:
            continue
        row = presser(tables, one)
        presses = row < 0 or mode0[row] == ON
        try_mode(tables, i, ON if presses else LOWER)
        if not presses:
            set_bounds(tables, i, 0.0)
            contacts.joint_impulse[one.row] = 0.0
        if follows(one, i) and contacts.bounds[i].rests == 0:
            begin_slip(tables, one.partner, start_rate(tables, i))


@internal
def begin_slip(tables, i, slip):
    """Let row i and its partner yield with the compliance of this slip under their present bound."""
    bound = view(tables, Contacts).bounds[i]
    bound.last_compliance = slip / bound.upper if bound.upper > 0.0 else 0.0
    bound.too_small, bound.too_large = -1.0, 0.0
    let_yield(tables, i, bound.last_compliance)


@internal
def let_yield(tables, i, compliance):
    """Let the slip of row i and its partner be −c times their impulses; 0: they stick."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    for k in (i, bounded.index[i].partner):
        row, scale = bounded.index[k].row, contacts.bounds[k].scale
        contacts.row_compliance[row] = compliance
        if contacts.row_scale[row] > 0.0:
            contacts.row_scale[row] = scale / sqrt(1.0 + compliance * scale * scale)


@internal
def spend_bounds(tables):
    """Take the impulses of a phase of the step off those that finite bounds leave for the next one."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    for i in range(bounded.index.shape[0]):
        one, bound = bounded.index[i], contacts.bounds[i]
        spent = present_impulse(tables, i)
        contacts.phase_joint_impulse[one.row] += spent - contacts.joint_impulse[one.row]
        bound.later_phase = 1
        if one.bearing >= 0:
            set_bounds(tables, i, 0.0)
            if leads(one, i):
                let_yield(tables, i, 0.0)
        elif leads(one, i):
            # what is left of a cone, in any direction
            left = max(bound.upper - hypot(spent, present_impulse(tables, one.partner)), 0.0)
            bound.holds_to = bound.upper = left
            let_yield(tables, i, 0.0)
        elif one.upper < inf and one.partner < 0:
            bound.holds_from, bound.holds_to = bound.holds_from - spent, bound.holds_to - spent
            bound.lower, bound.upper = bound.lower - spent, bound.upper - spent


@internal
def mean_rate(tables, i):
    """The mean of Φ̇ before a phase and now."""
    one = view(tables, Bounded).index[i]
    now = rate_at(tables, one, view(tables, State).v)
    return 0.5 * (view(tables, Contacts).bounds[i].rate_before + now) + view(tables, Rows).phi_t[one.row]


@internal
def keep_full_rebounds_of_rows(tables):
    """Write impulses, mean rates and rebounds of limits with all of their restitution."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    for i in range(bounded.index.shape[0]):
        bound = contacts.bounds[i]
        bound.full_impulse = present_impulse(tables, i)
        bound.full_mean_rate, bound.full_rebound = mean_rate(tables, i), bound.rebound


@internal
def any_rebounds(tables):
    """Whether a limit rebounds."""
    contacts = view(tables, Contacts)
    for i in range(contacts.bounds.shape[0]):
        if contacts.bounds[i].rebound > 0.0:
            return True
    return False


@internal
def end_bounds(tables, h):
    """Write impulses and energies of the step, and modes at its end; blows count as impacts of the step."""
    bounded, contacts, state = view(tables, Bounded), view(tables, Contacts), view(tables, State)
    start, rows = view(tables, Step), view(tables, Rows)
    for i in range(bounded.index.shape[0]):
        one, bound, mode = bounded.index[i], contacts.bounds[i], tried_mode(tables, i)
        bound.impulse = contacts.joint_impulse[one.row]
        if contacts.record[0].phases == 0:
            bound.impulse = present_impulse(tables, i)
        mean = 0.5 * (rate_at(tables, one, start.v0) + rate_at(tables, one, state.v))
        energy, moved = bound.impulse * mean, bound.impulse * rows.phi_t[one.row]
        state.aux[one.first_aux + IMPULSE] += bound.impulse
        if one.opening >= 0:
            state.aux[one.opening] = start.aux0[one.opening] + h * (mean + rows.phi_t[one.row])
        if one.works == 1:
            state.aux[one.first_aux + ENERGY] += energy
            state.aux[0] += energy
        else:
            state.aux[one.first_aux + ENERGY] -= energy + moved
            state.aux[0] -= moved
            state.aux[1] -= energy + moved
        if mode == ON and (bound.rebound > 0.0 or has_gap(tables, one)):
            mode = LOWER
        if one.partner >= 0 and contacts.row_compliance[one.row] > 0.0:
            mode = LOWER
        bound.struck = 1 if one.upper == inf and bound.impulse > 0.0 and start.mode0[one.row] != ON else 0
        if bound.struck == 1:
            contacts.record[0].impacts += 1
            note_impulse(tables, one.row, bound.impulse)
        state.mode[one.row] = mode
        contacts.lam[one.row] = bound.impulse / h
        # the warm start of the next step
        contacts.last_joint_impulse[one.row] = bound.impulse if mode == ON else 0.0
        if leads(one, i):
            aim(tables, i, -bound.impulse, -present_impulse(tables, one.partner))
    release_idle(tables)


@internal
def resume_motions(tables, h):
    """Motions that have come to hold go on from where they are, at the end of the step. Returns a status."""
    bounded, rows, state = view(tables, Bounded).index, view(tables, Rows), view(tables, State)
    status, evaluated = 0, False
    for i in range(bounded.shape[0]):
        one = bounded[i]
        resumes = state.mode[one.row] == ON and view(tables, Step).mode0[one.row] != ON
        if one.works == 0 or not resumes or rows.level[one.row] != POSITION_LEVEL:
            continue
        if not evaluated:
            state.time[0] = view(tables, Step).record[0].t0 + h
            status, evaluated = evaluate_eom(tables, FORCES), True
        if status == 0:
            state.memory[one.memory] += rows.phi[one.row]
    return status
