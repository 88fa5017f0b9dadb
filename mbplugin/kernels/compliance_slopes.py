"""Slopes of the compliances (penalties) of enforced rows, for solvers that take them implicitly."""

from __future__ import annotations

from mbplugin.kernels.evaluate import run_compliances
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Enforced, Rows, Step

#: step of the differences [rad or rad/s, or sizes of the mechanism]
COMPLIANCE_STEP = 1e-4


@internal
def evaluate_compliances(tables):
    """Loads, energies and powers of compliances at the present `Rows.phi` and `phi_dot`. Returns a status."""
    return run_compliances(tables)


@internal
def compliance_slopes(tables, slope, slope_dot):
    """∂load/∂Φ and ∂load/∂Φ̇ (nc,) of enforced rows whose load is not iterated, by central differences at the
    present state, evaluated. Exact for linear compliances. Returns a status.
    """
    enforced, rows = view(tables, Enforced).index, view(tables, Rows)
    status = 0
    for i in range(enforced.shape[0]):
        rows.solution[enforced[i].row] = rows.load[enforced[i].row]
    for part in range(2):
        for side in range(2):
            sign = 1.0 - 2.0 * side
            for i in range(enforced.shape[0]):
                r = enforced[i].row
                x = rows.phi[r] if part == 0 else rows.phi_dot[r]
                rows.residual[r] = x
                if part == 0:
                    rows.phi[r] = x + sign * difference(tables, r)
                else:
                    rows.phi_dot[r] = x + sign * difference(tables, r)
            status = max(status, evaluate_compliances(tables))
            for i in range(enforced.shape[0]):
                r = enforced[i].row
                change = 0.5 * rows.load[r] / difference(tables, r)
                if part == 0:
                    rows.phi[r] = rows.residual[r]
                    slope[r] = change if side == 0 else slope[r] - change
                else:
                    rows.phi_dot[r] = rows.residual[r]
                    slope_dot[r] = change if side == 0 else slope_dot[r] - change
    status = max(status, evaluate_compliances(tables))
    for i in range(enforced.shape[0]):
        r = enforced[i].row
        if enforced[i].iterated == 1:
            rows.load[r], rows.energy[r], rows.power[r] = rows.solution[r], 0.0, 0.0
            slope[r], slope_dot[r] = 0.0, 0.0
    return status


@internal
def difference(tables, r):
    """Step of the differences of row r, in its unit."""
    size = view(tables, Step).record[0].length_scale
    return COMPLIANCE_STEP if view(tables, Rows).radians[r] == 1 else COMPLIANCE_STEP * size
