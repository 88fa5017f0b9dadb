"""Rows whose forces have bounds: limits, dry friction, motions of limited effort, one-way clutches.

A row holds (Φ̇ = 0, λ within its bounds), or its force is a bound. At the lower one Φ̇ ≥ 0, at the upper one
Φ̇ ≤ 0; a limit is open where Φ > 0. A step ends where one of these is no longer true. There velocities obey
Newton's law of impact, if the bound is infinite,

    Φ̇⁺ + e Φ̇⁻ ≥ 0,  Λ ≥ 0,  Λ (Φ̇⁺ + e Φ̇⁻) = 0

with friction of at most μ times the impulse that presses on its bearing. Other finite forces do nothing in no
time. Then accelerations obey the law of the rows that are at rest. Both are solved by principal pivoting with
the least index (K. G. Murty, Linear Complementarity, 1988), each time with the joints in the factor of S.
Redundant rows share what they carry by the minimum norm.
"""

from __future__ import annotations

from math import atan2, cos, hypot, inf, sin

from mbplugin.kernels.bounded import bound_by, is_idle, is_off, release_idle, row_rate
from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.cones import SPEED_AT_REST, aim, along_reference, follows, leads, rate_of, unit_of_row
from mbplugin.kernels.friction import pressure
from mbplugin.kernels.inertia import evaluate_kinetic_energy, solve_mass
from mbplugin.kernels.projection import refactor
from mbplugin.kernels.rows import row_times, times_row_of
from mbplugin.kernels.schur import VELOCITIES, factor, solve_rows
from mbplugin.kernels.tree.momentum import has_momenta, momenta_of_velocities
from mbplugin.kernels.tree.reactions import BLOW, find_reactions
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vectors import add_scaled, copy, fill
from mbplugin.stepping.changes import note_impulse
from mbplugin.stepping.rates import evaluate_rates
from mbplugin.tables.groups import Bearings, Blocks, Bodies, Bounded, Rates, Rows, State, Step, Trees
from mbplugin.tables.records import ENERGY, IMPULSE, LOWER, OFF, ON, POSITION_LEVEL, UPPER, VELOCITY_LEVEL
from mbplugin.tables.status import NOT_CONVERGED

#: a limit that is nearer is reached [size or rad]; a step ends where a row moves faster against its law, well
#: within the speed of rest [sizes/s or rad/s]
REACHED_GAP, BACKWARDS_SPEED = 1e-10, 1e-10
#: largest distance from where a row holds, at the end of a step of a solver that decides in its steps
#: [size or rad]
GAP_LEFT_OPEN = 1e-6
#: forces below this part of the largest one count as zero, accelerations below this part of their terms:
#: more, since rows that depend on each other are solved to a small residual only
ROUNDING_OF_FORCE, ROUNDING_OF_ACCELERATION = 1e-11, 1e-8
#: a force that gives a smaller acceleration counts as zero [sizes/s² or rad/s²]
NEGLIGIBLE_ACCELERATION = 1e-12
#: largest number of pivots for each row; as many of them exchange the row farthest beyond its bound
MAX_PIVOTS, MAX_PIVOTS_BY_FORCE = 20, 4
#: largest number of turns of each direction of slip, largest turn [rad]; accelerations across the slip below
#: this part of that along it count as zero
MAX_TURNS, LARGEST_TURN, ROUNDING_ACROSS_SLIP = 30, 0.1, 1e-10
#: largest number of sweeps over the friction of an impact; changes of its impulses below this part of their
#: bounds count as zero
MAX_SWEEPS, ROUNDING_OF_FRICTION = 1000, 1e-13
#: steps of the search for a restitution at which friction adds no energy
RESTITUTION_HALVINGS = 40


@inlined
def unit_of(tables, i):
    """Size that counts as 1 in the unit of bounded row i [m or rad]."""
    return unit_of_row(tables, view(tables, Bounded).index[i].row)


@inlined
def is_open(tables, i):
    """Whether row i is a limit that is not reached."""
    one = view(tables, Bounded).index[i]
    return one.gap == 1 and view(tables, Rows).phi[one.row] > REACHED_GAP * unit_of(tables, i)


@inlined
def resists(one):
    """Whether a row takes part in impacts: a finite force does nothing in no time."""
    return one.upper == inf


