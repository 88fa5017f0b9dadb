"""Refuses rows without a finite derivative before their rank is taken."""

from __future__ import annotations

import numpy as np

from mbplugin.errors import PhysicsError
from mbplugin.problem import Problem
from mbplugin.tables.spec import Array


def refuse_not_finite(problem: Problem, rows: Array, values: Array) -> None:
    """Raises PhysicsError or PluginError unless the values (rows, ...) of these rows of G are finite; names
    what returned others.
    """
    finite = np.isfinite(values)
    if finite.all():
        return
    wrong = problem.names.rows[int(rows[np.argwhere(~finite)[0, 0]])]
    raise problem.not_finite() or PhysicsError(
        f'the derivative of the row "{wrong.label}" of {wrong.owner} is not finite', time=problem.time
    )
