"""Steps that seem infeasible: prescribed motions press bodies against each other.

Impulses of such a step grow along a direction (r, Λ) with Gᵀ r + G_jᵀ Λ → 0: together they change velocities
far less than each of them alone. `infeasible.py` decides whether there is no solution.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import internal
from mbplugin.stepping import ACCELERATION_LEVEL, Blocks, Rows, State, Step, TransientRows, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.momentum import begin_balance

#: number of steps of a run that are examined, at most
MAX_EXAMINATIONS = 20
#: impulses cancel below this ratio of their joint change of velocities to the sum of their single changes
CANCEL = 1e-2
#: overlap that may be rounding, as a part of `ContactRecord.min_margin`
SHALLOW = 0.1


@internal
def seems_infeasible(tables):
    """Whether to examine a step that has missed its residual: once, where something is driven, bodies overlap
    by more than can be rounding, and impulses cancel.
    """
    contacts, transient, record = (
        view(tables, Contacts),
        view(tables, TransientRows),
        view(tables, Contacts).record[0],
    )
    start = view(tables, Step).record[0].t0
    if record.examinations_left == 0 or record.examined_at == start or not is_driven(tables):
        return False
    deepest = one_by_one = 0.0
    for k in range(transient.used[0]):
        n, a, b = transient.impulse[3 * k], transient.impulse[3 * k + 1], transient.impulse[3 * k + 2]
        if n > 0.0:
            deepest = max(deepest, -transient.phi[3 * k])
        W = contacts.W[k]
        square = n * (W[0] * n + 2.0 * (W[1] * a + W[2] * b)) + a * (W[4] * a + 2.0 * W[5] * b) + W[8] * b * b
        one_by_one += sqrt(max(square, 0.0))
    if deepest <= SHALLOW * record.min_margin:
        return False
    begin_balance(tables, view(tables, State).v)
    total = 0.0
    for c in range(contacts.F.shape[0]):
        total += contacts.F[c] * contacts.work[c]
    if sqrt(max(total, 0.0)) > CANCEL * one_by_one:
        return False
    record.examined_at = start
    record.examinations_left -= 1
    return True


@internal
def is_driven(tables):
    """Whether a motion has a speed or an acceleration now."""
    blocks, rows = view(tables, Blocks).index, view(tables, Rows)
    for k in range(blocks.shape[0]):
        for row in range(blocks[k].first_row, blocks[k].first_row + blocks[k].rows):
            if rows.active[row] == 1 and (rows.phi_t[row] != 0.0 or rows.level[row] == ACCELERATION_LEVEL):
                return True
    return False
