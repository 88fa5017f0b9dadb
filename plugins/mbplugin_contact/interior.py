"""Contacts and joints at once: an interior-point path to the law of cones. A part.

    M (v − v_f) = Gᵀ r + G_jᵀ Λ,   G_j v = g,   s = G v + b
    (r_N + c) s_N = κ,   (μ (r_N + c), r_T) ∘ (ψ, s_T) = (κ, 0, 0),   κ → 0

with x ∘ y = (x·y, x₀ y_T + y₀ x_T), the product of second-order cones, so that at κ = 0 friction opposes
sliding and ψ = |s_T|: Coulomb's law itself, not its convex relaxation. Impulses stay inside their cones and
steps end before the nearest boundary; each has a predictor and a corrector for one factorization (S.
Mehrotra, SIAM J. Optim. 2 (1992) 575-601; the form for cones of friction is that of T. A. Howell et al.,
Dojo, arXiv:2203.00806).

The law is not monotone, and the path may turn back: solutions near the present one end at some κ. There
contacts yield, s = G v + b + τ Δr / ρ with Δr the change in the step. That is a step of the implicit Euler
method for an impulse that grows as long as its contact is violated, which leads to another branch; τ falls
as soon as steps are long again. On a patient path κ does not run ahead of the error of the slacks,
|G v + b − s|: a path that hugs the boundary is stopped by each of its corners.

The path begins far from all solutions, at impulses that stop the fastest contact. It comes near one long
before it reaches the goal: contacts that hardly touch keep the residual up, which falls only as the root of κ
there. Once it is near, Newton's method is tried, and mostly ends the path by one or two factorizations; where
it misses the goal, the path goes on, and it is tried again when that is nearer.
"""

from __future__ import annotations

from math import inf

from mbplugin.interface import STICK, inlined, internal
from mbplugin.math.vec3 import add, load, scale, store, sub
from mbplugin.stepping import State, TransientRows, add_transient_columns, run_part, transient_rates, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.attempts import FROM_PATH, PATIENT
from mbplugin_contact.best import BEFORE, BEST, POINT, end_at_best, keep, return_to, try_exact_map
from mbplugin_contact.cones import eliminated, first_exit
from mbplugin_contact.impulses import impulse_at, set_impulse
from mbplugin_contact.islands import CONTACTS, ROWS, VELOCITIES, copy_island, island
from mbplugin_contact.laws import CONES
from mbplugin_contact.linear import FACTORS, STEP
from mbplugin_contact.momentum import momentum_balance
from mbplugin_contact.operators import begin_attempt, relative_velocities
from mbplugin_contact.parts import LAW, LINEAR, PASSES
from mbplugin_contact.rolling import TOUCHES, bearing

#: value of `ContactRecord.exact`: the matrix is unsymmetric and has every contact in it
INTERIOR = 2
#: part of the way to the boundary that a step goes
FRACTION = 0.99
#: smallest factor of κ in a step
MIN_FACTOR = 0.05
#: lengths below which a step is short, and above which it is long
SHORT_STEP, LONG_STEP = 0.15, 0.5
#: factors of τ after a short step, and of 1/τ after a long one, of a patient path
TAU_GROWTH, TAU_DECAY, TAU_DECAY_PATIENT = 5.0, 3.0, 2.0
#: τ at first, of a patient path, largest, and below which it counts as zero
FIRST_TAU, FIRST_TAU_PATIENT, MAX_TAU, MIN_TAU = 1e-4, 1e-5, 1.0, 1e-12
#: goals within which, as κ and the mean impulse predict it, the exact residual is looked at
GOALS_LOOKED_AT = 1e3
#: goals within which Newton's method is tried, and on a patient path
GOALS_OF_TRY, GOALS_OF_TRY_PATIENT = 1e2, 1e3
#: part of the last residual to which a step leads that is worth its time, after the goal is reached
WORTHWHILE = 0.2
#: steps that do not halve the residual, at most, of a quick path
MAX_IDLE = 20
#: least κ where contacts yield on a patient path, over the mean impulse and the error of the slacks
KAPPA_OF_SLACK_ERROR = 0.1
#: steps between two tries; part of the residual at the first that the second needs
STEPS_BETWEEN_TRIES, RESIDUAL_OF_NEXT_TRY = 10, 0.7


