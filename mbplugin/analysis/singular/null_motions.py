"""Null motions at a position, and positions reached along them."""

from __future__ import annotations

import numpy as np

from mbplugin.problem import Problem
from mbplugin.tables.groups import State
from mbplugin.tables.records import OFF
from mbplugin.tables.spec import Array

#: singular values of G, its rows of unit length, that count as zero
ZERO = 1e-9
#: number and length [size or rad] of the steps along a null motion
STEPS, STEP = 3, 0.05


def undriven(problem: Problem) -> Problem:
    """A copy in which the rows of motions are off."""
    released = problem.copy()
    released[State].mode[[r for c in problem.names.coordinates for r in c.motion_rows]] = OFF
    return released


def moved_along(problem: Problem, free: Array, steps: int = STEPS) -> Array:
    """Coordinates of a position further along; the present ones if nothing is free. Restores and evaluates
    the problem.
    """
    q, v = problem.q, problem.v
    direction = free @ np.cos(1.0 + np.arange(free.shape[1])) if free.size else np.zeros(problem.nv)
    for _ in range(steps if direction.any() else 0):
        problem.move_to(problem.q, STEP * direction / np.abs(direction).max())
        problem.close_positions()
        now = free_motions(problem)
        direction = now @ (now.T @ direction)
        if not direction.any():
            break
    moved = problem.q
    problem.evaluate_at(q, v)
    return moved


def free_motions(problem: Problem) -> Array:
    """(nv, dof) orthonormal velocities v with G v = 0 for the rows that are on, terms being evaluated."""
    G = problem.jacobian()[problem.on]
    size = np.linalg.norm(G, axis=1)
    G = G[size > 0.0] / size[size > 0.0, None]
    if not G.size:
        return np.eye(problem.nv)
    _, singular, right = np.linalg.svd(G, full_matrices=True)
    return right[int((singular > ZERO * singular[0]).sum()) :].T
