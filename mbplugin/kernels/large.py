"""The engine's large functions, each compiled and cached by itself; `Core` holds their addresses."""

from __future__ import annotations

from mbplugin.kernels import augmented_loads, evaluate, implicit, schur
from mbplugin.kernels.core import ACCELERATIONS, VELOCITIES
from mbplugin.kernels.inertia import mass_norm
from mbplugin.kernels.view import TABLES, table_at, view
from mbplugin.tables.groups import Rates, Rows, State
from mbplugin.tables.status import NO_PIVOT


def evaluate_eom(skip, spare, address):
    return evaluate.evaluate_eom(table_at(address, 2 * TABLES), skip)


def factor(level, spare, address):
    tables = table_at(address, 2 * TABLES)
    schur.select_rows(tables, level)
    schur.eliminate_bodies(tables)
    return 0 if schur.factorise(tables) else NO_PIVOT


def solve_rows(what, spare, address):
    tables = table_at(address, 2 * TABLES)
    rows = view(tables, Rows)
    if what == VELOCITIES:
        v = view(tables, State).v
        # the scaled rows have unit length in the norm of M, so that G v is rounded at |v| in it
        return schur.proximal(tables, v, rows.target, schur.PASSES, mass_norm(tables, v), schur.ROUNDING)
    passes = schur.PASSES if what == ACCELERATIONS else 1
    return schur.proximal(tables, view(tables, Rates).v_dot, rows.target, passes, 0.0, rows.goal[0])


def iterate_loads(first, count, address):
    return augmented_loads.iterate_loads(table_at(address, 2 * TABLES))


def solve_implicit(skip, spare, address):
    tables = table_at(address, 2 * TABLES)
    if skip & implicit.DETERMINED:
        return implicit.solve_determined(tables, skip - implicit.DETERMINED)
    return implicit.solve_implicit(tables, skip)
