"""Positions far from those of the scene: Newton's method in steps in which no body moves far.

A full step of Newton's method turns the bodies of an arm by the angles of all their joints at once, along
straight lines; from more than a radian or so it ends anywhere. Short steps follow the path along which all
residuals shrink alike. On an open chain it leads to every set of joint angles.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np

from mbplugin.analysis.initial_state.whole_bodies import WholeBodies, least_motion
from mbplugin.analysis.tangent.stiffness import stride
from mbplugin.kernels import sweep
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rates, Rows, State
from mbplugin.tables.records import POSITION_LEVEL

#: largest translation [mechanism sizes] or rotation [rad] of a body in a step; steps at most
MAX_STRIDE, MAX_STEPS = 0.2, 300
#: residual at which bodies that move as wholes are there [mechanism sizes or rad]
ROUNDING_OF_RESIDUAL = 1e-13
#: time after which standard error tells what is done; then after twice that, and so on [s]
SILENT = 5.0


def short_steps(problem: Problem) -> Iterator[float]:
    """Move the bodies from the present position until a full step of Newton's method is short, and by that
    step. Yields the fraction of the full step after each.
    """
    start, silent = time.monotonic(), SILENT
    for k in range(MAX_STEPS):
        if (seconds := time.monotonic() - start) > silent:
            silent = 2.0 * seconds
            left = seconds / max(k, 1) * (MAX_STEPS - k)
            told = f"step {k}, residual {residual(problem):.2g} of the size, at most {left:.0f} s more"
            print(f"mbplugin: assembling positions: {told}", file=sys.stderr, flush=True)
        q = problem.q
        status, _ = sweep.newton_step(problem.addresses, problem.names.size, 1.0)
        problem.check(status)
        dq = problem[Rates].v_dot.copy()
        problem[State].q[:] = q
        reach = stride(problem, dq)
        if not np.isfinite(reach):
            break
        fraction = min(1.0, MAX_STRIDE / max(reach, 1e-300))
        problem.move_to(q, fraction * dq)
        problem.evaluate_at()
        yield fraction
        if fraction == 1.0:
            break


def whole_steps(problem: Problem, wholes: WholeBodies) -> Iterator[float]:
    """Close the joints as far as bodies that deform can do so as wholes, by steps of Newton's method in which
    no body moves far. Yields the fraction of the full step after each. Nothing moves if that does not help.
    """
    given, start = problem.q, residual(problem)
    best, stalled = start, 0
    rows = problem[Rows]
    for _ in range(MAX_STEPS if wholes else 0):
        if best <= ROUNDING_OF_RESIDUAL or stalled == 2:
            break
        T, twists = wholes.motions(problem)
        on = np.flatnonzero(problem.on & (rows.level == POSITION_LEVEL))
        y = least_motion(problem, T, on, -rows.phi[on])
        reach = stride(problem, T @ y)
        if not np.isfinite(reach):
            break
        fraction = min(1.0, MAX_STRIDE / max(reach, 1e-300))
        wholes.move(problem, T, twists, fraction * y)
        problem.evaluate_at()
        now = residual(problem)
        stalled = stalled + 1 if fraction == 1.0 and now > 0.5 * best else 0
        best = min(best, now)
        yield fraction
    if not residual(problem) <= start:
        problem.evaluate_at(given)


def residual(problem: Problem) -> float:
    """Largest |Φ| of the last evaluation [mechanism sizes or rad]; infinite where one is not finite."""
    return float(np.max(problem.position_residuals(), initial=0.0))
