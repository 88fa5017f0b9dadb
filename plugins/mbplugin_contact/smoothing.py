"""Contacts and joints at once: Newton's method on a smooth law that becomes the exact one. A part.

    F(v, r) = M (v − v_f) − Gᵀ r − G_jᵀ Λ = 0,   r = S_ε(r − ρ u),   G_j v = g,   ε → 0

(as X. Chen, L. Qi & D. Sun, Math. Comp. 67 (1998) 519-540, for natural maps). With ε > 0 every contact slides
and carries a little, and there is no set of contacts to be guessed: where friction and normal impulses depend
on each other this converges from far, unlike `newton`.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import STICK, inlined, internal
from mbplugin.stepping import State, TransientRows, add_transient_columns, run_part, transient_rates, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.best import end_at_best, try_exact_map
from mbplugin_contact.islands import CONTACTS, island
from mbplugin_contact.laws import SMOOTH
from mbplugin_contact.linear import FACTORS, STEP
from mbplugin_contact.momentum import momentum_balance
from mbplugin_contact.newton import line_search, move
from mbplugin_contact.operators import relative_velocities
from mbplugin_contact.parts import LAW, LINEAR

#: values of `ContactRecord.exact` beside 0 and 1: the smooth map
SMOOTHED = 2
#: penalty σ, with which the law is written
PENALTY = 3.0
#: once the equations hold to so many times ε, it is made smaller by this factor; as far as they hold, and
#: at most by that one, on a path that has not begun wide
CLOSE, FACTOR, LEAP = 10.0, 0.3, 0.003
#: largest and smallest ε, in `ContactRecord.sliding_threshold`
WIDEST, THINNEST = 0.5, 5e-11
#: steps after the goal is reached, at most
BEYOND = 4
#: times that a step is halved; it is taken if the equations hold better than in one of the last three
HALVINGS = 8


def follow(tables, number):
    """From the present v, r and Λ, with ε = `width`, until the residual is `target`. Returns a status. v, r
    and Λ are the best of these and of those that were kept before.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    record = contacts.record[0]
    unit = unit_of_misses(tables)
    size, before, older = 1e300, 0.0, 0.0
    widest, thinnest = WIDEST * record.sliding_threshold, THINNEST * record.sliding_threshold
    record.penalty, record.width = PENALTY, max(thinnest, min(record.width, widest))
    leap = LEAP if record.width < widest else FACTOR
    status, beyond = 0, 0
    record.exact = SMOOTHED
    while record.factored < record.max_factorizations:
        try_exact_map(tables, v)
        beyond += 1 if record.reached <= record.goal else 0
        if record.reached <= record.target or beyond > BEYOND:
            break
        if size <= CLOSE * record.width * unit:
            narrowest = max(leap * record.width, thinnest)
            record.width = max(narrowest, min(FACTOR * record.width, size / (CLOSE * unit)))
            older = before = 0.0
        size = miss(tables, v)
        status = newton_direction(tables)
        if status != 0:
            break
        older, before = before, size
        size = search(tables, v, max(size, before, older))
    # a matrix of the smooth law has every contact in it
    end_at_best(tables)
    return status


@internal
def unit_of_misses(tables):
    """√ of the mean of ρ: by it a speed becomes a miss of the equations."""
    contacts, total = view(tables, Contacts), 0.0
    for k in island(contacts, CONTACTS):
        total += contacts.rho[k]
    return sqrt(total / max(len(island(contacts, CONTACTS)), 1))


@internal
def miss(tables, v):
    """How far v and r are from the equations, √(Fᵀ M⁻¹ F + |Ĝ v − ĝ|² + Σ |r − S|² / ρ) [√J]."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    total = momentum_balance(tables, v)
    relative_velocities(tables, v)
    run_part(tables, LAW, SMOOTH)
    for k in island(contacts, CONTACTS):
        x, y, z = lags(transient, contacts, k)
        total += (x * x + y * y + z * z) / contacts.rho[k]
    return sqrt(total)


@internal
def newton_direction(tables):
    """Newton's step of v, Λ and r from where `miss` was last asked for. Returns a status."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    sigma = contacts.record[0].penalty
    for k in island(contacts, CONTACTS):
        rho, D = sigma * contacts.rho[k], contacts.D
        x, y, z = lags(transient, contacts, k)
        contacts.after[k, 0] = x + (D[k, 0] * x + D[k, 1] * y + D[k, 2] * z) / rho
        contacts.after[k, 1] = y + (D[k, 3] * x + D[k, 4] * y + D[k, 5] * z) / rho
        contacts.after[k, 2] = z + (D[k, 6] * x + D[k, 7] * y + D[k, 8] * z) / rho
        add_transient_columns(
            transient,
            transient.G,
            k,
            contacts.after[k, 0],
            contacts.after[k, 1],
            contacts.after[k, 2],
            contacts.F,
        )
        contacts.status[k] = STICK
    status = run_part(tables, LINEAR, FACTORS)
    if status != 0:
        return status
    run_part(tables, LINEAR, STEP)
    for k in island(contacts, CONTACTS):
        a, b, c = transient_rates(transient, k, contacts.step)
        for i in range(3):
            row = contacts.D[k, 3 * i] * a + contacts.D[k, 3 * i + 1] * b + contacts.D[k, 3 * i + 2] * c
            contacts.after[k, i] = -contacts.after[k, i] - row
    return 0


@inlined
def lags(transient, contacts, k):
    """r − S of contact k."""
    i = 3 * k
    return (
        transient.impulse[i] - contacts.mapped[k, 0],
        transient.impulse[i + 1] - contacts.mapped[k, 1],
        transient.impulse[i + 2] - contacts.mapped[k, 2],
    )


@internal
def move_with_impulses(tables, v, alpha, change):
    """v, Λ and r at the part `alpha` of Newton's step, which was `change` less."""
    contacts, r = view(tables, Contacts), view(tables, TransientRows).impulse
    move(tables, v, alpha, change)
    for k in island(contacts, CONTACTS):
        for c in range(3):
            r[3 * k + c] += change * contacts.after[k, c]


search = line_search(miss, move_with_impulses, HALVINGS)
