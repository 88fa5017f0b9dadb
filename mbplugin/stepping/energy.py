"""Energies of the present state, and impulses that change them."""

from __future__ import annotations

from mbplugin.kernels.evaluate import run_batches
from mbplugin.kernels.inertia import evaluate_kinetic_energy
from mbplugin.kernels.projection import project_velocities
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.math.vectors import sum_of
from mbplugin.tables.groups import Bodies, Rows, State, Wrenches
from mbplugin.tables.purposes import BODY_ENERGY


@internal
def energies(tables):
    """Kinetic and potential energy [J] of a state that has been evaluated. Returns a status and both."""
    kinetic = evaluate_kinetic_energy(tables, view(tables, State).v)
    status = run_batches(tables, BODY_ENERGY)
    elastic = sum_of(view(tables, Bodies).energy) + sum_of(view(tables, Rows).energy)
    return status, kinetic, sum_of(view(tables, Wrenches).energy) + elastic


@internal
def apply_impulse(tables):
    """Bring the velocities onto G v = −Φₜ by an impulse of the constraints.

    G and the factor must be those of the present state. The work of the impulse, the change of the kinetic
    energy [J], is added to `State.aux[0]`. Returns a status.
    """
    state = view(tables, State)
    before = evaluate_kinetic_energy(tables, state.v)
    status = project_velocities(tables)
    if status == 0:
        state.aux[0] += evaluate_kinetic_energy(tables, state.v) - before
    return status
