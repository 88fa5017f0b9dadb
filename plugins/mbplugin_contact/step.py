"""A step in time with contacts: of second order without contacts, by impulses with them.

    q_m = q₀ ⊕ ½h v₀
    M (v₁ − v₀) = h (f(q_m, v_m) + G_jᵀ λ) + G_jᵀ Λ + Gᵀ r,   G_j (v₀ + v₁)/2 = 0,   K_μ* ∋ ũ ⊥ r ∈ K_μ
    q₁ = q_m ⊕ ½h v₁

λ are the multipliers of joints in the middle of the step, without contacts; `Rates.v_dot` is
M⁻¹ (f + G_jᵀ λ). Λ is what the impulses of joints are beside h λ, mostly their answer to contacts.

u = G v₁ + e G v₀ for an impact with restitution e, G v₁ + φ/h for a gap φ > 0, so that nothing penetrates in
the next half step (`biases.py`, `holds.py`). Joints hold at the *mean* velocity: G_j v₁ = 0 with G_j(q_m)
would lose energy of the order (ω h)² in each step; motions hold their acceleration; rows under a law yield
(`compliant.py`). f is taken at v_m = v₀ + ½h v̇, with v̇ of the last step, and again after blows
(`blows.py`). Overlap is removed afterwards from positions alone.

`State.history` is [h, v̇ (nv,), ẋ (na,)]: the length of the last step, 0 before the first one; its mean
accelerations, NaN where they are found anew after a blow; the rates of auxiliary states in its middle.
"""

from __future__ import annotations

from math import isnan, sqrt

from mbplugin.interface import internal
from mbplugin.stepping import (
    ACCELERATION_LEVEL,
    NO_SOLUTION,
    ON,
    Blocks,
    Bodies,
    Rates,
    Rows,
    State,
    Step,
    advance_coordinates,
    apply_mass,
    close_positions,
    copy,
    evaluate_rates,
    rates_on_constraints,
    reactions_of_step,
    run_part,
    view,
)
from mbplugin.stepping.bounded_rows import reactions_are_read
from mbplugin.stepping.compliant_rows import COMPLIANT, Enforced, times_row_of
from mbplugin.stepping.impacts import forget_impacts
from mbplugin_contact.account import account
from mbplugin_contact.ahead import AFTER, BEFORE
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.biases import leave_out_impacts, set_biases
from mbplugin_contact.blows import book_jumps, evaluate_at_mean, forces_differ, forget_blows, suddenly_changed
from mbplugin_contact.bounds import (
    add_bounds_of_step,
    begin_bounds,
    end_bounds,
    note_rates,
    release_bounds,
    resume_motions,
)
from mbplugin_contact.compliant import compliant_velocity, declare_compliant_rows, settle_compliant_rows
from mbplugin_contact.depth import measure_overlap
from mbplugin_contact.holds import release_locked
from mbplugin_contact.impacts import restrain
from mbplugin_contact.jammed import seems_infeasible
from mbplugin_contact.laws import BEGIN
from mbplugin_contact.memory import keep_contacts, recall
from mbplugin_contact.momentum import row_rate
from mbplugin_contact.parts import FIND, LAW, PASSING, REMOVE, SOLVE
from mbplugin_contact.phases import strike_in_turn, strikes_others
from mbplugin_contact.short_enough import check_after_impacts, check_length
from mbplugin_contact.sums import add_to_sums
from mbplugin_contact.work import add_work_of_motions, project_and_book

#: solutions of a step at most, after the first, with forces at the mean velocity of the one before
MAX_ROUNDS = 2
#: part of a step within which a frame is at its end
ROUNDING_OF_STEP = 1e-9
#: checks of the paths of bodies after a solution, at most
MAX_PASSING_CHECKS = 3


def begin_step(tables):
    """Reads the history; writes v̇ and rates at the start: those of the last step, or new ones. Returns a
    status.
    """
    contacts, history = view(tables, Contacts), view(tables, State).history
    nv, na = contacts.dq.shape[0], contacts.x_dot.shape[0]
    note_rates(tables)
    known = history[0] > 0.0
    for k in range(nv):
        contacts.v_dot[k] = history[1 + k]
        known = known and not isnan(history[1 + k])
    for k in range(na):
        contacts.x_dot[k] = history[1 + nv + k]
    if known:
        return 0
    status, v_dot = rates_on_constraints(tables), view(tables, Rates).v_dot
    for k in range(nv):
        if history[0] == 0.0 or isnan(history[1 + k]):
            contacts.v_dot[k] = v_dot[k]
    if history[0] == 0.0:
        copy(view(tables, Rates).aux_dot, contacts.x_dot)
    return status


