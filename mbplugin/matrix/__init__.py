"""The augmented (KKT) matrix of a problem, for methods and solvers of plugins.

[ M  Ĝᵀ ] [  v̇ ]   [ h ]
[ Ĝ  −δ ] [ −λ̂ ] = [ γ̂ ]         rows scaled by 1/√diag(G M⁻¹ Gᵀ)
"""

from mbplugin.kernels.schur import PASSES, STALLED
from mbplugin.kernels.view import method_tables, table_at, view
from mbplugin.math.dense import lu, lu_solve
from mbplugin.matrix.augmented import (
    add_constraints,
    add_mass,
    add_proximal,
    add_solution,
    begin_solution,
    declare_augmented,
    fill_dense,
    finish_solution,
    no_solution,
    residual,
    residual_goal,
    row_scale,
)
from mbplugin.matrix.export import to_csc
from mbplugin.matrix.method import MethodMatrix, method_matrix
from mbplugin.matrix.numeric import factor_matrix, solve_matrix
from mbplugin.matrix.pattern import add_edge, add_node, begin_pattern
from mbplugin.matrix.room import analysed, empty_matrix, enlarged, matrix_tables
from mbplugin.matrix.step_matrix import form_step_matrix, multipliers, step_correction, step_residual
from mbplugin.matrix.symbolic import analyse
from mbplugin.matrix.values import add_block, add_diagonal, add_pair, clear_matrix, multiply_matrix
from mbplugin.tables.groups import Matrix
from mbplugin.tables.spec import Floats, Ints

__all__ = [
    "PASSES",
    "STALLED",
    "Floats",
    "Ints",
    "Matrix",
    "MethodMatrix",
    "add_block",
    "add_constraints",
    "add_diagonal",
    "add_edge",
    "add_mass",
    "add_node",
    "add_pair",
    "add_proximal",
    "add_solution",
    "analyse",
    "analysed",
    "begin_pattern",
    "begin_solution",
    "clear_matrix",
    "declare_augmented",
    "empty_matrix",
    "enlarged",
    "factor_matrix",
    "fill_dense",
    "finish_solution",
    "form_step_matrix",
    "lu",
    "lu_solve",
    "matrix_tables",
    "method_matrix",
    "method_tables",
    "multipliers",
    "multiply_matrix",
    "no_solution",
    "residual",
    "residual_goal",
    "row_scale",
    "solve_matrix",
    "step_correction",
    "step_residual",
    "table_at",
    "to_csc",
    "view",
]