def follow_interior(tables, number):
    """Reads attempt `number` of the plan, v_free, and v, r, Λ with their residual `reached`; writes the best
    of these and of those on the path, and `reached`. Returns 0.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    record, attempt = contacts.record[0], contacts.attempts[number]
    most = record.factored + attempt.factorizations
    keep(tables, BEST)
    start_inside(tables)
    record.exact, record.penalty = INTERIOR, 1.0
    patient = attempt.task == PATIENT
    first, decay, behind = FIRST_TAU, TAU_DECAY, 0.0
    within = GOALS_OF_TRY * record.goal
    if patient:
        first, decay, behind = FIRST_TAU_PATIENT, TAU_DECAY_PATIENT, KAPPA_OF_SLACK_ERROR
        within = GOALS_OF_TRY_PATIENT * record.goal
    tau, predicted, idle, mark = 0.0, inf, 0, inf
    steps, tried = STEPS_BETWEEN_TRIES, inf
    while record.factored < most and (patient or idle <= MAX_IDLE):
        if predicted < GOALS_LOOKED_AT * record.goal:
            before = record.reached
            now = try_exact_map(tables, v)
            fast = record.reached <= WORTHWHILE * before
            if record.reached <= record.target or (before <= record.goal and not fast):
                break
            idle = 0 if record.reached < 0.5 * mark else idle + 1
            mark = record.reached if idle == 0 else mark
            if now < within and steps >= STEPS_BETWEEN_TRIES and now < RESIDUAL_OF_NEXT_TRY * tried:
                try_newton(tables, now)
                if record.reached <= record.goal:
                    break
                steps, tried = 0, now
        steps += 1
        regular, length, predicted = interior_step(tables, tau, behind)
        if not regular:
            break
        if length < SHORT_STEP:
            tau = min(max(TAU_GROWTH * tau, first), MAX_TAU)
        elif length > LONG_STEP:
            tau = tau / decay if tau > MIN_TAU else 0.0
    if predicted >= GOALS_LOOKED_AT * record.goal:
        try_exact_map(tables, v)
    end_at_best(tables)
    record.exact = 1
    return 0


@internal
def start_inside(tables):
    """Reads v_free; writes it into v, impulses of contacts and slacks inside their cones, and Λ = 0."""
    contacts, transient, v = view(tables, Contacts), view(tables, TransientRows), view(tables, State).v
    copy_island(contacts, VELOCITIES, contacts.v_free, v)
    for row in island(contacts, ROWS):
        contacts.joint_impulse[row] = 0.0
    relative_velocities(tables, v)
    speed = contacts.record[0].sliding_threshold
    for k in island(contacts, CONTACTS):
        speed = max(speed, abs(contacts.u[k, 0]), abs(contacts.u[k, 1]), abs(contacts.u[k, 2]))
    run_part(tables, LAW, CONES)
    for k in island(contacts, CONTACTS):
        path, touches = contacts.path[k], contacts.turns[k] == TOUCHES
        normal = contacts.rho[k] * speed - path.offset
        set_impulse(transient, k, (normal if touches else 0.0, 0.0, 0.0))
        store(contacts.slack, k, (max(contacts.u[k, 0], 0.0) + speed if touches else 0.0, 0.0, 0.0))
        path.psi = speed
        # contacts without friction do not change it
        path.psi_step = 0.0


@internal
def try_newton(tables, now):
    """Attempt FROM_PATH of the plan, from the present point of the path, with residual `now`, to which v, r
    and Λ return. The result is kept if it is the best.
    """
    contacts = view(tables, Contacts)
    record = contacts.record[0]
    best, target = record.reached, record.target
    keep(tables, POINT)
    return_to(tables, BEST)
    keep(tables, BEFORE)
    return_to(tables, POINT)
    record.reached = now
    begin_attempt(contacts, FROM_PATH)
    run_part(tables, PASSES, FROM_PATH)
    if not record.reached < best:
        record.reached = best
        return_to(tables, BEFORE)
        keep(tables, BEST)
    record.exact, record.penalty, record.target = INTERIOR, 1.0, target
    return_to(tables, POINT)


@internal
def interior_step(tables, tau, behind):
    """Reads and writes v, r, Λ and slacks: a step of them. Returns whether there is one, the part of it that
    was gone, and the residual that κ then stands for [m/s].
    """
    v = view(tables, State).v
    momentum_balance(tables, v)
    relative_velocities(tables, v)
    gap, mean_impulse, slack_error = linearize(tables, tau)
    right_side(tables, 0.0, False)
    if run_part(tables, LINEAR, FACTORS) != 0:
        return False, 0.0, 0.0
    run_part(tables, LINEAR, STEP)
    length = directions(tables, tau, 0.0, False, 1.0)
    part = gap_after(tables, length) / gap
    target = gap * min(max(part * part * part, MIN_FACTOR), 1.0)
    if tau > 0.0:
        target = max(target, behind * slack_error * mean_impulse)
    right_side(tables, target, True)
    run_part(tables, LINEAR, STEP)
    length = min(FRACTION * directions(tables, tau, target, True, 1.0 / FRACTION), 1.0)
    advance(tables, v, length)
    return length > 0.0, length, target / mean_impulse


@inlined
def numbers(transient, contacts, k):
    """n = r_N + c, r_T, s, ψ and μ of contact k; of moments n is that of their contact, and s_N is 0."""
    path, (_, r_1, r_2) = contacts.path[k], impulse_at(transient, k)
    n = transient.impulse[3 * bearing(contacts, k)]
    return n + path.offset, (r_1, r_2), load(contacts.slack, k), path.psi, path.friction


@internal
def linearize(tables, tau):
    """Writes D and the other results of `eliminated`. Returns the means of the products that κ replaces, and
    of n, and the largest error of a slack [m/s].
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    D, total, impulse, count, slack_error = contacts.D, 0.0, 0.0, 0, 0.0
    for k in island(contacts, CONTACTS):
        n, b, s, psi, mu = numbers(transient, contacts, k)
        impulse += n
        error, touches = sub(load(contacts.u, k), s), contacts.turns[k] == TOUCHES
        slack_error = max(slack_error, abs(error[0]) if touches else 0.0, abs(error[1]), abs(error[2]))
        d, T, along, E = eliminated(n, b, s, psi, mu, tau / contacts.rho[k])
        D[k, 0], D[k, 1], D[k, 2] = d if touches else 0.0, 0.0, 0.0
        d = D[bearing(contacts, k), 0]
        D[k, 3], D[k, 4], D[k, 5] = -along[0] * d, T[0], T[1]
        D[k, 6], D[k, 7], D[k, 8] = -along[1] * d, T[2], T[3]
        path = contacts.path[k]
        path.E_11, path.E_12, path.E_21, path.E_22 = E
        path.along_1, path.along_2 = along
        contacts.status[k] = STICK
        store(contacts.after, k, (0.0, 0.0, 0.0))
        total, count = total + gap_of(n, b, s, psi, mu), count + products_of(contacts, k, mu)
    present = len(island(contacts, CONTACTS))
    return total / max(count, 1), impulse / max(present, 1), slack_error


