"""The motions that constraints leave, and the names of what moves in them.

With M = L Lᵀ and X = G L⁻ᵀ in scaled rows, the right singular vectors Y of X without value give N = L⁻ᵀ Y:  G
N = 0,  Nᵀ M N = 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers, Measures, Rows, State
from mbplugin.tables.purposes import COORDINATE
from mbplugin.tables.spec import Array

#: singular values below this part of the largest count as zero; parts of a motion below NOTHING are rounding
ZERO, NOTHING = 1e-9, 1e-7


@dataclass
class Split:
    """The velocity space split by the rows `on` at the present position.

    N: (nv, dof) what they leave. G: (rows, nv). forces: (rows, nv) with λ = forces · f the λ of least norm in
    scaled rows whose Gᵀλ is nearest to f. back: (nv, rows) with δ = back · r the smallest δ with G δ = r.
    rank, and L of M = L Lᵀ.
    """

    N: Array
    G: Array
    forces: Array
    back: Array
    rank: int
    L: Array


def split(problem: Problem, on: Array | None = None) -> Split:
    """By the active rows, or by those of them where `on` (nc,) is true; the terms of the present state are
    expected in the tables.
    """
    rows, state = problem[Rows], problem[State]
    chosen = (rows.active == 1) if on is None else (rows.active == 1) & on
    M = problem.mass(state.q.copy())
    G = problem.jacobian()[chosen]
    L = np.linalg.cholesky(M)
    X = np.linalg.solve(L, G.T).T if len(G) else np.zeros((0, problem.nv))
    norms = np.sqrt((X * X).sum(axis=1))
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 1e-13 * norms.max(initial=0.0))
    left, values, right = np.linalg.svd(X * scale[:, None], full_matrices=True)
    rank = int((values > ZERO * values.max(initial=0.0)).sum()) if values.size else 0
    # rows U Σ Vᵀ Lᵀ: λ = S U Σ⁻¹ Vᵀ L⁻¹ f and δ = L⁻ᵀ V Σ⁻¹ Uᵀ S r
    to_rows = scale[:, None] * (left[:, :rank] / values[:rank])
    from_force = np.linalg.solve(L, np.eye(problem.nv))
    forces = to_rows @ (right[:rank] @ from_force)
    back = (right[:rank] @ from_force).T @ to_rows.T
    return Split(np.linalg.solve(L.T, right[rank:].T), G, forces, back, rank, L)


def coordinate_rates(problem: Problem, motions: Array) -> Array:
    """(coordinates, motions) rates of the joint coordinates; the state is put back."""
    state, measures = problem[State], problem[Measures]
    v = state.v.copy()
    numbers = [c.measure for c in problem.names.coordinates]
    rates = np.zeros((len(numbers), motions.shape[1]))
    problem.check(entries.call_purpose(problem.addresses, COORDINATE))
    for k in range(motions.shape[1]):
        state.v[:] = motions[:, k]
        problem.check(entries.evaluate(problem.addresses))
        rates[:, k] = measures.rate[numbers]
    state.v[:] = v
    problem.check(entries.evaluate(problem.addresses))
    return rates


def body_twists(problem: Problem, motions: Array) -> Array:
    """(bodies, 6, motions) twists of the mass centres in the scene's order; the state is put back."""
    state, markers = problem[State], problem[Markers]
    v, at = state.v.copy(), problem.names.body_point
    twists = np.zeros((len(at), 6, motions.shape[1]))
    for k in range(motions.shape[1]):
        state.v[:] = motions[:, k]
        problem.check(entries.evaluate(problem.addresses))
        twists[:, :3, k], twists[:, 3:, k] = markers.v[at], markers.w[at]
    state.v[:] = v
    problem.check(entries.evaluate(problem.addresses))
    return twists


def independent(rates: Array, wanted: int, largest: float) -> list[int]:
    """Rows of `rates`, chosen by the largest remainder, that are independent and not nothing beside
    `largest`; at most `wanted`.
    """
    rest = rates.copy()
    chosen: list[int] = []
    while len(chosen) < wanted and len(rest):
        norms = np.linalg.norm(rest, axis=1)
        k = int(np.argmax(norms))
        if norms[k] <= NOTHING * largest:
            break
        unit = rest[k] / norms[k]
        rest -= np.outer(rest @ unit, unit)
        chosen.append(k)
    return chosen


def names_of(problem: Problem, motions: Array) -> tuple[list[str], list[str]]:
    """Joint coordinates that would tell the motions apart, and sentences on bodies whose motion no coordinate
    tells.
    """
    names = problem.names
    unit = np.array([1.0 if c.unit == "rad" else names.size for c in names.coordinates])
    rates = coordinate_rates(problem, motions) / unit[:, None]
    twists = body_twists(problem, motions)
    largest = max(
        np.linalg.norm(twists[:, :3], axis=1).max() / names.size, np.linalg.norm(twists[:, 3:], axis=1).max()
    )
    chosen = independent(rates, motions.shape[1], largest)
    _, _, right = (
        np.linalg.svd(rates[chosen], full_matrices=True) if chosen else (0, 0, np.eye(motions.shape[1]))
    )
    untold = motions @ right[len(chosen) :].T
    sentences = []
    for twist in np.moveaxis(body_twists(problem, untold), 2, 0):
        shift, turn = np.linalg.norm(twist[:, :3], axis=1), names.size * np.linalg.norm(twist[:, 3:], axis=1)
        k = int(np.argmax(np.maximum(shift, turn)))
        moves = twist[k, 3:] if turn[k] > shift[k] else twist[k, :3]
        axis = (np.round(moves / np.abs(moves).max(), 3) + 0.0).tolist()
        sentences.append(
            f'body "{names.bodies[k]}" can {"turn about" if turn[k] > shift[k] else "move along"} {axis}'
        )
    return [names.coordinates[k].name for k in chosen], sentences
