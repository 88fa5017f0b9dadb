"""Coordinates: projection onto the constraints, and increments."""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import run_batches
from mbplugin.kernels.projection import CLOSED, TIGHT, project_positions, project_velocities
from mbplugin.kernels.tree.momentum import has_momenta, velocities_of_momenta
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.math.vectors import copy
from mbplugin.tables.groups import Rates, Step
from mbplugin.tables.purposes import NORMALISE, RETRACT


@internal
def advance_coordinates(tables, dq):
    """q ← q ⊕ dq, an increment in velocity space (nv,) [m, rad]. Returns a status."""
    copy(dq, view(tables, Rates).v_dot)
    return run_batches(tables, RETRACT)


@internal
def normalise_coordinates(tables):
    """Normalise quaternions, and what else body kinds normalise. Returns a status."""
    return run_batches(tables, NORMALISE)


@by_address(seconds=4)
def project(tables):
    """Project positions and velocities onto the constraints, with the least change in the norm of M.

    Near a singular position the factor of a previous state is not reused, and positions are closed to
    rounding. Returns a status; the remaining position residual is `Step.record.residual`. M, G, Φ, poses and
    the factor are then those of the projected state. Twists, h and γ are not; v̇ and λ are work arrays.
    """
    step = view(tables, Step).record[0]
    near = step.near_singular == 1
    status = run_batches(tables, NORMALISE)
    if status != 0:
        return status
    status, step.residual = project_positions(tables, step.length_scale, not near, TIGHT if near else CLOSED)
    if status == 0 and has_momenta(tables):
        velocities_of_momenta(tables)
    return status if status != 0 else project_velocities(tables)


@internal
def close_positions(tables):
    """Close position rows by the smallest change of positions in the norm of M. Returns a status and the
    largest residual that is left [sizes or rad].
    """
    return project_positions(tables, view(tables, Step).record[0].length_scale, False, CLOSED)


@internal
def project_closed(tables, residual):
    """`project` of a state that is evaluated and whose positions are closed: velocities alone change.

    The coordinates must be normalised before they are evaluated, so that a step that begins here finds the
    same M and G as one that begins anew. residual: of the positions [size or rad]. Sets
    `Step.record.projected`. Returns a status.
    """
    step = view(tables, Step).record[0]
    step.residual, step.projected = residual, 1
    return project_velocities(tables)
