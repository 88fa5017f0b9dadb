"""The engine's large functions behind addresses: each is compiled and cached once, and the loops of all
solvers call it.

A caller pays a call through a pointer (a few ns); inlined into every loop, the same functions tripled the
time to compile.
"""

from __future__ import annotations

import functools

import numba
import numpy as np
from numba import types

from mbplugin.kernels import evaluate, schur
from mbplugin.kernels.view import TABLES, call_batch, table_at, view
from mbplugin.math.jit import cache_folder, in_cache, internal
from mbplugin.tables.groups import (
    ACCELERATE,
    B_V,
    CLOSE_LOOPS,
    FACTOR,
    ITERATE,
    PROXIMAL,
    TERMS,
    Bodies,
    Core,
    Enforced,
    Rates,
    Rows,
    State,
    Unknowns,
)

#: what `impulse` changes
ACCELERATIONS, VELOCITIES, POSITIONS = range(3)

SIGNATURE = types.int64(types.int64, types.int64, types.CPointer(types.int64))


def terms_at_address(without, spare, address):
    return evaluate.terms(table_at(address, 2 * TABLES), without)


def factor_at_address(level, spare, address):
    tables = table_at(address, 2 * TABLES)
    schur.choose_rows(tables, level)
    schur.eliminate_bodies(tables)
    return 0 if schur.factorise(tables) else -1


def proximal_at_address(what, spare, address):
    tables = table_at(address, 2 * TABLES)
    rows = view(tables, Rows)
    if what == VELOCITIES:
        v = view(tables, State).v
        # the scaled rows have unit length in the norm of M, so that G v is rounded at |v| in it
        return schur.proximal(
            tables, v, rows.target, schur.PASSES, schur.mass_norm(tables, v), schur.ROUNDING
        )
    passes = schur.PASSES if what == ACCELERATIONS else 1
    return schur.proximal(tables, view(tables, Rates).v_dot, rows.target, passes, 0.0, rows.goal[0])


@functools.cache
def compiled() -> tuple[object, ...]:
    """The compiled functions, in the order of `TERMS`, `FACTOR`, `PROXIMAL`, `ITERATE`, `CLOSE_LOOPS`."""
    # which call `accelerations_under` and `accelerations_of_forces`
    from mbplugin.kernels.iterate import iterate_at_address
    from mbplugin.kernels.unknowns import close_loops_at_address

    make = lambda function: in_cache(
        cache_folder(), lambda: numba.cfunc(SIGNATURE, error_model="numpy", cache=True)(function)
    )
    return tuple(
        make(function)
        for function in (
            terms_at_address,
            factor_at_address,
            proximal_at_address,
            iterate_at_address,
            close_loops_at_address,
        )
    )


def addresses() -> np.ndarray:
    """(6,) what `Core.address` holds; ACCELERATE is a method's to fill."""
    *three, iterate, close_loops = (function.address for function in compiled())  # type: ignore[attr-defined]
    return np.array([*three, 0, iterate, close_loops], np.int64)


@internal
def terms(tables, without):
    """`evaluate.terms`: the terms of the equations of motion at the present state, `without` MASS_AND_G or
    OWN_FORCES. Returns a status.
    """
    return call_batch(view(tables, Core).address[TERMS], without, 0, tables)


@internal
def factor(tables, level):
    """Factor S for the active rows whose level is at most `level`. Returns 0, or −1 where a pivot is not
    positive.
    """
    return call_batch(view(tables, Core).address[FACTOR], level, 0, tables)


@internal
def impulse(tables, what):
    """`schur.proximal` towards `rows.target`: on v̇ (ACCELERATIONS), on v (VELOCITIES), or one pass on an
    increment of q in the place of v̇ (POSITIONS).
    """
    return call_batch(view(tables, Core).address[PROXIMAL], what, 0, tables)


@internal
def accelerations(tables, without):
    """v̇ and λ (in `rows.lam`, in N and N·m) at the present state, whose S is factored. `without`: OWN_FORCES
    where h is not to be found again.

    Returns the passes; negative where a method failed (−1) or unknowns of expressions found no values (−2); a
    status from 2³² on. Those unknowns, and loads of rows that are to be iterated, are found with them.
    """
    if view(tables, Unknowns).row.shape[0] > 0:
        return call_batch(view(tables, Core).address[CLOSE_LOOPS], without, 0, tables)
    return accelerations_of_forces(tables)


@internal
def accelerations_of_forces(tables):
    """The same with the unknowns as they are."""
    if view(tables, Enforced).count[0] > 0:
        return call_batch(view(tables, Core).address[ITERATE], 0, 0, tables)
    return accelerations_under(tables)


@internal
def accelerations_under(tables):
    """The same under the forces h as they are.

    The address of a method that finds them in another way is in `Core.address[ACCELERATE]` (`Problem.use`).
    """
    own = view(tables, Core).address[ACCELERATE]
    if own != 0:
        return call_batch(own, 0, 0, tables)
    bodies = view(tables, Bodies)
    rows = view(tables, Rows)
    v_dot = view(tables, Rates).v_dot
    for k in range(v_dot.shape[0]):
        v_dot[k] = bodies.h[k]
    for i in range(bodies.row.shape[0]):
        schur.solve_mass(bodies, i, v_dot, bodies.row[i, B_V])
    for r in range(rows.gamma.shape[0]):
        rows.target[r] = rows.scale[r] * rows.gamma[r]
    passes = impulse(tables, ACCELERATIONS)
    for r in range(rows.lam.shape[0]):
        rows.lam[r] *= rows.scale[r]
    return passes
