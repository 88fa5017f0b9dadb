"""One step of the generalized-α method on a Lie group (Brüls, Cardona & Arnold, Mech. Mach. Theory 48 (2012)
121-137, equations 11 to 16), index 3; the engine then projects the velocities.

    M v̇₁ = h(q₁, v₁) + G₁ᵀ λ₁,   Φ(q₁) = 0
    q₁ = q₀ ⊕ Δq,   Δq = h v₀ + h² ((½ − β) a₀ + β a₁),   v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)
    (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀

Newton's method in δ = change of Δq, with b = (1 − α_m) / (β h² (1 − α_f)) and g = γ / (β h):

    [ M + (g D + K T) / b   −Ĝᵀ ] [ δ     ]     [ r / b ]
    [ Ĝ T                    δ_p ] [ μ / b ]  = −[ Φ̂     ]      v̇₁ += b δ,  v₁ += g δ,  λ₁ += μ

T is the tangent of ⊕, so that the increment of q₁ is T δ; rows are scaled as in the constraint force method.
a₀ stands for v̇ at t₀ + (α_m − α_f) h (both sides of its recursion by Taylor), so that the first is
v̇₀ + (α_m − α_f) h v̈₀, and one for a step of another length is moved by its slope. First-order states follow
the same rule and α (Jansen, Whiting & Hulbert, Comput. Methods Appl. Mech. Engrg. 190 (2000) 305-319).
"""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.math.vectors import add_scaled
from mbplugin.matrix import form_step_matrix, multipliers, step_correction, step_residual
from mbplugin.stepping import (
    NOT_CONVERGED,
    InnerStates,
    Rates,
    Rows,
    State,
    Step,
    advance_coordinates,
    copy,
    error_norm,
    evaluate_eom,
    evaluate_kinetic_energy,
    evaluate_rates,
    follow_implicit_variables,
    normalise_coordinates,
    power_of_motions,
    project_closed,
    project_increment,
    rates_on_constraints,
    share_by_norm,
    solve_inner_states,
    view,
)
from mbplugin.stepping.bounded_rows import ENERGY, IMPULSE, Bounded, rates_of_bounded
from mbplugin_lagrange.galpha_arrays import Alpha

#: Newton steps
MAX_PASSES = 15
#: residual of the equations of motion at which Newton's method ends, relative to the largest force
FORCES_CLOSED = 1e-10
#: residual of the constraints at which it ends, over the size of the mechanism: it is a velocity error of
#: this over the step
POSITIONS_CLOSED = 1e-14
#: change of the coordinates, relative to the size of the mechanism, that is rounding
ROUNDING_OF_COORDINATES = 4e-15
#: the matrix is formed again when a pass lowers the residual by less than this factor
SLOW_CONVERGENCE = 0.1
#: a step shorter than this part of the planned one, as next to an event, leaves no history: v̇₁ and λ₁ are
#: known to the rounding of positions over h², which a longer step would multiply by the square of its own
SHORT_STEP = 1e-2
#: energy below which errors of energies are absolute [J]
ENERGY_FLOOR = 0.01
#: step of the differences for the first jerk, in steps
PROBE_STEP = 1e-3


def begin_step(tables):
    """v̇, λ and rates at the start, and the pseudo-accelerations of the last step or first ones. Returns a
    status.
    """
    status = rates_on_constraints(tables)
    if status != 0:
        return status
    alpha, state, rates = view(tables, Alpha), view(tables, State), view(tables, Rates)
    copy(multipliers(tables), alpha.lam0)
    copy(rates.aux_dot, alpha.x_dot0)
    if state.history[0] > 0.0:
        read_history(tables)
        return 0
    alpha.record[0].length = 0.0
    copy(rates.v_dot, alpha.v_dot0)
    copy(rates.v_dot, alpha.a)
    copy(rates.aux_dot, alpha.w)
    return probe_jerk(tables)


