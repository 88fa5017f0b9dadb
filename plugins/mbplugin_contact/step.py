"""A step in time with contacts: second order where nothing touches, impulses where something does.

    q_m = q₀ ⊕ ½h v₀
    M (v₁ − v₀) = h f(q_m, v_m) + G_jᵀ Λ + Gᵀ r,   G_j (v₀ + v₁)/2 = −Φₜ,   K_μ* ∋ ũ ⊥ r ∈ K_μ
    q₁ = q_m ⊕ ½h v₁

u = G v₁ + e G v₀ for an impact with restitution e, G v₁ + φ/h for a gap φ > 0, so that nothing penetrates in
the next half step. Joints hold at the *mean* velocity: G_j v₁ = 0 with G_j(q_m) would lose energy of the
order (ω h)² in each step; rows under a law yield (`compliant.py`). f is taken at v_m = v₀ + ½h v̇,
with v̇ of the last step. Overlap is removed afterwards from positions alone.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import internal
from mbplugin.stepping import (
    ACCELERATION_LEVEL,
    Blocks,
    Bodies,
    Enforced,
    Pool,
    Rates,
    Rows,
    State,
    Step,
    advance_coordinates,
    apply_mass,
    copy,
    enforced_row_times,
    evaluate_rates,
    pool_rates,
    rates_on_constraints,
    run_part,
    view,
)
from mbplugin_contact.account import account
from mbplugin_contact.ahead import AFTER, BEFORE
from mbplugin_contact.arrays import Contacts, compliant_rows
from mbplugin_contact.biases import set_biases
from mbplugin_contact.compliant import compliant_velocity, declare_compliant_rows, settle_laws
from mbplugin_contact.groups import LOADED, group_bodies, group_of
from mbplugin_contact.holds import release_locked
from mbplugin_contact.impacts import STRUCK, restrain, solve_again
from mbplugin_contact.laws import BEGIN
from mbplugin_contact.memory import keep_contacts, recall
from mbplugin_contact.parts import FIND, LAW, LOOK, REMOVE, SOLVE
from mbplugin_contact.phases import strike_in_turn, strikes_others
from mbplugin_contact.work import add_work_of_motions, project_and_book

#: solutions of a step at most, after the first, with forces at the mean velocity of the one before; speed in
#: g h by which the mean velocity of a contact differs from that of the forces, above which there is another
ROUNDS, SUDDEN = 2, 0.02
#: part of the work of a blow that contacts take, above which what forces err by is left in it
LOSSY = 0.01
#: part of 2 g h by which velocities may differ, m/s or rad/s, that is none at any contact
STILL = 1e-5


def begin_step(tables):
    """v̇ and rates at the start: those of the last step, or new ones. Returns a status."""
    mine, history = view(tables, Contacts), view(tables, State).history
    nv, na = mine.dq.shape[0], mine.x_dot.shape[0]
    if history[0] > 0.0:
        for k in range(nv):
            mine.v_dot[k] = history[1 + k]
        for k in range(na):
            mine.x_dot[k] = history[1 + nv + k]
        return 0
    status = rates_on_constraints(tables)
    copy(view(tables, Rates).v_dot, mine.v_dot)
    copy(view(tables, Rates).aux_dot, mine.x_dot)
    return status


def try_step(tables, h):
    """A step of length h. Returns a status."""
    mine, state, start = view(tables, Contacts), view(tables, State), view(tables, Step)
    status = evaluate_middle(tables, h)
    if status == 0:
        status = run_part(tables, FIND, 0)
    if status == 0:
        status = run_part(tables, LOOK, BEFORE)
    if status == 0:
        status = declare_compliant_rows(tables, h)
    if status == 0:
        begin_contacts(tables)
        status = solve_step(tables, h)
    for _ in range(ROUNDS):
        if status != 0 or not suddenly_changed(tables, h):
            break
        status = evaluate_at_mean(tables, h)
        if status == 0:
            status = declare_compliant_rows(tables, h)
        if status == 0 and not forces_differ(tables, h):
            copy(mine.trial, state.v)
            break
        if status == 0:
            status = solve_step(tables, h)
    if status != 0:
        return status
    status = settle_laws(tables, h)
    if status != 0:
        return status
    for k in range(state.v.shape[0]):
        mine.dq[k] = 0.5 * h * state.v[k]
    aux_dot, rows = view(tables, Rates).aux_dot, view(tables, Rows)
    for k in range(state.aux.shape[0]):
        state.aux[k] = start.aux0[k] + h * aux_dot[k]
    add_work_of_motions(tables)
    account(tables)
    for k in range(mine.lam.shape[0]):
        mine.last_impulse[k] = mine.impulse[k]
        # frames compute the loads of rows under a law
        mine.lam[k] = rows.lam[k] + mine.impulse[k] / h if rows.active[k] == 1 else 0.0
    status = keep_contacts(tables)
    keep_rates(tables, h)
    if status == 0:
        status = advance_coordinates(tables, mine.dq)
    if status == 0:
        status = run_part(tables, REMOVE, 0)
    return status if status != 0 else project_and_book(tables, h)


@internal
def evaluate_middle(tables, h):
    """Accelerations without contacts in the middle of the step. Returns a status."""
    mine, state, start = view(tables, Contacts), view(tables, State), view(tables, Step)
    for k in range(state.v.shape[0]):
        mine.dq[k] = 0.5 * h * start.v0[k]
        state.v[k] = start.v0[k] + 0.5 * h * mine.v_dot[k]
    for k in range(state.aux.shape[0]):
        state.aux[k] = start.aux0[k] + 0.5 * h * mine.x_dot[k]
    state.time[0] = start.record[0].t0 + 0.5 * h
    status = advance_coordinates(tables, mine.dq)
    return status if status != 0 else evaluate_rates(tables)


@internal
def evaluate_at_mean(tables, h):
    """Accelerations without contacts in the middle of the step, at (v₀ + v₁)/2; v₁ is kept in
    `Contacts.trial`. Returns a status.
    """
    mine, state, v0 = view(tables, Contacts), view(tables, State), view(tables, Step).v0
    copy(state.v, mine.trial)
    for k in range(state.v.shape[0]):
        mine.v_dot[k] = (state.v[k] - v0[k]) / h
        state.v[k] = v0[k] + 0.5 * h * mine.v_dot[k]
    return evaluate_rates(tables)


@internal
def moved(tables, h):
    """Whether some velocity [m/s, rad/s] is not what v̇ would have made of it."""
    mine, v0, v1 = view(tables, Contacts), view(tables, Step).v0, view(tables, State).v
    for k in range(v1.shape[0]):
        if abs(v1[k] - v0[k] - h * mine.v_dot[k]) > STILL * mine.record[0].impact:
            return True
    return False


@internal
def forces_differ(tables, h):
    """Whether the forces at hand lead to other free velocities than those of the last solution."""
    mine, v0, v_dot = view(tables, Contacts), view(tables, Step).v0, view(tables, Rates).v_dot
    for k in range(v_dot.shape[0]):
        if v0[k] + h * v_dot[k] != mine.v_free[k]:
            return True
    return False


@internal
def begin_contacts(tables):
    """What contacts know from the last step, and numbers of their laws; no counts yet."""
    record = view(tables, Contacts).record[0]
    record.swept = record.factored = 0
    recall(tables)
    release_locked(tables)
    run_part(tables, LAW, BEGIN)


@internal
def solve_step(tables, h):
    """Impulses of the step and v₁, with the forces at hand. Returns a status."""
    free_velocities(tables, h)
    joint_velocities(tables, h)
    set_biases(tables, h)
    status = run_part(tables, SOLVE, 0)
    if status == 0:
        status = run_part(tables, LOOK, AFTER)
    if status == 0 and view(tables, Contacts).record[0].met > 0:
        set_biases(tables, h)
        status = solve_again(tables)
    if status != 0:
        return status
    return strike_in_turn(tables, h) if strikes_others(tables) else restrain(tables)


@internal
def suddenly_changed(tables, h):
    """Whether impulses of contacts have changed velocities at which forces were taken, so that these would do
    work that they do not do (gyroscopic moments), or book what they do not do.

    Blows that take more than forces may err by are left as they are, if nothing else books work.
    """
    mine, pool = view(tables, Contacts), view(tables, Pool)
    v1, sudden = view(tables, State).v, False
    if not moved(tables, h):
        return False
    exchanged = taken = 0.0
    for k in range(pool.used[0]):
        r = 3 * k
        if pool.impulse[r] == 0.0:
            continue
        n0, a0, b0 = mine.before[k, 0], mine.before[k, 1], mine.before[k, 2]
        n1, a1, b1 = pool_rates(pool, k, v1)
        n, a, b = pool_rates(pool, k, mine.v_dot)
        n, a, b = 0.5 * (n1 - n0 - h * n), 0.5 * (a1 - a0 - h * a), 0.5 * (b1 - b0 - h * b)
        sudden = sudden or n * n + a * a + b * b > (0.5 * SUDDEN * mine.record[0].impact) ** 2
        exchanged += pool.impulse[r] * (abs(n0) + abs(n1))
        taken -= pool.impulse[r] * (n0 + n1)
        taken -= pool.impulse[r + 1] * (a0 + a1) + pool.impulse[r + 2] * (b0 + b1)
    booked = view(tables, Rates).aux_dot
    return sudden and (taken <= LOSSY * exchanged or booked[0] != 0.0 or booked[1] != 0.0)


@internal
def free_velocities(tables, h):
    """v without impulses of contacts, into `Contacts.v_free` and `State.v`; G v that the joints ask for."""
    mine, state, start = view(tables, Contacts), view(tables, State), view(tables, Step)
    v_dot, bodies = view(tables, Rates).v_dot, view(tables, Bodies)
    for k in range(v_dot.shape[0]):
        state.v[k] = mine.v_free[k] = start.v0[k] + h * v_dot[k]
        mine.work[k] = abs(start.v0[k]) + abs(h * v_dot[k])
        mine.F[k] = 0.0
    for i in range(bodies.index.shape[0]):
        apply_mass(bodies, i, 1.0, mine.work, mine.F)
    energy = 0.0
    for k in range(v_dot.shape[0]):
        energy += mine.F[k] * mine.work[k]
    mine.record[0].momentum = sqrt(abs(energy))


@internal
def joint_velocities(tables, h):
    """G v at the end that joints ask for: the mean velocity is zero, or the acceleration is that of a motion.

    A motion at its mean velocity would miss its velocity at the end by ¼ h² d³f/dt³ in each step.
    """
    mine, start = view(tables, Contacts), view(tables, Step)
    blocks, rows = view(tables, Blocks), view(tables, Rows)
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            rate = 0.0
            for i in range(block.first_member, block.first_member + block.members):
                member = blocks.member[i]
                g = member.first_G + r * member.nv
                for c in range(member.nv):
                    rate += blocks.G[g + c] * start.v0[member.first_v + c]
            if rows.level[row] == ACCELERATION_LEVEL or rows.phi_t[row] != 0.0:
                mine.g[row] = rate + h * rows.gamma[row]
            else:
                mine.g[row] = -rate
    enforced, yields = view(tables, Enforced).index, compliant_rows(mine)
    for i in range(enforced.shape[0]):
        if rows.active[enforced[i].row] == 0 and yields.scale[enforced[i].row] > 0.0:
            rate = enforced_row_times(tables, i, start.v0)
            mine.g[enforced[i].row] = compliant_velocity(tables, i, rate, h)


@internal
def keep_rates(tables, h):
    """Mean accelerations and rates, for the next step; after an impact those without it."""
    mine, state, start = view(tables, Contacts), view(tables, State), view(tables, Step)
    nv, na = mine.dq.shape[0], mine.x_dot.shape[0]
    aux_dot, history = view(tables, Rates).aux_dot, state.history
    history[0] = h
    for k in range(nv):
        history[1 + k] = (state.v[k] - start.v0[k]) / h
    if mine.record[0].impacts > 0:
        forget_blows(tables, h)
    for k in range(na):
        history[1 + nv + k] = aux_dot[k]


@internal
def forget_blows(tables, h):
    """Groups of bodies that an impact has struck keep accelerations without impulses of contacts and laws."""
    mine, pool, bodies = view(tables, Contacts), view(tables, Pool), view(tables, Bodies).index
    history, v0 = view(tables, State).history, view(tables, Step).v0
    group_bodies(tables, LOADED)
    for g in range(mine.sums.shape[0]):
        mine.sums[g, STRUCK] = 0.0
    for k in range(pool.used[0]):
        if pool.impulse[3 * k] > 0.0 and mine.before[k, 0] < -mine.record[0].impact:
            mine.sums[group_of(mine, pool, k), STRUCK] = 1.0
    for i in range(bodies.shape[0]):
        if mine.sums[mine.group[i], STRUCK] == 1.0:
            for k in range(bodies[i].first_v, bodies[i].first_v + bodies[i].nv):
                history[1 + k] = (mine.v_free[k] - v0[k]) / h
