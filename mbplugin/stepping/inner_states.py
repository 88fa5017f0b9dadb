"""Inner states of an implicit step: x = x₀ + s ẋ(x) at the present positions and velocities.

The scene's states depend on each other: Newton's method with one dense matrix. Those of an element depend on
no other element: Newton's method element by element. Derivatives are differences.
"""

from __future__ import annotations

from mbplugin.kernels.evaluate import MASS_AND_G, POSES, evaluate_eom, evaluate_states
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.dense import lu, lu_solve
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Functions, InnerStates, Rates, State
from mbplugin.tables.status import NOT_CONVERGED, RAISED

#: largest number of steps of Newton's method
MAX_NEWTON_STEPS = 20
#: relative change of a state for differences
DIFFERENCE_STEP = 1e-7
#: Newton's method ends at a smaller change of a state, relative to 1 + |x|
CONVERGED_CHANGE = 1e-14


@internal
def solve_inner_states(tables, s):
    """Solve x = x₀ + s ẋ(x), x₀ in `InnerStates.base`, and evaluate the forces with it. Returns a status.

    s: ∂x/∂ẋ of the step [s]. The equations of motion have been evaluated at the present state.
    """
    inner = view(tables, InnerStates)
    scene = view(tables, Functions).equation.shape[0]
    if scene + inner.index.shape[0] == 0:
        return 0
    status = 0
    if scene > 0:
        status = newton(tables, s, -1, 2, scene) or evaluate_eom(tables, MASS_AND_G | POSES)
    for i in range(inner.index.shape[0]):
        if status == 0:
            status = newton(tables, s, i, inner.index[i].first_aux, inner.index[i].states)
    return status if status != 0 else evaluate_eom(tables, MASS_AND_G | POSES)


@internal
def rates_of(tables, i):
    """ẋ of element i of `InnerStates`, or of the scene's states if i is −1. Returns a status."""
    if i < 0:
        evaluate_states(tables)
        return 0
    inner = view(tables, InnerStates).index[i]
    return RAISED if call_batch(inner.address, inner.element, 1, tables) != 0 else 0


@internal
def newton(tables, s, i, first, n):
    """Solve for the n states from `first` of `State.aux`. Returns a status."""
    x, x_dot = view(tables, State).aux, view(tables, Rates).aux_dot
    inner = view(tables, InnerStates)
    base, matrix, r = inner.base, inner.matrix, inner.residual
    status = rates_of(tables, i)
    for _ in range(MAX_NEWTON_STEPS):
        if status != 0:
            return status
        for a in range(n):
            r[a] = base[first + a] + s * x_dot[first + a] - x[first + a]
        for b in range(n):
            before = x[first + b]
            x[first + b] = before + DIFFERENCE_STEP * (1.0 + abs(before))
            change = x[first + b] - before
            status = rates_of(tables, i)
            if status != 0:
                return status
            for a in range(n):
                changed = base[first + a] + s * x_dot[first + a] - x[first + a]
                matrix[a * n + b] = (r[a] - changed) / change
            x[first + b] = before
        if not lu(matrix, 0, n, inner.pivot):
            return NOT_CONVERGED
        lu_solve(matrix, 0, n, inner.pivot, r, 0)
        largest = 0.0
        for a in range(n):
            x[first + a] += r[a]
            largest = max(largest, abs(r[a]) / (1.0 + abs(x[first + a])))
        if not largest <= 1e300:
            return NOT_CONVERGED
        status = rates_of(tables, i)
        if largest <= CONVERGED_CHANGE:
            return status
    return status if largest <= 1e-9 else NOT_CONVERGED