@internal
def probe_jerk(tables):
    """v̈ at the start by differences along the motion to q₀ ⊕ (e v₀ + ½ e² v̇₀), e = ε and 2 ε: forwards
    only, as forces may have jumped just before. Returns a status.
    """
    alpha, state, rates = view(tables, Alpha), view(tables, State), view(tables, Rates)
    nv, na = state.v.shape[0], state.aux.shape[0]
    step = view(tables, Step).record[0]
    t, probe = state.time[0], PROBE_STEP * step.h
    copy(state.q, alpha.q)
    copy(state.v, alpha.v)
    copy(state.aux, alpha.w0)
    evaluations = step.evaluations
    status = 0
    for k in range(nv):
        alpha.jerk[k] = -1.5 / probe * alpha.v_dot0[k]
    for k in range(na):
        alpha.w_rate[k] = -1.5 / probe * alpha.x_dot0[k]
    for further in range(2):
        e, weight = (probe, 2.0 / probe) if further == 0 else (2.0 * probe, -0.5 / probe)
        state.time[0] = t + e
        for k in range(nv):
            alpha.dq[k] = e * alpha.v[k] + 0.5 * e * e * alpha.v_dot0[k]
            state.v[k] = alpha.v[k] + e * alpha.v_dot0[k]
        for k in range(na):
            state.aux[k] = alpha.w0[k] + e * alpha.x_dot0[k]
        copy(alpha.q, state.q)
        status = advance_coordinates(tables, alpha.dq) or evaluate_rates(tables)
        if status != 0:
            break
        add_scaled(weight, rates.v_dot, 0, alpha.jerk, 0, nv)
        add_scaled(weight, rates.aux_dot, 0, alpha.w_rate, 0, na)
    state.time[0] = t
    copy(alpha.q, state.q)
    copy(alpha.v, state.v)
    copy(alpha.w0, state.aux)
    step.evaluations = evaluations + 2
    return status if status != 0 else evaluate_rates(tables)


def try_step(tables, h):
    """A step of length h by Newton's method. Returns a status."""
    alpha, step = view(tables, Alpha), view(tables, Step)
    c = alpha.record[0]
    b = (1.0 - c.alpha_m) / (c.beta * h * h * (1.0 - c.alpha_f))
    g = c.gamma / (c.beta * h)
    s = h * c.gamma * (1.0 - c.alpha_f) / (1.0 - c.alpha_m)
    predict(tables, h, s)
    formed, before = False, 1e300
    rounding = ROUNDING_OF_COORDINATES * max(step.record[0].length_scale, largest(step.q0))
    for k in range(MAX_PASSES + 1):
        status = evaluate_end(tables, h, s)
        if status != 0:
            return status
        worst, force, opened = step_residual(tables, alpha.v_dot1, alpha.lam, b, g)
        error = max(worst / max(force, 1e-300), opened * (FORCES_CLOSED / POSITIONS_CLOSED))
        if k > 0 and error <= FORCES_CLOSED:
            return finish(tables, h, step.record[0].near_singular == 0, opened)
        if k == MAX_PASSES or not error <= 1e300:
            return NOT_CONVERGED
        if not formed or error > SLOW_CONVERGENCE * before:
            copy(alpha.lam, multipliers(tables))
            copy(alpha.v_dot1, view(tables, Rates).v_dot)
            status = form_step_matrix(tables, alpha.dq, 1.0, g / b, 1.0 / b, s)
            if status != 0:
                return status
            formed = True
        # with the same matrix the next pass lowers the error as the last one did
        done = k > 0 and error * (error / before) <= 0.1 * FORCES_CLOSED
        before = error
        if correct(tables, b, g) <= rounding or done:
            status = place_end(tables, h)
            break
    return status if status != 0 else finish(tables, h, False, 0.0)


@internal
def largest(x):
    most = 0.0
    for k in range(x.shape[0]):
        most = max(most, abs(x[k]))
    return most


