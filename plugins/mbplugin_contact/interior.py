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
from mbplugin.math.vec3 import store
from mbplugin.stepping import State, TransientRows, add_transient_columns, run_part, transient_rates, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.best import BEFORE, BEST, POINT, end_at_best, keep, return_to, try_exact_map
from mbplugin_contact.cones import eliminated, first_exit
from mbplugin_contact.islands import CONTACTS, ROWS, VELOCITIES, copy_island, island
from mbplugin_contact.laws import CONE, CONES
from mbplugin_contact.linear import FACTORS, STEP
from mbplugin_contact.momentum import momentum_balance
from mbplugin_contact.newton import FROM_PRESENT
from mbplugin_contact.operators import relative_velocities
from mbplugin_contact.parts import LAW, LINEAR, PASSES

#: the two paths
QUICK, PATIENT = range(2)
#: value of `ContactRecord.exact`: the matrix is unsymmetric and has every contact in it
INTERIOR = 2
#: part of the way to the boundary that a step goes
FRACTION = 0.99
#: smallest factor of κ in a step
MIN_FACTOR = 0.05
#: lengths of steps that are short, and long; factors of τ after these
SHORT, LONG, MORE, LESS, LESS_PATIENT = 0.15, 0.5, 5.0, 3.0, 2.0
#: τ at first, of a patient path, largest, and below which it is none
FIRST, FIRST_PATIENT, MAX_TAU, NONE = 1e-4, 1e-5, 1.0, 1e-12
#: the exact residual is looked at below so many times the goal, as κ and the mean impulse predict it
NEARBY = 1e3
#: Newton's method is tried below so many times the goal, and on a patient path
WITHIN, WITHIN_PATIENT = 1e2, 1e3
#: part of the last residual to which a step leads that is worth its time, after the goal is reached
FAST = 0.2
#: steps that do not halve the residual, at most, of a quick path
PATIENCE = 20
#: least κ where contacts yield on a patient path, over the mean impulse and the error of the slacks
BEHIND = 0.1
#: columns of `Contacts.scratch`: s and ψ, steps of r, s and ψ, E and −D_TN / D_NN of `eliminated`
SLACK, PSI, STEP_OF_R, STEP_OF_SLACK, STEP_OF_PSI, E, ALONG = 0, 3, 4, 7, 10, 11, 15
#: steps between two tries; part of the residual at the first that the second needs
APART, NEARER = 10, 0.7
#: residual at which a try ends, in that of the path, up to the goal
LAX = 10.0
#: penalty, passes and factorizations at most
PENALTY, PASSES_OF_TRY, FACTORIZATIONS = 1e3, 60, 8


