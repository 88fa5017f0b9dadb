"""Rows against differences: Φ̇ = G v along a motion, and γ = −Ġ v."""

from __future__ import annotations

import numpy as np

from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rates, State
from mbplugin.tables.purposes import RETRACT


def moved(problem: Problem, q, v, step: float):
    """q ⊕ step v, by the body kinds' own retraction along a straight line of velocities."""
    problem[State].q[:] = q
    problem[Rates].v_dot[:] = step * v
    entries.call_purpose(problem.addresses, RETRACT)
    return problem[State].q.copy()


def check_rows(problem: Problem, position_level: bool = True, tolerance: float = 1e-6, seed: int = 5) -> None:
    """At the present q and random velocities. Constant v moves a rigid body on a screw about its own axes, so
    v̇ = 0 along the way.
    """
    q0 = problem[State].q.copy()
    v = np.random.default_rng(seed).normal(size=problem.nv)
    h = 1e-4
    G, gamma = problem.constraints(0.0, q0, v)
    assert np.abs(G).max() > 0.1
    ahead, behind = moved(problem, q0, v, h), moved(problem, q0, v, -h)
    if position_level:
        rate = (problem.residuals(0.0, ahead, v)[0] - problem.residuals(0.0, behind, v)[0]) / (2 * h)
        np.testing.assert_allclose(G @ v, rate, atol=tolerance)
    G_ahead, G_behind = problem.constraints(0.0, ahead, v)[0], problem.constraints(0.0, behind, v)[0]
    np.testing.assert_allclose(gamma, -(G_ahead - G_behind) @ v / (2 * h), atol=tolerance)
    assert np.abs(gamma).max() > 0.1
