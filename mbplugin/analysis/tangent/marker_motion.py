"""H: twists of all markers from the velocities of all bodies, found by giving each velocity of every body the
value 1 in turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Markers, State
from mbplugin.tables.purposes import LOCATE, PREPARE
from mbplugin.tables.spec import Array


class MarkerMotion:
    """Which velocities move which marker; of a Problem, once."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        markers, bodies = problem[Markers].index, problem[Bodies].index
        self.body = markers.body.copy()
        self.moving = np.flatnonzero(self.body >= 0)
        v0, nv = bodies[self.body[self.moving]].first_v, bodies[self.body[self.moving]].nv
        self.most = int(bodies.nv.max(initial=0))
        #: of entry (marker, c, k): whether that velocity is there, its row and its column
        there = np.broadcast_to(np.arange(self.most) < nv[:, None, None], (len(nv), 6, self.most))
        row = np.broadcast_to(6 * self.moving[:, None, None] + np.arange(6)[:, None], there.shape)
        column = np.broadcast_to(v0[:, None, None] + np.arange(self.most), there.shape)
        self.there, self.row, self.column = there, row[there], column[there]
        self.shape = 6 * len(markers), problem.nv

    def locate(self) -> None:
        """Markers where the present state has them."""
        for purpose in (PREPARE, LOCATE):
            self.problem.check(entries.call_purpose(self.problem.addresses, purpose))

    def twists(self) -> Array:
        """(6 markers,) as the tables have them."""
        markers = self.problem[Markers]
        return np.hstack([markers.v, markers.w]).ravel()

    def jacobian(self) -> Any:
        """H (6 markers, nv) at the present position, sparse; the markers' twists are those of the state
        afterwards.
        """
        from scipy.sparse import csr_array

        state, bodies = self.problem[State], self.problem[Bodies].index
        v = state.v.copy()
        found = np.zeros((len(self.moving), 6, self.most))
        for k in range(self.most):
            state.v[:] = 0.0
            state.v[bodies[bodies.nv > k].first_v + k] = 1.0
            self.locate()
            found[:, :, k] = self.twists().reshape(-1, 6)[self.moving]
        state.v[:] = v
        self.locate()
        return csr_array((found[self.there], (self.row, self.column)), shape=self.shape)
