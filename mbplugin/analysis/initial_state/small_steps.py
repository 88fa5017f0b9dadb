"""Positions far from those of the scene: Newton's method in steps in which no body moves far.

A full step of Newton's method turns the bodies of an arm by the angles of all their joints at once, along
straight lines; from more than a radian or so it ends anywhere. Short steps follow the path along which all
residuals shrink alike. On an open chain it leads to every set of joint angles.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mbplugin.analysis.tangent.stiffness import moved, stride
from mbplugin.kernels import entries, sweep
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rates, State

#: largest translation [mechanism sizes] or rotation [rad] of a body in a step; steps at most
STRIDE, STEPS = 0.2, 300


def short_steps(problem: Problem) -> Iterator[float]:
    """Move the bodies from the present position until a full step of Newton's method is short, and by that
    step. Yields the fraction of the full step after each.
    """
    state, size = problem[State], problem.names.size
    for _ in range(STEPS):
        q = state.q.copy()
        status, _ = sweep.newton_step(problem.addresses, size, 1.0)
        problem.check(status)
        dq = problem[Rates].v_dot.copy()
        state.q[:] = q
        reach = stride(problem, dq)
        if not np.isfinite(reach):
            break
        fraction = min(1.0, STRIDE / max(reach, 1e-300))
        moved(problem, q, fraction * dq)
        problem.check(entries.evaluate(problem.addresses))
        yield fraction
        if fraction == 1.0:
            break