def follow_interior(tables, number):
    """The path with this number, until the residual is `target`. Returns 0; v, r and Λ are the best of these
    and of those that were kept before.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    start_inside(tables)
    record.exact, record.penalty = INTERIOR, 1.0
    patient = number == PATIENT
    first, less, behind = (FIRST_PATIENT, LESS_PATIENT, BEHIND) if patient else (FIRST, LESS, 0.0)
    within = WITHIN_PATIENT if patient else WITHIN
    tau, predicted, idle, mark = 0.0, inf, 0, inf
    steps, tried = APART, inf
    while record.factored < record.max_factorizations and (patient or idle <= PATIENCE):
        if predicted < NEARBY * record.goal:
            before = record.reached
            now = try_exact_map(tables, v)
            fast = record.reached <= FAST * before
            if record.reached <= record.target or (before <= record.goal and not fast):
                break
            idle = 0 if record.reached < 0.5 * mark else idle + 1
            mark = record.reached if idle == 0 else mark
            if now < within * record.goal and steps >= APART and now < NEARER * tried:
                try_newton(tables, now)
                if record.reached <= record.goal:
                    break
                steps, tried = 0, now
        steps += 1
        regular, length, predicted = interior_step(tables, tau, behind)
        if not regular:
            break
        if length < SHORT:
            tau = min(max(MORE * tau, first), MAX_TAU)
        elif length > LONG:
            tau = tau / less if tau > NONE else 0.0
    if predicted >= NEARBY * record.goal:
        try_exact_map(tables, v)
    end_at_best(tables)
    return 0


@internal
def start_inside(tables):
    """Impulses of contacts and slacks inside their cones; joints have none, and velocities are those without
    impulses.
    """
    contacts, r, v = view(tables, Contacts), view(tables, TransientRows).impulse, view(tables, State).v
    copy_island(contacts, VELOCITIES, contacts.v_free, v)
    for row in island(contacts, ROWS):
        contacts.impulse[row] = 0.0
    relative_velocities(tables, v)
    speed = contacts.record[0].sliding_threshold
    for k in island(contacts, CONTACTS):
        r[3 * k + 1] = r[3 * k + 2] = 0.0
        speed = max(speed, abs(contacts.u[k, 0]), abs(contacts.u[k, 1]), abs(contacts.u[k, 2]))
    run_part(tables, LAW, CONES)
    for k in island(contacts, CONTACTS):
        r[3 * k] = contacts.rho[k] * speed - contacts.scratch[k, CONE + 1]
        contacts.scratch[k, SLACK] = max(contacts.u[k, 0], 0.0) + speed
        contacts.scratch[k, SLACK + 1] = contacts.scratch[k, SLACK + 2] = 0.0
        contacts.scratch[k, PSI] = speed
        # contacts without friction do not change it
        contacts.scratch[k, STEP_OF_PSI] = 0.0


@internal
def try_newton(tables, now):
    """From the present point of the path, with this residual, to which v, r and Λ return. The result
    is kept if it is the best.
    """
    record = view(tables, Contacts).record[0]
    best, target, exact, penalty = record.reached, record.target, record.exact, record.penalty
    most, passes = record.max_iterations, record.max_factorizations
    keep(tables, POINT)
    return_to(tables, BEST)
    keep(tables, BEFORE)
    return_to(tables, POINT)
    record.reached, record.target = now, min(record.goal, LAX * target)
    record.exact, record.penalty = 1, PENALTY
    record.max_iterations, record.max_factorizations = PASSES_OF_TRY, record.factored + FACTORIZATIONS
    run_part(tables, PASSES, FROM_PRESENT)
    if not record.reached < best:
        record.reached = best
        return_to(tables, BEFORE)
        keep(tables, BEST)
    record.target, record.exact, record.penalty = target, exact, penalty
    record.max_iterations, record.max_factorizations = most, passes
    return_to(tables, POINT)


@internal
def interior_step(tables, tau, behind):
    """A step of v, r, Λ and slacks. Returns whether there is one, the part of it that was gone, and the
    residual that κ then stands for [m/s].
    """
    v = view(tables, State).v
    momentum_balance(tables, v)
    relative_velocities(tables, v)
    gap, load, slack_error = linearize(tables, tau)
    right_side(tables, 0.0, False)
    if run_part(tables, LINEAR, FACTORS) != 0:
        return False, 0.0, 0.0
    run_part(tables, LINEAR, STEP)
    length = directions(tables, tau, 0.0, False, 1.0)
    part = gap_after(tables, length) / gap
    target = gap * min(max(part * part * part, MIN_FACTOR), 1.0)
    if tau > 0.0:
        target = max(target, behind * slack_error * load)
    right_side(tables, target, True)
    run_part(tables, LINEAR, STEP)
    length = min(FRACTION * directions(tables, tau, target, True, 1.0 / FRACTION), 1.0)
    advance(tables, v, length)
    return length > 0.0, length, target / load


@inlined
def numbers(transient, contacts, k):
    """n = r_N + c, r_T, s, ψ and μ of contact k."""
    i, w = 3 * k, contacts.scratch
    return (
        transient.impulse[i] + w[k, CONE + 1],
        (transient.impulse[i + 1], transient.impulse[i + 2]),
        (w[k, SLACK], w[k, SLACK + 1], w[k, SLACK + 2]),
        w[k, PSI],
        w[k, CONE],
    )


@internal
def linearize(tables, tau):
    """D and the other results of `eliminated`. Returns the means of the products that κ replaces, and of n,
    and the largest error of a slack [m/s].
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    w, D = contacts.scratch, contacts.D
    total, load, count, slack_error = 0.0, 0.0, 0, 0.0
    for k in island(contacts, CONTACTS):
        n, b, s, psi, mu = numbers(transient, contacts, k)
        load += n
        for c in range(3):
            slack_error = max(slack_error, abs(contacts.u[k, c] - s[c]))
        d, T, along, right = eliminated(n, b, s, psi, mu, tau / contacts.rho[k])
        D[k, 0], D[k, 1], D[k, 2] = d, 0.0, 0.0
        D[k, 3], D[k, 4], D[k, 5] = -along[0] * d, T[0], T[1]
        D[k, 6], D[k, 7], D[k, 8] = -along[1] * d, T[2], T[3]
        w[k, E], w[k, E + 1], w[k, E + 2], w[k, E + 3] = right
        w[k, ALONG], w[k, ALONG + 1] = along
        contacts.status[k] = STICK
        contacts.after[k, 0] = contacts.after[k, 1] = contacts.after[k, 2] = 0.0
        total, count = total + n * s[0], count + 1
        if mu > 0.0:
            total, count = total + mu * n * psi + b[0] * s[1] + b[1] * s[2], count + 1
    present = len(island(contacts, CONTACTS))
    return total / max(count, 1), load / max(present, 1), slack_error