@internal
def largest_load(tables):
    """Largest |λ| of all rows."""
    rows, largest = view(tables, Rows), 0.0
    for r in range(rows.lam.shape[0]):
        largest = max(largest, abs(rows.lam[r]))
    return largest


@internal
def load_of_size(tables, i, largest):
    """The force to which that of bounded row i is compared: the largest, or one that hardly moves it."""
    scale = view(tables, Rows).scale[view(tables, Bounded).index[i].row]
    return largest + NEGLIGIBLE_ACCELERATION * unit_of(tables, i) * scale * scale / ROUNDING_OF_FORCE


@inlined
def beyond(tables, one, force):
    """How far the force of a row that holds is beyond its bounds, and the bound: LOWER or UPPER."""
    most = bound_by(tables, one)
    low, high = most * one.holds_from - force, force - most * one.holds_to
    return (low, LOWER) if low > high else (high, UPPER)


@internal
def bounded_margins(tables, margins):
    """How far each bounded row is from leaving its law in the state in the tables, whose rates are evaluated,
    to `margins`, in sizes, rad, their rates, or largest forces; negative if it has. Returns whether one has.
    """
    bounded, rows, mode = view(tables, Bounded), view(tables, Rows), view(tables, State).mode
    largest, crossed = largest_load(tables), False
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if mode[one.row] == OFF or is_idle(tables, one):
            margins[i] = 1.0
            continue
        if one.partner >= 0:
            margins[i] = margin_of_cone(tables, i, largest) if leads(one, i) else 1.0
            crossed = crossed or margins[i] < 0.0
            continue
        rate = -row_rate(tables, i) if mode[one.row] == UPPER else row_rate(tables, i)
        if mode[one.row] == ON:
            excess, _ = beyond(tables, one, rows.lam[one.row])
            size = load_of_size(tables, i, largest)
            margins[i] = ROUNDING_OF_FORCE - excess / size if size > 0.0 else 0.0
        else:
            margins[i] = rate / unit_of(tables, i) + BACKWARDS_SPEED
            if one.gap == 1:
                gap = rows.phi[one.row] / unit_of(tables, i)
                margins[i] = gap if margins[i] < 0.0 else abs(gap)
        crossed = crossed or margins[i] < 0.0
    return crossed


@internal
def margin_of_cone(tables, i, largest):
    """The margin of row i and its partner: up to where they slip, or stop."""
    bounded = view(tables, Bounded).index
    one, other = bounded[i], bounded[bounded[i].partner]
    if view(tables, State).mode[one.row] == ON:
        size = load_of_size(tables, i, largest)
        return ROUNDING_OF_FORCE - excess_of_cone(tables, i) / size if size > 0.0 else 0.0
    rate = along_reference(tables, i, rate_of(tables, one), rate_of(tables, other))
    return rate / unit_of(tables, i) + BACKWARDS_SPEED


@internal
def excess_of_cone(tables, i):
    """How far the forces of row i and its partner, which hold, are beyond their cone."""
    bounded, lam = view(tables, Bounded).index, view(tables, Rows).lam
    one = bounded[i]
    force = hypot(lam[one.row], lam[bounded[one.partner].row])
    return force - bound_by(tables, one) * one.holds_to


@by_address(seconds=2, when="bounded")
def settle_bounded(tables):
    """Impacts in the present state, and the modes of bounded rows from now on. Returns a status."""
    status = strike_rows(tables, 0)
    return hold(tables) if status == 0 else status


@by_address(seconds=2, when="bounded")
def strike_rows(tables, joins):
    """The impact of the present state, if there is one; joins: 1: there is, since other rows begin to act.
    Returns a status.
    """
    bounded, state = view(tables, Bounded), view(tables, State)
    status = refactor(tables)
    if status != 0:
        return status
    copy(state.v, bounded.v)
    for i in range(bounded.index.shape[0]):
        bounded.rate[i] = row_rate(tables, i)
    if not is_struck(tables) and joins == 0:
        return 0
    before = evaluate_kinetic_energy(tables, bounded.v)
    status = strike(tables, 1.0)
    if status == NOT_CONVERGED:
        # some rebound is what another row forbids: none rebounds
        status = strike(tables, 0.0)
    elif status == 0 and view(tables, Bearings).index.shape[0] > 0 and gains(tables, before):
        status = strike_without_gain(tables, before)
    if status != 0:
        return status
    book(tables, before)
    if has_momenta(tables):
        momenta_of_velocities(tables)
    return refactor(tables)


