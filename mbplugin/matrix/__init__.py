"""Sparse matrices of blocks for methods and solvers of plugins: pattern, values, factors; and what of the
mechanics goes into them. The augmented (KKT) matrix of a problem:

[ M  Ĝᵀ ] [  v̇ ]   [ h ]
[ Ĝ  −δ ] [ −λ̂ ] = [ γ̂ ]         rows scaled by 1/√diag(G M⁻¹ Gᵀ)
"""

from mbplugin.kernels.schur import PASSES, STALLED
from mbplugin.kernels.view import method_tables, table_at, view
from mbplugin.math.dense import lu, lu_solve
from mbplugin.matrix.augmented import (
    add_constraints,
    add_constraints_of,
    add_mass,
    add_mass_of,
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
from mbplugin.matrix.capacity import analysed, empty_matrix, enlarged, matrix_tables
from mbplugin.matrix.export import to_csc
from mbplugin.matrix.method import MethodMatrix, method_matrix
from mbplugin.matrix.numeric import factor_matrix, factor_part, solve_matrix, solve_part
from mbplugin.matrix.pattern import add_edge, add_node, begin_pattern
from mbplugin.matrix.step_matrix import (
    declare_step_matrix,
    fill_step_matrix,
    form_step_matrix,
    multipliers,
    step_correction,
    step_residual,
)
from mbplugin.matrix.symbolic import analyse, end_of_part
from mbplugin.matrix.transient_terms import (
    add_transient_border,
    add_transient_load,
    add_transient_terms,
    border_transient,
    couple_transient,
    request_matrix_capacity,
    transient_row_scale,
)
from mbplugin.matrix.values import (
    add_block,
    add_diagonal,
    add_pair,
    clear_matrix,
    clear_part,
    leave_out,
    multiply_matrix,
)
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
    "add_constraints_of",
    "add_diagonal",
    "add_edge",
    "add_mass",
    "add_mass_of",
    "add_node",
    "add_pair",
    "add_proximal",
    "add_solution",
    "add_transient_border",
    "add_transient_load",
    "add_transient_terms",
    "analyse",
    "analysed",
    "begin_pattern",
    "begin_solution",
    "border_transient",
    "clear_matrix",
    "clear_part",
    "couple_transient",
    "declare_augmented",
    "declare_step_matrix",
    "empty_matrix",
    "end_of_part",
    "enlarged",
    "factor_matrix",
    "factor_part",
    "fill_dense",
    "fill_step_matrix",
    "finish_solution",
    "form_step_matrix",
    "leave_out",
    "lu",
    "lu_solve",
    "matrix_tables",
    "method_matrix",
    "method_tables",
    "multipliers",
    "multiply_matrix",
    "no_solution",
    "request_matrix_capacity",
    "residual",
    "residual_goal",
    "row_scale",
    "solve_matrix",
    "solve_part",
    "step_correction",
    "step_residual",
    "table_at",
    "to_csc",
    "transient_row_scale",
    "view",
]