@internal
def predict(tables, h, s):
    """First values of the end: v̇ and λ, and from v̇ the increment of q, v and the base of the states."""
    alpha, step = view(tables, Alpha), view(tables, Step)
    c = alpha.record[0]
    shift = c.ahead * (h - c.length)
    for k in range(alpha.a.shape[0]):
        alpha.a0[k] = alpha.a[k] + shift * alpha.jerk[k]
        alpha.v_dot1[k] = alpha.v_dot0[k] + h * alpha.jerk[k]
    for k in range(alpha.w.shape[0]):
        alpha.w0[k] = alpha.w[k] + shift * alpha.w_rate[k]
    copy(alpha.lam0, alpha.lam)
    end_of_step(tables, h)
    base = view(tables, InnerStates).base
    for k in range(base.shape[0]):
        drift = (c.alpha_f * alpha.x_dot0[k] - c.alpha_m * alpha.w0[k]) / (1.0 - c.alpha_m)
        base[k] = step.aux0[k] + h * ((1.0 - c.gamma) * alpha.w0[k] + c.gamma * drift)
        view(tables, State).aux[k] = base[k] + s * alpha.x_dot0[k]


@internal
def end_of_step(tables, h):
    """a₁, Δq and v₁ from v̇₁."""
    alpha, step = view(tables, Alpha), view(tables, Step)
    c = alpha.record[0]
    put_end_acceleration(tables)
    for k in range(alpha.a0.shape[0]):
        alpha.dq[k] = h * step.v0[k] + h * h * ((0.5 - c.beta) * alpha.a0[k] + c.beta * alpha.a1[k])
        alpha.v[k] = step.v0[k] + h * ((1.0 - c.gamma) * alpha.a0[k] + c.gamma * alpha.a1[k])


@internal
def put_end_acceleration(tables):
    """a₁ from v̇₁."""
    alpha = view(tables, Alpha)
    c = alpha.record[0]
    for k in range(alpha.a0.shape[0]):
        mean = (1.0 - c.alpha_f) * alpha.v_dot1[k] + c.alpha_f * alpha.v_dot0[k]
        alpha.a1[k] = (mean - c.alpha_m * alpha.a0[k]) / (1.0 - c.alpha_m)


@internal
def place_end(tables, h):
    """Put q₀ ⊕ Δq, v₁ and the time of the end into the tables. Returns a status."""
    alpha, state, step = view(tables, Alpha), view(tables, State), view(tables, Step)
    copy(step.q0, state.q)
    copy(alpha.v, state.v)
    state.time[0] = step.record[0].t0 + h
    status = advance_coordinates(tables, alpha.dq)
    return status if status != 0 else normalise_coordinates(tables)


@internal
def evaluate_end(tables, h, s):
    """The equations of motion at the present iterate, with the inner states that follow. Returns a status."""
    status = place_end(tables, h)
    if status == 0:
        view(tables, Step).record[0].evaluations += 1
        status = evaluate_eom(tables, 0)
    if status == 0:
        status = solve_inner_states(tables, s)
    return status if status != 0 else follow_implicit_variables(tables)


@internal
def correct(tables, b, g):
    """One Newton step with the matrix as it is factored. Returns the largest change of an increment."""
    alpha = view(tables, Alpha)
    delta = step_correction(tables, alpha.lam, b)
    most = 0.0
    for k in range(alpha.dq.shape[0]):
        d = delta[k]
        alpha.dq[k] += d
        alpha.v[k] += g * d
        alpha.v_dot1[k] += b * d
        most = max(most, abs(d))
    return most


