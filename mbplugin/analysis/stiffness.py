"""K = −∂(h + Gᵀλ)/∂q and D = −∂h/∂v, of the whole system, λ held.

Central differences along the retraction q ⊕ δ, at steps that are halved, extrapolated to the step 0 (Ridders): of all extrapolations, each entry takes the
one with the smallest change against its neighbours. Bodies that share no neighbour in the graph of joints and forces are moved at once, so the number of
evaluations does not grow with a chain's length.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbplugin.interface.problem import Problem
from mbplugin.kernels import entries
from mbplugin.tables.groups import (
    B_NV,
    B_V,
    COUNT,
    E_SLOT,
    FIRST,
    K_BODIES,
    K_BODY,
    RETRACT,
    Batches,
    Blocks,
    Bodies,
    Elements,
    Points,
    Rates,
    Rows,
    State,
)  # fmt: skip
from mbplugin.tables.spec import Array

#: first step [rad, or sizes], and how often it is halved
STEP, HALVINGS = 0.1, 7


def neighbours(problem: Problem) -> list[set[int]]:
    """Of each body, those (itself too) whose forces depend on where it is."""
    near = [{i} for i in range(len(problem[Bodies].row))]
    blocks, points, elements = problem[Blocks], problem[Points], problem[Elements]
    groups = [{int(b) for b in blocks.body[row[K_BODY] : row[K_BODY] + row[K_BODIES], 0]} for row in blocks.row]
    for number, kernel in enumerate(problem.kernels):
        row = problem[Batches].row[number]
        if kernel.role == "force":
            for e in elements.row[row[FIRST] : row[FIRST] + row[COUNT]]:
                slots = elements.slot[e[E_SLOT] : e[E_SLOT] + kernel.shape.markers]
                groups.append({int(b) for b in points.row[slots, 0]} - {-1})
    for group in groups:
        for body in group:
            near[body] |= group
    return near


def colours(near: list[set[int]]) -> list[list[int]]:
    """Bodies in groups whose members have no neighbour in common."""
    colour: list[int] = []
    for body in range(len(near)):
        taken = {colour[other] for n in near[body] for other in near[n] if other < body}
        colour.append(next(c for c in range(len(near) + 1) if c not in taken))
    return [[b for b in range(len(near)) if colour[b] == c] for c in range(max(colour, default=-1) + 1)]


def moved(problem: Problem, q: Array, dq: Array) -> None:
    """Put the state at q ⊕ δ."""
    problem[State].q[:] = q
    problem[Rates].v_dot[:] = dq
    problem.check(entries.call_purpose(problem.addresses, RETRACT))


def stiffness(problem: Problem, lam: Array) -> Array:
    """K (nv, nv) at the present state; the state is put back."""
    state, h = problem[State], problem[Bodies].h
    q = state.q.copy()
    lam = lam * problem[Rows].active
    place, row, column = problem.entries_of_G
    G = problem[Blocks].G

    def force(dq: Array) -> Array:
        moved(problem, q, dq)
        problem.check(entries.evaluate_terms(problem.addresses))
        return h + np.bincount(column, G[place] * lam[row], minlength=problem.nv)

    K = -derivative(problem, force)
    state.q[:] = q
    problem.check(entries.evaluate_terms(problem.addresses))
    return K


def damping(problem: Problem) -> Array:
    """D (nv, nv) at the present state; the state is put back."""
    state, h = problem[State], problem[Bodies].h
    v = state.v.copy()

    def force(dv: Array) -> Array:
        state.v[:] = v + dv
        problem.check(entries.evaluate_terms(problem.addresses))
        return h.copy()

    D = -derivative(problem, force)
    state.v[:] = v
    problem.check(entries.evaluate_terms(problem.addresses))
    return D


def derivative(problem: Problem, force: Callable[[Array], Array]) -> Array:
    """∂ force/∂δ at δ = 0, (nv, nv)."""
    bodies, near = problem[Bodies].row, neighbours(problem)
    found = np.zeros((problem.nv, problem.nv))
    span = lambda b: range(bodies[b, B_V], bodies[b, B_V] + bodies[b, B_NV])
    turns = turning(problem)
    for group in colours(near):
        for k in range(max(int(bodies[b, B_NV]) for b in group)):
            columns = [(b, int(bodies[b, B_V]) + k) for b in group if k < bodies[b, B_NV]]
            step = np.zeros(problem.nv)
            for _, c in columns:
                step[c] = STEP * (1.0 if turns[c] else problem.words.size)
            slopes = ridders(force, step)
            for b, c in columns:
                rows = [r for n in near[b] for r in span(n)]
                found[rows, c] = slopes[rows] / step[c]
    return found


def turning(problem: Problem) -> Array:
    """(nv,) True where a velocity turns its body and does not shift its mass centre."""
    state, points = problem[State], problem[Points]
    v = state.v.copy()
    found = np.zeros(problem.nv, bool)
    for number, at in zip(problem.words.body_index, problem.words.body_point):
        v0, nv = problem[Bodies].row[number][[B_V, B_NV]]
        for k in range(v0, v0 + nv):
            state.v[:] = 0.0
            state.v[k] = 1.0
            problem.check(entries.evaluate_terms(problem.addresses))
            found[k] = np.abs(points.w[at]).max() > 0.5
    state.v[:] = v
    problem.check(entries.evaluate_terms(problem.addresses))
    return found


def ridders(f: Callable[[Array], Array], step: Array) -> Array:
    """d f(s step)/ds at s = 0 by central differences at 1, 1/2, 1/4, …, extrapolated, entry by entry."""
    best, error = np.zeros(0), np.zeros(0)
    last: list[Array] = []
    for i in range(HALVINGS):
        s = 0.5**i
        line = [(f(s * step) - f(-s * step)) / (2.0 * s)]
        for j in range(1, i + 1):
            line.append(line[j - 1] + (line[j - 1] - last[j - 1]) / (4.0**j - 1.0))
        if i == 0:
            best, error = line[0], np.full(line[0].shape, np.inf)
        for j in range(1, i + 1):
            change = np.maximum(np.abs(line[j] - line[j - 1]), np.abs(line[j] - last[j - 1]))
            change = np.where(np.isfinite(change), change, np.inf)
            better = change < error
            best, error = np.where(better, line[j], best), np.where(better, change, error)
        last = line
    return best
