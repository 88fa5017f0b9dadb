"""The mass matrices of trees, formed for analyses."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.kernels.tree.mass_matrix import add_mass_by_recursion
from mbplugin.tables.groups import Trees
from mbplugin.tables.spec import Array


def mass_of_tree(problem: Any, body: Any) -> Array:
    """(nv, nv) M of the tree that is a body of the tables, at the last evaluation."""
    M, trees = np.zeros((int(body.nv), int(body.nv))), problem[Trees]
    trees.number[0], trees.places[:] = 1.0, (M.ctypes.data, len(M))
    problem.call_function(add_mass_by_recursion, int(body.tree))
    return M
