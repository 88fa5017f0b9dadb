"""Rows whose forces have bounds, in a step: limits, dry friction, clutches, motions of limited effort.

A row holds, G v₁ = g, as a joint does, or it gives the impulse h λ of a bound of its force. After a solution
rows that contradict their law are exchanged, and the step is solved for again: principal pivoting (K. G.
Murty, Linear Complementarity, 1988) around the solution for contacts. What has held before keeps its mean
velocity, as joints do; what comes to hold stops at the end of the step, or closes its gap; a limit that is
struck rebounds by Newton's law. Finite forces are those of the whole step, and do nothing in an impact.
"""

from __future__ import annotations

from math import inf, sqrt

from mbplugin.interface import inlined, internal
from mbplugin.stepping import (
    ENERGY,
    FORCES,
    IMPULSE,
    LOWER,
    OFF,
    ON,
    POSITION_LEVEL,
    UPPER,
    Bearings,
    Blocks,
    Bodies,
    Bounded,
    Rows,
    State,
    Step,
    copy,
    evaluate_eom,
    note_impulse,
    pressure,
    run_part,
    set_mode,
    solve_mass,
    view,
)
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.best import BEFORE as KEPT
from mbplugin_contact.best import keep, return_to
from mbplugin_contact.groups import LOADED, group_bodies
from mbplugin_contact.linear import FACTORS, STEP
from mbplugin_contact.momentum import add_row, measure, momentum_balance, row_rate
from mbplugin_contact.parts import LINEAR
from mbplugin_contact.solve import joints_open, solve_present

#: columns of `Contacts.bounds`: impulses between which a row holds; those of a row that does not; its scale;
#: the rate of its rebound, 0 if it has none; its impulse in the step; 1: that was a blow; Φ̇ at the start;
#: 1: it rests there; what the bounds are multiplied by, the step or an impulse on a bearing, and the last one
#: with what it has led to; 1: it is in a later phase of the step; G v before that
FROM, TO, LOW, HIGH, SCALE, REBOUND, TOTAL, STRUCK, RATE, RESTS = range(10)
FACTOR, TRIED, FOUND, LATER, BEFORE = range(10, 15)
#: and of a blow with all of its rebound: impulse, mean rate, rebound
IMPULSE_ALL, MEAN_ALL, REBOUND_ALL = range(15, 18)
#: column of `Contacts.sums`: 1: rows of the group contradict each other
OPEN = 0
#: speed that is rest [radii/s or rad/s]; gap that is none [radii or rad]
REST, CLOSE = 1e-9, 1e-7
#: impulse that is rounding, of the largest one
ROUNDING = 1e-11
#: exchanges for each row, at most; tries in which all rows that contradict their law are exchanged at once
PIVOTS, AT_ONCE = 20, 4
#: goals of a step, and parts of the fastest row, above which a row is missed
GOALS, SOLVED = 10.0, 1e-5
#: change of the pressure on a bearing that is rounding; slope of its iteration at which no secant is taken
PRESSED, STEEP = 1e-9, 0.9
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
def has_gap(tables, one):
    """Whether a row is a limit that is not reached in the middle of the step."""
    return one.gap == 1 and view(tables, Rows).phi[one.row] > CLOSE * unit_of(tables, one)


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
    bounded, contacts, start = view(tables, Bounded), view(tables, Contacts), view(tables, Step)
    state = view(tables, State)
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        mode = bounded.chosen[i] = start.mode0[one.row]
        rests = mode == ON or is_slow(tables, one, contacts.bounds[i, RATE])
        contacts.bounds[i, RESTS], contacts.bounds[i, LATER] = 1.0 if rests else 0.0, 0.0
        set_bounds(tables, i, h * state.memory[one.memory] if one.bearing >= 0 else h)
        contacts.bounds[i, SCALE] = scale_of(tables, one)
        contacts.bounds[i, REBOUND] = 0.0
        contacts.row_scale[one.row] = contacts.bounds[i, SCALE] if mode == ON else 0.0
        if mode != ON:
            contacts.impulse[one.row] = 0.0