@internal
def finish(tables, h, evaluated, opened):
    """Energies, error estimate and history at the end of the step. Returns a status.

    evaluated: whether the tables hold the equations of motion at the end; opened: residual of its positions
    """
    alpha, step = view(tables, Alpha), view(tables, Step)
    rates, bounded = view(tables, Rates), view(tables, Bounded).index
    put_end_acceleration(tables)
    short, status = h < SHORT_STEP * step.record[0].h, 0
    if short:
        copy(alpha.lam0, alpha.lam)
    else:
        status = put_end_multipliers(tables, h)
    if status == 0:
        status = share_by_norm(tables, alpha.lam)
    if status != 0:
        return status
    rates.aux_dot[0] += power_of_motions(tables, alpha.lam)
    rates_of_bounded(tables, alpha.lam)
    add_mean_rates(tables, 0, 2, h)
    for i in range(bounded.shape[0]):
        add_mean_rates(tables, bounded[i].first_aux, 3 if bounded[i].works == 1 else 2, h)
    if step.record[0].estimate == 1 and step.record[0].fixed == 0.0:
        status = estimate(tables, h)
    write_history(tables, 0.0 if short else h)
    return project_closed(tables, opened) if status == 0 and evaluated else status


@internal
def add_mean_rates(tables, first, count, h):
    """States whose rates follow from λ, and are known at the end of a step alone, by the trapezoidal rule."""
    alpha, aux, aux0 = view(tables, Alpha), view(tables, State).aux, view(tables, Step).aux0
    for k in range(first, first + count):
        aux[k] = aux0[k] + 0.5 * h * (alpha.x_dot0[k] + view(tables, Rates).aux_dot[k])


@internal
def put_end_multipliers(tables, h):
    """λ at the end from λ₁, whose v̇₁ stands for `late` steps after the end across the constraints, where
    forces are those of the end: λ − λ₁ = (G M⁻¹ Gᵀ)⁺ G (v̇ − v̇₁). Returns a status.

    Positions and velocities across the constraints are those of the constraints at either end, so that
    (½ − β) a₀ + β a₁ = ½ v̇ + h v̈ / 6: a₁ stands for v̇ at t₁ + (1/3 − 2 β) h, and v̇₁ for that less α_m − α_f.
    """
    alpha, rows = view(tables, Alpha), view(tables, Rows)
    c = alpha.record[0]
    apart = h + c.late * h if c.length == 0.0 else h + c.late * (h - c.length)
    for k in range(alpha.r.shape[0]):
        alpha.r[k] = -c.late * h / apart * (alpha.v_dot1[k] - alpha.v_dot0[k])
    status = project_increment(tables, alpha.r, 0)
    for r in range(alpha.lam.shape[0]):
        alpha.lam[r] -= rows.lam[r] * rows.scale[r]
    return status


@internal
def estimate(tables, h):
    """Error of the step: of positions (κ/2 + β − 1/6) h³ v̈, of velocities C h³ d³v/dt³. Returns a status."""
    alpha, state, step = view(tables, Alpha), view(tables, State), view(tables, Step)
    c, rates, bounded = alpha.record[0], view(tables, Rates), view(tables, Bounded).index
    of_q = (0.5 * c.ahead + c.beta - 1.0 / 6.0) * h * h
    of_v = c.velocity_error * h * h * h / (0.5 * (h + c.length))
    # v̇ is known to the rounding of positions over h²
    noise = 2.0 * abs(of_v) * ROUNDING_OF_COORDINATES * step.record[0].length_scale / (c.beta * h * h * h)
    for k in range(alpha.a0.shape[0]):
        change = alpha.a1[k] - alpha.a0[k]
        alpha.r[k] = of_q * change
        alpha.error_v[k] = of_v * (change / h - alpha.jerk[k])
    # along the constraints: across them, a oscillates after each change of the step, and q and v do not
    status = project_increment(tables, alpha.r, 0) or project_increment(tables, alpha.error_v, 0)
    if status != 0:
        return status
    for k in range(alpha.a0.shape[0]):
        alpha.r[k] += alpha.dq[k]
        alpha.error_v[k] = beyond(alpha.error_v[k], noise)
    for k in range(alpha.w0.shape[0]):
        w1 = pseudo_rate(tables, k, rates.aux_dot[k])
        alpha.error_x[k] = of_v * ((w1 - alpha.w0[k]) / h - alpha.w_rate[k])
    for i in range(bounded.shape[0]):
        # the impulse of a row, and its work, are known to those of this velocity
        row, first = bounded[i].row, bounded[i].first_aux
        impulse = noise * view(tables, Rows).scale[row] ** 2
        alpha.error_x[first + IMPULSE] = beyond(alpha.error_x[first + IMPULSE], impulse)
        alpha.error_x[first + ENERGY] = beyond(alpha.error_x[first + ENERGY], impulse * largest(state.v))
    # the error in coordinates is that of ⊕
    copy(state.q, alpha.q)
    copy(step.q0, state.q)
    status = advance_coordinates(tables, alpha.r)
    for k in range(alpha.q.shape[0]):
        alpha.error_q[k] = state.q[k] - alpha.q[k]
    copy(alpha.q, state.q)
    error = error_norm(tables, alpha.error_q, alpha.error_v, alpha.error_x)
    step.record[0].error = max(error, error_of_energies(tables, noise))
    return status


