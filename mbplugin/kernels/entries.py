"""Compiled functions that Python calls to evaluate a problem, one call each."""

from __future__ import annotations

from numba import float64, int64

from mbplugin.kernels.core import evaluate_eom
from mbplugin.kernels.evaluate import evaluate_constraints, run_batches
from mbplugin.kernels.implicit import DETERMINED
from mbplugin.kernels.inertia import evaluate_kinetic_energy
from mbplugin.kernels.projection import CLOSED, project_positions, project_velocities, refactor
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import compiled_entry
from mbplugin.tables.groups import Core, Markers, State
from mbplugin.tables.purposes import BODY_ENERGY, FORCE, LOCATE, PREPARE


@compiled_entry()
def evaluate(tables):
    """Evaluate the equations of motion at the present state; G stays unscaled. Returns a status."""
    return evaluate_eom(tables, 0)


@compiled_entry()
def evaluate_elements(tables):
    """Evaluate rows and wrenches of all elements at the present markers. Returns a status."""
    status = evaluate_constraints(tables)
    return status if status != 0 else run_batches(tables, FORCE)


@compiled_entry()
def begin_implicit(tables):
    """Compute the implicit variables at the present state and check their uniqueness. Returns a status."""
    if refactor(tables) != 0:
        return 0  # no factor: the analyses that follow report the reason
    return call_batch(view(tables, Core).solve_implicit[0], DETERMINED, 0, tables)


@compiled_entry()
def evaluate_energies(tables):
    """Evaluate kinetic and elastic energies of the bodies at the present state. Returns a status."""
    evaluate_kinetic_energy(tables, view(tables, State).v)
    return run_batches(tables, BODY_ENERGY)


@compiled_entry(int64)
def call_purpose(tables, purpose):
    """Run the batches of one purpose (coordinates, energies, events, ...). Returns a status."""
    return run_batches(tables, purpose)


@compiled_entry(float64[::1], float64[:, ::1], float64[:, ::1])
def marker_rates(tables, v_dot, linear, angular):
    """Accelerations H v̇ + Ḣ v of all markers, into `linear` [m/s²] and `angular` [rad/s²], (nm, 3) each.

    H v̇ is the twist at the velocities v̇; v is restored afterwards. Returns a status.
    """
    state = view(tables, State)
    markers = view(tables, Markers)
    for i in range(markers.index.shape[0]):
        for k in range(3):
            linear[i, k], angular[i, k] = markers.v_bias[i, k], markers.w_bias[i, k]
    v = state.v.copy()
    for k in range(v.shape[0]):
        state.v[k] = v_dot[k]
    status = run_batches(tables, PREPARE)
    if status == 0:
        status = run_batches(tables, LOCATE)
    for i in range(markers.index.shape[0]):
        for k in range(3):
            linear[i, k] += markers.v[i, k]
            angular[i, k] += markers.w[i, k]
    for k in range(v.shape[0]):
        state.v[k] = v[k]
    again = run_batches(tables, PREPARE)
    if again == 0:
        again = run_batches(tables, LOCATE)
    return status if status != 0 else again


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
    status = evaluate_eom(tables, 0)
    if status == 0:
        status = project_velocities(tables)
    if status == 0:
        status = evaluate_eom(tables, 0)
    return status
