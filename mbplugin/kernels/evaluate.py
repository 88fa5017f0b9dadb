"""One evaluation: from t, q, v, x to Φ, G, γ, h and on to v̇ and λ.

    M v̇ = h + Gᵀ λ,   G v̇ = γ,   γ = γ_m − G_m Ḣ v,   G = G_m H

h holds the loads of rows that a law enforces (penalty), λ those of the others.

Kernels write G_m, γ_m, Φ and Φₜ over marker twists; body kinds turn them into G, and wrenches into
generalized forces.
"""

from __future__ import annotations

from mbplugin.kernels.tape import BY_TIME, tape_of_motion
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import internal, jit
from mbplugin.tables.groups import (
    ADDRESS,
    BODY_FORCE,
    CONSTRAINT,
    COUNT,
    DEPENDENCE,
    ENFORCE,
    F_CONSTANT,
    F_SHIFT,
    F_START,
    F_STOP,
    F_TARGET,
    FIRST,
    FORCE,
    FORCE_PULL,
    K_BODIES,
    K_BODY,
    K_GM,
    K_ROW,
    K_ROWS,
    K_SLOT,
    K_SLOTS,
    LOCATE,
    MASS,
    MEASURE,
    N_BLOCK,
    N_ITERATED,
    N_ROW,
    PREPARE,
    PULL,
    PURPOSE,
    SAME_SLOTS,
    Batches,
    Blocks,
    Bodies,
    Couplings,
    Elements,
    Enforced,
    Functions,
    Measures,
    Points,
    Pulls,
    Rates,
    Rows,
    State,
    Unknowns,
    Wrenches,
)

#: what `terms` can leave as it is
MASS_AND_G, OWN_FORCES, POSES = 1, 2, 4
#: the statuses of plugins' functions begin here
PLUGIN = 1 << 32


@internal
def run_batches(tables, purpose):
    """Call every batch of one purpose; 0, or the number of the batch that failed (from 1) · 2³² + the
    element's (from 1).
    """
    rows = view(tables, Batches).row
    for i in range(rows.shape[0]):
        if rows[i, PURPOSE] == purpose:
            status = call_batch(rows[i, ADDRESS], rows[i, FIRST], rows[i, COUNT], tables)
            if status != 0:
                return (i + 1) * PLUGIN + status
    return 0


@jit
def interpreted(tables, row, seed):
    """Value and two derivatives in time of the expression of a record of tapes, or value and derivative by a
    seed.
    """
    f = view(tables, Functions)
    m = view(tables, Measures)
    t = view(tables, State).time[0]
    z = view(tables, Unknowns).value
    return tape_of_motion(
        f.ops,
        f.constants,
        row[F_START],
        row[F_STOP],
        row[F_CONSTANT],
        t,
        m.value,
        m.rate,
        m.bias,
        f.state,
        z,
        seed,
        f.stack,
        f.called,
    )


@jit
def evaluate_states(tables):
    """Value, rate and second derivative of the user's states; rates depend on values alone, second
    derivatives on the rates.
    """
    functions = view(tables, Functions)
    x = view(tables, State).x
    x_dot = view(tables, Rates).x_dot
    s = functions.state
    for i in range(functions.equation.shape[0]):
        s[i, 0], s[i, 1], s[i, 2] = x[functions.equation[i, 3]], 0.0, 0.0
    for sweep in range(2):
        for i in range(functions.equation.shape[0]):
            f, f1, _ = interpreted(tables, functions.equation[i], BY_TIME)
            if sweep == 0:
                x_dot[functions.equation[i, 3]] = f
            else:
                s[i, 2] = f1
        for i in range(functions.equation.shape[0]):
            s[i, 1] = x_dot[functions.equation[i, 3]]


@internal
def evaluate_functions(tables):
    """Bound functions: value and two derivatives. A function given for a rate is shifted by as many places.

    Derivatives lack what accelerations of measures add; those by measures, or by their rates, go to the
    couplings of the row.
    """
    functions = view(tables, Functions)
    evaluate_states(tables)
    coefficient = view(tables, Couplings).coefficient
    for i in range(functions.partial.shape[0]):
        row = functions.partial[i]
        _, slope, _ = interpreted(tables, row, row[3])
        coefficient[row[4]] = -slope
    for i in range(functions.row.shape[0]):
        row = functions.row[i]
        f, f1, f2 = interpreted(tables, row, BY_TIME)
        target = row[F_TARGET]
        if row[F_SHIFT] == 0:
            functions.u[target, 0], functions.u[target, 1], functions.u[target, 2] = f, f1, f2
        elif row[F_SHIFT] == 1:
            functions.u[target, 0], functions.u[target, 1], functions.u[target, 2] = 0.0, f, f1
        else:
            functions.u[target, 0], functions.u[target, 1], functions.u[target, 2] = 0.0, 0.0, f