@internal
def set_bounds(tables, i, factor):
    """Bounds of the impulse of row i: `factor` times those of its force, or of its coefficient."""
    contacts, one = view(tables, Contacts), view(tables, Bounded).index[i]
    rests = contacts.bounds[i, RESTS] == 1.0
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
    """g of all rows. Of one that holds it is that of joints, its change δ by the rotation of G in half a step
    taken off; others end at rest, or close their gap, or rebound. v: before an impact.
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
        asked = limit_rate(tables, i, v, turned) if one.gap == 1 else 0.0
        contacts.g[one.row] = asked - turned


@internal
def limit_rate(tables, i, v, turned):
    """Φ̇ at the end that limit i asks for at least: it closes its gap, or rebounds from v."""
    contacts, one = view(tables, Contacts), view(tables, Bounded).index[i]
    closing = closing_rate(tables, one)
    before, free = rate_at(tables, one, v) - turned, rate_at(tables, one, contacts.v_free) - turned
    threshold = max(SLOW * abs(free - before), REST * unit_of(tables, one))
    if one.restitution > 0.0 and before < -threshold and free + closing < 0.0:
        contacts.bounds[i, REBOUND] = -one.restitution * before
        return -one.restitution * before
    return -closing


@inlined
def closing_rate(tables, one):
    """The rate at which a limit closes its gap in the step; 0 if there is none."""
    if not has_gap(tables, one):
        return 0.0
    return view(tables, Rows).phi[one.row] / view(tables, Step).record[0].length


def solve_with_bounds(tables, number):
    """`solve_present`, with each bounded row in the mode that its law asks for. Returns a status."""
    n, contradictions, changed = view(tables, Bounded).index.shape[0], 0, True
    status = solve_present(tables)
    for k in range(PIVOTS * n):
        if status != 0:
            return status
        if worst_miss(tables, True) > 0.0:
            contradictions += 1
            changed = give_way(tables, contradictions > n)
        else:
            pressed = follow_pressures(tables)
            changed = exchange(tables, k >= AT_ONCE) or pressed
        if changed:
            status = solve_from_free(tables)
        else:
            # impulses that were far from these have left rounding of their own size
            status = refine(tables)
            break
    if status == 0 and n > 0:
        record = view(tables, Contacts).record[0]
        worst = max(worst_miss(tables, False), worst_friction(tables))
        if worst > 0.0:
            record.missed, record.residual = 1, max(record.residual, worst)
    return status


@internal
def refine(tables):
    """Solve once more if joints miss their velocities. Returns a status."""
    measure(tables)
    return solve_from_free(tables) if joints_open(tables) else 0


@internal
def solve_from_free(tables):
    """Solve for the step from its free velocities and the impulses that are there. Returns a status."""
    copy(view(tables, Contacts).v_free, view(tables, State).v)
    return solve_present(tables)


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
        before, last = contacts.bounds[i, TRIED], contacts.bounds[i, FOUND]
        if abs(found - used) <= PRESSED * (found + used):
            continue
        slope = (found - last) / (used - before) if used != before else 0.0
        new = max(used + (found - used) / (1.0 - slope), 0.0) if abs(slope) < STEEP else found
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
    keep(tables, KEPT)
    forget_impulses(tables)
    status = run_part(tables, LINEAR, FACTORS)
    if status == 0:
        momentum_balance(tables, v)
        run_part(tables, LINEAR, STEP)
        for c in range(v.shape[0]):
            v[c] += contacts.step[c]
        for row in range(contacts.impulse.shape[0]):
            contacts.impulse[row] += contacts.impulse_step[row]
        if exchange(tables, False):
            forget_impulses(tables)
            return True
    return_to(tables, KEPT)
    if not nothing_rebounds(tables):
        return False
    forget_impulses(tables)
    return True


@internal
def nothing_rebounds(tables):
    """Limits that rebound only stop, or close their gap, in groups of bodies with rows that contradict each
    other. Returns whether there is one.
    """
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    found, least = False, least_miss(tables)
    group_bodies(tables, LOADED)
    for i in range(bounded.index.shape[0]):
        if bounded.chosen[i] == ON and miss_of(tables, i) > least:
            contacts.sums[group_of_row(tables, i), OPEN] = 1.0
    for i in range(bounded.index.shape[0]):
        if contacts.bounds[i, REBOUND] > 0.0 and contacts.sums[group_of_row(tables, i), OPEN] == 1.0:
            rebound(tables, i, 0.0)
            found = True
    return found


@internal
def rebound(tables, i, rate):
    """Let limit i rebound with this rate; 0: it stops, or closes its gap."""
    contacts, one = view(tables, Contacts), view(tables, Bounded).index[i]
    turned = rate_at(tables, one, view(tables, Step).v0) - contacts.bounds[i, RATE]
    contacts.bounds[i, REBOUND] = rate
    contacts.g[one.row] = (rate if rate > 0.0 else -closing_rate(tables, one)) - turned


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
def forget_impulses(tables):
    """No impulses of joints: those of rows that contradict each other are no start for others."""
    impulse = view(tables, Contacts).impulse
    for row in range(impulse.shape[0]):
        impulse[row] = 0.0


@internal
def exchange(tables, one_only):
    """Exchange rows that contradict their law, or the first one. Returns whether there is one."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    found, largest = False, 0.0
    for i in range(bounded.index.shape[0]):
        largest = max(largest, abs(contacts.impulse[bounded.index[i].row]))
    for i in range(bounded.index.shape[0]):
        mode = lawful_mode(tables, i, ROUNDING * largest)
        if mode == bounded.chosen[i]:
            continue
        found, one = True, bounded.index[i]
        push(tables, i, given_impulse(contacts, i, mode) - given_impulse(contacts, i, bounded.chosen[i]))
        bounded.chosen[i] = mode
        contacts.impulse[one.row] = 0.0
        contacts.row_scale[one.row] = contacts.bounds[i, SCALE] if mode == ON else 0.0
        if one_only:
            break
    return found


