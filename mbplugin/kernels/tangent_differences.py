"""Finite-difference tangents for elements, bodies and compliances without closed form, each by itself.

An element is evaluated anew for every displacement and velocity of a marker that it depends on: the measures
that its expressions read, these expressions, then its kernel. With inner states x it also gives

    ẋ = X_p (places) + X_v (twists) + X_x x,   dx = s dẋ,   w += W_x dx

so that −W_x (1 − s X_x)⁻¹ s X_p belongs to K_m, and the same with X_v to D_m.
"""

from __future__ import annotations

from math import cos, sin

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import (
    couple_term,
    evaluate_function,
    evaluate_partial,
    evaluate_states,
    measure_rate,
)
from mbplugin.kernels.modes import acts
from mbplugin.kernels.ridders import (
    ARRAYS,
    HALVINGS,
    SERIES,
    add_difference,
    ahead,
    begin,
    enough,
    first_step,
)
from mbplugin.kernels.tangents import add_markers
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.dense import lu, lu_solve
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import internal
from mbplugin.math.vectors import add_scaled, copy_range
from mbplugin.tables.groups import (
    Activity,
    Batches,
    Blocks,
    Bodies,
    Differences,
    Elements,
    Increments,
    Markers,
    Rates,
    Rows,
    State,
    Status,
    TangentBlocks,
    TangentPlan,
    Tangents,
    TangentWork,
    Wrenches,
)
from mbplugin.tables.purposes import COUPLING, KERNEL, MEASURE_RATE, PARTIAL, STATES
from mbplugin.tables.status import NOT_FINITE, RAISED

#: what is moved: the place of a marker, its twist, or an inner state
PLACE, TWIST, INNER = range(3)


@internal
def matters(tables, job, s, rates):
    """Whether the element has anything that is not zero."""
    if job.first_wrench >= 0:
        return job.by_places != 0 or (s != 0.0 and job.states > 0)
    if rates and job.rates != 0:
        return True
    lam = view(tables, Tangents).lam
    loaded = False
    for r in range(job.rows):
        loaded |= lam[job.first_row + r] != 0.0
    return loaded and (job.by_places != 0 or (s != 0.0 and job.states > 0))