@internal
def measure_rates(tables):
    """ṡ = J twist."""
    measures = view(tables, Measures)
    elements = view(tables, Elements)
    points = view(tables, Points)
    for i in range(measures.row.shape[0]):
        j0, slots, slot0 = measures.row[i, 0], measures.row[i, 1], measures.row[i, 2]
        rate = 0.0
        for k in range(slots):
            point = elements.slot[slot0 + k]
            for c in range(3):
                rate += measures.J[j0 + 6 * k + c] * points.v[point, c]
                rate += measures.J[j0 + 6 * k + 3 + c] * points.w[point, c]
        measures.rate[i] = rate


@internal
def couple(tables):
    """Rows Σ cᵢ sᵢ = f from measures of any joints; f may depend on further measures, or their rates, whose
    terms of G are −∂f/∂s or −∂f/∂ṡ.
    """
    couplings = view(tables, Couplings)
    measures = view(tables, Measures)
    rows = view(tables, Rows)
    blocks = view(tables, Blocks)
    functions = view(tables, Functions)
    for i in range(couplings.row.shape[0]):
        row, measure, g0, function = (
            couplings.row[i, 0],
            couplings.row[i, 1],
            couplings.row[i, 2],
            couplings.row[i, 3],
        )
        c = couplings.coefficient[i]
        if function >= 0:
            rows.phi[row] = -functions.u[function, 0]
            rows.phi_t[row] = -functions.u[function, 1]
            rows.gamma[row] = functions.u[function, 2]
        if function == DEPENDENCE:
            # what ḟ (or f, where it is a rate) has of ∂f/∂s ṡ is a part of G v here
            rows.phi_t[row] -= c * measures.rate[measure]
        else:
            rows.phi[row] += c * measures.value[measure]
            rows.gamma[row] -= c * measures.bias[measure]
        j0, slots = measures.row[measure, 0], measures.row[measure, 1]
        for k in range(6 * slots):
            before = blocks.gm[g0 + k] if function == SAME_SLOTS else 0.0
            blocks.gm[g0 + k] = before + c * measures.J[j0 + k]


@internal
def complete_gamma(tables):
    """γ = γ_m − G_m Ḣ v."""
    blocks = view(tables, Blocks)
    rows = view(tables, Rows)
    points = view(tables, Points)
    for k in range(blocks.row.shape[0]):
        block = blocks.row[k]
        slots = block[K_SLOTS]
        for s in range(slots):
            point = blocks.slot[block[K_SLOT] + s]
            dv0, dv1, dv2 = points.dv[point, 0], points.dv[point, 1], points.dv[point, 2]
            dw0, dw1, dw2 = points.dw[point, 0], points.dw[point, 1], points.dw[point, 2]
            for r in range(block[K_ROWS]):
                g = block[K_GM] + (r * slots + s) * 6
                rows.gamma[block[K_ROW] + r] -= (
                    blocks.gm[g] * dv0
                    + blocks.gm[g + 1] * dv1
                    + blocks.gm[g + 2] * dv2
                    + blocks.gm[g + 3] * dw0
                    + blocks.gm[g + 4] * dw1
                    + blocks.gm[g + 5] * dw2
                )


@internal
def sum_forces(tables):
    """h: what bodies feel of themselves plus every force element's share, in a fixed order."""
    pulls = view(tables, Pulls)
    h = view(tables, Bodies).h
    for i in range(pulls.force.shape[0]):
        start, v0 = pulls.force[i, 0], pulls.force[i, 1]
        for k in range(pulls.count[i]):
            h[v0 + k] += pulls.generalized[start + k]


@internal
def flow(tables):
    """Rates of the work put in and of the energy dissipated [W] by forces."""
    wrenches = view(tables, Wrenches)
    x_dot = view(tables, Rates).x_dot
    work, dissipated = 0.0, 0.0
    for i in range(wrenches.power.shape[0]):
        if wrenches.dissipates[i] == 1:
            dissipated -= wrenches.power[i]
        else:
            work += wrenches.power[i]
    x_dot[0], x_dot[1] = work, dissipated


