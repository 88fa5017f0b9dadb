"""Null space of the constraint Jacobian: the motions that the constraints allow, and names for them.

With M = L Lᵀ and X = G L⁻ᵀ (rows scaled to unit length), the right singular vectors Y of X with zero singular
value give N = L⁻ᵀ Y:

    G N = 0,   Nᵀ M N = 1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers, Measures, Nodal, State
from mbplugin.tables.purposes import COORDINATE, NODES, SHOWN
from mbplugin.tables.spec import Array

#: singular values below this fraction of the largest count as zero
ZERO = 1e-9
#: rates below this fraction of the largest are rounding
NEGLIGIBLE = 1e-7


@dataclass
class NullSpace:
    """Null space and generalized inverses of chosen constraint rows at one position."""

    N: Array  # (nv, dof) basis: G N = 0, Nᵀ M N = 1
    G: Array  # (rows, nv) Jacobian of the chosen rows
    to_lam: Array  # (rows, nv): λ = to_lam f solves Gᵀλ = f by least squares, with least norm in scaled rows
    to_velocity: Array  # (nv, rows): δ = to_velocity r is the least δ in the mass norm with G δ = r
    rank: int  # of G
    L: Array  # (nv, nv) lower triangular, M = L Lᵀ; of chosen motions (ny, ny), Tᵀ M T = L Lᵀ

    @property
    def dof(self) -> int:
        return self.N.shape[1]


def null_space(problem: Problem, chosen: Array | None = None, T: Any = None) -> NullSpace:
    """Null space of the rows that are on, or of those where `chosen` (nc,) is true.

    T: (nv, ny), a sparse array of scipy: only velocities T y are allowed; None: all are. Evaluates the
    equations at the present state.
    """
    used = problem.on if chosen is None else problem.on & chosen
    problem.evaluate(float(problem[State].time[0]), problem.q, problem.v)
    if T is not None:
        G_T, M_T = problem.sparse_jacobian()[used] @ T, T.T @ problem.sparse_mass() @ T
        reduced = null_space_of(G_T.toarray(), M_T.toarray())
        G = problem.jacobian()[used]
        return NullSpace(
            T @ reduced.N, G, reduced.to_lam @ T.T, T @ reduced.to_velocity, reduced.rank, reduced.L
        )
    G = problem.jacobian()[used]
    problem.check_rows(np.flatnonzero(used), G)
    return null_space_of(G, problem.present_mass())


def null_space_of(G: Array, M: Array) -> NullSpace:
    """Null space of the rows G (rows, nv) with the mass matrix M (nv, nv)."""
    L = np.linalg.cholesky(M)
    X = np.linalg.solve(L, G.T).T if len(G) else np.zeros((0, len(M)))
    norms = np.sqrt((X * X).sum(axis=1))
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 1e-13 * norms.max(initial=0.0))
    U, sigma, Vt = np.linalg.svd(X * scale[:, None], full_matrices=True)
    rank = int((sigma > ZERO * sigma.max(initial=0.0)).sum()) if sigma.size else 0
    # S G = U Σ Vᵀ Lᵀ with the row scale S: λ = S U Σ⁻¹ Vᵀ L⁻¹ f and δ = L⁻ᵀ V Σ⁻¹ Uᵀ S r
    scaled_U = scale[:, None] * (U[:, :rank] / sigma[:rank])
    L_inverse = np.linalg.solve(L, np.eye(len(M)))
    to_lam = scaled_U @ (Vt[:rank] @ L_inverse)
    to_velocity = (Vt[:rank] @ L_inverse).T @ scaled_U.T
    return NullSpace(np.linalg.solve(L.T, Vt[rank:].T), G, to_lam, to_velocity, rank, L)


def each_motion(problem: Problem, motions: Array) -> Iterator[int]:
    """Number of each column of `motions` (nv, k), while the equations are evaluated at it as velocities; the
    state is restored at the end.
    """
    v = problem.v
    for k, motion in enumerate(motions.T):
        problem.evaluate_at(v=motion)
        problem.call_purpose(SHOWN)
        yield k
    problem.evaluate_at(v=v)


def unit_motions(problem: Problem, body: Any) -> Array:
    """Unit velocities (nv, n) of a body, from its record; n = 0 for a body with parts."""
    n = int(body.nv)
    motions = np.zeros((problem.nv, n))
    motions[int(body.first_v) + np.arange(n), np.arange(n)] = 1.0
    return motions


def coordinate_rates(problem: Problem, motions: Array) -> Array:
    """(coordinates, motions) rates of the joint coordinates for velocities `motions` (nv, motions).

    The state is restored.
    """
    of_coordinate = [c.measure for c in problem.names.coordinates]
    rates = np.zeros((len(of_coordinate), motions.shape[1]))
    problem.call_purpose(COORDINATE)
    for k in each_motion(problem, motions):
        rates[:, k] = problem[Measures].rate[of_coordinate]
    return rates


def body_twists(problem: Problem, motions: Array) -> Array:
    """(bodies, 6, motions) twists of the mass centres, world axes, for velocities `motions` (nv, motions).

    Bodies are in scene order. The state is restored.
    """
    markers, at = problem[Markers], problem.names.body_marker
    twists = np.zeros((len(at), 6, motions.shape[1]))
    for k in each_motion(problem, motions):
        twists[:, :3, k], twists[:, 3:, k] = markers.v[at], markers.w[at]
    return twists


def deformation_rates(problem: Problem, motions: Array) -> Array:
    """(bodies, motions) how fast each body of the scene deforms for velocities `motions` (nv, motions) [1/s].

    Of a body with nodes: the speed of its fastest node relative to its frame, over the extent of the body. Of
    a pseudo-rigid body: half the rate of F. The state is restored.
    """
    markers, names, nodal = problem[Markers], problem.names, problem[Nodal]
    rates = np.zeros((len(names.bodies), motions.shape[1]))
    if not (len(nodal.index) or max(names.stretches, default=-1) >= 0):
        return rates

    def fastest(body: int, x: Array, v: Array) -> float:
        """Largest speed of points (n, 3) by their velocities, relative to the frame of the body."""
        m = names.body_marker[body]
        own = v - markers.v[m] - np.cross(markers.w[m], x - markers.x[m])
        return float(np.linalg.norm(own, axis=1).max())

    for k in each_motion(problem, motions):
        problem.call_purpose(NODES)
        for record in nodal.index:
            body = names.body_index.index(int(record.body))
            at = slice(int(record.first_node), int(record.first_node) + 3 * int(record.nodes))
            x = nodal.x[at].reshape(-1, 3)
            extent = np.linalg.norm(np.ptp(x, axis=0))
            rates[body, k] = fastest(body, x, nodal.v[at].reshape(-1, 3)) / extent
        for body, m in enumerate(names.stretches):
            if m >= 0:
                # markers 1 m from the mass centre
                rates[body, k] = 0.5 * fastest(body, markers.x[m : m + 3], markers.v[m : m + 3])
    return rates


def independent_rows(rates: Array, most: int, largest: float) -> list[int]:
    """Numbers of at most `most` independent rows of `rates`. Each is the row with the largest remainder after
    projection onto those before it; a remainder that is negligible beside `largest` ends the search.
    """
    remainder = rates.copy()
    chosen: list[int] = []
    while len(chosen) < most and len(remainder):
        norms = np.linalg.norm(remainder, axis=1)
        k = int(np.argmax(norms))
        if norms[k] <= NEGLIGIBLE * largest:
            break
        unit = remainder[k] / norms[k]
        remainder -= np.outer(remainder @ unit, unit)
        chosen.append(k)
    return chosen


def name_motions(problem: Problem, motions: Array) -> tuple[list[str], list[str]]:
    """Joint coordinates that distinguish the motions (nv, k), and a phrase for each motion that none of them
    shows, such as 'body "rod" can rotate about [1.0, 0.0, 0.0]'.
    """
    names = problem.names
    unit = np.array([1.0 if c.unit == "rad" else names.size for c in names.coordinates])
    rates = coordinate_rates(problem, motions) / unit[:, None]
    twists = body_twists(problem, motions)
    largest = max(
        np.linalg.norm(twists[:, :3], axis=1).max() / names.size, np.linalg.norm(twists[:, 3:], axis=1).max()
    )
    chosen = independent_rows(rates, motions.shape[1], largest)
    Vt = np.linalg.svd(rates[chosen], full_matrices=True)[2] if chosen else np.eye(motions.shape[1])
    # motions in which the chosen coordinates stand still
    hidden = motions @ Vt[len(chosen) :].T
    phrases = [phrase_of(problem, twist) for twist in np.moveaxis(body_twists(problem, hidden), 2, 0)]
    return [names.coordinates[k].name for k in chosen], phrases


def phrase_of(problem: Problem, twist: Array) -> str:
    """The body that moves most in one motion, twist (bodies, 6), and how."""
    names = problem.names
    travel, rotation = np.linalg.norm(twist[:, :3], axis=1), names.size * np.linalg.norm(twist[:, 3:], axis=1)
    k = int(np.argmax(np.maximum(travel, rotation)))
    rotates = rotation[k] > travel[k]
    vector = twist[k, 3:] if rotates else twist[k, :3]
    axis = np.round(vector / np.abs(vector).max(), 3)
    # a null vector has either sign, as the machine's LAPACK has it
    axis = (axis / axis[np.argmax(np.abs(axis))] + 0.0).tolist()
    return f'body "{names.bodies[k]}" can {"rotate about" if rotates else "translate along"} {axis}'
