"""K = −∂(h + Gᵀλ)/∂q and D = −∂h/∂v at the present state, λ and inner states held; v need not be zero.

`kernels/tangents.py` has the equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers, Rates, Rows, State
from mbplugin.tables.purposes import RETRACT
from mbplugin.tables.spec import Array


def stiffness(problem: Problem, lam: Array) -> Array:
    """K (nv, nv) at the present state, which stays. Raises PluginError where a function fails."""
    return np.asarray(sparse_stiffness(problem, lam).toarray())


def damping(problem: Problem) -> Array:
    """D (nv, nv) at the present state, which stays. Raises PluginError where a function fails."""
    return np.asarray(sparse_damping(problem).toarray())


def sparse_stiffness(problem: Problem, lam: Array) -> Any:
    """K as a sparse array of scipy (CSC)."""
    problem.check(entries.evaluate(problem.addresses))
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
    problem.check(entries.evaluate(problem.addresses))
    problem.form_tangent(0.0, 1.0, 0.0)
    return problem.tangent()


def moved(problem: Problem, q: Array, dq: Array) -> None:
    """Put the state at q ⊕ δ."""
    problem[State].q[:] = q
    problem[Rates].v_dot[:] = dq
    problem.check(entries.call_purpose(problem.addresses, RETRACT))


def stride(problem: Problem, dq: Array) -> float:
    """Largest translation [sizes] or rotation [rad] of a body by δ. The velocities stay as they are."""
    state, markers, at = problem[State], problem[Markers], problem.names.body_marker
    v = state.v.copy()
    state.v[:] = dq
    problem.check(entries.evaluate(problem.addresses))
    reach = max(
        np.linalg.norm(markers.v[at], axis=1).max() / problem.names.size,
        np.linalg.norm(markers.w[at], axis=1).max(),
    )
    state.v[:] = v
    problem.check(entries.evaluate(problem.addresses))
    return float(reach)
