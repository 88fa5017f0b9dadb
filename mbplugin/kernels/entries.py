"""The compiled functions that Python calls to look at a problem: each is one round trip."""

from __future__ import annotations

from mbplugin.kernels.core import terms
from mbplugin.kernels.evaluate import PLUGIN, constraints, run_batches
from mbplugin.kernels.projection import CLOSED, project_positions, project_velocities, refactor
from mbplugin.kernels.unknowns import DETERMINED
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import entry_point
from mbplugin.tables.groups import CLOSE_LOOPS, FORCE, LOCATE, PREPARE, Core, Points, State


@entry_point
def evaluate_terms(tables):
    """All terms at the present state; G is left unscaled. Returns a status, 0 if all went well."""
    return terms(tables, 0)


@entry_point
def evaluate_elements(tables):
    """Rows and wrenches of all elements, from the markers as they are in the tables, whatever the bodies'
    coordinates say. Returns a status.
    """
    status = constraints(tables)
    return status if status != 0 else run_batches(tables, FORCE)


@entry_point
def begin_loops(tables):
    """Find the unknowns of expressions at the present state, and see that they are determined. Returns a
    status.
    """
    status = refactor(tables)
    if status != 0:
        return 0  # no factor: the analyses that follow say why
    passes = call_batch(view(tables, Core).address[CLOSE_LOOPS], DETERMINED, 0, tables)
    return passes if passes < 0 or passes >= PLUGIN else 0


@entry_point
def call_purpose(tables, purpose):
    """Run the batches of one purpose (coordinates, energies, events, ...)."""
    return run_batches(tables, purpose)


@entry_point
def marker_rates(tables, v_dot, linear, angular):
    """Accelerations of all markers, H v̇ + Ḣ v: twists are evaluated with v̇ in the place of v, and v put
    back.
    """
    state = view(tables, State)
    points = view(tables, Points)
    for i in range(points.row.shape[0]):
        for k in range(3):
            linear[i, k], angular[i, k] = points.dv[i, k], points.dw[i, k]
    v = state.v.copy()
    state.v[:] = v_dot
    status = run_batches(tables, PREPARE)
    if status == 0:
        status = run_batches(tables, LOCATE)
    for i in range(points.row.shape[0]):
        for k in range(3):
            linear[i, k] += points.v[i, k]
            angular[i, k] += points.w[i, k]
    state.v[:] = v
    again = run_batches(tables, PREPARE)
    if again == 0:
        again = run_batches(tables, LOCATE)
    return status if status != 0 else again


@entry_point
def assemble_positions(tables, size):
    """q onto the position rows that are active. Returns status and the largest residual left."""
    status, worst = project_positions(tables, size, False, CLOSED)
    for _ in range(10):
        if status != 0 or worst <= 1e-11:
            break
        before = worst
        status, worst = project_positions(tables, size, False, CLOSED)
        if not worst < 0.9 * before:
            break
    return status, worst


@entry_point
def assemble_velocities(tables):
    """v onto G v = −Φₜ at the present q. Returns a status; G is evaluated again, unscaled."""
    status = terms(tables, 0)
    if status == 0:
        status = project_velocities(tables)
    if status == 0:
        status = terms(tables, 0)
    return status
