"""Contacts at the present position in the search for an equilibrium: three rows each, the gap and two ways of
slip, whose forces are within Coulomb's cone |f_T| ≤ μ f_N.

Where a contact has touched is where it begins to hold: its slip counts from there, and that of a new one
from the present position. Forces that stay the same in the axes of a contact change with the position,

    K = −∂(Jᵀ f)/∂q,

as normals turn and points travel: by central differences, each contact found again by its features.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from mbplugin.analysis.rank.null_space import deformation_rates
from mbplugin.analysis.tangent.stiffness import stride
from mbplugin.interface.solver import FoundContacts
from mbplugin.kernels.members import PARTS
from mbplugin.problem import Problem
from mbplugin.tables.groups import TransientRows
from mbplugin.tables.spec import Array

#: of the differences [sizes, rad]; largest step of the search, and gap from which contacts are found [sizes]
DIFFERENCE, REACH = 1e-6, 0.05
#: gap up to which what falls may fall onto something [sizes]; distance from where a row holds up to which it
#: is closed [sizes or rad]
FAR, CLOSED = 10.0, 1e-9


class Contacts(NamedTuple):
    """Those of one position."""

    names: list[tuple[int, ...]]  # the features that touch
    kinetic: Array  # (n,) coefficients of friction
    static: Array  # (n,)
    gap: Array  # (n,) [m]
    slip: Array  # (n, 2) along both tangents since it has touched [m]
    jacobian: Any  # (3 n, nv), sparse


class TouchingRows:
    """The contacts of a problem at its present position."""

    def __init__(
        self, problem: Problem, find: Callable[[float], FoundContacts], reach: float = REACH
    ) -> None:
        """find: finds contacts at the present position, evaluated, up to a gap [m]; reach: that [sizes]"""
        self.problem, self.find, self.reach = problem, find, reach * problem.names.size
        self.here()

    def here(self) -> None:
        """Find the contacts of the present position, evaluated; they begin to hold there."""
        self.now = self.found(self.reach)

    def found(self, reach: float) -> Contacts:
        found = self.find(reach)
        n, transient = len(found.features), self.problem[TransientRows]
        return Contacts(
            [tuple(one) for one in found.features.tolist()],
            found.kinetic,
            found.static,
            transient.phi[: 3 * n : 3].copy(),
            np.zeros((n, 2)),
            self.jacobian(n),
        )

    def jacobian(self, n: int) -> Any:
        """J (3 n, nv) in the tables."""
        transient = self.problem[TransientRows]
        places = 2 * int(transient.width[PARTS])
        G, member = transient.G, transient.member[: places * n]
        values, rows, columns = [np.zeros(0)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for nv in sorted({int(k) for k in member.nv} - {0}):
            of = np.flatnonzero(member.nv == nv)
            values.append(G[member.first_G[of][:, None] + np.arange(3 * nv)].ravel())
            rows.append((3 * (of[:, None] // places) + np.arange(3)).repeat(nv, axis=1).ravel())
            columns.append(np.tile(member.first_v[of][:, None] + np.arange(nv), 3).ravel())
        at = np.concatenate(rows), np.concatenate(columns)
        return csr_array((np.concatenate(values), at), shape=(3 * n, self.problem.nv))

    def follow(self, before: Contacts, dq: Array, closed: float) -> list[int]:
        """Find the contacts after a move δ (nv,) from those before it to the present position, evaluated.
        Returns the place that each had; −1: it is new. closed: largest gap of a contact that holds [m]
        """
        places = {name: k for k, name in enumerate(before.names)}
        moved = np.asarray(before.jacobian @ dq).reshape(-1, 3)[:, 1:]
        self.here()
        found = [places.get(name, -1) for name in self.now.names]
        for k, place in enumerate(found):
            if place >= 0 and before.gap[place] <= closed:
                self.now.slip[k] = before.slip[place] + moved[place]
        return found

    def ahead(self, dq: Array) -> tuple[Array, Array]:
        """Gaps (n,) of all that may come to touch, and what a step δ (nv,) adds to them."""
        far = self.found(FAR * self.problem.names.size)
        closed = far.gap <= CLOSED * self.problem.names.size
        return np.where(closed, 0.0, far.gap), np.asarray(far.jacobian[::3] @ dq)

    def stiffness(self, force: Array) -> Array:
        """K (nv, nv) of forces (3 n,), the present position evaluated."""
        problem, here = self.problem, self.now
        K, q = np.zeros((problem.nv, problem.nv)), problem.q
        loaded = np.flatnonzero(np.abs(force.reshape(-1, 3)).max(axis=1, initial=0.0) > 0.0)
        moving = np.unique(here.jacobian[(3 * loaded[:, None] + np.arange(3)).ravel()].indices)
        for k in moving.tolist():
            dq, ends = np.zeros(problem.nv), []
            dq[k] = 1.0
            reach = max(stride(problem, dq), float(deformation_rates(problem, dq[:, None]).max(initial=0.0)))
            length = DIFFERENCE / (reach or 1.0)
            for step in (length, -length):
                dq[k] = step
                problem.move_to(q, dq)
                problem.evaluate_at()
                ends.append(self.force_of(here, loaded, force))
            K[:, k] = (ends[1] - ends[0]) / (2.0 * length)
            problem.evaluate_at(q)
        return K

    def force_of(self, here: Contacts, loaded: Array, force: Array) -> Array:
        """Jᵀ f (nv,) of these contacts where they are now; those that are lost keep their J."""
        now = self.found(0.0)
        places = {name: k for k, name in enumerate(now.names)}
        of_now, lost = np.zeros((len(now.names), 3)), np.zeros((len(here.names), 3))
        for k in loaded.tolist():
            place = places.get(here.names[k], -1)
            (lost if place < 0 else of_now)[k if place < 0 else place] = force[3 * k : 3 * k + 3]
        return np.asarray(now.jacobian.T @ of_now.ravel() + here.jacobian.T @ lost.ravel())
