"""Iterated loads of enforced rows: the augmented Lagrangian at one state.

A law gives a row the load⁰ = −k Φ − d Φ̇. Augmented, load⁰ prescribes the acceleration of the row with its
mass m = 1/diag(G M⁻¹ Gᵀ), whatever the other forces are:

    Φ̈ = G v̇ − γ = load⁰ / m

Bayo's iteration  load ← load − m (Φ̈ − load⁰ / m),  with m ω² = k and 2 ζ ω m = d, is a gradient step. Here
the steps are conjugate residuals preconditioned by m: their number is at most that of the independent rows,
and redundant rows share their load. Φ then obeys m Φ̈ + d Φ̇ + k Φ = 0 and stays at 0.
"""

from __future__ import annotations

from mbplugin.kernels.accelerations import solve_accelerations
from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.modes import is_iterated
from mbplugin.kernels.rows import add_row_load, times_row_of
from mbplugin.kernels.schur import PASSES
from mbplugin.kernels.tree.reactions import follow_reactions
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Enforced, Rates, Rows, Status

#: relative rounding of G v̇, below which there is nothing to correct
ROUNDING_OF_ACCELERATION = 1e-14
#: change of the residuals over their tolerances, below which the loads have no effect
MOVED_RESIDUAL = 1e-3


@internal
def residuals(tables):
    """load⁰/m − Φ̈ of the iterated rows at the present v̇. Returns the largest of them over its tolerance."""
    enforced = view(tables, Enforced)
    rows = view(tables, Rows)
    v_dot = view(tables, Rates).v_dot
    worst = 0.0
    for i in range(enforced.index.shape[0]):
        if is_iterated(tables, i):
            moves = times_row_of(tables, enforced.index[i], v_dot)
            gamma = rows.gamma[enforced.index[i].row]
            enforced.residual[i] = enforced.wanted[i] - (moves - gamma)
            tolerance = max(
                enforced.tolerance[i],
                ROUNDING_OF_ACCELERATION * (abs(moves) + abs(gamma) + abs(enforced.wanted[i])),
            )
            worst = max(worst, abs(enforced.residual[i]) / tolerance)
    return worst


@internal
def add_loads(tables, vector, alpha):
    """load ← load + α vector, and h accordingly."""
    enforced = view(tables, Enforced)
    load = view(tables, Rows).load
    for i in range(enforced.index.shape[0]):
        if is_iterated(tables, i):
            add_row_load(tables, enforced.index[i], alpha * vector[i])
            load[enforced.index[i].row] += alpha * vector[i]


@internal
def solve(tables):
    """v̇ and λ under the present loads. Returns a status and the largest residual over its tolerance."""
    status = solve_accelerations(tables)
    return status, residuals(tables)


@internal
def effect(tables):
    """The change of the residuals by loads m · residual, into `image`.

    Returns a status, scaled · image, and the largest change over its tolerance.
    """
    enforced = view(tables, Enforced)
    n = enforced.index.shape[0]
    for i in range(n):
        enforced.scaled[i] = enforced.mass[i] * enforced.residual[i]
        enforced.image[i] = enforced.residual[i]
    add_loads(tables, enforced.scaled, 1.0)
    status, _ = solve(tables)
    add_loads(tables, enforced.scaled, -1.0)
    power, largest = 0.0, 0.0
    for i in range(n):
        if is_iterated(tables, i):
            change = enforced.image[i] - enforced.residual[i]
            enforced.residual[i] = enforced.image[i]
            enforced.image[i] = change
            power += enforced.scaled[i] * change
            largest = max(largest, abs(change) / enforced.tolerance[i])
    return status, power, largest


@internal
def descend(tables, most):
    """Conjugate-residual steps until the residuals meet their tolerances or loads have no effect.

    Returns a status, the number of steps, and whether loads have no effect any more.
    """
    enforced = view(tables, Enforced)
    n = enforced.index.shape[0]
    before = 0.0
    status = 0
    for i in range(n):
        enforced.direction[i], enforced.change[i] = 0.0, 0.0
    for k in range(most):
        status, power, largest = effect(tables)
        if status != 0 or largest <= MOVED_RESIDUAL or not power > 0.0:
            return status, k + 1, True
        beta = power / before if before > 0.0 else 0.0
        before = power
        size = 0.0
        for i in range(n):
            if is_iterated(tables, i):
                enforced.direction[i] = enforced.scaled[i] + beta * enforced.direction[i]
                enforced.change[i] = enforced.image[i] + beta * enforced.change[i]
                size += enforced.mass[i] * enforced.change[i] * enforced.change[i]
        if not size > 0.0:
            return status, k + 1, True
        alpha = power / size
        add_loads(tables, enforced.direction, alpha)
        worst = 0.0
        for i in range(n):
            if is_iterated(tables, i):
                enforced.residual[i] -= alpha * enforced.change[i]
                worst = max(worst, abs(enforced.residual[i]) / enforced.tolerance[i])
        if worst <= 0.1:
            return status, k + 1, False
    return status, most, False


@internal
def accelerations_of_loads(tables):
    """v̇, λ and reactions at the present implicit variables, with iterated loads. Returns a status."""
    iterated = False
    for i in range(view(tables, Enforced).index.shape[0]):
        iterated |= is_iterated(tables, i)
    status = iterate_loads(tables) if iterated else solve_accelerations(tables)
    follow_reactions(tables)
    return status


@by_address(seconds=3, when="enforced")
def iterate_loads(tables):
    """v̇, λ and the iterated loads. Returns a status; PASSES in `Status.passes` if a tolerance is not met."""
    enforced = view(tables, Enforced)
    rows = view(tables, Rows)
    rates = view(tables, Rates)
    n = enforced.index.shape[0]
    for i in range(n):
        enforced.wanted[i] = (
            rows.load[enforced.index[i].row] / enforced.mass[i] if is_iterated(tables, i) else 0.0
        )
    status, worst = solve(tables)
    total = 0
    stuck = False
    for _ in range(3):
        if worst <= 1.0 or status != 0 or stuck:
            break
        status, steps, stuck = descend(tables, 2 * n + 5)
        total += steps
        if status == 0:
            status, worst = solve(tables)
    enforced.most_iterations[0] = max(enforced.most_iterations[0], total)
    for i in range(n):
        if is_iterated(tables, i):
            r = enforced.index[i].row
            rates.aux_dot[0] -= rows.load[r] * rows.phi_t[r]
            rates.aux_dot[1] -= rows.load[r] * rows.phi_dot[r]
    if status == 0 and worst > 1.0 and not stuck:
        view(tables, Status).passes[0] = PASSES
    return status