@internal
def right_side(tables, kappa, corrected):
    """Δr₀ of all contacts into `Contacts.after`, and F ← F − Gᵀ Δr₀."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    w, D, after = contacts.scratch, contacts.D, contacts.after
    for k in island(contacts, CONTACTS):
        n, b, s, psi, mu = numbers(transient, contacts, k)
        normal, lead, c_1, c_2 = targets(contacts, k, n, b, s, psi, mu, kappa, corrected)
        u_n, u_1, u_2 = contacts.u[k, 0] - s[0], contacts.u[k, 1] - s[1], contacts.u[k, 2] - s[2]
        x = D[k, 0] * (normal / n - u_n)
        y = z = 0.0
        if mu > 0.0:
            c_1, c_2 = c_1 - b[0] * lead / (mu * n), c_2 - b[1] * lead / (mu * n)
            y = w[k, E] * c_1 + w[k, E + 1] * c_2 - D[k, 4] * u_1 - D[k, 5] * u_2 - w[k, ALONG] * x
            z = w[k, E + 2] * c_1 + w[k, E + 3] * c_2 - D[k, 7] * u_1 - D[k, 8] * u_2 - w[k, ALONG + 1] * x
        add_transient_columns(
            transient, transient.G, k, after[k, 0] - x, after[k, 1] - y, after[k, 2] - z, contacts.F
        )
        store(after, k, (x, y, z))


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
        w = contacts.scratch
        x, y, z = w[k, STEP_OF_R], w[k, STEP_OF_R + 1], w[k, STEP_OF_R + 2]
        s_n, s_1, s_2 = w[k, STEP_OF_SLACK], w[k, STEP_OF_SLACK + 1], w[k, STEP_OF_SLACK + 2]
        normal -= x * s_n
        lead -= mu * x * w[k, STEP_OF_PSI] + y * s_1 + z * s_2
        first -= mu * x * s_1 + w[k, STEP_OF_PSI] * y
        second -= mu * x * s_2 + w[k, STEP_OF_PSI] * z
    return normal, lead, first, second


@internal
def directions(tables, tau, kappa, corrected, max_length):
    """Steps of r, s and ψ for those of v in `Contacts.step`. Returns the length at which the first contact
    reaches a boundary, at most `most`.
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    w, D, after = contacts.scratch, contacts.D, contacts.after
    first = max_length
    for k in island(contacts, CONTACTS):
        n, b, s, psi, mu = numbers(transient, contacts, k)
        _, lead, _, _ = targets(contacts, k, n, b, s, psi, mu, kappa, corrected)
        u, f, g = transient_rates(transient, k, contacts.step)
        x = after[k, 0] - D[k, 0] * u
        y = after[k, 1] - D[k, 3] * u - D[k, 4] * f - D[k, 5] * g
        z = after[k, 2] - D[k, 6] * u - D[k, 7] * f - D[k, 8] * g
        t = tau / contacts.rho[k]
        s_n = u + contacts.u[k, 0] - s[0] + t * x
        s_1 = f + contacts.u[k, 1] - s[1] + t * y
        s_2 = g + contacts.u[k, 2] - s[2] + t * z
        w[k, STEP_OF_R], w[k, STEP_OF_R + 1], w[k, STEP_OF_R + 2] = x, y, z
        w[k, STEP_OF_SLACK], w[k, STEP_OF_SLACK + 1], w[k, STEP_OF_SLACK + 2] = s_n, s_1, s_2
        if n + first * x < 0.0:
            first = -n / x
        if s[0] + first * s_n < 0.0:
            first = -s[0] / s_n
        if mu > 0.0:
            change = lead - mu * psi * x - b[0] * s_1 - b[1] * s_2 - s[1] * y - s[2] * z
            w[k, STEP_OF_PSI] = change / (mu * n)
            first = first_exit(mu * n, b[0], b[1], mu * x, y, z, first)
            first = first_exit(psi, s[1], s[2], w[k, STEP_OF_PSI], s_1, s_2, first)
    return first


@internal
def gap_after(tables, length):
    """The mean of the products that κ replaces, after a part of the step."""
    transient, contacts, w = (
        view(tables, TransientRows),
        view(tables, Contacts),
        view(tables, Contacts).scratch,
    )
    total, count = 0.0, 0
    for k in island(contacts, CONTACTS):
        n, b, s, psi, mu = numbers(transient, contacts, k)
        n += length * w[k, STEP_OF_R]
        total, count = total + n * (s[0] + length * w[k, STEP_OF_SLACK]), count + 1
        if mu > 0.0:
            total += mu * n * (psi + length * w[k, STEP_OF_PSI])
            for c in range(2):
                r_c = b[c] + length * w[k, STEP_OF_R + 1 + c]
                total += r_c * (s[1 + c] + length * w[k, STEP_OF_SLACK + 1 + c])
            count += 1
    return max(total, 0.0) / max(count, 1)


@internal
def advance(tables, v, length):
    """v, Λ, r, s and ψ after a part of the step."""
    transient, contacts, w = (
        view(tables, TransientRows),
        view(tables, Contacts),
        view(tables, Contacts).scratch,
    )
    for c in island(contacts, VELOCITIES):
        v[c] += length * contacts.step[c]
    for row in island(contacts, ROWS):
        contacts.impulse[row] += length * contacts.impulse_step[row]
    for k in island(contacts, CONTACTS):
        for c in range(3):
            transient.impulse[3 * k + c] += length * w[k, STEP_OF_R + c]
            w[k, SLACK + c] += length * w[k, STEP_OF_SLACK + c]
        w[k, PSI] += length * w[k, STEP_OF_PSI]
