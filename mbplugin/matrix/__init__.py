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
from mbplugin.matrix.ldl import SparseFactor, factor_sparse, solve_sparse, sparse_factor
from mbplugin.tables.spec import Floats, Ints

__all__ = [
    "PASSES",
    "STALLED",
    "Floats",
    "Ints",
    "SparseFactor",
    "add_solution",
    "begin_solution",
    "factor_sparse",
    "fill_dense",
    "finish_solution",
    "lu",
    "lu_solve",
    "method_tables",
    "residual",
    "residual_goal",
    "solve_sparse",
    "sparse_factor",
    "table_at",
    "view",
]
