"""The stages of one Runge-Kutta step.

    k_i = f(t0 + c_i h, y0 + h Σ_j a_ij k_j),   y1 = y0 + h Σ_i b_i k_i,   error = h Σ_i e_i k_i

Near a singular position accelerations are accurate only on the constraints: a position error is divided by
the distance from the singularity. A step near one projects every stage first, k = f(P(y)). P is smooth, so
the order is unchanged. The error is then the difference of the *projected* solutions, projected onto the
velocity constraints: before projection it is noise. That one must be small all the same, for nothing is left
of it where motions drive every coordinate.
"""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.math.vectors import add_scaled, copy_range
from mbplugin.stepping import (
    Rates,
    State,
    Step,
    copy,
    error_norm,
    evaluate_rates,
    project,
    project_increment,
    rates_on_constraints,
    view,
)
from mbplugin_lagrange.arrays import Stages

#: largest error of a projected step before it is projected, relative as the tolerance is: below it there may
#: be noise, beyond it the projection may lead to another position
COARSE = 1e-6


def begin_step(tables):
    """Evaluate the rates at the start of a step, which are those of its first stage. Returns a status."""
    status = rates_on_constraints(tables)
    if status != 0:
        return status
    stages, f = view(tables, Stages), view(tables, Rates)
    copy(f.q_dot, stages.fq)
    copy(f.v_dot, stages.fv)
    copy(f.aux_dot, stages.fa)
    return 0


def try_step(tables, h):
    """A step of length h; repeated with projected stages if it comes near a singular position."""
    step = view(tables, Step).record[0]
    step.pivot = 1.0
    status = evaluate_stages(tables, h)
    if status == 0 and step.near_singular == 0 and step.pivot < 1.0 and step.estimate == 1:
        step.near_singular = 1
        status = evaluate_stages(tables, h)
    if status != 0:
        return status
    if step.near_singular == 1:
        return finish_projected(tables, h)
    if step.estimate == 1:
        estimate(tables, h)
    solution(tables, h)
    if step.estimate == 1 and step.fixed == 0.0:
        stages = view(tables, Stages)
        step.error = error_norm(tables, stages.eq, stages.ev, stages.ea)
    return 0


@internal
def evaluate_stages(tables, h):
    """Rates of all stages of a step of length h. Returns a status."""
    stages, start, now, f = view(tables, Stages), view(tables, Step), view(tables, State), view(tables, Rates)
    step = start.record[0]
    nq, nv, na = now.q.shape[0], now.v.shape[0], now.aux.shape[0]
    s = stages.c.shape[0]
    put_row(stages.kq, 0, stages.fq)
    put_row(stages.kv, 0, stages.fv)
    put_row(stages.ka, 0, stages.fa)
    for i in range(1, s):
        now.time[0] = step.t0 + stages.c[i] * h
        combine(start.q0, stages.kq, nq, stages.A, i * s, i, h, now.q)
        combine(start.v0, stages.kv, nv, stages.A, i * s, i, h, now.v)
        combine(start.aux0, stages.ka, na, stages.A, i * s, i, h, now.aux)
        if step.near_singular == 1:
            status = project(tables) or rates_on_constraints(tables)
        else:
            status = evaluate_rates(tables)
        if status != 0:
            return status
        put_row(stages.kq, i * nq, f.q_dot)
        put_row(stages.kv, i * nv, f.v_dot)
        put_row(stages.ka, i * na, f.aux_dot)
    return 0


@internal
def put_row(k, first, values):
    copy_range(values, 0, k, first, values.shape[0])


@internal
def combine(y0, k, n, a, first, count, h, y):
    """y = y0 + h Σ_i a_i k_i over the first `count` rows of k, (s, n)."""
    for j in range(n):
        s = 0.0
        for i in range(count):
            s += a[first + i] * k[i * n + j]
        y[j] = y0[j] + h * s


@internal
def solution(tables, h):
    """Write the end of the step, not yet projected, to the tables."""
    stages, start, now = view(tables, Stages), view(tables, Step), view(tables, State)
    s = stages.b.shape[0]
    combine(start.q0, stages.kq, now.q.shape[0], stages.b, 0, s, h, now.q)
    combine(start.v0, stages.kv, now.v.shape[0], stages.b, 0, s, h, now.v)
    combine(start.aux0, stages.ka, now.aux.shape[0], stages.b, 0, s, h, now.aux)


@internal
def estimate(tables, h):
    """The error estimates of the embedded methods."""
    stages, now = view(tables, Stages), view(tables, State)
    for which in range(2):
        e = stages.e if which == 0 else stages.e3
        if e.shape[0] > 0:
            weigh(stages.kq, e, now.q.shape[0], h, stages.eq, which)
            weigh(stages.kv, e, now.v.shape[0], h, stages.ev, which)
            weigh(stages.ka, e, now.aux.shape[0], h, stages.ea, which)


@internal
def weigh(k, e, n, h, error, which):
    """error = h Σ_i e_i k_i, into row `which` of the estimates."""
    for j in range(n):
        s = 0.0
        for i in range(e.shape[0]):
            s += e[i] * k[i * n + j]
        error[which * n + j] = h * s


@internal
def finish_projected(tables, h):
    """Project the end of the step; the error is the difference of projected solutions. Returns a status."""
    stages, now, step = view(tables, Stages), view(tables, State), view(tables, Step).record[0]
    nq, nv, na = now.q.shape[0], now.v.shape[0], now.aux.shape[0]
    adaptive = step.estimate == 1 and step.fixed == 0.0
    estimates, before = 0, 0.0
    if adaptive:
        estimate(tables, h)
        solution(tables, h)
        before = error_norm(tables, stages.eq, stages.ev, stages.ea) * min(1.0, step.tolerance / COARSE)
        estimates = 2 if stages.e3.shape[0] > 0 else 1
    for which in range(estimates):
        # the embedded solution, projected
        solution(tables, h)
        subtract(now.q, stages.eq, which * nq)
        subtract(now.v, stages.ev, which * nv)
        subtract(now.aux, stages.ea, which * na)  # momenta, from which velocities follow
        status = project(tables)
        if status != 0:
            return status
        put_row(stages.eq, which * nq, now.q)
        put_row(stages.ev, which * nv, now.v)
    solution(tables, h)
    now.time[0] = step.t0 + h
    step.projected = 1
    status = project(tables)
    for which in range(estimates):
        if status == 0:
            difference(now.q, stages.eq, which * nq)
            difference(now.v, stages.ev, which * nv)
            status = project_increment(tables, stages.ev, which * nv)
    if adaptive and status == 0:
        step.error = max(before, error_norm(tables, stages.eq, stages.ev, stages.ea))
    return status


@internal
def subtract(y, error, first):
    """y ← y − error."""
    add_scaled(-1.0, error, first, y, 0, y.shape[0])


@internal
def difference(y, error, first):
    """error ← y − error."""
    for j in range(y.shape[0]):
        error[first + j] = y[j] - error[first + j]