@internal
def gains(tables, before):
    """Whether an impact adds energy to `before` [J] and the work of motions in it."""
    lost, _ = loss(tables, before)
    return lost < -ROUNDING_OF_FORCE * before


@internal
def strike_without_gain(tables, before):
    """The impact with the largest part of its restitution at which friction does not let energy grow, by
    bisection; without restitution it never does. Returns a status.
    """
    low, high = 0.0, 1.0
    for _ in range(RESTITUTION_HALVINGS):
        part = 0.5 * (low + high)
        if strike(tables, part) == 0 and not gains(tables, before):
            low = part
        else:
            high = part
    return strike(tables, low)


@inlined
def left_open(tables):
    """How far rows with bounds may be from where they hold at the end of a step [size or rad]."""
    bounded = view(tables, Bounded)
    return GAP_LEFT_OPEN if bounded.index.shape[0] > 0 and bounded.located[0] == 0 else 0.0


@internal
def has_passed(tables, most):
    """Whether a gap that acts is negative by more than `most` [size or rad]."""
    bounded, phi, mode = view(tables, Bounded).index, view(tables, Rows).phi, view(tables, State).mode
    for i in range(bounded.shape[0]):
        if is_off(tables, bounded[i], mode):
            continue
        if bounded[i].gap == 1 and phi[bounded[i].row] < -most * unit_of(tables, i):
            return True
    return False


@by_address(seconds=2, when="bounded")
def pass_jump(tables):
    """The impulse where rates that rows prescribe have jumped, in evaluated tables; none if all rows hold.
    Finite forces do nothing in it: what they held moves on as before. Returns a status.
    """
    if not has_jumped(tables):
        return 0
    status = strike_rows(tables, 1)
    if status != 0:
        return status
    if view(tables, Bounded).located[0] == 1:
        return hold(tables)
    # the solver decides in its step, from what holds now
    bounded, held = view(tables, Bounded), view(tables, Step).mode1
    for i in range(bounded.index.shape[0]):
        row, rate = bounded.index[i].row, row_rate(tables, i)
        if held[row] == ON and not resists(bounded.index[i]):
            rests = abs(rate) <= SPEED_AT_REST * unit_of(tables, i)
            view(tables, State).mode[row] = ON if rests else mode_of_rate(bounded.index[i], rate)
    return refactor(tables)


@inlined
def mode_of_rate(one, rate):
    """The mode of a row that does not hold, by its Φ̇."""
    return LOWER if rate > 0.0 or one.partner >= 0 or resists(one) else UPPER


@internal
def times_G(tables, v, out):
    """out (nc,) = G v of all rows, unscaled."""
    blocks = view(tables, Blocks)
    for k in range(blocks.index.shape[0]):
        first = blocks.index[k].first_row
        for r in range(blocks.index[k].rows):
            out[first + r] = row_times(tables, k, r, v)


@internal
def has_jumped(tables):
    """Whether velocities miss the rate of a row that holds, or move against the force of one at a bound."""
    rows, rates = view(tables, Rows), view(tables, Rows).target
    bounded, mode = view(tables, Bounded).index, view(tables, State).mode
    for i in range(bounded.shape[0]):
        one, rate = bounded[i], row_rate(tables, i)
        backwards = rate if mode[one.row] == UPPER else -rate
        at_bound = mode[one.row] == LOWER or mode[one.row] == UPPER
        if (
            at_bound
            and one.partner < 0
            and not is_open(tables, i)
            and backwards > SPEED_AT_REST * unit_of(tables, i)
        ):
            return True
    times_G(tables, view(tables, State).v, rates)
    for r in range(rates.shape[0]):
        holds = mode[r] == ON and rows.level[r] <= VELOCITY_LEVEL
        least = SPEED_AT_REST * max(unit_of_row(tables, r), abs(rows.phi_t[r]))
        if holds and abs(rates[r] + rows.phi_t[r]) > least:
            return True
    return False


@internal
def is_struck(tables):
    """Choose the rows that resist an impact, if there is one. Returns whether there is."""
    bounded, mode, next_mode = view(tables, Bounded), view(tables, State).mode, view(tables, Rows).next_mode
    struck = False
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        approached = mode[one.row] != ON and bounded.rate[i] < 0.0 and not is_open(tables, i)
        holds = resists(one) and (approached or mode[one.row] == ON)
        next_mode[one.row] = ON if holds else LOWER
        if is_off(tables, one, mode):
            next_mode[one.row] = OFF
            continue
        struck = struck or (approached and resists(one))
    return struck


