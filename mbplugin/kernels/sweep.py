"""Kinematics over time: positions, velocities and accelerations determined by constraints and motions alone.

    Φ(q, t) = 0 by Newton's method,   G v = −Φₜ,   G v̇ = γ;   with forces also Gᵀ λ = M v̇ − h

Each Newton iteration starts from the Taylor polynomial at the time before, with v, v̇ and the difference of
the last two v̇. Its error is O(dt⁴), which one Newton step squares.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, float64, int64

from mbplugin.kernels.evaluate import FORCES, MASS_AND_G, evaluate_eom, locate_markers, run_batches
from mbplugin.kernels.implicit import accelerations
from mbplugin.kernels.projection import CLOSED, STEPS, close_positions, mixed_levels, worst_position
from mbplugin.kernels.schur import VELOCITIES, factor, solve_rows
from mbplugin.kernels.view import view
from mbplugin.math.jit import compiled_entry, internal
from mbplugin.math.vectors import copy, fill
from mbplugin.tables.groups import Bodies, Markers, Measures, Rates, Rows, State, Status
from mbplugin.tables.purposes import COORDINATE, RETRACT
from mbplugin.tables.records import ACCELERATION_LEVEL, POSITION_LEVEL, VELOCITY_LEVEL

#: residual at which a stalled position counts as converged; relative residual of velocities, in the norm of M
CLOSE_ENOUGH, RATES_HOLD = 1e-10, 1e-8


@internal
def close(tables, size):
    """Newton's method on Φ = 0; G is that of the final q. Returns a status, steps and the last residual."""
    status = evaluate_eom(tables, FORCES)
    worst = worst_position(tables, size)
    steps = 0
    while status == 0 and worst > CLOSED and steps < STEPS:
        if factor(tables, POSITION_LEVEL) != 0:
            return 0, steps, 1e300
        status = close_positions(tables) or evaluate_eom(tables, FORCES)
        before, worst = worst, worst_position(tables, size)
        steps += 1
        if worst <= CLOSE_ENOUGH and worst > 0.1 * before:
            break
    return status, steps, worst


@internal
def wrap_angles(tables):
    """Evaluate joint coordinates at the present position and count turns from there. Returns a status."""
    status = run_batches(tables, COORDINATE)
    measures = view(tables, Measures)
    copy(measures.value, measures.last)
    return status


@internal
def largest_rate(tables):
    """Largest velocity, in the norm of M."""
    inverse, v = view(tables, Bodies).inverse, view(tables, State).v
    size = 1e-300
    for k in range(v.shape[0]):
        if inverse[k] > 0.0:
            size = max(size, abs(v[k]) / np.sqrt(inverse[k]))
    return size


@internal
def rates_of(tables, forces):
    """v, then v̇ and λ, at the closed position. Returns a status, and whether v satisfies the constraints."""
    rows = view(tables, Rows)
    if factor(tables, VELOCITY_LEVEL) != 0:
        return 0, False
    # motions may stop: the residual is then rounding of the velocities before
    size = largest_rate(tables)
    for r in range(rows.phi.shape[0]):
        rows.target[r] = -rows.scale[r] * rows.phi_t[r]
        size = max(size, abs(rows.target[r]))
    solve_rows(tables, VELOCITIES)
    size = max(size, largest_rate(tables))
    hold = view(tables, Status).residual[0] <= RATES_HOLD * size
    status = evaluate_eom(tables, MASS_AND_G if forces else MASS_AND_G | FORCES)
    if not forces:
        h = view(tables, Bodies).h
        fill(h, 0.0)
    # that factor is without the acceleration rows, which do not constrain velocities
    if status == 0 and mixed_levels(tables) and factor(tables, ACCELERATION_LEVEL) != 0:
        return 0, False
    if status == 0:
        status = accelerations(tables, 0 if forces else FORCES)
    return status, hold


