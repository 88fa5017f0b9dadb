"""Implicit Euler steps of bodies on springs and joints, with points of contact above the plane z = 0.

    M v̇₁ = h(q₁, v₁) + G₁ᵀ λ + G_cᵀ f,   v̇₁ = (v₁ − v₀) / h,   v₁ = Δq / h

f = max(0, −k (φ + G_c Δq)), or f ≥ 0 so that φ + G_c Δq ≥ 0 where no stiffness is given. Contacts are the
mass centres within `near` of the plane, found at the start of each step: terms G_cᵀ k G_c of the matrix, or
rows that border it.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from mbplugin.interface import Positive, internal
from mbplugin.matrix import (
    Matrix,
    add_transient_border,
    add_transient_load,
    add_transient_terms,
    analyse,
    border_transient,
    couple_transient,
    declare_step_matrix,
    factor_matrix,
    fill_step_matrix,
    multipliers,
    request_matrix_capacity,
    step_correction,
    step_residual,
    transient_row_scale,
)
from mbplugin.stepping import (
    NONNEGATIVE,
    NOT_CONVERGED,
    OVERFLOW,
    Bodies,
    CompiledSolver,
    Control,
    FixedStep,
    State,
    Step,
    TransientRows,
    add_transient_block,
    advance_coordinates,
    clear_transient,
    copy,
    evaluate_eom,
    place_block,
    rates_on_constraints,
    set_row,
    transient_jacobian,
    transient_row_rate,
    view,
)
from mbplugin.stepping.arrays import Floats, solver_tables

UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
DELTA = 1e-12


@solver_tables
class Tables(NamedTuple):
    keys: Floats  # (2,) stiffness [N/m], 0: rigid; near [m]
    dq: Floats  # (nv,)
    v_dot: Floats  # (nv,)
    lam: Floats  # (nc,)
    C: Floats  # (1,)


def begin_step(tables):
    status = rates_on_constraints(tables)
    return status if status != 0 else find_contacts(tables)


@internal
def find_contacts(tables):
    clear_transient(tables)
    bodies, near = view(tables, Bodies), view(tables, Tables).keys[1]
    for i in range(bodies.index.shape[0]):
        for j in range(-1, i):
            x = centre(tables, i)
            under = (0.0, 0.0, 0.0) if j < 0 else centre(tables, j)
            gap = x[2] - under[2]
            if (j < 0 or abs(x[0] - under[0]) < near) and 0.0 < gap + near < 2.0 * near:
                k = add_transient_block(tables, j, i, 1, NONNEGATIVE)
                if k < 0:
                    return OVERFLOW
                view(tables, TransientRows).phi[k] = gap
                status = place_block(tables, k, (x[0], x[1], under[2]), x, UPRIGHT)
                if status != 0:
                    return status
                set_row(tables, k, 0, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    return transient_jacobian(tables)


@internal
def centre(tables, i):
    q, first = view(tables, State).q, view(tables, Bodies).index[i].first_q
    return q[first], q[first + 1], q[first + 2]


def try_step(tables, h):
    mine, state, start = view(tables, Tables), view(tables, State), view(tables, Step)
    transient, m = view(tables, TransientRows), view(tables, Matrix)
    length = mine.dq.shape[0] + mine.lam.shape[0]
    rigid = mine.keys[0] == 0.0
    declare_step_matrix(tables)
    nodes = m.info[0].nodes
    for k in range(transient.used[0]):
        if rigid:
            border_transient(tables, m, k, length + k)
        else:
            couple_transient(tables, m, k)
    if analyse(m) != 0:
        return request_matrix_capacity(tables)
    for k in range(mine.dq.shape[0]):
        mine.dq[k] = h * start.v0[k]
        mine.v_dot[k] = 0.0
    for k in range(mine.lam.shape[0]):
        mine.lam[k] = 0.0
    for k in range(transient.used[0]):
        transient.impulse[k] = 0.0
    e = 1.0 / (h * h)
    for _ in range(30):
        copy(start.q0, state.q)
        for k in range(mine.dq.shape[0]):
            state.v[k] = mine.dq[k] / h
        state.time[0] = start.record[0].t0 + h
        status = advance_coordinates(tables, mine.dq)
        if status == 0:
            status = evaluate_eom(tables, 0)
        if status != 0:
            return status
        _, _, opened = step_residual(tables, mine.v_dot, mine.lam, e, 1.0 / h)
        copy(mine.lam, multipliers(tables))
        status = fill_step_matrix(tables, mine.dq, 1.0, h, h * h, 0.0)
        if status != 0:
            return status
        error = add_contacts(tables, m, nodes, length, e)
        if error <= 1e-9 and opened <= 1e-13:
            return 0
        if factor_matrix(m) != 0:
            return NOT_CONVERGED
        x = step_correction(tables, mine.lam, e)
        for k in range(mine.dq.shape[0]):
            mine.dq[k] += x[k]
            mine.v_dot[k] += e * x[k]
        if rigid:
            for k in range(transient.used[0]):
                if transient.target[k] > 0.0:
                    transient.impulse[k] += e * transient_row_scale(transient, k) * x[length + k]
    return NOT_CONVERGED


@internal
def add_contacts(tables, m, nodes, length, e):
    """Loads and slopes of all contacts; `TransientRows.target` is 1 where one is closed. Returns the largest
    residual of the forces.
    """
    mine, transient = view(tables, Tables), view(tables, TransientRows)
    stiffness, nv = mine.keys[0], mine.dq.shape[0]
    opened = 0.0
    for k in range(transient.used[0]):
        gap = transient.phi[k] + transient_row_rate(transient, k, 0, mine.dq)
        if stiffness > 0.0:
            load = max(0.0, -stiffness * gap)
            transient.impulse[k] = load
            add_transient_load(transient, k, 0, load / e, m.x)
            mine.C[0] = stiffness / e if gap < 0.0 else 0.0
            add_transient_terms(tables, m, k, mine.C, 0)
            continue
        # closed: f − gap e / diag(G M⁻¹ Gᵀ) > 0, the primal-dual active set
        closed = transient.impulse[k] > gap * e / transient.inverse_mass[k]
        transient.target[k] = 1.0 if closed else 0.0
        s = transient_row_scale(transient, k)
        if closed:
            add_transient_load(transient, k, 0, transient.impulse[k] / e, m.x)
            add_transient_border(tables, m, k, nodes + k, -1.0, DELTA)
            m.x[length + k] = -s * gap
            opened = max(opened, abs(gap))
        else:
            transient.impulse[k] = 0.0
            add_transient_border(tables, m, k, nodes + k, 0.0, 1.0)
            m.x[length + k] = 0.0
    error = 0.0
    for k in range(nv):
        error = max(error, abs(m.x[k]) * e)
    return max(error, opened * 1e3)


class Keys(FixedStep):
    stiffness: Positive | None = Field(None, description="of each contact [N/m]; without it they are rigid")
    near: Positive = Field(0.01, description="distance at which a contact is looked at [m]")


class ImplicitContacts(CompiledSolver):
    name = "foreign_implicit_contacts"
    order = 1
    parameters = Keys
    begin_step = staticmethod(begin_step)
    try_step = staticmethod(try_step)
    mean_accelerations = True
    multipliers = "lam"
    row_types = ("equality",)

    @classmethod
    def control(cls, params, chosen):
        return Control(1, fixed=params.step)

    @classmethod
    def arrays(cls, problem, params, chosen):
        problem.prepare_step_matrix()
        keys = np.array([params.stiffness or 0.0, params.near])
        nv = problem.nv
        return Tables(keys, np.zeros(nv), np.zeros(nv), np.zeros(problem.nc), np.zeros(1))

    @classmethod
    def transient(cls, problem, params):
        return 1
