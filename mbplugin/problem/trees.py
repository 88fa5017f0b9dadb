"""The mass matrices of trees, formed for analyses."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.codegen.core_functions import loaded_address
from mbplugin.kernels.tree.mass_matrix import write_mass_of_tree
from mbplugin.tables.spec import Array


def mass_of_tree(problem: Any, body: Any) -> Array:
    """(nv, nv) M of the tree that is a body of the tables, at the last evaluation."""
    M = np.empty((int(body.nv), int(body.nv)))
    problem.call(loaded_address(write_mass_of_tree), int(body.tree), M.ctypes.data)
    return M