@compiled_entry(
    float64[::1],
    float64,
    boolean,
    float64[:, ::1],
    float64[:, ::1],
    float64[:, ::1],
    float64[:, ::1],
    int64[::1],
)
def sweep(tables, times, size, forces, q, v, v_dot, lam, steps):
    """Fill q, v, v̇ and λ, (n, ...) each, and the Newton steps (n,) for n times [s].

    size:   of the mechanism [m]
    forces: whether λ includes applied forces and inertia

    Returns a status, the number of times done, and the position residual of the last.
    """
    state = view(tables, State)
    rates = view(tables, Rates)
    rows = view(tables, Rows)
    for k in range(times.shape[0]):
        if k > 0:
            dt = times[k] - times[k - 1]
            for i in range(state.v.shape[0]):
                jerk = (v_dot[k - 1, i] - v_dot[k - 2, i]) / (times[k - 1] - times[k - 2]) if k > 1 else 0.0
                rates.v_dot[i] = dt * (state.v[i] + dt * (0.5 * v_dot[k - 1, i] + dt * jerk / 6.0))
                state.v[i] += dt * (v_dot[k - 1, i] + 0.5 * dt * jerk)
            status = run_batches(tables, RETRACT)
            if status != 0:
                return status, k, 0.0
        state.time[0] = times[k]
        status, steps[k], worst = close(tables, size)
        if status != 0 or not worst <= CLOSE_ENOUGH:
            return status, k, worst
        status = wrap_angles(tables)
        if status != 0:
            return status, k, worst
        status, hold = rates_of(tables, forces)
        if status != 0 or not hold:
            return status, k, worst
        for i in range(state.q.shape[0]):
            q[k, i] = state.q[i]
        for i in range(state.v.shape[0]):
            v[k, i], v_dot[k, i] = state.v[i], rates.v_dot[i]
        for r in range(rows.lam.shape[0]):
            lam[k, r] = rows.lam[r]
    return 0, times.shape[0], 0.0


@compiled_entry(float64, float64)
def newton_step(tables, size, fraction):
    """One Newton step on Φ = 0, shortened by `fraction`, from the Φ in the tables.

    Returns a status and the residual after the step; 1e300 if S cannot be factored.
    """
    rows = view(tables, Rows)
    if factor(tables, POSITION_LEVEL) != 0:
        return 0, 1e300
    for r in range(rows.phi.shape[0]):
        rows.phi[r] *= fraction
    status = close_positions(tables) or evaluate_eom(tables, FORCES)
    return status, worst_position(tables, size)


@compiled_entry(
    float64[::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, :, ::1]
)
def show(tables, times, points, q, v, v_dot, out):
    """Poses (x, R), twists (v, ω) and twist rates of the markers `points` at n states, into `out`.

    times: (n,) [s]; q, v, v_dot: (n, ...); out: (n, points, 24). Returns a status.
    """
    state = view(tables, State)
    p = view(tables, Markers)
    for k in range(times.shape[0]):
        state.time[0] = times[k]
        # first with v̇ in place of v: twists are then H v̇
        for phase in range(2):
            for i in range(state.q.shape[0]):
                state.q[i] = q[k, i]
            for i in range(state.v.shape[0]):
                state.v[i] = v_dot[k, i] if phase == 0 else v[k, i]
            status = locate_markers(tables)
            if status != 0:
                return status
            for j in range(points.shape[0]):
                n = points[j]
                for c in range(3):
                    if phase == 0:
                        out[k, j, 18 + c], out[k, j, 21 + c] = p.v[n, c], p.w[n, c]
                    else:
                        out[k, j, c], out[k, j, 12 + c], out[k, j, 15 + c] = p.x[n, c], p.v[n, c], p.w[n, c]
                        out[k, j, 18 + c] += p.v_bias[n, c]
                        out[k, j, 21 + c] += p.w_bias[n, c]
                for c in range(9):
                    out[k, j, 3 + c] = p.R[n, c]
    return 0