@by_address(seconds=8, when="differences of elements")
def difference_element(tables, i, twisted):
    """K_m and D_m of one element or row without tangents, into the blocks. Returns a status."""
    job = view(tables, Differences).part[i]
    rates = view(tables, Differences).rates[0] != 0
    plan = view(tables, TangentPlan)
    space = view(tables, TangentWork)
    weight = view(tables, TangentBlocks).weight
    s = weight[3]
    if not matters(tables, job, s, rates):
        return 0
    with_states = s != 0.0 and job.states > 0
    follow = rates and job.rates != 0
    n = outputs(job)
    wide = 6 * job.reads
    # by places (n, 6 reads), by twists (n, 6 reads), by inner states (n, states)
    by_place = 36
    by_twist = by_place + n * wide
    by_inner = by_twist + n * wide
    here = by_inner + n * job.states
    places = weight[2] != 0.0 and (job.by_places != 0 or with_states or follow)
    twists = twisted != 0 and (with_states or (job.by_places != 0 and job.first_wrench >= 0))
    status = 0
    for column in range(2 * wide + job.states):
        what, k, target, stride = PLACE, column, by_place + column, wide
        wanted = places
        if column >= 2 * wide:
            what, k, wanted = INNER, column - 2 * wide, with_states
            target, stride = by_inner + k, job.states
        elif column >= wide:
            what, k, wanted = TWIST, column - wide, twists
            target = by_twist + k
        which = job.first_aux + k if what == INNER else plan.marker[job.first_read + k // 6]
        if wanted and status == 0:
            status = differentiate(tables, job, what, which, k % 6, here, n, target, stride)
    again = evaluate_alone(tables, job)
    if status != 0 or again != 0:
        return status if status != 0 else again
    work = space.work
    if follow:
        take_rates(tables, job, by_place, wide)
    wrenches = 6 * job.acts
    condensed = here
    if with_states:
        status = condense(tables, job, by_place, by_twist, by_inner, here)
        if status != 0:
            return status
    for k in range(wrenches * wide):
        # an element that gives its tangent needs what follows its inner states alone
        own_place = -work[by_place + k] if job.by_places != 0 else 0.0
        own_twist = -work[by_twist + k] if job.by_places != 0 and job.first_wrench >= 0 else 0.0
        work[by_place + k] = own_place - (work[condensed + k] if with_states else 0.0)
        work[by_twist + k] = own_twist - (work[condensed + wrenches * wide + k] if with_states else 0.0)
    act, read, pair = job.first_act, job.first_read, job.first_pair
    if weight[2] != 0.0:
        add_markers(tables, act, job.acts, read, job.reads, pair, work, by_place, 0)
    if twisted != 0 and (with_states or job.first_wrench >= 0):
        add_markers(tables, act, job.acts, read, job.reads, pair, work, by_twist, 1)
    return 0


@internal
def outputs(job):
    """Numbers that are differenced: wrenches, rates of inner states, rates of rows."""
    return 6 * job.acts + job.states + job.rows


@internal
def differentiate(tables, job, what, which, k, here, n, target, stride):
    """The derivative of the element's outputs, into a column of `work` from `target`. Returns a status."""
    space = view(tables, TangentWork)
    differences = view(tables, Differences)
    work = space.work
    aux = view(tables, State).aux
    begin(work, here, n)
    unit = first_step(tables)
    first = unit * differences.size[0] if what != INNER and k < 3 else unit
    passes = 1
    if what == INNER:
        size = abs(aux[which])
        first = unit * max(1.0, size)
        passes = 2 if 0.0 < size < 1.0 else 1
    saved = here + ARRAYS * n
    exchange(tables, what, which, saved, False)
    status = 0
    for trial in range(passes):
        step = first if trial == 0 else unit * abs(work[saved])
        for i in range(SERIES * HALVINGS):
            if enough(tables, work, here, n, i, step):
                break
            for side in range(2):
                move(tables, what, which, k, step if side == 0 else -step, saved)
                if status == 0:
                    status = evaluate_alone(tables, job)
                read_outputs(tables, job, ahead(here, n) + side * n)
            add_difference(work, here, n, i % HALVINGS, step)
            step *= 0.5
    exchange(tables, what, which, saved, True)
    for i in range(n):
        work[target + i * stride] = work[here + i]
    return status


@internal
def exchange(tables, what, which, at, back):
    """Keep what is moved in `work`, or put it back."""
    work = view(tables, TangentWork).work
    markers = view(tables, Markers)
    aux = view(tables, State).aux
    if what == INNER:
        if back:
            aux[which] = work[at]
        else:
            work[at] = aux[which]
        return
    for i in range(9):
        if back:
            markers.R[which, i] = work[at + 6 + i]
        else:
            work[at + 6 + i] = markers.R[which, i]
    shift, rotation = (markers.x, markers.w) if what == PLACE else (markers.v, markers.w)
    for i in range(3):
        if back:
            shift[which, i], rotation[which, i] = work[at + i], work[at + 3 + i]
        else:
            work[at + i], work[at + 3 + i] = shift[which, i], rotation[which, i]


@internal
def move(tables, what, which, k, step, at):
    """Shift a marker along a world axis (k < 3) or turn it in place, change its twist, or an inner state."""
    work = view(tables, TangentWork).work
    markers = view(tables, Markers)
    if what == INNER:
        view(tables, State).aux[which] = work[at] + step
    elif what == TWIST:
        if k < 3:
            markers.v[which, k] = work[at + k] + step
        else:
            markers.w[which, k - 3] = work[at + k] + step
    elif k < 3:
        markers.x[which, k] = work[at + k] + step
    else:
        i, j = (k - 2) % 3, (k - 1) % 3
        c, s = cos(step), sin(step)
        for m in range(3):
            upper, lower = work[at + 6 + 3 * i + m], work[at + 6 + 3 * j + m]
            markers.R[which, 3 * i + m] = c * upper - s * lower
            markers.R[which, 3 * j + m] = s * upper + c * lower


@internal
def evaluate_alone(tables, job):
    """Evaluate what the element consists of at the present markers. Returns a status."""
    differences = view(tables, Differences)
    batches = view(tables, Batches).index
    for i in range(job.first_call, job.first_call + job.calls):
        part = differences.evaluation[i]
        if part.what == KERNEL:
            if call_batch(batches[part.batch].address, part.number, 1, tables) != 0:
                view(tables, Status).batch[0] = part.batch
                return RAISED
        elif part.what == MEASURE_RATE:
            measure_rate(tables, part.number)
        elif part.what == COUPLING:
            couple_term(tables, part.number)
        else:
            evaluate_expression(tables, part.what, part.number)
    return 0


@by_address(seconds=5, when="differences of expressions")
def evaluate_expression(tables, what, number):
    """Evaluate the states of the scene, a partial derivative or a bound function. Returns a status."""
    if what == STATES:
        evaluate_states(tables)
    elif what == PARTIAL:
        evaluate_partial(tables, number)
    else:
        evaluate_function(tables, number)
    return 0


@internal
def read_outputs(tables, job, at):
    """Wrenches at the markers, rates of inner states and of rows at held twists, into `work`."""
    plan = view(tables, TangentPlan)
    space = view(tables, TangentWork)
    work = space.work
    n = 6 * job.acts
    if job.first_wrench >= 0:
        wrench = view(tables, Wrenches).wrench
        on = acts(tables, view(tables, Activity).of_slot[job.first_wrench // 6])
        for k in range(n):
            work[at + k] = wrench[job.first_wrench + k] if on else 0.0
    else:
        lam = view(tables, Tangents).lam
        rows = view(tables, Rows)
        blocks = view(tables, Blocks)
        markers = view(tables, Markers)
        block = blocks.index[job.block]
        clear(work, at, n)
        for r in range(job.rows):
            row = job.first_row + r
            g = block.first_G_marker + (row - block.first_row) * n
            rate = rows.phi_t[row]
            for s in range(job.acts):
                p = plan.marker[job.first_act + s]
                for i in range(6):
                    G = blocks.G_marker[g + 6 * s + i]
                    work[at + 6 * s + i] += G * lam[row]
                    rate += G * (markers.v[p, i] if i < 3 else markers.w[p, i - 3])
            work[at + n + job.states + r] = rate
    aux_dot = view(tables, Rates).aux_dot
    copy_range(aux_dot, job.first_aux, work, at + n, job.states)


@internal
def take_rates(tables, job, by_place, wide):
    """The derivatives of the rows' rates into `row_rate`, over the slots of the block."""
    plan = view(tables, TangentPlan)
    space = view(tables, TangentWork)
    block = view(tables, Blocks).index[job.block]
    n = 6 * job.acts
    for r in range(job.rows):
        target = block.first_G_marker + (job.first_row + r - block.first_row) * n
        source = by_place + (n + job.states + r) * wide
        clear(space.row_rate, target, n)
        for m in range(job.reads):
            for s in range(job.acts):
                # a marker that the block has twice moves once
                if plan.marker[job.first_act + s] == plan.marker[job.first_read + m]:
                    copy_range(space.work, source + 6 * m, space.row_rate, target + 6 * s, 6)
                    break


@internal
def condense(tables, job, by_place, by_twist, by_inner, at):
    """W_x (1 − s X_x)⁻¹ s X_p and the same with X_v, one behind the other from `at`. Returns a status."""
    space = view(tables, TangentWork)
    differences = view(tables, Differences)
    work = space.work
    s = view(tables, TangentBlocks).weight[3]
    n, wide, m = 6 * job.acts, 6 * job.reads, job.states
    matrix = at + 2 * n * wide
    for i in range(m):
        for j in range(m):
            work[matrix + i * m + j] = (1.0 if i == j else 0.0) - s * work[by_inner + (n + i) * m + j]
    if not lu(work, matrix, m, differences.pivot):
        return NOT_FINITE
    column = matrix + m * m
    for part in range(2):
        source = (by_place if part == 0 else by_twist) + n * wide
        for k in range(wide):
            for i in range(m):
                work[column + i] = s * work[source + i * wide + k]
            lu_solve(work, matrix, m, differences.pivot, work, column)
            for r in range(n):
                total = 0.0
                for i in range(m):
                    total += work[by_inner + r * m + i] * work[column + i]
                work[at + (part * n + r) * wide + k] = total
    return 0


# bodies


@by_address(seconds=3, when="differences of bodies")
def difference_body(tables, i):
    """Geometric K and E of the markers, and K and D of the own forces, of a body without tangents.

    Returns a status.
    """
    job = view(tables, Differences).body[i]
    plan = view(tables, TangentPlan)
    space = view(tables, TangentWork)
    work = space.work
    blocks = view(tables, TangentBlocks)
    body = view(tables, Bodies).index[job.body]
    own = view(tables, Increments).first[job.body]
    diagonal = plan.diagonal[job.body]
    jacobian = view(tables, Tangents).jacobian
    state, v_dot, h = view(tables, State), view(tables, Rates).v_dot, view(tables, Bodies).h
    nv, nq = body.nv, body.nq
    n = nv + 6 * job.markers
    saved = 0
    here = saved + nq + 3 * nv
    copy_range(state.q, body.first_q, work, saved, nq)
    for k in range(nv):
        work[saved + nq + k] = state.v[body.first_v + k]
        work[saved + nq + nv + k] = v_dot[body.first_v + k]
        work[saved + nq + 2 * nv + k] = h[body.first_v + k]
    status = 0
    for column in range(2 * nv):
        k = column % nv
        by_velocity = column >= nv
        begin(work, here, n)
        step = first_step(tables)
        for i in range(SERIES * HALVINGS):
            if enough(tables, work, here, n, i, step):
                break
            for side in range(2):
                signed = step if side == 0 else -step
                if by_velocity:
                    state.v[body.first_v + k] = work[saved + nq + k] + signed
                elif status == 0:
                    status = retracted(tables, job, body, k, signed, saved)
                if status == 0:
                    status = evaluate_body(tables, job, body, by_velocity, ahead(here, n) + side * n)
            add_difference(work, here, n, i % HALVINGS, step)
            step *= 0.5
        state.v[body.first_v + k] = work[saved + nq + k]
        copy_range(work, saved, state.q, body.first_q, nq)
        if by_velocity:
            for i in range(nv):
                blocks.value[diagonal + i * nv + k] -= blocks.weight[1] * work[here + i]
        else:
            for i in range(nv):
                space.own[own + i * nv + k] = -work[here + i]
            for m in range(job.markers):
                E = jacobian[plan.marker[job.first_marker + m]]
                for i in range(6):
                    space.velocity[E + i * nv + k] = work[here + nv + 6 * m + i]
    if status == 0:
        status = evaluate_body(tables, job, body, False, ahead(here, n))
    for k in range(nv):
        v_dot[body.first_v + k] = work[saved + nq + nv + k]
        h[body.first_v + k] = work[saved + nq + 2 * nv + k]
    return status


@internal
def retracted(tables, job, body, k, step, saved):
    """Put the coordinates at q ⊕ step e_k. Returns a status."""
    work = view(tables, TangentWork).work
    q, v_dot = view(tables, State).q, view(tables, Rates).v_dot
    copy_range(work, saved, q, body.first_q, body.nq)
    for i in range(body.nv):
        v_dot[body.first_v + i] = step if i == k else 0.0
    return called_here(tables, job.retract, job.body)


@internal
def called_here(tables, address, record):
    """Call a kernel for one record; 0 is no function. Returns a status."""
    if address != 0 and call_batch(address, record, 1, tables) != 0:
        view(tables, Status).batch[0] = batch_of(tables, address)
        return RAISED
    return 0


@internal
def batch_of(tables, address):
    """Number of the first batch of a kernel."""
    batches = view(tables, Batches).index
    for i in range(batches.shape[0]):
        if batches[i].address == address:
            return i
    return 0


@internal
def evaluate_body(tables, job, body, forces_alone, at):
    """Hᵀ w + own forces (nv,), and the markers' twists (unless forces_alone), into `work`."""
    plan = view(tables, TangentPlan)
    space = view(tables, TangentWork)
    work = space.work
    tangents = view(tables, Tangents)
    markers = view(tables, Markers)
    h = view(tables, Bodies).h
    nv = body.nv
    clear(h, body.first_v, nv)
    status = called_here(tables, job.prepare, job.body) or called_here(tables, job.internal, job.body)
    copy_range(h, body.first_v, work, at, nv)
    for m in range(job.markers):
        p = plan.marker[job.first_marker + m]
        if forces_alone or status != 0:
            clear(work, at + nv + 6 * m, 6)
            continue
        status = called_here(tables, job.locate, p) or called_here(tables, job.jacobian, p)
        H = tangents.jacobian[p]
        for i in range(6):
            work[at + nv + 6 * m + i] = markers.v[p, i] if i < 3 else markers.w[p, i - 3]
            add_scaled(tangents.wrench[p, i], tangents.H, H + i * nv, work, at, nv)
    return status


# compliances


@by_address(when="differences of compliances")
def difference_compliances(tables):
    """∂load/∂Φ and ∂load/∂Φ̇ of rows whose compliance gives no slopes. Returns a status."""
    space = view(tables, TangentWork)
    differences = view(tables, Differences)
    work = space.work
    rows = view(tables, Rows)
    tangents = view(tables, Tangents)
    batches = view(tables, Batches).index
    for i in range(differences.compliance.shape[0]):
        compliance = differences.compliance[i]
        r = view(tables, Elements).index[compliance.number].first_row
        load, energy, power = rows.load[r], rows.energy[r], rows.power[r]
        for part in range(2):
            before = rows.phi[r] if part == 0 else rows.phi_dot[r]
            begin(work, 0, 1)
            step = first_step(tables) * (1.0 if rows.radians[r] == 1 else differences.size[0])
            for k in range(SERIES * HALVINGS):
                if enough(tables, work, 0, 1, k, step):
                    break
                for side in range(2):
                    moved = before + (step if side == 0 else -step)
                    if part == 0:
                        rows.phi[r] = moved
                    else:
                        rows.phi_dot[r] = moved
                    if call_batch(batches[compliance.batch].address, compliance.number, 1, tables) != 0:
                        view(tables, Status).batch[0] = compliance.batch
                        return RAISED
                    work[ahead(0, 1) + side] = rows.load[r]
                add_difference(work, 0, 1, k % HALVINGS, step)
                step *= 0.5
            if part == 0:
                rows.phi[r], tangents.slope[r] = before, work[0]
            else:
                rows.phi_dot[r], tangents.slope_dot[r] = before, work[0]
        rows.load[r], rows.energy[r], rows.power[r] = load, energy, power
    return 0
