"""K and D a second way: differences of the whole h + Gᵀλ, one velocity after another, independent of
elements and bodies.
"""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.tangent.derivative import derivative
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Rates, State
from mbplugin.tables.purposes import RETRACT


def whole_system(problem: Problem, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """−∂(h + Gᵀλ)/∂q and −∂h/∂v, (nv, nv) each; the state is put back."""
    state, size = problem[State], problem.names.size
    q, v = state.q.copy(), state.v.copy()
    lam = lam * problem.on

    def force(dq: np.ndarray, dv: np.ndarray) -> np.ndarray:
        state.q[:], state.v[:] = q, v + dv
        problem[Rates].v_dot[:] = dq
        problem.check(entries.call_purpose(problem.addresses, RETRACT))
        problem.check(entries.evaluate(problem.addresses))
        return problem[Bodies].h + problem.sparse_jacobian().T @ lam

    unit, none = np.eye(problem.nv), np.zeros(problem.nv)
    K = -np.column_stack([derivative(lambda s, e=e: force(s * e, none), 0.1 * min(1.0, size)) for e in unit])
    D = -np.column_stack([derivative(lambda s, e=e: force(none, s * e), 0.1) for e in unit])
    force(none, none)
    state.q[:] = q
    return K, D
