"""Sparse linear systems over the motions that the constraints allow, with the rows of G as a border:

    [ A  Gᵀ ] [ x ]   [ b ]
    [ G  0  ] [ μ ] = [ 0 ]

Factored is [A + a GᵀG, Gᵀ; G, −δ], with A divided by its size and rows of unit length, which has the same
solution but for δ; refinement against the system without δ removes that, also where rows are redundant.
Bodies are eliminated in a minimum-degree order, and each row after its last body, so that no −δ is a pivot by
itself. By Sylvester's law the negative pivots of a symmetric A, beyond one for each row, are as many as the
negative eigenvalues of A over the allowed motions.

Velocities are scaled by 1/√diag M throughout.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import block_array, csc_array, csr_array, diags_array, eye_array
from scipy.sparse.linalg import splu

from mbplugin.errors import PhysicsError
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies
from mbplugin.tables.spec import Array

#: δ, and the part a of GᵀG that is added to A, whose size is 1
PROXIMAL, ADDED = 1e-12, 2.0
#: relative residual that a solution reaches, residual that it must reach, and limit of refinements
REACHED, NEEDED, PASSES = 2e-16, 1e-8, 12


class Constrained:
    """M and the rows that are on, in scaled velocities, at one position; `added` (nv,) is added to the
    diagonal of M.

    Assumes that the equations are evaluated at the present state, which stays.
    """

    def __init__(self, problem: Problem, added: Array | None = None) -> None:
        problem.form_tangent(1.0, 0.0, 0.0)
        M = problem.tangent()
        if added is not None:
            M = csc_array(M + diags_array(added))
        self.unit: Array = 1.0 / np.sqrt(M.diagonal())  # (nv,) scale of velocities
        self.M: Any = self.scaled(M)  # (nv, nv)
        G = csr_array(problem.sparse_jacobian() * self.unit[None, :])
        length = np.sqrt(np.asarray((G * G).sum(axis=1)).ravel())
        usable = problem.on & (length > 1e-13 * length.max(initial=0.0))
        self.rows: Array = np.flatnonzero(usable)  # (rows,) numbers of the rows
        self.row_scale: Array = 1.0 / length[self.rows]  # (rows,)
        self.G: Any = csr_array(G[self.rows] * self.row_scale[:, None])  # (rows, nv) rows of unit length
        #: order of elimination of [velocities; rows]
        self.order: Array = cached_order(problem, self)

    @property
    def nv(self) -> int:
        return len(self.unit)

    def scaled(self, A: Any) -> Any:
        """A (nv, nv), CSC, over scaled velocities, with the same pattern."""
        column = np.repeat(np.arange(self.nv), np.diff(A.indptr))
        return csc_array((A.data * self.unit[A.indices] * self.unit[column], A.indices, A.indptr), A.shape)


def cached_order(problem: Problem, constrained: Constrained) -> Array:
    """The order of elimination for these rows, which stays from one position to the next."""
    rows, order = problem.cache.get("elimination order", (None, None))
    if rows is None or not np.array_equal(rows, constrained.rows):
        order = elimination_order(problem, constrained)
        problem.cache["elimination order"] = constrained.rows, order
    return np.asarray(order)


def elimination_order(problem: Problem, constrained: Constrained) -> Array:
    """Order of [velocities; rows]: bodies by minimum degree, and each row behind the last of its bodies."""
    index, nv, rows = problem[Bodies].index, constrained.nv, len(constrained.rows)
    body = np.zeros(nv, np.int64)
    for i, record in enumerate(index):
        body[record.first_v : record.first_v + record.nv] = i
    member = csr_array((np.ones(nv), (np.arange(nv), body)), shape=(nv, len(index)))
    # all blocks of tangents are there, also those that are zero
    coupled, beside = constrained.M.copy(), constrained.G.copy()
    coupled.data[:], beside.data[:] = 1.0, 1.0
    beside = csr_array(beside @ member)
    graph = csc_array(member.T @ coupled @ member + beside.T @ beside + eye_array(len(index)))
    graph.data[:] = 1.0
    # only the order of this factor is used
    positive = csc_array(graph + len(index) * eye_array(len(index)))
    place = splu(positive, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).perm_c
    last = np.maximum.reduceat(place[beside.indices], beside.indptr[:-1]) if rows else np.zeros(0)
    return np.argsort(np.concatenate([place[body], last + 0.5]), kind="stable")


class Factor:
    """The factored system of one A (nv, nv), in scaled velocities. Raises PhysicsError if it is singular.

    symmetric: whether the pivots are taken in order and counted; otherwise they are exchanged for their size
    """

    def __init__(self, constrained: Constrained, A: Any, symmetric: bool = True) -> None:
        G = constrained.G
        self.size = float(abs(A).sum(axis=1).max()) or 1.0
        self.G, self.A = G, csr_array(A / self.size)
        stiffened = self.A + ADDED * (G.T @ G)
        matrix = csc_array(block_array([[stiffened, G.T], [G, -PROXIMAL * eye_array(G.shape[0])]]))
        self.matrix = matrix
        self.order = constrained.order if symmetric else np.arange(len(constrained.unit) + G.shape[0])
        #: number of negative eigenvalues of A over the allowed motions; None: not known
        self.negative: int | None = None
        self.lu: Any = None
        if symmetric:
            ordered = csc_array(matrix[self.order][:, self.order])
            try:
                self.lu = splu(
                    ordered, permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
                )
            except RuntimeError:
                self.lu = None
            if self.lu is not None and np.array_equal(self.lu.perm_r, self.lu.perm_c):
                self.negative = int((self.lu.U.diagonal() < 0.0).sum()) - G.shape[0]
        if self.lu is None:
            self.exchange_pivots()

    def exchange_pivots(self) -> None:
        self.order = np.arange(self.matrix.shape[0])
        try:
            self.lu = splu(self.matrix)
        except RuntimeError:
            raise PhysicsError("the matrix of the sparse solution is singular at this position") from None

    def once(self, r: Array) -> Array:
        solution = np.empty_like(r)
        solution[self.order] = self.lu.solve(r[self.order])
        return solution

    def solve(self, b: Array, gap: Array | None = None) -> tuple[Array, Array]:
        """x (nv,) and μ (rows,), of least norm, of scaled forces b (nv,), with G x = gap (rows,); None: 0."""
        gap = np.zeros(self.G.shape[0]) if gap is None else gap
        x, mu, worst = self.refined(b, gap)
        if worst > NEEDED and not np.array_equal(self.order, np.arange(len(self.order))):
            self.exchange_pivots()
            x, mu, worst = self.refined(b, gap)
        return x, mu * self.size

    def refined(self, b: Array, wanted: Array) -> tuple[Array, Array, float]:
        """x, μ / size, and the residual relative to its largest term."""
        n, b = len(b), b / self.size
        z = np.zeros(len(self.order))
        best, kept = np.inf, z
        for _ in range(PASSES):
            x, mu = z[:n], z[n:]
            Ax, forces, gap = self.A @ x, self.G.T @ mu, self.G @ x - wanted
            r = np.concatenate([b - Ax - forces - ADDED * (self.G.T @ gap), -gap])
            largest = max(float(np.abs(t).max(initial=0.0)) for t in (b, Ax, forces)) or 1.0
            # A has size 1, so x is compared with forces too: where rows alone carry b, it is zero
            reach = max(float(np.abs(x).max(initial=0.0)), largest)
            worst = max(
                float(np.abs(r[:n]).max(initial=0.0)) / largest, float(np.abs(gap).max(initial=0.0)) / reach
            )
            if worst < best:
                kept, best, stalled = z, worst, worst > 0.3 * best
            else:
                stalled = True
            if worst <= REACHED or (stalled and _ > 0) or not np.isfinite(worst):
                break
            z = z + self.once(r)
        return kept[:n], kept[n:], best