@internal
def take_part(tables):
    """Let bounded rows have the modes that are tried; idle ones are off."""
    bounded, next_mode = view(tables, Bounded).index, view(tables, Rows).next_mode
    for i in range(bounded.shape[0]):
        view(tables, State).mode[bounded[i].row] = next_mode[bounded[i].row]
    release_idle(tables)


@inlined
def rebound(tables, i, part):
    """Φ̇⁺ that a row which resists asks for at least; part: of its restitution."""
    bounded = view(tables, Bounded)
    speed = -part * bounded.index[i].restitution * bounded.rate[i]
    return speed if speed > SPEED_AT_REST * unit_of(tables, i) else 0.0


@internal
def strike(tables, part):
    """The impact of the chosen rows, with a part of their restitution. Returns a status: NOT_CONVERGED if no
    velocities obey the law.
    """
    for _ in range(MAX_PIVOTS * view(tables, Bounded).index.shape[0]):
        take_part(tables)
        status = factor(tables, VELOCITY_LEVEL)
        if status != 0:
            return status
        solve_struck(tables, part)
        if exchange_struck(tables, part):
            continue
        return 0 if obeyed(tables, part) else NOT_CONVERGED
    return NOT_CONVERGED


@internal
def solve_struck(tables, part):
    """Velocities and impulses of the chosen rows, and in `Rows.load` the impulses of friction by what presses
    on bearings: |Λ| ≤ μ P, −Λ along Φ̇⁺ where that is not 0. Projections onto the bounds, one row after the
    other; none rubs if they do not end, as where a bearing wedges.
    """
    bounded, load = view(tables, Bounded), view(tables, Rows).load
    fill(load, 0.0)
    if view(tables, Bearings).index.shape[0] > 0:
        for i in range(bounded.index.shape[0]):
            bounded.across[i] = mobility(tables, i)
    meet(tables, part)
    if view(tables, Bearings).index.shape[0] == 0:
        return
    for _ in range(MAX_SWEEPS):
        changed = False
        for i in range(bounded.index.shape[0]):
            if rub(tables, i):
                meet(tables, part)
                changed = True
        if not changed:
            return
    fill(load, 0.0)
    meet(tables, part)


@internal
def meet(tables, part):
    """Velocities after the friction in `Rows.load` and the impulses with which the chosen rows meet them."""
    bounded, rows = view(tables, Bounded), view(tables, Rows)
    copy(bounded.v, view(tables, State).v)
    give(tables)
    for r in range(rows.phi.shape[0]):
        rows.target[r] = -rows.scale[r] * rows.phi_t[r]
    for i in range(bounded.index.shape[0]):
        r = bounded.index[i].row
        rows.target[r] += rows.scale[r] * rebound(tables, i, part)
    solve_rows(tables, VELOCITIES)


@internal
def give(tables):
    """v ← v + M⁻¹ Gᵀ Λ of the friction in `Rows.load`."""
    blocks, bodies, index = view(tables, Blocks), view(tables, Bodies), view(tables, Bounded).index
    load, v, change = view(tables, Rows).load, view(tables, State).v, view(tables, Rates).v_dot
    given = False
    for i in range(index.shape[0]):
        one = index[i]
        if load[one.row] == 0.0:
            continue
        if not given:
            fill(change, 0.0)
            given = True
        block = blocks.index[one.block]
        for j in range(block.first_member, block.first_member + block.members):
            member = blocks.member[j]
            first = member.first_G + (one.row - block.first_row) * member.nv
            add_scaled(load[one.row], blocks.G, first, change, member.first_v, member.nv)
    if not given:
        return
    for i in range(bodies.index.shape[0]):
        if bodies.index[i].nv > 0:
            solve_mass(bodies, i, change, bodies.index[i].first_v)
    add_scaled(1.0, change, 0, v, 0, change.shape[0])


@internal
def mobility(tables, i):
    """Change of Φ̇ of bounded row i by an impulse along it, if it is one of a bearing that what presses there
    may rub; else 0, as where the rows that hold let it not move.
    """
    one, rows, state = view(tables, Bounded).index[i], view(tables, Rows), view(tables, State)
    v = state.v
    if one.bearing < 0 or is_off(tables, one, state.mode) or is_idle(tables, one):
        return 0.0
    fill(v, 0.0)
    rows.load[one.row] = 1.0
    give(tables)
    rows.load[one.row] = 0.0
    alone = times_row_of(tables, one, v)
    fill(rows.target, 0.0)
    solve_rows(tables, VELOCITIES)
    moves = times_row_of(tables, one, v)
    return moves if moves > ROUNDING_OF_ACCELERATION * alone else 0.0


