"""Compiled functions that Python calls to evaluate a problem, one call each."""

from __future__ import annotations

from numba import float64, int64

from mbplugin.kernels.evaluate import evaluate_eom, locate_markers, run_batches
from mbplugin.kernels.friction import pressure
from mbplugin.kernels.implicit import DETERMINED, solve_implicit
from mbplugin.kernels.inertia import evaluate_kinetic_energy
from mbplugin.kernels.projection import CLOSED, project_positions, project_velocities, refactor
from mbplugin.kernels.tree.shown import rates_on_trees
from mbplugin.kernels.view import view
from mbplugin.math.jit import compiled_entry, internal
from mbplugin.tables.groups import Bearings, Bodies, FrameValues, Markers, Rates, State, Trees
from mbplugin.tables.purposes import BODY_ENERGY


@compiled_entry()
def evaluate(tables):
    """Evaluate the equations of motion at the present state; G stays unscaled. Returns a status."""
    return evaluate_eom(tables, 0)


@compiled_entry()
def begin_implicit(tables):
    """Compute the implicit variables at the present state and check their uniqueness. Returns a status."""
    if refactor(tables) != 0:
        return 0  # no factor: the analyses that follow report the reason
    return solve_implicit(tables, DETERMINED)


@compiled_entry()
def evaluate_energies(tables):
    """Evaluate kinetic and elastic energies of the bodies at the present state. Returns a status."""
    evaluate_kinetic_energy(tables, view(tables, State).v)
    return run_batches(tables, BODY_ENERGY)


@compiled_entry()
def evaluate_pressures(tables):
    """Pressures on bearings at the present multipliers and loads. Returns 0."""
    bearings = view(tables, Bearings)
    for k in range(bearings.index.shape[0]):
        bearings.pressure[k] = pressure(tables, k)
    return 0


@compiled_entry(int64)
def call_purpose(tables, purpose):
    """Run the batches of one purpose (coordinates, energies, events, ...). Returns a status."""
    return run_batches(tables, purpose)


@compiled_entry()
def marker_rates(tables):
    """Accelerations H v̇ + Ḣ v of all markers, into `FrameValues`. Returns a status.

    H v̇ is the twist at the velocities v̇; v is restored afterwards, and what depends on it. Those of links of
    trees are present (`carry_wrenches`).
    """
    trees = view(tables, Trees).index.shape[0]
    if trees > 0 and trees == view(tables, Bodies).energy.shape[0]:
        return rates_on_trees(tables)
    v, v_dot = view(tables, State).v, view(tables, Rates).v_dot
    markers, values = view(tables, Markers), view(tables, FrameValues)
    for i in range(markers.index.shape[0]):
        for k in range(3):
            values.v_dot[i, k], values.w_dot[i, k] = markers.v_bias[i, k], markers.w_bias[i, k]
    exchange(v, v_dot)
    status = locate_markers(tables)
    for i in range(markers.index.shape[0]):
        for k in range(3):
            values.v_dot[i, k] += markers.v[i, k]
            values.w_dot[i, k] += markers.w[i, k]
    exchange(v, v_dot)
    again = locate_markers(tables)
    if trees > 0:
        rates_on_trees(tables)
    return status if status != 0 else again


@internal
def exchange(a, b):
    for k in range(a.shape[0]):
        a[k], b[k] = b[k], a[k]


@compiled_entry(float64)
def assemble_positions(tables, size):
    """Project q onto the active position rows. Returns a status and the largest remaining residual.

    size: of the mechanism [m]
    """
    status, worst = project_positions(tables, size, False, CLOSED)
    for _ in range(10):
        if status != 0 or worst <= 1e-11:
            break
        before = worst
        status, worst = project_positions(tables, size, False, CLOSED)
        if not worst < 0.9 * before:
            break
    return status, worst


@compiled_entry()
def assemble_velocities(tables):
    """Project v onto G v = −Φₜ at the present q; then evaluate again, G unscaled. Returns a status."""
    return evaluate_eom(tables, 0) or project_velocities(tables) or evaluate_eom(tables, 0)