@inlined
def products_of(contacts, k, mu):
    """How many products of a contact κ replaces."""
    return (1 if contacts.turns[k] == TOUCHES else 0) + (1 if mu > 0.0 else 0)


@inlined
def gap_of(n, b, s, psi, mu):
    """The products of a contact that κ replaces: n s_N, and (μ n, b)·(ψ, s_T) where it has friction."""
    gap = n * s[0]
    if mu > 0.0:
        gap += mu * n * psi + b[0] * s[1] + b[1] * s[2]
    return gap


@internal
def right_side(tables, kappa, corrected):
    """Writes Δr₀ of all contacts into `Contacts.after`, and F ← F − Gᵀ (Δr₀ − the last one)."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    D = contacts.D
    for k in island(contacts, CONTACTS):
        path, (n, b, s, psi, mu) = contacts.path[k], numbers(transient, contacts, k)
        normal, lead, c_1, c_2 = targets(contacts, k, n, b, s, psi, mu, kappa, corrected)
        u_n, u_1, u_2 = sub(load(contacts.u, k), s)
        x = D[k, 0] * (normal / n - u_n)
        x = x if contacts.turns[k] == TOUCHES else contacts.after[contacts.bounded_by[k], 0]
        y = z = 0.0
        if mu > 0.0:
            c_1, c_2 = c_1 - b[0] * lead / (mu * n), c_2 - b[1] * lead / (mu * n)
            y = path.E_11 * c_1 + path.E_12 * c_2 - D[k, 4] * u_1 - D[k, 5] * u_2 - path.along_1 * x
            z = path.E_21 * c_1 + path.E_22 * c_2 - D[k, 7] * u_1 - D[k, 8] * u_2 - path.along_2 * x
        x = x if contacts.turns[k] == TOUCHES else 0.0
        less, less_1, less_2 = sub(load(contacts.after, k), (x, y, z))
        add_transient_columns(transient, transient.G, k, less, less_1, less_2, contacts.F)
        store(contacts.after, k, (x, y, z))


@inlined
def targets(contacts, k, n, b, s, psi, mu, kappa, corrected):
    """Right sides of the linearized n s_N = κ and x ∘ (ψ, s_T) = (κ, 0, 0), with the products of the
    predictor's steps where they are corrected.
    """
    m = mu * n
    normal = kappa - n * s[0]
    lead = kappa - m * psi - b[0] * s[1] - b[1] * s[2]
    first, second = -m * s[1] - psi * b[0], -m * s[2] - psi * b[1]
    if corrected:
        (_, y, z), (s_n, s_1, s_2) = load(contacts.impulse_step, k), load(contacts.slack_step, k)
        x = contacts.impulse_step[bearing(contacts, k), 0]
        psi_step = contacts.path[k].psi_step
        normal -= x * s_n
        lead -= mu * x * psi_step + y * s_1 + z * s_2
        first -= mu * x * s_1 + psi_step * y
        second -= mu * x * s_2 + psi_step * z
    return normal, lead, first, second


@internal
def directions(tables, tau, kappa, corrected, max_length):
    """Reads the step of v in `Contacts.step`; writes those of r, s and ψ. Returns the length at which the
    first contact reaches a boundary, at most `max_length`.
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    D, first = contacts.D, max_length
    for k in island(contacts, CONTACTS):
        path, (n, b, s, psi, mu) = contacts.path[k], numbers(transient, contacts, k)
        _, lead, _, _ = targets(contacts, k, n, b, s, psi, mu, kappa, corrected)
        u, f, g = transient_rates(transient, k, contacts.step)
        r_0 = load(contacts.after, k)
        touches = contacts.turns[k] == TOUCHES
        x = r_0[0] - D[k, 0] * u if touches else contacts.impulse_step[contacts.bounded_by[k], 0]
        y = r_0[1] - D[k, 3] * u - D[k, 4] * f - D[k, 5] * g
        z = r_0[2] - D[k, 6] * u - D[k, 7] * f - D[k, 8] * g
        missing = add((u, f, g), sub(load(contacts.u, k), s))
        s_n, s_1, s_2 = add(missing, scale(tau / contacts.rho[k], (x, y, z)))
        store(contacts.impulse_step, k, (x if touches else 0.0, y, z))
        store(contacts.slack_step, k, (s_n if touches else 0.0, s_1, s_2))
        if n + first * x < 0.0:
            first = -n / x
        if touches and s[0] + first * s_n < 0.0:
            first = -s[0] / s_n
        if mu > 0.0:
            change = lead - mu * psi * x - b[0] * s_1 - b[1] * s_2 - s[1] * y - s[2] * z
            path.psi_step = change / (mu * n)
            first = first_exit(mu * n, b[0], b[1], mu * x, y, z, first)
            first = first_exit(psi, s[1], s[2], path.psi_step, s_1, s_2, first)
    return first