def try_step(tables, h):
    """Reads the start of the step; writes the state at its end, and what frames and the next step read.
    Returns a status: `or` ends a chain of calls at the first one that fails.
    """
    contacts, state = view(tables, Contacts), view(tables, State)
    contacts.record[0].before_impacts = 1 if is_inside(tables, h) else 0
    # bounded rows are off while forces are evaluated; `begin_bounds` then gives them modes
    release_bounds(tables)
    status = evaluate_middle(tables, h) or run_part(tables, FIND, 0) or run_part(tables, PASSING, BEFORE)
    status = status or check_length(tables, h) or measure_overlap(tables, h)
    status = status or declare_compliant_rows(tables, h)
    if status != 0:
        return status
    begin_contacts(tables)
    for k in range(contacts.jump.shape[0]):
        contacts.jump[k] = 0.0
    status = solve_step(tables, h)
    for _ in range(MAX_ROUNDS):
        if status != 0 or not suddenly_changed(tables, h):
            break
        status = evaluate_at_mean(tables, h) or declare_compliant_rows(tables, h)
        if status == 0 and not forces_differ(tables, h):
            # `evaluate_at_mean` moved v to the mean of the step
            copy(contacts.trial, state.v)
            break
        status = status or solve_step(tables, h)
    status = status or check_after_impacts(tables, h)
    if status == 0 and contacts.record[0].missed == 1 and seems_infeasible(tables):
        return NO_SOLUTION
    return status or settle_compliant_rows(tables, h) or end_step(tables, h)


@internal
def end_step(tables, h):
    """Reads impulses and v₁; writes energies, multipliers, contacts and rates of the step, and moves the
    bodies from its middle to its end. Returns a status.
    """
    contacts, state, start = view(tables, Contacts), view(tables, State), view(tables, Step)
    aux_dot, rows = view(tables, Rates).aux_dot, view(tables, Rows)
    for k in range(state.v.shape[0]):
        contacts.dq[k] = 0.5 * h * state.v[k]
    for k in range(state.aux.shape[0]):
        state.aux[k] = start.aux0[k] + h * aux_dot[k]
    add_work_of_motions(tables)
    account(tables)
    book_jumps(tables, h)
    for k in range(contacts.lam.shape[0]):
        contacts.last_joint_impulse[k] = contacts.joint_impulse[k]
        # frames compute the loads of rows under a law
        contacts.lam[k] = rows.lam[k] + contacts.joint_impulse[k] / h if state.mode[k] == ON else 0.0
    end_bounds(tables, h)
    if start.record[0].frame_due == 1 or reactions_are_read(tables):
        find_reactions(tables, h)
    status = keep_contacts(tables) or add_to_sums(tables)
    keep_rates(tables, h)
    status = status or advance_coordinates(tables, contacts.dq) or run_part(tables, REMOVE, 0)
    return status or resume_motions(tables, h) or project_and_book(tables, h)


@internal
def find_reactions(tables, h):
    """Reads impulses, and v₁ and the evaluation in the middle of the step; writes the mean wrenches of the
    joints that carry links of trees, for frames and conditions.
    """
    contacts, rows, mode = view(tables, Contacts), view(tables, Rows), view(tables, State).mode
    for r in range(contacts.carried.shape[0]):
        contacts.carried[r] = contacts.lam[r]
    enforced = view(tables, Enforced).index
    for i in range(enforced.shape[0]):
        r = enforced[i].row
        if mode[r] == COMPLIANT:
            of_law = rows.load[r] if contacts.row_compliance[r] == 0.0 else 0.0
            contacts.carried[r] = of_law + (
                contacts.joint_impulse[r] / h if contacts.row_scale[r] > 0.0 else 0.0
            )
    reactions_of_step(tables, contacts.carried, h)


@internal
def is_inside(tables, h):
    """Whether a frame inside the last step is computed: it shows what is before the impacts of that step.

    A shorter step has others: of several contacts it meets some, or rebounds at another angle, and loses more
    or less energy than the step itself.
    """
    step = view(tables, Step).record[0]
    return step.frame_due == 1 and h < (1.0 - ROUNDING_OF_STEP) * (step.t1 - step.t0)


