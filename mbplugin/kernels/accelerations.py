"""Accelerations and multipliers by the engine's own factor, or by the method that a scene chooses."""

from __future__ import annotations

from mbplugin.kernels.inertia import solve_mass
from mbplugin.kernels.schur import ACCELERATIONS, solve_rows
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import internal
from mbplugin.math.vectors import copy
from mbplugin.tables.groups import Bodies, EntryPoints, Rates, Rows, Status
from mbplugin.tables.status import METHOD_FAILED


@internal
def solve_accelerations(tables):
    """v̇ and λ under the present forces h. Returns a status.

    `EntryPoints.method` is the address of the method; 0: the engine's own factor (`Problem.use`).
    """
    method = view(tables, EntryPoints).method[0]
    if method != 0:
        passes = call_batch(method, 0, 0, tables)
        view(tables, Status).passes[0] = passes
        return METHOD_FAILED if passes < 0 else 0
    bodies = view(tables, Bodies)
    rows = view(tables, Rows)
    v_dot = view(tables, Rates).v_dot
    copy(bodies.h, v_dot)
    for i in range(bodies.index.shape[0]):
        solve_mass(bodies, i, v_dot, bodies.index[i].first_v)
    for r in range(rows.gamma.shape[0]):
        rows.target[r] = rows.scale[r] * rows.gamma[r]
    solve_rows(tables, ACCELERATIONS)
    for r in range(rows.lam.shape[0]):
        rows.lam[r] *= rows.scale[r]
    return 0
