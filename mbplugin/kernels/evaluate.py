"""One evaluation of the equations of motion: from t, q, v and the auxiliary states to Φ, G, γ and h.

    M v̇ = h + Gᵀ λ,   G v̇ = γ,   γ = γ_m − G_m Ḣ v,   G = G_m H

H v are the twists of the markers. h contains the loads of enforced rows (penalty); λ belongs to the others.

Kernels write G_m, γ_m, Φ and Φₜ over marker twists. Body kinds transform G_m into G, and wrenches into
generalized forces.
"""

from __future__ import annotations

import math

from mbplugin.kernels.bounded import add_bounds, shift_motions, take_coefficients, take_commands
from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.modes import acts, is_iterated
from mbplugin.kernels.rows import add_row_load, rate_of
from mbplugin.kernels.tape import BY_TIME, tape_of_motion
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import inlined, internal, jit
from mbplugin.math.vectors import add_scaled, fill
from mbplugin.tables.groups import (
    Activity,
    Batches,
    Blocks,
    Bodies,
    Couplings,
    Elements,
    Enforced,
    Functions,
    ImplicitVariables,
    Markers,
    Measures,
    Rates,
    Rows,
    State,
    Status,
    Wrenches,
    WrenchJobs,
)
from mbplugin.tables.purposes import (
    BODY_FORCE,
    CONSTRAINT,
    ENFORCE,
    FORCE,
    FORCES_TO_GENERALIZED,
    LOCATE,
    MASS,
    MEASURE,
    PREPARE,
    ROWS_TO_GENERALIZED,
)
from mbplugin.tables.records import COMPLIANT, DEPENDENCE, SAME_SLOTS

#: parts of an evaluation that may be skipped because they are present already (bits)
MASS_AND_G, FORCES, POSES = 1, 2, 4


@internal
def run_batches(tables, purpose):
    """Call every batch of one purpose. Returns a status; `Status.batch` is the one under way."""
    batches = view(tables, Batches).index
    under_way = view(tables, Status).batch
    for i in range(batches.shape[0]):
        batch = batches[i]
        if batch.purpose == purpose:
            under_way[0] = i
            status = call_batch(batch.address, batch.first, batch.length, tables)
            if status != 0:
                return status
    return 0


@jit
def interpreted(tables, tape, seed):
    """Value and first two time derivatives of a tape's expression; with another seed than BY_TIME the second
    number is its derivative by that variable.
    """
    f = view(tables, Functions)
    m = view(tables, Measures)
    state = view(tables, State)
    z = view(tables, ImplicitVariables).value
    return tape_of_motion(
        f.ops,
        f.constants,
        tape.start,
        tape.stop,
        tape.first_constant,
        state.time[0],
        m.value,
        m.rate,
        m.bias,
        f.state,
        z,
        state.memory,
        seed,
        f.stack,
        f.called,
    )


@jit
def evaluate_states(tables):
    """Value, rate and second derivative of the user's states.

    Rates depend on values alone, second derivatives on values and rates: two sweeps.
    """
    functions = view(tables, Functions)
    aux = view(tables, State).aux
    aux_dot = view(tables, Rates).aux_dot
    s = functions.state
    for i in range(functions.equation.shape[0]):
        s[i, 0], s[i, 1], s[i, 2] = aux[functions.equation[i].aux], 0.0, 0.0
    for sweep in range(2):
        for i in range(functions.equation.shape[0]):
            f, f1, _ = interpreted(tables, functions.equation[i], BY_TIME)
            if sweep == 0:
                aux_dot[functions.equation[i].aux] = f
            else:
                s[i, 2] = f1
        for i in range(functions.equation.shape[0]):
            s[i, 1] = aux_dot[functions.equation[i].aux]


@jit
def evaluate_partial(tables, i):
    """The coefficient of a coupling, from the derivative number i of a driven coordinate's expression."""
    partial = view(tables, Functions).partial[i]
    _, slope, _ = interpreted(tables, partial, partial.seed)
    view(tables, Couplings).coefficient[partial.coupling] = -slope


@jit
def evaluate_function(tables, i):
    """Value and two derivatives of bound function number i."""
    u = view(tables, Functions).u
    function = view(tables, Functions).index[i]
    f, f1, f2 = interpreted(tables, function, BY_TIME)
    k = function.target
    if function.shift == 0:
        u[k, 0], u[k, 1], u[k, 2] = f, f1, f2
    elif function.shift == 1:
        u[k, 0], u[k, 1], u[k, 2] = 0.0, f, f1
    else:
        u[k, 0], u[k, 1], u[k, 2] = 0.0, 0.0, f
    if function.known < 2:
        u[k, 2] = math.nan
    if function.known < 1:
        u[k, 1] = math.nan


