"""Steps that seem infeasible: prescribed motions press bodies against each other.

Impulses of such a step grow along a direction (r, Λ) with Gᵀ r + G_jᵀ Λ → 0: together they change velocities
far less than each of them alone. `infeasible.py` decides whether there is no solution.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import internal
from mbplugin.math.vec3 import dot, load_matrix, rotate
from mbplugin.stepping import ACCELERATION_LEVEL, ON, Rows, State, Step, TransientRows, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.impulses import impulse_at
from mbplugin_contact.momentum import begin_balance

#: number of steps of a run that are examined, at most
MAX_EXAMINATIONS = 20
#: impulses cancel below this ratio of their joint change of velocities to the sum of their single changes
CANCELLING_RATIO = 1e-2
#: overlap that may be rounding, as a part of `ContactRecord.min_margin`
SHALLOW_OVERLAP = 0.1


@internal
def seems_infeasible(tables):
    """Whether to examine a step that has missed its residual: once, where something is driven, bodies overlap
    by more than can be rounding, and impulses cancel.
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    record = contacts.record[0]
    start = view(tables, Step).record[0].t0
    if record.examinations_left == 0 or record.examined_at == start or not is_driven(tables):
        return False
    deepest = one_by_one = 0.0
    for k in range(transient.used[0]):
        r = impulse_at(transient, k)
        if r[0] > 0.0:
            deepest = max(deepest, -transient.phi[3 * k])
        one_by_one += sqrt(max(dot(r, rotate(load_matrix(contacts.W, k), r)), 0.0))
    if deepest <= SHALLOW_OVERLAP * record.min_margin:
        return False
    begin_balance(tables, view(tables, State).v)
    total = 0.0
    for c in range(contacts.F.shape[0]):
        total += contacts.F[c] * contacts.work[c]
    if sqrt(max(total, 0.0)) > CANCELLING_RATIO * one_by_one:
        return False
    record.examined_at = start
    record.examinations_left -= 1
    return True


@internal
def is_driven(tables):
    """Whether a motion has a speed or an acceleration now."""
    rows, mode, driven = view(tables, Rows), view(tables, State).mode, False
    for row in range(rows.phi_t.shape[0]):
        moves = rows.phi_t[row] != 0.0 or rows.level[row] == ACCELERATION_LEVEL
        driven = driven or (mode[row] == ON and moves)
    return driven
