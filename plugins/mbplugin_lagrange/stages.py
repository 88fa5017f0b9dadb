"""The stages of one Runge-Kutta step, and its end on the constraints.

After an accepted step q and v are projected onto the constraints, and the first stage is evaluated there
again, with the factor that the projection of the velocities made.

Near a singular position the accelerations are sound only on the constraints: an error of the positions there
is divided by the distance from the singularity. A step that comes near one is therefore taken *carefully*:
every stage is projected first, k = f(P(y)), which is a smooth field too, so that the order stays.
"""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.kernels.evaluate import run_batches
from mbplugin.kernels.projection import CLOSED, TIGHT, project_positions, project_velocities, refactor
from mbplugin.kernels.view import view
from mbplugin.tables.groups import Rates, State
from mbplugin.tables.purposes import NORMALISE
from mbplugin_lagrange.derivative import derivative, evaluate
from mbplugin_lagrange.places import CAREFUL, KNOWN, SIZE
from mbplugin_lagrange.store import copy


@internal
def stages(tables, store, A, c, t0, h):
    """All stages of a step from (t0, q0, v0, x0); the first is in fq, fv, fx where it is KNOWN. Returns a
    status.
    """
    state = view(tables, State)
    rates = view(tables, Rates)
    careful = store.count[CAREFUL] == 1
    for s in range(c.shape[0]):
        if s == 0 and store.count[KNOWN] == 1:
            copy(store.fq, store.kq[0])
            copy(store.fv, store.kv[0])
            copy(store.fx, store.kx[0])
            continue
        state.time[0] = t0 + c[s] * h
        combine(store.q0, store.kq, A[s], s, h, state.q)
        combine(store.v0, store.kv, A[s], s, h, state.v)
        combine(store.x0, store.kx, A[s], s, h, state.aux)
        if careful:
            status, _ = onto_constraints(tables, store)
            if status == 0:
                status = evaluate(tables, store)
        else:
            status = refactor(tables)
            if status == 0:
                status = derivative(tables, store)
        if status != 0:
            return status
        copy(rates.q_dot, store.kq[s])
        copy(rates.v_dot, store.kv[s])
        copy(rates.aux_dot, store.kx[s])
    return 0


@internal
def combine(y0, k, a, count, h, y):
    """y = y0 + h Σ a_i k_i."""
    for n in range(y0.shape[0]):
        s = 0.0
        for i in range(count):
            s += a[i] * k[i, n]
        y[n] = y0[n] + h * s


@internal
def solution(tables, store, b, h):
    """y = y0 + h Σ b_i k_i into the tables."""
    state = view(tables, State)
    count = b.shape[0]
    combine(store.q0, store.kq, b, count, h, state.q)
    combine(store.v0, store.kv, b, count, h, state.v)
    combine(store.x0, store.kx, b, count, h, state.aux)


@internal
def onto_constraints(tables, store):
    """Positions and velocities of the present state projected. Returns status and the position residual that
    is left.

    A careful step trusts no factor of a state nearby, and closes positions to rounding.
    """
    careful = store.count[CAREFUL] == 1
    status = run_batches(tables, NORMALISE)
    if status != 0:
        return status, 0.0
    status, worst = project_positions(tables, store.number[SIZE], not careful, TIGHT if careful else CLOSED)
    if status != 0:
        return status, worst
    return project_velocities(tables), worst


@internal
def finish(tables, store, b, t1, h):
    """The state at the end of the step, projected. Returns status and the position residual that is left."""
    solution(tables, store, b, h)
    view(tables, State).time[0] = t1
    return onto_constraints(tables, store)
