"""The augmented (KKT) matrix of a problem, for methods and solvers of plugins.

[ M  Ĝᵀ ] [  v̇ ]   [ h ]
[ Ĝ  −δ ] [ −λ̂ ] = [ γ̂ ]         rows scaled by 1/√diag(G M⁻¹ Gᵀ)
"""

from mbplugin.kernels.schur import PASSES, STALLED
from mbplugin.kernels.view import method_tables, table_at, view
from mbplugin.math.dense import lu, lu_solve
from mbplugin.matrix.augmented import (
    add_solution,
    begin_solution,
    fill_dense,
    finish_solution,
    residual,
    residual_goal,
)
from mbplugin.matrix.export import to_csc
from mbplugin.matrix.ldl import SparseFactor, factor_sparse, solve_sparse, sparse_factor
from mbplugin.matrix.numeric import factor_matrix, solve_matrix
from mbplugin.matrix.pattern import add_edge, add_node, begin_pattern
from mbplugin.matrix.room import analysed, empty_matrix, enlarged, matrix_tables
from mbplugin.matrix.symbolic import analyse
from mbplugin.matrix.values import add_block, add_diagonal, clear_matrix, multiply_matrix
from mbplugin.tables.groups import Matrix
from mbplugin.tables.spec import Floats, Ints

__all__ = [
    "PASSES",
    "STALLED",
    "Floats",
    "Ints",
    "Matrix",
    "SparseFactor",
    "add_block",
    "add_diagonal",
    "add_edge",
    "add_node",
    "add_solution",
    "analyse",
    "analysed",
    "begin_pattern",
    "begin_solution",
    "clear_matrix",
    "empty_matrix",
    "enlarged",
    "factor_matrix",
    "factor_sparse",
    "fill_dense",
    "finish_solution",
    "lu",
    "lu_solve",
    "matrix_tables",
    "method_tables",
    "multiply_matrix",
    "residual",
    "residual_goal",
    "solve_matrix",
    "solve_sparse",
    "sparse_factor",
    "table_at",
    "to_csc",
    "view",
]
