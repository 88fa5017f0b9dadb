"""The engine's large functions behind addresses: each is compiled and cached once, and the loops of all solvers
call it.

A caller pays a call through a pointer (a few ns); inlined into every loop, the same functions tripled the
compile time.
"""

from __future__ import annotations

import functools

import numba
import numpy as np
from numba import types

from mbplugin.kernels import evaluate, schur
from mbplugin.kernels.inertia import mass_norm, solve_mass
from mbplugin.kernels.view import TABLES, call_batch, table_at, view
from mbplugin.math.jit import cache_folder, in_cache, internal
from mbplugin.tables.groups import Bodies, Core, Enforced, ImplicitVariables, Rates, Rows, State, Status
from mbplugin.tables.status import METHOD_FAILED, NO_PIVOT

#: what `solve_rows` changes
ACCELERATIONS, VELOCITIES, POSITIONS = range(3)

SIGNATURE = types.int64(types.int64, types.int64, types.CPointer(types.int64))


def evaluate_eom_at_address(skip, spare, address):
    return evaluate.evaluate_eom(table_at(address, 2 * TABLES), skip)


def factor_at_address(level, spare, address):
    tables = table_at(address, 2 * TABLES)
    schur.select_rows(tables, level)
    schur.eliminate_bodies(tables)
    return 0 if schur.factorise(tables) else NO_PIVOT


def solve_rows_at_address(what, spare, address):
    tables = table_at(address, 2 * TABLES)
    rows = view(tables, Rows)
    if what == VELOCITIES:
        v = view(tables, State).v
        # the scaled rows have unit length in the norm of M, so that G v is rounded at |v| in it
        return schur.proximal(tables, v, rows.target, schur.PASSES, mass_norm(tables, v), schur.ROUNDING)
    passes = schur.PASSES if what == ACCELERATIONS else 1
    return schur.proximal(tables, view(tables, Rates).v_dot, rows.target, passes, 0.0, rows.goal[0])


@functools.cache
def compiled() -> dict[str, object]:
    """The compiled functions by the names that `Core` has for them."""
    # which call `solve_accelerations` and `accelerations_of_loads`
    from mbplugin.kernels.augmented_loads import iterate_loads_at_address
    from mbplugin.kernels.implicit import solve_implicit_at_address

    functions = {
        "evaluate_eom": evaluate_eom_at_address,
        "factor": factor_at_address,
        "solve_rows": solve_rows_at_address,
        "iterate_loads": iterate_loads_at_address,
        "solve_implicit": solve_implicit_at_address,
    }
    make = lambda function: in_cache(
        cache_folder(), lambda: numba.cfunc(SIGNATURE, error_model="numpy", cache=True)(function)
    )
    return {name: make(function) for name, function in functions.items()}


def core_table() -> Core:
    """The addresses of the engine's functions; `method` is a method's to fill."""
    address = lambda function: np.array([function.address], np.int64)
    return Core(method=np.zeros(1, np.int64), **{name: address(f) for name, f in compiled().items()})


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
    """Bring the rows to `rows.target` with the factor at hand: by v̇ (ACCELERATIONS), by v (VELOCITIES), or by
    an increment of q that is left in the place of v̇ (POSITIONS, one pass).

    Passes and residual are in `Status`.
    """
    call_batch(view(tables, Core).solve_rows[0], what, 0, tables)


@internal
def accelerations(tables, skip):
    """v̇ and λ [N, N·m] at the present state, whose S is factored. Returns a status.

    Implicit variables, and loads that are iterated, are found with them. skip: FORCES where h is given.
    """
    if view(tables, ImplicitVariables).index.shape[0] > 0:
        return call_batch(view(tables, Core).solve_implicit[0], skip, 0, tables)
    return accelerations_of_loads(tables)


@internal
def accelerations_of_loads(tables):
    """The same with the implicit variables as they are."""
    if view(tables, Enforced).iterated[0] > 0:
        return call_batch(view(tables, Core).iterate_loads[0], 0, 0, tables)
    return solve_accelerations(tables)


@internal
def solve_accelerations(tables):
    """v̇ and λ under the forces h as they are. Returns a status.

    `Core.method` has the address of the method that finds them; 0 is the engine's own (`Problem.use`).
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
