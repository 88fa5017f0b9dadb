"""Slopes of the compliances (penalties) of enforced rows, for solvers that take them implicitly."""

from __future__ import annotations

from mbplugin.kernels.cones import unit_of_row
from mbplugin.kernels.evaluate import evaluate_compliances
from mbplugin.kernels.modes import is_iterated
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Enforced, Rows

#: step of the differences [rad or rad/s, or sizes of the mechanism]
COMPLIANCE_STEP = 1e-4


@internal
def compliance_slopes(tables, slope, slope_dot):
    """∂load/∂Φ and ∂load/∂Φ̇ (nc,) of enforced rows whose load is not iterated, by two-point differences at
    the present state, evaluated. Exact for linear compliances. Returns a status.
    """
    enforced, rows = view(tables, Enforced).index, view(tables, Rows)
    status = 0
    for i in range(enforced.shape[0]):
        rows.solution[enforced[i].row] = rows.load[enforced[i].row]
    for part in range(2):
        moved, found = (rows.phi, slope) if part == 0 else (rows.phi_dot, slope_dot)
        for i in range(enforced.shape[0]):
            r = enforced[i].row
            rows.residual[r] = moved[r]
            moved[r] += COMPLIANCE_STEP * unit_of_row(tables, r)
        status = max(status, evaluate_compliances(tables))
        for i in range(enforced.shape[0]):
            r = enforced[i].row
            found[r] = (rows.load[r] - rows.solution[r]) / (moved[r] - rows.residual[r])
            moved[r] = rows.residual[r]
    status = max(status, evaluate_compliances(tables))
    for i in range(enforced.shape[0]):
        r = enforced[i].row
        if is_iterated(tables, i):
            rows.load[r], rows.energy[r], rows.power[r] = rows.solution[r], 0.0, 0.0
            slope[r], slope_dot[r] = 0.0, 0.0
    return status