@internal
def gap_after(tables, length):
    """The mean of the products that κ replaces, after a part of the step."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    total, count = 0.0, 0
    for k in island(contacts, CONTACTS):
        n, b, s, psi, mu = numbers(transient, contacts, k)
        _, d_1, d_2 = scale(length, load(contacts.impulse_step, k))
        d_n = length * contacts.impulse_step[bearing(contacts, k), 0]
        s = add(s, scale(length, load(contacts.slack_step, k)))
        psi += length * contacts.path[k].psi_step
        total += gap_of(n + d_n, (b[0] + d_1, b[1] + d_2), s, psi, mu)
        count += products_of(contacts, k, mu)
    return max(total, 0.0) / max(count, 1)


@internal
def advance(tables, v, length):
    """Writes v, Λ, r, s and ψ after a part of the step."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    for c in island(contacts, VELOCITIES):
        v[c] += length * contacts.step[c]
    for row in island(contacts, ROWS):
        contacts.joint_impulse[row] += length * contacts.joint_impulse_step[row]
    for k in island(contacts, CONTACTS):
        change, slack_change = load(contacts.impulse_step, k), load(contacts.slack_step, k)
        set_impulse(transient, k, add(impulse_at(transient, k), scale(length, change)))
        store(contacts.slack, k, add(load(contacts.slack, k), scale(length, slack_change)))
        contacts.path[k].psi += length * contacts.path[k].psi_step