@internal
def evaluate_middle(tables, h):
    """Reads v₀ and v̇ at the start; writes the state in the middle of the step, and evaluates forces, rows and
    accelerations without contacts there. Returns a status.
    """
    contacts, state, start = view(tables, Contacts), view(tables, State), view(tables, Step)
    for k in range(state.v.shape[0]):
        contacts.dq[k] = 0.5 * h * start.v0[k]
        contacts.v_dot_middle[k] = contacts.v_dot[k]
        state.v[k] = start.v0[k] + 0.5 * h * contacts.v_dot[k]
    for k in range(state.aux.shape[0]):
        state.aux[k] = start.aux0[k] + 0.5 * h * contacts.x_dot[k]
    state.time[0] = start.record[0].t0 + 0.5 * h
    status = advance_coordinates(tables, contacts.dq)
    if status == 0 and start.record[0].redundant > 0:
        # rows that are redundant where joints are closed contradict each other beside that
        status, _ = close_positions(tables)
    return status or evaluate_rates(tables)


@internal
def solve_step(tables, h):
    """Reads v̇, contacts and impulses to begin with; writes impulses of the step and v₁. Returns a status."""
    view(tables, Contacts).record[0].phases = 0
    copy(view(tables, Step).v0, view(tables, Contacts).v_phase)
    forget_impacts(tables)
    begin_bounds(tables, h)
    free_velocities(tables, h)
    joint_velocities(tables, h)
    add_bounds_of_step(tables, h)
    set_biases(tables, h)
    status = run_part(tables, SOLVE, 0)
    for _ in range(MAX_PASSING_CHECKS):
        status = status or run_part(tables, PASSING, AFTER)
        if status != 0 or view(tables, Contacts).record[0].reclassified == 0:
            break
        set_biases(tables, h)
        status = run_part(tables, SOLVE, 0)
    if status != 0:
        return status
    return strike_in_turn(tables, h) if strikes_others(tables, h) else restrain(tables)


@internal
def begin_contacts(tables):
    """Reads contacts of the last step; writes impulses to begin with, parameters of the contact laws, and
    counts of zero.
    """
    contacts = view(tables, Contacts)
    record = contacts.record[0]
    record.swept = record.factored = record.phases = record.scaled = record.unended = 0
    record.swept_only = contacts.totals[0].swept_only
    recall(tables)
    release_locked(tables)
    run_part(tables, LAW, BEGIN)
    if record.before_impacts == 1:
        leave_out_impacts(tables)


@internal
def free_velocities(tables, h):
    """Reads v₀ and v̇; writes velocities without impulses of contacts, `Contacts.v_free`, and the size of the
    momenta of the step.
    """
    contacts, start = view(tables, Contacts), view(tables, Step)
    v_dot, bodies = view(tables, Rates).v_dot, view(tables, Bodies)
    for k in range(v_dot.shape[0]):
        contacts.v_free[k] = start.v0[k] + h * v_dot[k]
        contacts.work[k] = abs(start.v0[k]) + abs(h * v_dot[k])
        contacts.F[k] = 0.0
    for i in range(bodies.index.shape[0]):
        apply_mass(bodies, i, 1.0, contacts.work, contacts.F)
    energy = 0.0
    for k in range(v_dot.shape[0]):
        energy += contacts.F[k] * contacts.work[k]
    contacts.record[0].momentum = sqrt(abs(energy))


@internal
def joint_velocities(tables, h):
    """Reads v₀, Φₜ and γ; writes G v at the end that joints ask for, `Contacts.g`: the mean velocity is zero,
    or the acceleration is that of a motion.

    A motion at its mean velocity would miss its velocity at the end by ¼ h² d³f/dt³ in each step.
    """
    contacts, start = view(tables, Contacts), view(tables, Step)
    blocks, rows = view(tables, Blocks), view(tables, Rows)
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            rate = row_rate(blocks, block, r, start.v0)
            if rows.level[row] == ACCELERATION_LEVEL or rows.phi_t[row] != 0.0:
                contacts.g[row] = rate + h * rows.gamma[row]
            else:
                contacts.g[row] = -rate
    enforced, mode = view(tables, Enforced).index, view(tables, State).mode
    for i in range(enforced.shape[0]):
        if mode[enforced[i].row] == COMPLIANT and contacts.row_scale[enforced[i].row] > 0.0:
            rate = times_row_of(tables, enforced[i], start.v0)
            contacts.g[enforced[i].row] = compliant_velocity(tables, i, rate, h)


@internal
def keep_rates(tables, h):
    """Reads v₀ and v₁; writes mean accelerations and rates into the history, for the next step; after an
    impact they are found anew.
    """
    contacts, state, start = view(tables, Contacts), view(tables, State), view(tables, Step)
    nv, na = contacts.dq.shape[0], contacts.x_dot.shape[0]
    aux_dot, history = view(tables, Rates).aux_dot, state.history
    history[0] = h
    for k in range(nv):
        history[1 + k] = (state.v[k] - start.v0[k]) / h
    if contacts.record[0].impacts > 0:
        forget_blows(tables, h)
    for k in range(na):
        history[1 + nv + k] = aux_dot[k]
