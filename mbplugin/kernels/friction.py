"""Dry friction whose bounds follow from the reactions of joints.

What slips obeys f = ∓μ g(λ), where g is the pressure on the bearing, a sum of norms of the joint's reaction,
and f changes λ in turn. Broyden's method (C. G. Broyden, Math. Comput. 19 (1965) 577-593) on the forces f,
from those of the pressures at the last accepted step; each iteration is one solve with the factor at hand.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.kernels.augmented_loads import accelerations_of_loads
from mbplugin.kernels.bounded import bound_of, push
from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.reactions import wrench
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Bearings, Bounded, Markers, Rows, State
from mbplugin.tables.status import WEDGED

#: error of a force of friction that is rounding: relative, and of what the largest multiplier could press
ROUNDING, BESIDE = 1e-13, 1e-15
#: iterations, at most; residual over its tolerance at which iterations that stall have converged
ITERATIONS, STALLED = 60, 1e3


@internal
def accelerations_with_friction(tables):
    """v̇ and λ at the present implicit variables, with the friction of bearings. Returns a status."""
    if view(tables, Bearings).index.shape[0] > 0:
        return solve_friction(tables)
    return accelerations_of_loads(tables)


@internal
def across_and_along(tables, one, first):
    """The part of a reaction's force (first = 0) or torque (3) across the axis of a bearing, and along it."""
    R = view(tables, Markers).R
    x = wrench(tables, one.block, one.first_row, one.rows, one.slot, first)
    y = wrench(tables, one.block, one.first_row, one.rows, one.slot, first + 1)
    z = wrench(tables, one.block, one.first_row, one.rows, one.slot, first + 2)
    along = R[one.axes, one.axis] * x + R[one.axes, one.axis + 3] * y + R[one.axes, one.axis + 6] * z
    x -= along * R[one.axes, one.axis]
    y -= along * R[one.axes, one.axis + 3]
    z -= along * R[one.axes, one.axis + 6]
    return sqrt(x * x + y * y + z * z), abs(along)


@internal
def pressure(tables, k):
    """What the reaction of its joint presses on bearing k [N, N·m]."""
    one = view(tables, Bearings).index[k]
    across, along = across_and_along(tables, one, 0)
    total = one.across_force * across + one.along_force * along
    if one.across_moment > 0.0 or one.along_moment > 0.0:
        across, along = across_and_along(tables, one, 3)
        total += one.across_moment * across + one.along_moment * along
    return total


@internal
def residuals(tables):
    """Pressures and residuals at the present λ. Returns the largest residual over its tolerance."""
    bearings, rows, mode = view(tables, Bearings), view(tables, Rows), view(tables, State).mode
    largest, worst = 0.0, 0.0
    for r in range(rows.lam.shape[0]):
        largest = max(largest, abs(rows.lam[r]) + abs(rows.load[r]))
    for k in range(bearings.index.shape[0]):
        one = bearings.index[k]
        bounded = view(tables, Bounded).index[one.bounded]
        bearings.pressure[k] = pressure(tables, k)
        coefficient = bound_of(bounded, mode[bounded.row])
        bearings.residual[k] = coefficient * bearings.pressure[k] - rows.load[bounded.row]
        reach = one.across_force + one.along_force + one.across_moment + one.along_moment
        tolerance = ROUNDING * abs(rows.load[bounded.row]) + BESIDE * abs(coefficient) * reach * largest
        relative = abs(bearings.residual[k]) / (tolerance + 1e-300)
        if not relative <= worst:
            worst = relative
            bearings.worst[0], bearings.worst_place[0] = relative, k
    return worst


@by_address(seconds=3, when="bearings")
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
    worst = residuals(tables)
    for _ in range(ITERATIONS):
        if status != 0 or worst <= 1.0 or not worst < 1e300 or 0.5 * before < worst <= STALLED:
            break
        before = worst
        for a in range(n):
            bearings.before[a], bearings.change[a] = bearings.residual[a], 0.0
            for b in range(n):
                bearings.change[a] += bearings.inverse[a * n + b] * bearings.residual[b]
        for a in range(n):
            push(tables, view(tables, Bounded).index[bearings.index[a].bounded], bearings.change[a])
        status = accelerations_of_loads(tables)
        worst = residuals(tables)
        improve(bearings, n)
    if status != 0:
        return status
    return WEDGED if STALLED < worst < 1e300 or is_wedged(bearings, n) else 0


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
def is_wedged(bearings, n):
    """Whether some friction would grow by less than nothing where its own part of the law does."""
    for a in range(n):
        if bearings.inverse[a * n + a] <= 0.0:
            return True
    return False


@internal
def keep_pressures(tables):
    """After an accepted step: store the pressures as the start of the next iteration."""
    bearings, memory = view(tables, Bearings), view(tables, State).memory
    for k in range(bearings.index.shape[0]):
        memory[view(tables, Bounded).index[bearings.index[k].bounded].memory] = bearings.pressure[k]
