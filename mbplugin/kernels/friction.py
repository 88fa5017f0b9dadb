"""Dry friction whose bounds follow from the reactions of joints.

What slips obeys f = ∓μ g(λ), where g is the pressure on the bearing, a sum of norms of the joint's reaction,
and f changes λ in turn. Broyden's method (C. G. Broyden, Math. Comput. 19 (1965) 577-593) on the forces f,
from those of the pressures at the last accepted step; each iteration is one solve with the factor at hand.
Where it fails, Newton's method with differences decides whether there is a solution.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.kernels.augmented_loads import accelerations_of_loads
from mbplugin.kernels.bounded import bound_of, push
from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.reactions import largest_force, wrench
from mbplugin.kernels.schur import APART
from mbplugin.kernels.view import view
from mbplugin.math.dense import lu, lu_solve
from mbplugin.math.jit import internal
from mbplugin.math.vectors import copy
from mbplugin.tables.groups import Bearings, Bounded, Markers, Rows, State
from mbplugin.tables.status import WEDGED

#: error of a force of friction that is rounding: relative, and of what the largest multiplier could press
ROUNDING_OF_FRICTION, ROUNDING_BESIDE_LARGEST = 1e-13, 1e-15
#: iterations, at most; residual over its tolerance at which iterations that stall have converged; the second
#: for redundant rows, as those that stick together, whose shares have errors of rounding over δ
MAX_ITERATIONS, STALLED, STALLED_REPEATED = 15, 1e3, 1e8
#: growth of the residual at which Newton's method takes over
DIVERGED = 100.0
#: of Newton's method: steps, at most; relative size of differences; least part of a step
MAX_NEWTON_STEPS, DIFFERENCE, LEAST_PART = 30, 1e-5, 1e-4


@internal
def accelerations_with_friction(tables):
    """v̇ and λ at the present implicit variables, with the friction of bearings. Returns a status."""
    if view(tables, Bearings).index.shape[0] > 0:
        return solve_friction(tables)
    return accelerations_of_loads(tables)


@internal
def across_and_along(tables, one, first):
    """The part of a reaction's force (first = 0) or torque (3) across the axis of a bearing, and along it;
    all of it, and 0, where the bearing has no axis.
    """
    R = view(tables, Markers).R
    x, y, z = wrench(tables, one, first), wrench(tables, one, first + 1), wrench(tables, one, first + 2)
    if one.axis < 0:
        return sqrt(x * x + y * y + z * z), 0.0
    along = R[one.axes, one.axis] * x + R[one.axes, one.axis + 3] * y + R[one.axes, one.axis + 6] * z
    x -= along * R[one.axes, one.axis]
    y -= along * R[one.axes, one.axis + 3]
    z -= along * R[one.axes, one.axis + 6]
    return sqrt(x * x + y * y + z * z), abs(along)


@internal
def pressure(tables, k):
    """Pressure of the reaction of its joint, or of a row, on bearing k [N, N·m]."""
    one = view(tables, Bearings).index[k]
    if one.pressing >= 0:
        rows = view(tables, Rows)
        return max(rows.lam[one.pressing] + rows.load[one.pressing], 0.0)
    across, along = across_and_along(tables, one, 0)
    total = one.across_force * across + one.along_force * along
    if one.across_moment > 0.0 or one.along_moment > 0.0:
        across, along = across_and_along(tables, one, 3)
        total += one.across_moment * across + one.along_moment * along
    return total


@internal
def residuals(tables):
    """Pressures and residuals at the present λ. Returns the largest residual over its tolerance."""
    bearings, rows = view(tables, Bearings), view(tables, Rows)
    largest, worst = largest_force(tables), 0.0
    for k in range(bearings.index.shape[0]):
        one = bearings.index[k]
        bounded = view(tables, Bounded).index[one.bounded]
        bearings.pressure[k] = pressure(tables, k)
        coefficient = bound_of(tables, one.bounded)
        bearings.residual[k] = coefficient * bearings.pressure[k] - rows.load[bounded.row]
        reach = one.across_force + one.along_force + one.across_moment + one.along_moment
        if one.pressing >= 0:
            reach = 1.0
        tolerance = (
            ROUNDING_OF_FRICTION * abs(rows.load[bounded.row])
            + ROUNDING_BESIDE_LARGEST * abs(coefficient) * reach * largest
        )
        relative = abs(bearings.residual[k]) / (tolerance + 1e-300)
        if not relative <= worst:
            worst = relative
            bearings.worst[0], bearings.worst_place[0] = relative, k
    return worst


@by_address(seconds=4, when="bearings")
def solve_friction(tables):
    """v̇, λ, the forces of friction and the pressures. Returns a status; WEDGED if there is no solution, or
    one at which more friction would lower what is left of it.
    """
    bearings = view(tables, Bearings)
    n = bearings.index.shape[0]
    for a in range(n):
        for b in range(n):
            bearings.inverse[a * n + b] = 1.0 if a == b else 0.0
    status, before = accelerations_of_loads(tables), 1e300
    worst = first = residuals(tables)
    for _ in range(MAX_ITERATIONS):
        if status != 0 or not worst < 1e300:
            # NaN: the stepper detects it
            return status
        stalled = 0.5 * before < worst and closed(tables, worst)
        if worst <= 1.0 or stalled or worst > DIVERGED * first:
            break
        before = worst
        for a in range(n):
            bearings.before[a], bearings.change[a] = bearings.residual[a], 0.0
            for b in range(n):
                bearings.change[a] += bearings.inverse[a * n + b] * bearings.residual[b]
        status, worst = exert(tables, 1.0)
        improve(bearings, n)
    for a in range(n):
        if bearings.inverse[a * n + a] <= 0.0:
            worst = 1e300
    return 0 if closed(tables, worst) else newton(tables)


@internal
def closed(tables, worst):
    """Whether the residual of iterations that stall is rounding."""
    return worst <= (STALLED if view(tables, Rows).delta[0] == APART else STALLED_REPEATED)


@internal
def exert(tables, part):
    """Add a part of `Bearings.change` to the forces of friction. Returns a status and the largest residual
    over its tolerance.
    """
    bearings = view(tables, Bearings)
    for a in range(bearings.index.shape[0]):
        push(tables, view(tables, Bounded).index[bearings.index[a].bounded], part * bearings.change[a])
    status = accelerations_of_loads(tables)
    return status, residuals(tables)


@internal
def newton(tables):
    """Newton's method with differences, which are nearly exact, as λ is linear in the forces, and halved
    steps. Returns a status: WEDGED if it fails, or the determinant of the derivative of −residual is not
    positive, as it is without friction.
    """
    bearings, D = view(tables, Bearings), view(tables, Bearings).inverse
    n = bearings.index.shape[0]
    status, worst = exert(tables, 0.0)
    for _ in range(MAX_NEWTON_STEPS):
        copy(bearings.residual, bearings.before)
        for b in range(n):
            row = view(tables, Bounded).index[bearings.index[b].bounded]
            h = DIFFERENCE * (abs(view(tables, Rows).load[row.row]) + abs(bearings.residual[b]) + 1e-30)
            push(tables, row, h)
            status = accelerations_of_loads(tables)
            if status != 0:
                return status
            residuals(tables)
            push(tables, row, -h)
            for a in range(n):
                D[a * n + b] = (bearings.before[a] - bearings.residual[a]) / h
        regular, sign = lu(D, 0, n, bearings.pivot), 1.0
        for a in range(n):
            bearings.change[a] = bearings.before[a]
            sign *= D[a * n + a] if bearings.pivot[a] == a else -D[a * n + a]
        if not regular:
            return WEDGED
        lu_solve(D, 0, n, bearings.pivot, bearings.change, 0)
        status, after = exert(tables, 1.0)
        part = 1.0
        while status == 0 and not after < worst and not closed(tables, worst) and part > LEAST_PART:
            status, after = exert(tables, -0.5 * part)
            part *= 0.5
        if status != 0:
            return status
        if closed(tables, after):
            return 0 if sign > 0.0 else WEDGED
        worst = after
    return WEDGED


@internal
def improve(bearings, n):
    """Broyden's change of the inverse H by the last change d of the forces, after which the residuals have
    decreased by y: H ← H + (d − H y) dᵀH / dᵀH y.
    """
    d, H, image = bearings.change, bearings.inverse, bearings.image
    curvature = 0.0
    for a in range(n):
        image[a] = 0.0
        for b in range(n):
            image[a] += H[a * n + b] * (bearings.before[b] - bearings.residual[b])
        curvature += d[a] * image[a]
    if curvature == 0.0:
        return
    for b in range(n):
        along = 0.0
        for a in range(n):
            along += d[a] * H[a * n + b]
        for a in range(n):
            H[a * n + b] += (d[a] - image[a]) * along / curvature


@internal
def keep_pressures(tables):
    """After an accepted step: store the pressures as the start of the next iteration."""
    bearings, memory = view(tables, Bearings), view(tables, State).memory
    for k in range(bearings.index.shape[0]):
        memory[view(tables, Bounded).index[bearings.index[k].bounded].memory] = bearings.pressure[k]