@internal
def rub(tables, i):
    """Project the impulse of friction of bounded row i, with its partner, onto its bound. Returns whether it
    has changed.
    """
    bounded, load = view(tables, Bounded), view(tables, Rows).load
    one = bounded.index[i]
    if bounded.across[i] == 0.0 or follows(one, i):
        return False
    most = one.upper * impulse_on(tables, one.bearing)
    a, b = stopped(tables, i), stopped(tables, one.partner) if one.partner >= 0 else 0.0
    size = hypot(a, b)
    part = most / size if size > most else 1.0
    change = abs(part * a - load[one.row])
    load[one.row] = part * a
    if one.partner >= 0:
        row = bounded.index[one.partner].row
        change = hypot(change, part * b - load[row])
        load[row] = part * b
    return change > ROUNDING_OF_FRICTION * most


@inlined
def stopped(tables, i):
    """The impulse of friction after which bounded row i would not slip."""
    bounded, rate = view(tables, Bounded), row_rate(tables, i)
    moves = (
        bounded.across[i]
        if bounded.across[i] > 0.0 and abs(rate) > SPEED_AT_REST * unit_of(tables, i)
        else inf
    )
    return view(tables, Rows).load[bounded.index[i].row] - rate / moves


@internal
def impulse_on(tables, k):
    """Pressure of the impulses of the rows that hold on bearing k [N·s, N·m·s]."""
    one, rows = view(tables, Bearings).index[k], view(tables, Rows)
    if one.pressing >= 0:
        return max(rows.lam[one.pressing] * rows.scale[one.pressing], 0.0)
    if one.link >= 0:
        reactions_of_impact(tables)
    for r in range(one.first_row, one.first_row + one.rows):
        rows.lam[r] *= rows.scale[r]
    pressed = pressure(tables, k)
    for r in range(one.first_row, one.first_row + one.rows):
        rows.lam[r] = rows.lam[r] / rows.scale[r] if rows.scale[r] != 0.0 else 0.0
    return pressed


@internal
def reactions_of_impact(tables):
    """Impulses of the joints that carry links, from those of rows and of friction and the change of v."""
    trees, rows, before = view(tables, Trees), view(tables, Rows), view(tables, Bounded).v
    force, change, v = trees.row_force, view(tables, Rates).v_dot, view(tables, State).v
    for r in range(force.shape[0]):
        force[r] = rows.lam[r] * rows.scale[r] + rows.load[r]
    for k in range(v.shape[0]):
        change[k] = v[k] - before[k]
    find_reactions(tables, force, change, BLOW)


@internal
def obeyed(tables, part):
    """Whether the rows that resist have the velocities that they ask for: contradictory ones have not."""
    bounded, mode = view(tables, Bounded), view(tables, State).mode
    for i in range(bounded.index.shape[0]):
        asked = rebound(tables, i, part) - 10.0 * SPEED_AT_REST * unit_of(tables, i)
        takes_part = resists(bounded.index[i]) and not is_off(tables, bounded.index[i], mode)
        if takes_part and not is_open(tables, i) and row_rate(tables, i) < asked:
            return False
    return True


@internal
def exchange_struck(tables, part):
    """Exchange the first row that contradicts the law of impact. Returns whether there is one."""
    bounded, rows = view(tables, Bounded), view(tables, Rows)
    largest = largest_load(tables)
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if not resists(one) or rows.next_mode[one.row] == OFF:
            continue
        if rows.next_mode[one.row] == ON:
            wrong = rows.lam[one.row] < -ROUNDING_OF_FORCE * largest
        else:
            asked = rebound(tables, i, part) - SPEED_AT_REST * unit_of(tables, i)
            wrong = not is_open(tables, i) and row_rate(tables, i) < asked
        if wrong:
            rows.next_mode[one.row] = LOWER if rows.next_mode[one.row] == ON else ON
            return True
    return False