@inlined
def beyond(error, noise):
    """The size of an error that is more than noise."""
    return max(0.0, abs(error) - noise)


@internal
def error_of_energies(tables, noise):
    """Largest error of work and dissipated energy, relative to the tolerance as in `error_norm`, and to the
    largest of them and the kinetic energy. Where motions drive all, nothing else has an error.

    noise: of the velocities
    """
    alpha, state, record = view(tables, Alpha), view(tables, State), view(tables, Step).record[0]
    kinetic, speed = evaluate_kinetic_energy(tables, state.v), largest(state.v)
    energy = max(kinetic, max(abs(state.aux[0]), abs(state.aux[1])))
    # noise of the momenta times the speed
    power = 2.0 * kinetic / speed * noise if speed > 0.0 else 0.0
    error = beyond(max(abs(alpha.error_x[0]), abs(alpha.error_x[1])), power)
    return error / (record.tolerance * (ENERGY_FLOOR + energy))


@internal
def pseudo_rate(tables, k, x_dot):
    """w₁ of state k from its rate at the end."""
    alpha = view(tables, Alpha)
    c = alpha.record[0]
    mean = (1.0 - c.alpha_f) * x_dot + c.alpha_f * alpha.x_dot0[k]
    return (mean - c.alpha_m * alpha.w0[k]) / (1.0 - c.alpha_m)


@internal
def write_history(tables, h):
    """Length h, v̇, a, jerk, and w with its slope, for the next step; h = 0: none, it starts anew."""
    alpha, history = view(tables, Alpha), view(tables, State).history
    x_dot = view(tables, Rates).aux_dot
    nv, na = alpha.a0.shape[0], alpha.w0.shape[0]
    history[0] = h
    if h == 0.0:
        return
    for k in range(nv):
        history[1 + k] = alpha.v_dot1[k]
        history[1 + nv + k] = alpha.a1[k]
        history[1 + 2 * nv + k] = (alpha.a1[k] - alpha.a0[k]) / h
    for k in range(na):
        w1 = pseudo_rate(tables, k, x_dot[k])
        history[1 + 3 * nv + k] = w1
        history[1 + 3 * nv + na + k] = (w1 - alpha.w0[k]) / h


@internal
def read_history(tables):
    """Read what `write_history` has left."""
    alpha, history = view(tables, Alpha), view(tables, State).history
    nv, na = alpha.a0.shape[0], alpha.w0.shape[0]
    alpha.record[0].length = history[0]
    for k in range(nv):
        alpha.v_dot0[k] = history[1 + k]
        alpha.a[k] = history[1 + nv + k]
        alpha.jerk[k] = history[1 + 2 * nv + k]
    for k in range(na):
        alpha.w[k] = history[1 + 3 * nv + k]
        alpha.w_rate[k] = history[1 + 3 * nv + na + k]
