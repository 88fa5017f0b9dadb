"""Rows whose forces have bounds: their rates, and their forces at a bound."""

from __future__ import annotations

from math import inf

from mbplugin.kernels.cones import take_directions
from mbplugin.kernels.rows import add_row_load, rate_of, times_row_of
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.tables.groups import Bearings, Bounded, Functions, Outputs, Rates, Rows, State, Status
from mbplugin.tables.records import ENERGY, IMPULSE, LAG, LOWER, OFF, ON, REBOUNDS, SLIPS, UPPER
from mbplugin.tables.status import NO_BOUND


@internal
def row_rate(tables, i):
    """Φ̇ of bounded row i."""
    return rate_of(tables, view(tables, Bounded).index[i])


@inlined
def bound_of(tables, i):
    """The force of bounded row i in its mode, beside λ; of a bearing, by its pressure."""
    bounded = view(tables, Bounded)
    one, mode = bounded.index[i], view(tables, State).mode[bounded.index[i].row]
    if mode == LOWER:
        return one.lower if one.partner < 0 else -one.upper * bounded.direction[i]
    return one.upper if mode == UPPER else 0.0


@internal
def shift_motions(tables):
    """Let motions that have lost way at the bound of their effort go on from where they were."""
    bounded, rows, memory = view(tables, Bounded).index, view(tables, Rows), view(tables, State).memory
    for i in range(bounded.shape[0]):
        if bounded[i].works == 1:
            rows.phi[bounded[i].row] -= memory[bounded[i].memory]


@internal
def take_coefficients(tables):
    """Let the bounds of rows under pressure follow the coefficients that kernels have written."""
    bearings, bounded, value = (
        view(tables, Bearings).index,
        view(tables, Bounded).index,
        view(tables, Outputs).value,
    )
    for k in range(bearings.shape[0]):
        if bearings[k].kinetic >= 0:
            one = bounded[bearings[k].bounded]
            kinetic, static = value[bearings[k].kinetic], value[bearings[k].static]
            one.lower, one.upper, one.holds_from, one.holds_to = -kinetic, kinetic, -static, static


@internal
def take_commands(tables):
    """Let bounds and restitutions follow their expressions. Returns a status."""
    bounded, u = view(tables, Bounded), view(tables, Functions).u
    for k in range(bounded.command.shape[0]):
        command, value = bounded.command[k], u[bounded.command[k].function, 0]
        if not 0.0 <= value < inf or (command.what == REBOUNDS and value > 1.0):
            view(tables, Status).batch[0] = k
            return NO_BOUND
        one = bounded.index[command.commanded]
        if command.what == REBOUNDS:
            one.restitution = value
            continue
        if command.what == SLIPS:
            one.lower, one.upper = -value, value
        most = max(value, one.upper)
        one.holds_from, one.holds_to = -most, most
    return 0


@inlined
def presser(tables, one):
    """The row that presses on a bounded row; −1: none."""
    return view(tables, Bearings).index[one.bearing].pressing if one.bearing >= 0 else -1


@inlined
def is_idle(tables, one):
    """Whether the row that presses on a bounded row does not hold."""
    row = presser(tables, one)
    return row >= 0 and view(tables, State).mode[row] != ON


@inlined
def is_off(tables, one, modes):
    """Whether a bounded row belongs to what does not act, in these modes; one that is only idle does."""
    row = presser(tables, one)
    return modes[row if row >= 0 else one.row] == OFF


@internal
def release_idle(tables):
    """Switch idle rows off."""
    bounded = view(tables, Bounded).index
    for i in range(bounded.shape[0]):
        if is_idle(tables, bounded[i]):
            view(tables, State).mode[bounded[i].row] = OFF


@internal
def add_bounds(tables):
    """h ← h + Gᵀ λ of the rows whose force is a bound; their powers go to the rates of work and loss. Bounds
    by the pressure on a bearing are those of the last accepted step.
    """
    bounded, rows, state = view(tables, Bounded).index, view(tables, Rows), view(tables, State)
    take_directions(tables)
    for i in range(bounded.shape[0]):
        one, force = bounded[i], bound_of(tables, i)
        if one.bearing >= 0:
            force *= state.memory[one.memory]
        rows.load[one.row] = 0.0
        push(tables, one, force)


@internal
def push(tables, one, force):
    """Let a bounded row exert a further force beside λ."""
    if force == 0.0:
        return
    aux_dot = view(tables, Rates).aux_dot
    add_row_load(tables, one, force)
    view(tables, Rows).load[one.row] += force
    rate, moves = times_row_of(tables, one, view(tables, State).v), view(tables, Rows).phi_t[one.row]
    if one.works == 1:
        aux_dot[0] += force * rate
    else:
        aux_dot[0] -= force * moves
        aux_dot[1] -= force * (rate + moves)


@inlined
def bound_by(tables, one):
    """Factor of the bounds of a row: 1, or the present pressure on its bearing."""
    return view(tables, Bearings).pressure[one.bearing] if one.bearing >= 0 else 1.0


@internal
def rates_of_bounded(tables, lam):
    """Rates of the inner states of bounded rows under the multipliers (nc,): force, power taken or put in,
    the lag of motions, and the opening of gaps. As part of the state, they let steps follow forces that grow
    and motions that turn round while nothing moves, and gaps that move or bend where bodies do not.
    """
    bounded, rows = view(tables, Bounded).index, view(tables, Rows)
    aux_dot, v = view(tables, Rates).aux_dot, view(tables, State).v
    for i in range(bounded.shape[0]):
        one = bounded[i]
        force, rate = lam[one.row] + rows.load[one.row], times_row_of(tables, one, v)
        aux_dot[one.first_aux + IMPULSE] = force
        taken = force * rate if one.works == 1 else -force * (rate + rows.phi_t[one.row])
        aux_dot[one.first_aux + ENERGY] = taken
        if one.works == 1:
            aux_dot[one.first_aux + LAG] = -rate - rows.phi_t[one.row]
        if one.opening >= 0:
            aux_dot[one.opening] = rate + rows.phi_t[one.row]
