"""Contacts and joints at once: an augmented Lagrangian around Newton's method in the velocities. A part.

    F(v) = M (v − v_f) − Σ Gᵀ S(r − ρ (G v + b)) − G_jᵀ Λ = 0,   G_j v = g,   then r ← S(r − ρ u)

with ρ = σ 3 / trace(W) of each contact (V. Acary, M. Brémond & O. Huber, in: Advanced Topics in Nonsmooth
Dynamics, Springer 2018, on the map of Alart & Curnier).

Convex first: with the cone projection in the place of S the matrix is symmetric and the problem convex. It is
exact where all contacts stick, since it adds μ |u_T| to the normal velocity.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import inlined, internal
from mbplugin.math.vec3 import load
from mbplugin.stepping import State, TransientRows, add_transient_columns, run_part, transient_rates_of, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.attempts import NEAREST
from mbplugin_contact.best import BEFORE, BEST, end_at_best, keep, return_to, take_if_best
from mbplugin_contact.impulses import set_impulse
from mbplugin_contact.islands import CONTACTS, ROWS, VELOCITIES, copy_island, island
from mbplugin_contact.laws import MAP
from mbplugin_contact.linear import FACTORS, STEP
from mbplugin_contact.momentum import begin_balance, finish_balance, measure
from mbplugin_contact.operators import relative_velocities
from mbplugin_contact.parts import LAW, LINEAR
from mbplugin_contact.rolling import bearing

#: the largest penalty, without sliding and with it
MAX_PENALTY, MAX_PENALTY_SLIDING = 1e10, 1e4
#: ratio of the residuals of two passes below which the matrix is kept
KEPT_MATRIX = 0.05
#: Newton steps in a pass, and times that one is halved
MAX_STEPS, MAX_HALVINGS = 15, 9
#: rounding of |F|, for each unit of the penalty
ROUNDING_OF_BALANCE = 1.0
#: rounding of one number, and of the residual in those of the rates, for each unit of the penalty
ROUNDING_OF_RATE, ROUNDING_OF_RESIDUAL = 1.1e-16, 20.0
#: least penalty at which a residual that is rounding is solved for again
MIN_REFINED_PENALTY = 1e3
#: passes in a row that do not halve the residual, at most
MAX_IDLE = 6
#: first penalty of passes to the nearest impulses, and its ratio to the next one
FIRST_PENALTY, PENALTY_RATIO = 10.0, 10.0


def passes(tables, number):
    """Make passes for the present island: each solves the balance at the present r, and maps r anew. NEAREST:
    lower penalties lead to that of the first pass, all at the present r. Returns a status.

    Reads attempt `number` of the plan, with σ, map and target in the record by `begin_attempt`, v_free, and
    v, r, Λ with their residual `reached`. Writes v, r, Λ of the best pass; `u`, `mapped` and `status` of the
    exact law at them; `reached` and `factored`. Leaves what the last pass has written, which may not be the
    best: σ, `largest`, `contact_residual`, `joint_residual`, `D`, `matrix_status`, the matrix, `F`, `step`,
    `trial`, `work`, and the kept columns BEST and, of NEAREST, BEFORE.
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    record, attempt = contacts.record[0], contacts.attempts[number]
    target, most = record.target, record.factored + attempt.factorizations
    idle, formed, status = 0, 0, 0
    ceiling = MAX_PENALTY
    rounding = ROUNDING_OF_RATE * largest_rate(tables)
    keep(tables, BEST)
    if attempt.task == NEAREST:
        status, formed = raise_penalty(tables, record.penalty, most)
    for _ in range(attempt.passes):
        if status != 0 or record.reached <= target or idle >= MAX_IDLE or record.factored >= most:
            break
        status, steps, formed = solve_balance(tables, formed, most)
        before = record.penalty
        if status != 0 or steps < 0:
            # impulses from velocities that do not solve the balance lead away
            return_to(tables, BEST)
            ceiling = record.penalty = max(1.0, 0.25 * before)
            idle, formed = idle + 1, 0
            continue
        if steps <= 3:
            ceiling = min(2.0 * ceiling, MAX_PENALTY)
        for k in island(contacts, CONTACTS):
            set_impulse(transient, k, load(contacts.mapped, k))
        now, last = measure(tables), record.reached
        max_penalty = ceiling if steps <= 3 or record.exact == 0 else min(ceiling, MAX_PENALTY_SLIDING)
        idle = 0 if now < 0.5 * last or before < max_penalty else idle + 1
        take_if_best(tables, now)
        if now >= KEPT_MATRIX * last:
            by = 16.0 if steps <= 1 else (4.0 if steps <= 6 else 1.5)
            record.penalty = max(before, min(by * before, max_penalty))
        if target < now <= ROUNDING_OF_RESIDUAL * rounding * before:
            # impulses have the rounding of ρ u in them, which falls as 1/σ
            record.penalty = min(before, max(target / rounding, MIN_REFINED_PENALTY))
        if record.penalty != before:
            formed = 0
        if record.exact == 0 and sliding(tables) > record.sliding_threshold:
            break
    end_at_best(tables)
    return status