@internal
def row_times(tables, k, place, v):
    """(G v) of row `place` of block k."""
    blocks = view(tables, Blocks)
    block = blocks.row[k]
    rate = 0.0
    for j in range(block[K_BODY], block[K_BODY] + block[K_BODIES]):
        g0, v0, nv = blocks.body[j, 1], blocks.body[j, 2], blocks.body[j, 3]
        for c in range(nv):
            rate += blocks.G[g0 + place * nv + c] * v[v0 + c]
    return rate


@internal
def along(tables, i, v):
    """(G v)_r of enforced row i."""
    row = view(tables, Enforced).row
    k = row[i, N_BLOCK]
    return row_times(tables, k, row[i, N_ROW] - view(tables, Blocks).row[k, K_ROW], v)


@internal
def rate_of(tables, r):
    """(G v)_r of any row; its block is searched for."""
    rows = view(tables, Blocks).row
    for k in range(rows.shape[0]):
        place = r - rows[k, K_ROW]
        if 0 <= place < rows[k, K_ROWS]:
            return row_times(tables, k, place, view(tables, State).v)
    return 0.0


@internal
def push(tables, i, load):
    """h ← h + G_rᵀ load of enforced row i."""
    row = view(tables, Enforced).row
    blocks = view(tables, Blocks)
    h = view(tables, Bodies).h
    block = blocks.row[row[i, N_BLOCK]]
    place = row[i, N_ROW] - block[K_ROW]
    for j in range(block[K_BODY], block[K_BODY] + block[K_BODIES]):
        g0, v0, nv = blocks.body[j, 1], blocks.body[j, 2], blocks.body[j, 3]
        for c in range(nv):
            h[v0 + c] += blocks.G[g0 + place * nv + c] * load


@internal
def loads(tables):
    """Loads of the rows that a law holds: Φ̇ = G v + Φₜ, load by the law's kernel, h ← h + Gᵀ load."""
    enforced = view(tables, Enforced)
    rows = view(tables, Rows)
    v = view(tables, State).v
    x_dot = view(tables, Rates).x_dot
    for i in range(enforced.row.shape[0]):
        r = enforced.row[i, N_ROW]
        rows.rate[r] = rows.phi_t[r] + along(tables, i, v)
    status = run_batches(tables, ENFORCE)
    if status != 0:
        return status
    for i in range(enforced.row.shape[0]):
        r = enforced.row[i, N_ROW]
        push(tables, i, rows.load[r])
        if enforced.row[i, N_ITERATED] == 1:
            # the load is only begun with; `iterate` accounts for it
            rows.energy[r], rows.power[r] = 0.0, 0.0
        else:
            x_dot[0] -= rows.load[r] * rows.phi_t[r]
            x_dot[1] -= rows.power[r]
    return 0


@internal
def kinematics(tables):
    """Poses and twists of all markers."""
    status = run_batches(tables, PREPARE)
    if status != 0:
        return status
    return run_batches(tables, LOCATE)


@internal
def constraints(tables):
    """Φ, Φₜ, γ, G_m; then G where bodies turn it (`PULL`, shared with the forces)."""
    status = run_batches(tables, MEASURE)
    if status != 0:
        return status
    measure_rates(tables)
    evaluate_functions(tables)
    status = run_batches(tables, CONSTRAINT)
    if status != 0:
        return status
    couple(tables)
    complete_gamma(tables)
    return 0


@internal
def forces(tables):
    """h from the bodies themselves and from force elements."""
    h = view(tables, Bodies).h
    for i in range(h.shape[0]):
        h[i] = 0.0
    status = run_batches(tables, FORCE)
    if status != 0:
        return status
    status = run_batches(tables, BODY_FORCE)
    if status != 0:
        return status
    status = run_batches(tables, FORCE_PULL)
    if status != 0:
        return status
    sum_forces(tables)
    flow(tables)
    return loads(tables) if view(tables, Enforced).row.shape[0] > 0 else 0


@internal
def terms(tables, without):
    """The terms of the equations of motion at the present state: M where it varies, h, Φ, Φₜ, γ, G; `without`
    (a sum of bits) M and G, h, or markers' poses.
    """
    status = kinematics(tables) if without & POSES == 0 else 0
    if status != 0:
        return status
    status = constraints(tables)
    if status != 0:
        return status
    if without & MASS_AND_G == 0:
        status = run_batches(tables, MASS)
        if status != 0:
            return status
        status = run_batches(tables, PULL)
        if status != 0:
            return status
    return 0 if without & OWN_FORCES else forces(tables)
