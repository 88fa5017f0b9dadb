"""Projection onto the constraints, by the smallest change in the kinetic-energy norm.

positions:   min ½ δᵀ M δ with G δ = −Φ,  q ← q ⊕ δ,  repeated until |Φ| is rounding
velocities:  v ← v − M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁺ (G v + Φₜ)
"""

from __future__ import annotations

from mbplugin.kernels.evaluate import FORCES, MASS_AND_G, evaluate_eom, evaluate_mass_and_G, run_batches
from mbplugin.kernels.schur import (
    ACCELERATIONS,
    INCREMENTS,
    POSITIONS,
    PROXIMAL,
    VELOCITIES,
    add_impulse,
    apply_G,
    factor,
    solve_rows,
)
from mbplugin.kernels.tree.momentum import velocities_of_momenta
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import internal
from mbplugin.math.vectors import copy_range, fill
from mbplugin.tables.groups import Bounded, Functions, Rates, Rows, State
from mbplugin.tables.purposes import RETRACT
from mbplugin.tables.records import ACCELERATION_LEVEL, ON, POSITION_LEVEL, VELOCITY_LEVEL
from mbplugin.tables.status import NO_PIVOT

#: residual of position rows at which the projection ends: metres over the mechanism's size, or radians
CLOSED = 1e-13
#: the same near a singular position, where the residual is amplified by the inverse distance from it
TIGHT = 2e-16
#: limit of Newton steps
STEPS = 12


@internal
def worst_position(tables, size):
    """Largest |Φ| over the position rows that are on, metres over `size` or radians."""
    rows, mode = view(tables, Rows), view(tables, State).mode
    worst = 0.0
    for r in range(rows.phi.shape[0]):
        if mode[r] == ON and rows.level[r] == POSITION_LEVEL:
            e = abs(rows.phi[r]) if rows.radians[r] == 1 else abs(rows.phi[r]) / size
            if not e <= 1e300:
                return 1e300
            worst = max(worst, e)
    return worst


@internal
def has_acceleration_rows(tables):
    """Whether some row that is on is at acceleration level: it constrains no velocities."""
    rows, mode = view(tables, Rows), view(tables, State).mode
    for r in range(rows.level.shape[0]):
        if mode[r] == ON and rows.level[r] == ACCELERATION_LEVEL:
            return True
    return False


@internal
def mixed_levels(tables):
    """Whether some row that is on is not at position level: positions and velocities have different rows."""
    rows, mode = view(tables, Rows), view(tables, State).mode
    for r in range(rows.phi.shape[0]):
        if mode[r] == ON and rows.level[r] != POSITION_LEVEL:
            return True
    return False


@internal
def has_no_rows(tables):
    """Whether nothing is constrained: positions and velocities then stay as they are."""
    return view(tables, Rows).phi.shape[0] == 0


@internal
def close_positions(tables):
    """One Newton step on Φ = 0 with the present factor, in `Rates.v_dot` for RETRACT. Returns a status."""
    rows = view(tables, Rows)
    dq = view(tables, Rates).v_dot
    fill(dq, 0.0)
    for r in range(rows.phi.shape[0]):
        rows.target[r] = -rows.scale[r] * rows.phi[r] if rows.level[r] == POSITION_LEVEL else 0.0
    solve_rows(tables, POSITIONS)
    return run_batches(tables, RETRACT)


@internal
def project_positions(tables, size, factored, closed):
    """Newton's method on Φ = 0 from the present q; Φ, G and M are finally those of the new q.

    size:     of the mechanism [m]
    factored: S is factored at a nearby state, such as that of the last stage; the first step uses that factor
    closed:   residual to reach, CLOSED or TIGHT

    Returns a status and the remaining residual.
    """
    if has_no_rows(tables):
        return evaluate_eom(tables, FORCES), 0.0
    status = evaluate_eom(tables, MASS_AND_G | FORCES if factored else FORCES)
    if status != 0:
        return status, 0.0
    worst = worst_position(tables, size)
    if factored and worst > closed and not mixed_levels(tables):
        status = close_positions(tables) or evaluate_eom(tables, FORCES)
        if status != 0:
            return status, worst
        worst = worst_position(tables, size)
    elif factored:
        status = evaluate_mass_and_G(tables)
        if status != 0:
            return status, worst
    best = worst
    stalled = 0
    for k in range(STEPS):
        if worst <= closed or stalled == 2:
            break
        if factor(tables, POSITION_LEVEL) != 0:
            return 0, worst
        status = close_positions(tables) or evaluate_eom(tables, FORCES)
        if status != 0:
            return status, worst
        worst = worst_position(tables, size)
        stalled = stalled + 1 if worst > 0.5 * best else 0
        best = min(best, worst)
    return 0, worst