@internal
def lawful_mode(tables, i, tolerance):
    """The mode of row i that its impulse, or its velocity, asks for. tolerance: impulse that is rounding."""
    bounded, contacts = view(tables, Bounded), view(tables, Contacts)
    one, mode = bounded.index[i], bounded.chosen[i]
    if mode == ON:
        impulse = contacts.impulse[one.row]
        if impulse < contacts.bounds[i, FROM] - tolerance:
            return LOWER
        return UPPER if impulse > contacts.bounds[i, TO] + tolerance else ON
    miss = rate_at(tables, one, view(tables, State).v) - contacts.g[one.row]
    backwards = miss > 0.0 if mode == UPPER else miss < 0.0
    if not backwards or is_slow(tables, one, miss):
        return mode
    # other rows only add to the mass that the row has to stop
    least = abs(miss) * contacts.bounds[i, SCALE] * contacts.bounds[i, SCALE]
    if least > contacts.bounds[i, HIGH] - contacts.bounds[i, LOW]:
        return LOWER if mode == UPPER else UPPER
    return ON


@internal
def miss_of(tables, i):
    """The residual of bounded row i at the present velocities: |Φ̇ − g| if it holds, else what it moves
    against its bound [m/s, smallest radii by rad/s].
    """
    bounded, contacts, v = view(tables, Bounded), view(tables, Contacts), view(tables, State).v
    one, mode = bounded.index[i], bounded.chosen[i]
    miss = rate_at(tables, one, v) - contacts.g[one.row]
    if mode == ON:
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
        if bounded.chosen[i] == ON:
            speed = abs(contacts.g[one.row]) * contacts.record[0].size / unit_of(tables, one)
            fastest = max(fastest, speed)
    return GOALS * contacts.record[0].goal + SOLVED * fastest


@internal
def worst_miss(tables, held):
    """The largest residual of a bounded row, or of those that hold alone; 0 if it is rounding."""
    bounded, worst = view(tables, Bounded), 0.0
    for i in range(bounded.index.shape[0]):
        if bounded.chosen[i] == ON or not held:
            worst = max(worst, miss_of(tables, i))
    return worst if worst > least_miss(tables) else 0.0


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
        elif one.upper < inf:
            for c in range(FROM, HIGH + 1):
                contacts.bounds[i, c] -= spent


@inlined
def impulse_of(contacts, one, i, mode):
    """The impulse of row i in this mode."""
    return contacts.impulse[one.row] if mode == ON else given_impulse(contacts, i, mode)


@internal
def mean_rate(tables, i):
    """The mean of G v before a phase and now."""
    one = view(tables, Bounded).index[i]
    now = rate_at(tables, one, view(tables, State).v)
    return 0.5 * (view(tables, Contacts).bounds[i, BEFORE] + now)


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
    start = view(tables, Step)
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        mode = bounded.chosen[i]
        impulse = contacts.impulse[one.row]
        if contacts.record[0].phases == 0:
            impulse = impulse_of(contacts, one, i, mode)
        before = rate_at(tables, one, start.v0)
        energy = 0.5 * impulse * (before + rate_at(tables, one, state.v))
        state.aux[one.first_aux + IMPULSE] += impulse
        state.aux[one.first_aux + ENERGY] += energy if one.works == 1 else -energy
        if one.works == 1:
            state.aux[0] += energy
        else:
            state.aux[1] -= energy
        if mode == ON and (contacts.bounds[i, REBOUND] > 0.0 or has_gap(tables, one)):
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
