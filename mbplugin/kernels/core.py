"""Calls of the engine's large functions by their addresses (`large.py`): evaluate, factor, solve.

A call by pointer costs a few ns; inlined into every loop, the same functions tripled the compile time.
"""

from __future__ import annotations

from mbplugin.kernels.inertia import solve_mass
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Bodies, Core, Enforced, ImplicitVariables, Rates, Rows, Status
from mbplugin.tables.status import METHOD_FAILED

#: what `solve_rows` changes
ACCELERATIONS, VELOCITIES, POSITIONS = range(3)


@internal
def evaluate_eom(tables, skip):
    """`evaluate.evaluate_eom`: the equations of motion at the present state. Returns a status."""
    return call_batch(view(tables, Core).evaluate_eom[0], skip, 0, tables)


@internal
def factor(tables, level):
    """Factor S for the active rows whose level is at most `level`. Returns a status: NO_PIVOT, or 0."""
    return call_batch(view(tables, Core).factor[0], level, 0, tables)


@internal
def solve_rows(tables, what):
    """Bring the rows to `rows.target` with the present factor. Passes and residual are in `Status`.

    what: ACCELERATIONS changes v̇, VELOCITIES changes v, POSITIONS (one pass) writes an increment of q into v̇
    """
    call_batch(view(tables, Core).solve_rows[0], what, 0, tables)


@internal
def accelerations(tables, skip):
    """v̇ and λ [N, N·m] at the present state, whose S is factored, with implicit variables and iterated loads.

    skip: FORCES if h is given. Returns a status.
    """
    if view(tables, ImplicitVariables).index.shape[0] > 0:
        return call_batch(view(tables, Core).solve_implicit[0], skip, 0, tables)
    return accelerations_of_loads(tables)


@internal
def accelerations_of_loads(tables):
    """v̇ and λ at the present implicit variables, with iterated loads. Returns a status."""
    if view(tables, Enforced).iterated[0] > 0:
        return call_batch(view(tables, Core).iterate_loads[0], 0, 0, tables)
    return solve_accelerations(tables)


@internal
def solve_accelerations(tables):
    """v̇ and λ under the present forces h. Returns a status.

    `Core.method` is the address of the method; 0: the engine's own factor (`Problem.use`).
    """
    method = view(tables, Core).method[0]
    if method != 0:
        passes = call_batch(method, 0, 0, tables)
        view(tables, Status).passes[0] = passes
        return METHOD_FAILED if passes < 0 else 0
    bodies = view(tables, Bodies)
    rows = view(tables, Rows)
    v_dot = view(tables, Rates).v_dot
    for k in range(v_dot.shape[0]):
        v_dot[k] = bodies.h[k]
    for i in range(bodies.index.shape[0]):
        solve_mass(bodies, i, v_dot, bodies.index[i].first_v)
    for r in range(rows.gamma.shape[0]):
        rows.target[r] = rows.scale[r] * rows.gamma[r]
    solve_rows(tables, ACCELERATIONS)
    for r in range(rows.lam.shape[0]):
        rows.lam[r] *= rows.scale[r]
    return 0
