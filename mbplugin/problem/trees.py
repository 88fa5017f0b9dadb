"""The mass matrices of trees, formed for analyses."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.kernels.tree.solve import times_mass_of_tree
from mbplugin.tables.groups import Trees
from mbplugin.tables.spec import Array


def mass_of_tree(problem: Any, body: Any) -> Array:
    """(nv, nv) M of the tree that is a body of the tables, at the last evaluation."""
    n, trees = int(body.nv), problem[Trees]
    columns = np.zeros((n, n))
    for k in range(n):
        v = np.zeros(n)
        v[k] = 1.0
        trees.number[0] = 1.0
        trees.places[:] = v.ctypes.data, columns[k].ctypes.data
        problem.call_function(times_mass_of_tree, int(body.tree))
    return 0.5 * (columns + columns.T)
