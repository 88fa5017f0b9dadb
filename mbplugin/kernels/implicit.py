"""Implicit variables, known only after the solve: accelerations, reactions, and variables that depend on
themselves.

They satisfy z = F(z): expressions of z give forces h and prescribed accelerations γ, a solve with the present
factor gives v̇ and λ, and these give F. Newton's method:

    (1 − ∂F/∂z) Δz = F(z) − z

The matrix is computed by differences, one solve per variable, and kept while the residual decreases to a
tenth per step. The iteration starts with z of the last accepted step, so that results do not depend on how
often the state was evaluated in between.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import MASS_AND_G, POSES, evaluate_eom, evaluate_functions
from mbplugin.kernels.friction import accelerations_with_friction
from mbplugin.kernels.reactions import largest_force, wrench
from mbplugin.kernels.schur import APART
from mbplugin.kernels.view import view
from mbplugin.math.dense import lu, lu_solve
from mbplugin.math.jit import internal
from mbplugin.math.vectors import copy, copy_range
from mbplugin.tables.groups import Blocks, Bodies, Functions, ImplicitVariables, Markers, Rates, Rows, State
from mbplugin.tables.records import FORCE_SIZE, MULTIPLIER, SECOND_RATE, VARIABLE
from mbplugin.tables.status import LOOP_OPEN

#: rounding of a variable relative to its own terms, and relative to the largest load or acceleration of the
#: mechanism; least size of a variable
ROUNDING_OF_VARIABLE, ROUNDING_BESIDE_LARGEST, LEAST_VARIABLE = 1e-13, 1e-15, 1e-3
#: residual over its tolerance at which a stalled iteration counts as converged; the second for redundant
#: rows, whose shares have errors of rounding over δ
STALLED, STALLED_REPEATED = 1e4, 1e8
#: pivot of 1 − ∂F/∂z, relative to its row, below which it is singular
SINGULAR_PIVOT = 1e-11
#: relative size of differences; limits of Newton steps and of halvings of one
DIFFERENCE, MAX_STEPS, MAX_HALVINGS = 1e-4, 40, 8
#: added to `skip`: check that z is locally unique
DETERMINED = 8


@internal
def second_rate(tables, k, r):
    """G v̇ − γ of row r of block k, and the sum of the absolute values of its terms."""
    blocks = view(tables, Blocks)
    v_dot = view(tables, Rates).v_dot
    block = blocks.index[k]
    value = -view(tables, Rows).gamma[r]
    size = abs(value)
    for j in range(block.first_member, block.first_member + block.members):
        g0, v0, nv = blocks.member[j].first_G, blocks.member[j].first_v, blocks.member[j].nv
        for c in range(nv):
            term = blocks.G[g0 + (r - block.first_row) * nv + c] * v_dot[v0 + c]
            value += term
            size += abs(term)
    return value, size


@internal
def reaction(tables, row):
    """A component of a joint's reaction in the axes of a marker, or the norm of its force or torque."""
    R = view(tables, Markers).R
    component = row.component
    torque = component == FORCE_SIZE + 1 or (3 <= component < FORCE_SIZE)
    w0 = 3 if torque else 0
    x, y, z = wrench(tables, row, w0), wrench(tables, row, w0 + 1), wrench(tables, row, w0 + 2)
    if component >= FORCE_SIZE:
        return (x * x + y * y + z * z) ** 0.5
    k = component % 3
    return R[row.axes, k] * x + R[row.axes, k + 3] * y + R[row.axes, k + 6] * z


@internal
def residuals(tables):
    """F, its tolerances and F − z. Returns the largest residual over its tolerance; not finite if one is not.

    The number of that variable is stored in `worst_place`.
    """
    implicit = view(tables, ImplicitVariables)
    rows = view(tables, Rows)
    bodies = view(tables, Bodies)
    u = view(tables, Functions).u
    load, acceleration = 0.0, 0.0
    for k in range(bodies.h.shape[0]):
        load = max(load, abs(bodies.h[k]))
        acceleration = max(acceleration, abs(bodies.h[k]) * bodies.inverse[k])
    largest, worst = largest_force(tables), 0.0
    for i in range(implicit.index.shape[0]):
        row = implicit.index[i]
        if row.kind == VARIABLE:
            image = u[row.place, 0]
            tolerance = ROUNDING_OF_VARIABLE * max(max(abs(image), abs(implicit.value[i])), LEAST_VARIABLE)
        elif row.kind == SECOND_RATE:
            image, size = second_rate(tables, row.block, row.place)
            tolerance = ROUNDING_OF_VARIABLE * size + ROUNDING_BESIDE_LARGEST * acceleration
        else:
            if row.kind == MULTIPLIER:
                image = rows.lam[row.place] + rows.load[row.place]
            else:
                image = reaction(tables, row)
            tolerance = ROUNDING_OF_VARIABLE * max(abs(image), largest) + ROUNDING_BESIDE_LARGEST * load
        # the tolerance only grows: large intermediate values leave their rounding
        implicit.image[i], implicit.tolerance[i] = image, max(implicit.tolerance[i], tolerance + 1e-300)
        implicit.residual[i] = image - implicit.value[i]
        relative = abs(implicit.residual[i]) / implicit.tolerance[i]
        if not relative <= worst:
            worst = relative
            implicit.worst[0], implicit.worst_place[0] = relative, i
    return worst


@internal
def evaluate(tables, skip):
    """h, γ, v̇, λ and F at the present z. Returns a status and the largest residual."""
    status = evaluate_eom(tables, MASS_AND_G | POSES | skip)
    if status != 0:
        return status, 0.0
    status = accelerations_with_friction(tables)
    return status, residuals(tables)


