"""The compiled functions that Python calls to look at a problem: each is one round trip."""

from __future__ import annotations

from mbplugin.kernels.core import evaluate_eom
from mbplugin.kernels.evaluate import evaluate_constraints, run_batches
from mbplugin.kernels.implicit import DETERMINED
from mbplugin.kernels.inertia import evaluate_kinetic_energy
from mbplugin.kernels.projection import CLOSED, project_positions, project_velocities, refactor
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import compiled_entry
from mbplugin.tables.groups import Core, Markers, State
from mbplugin.tables.purposes import BODY_ENERGY, FORCE, LOCATE, PREPARE


@compiled_entry
def evaluate(tables):
    """The equations of motion at the present state; G is left unscaled. Returns a status."""
    return evaluate_eom(tables, 0)


@compiled_entry
def evaluate_elements(tables):
    """Rows and wrenches of all elements, from the markers as the tables have them. Returns a status."""
    status = evaluate_constraints(tables)
    return status if status != 0 else run_batches(tables, FORCE)


@compiled_entry
def begin_implicit(tables):
    """Find the implicit variables at the present state, and check that they are determined. Returns a status."""
    if refactor(tables) != 0:
        return 0  # no factor: the analyses that follow say why
    return call_batch(view(tables, Core).solve_implicit[0], DETERMINED, 0, tables)


@compiled_entry
def evaluate_energies(tables):
    """Kinetic and elastic energies of the bodies at the present state. Returns a status."""
    evaluate_kinetic_energy(tables, view(tables, State).v)
    return run_batches(tables, BODY_ENERGY)


@compiled_entry
def call_purpose(tables, purpose):
    """Run the batches of one purpose (coordinates, energies, events, ...). Returns a status."""
    return run_batches(tables, purpose)


@compiled_entry
def marker_rates(tables, v_dot, linear, angular):
    """Accelerations of all markers, H v̇ + Ḣ v: twists are evaluated with v̇ in the place of v, and v put
    back.
    """
    state = view(tables, State)
    markers = view(tables, Markers)
    for i in range(markers.index.shape[0]):
        for k in range(3):
            linear[i, k], angular[i, k] = markers.v_bias[i, k], markers.w_bias[i, k]
    v = state.v.copy()
    state.v[:] = v_dot
    status = run_batches(tables, PREPARE)
    if status == 0:
        status = run_batches(tables, LOCATE)
    for i in range(markers.index.shape[0]):
        for k in range(3):
            linear[i, k] += markers.v[i, k]
            angular[i, k] += markers.w[i, k]
    state.v[:] = v
    again = run_batches(tables, PREPARE)
    if again == 0:
        again = run_batches(tables, LOCATE)
    return status if status != 0 else again


@compiled_entry
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


@compiled_entry
def assemble_velocities(tables):
    """v onto G v = −Φₜ at the present q. Returns a status; G is evaluated again, unscaled."""
    status = evaluate_eom(tables, 0)
    if status == 0:
        status = project_velocities(tables)
    if status == 0:
        status = evaluate_eom(tables, 0)
    return status