@internal
def evaluate_functions(tables):
    """Value and two derivatives of the bound functions; one that prescribes a rate is shifted by one place.

    The second derivative lacks the terms with accelerations of measures: couplings of the row bring them into
    G, with the coefficients −∂f/∂s or −∂f/∂ṡ.
    """
    functions = view(tables, Functions)
    evaluate_states(tables)
    for i in range(functions.partial.shape[0]):
        evaluate_partial(tables, i)
    for i in range(functions.index.shape[0]):
        evaluate_function(tables, i)


@jit
def measure_rate(tables, i):
    """ṡ = J twist of measure i."""
    measures = view(tables, Measures)
    elements = view(tables, Elements)
    markers = view(tables, Markers)
    measure = measures.index[i]
    rate = 0.0
    for k in range(measure.slots):
        marker = elements.marker[measure.first_slot + k]
        for c in range(3):
            rate += measures.J[measure.first_J + 6 * k + c] * markers.v[marker, c]
            rate += measures.J[measure.first_J + 6 * k + 3 + c] * markers.w[marker, c]
    measures.rate[i] = rate


@internal
def measure_rates(tables):
    """ṡ = J twist of all measures but those for frames."""
    measures = view(tables, Measures).index
    for i in range(measures.shape[0]):
        if measures[i].shown == 0:
            measure_rate(tables, i)


@inlined
def couple_term(tables, i):
    """Term i of the rows Σ cᵢ sᵢ = f over measures of any joints.

    f may depend on further measures or their rates; their terms in G are −∂f/∂s or −∂f/∂ṡ.
    """
    couplings = view(tables, Couplings)
    measures = view(tables, Measures)
    rows = view(tables, Rows)
    blocks = view(tables, Blocks)
    u = view(tables, Functions).u
    term = couplings.index[i]
    row, measure, function = term.row, term.measure, term.function
    c = couplings.coefficient[i]
    if function >= 0:
        rows.phi[row] = -u[function, 0]
        rows.phi_t[row] = -u[function, 1]
        rows.gamma[row] = u[function, 2]
    if function == DEPENDENCE:
        # G v contains the term −∂f/∂s ṡ of −ḟ (of a rate f: −∂f/∂ṡ ṡ of −f) already: take it off Φₜ
        rows.phi_t[row] -= c * measures.rate[measure]
    else:
        rows.phi[row] += c * measures.value[measure]
        rows.gamma[row] -= c * measures.bias[measure]
    first_J, slots = measures.index[measure].first_J, measures.index[measure].slots
    for k in range(6 * slots):
        before = blocks.G_marker[term.first_G + k] if function == SAME_SLOTS else 0.0
        blocks.G_marker[term.first_G + k] = before + c * measures.J[first_J + k]


@internal
def couple(tables):
    """Rows over measures of any joints, term by term."""
    for i in range(view(tables, Couplings).index.shape[0]):
        couple_term(tables, i)


@internal
def complete_gamma(tables):
    """γ = γ_m − G_m Ḣ v."""
    blocks = view(tables, Blocks)
    rows = view(tables, Rows)
    markers = view(tables, Markers)
    G = blocks.G_marker
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        slots = block.slots
        for s in range(slots):
            marker = blocks.marker[block.first_slot + s]
            v0, v1, v2 = markers.v_bias[marker, 0], markers.v_bias[marker, 1], markers.v_bias[marker, 2]
            w0, w1, w2 = markers.w_bias[marker, 0], markers.w_bias[marker, 1], markers.w_bias[marker, 2]
            for r in range(block.rows):
                g = block.first_G_marker + (r * slots + s) * 6
                linear = G[g] * v0 + G[g + 1] * v1 + G[g + 2] * v2
                rows.gamma[block.first_row + r] -= linear + G[g + 3] * w0 + G[g + 4] * w1 + G[g + 5] * w2


@internal
def sum_forces(tables):
    """Add the generalized forces of all force elements to h, in a fixed order."""
    jobs = view(tables, WrenchJobs)
    h = view(tables, Bodies).h
    for i in range(jobs.force.shape[0]):
        part = jobs.force[i]
        add_scaled(1.0, jobs.generalized, part.start, h, part.first_v, part.nv)