@internal
def hold(tables):
    """Choose the modes from now on. Returns a status; rates are those of the state then."""
    bounded, rows, state = view(tables, Bounded), view(tables, Rows), view(tables, State)
    n = bounded.index.shape[0]
    for i in range(n):
        one, rate = bounded.index[i], row_rate(tables, i)
        bounded.rate[i], rows.next_mode[one.row] = rate, ON
        if is_off(tables, one, state.mode):
            rows.next_mode[one.row] = OFF
        elif not at_rest(tables, i):
            rows.next_mode[one.row] = mode_of_rate(one, rate)
    aim_slips(tables)
    for k in range((MAX_PIVOTS + MAX_TURNS) * n + 1):
        for i in range(n):
            one = bounded.index[i]
            resumes = rows.next_mode[one.row] == ON and state.mode[one.row] != ON
            if one.works == 1 and resumes and rows.level[one.row] == POSITION_LEVEL:
                # a motion goes on from where it is
                state.memory[one.memory] += rows.phi[one.row]
        take_part(tables)
        status = evaluate_rates(tables)
        if status != 0:
            return status
        if not exchange_held(tables, k > MAX_PIVOTS_BY_FORCE * n) and not turn_slips(tables):
            return 0
    return NOT_CONVERGED


@inlined
def at_rest(tables, i):
    """Whether Φ̇ of row i, in `Bounded.rate`, with that of its partner, is rest, and the row no limit that is
    open.
    """
    bounded = view(tables, Bounded)
    rate, partner = abs(bounded.rate[i]), bounded.index[i].partner
    if partner >= 0:
        rate = hypot(rate, row_rate(tables, partner))
    return not is_open(tables, i) and rate <= SPEED_AT_REST * unit_of(tables, i)


@internal
def exchange_held(tables, by_index):
    """Exchange a row that contradicts its law in accelerations: the first one, or that with the largest force
    beyond a bound, whose contradiction spoils the others. Returns whether there is one.
    """
    bounded, rows = view(tables, Bounded), view(tables, Rows)
    largest, worst, found, mode = largest_load(tables), 0.0, -1, ON
    for i in range(bounded.index.shape[0]):
        one, after, excess = bounded.index[i], ON, 0.0
        tried = rows.next_mode[one.row]
        if tried == OFF or is_idle(tables, one) or follows(one, i):
            continue
        if tried != ON:
            after = resumed(tables, i)
        elif leads(one, i):
            excess = excess_of_cone(tables, i)
            after = LOWER if excess > ROUNDING_OF_FORCE * load_of_size(tables, i, largest) else ON
        else:
            excess, bound = beyond(tables, one, rows.lam[one.row])
            after = bound if excess > ROUNDING_OF_FORCE * load_of_size(tables, i, largest) else ON
        if after != tried and (found < 0 or excess > worst):
            found, mode, worst = i, after, excess
            if by_index:
                break
    if found >= 0:
        row, partner = bounded.index[found].row, bounded.index[found].partner
        rows.next_mode[row] = mode
        if partner >= 0:
            other = bounded.index[partner].row
            rows.next_mode[other] = mode
            if mode != ON:
                aim(tables, found, -rows.lam[row], -rows.lam[other])
                forget_turns(tables, found)
    return found >= 0


@internal
def aim_slips(tables):
    """Let rows that slip, and are not at rest, do so in their present direction."""
    bounded, next_mode = view(tables, Bounded), view(tables, Rows).next_mode
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if leads(one, i) and next_mode[one.row] not in (ON, OFF):
            next_mode[one.row] = next_mode[bounded.index[one.partner].row] = LOWER
            aim(tables, i, bounded.rate[i], bounded.rate[one.partner])
            forget_turns(tables, i)


@internal
def forget_turns(tables, i):
    """The direction of slip of row i has no slope yet."""
    view(tables, Bounded).across[i] = 0.0


