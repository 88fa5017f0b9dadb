"""The tables of an implicit step: its matrix, the border of constraint rows, the inner states of elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbplugin.kernels.view import view
from mbplugin.math.jit import compiled_entry
from mbplugin.matrix import analyse, declare_step_matrix, empty_matrix, enlarged
from mbplugin.problem.activity import rows_that_begin
from mbplugin.tables.groups import (
    Batches,
    Blocks,
    Bodies,
    Border,
    Bounded,
    Elements,
    Functions,
    InnerStates,
    Matrix,
)
from mbplugin.tables.records import InnerStateRecord
from mbplugin.tables.spec import Array, records
from mbplugin.tables.status import NO_ROOM

if TYPE_CHECKING:
    from mbplugin.problem.problem import Problem


def prepare(problem: Problem) -> None:
    """Put the tables into a problem whose tangents are prepared, for the rows that are on now."""
    length = len(problem[Blocks].G)
    problem.put(Border(block_nodes(problem), np.zeros(length), np.zeros(length)))
    problem.put(empty_matrix(length=problem.nv + problem.nc))
    while analyse_step_matrix(problem.addresses) == NO_ROOM:
        problem.put(enlarged(problem[Matrix]))
    problem.put(inner_states(problem))


@compiled_entry()
def analyse_step_matrix(tables):  # type: ignore[no-untyped-def]
    """Pattern and order of the matrix of the step without rows that come and go. Returns a status."""
    declare_step_matrix(tables)
    return analyse(view(tables, Matrix))


def block_nodes(problem: Problem) -> Array:
    """Node of each block of rows, behind the bodies; −1 where no row is on, nor can be during a run."""
    blocks, on = problem[Blocks].index, problem.on
    on[problem[Bounded].index.row] = on[rows_that_begin(problem)] = True
    used = np.array([bool(on[b.first_row : b.first_row + b.rows].any()) for b in blocks], bool)
    return np.where(used, len(problem[Bodies].index) + np.cumsum(used) - 1, -1).astype(np.int64)


def inner_states(problem: Problem) -> InnerStates:
    """Which elements have inner states, and room to solve for them."""
    index, elements = [], problem[Elements].index
    most = len(problem[Functions].equation)
    for kernel, batch in zip(problem.kernels, problem[Batches].index):
        if kernel.role in ("force", "constraint") and kernel.shape.states > 0:
            most = max(most, kernel.shape.states)
            index += [
                (int(batch.address), e, int(elements[e].first_aux), kernel.shape.states)
                for e in range(int(batch.first), int(batch.first + batch.length))
            ]
    return InnerStates(
        records(InnerStateRecord, index),
        np.zeros(problem.na),
        np.zeros(most * most),
        np.zeros(most),
        np.zeros(most, np.int64),
    )