@internal
def raise_penalty(tables, highest, most):
    """Solve the balance at the present r, with higher and higher penalties, up to the last one at which that
    ends. most: factorizations of the step. Returns a status and `formed`.
    """
    record, penalty = view(tables, Contacts).record[0], FIRST_PENALTY
    solved = FIRST_PENALTY
    while True:
        keep(tables, BEFORE)
        record.penalty = penalty
        status, steps, formed = solve_balance(tables, 0, most)
        if status != 0 or steps < 0:
            return_to(tables, BEFORE)
            record.penalty = solved
            return status, 0
        if penalty >= highest:
            return 0, formed
        solved, penalty = penalty, min(PENALTY_RATIO * penalty, highest)


@internal
def largest_rate(tables):
    """The largest speed of a body at a contact [m/s], which cancels where bodies move together."""
    transient, contacts, v = view(tables, TransientRows), view(tables, Contacts), view(tables, State).v
    largest = 0.0
    for k in island(contacts, CONTACTS):
        for i in range(2):
            rates = transient_rates_of(transient, k, i, v)
            largest = max(largest, abs(rates[0]), abs(rates[1]), abs(rates[2]))
    return largest


@internal
def balance(tables, v):
    """F at velocities v, into `Contacts.F`, and statuses. Returns its size, √(Fᵀ M⁻¹ F + |Ĝ v − ĝ|²) [√J]."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    begin_balance(tables, v)
    relative_velocities(tables, v)
    run_part(tables, LAW, MAP)
    for k in island(contacts, CONTACTS):
        n, a, b = load(contacts.mapped, k)
        if n != 0.0 or a != 0.0 or b != 0.0:
            add_transient_columns(transient, transient.G, k, -n, -a, -b, contacts.F)
    return sqrt(finish_balance(tables, v))


@internal
def move(tables, v, alpha):
    """v and Λ at the part `alpha` of Newton's step."""
    contacts = view(tables, Contacts)
    for c in island(contacts, VELOCITIES):
        v[c] = contacts.trial[c] + alpha * contacts.step[c]
    for row in island(contacts, ROWS):
        contacts.joint_impulse[row] = (
            contacts.joint_impulse_trial[row] + alpha * contacts.joint_impulse_step[row]
        )


@internal
def search(tables, v, limit):
    """Move v and Λ along Newton's step, halved until the balance holds better than `limit`; by the best part
    so far where that does not come. Returns how well it holds.
    """
    contacts = view(tables, Contacts)
    copy_island(contacts, VELOCITIES, v, contacts.trial)
    copy_island(contacts, ROWS, contacts.joint_impulse, contacts.joint_impulse_trial)
    alpha, best, best_alpha, now = 1.0, 1e300, 0.0, 0.0
    for _ in range(MAX_HALVINGS):
        move(tables, v, alpha)
        now = balance(tables, v)
        if now <= (1.0 - 1e-3 * alpha) * limit:
            return now
        if now < best:
            best, best_alpha = now, alpha
        alpha *= 0.5
    move(tables, v, best_alpha)
    return balance(tables, v)


@inlined
def stale(contacts):
    """Whether a contact has another status than in the matrix."""
    for k in island(contacts, CONTACTS):
        if contacts.matrix_status[k] != contacts.status[k]:
            return True
    return False


@internal
def solve_balance(tables, formed, most):
    """Reads r, σ, v and Λ; writes v and Λ with F(v) = 0, by Newton's method with a line search.

    formed: 1 if the matrix is that of this penalty; most: factorizations of the step. Returns a status, the
    Newton steps (−1: not converged within the factorizations that are left), and `formed`.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    size = balance(tables, v)
    first = size
    floor = 1e-15 * record.momentum
    rounding = floor * (1.0 + ROUNDING_OF_BALANCE * record.penalty)
    for k in range(MAX_STEPS):
        if size <= floor or (k > 0 and size <= 1e-2 * first and fastest(contacts) <= 0.1 * record.reached):
            return 0, k, formed
        fresh = formed == 0 or stale(contacts)
        if fresh and record.factored >= most:
            break
        if fresh:
            status = run_part(tables, LINEAR, FACTORS)
            if status != 0:
                return status, -1, 0
            formed = 1
        run_part(tables, LINEAR, STEP)
        best = search(tables, v, size)
        if not best < 0.5 * size and size <= rounding:
            return 0, k, formed
        if not best < 0.999 * size and fresh:
            return 0, (k if size <= 1e3 * floor else -1), formed
        size = best
    return 0, -1, formed


@inlined
def fastest(contacts):
    """The largest of `Contacts.work`."""
    largest = 0.0
    for c in island(contacts, VELOCITIES):
        largest = max(largest, abs(contacts.work[c]))
    return largest


@internal
def sliding(tables):
    """The largest tangential speed of a loaded contact [m/s], at `Contacts.u`."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    u, fastest = contacts.u, 0.0
    for k in island(contacts, CONTACTS):
        if transient.impulse[3 * bearing(contacts, k)] > 0.0:
            fastest = max(fastest, u[k, 1] * u[k, 1] + u[k, 2] * u[k, 2])
    return sqrt(fastest)