@internal
def differences(tables, skip):
    """1 − ∂F/∂z at the present z, whose residuals are known; z is restored. Returns a status."""
    implicit = view(tables, ImplicitVariables)
    m = implicit.index.shape[0]
    for i in range(m):
        implicit.start[i], implicit.change[i] = implicit.value[i], implicit.residual[i]
    for j in range(m):
        size = max(
            max(abs(implicit.value[j]), abs(implicit.start[j] + implicit.change[j])),
            implicit.tolerance[j] / ROUNDING_OF_VARIABLE,
        )
        h = DIFFERENCE * size if size > 1e-290 else DIFFERENCE
        implicit.value[j] += h
        status, _ = evaluate(tables, skip)
        if status != 0:
            return status
        h = implicit.value[j] - implicit.start[j]
        for i in range(m):
            implicit.matrix[i * m + j] = -(implicit.residual[i] - implicit.change[i]) / h
        implicit.value[j] = implicit.start[j]
    copy(implicit.change, implicit.residual)
    return 0


@internal
def newton_change(tables):
    """Solve matrix · change = residual. Returns False if the matrix is singular."""
    implicit = view(tables, ImplicitVariables)
    m = implicit.index.shape[0]
    a, b, pivot = implicit.matrix, implicit.change, implicit.pivot
    for i in range(m):
        b[i] = 1.0
        for j in range(m):
            a[m * m + i * m + j] = a[i * m + j]
            b[i] = max(b[i], abs(a[i * m + j]))
    regular = lu(a, m * m, m, pivot)
    for k in range(m):
        b[k], b[pivot[k]] = b[pivot[k]], b[k]
        regular = regular and abs(a[m * m + k * m + k]) > SINGULAR_PIVOT * b[k]
    copy(implicit.residual, b)
    if regular:
        lu_solve(a, m * m, m, pivot, b, 0)
    return regular


@internal
def step_along(tables, skip, fraction):
    """z ← start + fraction · change, evaluated. Returns a status and the largest residual."""
    implicit = view(tables, ImplicitVariables)
    for i in range(implicit.index.shape[0]):
        implicit.value[i] = implicit.start[i] + fraction * implicit.change[i]
    return evaluate(tables, skip)


@internal
def closed(tables, worst):
    """Whether the residual of a stalled iteration is rounding."""
    return worst <= (STALLED if view(tables, Rows).delta[0] == APART else STALLED_REPEATED)


@internal
def accelerations(tables, skip):
    """v̇ and λ [N, N·m] at the present state, whose S is factored, with implicit variables and iterated loads.

    skip: FORCES if h is given. Returns a status.
    """
    if view(tables, ImplicitVariables).index.shape[0] > 0:
        return solve_implicit(tables, skip)
    return accelerations_with_friction(tables)


@by_address(seconds=6, when="implicit")
def solve_implicit(tables, skip):
    """Solve z = F(z), with v̇ and λ; DETERMINED in `skip`: and see that z is locally unique. Returns a status;
    LOOP_OPEN if the iteration fails.
    """
    if skip & DETERMINED:
        return solve_determined(tables, skip - DETERMINED)
    return iterate(tables, skip)


@internal
def iterate(tables, skip):
    """Solve z = F(z), with v̇ and λ. Returns a status; LOOP_OPEN if the iteration fails."""
    implicit = view(tables, ImplicitVariables)
    m = implicit.index.shape[0]
    memory = view(tables, State).memory
    for i in range(m):
        implicit.value[i], implicit.tolerance[i] = memory[implicit.first_memory[0] + i], 0.0
    status, worst = evaluate(tables, skip)
    if implicit.read_alone[0] == 1:
        copy_images(implicit)
        evaluate_functions(tables)
        return status
    fresh, known = False, False
    for _ in range(MAX_STEPS):
        if status != 0 or worst <= 1.0:
            return status
        if not worst < 1e300:
            # NaN: the stepper detects it
            view(tables, Rates).v_dot[0] = implicit.residual[implicit.worst_place[0]]
            return 0
        if not known:
            status = differences(tables, skip)
            fresh, known = True, True
            if status != 0:
                return status
        if not newton_change(tables):
            implicit.worst[0] = 1e300
            return LOOP_OPEN
        copy(implicit.value, implicit.start)
        before, fraction = worst, 1.0
        for _ in range(MAX_HALVINGS if fresh else 1):
            status, worst = step_along(tables, skip, fraction)
            if status != 0 or worst <= max(1.0, (1.0 - 0.1 * fraction) * before):
                break
            fraction *= 0.5
        if status == 0 and not worst < before and worst > 1.0:
            status, worst = step_along(tables, skip, 0.0)
            if fresh:
                return status if status != 0 or closed(tables, worst) else LOOP_OPEN
            known = False
            continue
        known, fresh = worst <= 0.1 * before, False
    return status if status != 0 or closed(tables, worst) else LOOP_OPEN


@internal
def copy_images(implicit):
    """z ← F(z): the solution where F does not depend on z."""
    copy(implicit.image, implicit.value)


@internal
def solve_determined(tables, skip):
    """`iterate`; returns LOOP_OPEN also if the solution is not locally unique."""
    status = iterate(tables, skip)
    if view(tables, ImplicitVariables).read_alone[0] == 1:
        return status
    if status == 0:
        status = differences(tables, skip)
    if status != 0:
        return status
    if not newton_change(tables):
        view(tables, ImplicitVariables).worst[0] = 1e300
        return LOOP_OPEN
    return iterate(tables, skip)


@internal
def keep_implicit(tables):
    """After an accepted step: store z as the start of the next iteration."""
    implicit = view(tables, ImplicitVariables)
    memory = view(tables, State).memory
    copy_range(implicit.value, 0, memory, implicit.first_memory[0], implicit.index.shape[0])