@internal
def turn_slips(tables):
    """Let what begins to slip do so in the direction of its acceleration a = W (q − μ p d), d = (cos θ, sin
    θ): the root of g = a × d, which grows with θ there, by the secant method. Returns whether a direction has
    turned.
    """
    bounded, memory, turned = view(tables, Bounded), view(tables, State).memory, False
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if not leads(one, i) or view(tables, State).mode[one.row] != LOWER or not at_rest(tables, i):
            continue
        a, b = acceleration(tables, i), acceleration(tables, one.partner)
        c, s = memory[one.memory + 1], memory[bounded.index[one.partner].memory + 1]
        g, angle, size = a * s - b * c, atan2(s, c), hypot(a, b)
        if abs(g) <= max(ROUNDING_ACROSS_SLIP * size, SPEED_AT_REST * unit_of(tables, i)):
            continue
        slope = size
        turn = angle - bounded.angle[i]
        turn = atan2(sin(turn), cos(turn))
        if bounded.across[i] != 0.0 and turn != 0.0:
            slope = (g - bounded.across[i]) / turn
        change = -g / slope if slope > 0.0 else -g / size
        change = min(max(change, -LARGEST_TURN), LARGEST_TURN)
        bounded.angle[i], bounded.across[i] = angle, g
        aim(tables, i, cos(angle + change), sin(angle + change))
        turned = True
    return turned


@inlined
def resumed(tables, i):
    """The mode of row i, whose force is a bound: ON if it accelerates against that force's law."""
    one = view(tables, Bounded).index[i]
    tried = view(tables, Rows).next_mode[one.row]
    if not at_rest(tables, i):
        return tried
    a = acceleration(tables, i)
    if one.partner >= 0:
        a = along_reference(tables, i, a, acceleration(tables, one.partner))
    backwards = a < 0.0 if tried == LOWER else a > 0.0
    return ON if backwards else tried


@inlined
def acceleration(tables, i):
    """Φ̈ of row i; 0 if it is rounding, or next to nothing."""
    one, rows = view(tables, Bounded).index[i], view(tables, Rows)
    place = one.row - view(tables, Blocks).index[one.block].first_row
    moves = row_times(tables, one.block, place, view(tables, Rates).v_dot)
    value = moves - rows.gamma[one.row]
    least = max(
        ROUNDING_OF_ACCELERATION * (abs(moves) + abs(rows.gamma[one.row])), SPEED_AT_REST * unit_of(tables, i)
    )
    return value if abs(value) > least else 0.0


@internal
def book(tables, before):
    """Add the impulses of an impact, and the energy that it takes from `before` [J], to what has been so far;
    motions do work in it.
    """
    bounded, state, rows, total = view(tables, Bounded), view(tables, State), view(tables, Rows), 0.0
    lost, work = loss(tables, before)
    state.aux[0] += work
    state.aux[1] += lost
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        total += share(tables, i)
        if rows.load[one.row] != 0.0:
            # 0 where other impulses turn the slip round
            rubbed = max(-0.5 * rows.load[one.row] * (bounded.rate[i] + row_rate(tables, i)), 0.0)
            state.aux[one.first_aux + IMPULSE] += rows.load[one.row]
            state.aux[one.first_aux + ENERGY] += rubbed
            lost -= rubbed
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if rows.next_mode[one.row] == ON:
            impulse = rows.lam[one.row] * rows.scale[one.row]
            state.aux[one.first_aux + IMPULSE] += impulse
            note_impulse(tables, one.row, impulse)
        if total > 0.0:
            state.aux[one.first_aux + ENERGY] += lost * share(tables, i) / total


@internal
def loss(tables, before):
    """Energy that an impact takes from `before` [J] and the work of motions in it, and that work."""
    work = work_of_impulses(tables)
    return before + work - evaluate_kinetic_energy(tables, view(tables, State).v), work


@internal
def work_of_impulses(tables):
    """−Λ Φₜ of all rows, of those that held before with the mean of Φₜ⁻ = −G v⁻ and Φₜ⁺: where the speed of a
    motion jumps, that is the change of the kinetic energy.
    """
    rows, held, before = view(tables, Rows), view(tables, Step).mode1, view(tables, Rows).target
    times_G(tables, view(tables, Bounded).v, before)
    work = 0.0
    for r in range(before.shape[0]):
        speed = 0.5 * (before[r] - rows.phi_t[r]) if held[r] == ON else -rows.phi_t[r]
        work += rows.lam[r] * rows.scale[r] * speed - rows.load[r] * rows.phi_t[r]
    return work


@inlined
def share(tables, i):
    """Share that row i takes of the energy of an impact, up to a factor: Λ |Φ̇⁻| (1 − e²)."""
    bounded, rows = view(tables, Bounded), view(tables, Rows)
    one = bounded.index[i]
    if rows.next_mode[one.row] != ON:
        return 0.0
    impulse = rows.lam[one.row] * rows.scale[one.row]
    return impulse * abs(bounded.rate[i]) * (1.0 - one.restitution * one.restitution)
