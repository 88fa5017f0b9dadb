"""Rows and forces that begin or cease to act, under a condition or because the user says so.

Rows that begin to act have to be closed, or are closed by the smallest change of positions in the norm of M.
Then an impulse along them brings the velocities onto them, as in an impact without rebound:

    M (v⁺ − v⁻) = Gᵀ Λ,   G v⁺ = −Φₜ

What that takes of the kinetic energy, beside the work −Λ·Φₜ of motions, is dissipated. The potential energy
of forces that begin or cease to act, and that of a change of positions, is work.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import evaluate_functions
from mbplugin.kernels.implicit import residuals
from mbplugin.kernels.inertia import evaluate_kinetic_energy
from mbplugin.kernels.modes import fit_next_rows
from mbplugin.kernels.projection import CLOSED, project_positions, project_velocities, refactor
from mbplugin.kernels.tree.reactions import show_reactions_of_step
from mbplugin.kernels.view import place_of, view, words_at
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vectors import copy
from mbplugin.stepping.bounded import settle_bounded, strike_rows
from mbplugin.stepping.changes import count_redundant, note_impulse
from mbplugin.stepping.energy import energies
from mbplugin.stepping.rates import evaluate_rates
from mbplugin.tables.groups import (
    Activity,
    Bounded,
    FrameValues,
    Functions,
    ImplicitVariables,
    Rows,
    State,
    Step,
)
from mbplugin.tables.records import OFF, ON, POSITION_LEVEL, RELEASED, TARGET_ROW, VARIABLE
from mbplugin.tables.status import APART, CHATTERS, DRIVEN_TWICE, NOT_CONVERGED

#: rows that begin to act with a smaller residual are closed [size or rad]
CLOSED_RESIDUAL = 1e-6
#: largest number of changes of one activity within the length of a step
MAX_CHANGES = 20
#: place of the multipliers in the vector of addresses
LAM = place_of(Rows, "lam")


@inlined
def has_conditions(tables):
    """Whether something acts under a condition that depends on the motion."""
    return view(tables, Activity).condition.shape[0] > 0


@by_address(seconds=3, when="activity")
def follow_conditions(tables):
    """Let begin or cease to act what its conditions ask for in the present state, whose rates are evaluated.
    They are again after a change, which `Activity.changed` notes. Returns a status.
    """
    activity = view(tables, Activity)
    activity.changed[0] = 0
    while True:
        # the rows of a solver with impulses have reactions of the step, which a change ends
        take_reactions_of_step(tables, activity.changed[0] == 0)
        if not choose_modes(tables):
            return 0
        if activity.failed[0] >= 0:
            return CHATTERS
        activity.changed[0] = 1
        status = change_modes(tables)
        if status != 0:
            return status


@internal
def take_reactions_of_step(tables, of_step):
    """Let conditions read the mean reactions of the step, if the solver reports them."""
    place = view(tables, FrameValues).multipliers[0]
    implicit, lam = view(tables, ImplicitVariables), view(tables, Rows).lam
    if place == 0 or implicit.index.shape[0] == 0 or not of_step:
        return
    if lam.shape[0] > 0:
        copy(words_at(tables[place], lam.shape[0]), words_at(tables[LAM], lam.shape[0]))
    show_reactions_of_step(tables)
    copy(implicit.value, implicit.start)
    residuals(tables)
    for i in range(implicit.index.shape[0]):
        if implicit.index[i].kind != VARIABLE:
            implicit.value[i] = implicit.image[i]
    evaluate_functions(tables)
    copy(implicit.start, implicit.value)


@internal
def choose_modes(tables):
    """The modes that conditions ask for, to `Rows.next_mode`. Returns whether one changes; `Activity.failed`
    is the one that changes to and fro, or −1.
    """
    activity, mode, u = view(tables, Activity), view(tables, State).mode, view(tables, Functions).u
    rows, next_mode = view(tables, Rows).phi.shape[0], view(tables, Rows).next_mode
    t, found = view(tables, State).time[0], False
    copy(mode, next_mode)
    activity.failed[0] = -1
    for i in range(activity.index.shape[0]):
        one, now = activity.index[i], mode[rows + i]
        if now == RELEASED:
            continue
        after = now
        if one.active >= 0:
            after = ON if u[one.active, 0] > 0.0 else OFF
        if one.release >= 0 and u[one.release, 0] > 0.0:
            after = RELEASED
        if after == now:
            continue
        found, next_mode[rows + i] = True, after
        if one.watched == 1 and counts_often(tables, i, t):
            activity.failed[0] = i
    if found:
        fit_next_rows(tables)
    return found


@internal
def counts_often(tables, i, t):
    """Count a change at t. Returns whether activity i has changed too often."""
    activity, step = view(tables, Activity), view(tables, Step).record[0]
    if t - activity.since[i] > max(step.fixed, step.h) or activity.changes[i] == 0:
        activity.since[i], activity.changes[i] = t, 0
    activity.changes[i] += 1
    return activity.changes[i] > MAX_CHANGES


@by_address(seconds=3, when="activity")
def change_modes(tables):
    """Let rows and activities have the modes of `Rows.next_mode` in the present state, evaluated; rates are
    those of the state after it. Returns a status: APART if rows that begin to act are open, DRIVEN_TWICE if
    two motions would drive one coordinate.
    """
    rows, state, step = view(tables, Rows), view(tables, State), view(tables, Step).record[0]
    if is_driven_twice(tables):
        return DRIVEN_TWICE
    status, _, before = energies(tables)
    if status != 0:
        return status
    joins = rows_begin(tables)
    copy(rows.next_mode, state.mode)
    # the number of redundant rows is another one
    step.repeated = rows.phi.shape[0]
    status = refactor(tables)
    if status == 0 and joins:
        status = close(tables, step.length_scale)
    if status == 0:
        status = count_redundant(tables)
    if status != 0:
        return status
    status, kinetic, after = energies(tables)
    if status != 0:
        return status
    state.aux[0] += after - before
    if joins:
        status = join(tables, kinetic)
    if status != 0:
        return status
    return settle_bounded(tables) if has_bounds(tables) else evaluate_rates(tables)


@internal
def is_driven_twice(tables):
    """Whether two motions of one coordinate would act at once by `Rows.next_mode`; `Activity.failed` is the
    first one.
    """
    activity = view(tables, Activity)
    for i in range(activity.index.shape[0]):
        other = activity.index[i].rival
        while other >= 0:
            if drives(tables, i) and drives(tables, other):
                activity.failed[0] = i
                return True
            other = activity.index[other].rival
    return False


@inlined
def drives(tables, i):
    """Whether motion i would act by `Rows.next_mode`."""
    activity, next_mode = view(tables, Activity), view(tables, Rows).next_mode
    one = activity.index[i]
    return one.targets > 0 and next_mode[activity.target[one.first_target].number] == ON


@inlined
def has_bounds(tables):
    return view(tables, Bounded).index.shape[0] > 0


@internal
def rows_begin(tables):
    """Whether a row of S, or one with bounds, begins to act."""
    mode, next_mode = view(tables, State).mode, view(tables, Rows).next_mode
    for r in range(view(tables, Rows).phi.shape[0]):
        if mode[r] != next_mode[r] and (next_mode[r] == ON or mode[r] == OFF):
            return True
    return False


@internal
def close(tables, size):
    """Close the rows that are on. Returns a status: APART if one that begins to act may not close a gap."""
    activity = view(tables, Activity)
    for i in range(activity.index.shape[0]):
        if begins(tables, i) and activity.index[i].snap == 0 and is_open(tables, i, size):
            activity.failed[0] = i
            return APART
    status, residual = project_positions(tables, size, False, CLOSED)
    if status == 0:
        status = refactor(tables) if residual <= CLOSED_RESIDUAL else NOT_CONVERGED
    for i in range(activity.index.shape[0]):
        if status == 0 and begins(tables, i) and passed(tables, i, size):
            activity.failed[0] = i
            return APART
    return status


@inlined
def begins(tables, i):
    """Whether activity i begins to act."""
    place = view(tables, Rows).phi.shape[0] + i
    return view(tables, Step).mode1[place] != ON and view(tables, State).mode[place] == ON


@internal
def is_open(tables, i, size):
    """Whether position rows of activity i are open."""
    activity, rows, mode = view(tables, Activity), view(tables, Rows), view(tables, State).mode
    one = activity.index[i]
    for j in range(one.first_target, one.first_target + one.targets):
        r = activity.target[j].number
        if activity.target[j].kind != TARGET_ROW or mode[r] != ON or rows.level[r] != POSITION_LEVEL:
            continue
        if abs(rows.phi[r]) > tolerance(tables, r, size):
            return True
    return False


@internal
def passed(tables, i, size):
    """Whether limits of activity i are passed."""
    activity, bounded, rows = view(tables, Activity), view(tables, Bounded).index, view(tables, Rows)
    one = activity.index[i]
    for j in range(one.first_target, one.first_target + one.targets):
        for k in range(bounded.shape[0]):
            r = bounded[k].row
            of_this = activity.target[j].kind == TARGET_ROW and activity.target[j].number == r
            if of_this and bounded[k].gap == 1 and rows.phi[r] < -tolerance(tables, r, size):
                return True
    return False


@inlined
def tolerance(tables, row, size):
    """Residual up to which a position row counts as closed."""
    return CLOSED_RESIDUAL * (1.0 if view(tables, Rows).radians[row] == 1 else size)


@internal
def join(tables, before):
    """The impulse that brings the velocities onto the rows; before: the kinetic energy [J]. Returns a
    status.
    """
    rows, state, work = view(tables, Rows), view(tables, State), 0.0
    if has_bounds(tables):
        status = strike_rows(tables, 1)
        note_joining(tables)
        return status
    status = project_velocities(tables)
    if status != 0:
        return status
    for r in range(rows.lam.shape[0]):
        if state.mode[r] == ON:
            work -= rows.lam[r] * rows.scale[r] * rows.phi_t[r]
    note_joining(tables)
    state.aux[0] += work
    state.aux[1] += before + work - evaluate_kinetic_energy(tables, state.v)
    return 0


@internal
def note_joining(tables):
    """Note with each activity that begins to act the size of its impulse along rows in metres."""
    activity, rows, mode = view(tables, Activity), view(tables, Rows), view(tables, State).mode
    for i in range(activity.index.shape[0]):
        one, total = activity.index[i], 0.0
        if not begins(tables, i):
            continue
        for j in range(one.first_target, one.first_target + one.targets):
            r = activity.target[j].number
            if activity.target[j].kind == TARGET_ROW and mode[r] == ON and rows.radians[r] == 0:
                impulse = rows.lam[r] * rows.scale[r]
                total += impulse * impulse
        if total > 0.0:
            note_impulse(tables, rows.phi.shape[0] + i, total**0.5)