@internal
def silence_forces(tables):
    """Forces that do not act exert nothing and have no energy."""
    wrenches, of_slot = view(tables, Wrenches), view(tables, Activity).of_slot
    for i in range(wrenches.index.shape[0]):
        force = wrenches.index[i]
        if force.slots == 0 or acts(tables, of_slot[force.first_slot]):
            continue
        wrenches.energy[i] = wrenches.power[i] = 0.0
        clear(wrenches.wrench, 6 * force.first_slot, 6 * force.slots)


@internal
def power_of_forces(tables):
    """Power and dissipated power of the forces and in bodies, into the rates of the auxiliary states [W]."""
    wrenches, of_bodies = view(tables, Wrenches), view(tables, Bodies).power
    aux_dot = view(tables, Rates).aux_dot
    work, dissipated = 0.0, 0.0
    for i in range(wrenches.power.shape[0]):
        if wrenches.dissipates[i]:
            dissipated -= wrenches.power[i]
        else:
            work += wrenches.power[i]
    for i in range(of_bodies.shape[0]):
        dissipated -= of_bodies[i]
    aux_dot[0], aux_dot[1] = work, dissipated


@internal
def evaluate_compliances(tables):
    """Loads, energies and powers of the compliances; zero for rows that hold as constraints, or are off.
    Returns a status.
    """
    enforced, rows, mode = view(tables, Enforced).index, view(tables, Rows), view(tables, State).mode
    status = run_batches(tables, ENFORCE)
    for i in range(enforced.shape[0]):
        r = enforced[i].row
        if mode[r] != COMPLIANT:
            rows.load[r], rows.energy[r], rows.power[r] = 0.0, 0.0, 0.0
    return status


@internal
def evaluate_loads(tables):
    """Loads of enforced rows: Φ̇ = G v + Φₜ, load by the kernel, h ← h + Gᵀ load. Returns a status."""
    enforced = view(tables, Enforced).index
    rows = view(tables, Rows)
    aux_dot = view(tables, Rates).aux_dot
    for i in range(enforced.shape[0]):
        r = enforced[i].row
        rows.phi_dot[r] = rate_of(tables, enforced[i])
    status = evaluate_compliances(tables)
    if status != 0:
        return status
    for i in range(enforced.shape[0]):
        r = enforced[i].row
        add_row_load(tables, enforced[i], rows.load[r])
        if is_iterated(tables, i):
            # the iteration starts from this load and accounts for its power
            rows.energy[r], rows.power[r] = 0.0, 0.0
        else:
            aux_dot[0] -= rows.load[r] * rows.phi_t[r]
            aux_dot[1] -= rows.power[r]
    return 0


@internal
def locate_markers(tables):
    """Poses and twists of all markers. Returns a status."""
    return run_batches(tables, PREPARE) or run_batches(tables, LOCATE)


@internal
def evaluate_constraints(tables):
    """Φ, Φₜ, γ and G_m. Returns a status."""
    status = run_batches(tables, MEASURE)
    if status != 0:
        return status
    measure_rates(tables)
    evaluate_functions(tables)
    status = run_batches(tables, CONSTRAINT)
    if status != 0:
        return status
    couple(tables)
    shift_motions(tables)
    take_coefficients(tables)
    complete_gamma(tables)
    return take_commands(tables)


@internal
def evaluate_forces(tables):
    """h of bodies, force elements and compliances. Returns a status."""
    h = view(tables, Bodies).h
    fill(h, 0.0)
    status = run_batches(tables, FORCE)
    if status != 0:
        return status
    silence_forces(tables)
    status = run_batches(tables, BODY_FORCE) or run_batches(tables, FORCES_TO_GENERALIZED)
    if status != 0:
        return status
    sum_forces(tables)
    power_of_forces(tables)
    status = evaluate_loads(tables) if view(tables, Enforced).index.shape[0] > 0 else 0
    add_bounds(tables)
    return status


@internal
def evaluate_mass_and_G(tables):
    """M and G at the present position, whose markers and rows are evaluated. Returns a status."""
    return run_batches(tables, MASS) or run_batches(tables, ROWS_TO_GENERALIZED)


@by_address(seconds=7)
def evaluate_eom(tables, skip):
    """M (unless constant), h, Φ, Φₜ, γ and G at the present state. Returns a status.

    skip: parts that stay as they are, a sum of MASS_AND_G, FORCES and POSES
    """
    status = locate_markers(tables) if skip & POSES == 0 else 0
    if status != 0:
        return status
    status = evaluate_constraints(tables)
    if status != 0:
        return status
    if skip & MASS_AND_G == 0:
        status = evaluate_mass_and_G(tables)
        if status != 0:
            return status
    return 0 if skip & FORCES else evaluate_forces(tables)
