"""The matrix of a method: M and Ĝ, bordered, in a group of tables beside the solver's own matrix."""

from __future__ import annotations

from typing import Any, NamedTuple, get_type_hints

from numba import int64

from mbplugin.kernels.view import method_tables, view
from mbplugin.math.jit import compiled_entry
from mbplugin.matrix.augmented import declare_augmented
from mbplugin.matrix.capacity import empty_matrix, enlarged
from mbplugin.matrix.symbolic import analyse
from mbplugin.tables.groups import Blocks, Bodies, Matrix
from mbplugin.tables.status import NO_ROOM

#: the fields of `Matrix`, in the place of a method's tables
MethodMatrix: Any = method_tables(
    NamedTuple("MethodMatrix", list(get_type_hints(Matrix, include_extras=True).items()))  # type: ignore[misc]
)


@compiled_entry(int64)
def analyse_method_matrix(tables, symmetric):  # type: ignore[no-untyped-def]
    """Pattern and order of [M Ĝᵀ; Ĝ δ] in `MethodMatrix`. Returns a status."""
    m = view(tables, MethodMatrix)
    declare_augmented(tables, m, symmetric)
    return analyse(m)


def method_matrix(problem: Any, symmetric: bool) -> Any:
    """The `MethodMatrix` of a problem, analysed, also put into its tables."""
    nodes = len(problem[Bodies].index) + len(problem[Blocks].index)
    edges = len(problem[Blocks].member)
    problem.put(empty_matrix(MethodMatrix, nodes, edges, 2 * edges, 0, problem.nv + problem.nc))
    while analyse_method_matrix(problem.addresses, int(symmetric)) == NO_ROOM:
        problem.put(enlarged(problem[MethodMatrix]))
    return problem[MethodMatrix]