@internal
def refactor(tables):
    """Evaluate the present state and factor S for all rows that are on. Returns a status."""
    status = evaluate_eom(tables, 0)
    return status if status != 0 else factor(tables, ACCELERATION_LEVEL)


@internal
def rates_decide(tables):
    """Whether G depends on v, because a motion's velocity is a function of rates."""
    partial = view(tables, Functions).partial
    for i in range(partial.shape[0]):
        if partial[i].by_rate == 1:
            return True
    return False


@internal
def onto_velocities(tables):
    """Project v onto G v = −Φₜ with the present G and Φₜ. Returns a status."""
    rows = view(tables, Rows)
    status = factor(tables, VELOCITY_LEVEL)
    if status != 0:
        return status
    for r in range(rows.phi.shape[0]):
        rows.target[r] = -rows.scale[r] * rows.phi_t[r]
    solve_rows(tables, VELOCITIES)
    return 0


@internal
def project_velocities(tables):
    """Project v onto G v = −Φₜ at the present q; S is finally that of all rows that are on. Returns a status.

    If velocities are functions of rates, Φₜ and G depend on v, and this is Newton's method.
    """
    if has_no_rows(tables):
        return 0
    status = onto_velocities(tables)
    if status != 0:
        return status
    if not rates_decide(tables):
        # M and G are those of this position; this factor is without the acceleration rows
        return factor(tables, ACCELERATION_LEVEL) if has_acceleration_rows(tables) else 0
    rows = view(tables, Rows)
    for _ in range(STEPS):
        status = evaluate_eom(tables, FORCES)
        if status != 0:
            return status
        change, size = 0.0, 0.0
        for r in range(rows.phi.shape[0]):
            change = max(change, abs(rows.target[r] + rows.scale[r] * rows.phi_t[r]))
            size = max(size, abs(rows.target[r]))
        if change <= CLOSED * size:
            break
        status = onto_velocities(tables)
        if status != 0:
            return status
    return refactor(tables)


@internal
def follow_momenta(tables):
    """Velocities from the momenta at the present position, on the constraints. Returns a status."""
    status = evaluate_eom(tables, FORCES) or velocities_of_momenta(tables)
    return status if status != 0 else project_velocities(tables)


@internal
def project_increment(tables, dv, first):
    """dv ← dv − M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁺ G dv for nv numbers from `first`: the part that the constraints allow.

    S is factored at the present q. Returns a status.
    """
    rows = view(tables, Rows)
    v_dot = view(tables, Rates).v_dot
    if mixed_levels(tables) and factor(tables, VELOCITY_LEVEL) != 0:
        return NO_PIVOT
    copy_range(dv, first, v_dot, 0, v_dot.shape[0])
    clear(rows.target, 0, rows.phi.shape[0])
    solve_rows(tables, INCREMENTS)
    copy_range(v_dot, 0, dv, first, v_dot.shape[0])
    return factor(tables, ACCELERATION_LEVEL) if has_acceleration_rows(tables) else 0


@internal
def share_by_norm(tables, lam):
    """λ (nc,) ← the multipliers of the least norm, in scaled rows, that exert the same on the bodies at the
    present state, evaluated. It is left as it is if no rows are redundant, or none has bounds. Returns a
    status.
    """
    rows, v_dot = view(tables, Rows), view(tables, Rates).v_dot
    if rows.delta[0] != PROXIMAL or view(tables, Bounded).index.shape[0] == 0:
        return 0
    status = factor(tables, ACCELERATION_LEVEL)
    if status != 0:
        return status
    for r in range(lam.shape[0]):
        rows.solution[r] = lam[r] / rows.scale[r] if rows.scale[r] != 0.0 else 0.0
    fill(v_dot, 0.0)
    add_impulse(tables, rows.solution, v_dot)
    apply_G(tables, v_dot, rows.target)
    fill(v_dot, 0.0)
    solve_rows(tables, ACCELERATIONS)
    for r in range(lam.shape[0]):
        lam[r] = rows.scale[r] * rows.lam[r]
    return 0
