"""K = −∂(h + Gᵀλ)/∂q and D = −∂h/∂v at the present state, λ and inner states held; v need not be zero.

`kernels/tangents.py` has the equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.analysis.rank.null_space import body_twists
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows
from mbplugin.tables.spec import Array


def stiffness(problem: Problem, lam: Array) -> Array:
    """K (nv, nv) at the present state, which stays. Raises PluginError where a function fails."""
    return np.asarray(sparse_stiffness(problem, lam).toarray())


def damping(problem: Problem) -> Array:
    """D (nv, nv) at the present state, which stays. Raises PluginError where a function fails."""
    return np.asarray(sparse_damping(problem).toarray())


def sparse_stiffness(problem: Problem, lam: Array) -> Any:
    """K as a sparse array of scipy (CSC)."""
    problem.evaluate_at()
    multipliers = problem[Rows].lam
    before = multipliers.copy()
    multipliers[:] = lam
    try:
        problem.form_tangent(0.0, 0.0, 1.0)
    finally:
        multipliers[:] = before
    return problem.tangent()


def sparse_damping(problem: Problem) -> Any:
    """D as a sparse array of scipy (CSC)."""
    problem.evaluate_at()
    problem.form_tangent(0.0, 1.0, 0.0)
    return problem.tangent()


def stride(problem: Problem, dq: Array) -> float:
    """Largest translation [sizes] or rotation [rad] of a body by δ. The velocities stay as they are."""
    twists = body_twists(problem, dq[:, None])
    travel, angle = (np.linalg.norm(part, axis=1).max() for part in (twists[:, :3], twists[:, 3:]))
    return float(max(travel / problem.names.size, angle))
