"""Loads of enforced rows that are iterated: the augmented Lagrangian at one state.

A law holds a row by load⁰ = −k Φ − d Φ̇. Augmented, the same law says how the row shall move, on its own mass
m = 1/diag(G M⁻¹ Gᵀ),

    Φ̈ = G v̇ − γ = load⁰ / m,

whatever the other forces are, and multipliers take up what is left:  load ← load − m (Φ̈ − load⁰ / m), v̇
again, and so on (Bayo's iteration, with m ω² = k and 2 ζ ω m = d). That is a gradient step; here the steps
are those of conjugate residuals, preconditioned by m, so that as many as there are independent rows suffice,
and rows that repeat each other, or others, do no harm: they share their load. Φ then obeys m Φ̈ + d Φ̇ + k Φ
= 0 and stays where it is, at 0.
"""

from __future__ import annotations

from mbplugin.kernels.core import accelerations_under
from mbplugin.kernels.evaluate import along, push
from mbplugin.kernels.view import TABLES, table_at, view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import N_ITERATED, N_ROW, Enforced, Rates, Rows

#: rounding of G v̇ beside which nothing is left to correct
ROUNDING = 1e-14
#: change of the residuals, over their tolerances, beside which the rows can do no more
MOVED = 1e-3
#: passes that say: not converged
FAILED = 20


@internal
def residuals(tables):
    """load⁰/m − Φ̈ of the iterated rows at the present v̇; returns the largest of them over its tolerance."""
    enforced = view(tables, Enforced)
    rows = view(tables, Rows)
    v_dot = view(tables, Rates).v_dot
    worst = 0.0
    for i in range(enforced.row.shape[0]):
        if enforced.row[i, N_ITERATED] == 1:
            moves = along(tables, i, v_dot)
            gamma = rows.gamma[enforced.row[i, N_ROW]]
            enforced.residual[i] = enforced.wanted[i] - (moves - gamma)
            tolerance = max(
                enforced.tolerance[i], ROUNDING * (abs(moves) + abs(gamma) + abs(enforced.wanted[i]))
            )
            worst = max(worst, abs(enforced.residual[i]) / tolerance)
    return worst


@internal
def add_loads(tables, vector, alpha):
    """load ← load + α vector, and h with it."""
    enforced = view(tables, Enforced)
    load = view(tables, Rows).load
    for i in range(enforced.row.shape[0]):
        if enforced.row[i, N_ITERATED] == 1:
            push(tables, i, alpha * vector[i])
            load[enforced.row[i, N_ROW]] += alpha * vector[i]


@internal
def solve(tables):
    """v̇ and λ under the loads as they are; returns passes and the largest residual over its tolerance."""
    passes = accelerations_under(tables)
    return passes, residuals(tables)


@internal
def effect(tables):
    """What loads m · residual change of the residuals (in `image`). Returns passes, the power weighed ·
    image, and the largest change over its tolerance.
    """
    enforced = view(tables, Enforced)
    n = enforced.row.shape[0]
    for i in range(n):
        enforced.weighed[i] = enforced.mass[i] * enforced.residual[i]
        enforced.image[i] = enforced.residual[i]
    add_loads(tables, enforced.weighed, 1.0)
    passes, _ = solve(tables)
    add_loads(tables, enforced.weighed, -1.0)
    power, largest = 0.0, 0.0
    for i in range(n):
        if enforced.row[i, N_ITERATED] == 1:
            change = enforced.image[i] - enforced.residual[i]
            enforced.residual[i] = enforced.image[i]
            enforced.image[i] = change
            power += enforced.weighed[i] * change
            largest = max(largest, abs(change) / enforced.tolerance[i])
    return passes, power, largest


@internal
def descend(tables, most):
    """Conjugate-residual steps until the residuals meet their tolerances, or these rows can move nothing
    more. Returns passes, the steps taken, and which.
    """
    enforced = view(tables, Enforced)
    n = enforced.row.shape[0]
    before = 0.0
    passes = 0
    for i in range(n):
        enforced.direction[i], enforced.change[i] = 0.0, 0.0
    for k in range(most):
        passes, power, largest = effect(tables)
        if passes < 0 or largest <= MOVED or not power > 0.0:
            return passes, k + 1, True
        beta = power / before if before > 0.0 else 0.0
        before = power
        size = 0.0
        for i in range(n):
            if enforced.row[i, N_ITERATED] == 1:
                enforced.direction[i] = enforced.weighed[i] + beta * enforced.direction[i]
                enforced.change[i] = enforced.image[i] + beta * enforced.change[i]
                size += enforced.mass[i] * enforced.change[i] * enforced.change[i]
        if not size > 0.0:
            return passes, k + 1, True
        alpha = power / size
        add_loads(tables, enforced.direction, alpha)
        worst = 0.0
        for i in range(n):
            if enforced.row[i, N_ITERATED] == 1:
                enforced.residual[i] -= alpha * enforced.change[i]
                worst = max(worst, abs(enforced.residual[i]) / enforced.tolerance[i])
        if worst <= 0.1:
            return passes, k + 1, False
    return passes, most, False


@internal
def iterate(tables):
    """v̇, λ and the iterated loads. Returns passes as `accelerations_under`, or FAILED where the tolerance is
    not met.
    """
    enforced = view(tables, Enforced)
    rows = view(tables, Rows)
    rates = view(tables, Rates)
    n = enforced.row.shape[0]
    for i in range(n):
        enforced.wanted[i] = (
            rows.load[enforced.row[i, N_ROW]] / enforced.mass[i] if enforced.row[i, N_ITERATED] == 1 else 0.0
        )
    passes, worst = solve(tables)
    total = 0
    stuck = False
    for _ in range(3):
        if worst <= 1.0 or passes < 0 or stuck:
            break
        passes, steps, stuck = descend(tables, 2 * n + 5)
        total += steps
        if passes >= 0:
            passes, worst = solve(tables)
    enforced.count[1] = max(enforced.count[1], total)
    for i in range(n):
        if enforced.row[i, N_ITERATED] == 1:
            r = enforced.row[i, N_ROW]
            rates.x_dot[0] -= rows.load[r] * rows.phi_t[r]
            rates.x_dot[1] -= rows.load[r] * rows.rate[r]
    return passes if worst <= 1.0 or stuck or passes < 0 else FAILED


def iterate_at_address(first, count, address):
    return iterate(table_at(address, 2 * TABLES))
