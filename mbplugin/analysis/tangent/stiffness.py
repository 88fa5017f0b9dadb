"""K = −∂(h + Gᵀλ)/∂q and D = −∂h/∂v at the present state, λ held, and v where it is not zero.

With H the twists of all markers from v, E = ∂(H v)/∂q, and w the wrenches at the markers, h + Gᵀλ = Hᵀ w +
(the bodies' own forces), so that

    K = Hᵀ (K_m H + D_m E) − ∂(Hᵀ w)/∂q, w held, − ∂(own forces)/∂q        K_m = −∂w/∂(place of the markers)
    D = Hᵀ D_m H − ∂(own forces)/∂v                                         D_m = −∂w/∂(velocity of the
    markers)

Elements give K_m and D_m, body kinds the rest, in closed form; for those that give none, differences are
taken of them alone.
The load of an enforced row counts in w, and its law adds −Gᵀ ∂load/∂Φ G and the like.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.analysis.tangent.differences import (
    STEP,
    by_bodies,
    by_markers,
    colours,
    displace,
    hasten,
    retracted,
)
from mbplugin.analysis.tangent.element_forces import ElementForces
from mbplugin.analysis.tangent.marker_motion import MarkerMotion
from mbplugin.analysis.tangent.ridders import ridders
from mbplugin.analysis.tangent.tangent_kernels import BodyTangents, ElementTangents
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Blocks, Enforced, Markers, Rows, State, Tangents
from mbplugin.tables.purposes import ENFORCE
from mbplugin.tables.spec import Array


def stiffness(problem: Problem, lam: Array) -> Array:
    """K (nv, nv) at the present state, which stays. Raises PluginError where a function fails."""
    return linearised(problem, lam, bool(problem[State].v.any()))[0]


def damping(problem: Problem) -> Array:
    """D (nv, nv) at the present state, which stays. Raises PluginError where a function fails."""
    return linearised(problem, np.zeros(problem.nc))[1]


def linearised(problem: Problem, lam: Array, damping: bool = True) -> tuple[Array, Array]:
    """K and D; without `damping`, no D where forces would have to be differenced for it."""
    if "linearisation" not in problem.kept:
        problem.kept["linearisation"] = Linearisation(problem)
    problem.check(entries.evaluate(problem.addresses))
    found = problem.kept["linearisation"].at(lam * problem[Rows].active, damping)
    problem.check(entries.evaluate(problem.addresses))
    return found


def moved(problem: Problem, q: Array, dq: Array) -> None:
    """Put the state at q ⊕ δ."""
    retracted(problem, q, dq)


class Linearisation:
    """The parts of K and D of one Problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.markers, self.forces = MarkerMotion(problem), ElementForces(problem)
        self.elements = ElementTangents(problem, 0, self.forces.of_motion)
        self.bodies = BodyTangents(problem, self.elements.stop)
        #: elements and rows that give no tangent
        self.differenced = np.zeros(len(self.elements.given), bool)
        self.differenced[list(self.forces.acts)] = True
        self.differenced &= ~self.elements.given
        self.reaches: dict[tuple[bytes, int], tuple[dict[int, set[int]], list[list[int]]]] = {}
        self.enforced = problem[Enforced].index.row.copy()
        n = len(problem[Markers].index)
        problem.put(
            Tangents(
                self.elements.starts,
                self.bodies.point_start,
                self.bodies.body_start,
                np.zeros(self.bodies.stop),
                np.zeros(problem.nc),
                np.zeros((n, 6)),
            )
        )

    def at(self, lam: Array, damping: bool) -> tuple[Array, Array]:
        """K and D where the terms of the present state are in the tables, lam zero for inactive rows."""
        problem = self.problem
        rows, tangents, v = problem[Rows], problem[Tangents], problem[State].v.copy()
        loads = lam.copy()
        loads[self.enforced] += rows.load[self.enforced]
        G, rates = problem.sparse_jacobian(), self.rates_matter(v)
        wrench = self.forces.wrench(loads)
        H = self.markers.jacobian()
        tangents.value[:], tangents.lam[:], tangents.wrench[:] = 0.0, loads, wrench.reshape(-1, 6)
        self.elements.call()
        self.bodies.call()
        K_b, D_b, E = self.of_bodies(wrench)
        K_m, D_m, rate_m = self.of_elements(loads, rates, damping)
        if v.any():
            K_m = K_m @ H + D_m @ E
        else:
            K_m = K_m @ H
        K, D = (H.T @ K_m).toarray() + K_b, (H.T @ (D_m @ H)).toarray() + D_b
        if len(self.enforced):
            on_phi, on_rate = self.slopes_of_laws()
            held = G[self.enforced]
            rate_q = rate_m @ H + self.row_jacobian() @ E if rates else 0.0 * held
            K -= (held.T @ (held * on_phi[:, None] + rate_q * on_rate[:, None])).toarray()
            D -= (held.T @ (held * on_rate[:, None])).toarray()
        return K, D

    def of_elements(self, loads: Array, rates: bool, damping: bool) -> tuple[Any, Any, Any]:
        """K_m and D_m (6 points, 6 points), and the derivative of G_m twist + Φₜ of the enforced rows by the
        markers' places, sparse.
        """
        from scipy.sparse import csr_array

        problem, forces, given = self.problem, self.forces, self.elements
        value = problem[Tangents].value
        rest = np.where(given.rows, 0.0, loads)
        followed = self.enforced if rates else self.enforced[:0]
        twist = self.markers.twists()

        def f() -> Array:
            more = (forces.row_twists(twist) + problem[Rows].phi_t)[followed]
            return np.concatenate([forces.wrench(rest, self.differenced), more])

        K, row, column = by_markers(problem, *self.reach(rest != 0.0, followed), f, displace)
        reach, groups = self.reach(np.zeros(len(loads), bool), followed[:0]) if damping else ({}, [])
        D, D_row, D_column = by_markers(
            problem, reach, groups, lambda: forces.wrench(0.0 * rest, self.differenced), hasten
        )
        n = forces.size
        law = row >= n
        matrix = lambda x, r, c, m: csr_array((x, (r, c)), shape=(m, n))
        join = lambda *parts: np.concatenate(parts)
        return (
            matrix(
                join(value[given.K], -K[~law]),
                join(given.row, row[~law]),
                join(given.column, column[~law]),
                n,
            ),
            matrix(join(value[given.D], -D), join(given.row, D_row), join(given.column, D_column), n),
            matrix(K[law], row[law] - n, column[law], len(followed)),
        )

    def reach(self, rows: Array, followed: Array) -> tuple[dict[int, set[int]], list[list[int]]]:
        """What each marker reaches of what is differenced, and the markers in groups; found once for each
        choice of rows (nc,).
        """
        key = rows.tobytes(), len(followed)
        if key not in self.reaches:
            found = self.forces.reach(self.differenced, rows, followed)
            self.reaches[key] = found, colours(found)
        return self.reaches[key]

    def of_bodies(self, wrench: Array) -> tuple[Array, Array, Any]:
        """Their part of K and of D (nv, nv), and E (6 points, nv)."""
        from scipy.sparse import csr_array

        nv, bodies, value = self.problem.nv, self.bodies, self.problem[Tangents].value
        K = np.bincount(bodies.K_row * nv + bodies.K_column, value[bodies.K], nv * nv).reshape(nv, nv)
        D = np.bincount(bodies.D_row * nv + bodies.D_column, value[bodies.D], nv * nv).reshape(nv, nv)
        E = csr_array((value[bodies.E], (bodies.E_row, bodies.E_column)), shape=self.markers.shape)
        others = np.flatnonzero(~bodies.given)
        if len(others):
            K_o, D_o, E_o = by_bodies(self.problem, self.markers, wrench, others)
            return K + K_o, D + D_o, E + csr_array(E_o)
        return K, D, E

    # enforced rows

    def rates_matter(self, v: Array) -> bool:
        """Whether rates of enforced rows may depend on the position."""
        return bool(len(self.enforced)) and bool(v.any() or self.problem[Rows].phi_t[self.enforced].any())

    def row_jacobian(self) -> Any:
        """G_m (enforced rows, 6 points), sparse."""
        from scipy.sparse import csr_array

        forces = self.forces
        values = self.problem[Blocks].G_marker[forces.G_place]
        return csr_array((values, (forces.G_row, forces.G_at)), shape=(self.problem.nc, forces.size))[
            self.enforced
        ]

    def slopes_of_laws(self) -> tuple[Array, Array]:
        """∂load/∂Φ and ∂load/∂Φ̇ of each enforced row."""
        problem, found = self.problem, []
        rows = problem[Rows]
        for array in (rows.phi, rows.phi_dot):
            before = array[self.enforced].copy()

            def load(s: float, array: Array = array, before: Array = before) -> Array:
                array[self.enforced] = before + s * np.where(
                    rows.radians[self.enforced] == 1, 1.0, problem.names.size
                )
                problem.check(entries.call_purpose(problem.addresses, ENFORCE))
                return rows.load[self.enforced].copy()

            found.append(
                ridders(load, STEP) / np.where(rows.radians[self.enforced] == 1, 1.0, problem.names.size)
            )
            load(0.0)
        return found[0], found[1]
