"""H: twists of all markers from the velocities of all bodies, found by giving each velocity of every body the
value 1 in turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.interface.problem import Problem
from mbplugin.kernels import entries
from mbplugin.tables.groups import B_NV, B_V, LOCATE, PREPARE, Bodies, Points, State
from mbplugin.tables.spec import Array


class MarkerMotion:
    """Which velocities move which marker; of a Problem, once."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        points, bodies = problem[Points].row, problem[Bodies].row
        self.body = points[:, 0].copy()
        self.moving = np.flatnonzero(self.body >= 0)
        v0, nv = bodies[self.body[self.moving], B_V], bodies[self.body[self.moving], B_NV]
        self.most = int(bodies[:, B_NV].max(initial=0))
        #: of entry (point, c, k): whether that velocity is there, its row and its column
        there = np.broadcast_to(np.arange(self.most) < nv[:, None, None], (len(nv), 6, self.most))
        row = np.broadcast_to(6 * self.moving[:, None, None] + np.arange(6)[:, None], there.shape)
        column = np.broadcast_to(v0[:, None, None] + np.arange(self.most), there.shape)
        self.there, self.row, self.column = there, row[there], column[there]
        self.shape = 6 * len(points), problem.nv

    def locate(self) -> None:
        """Markers where the present state has them."""
        for purpose in (PREPARE, LOCATE):
            self.problem.check(entries.call_purpose(self.problem.addresses, purpose))

    def twists(self) -> Array:
        """(6 points,) as the tables have them."""
        points = self.problem[Points]
        return np.hstack([points.v, points.w]).ravel()

    def jacobian(self) -> Any:
        """H (6 points, nv) at the present position, sparse; the markers' twists are those of the state
        afterwards.
        """
        from scipy.sparse import csr_array

        state, bodies = self.problem[State], self.problem[Bodies].row
        v = state.v.copy()
        found = np.zeros((len(self.moving), 6, self.most))
        for k in range(self.most):
            state.v[:] = 0.0
            state.v[bodies[bodies[:, B_NV] > k, B_V] + k] = 1.0
            self.locate()
            found[:, :, k] = self.twists().reshape(-1, 6)[self.moving]
        state.v[:] = v
        self.locate()
        return csr_array((found[self.there], (self.row, self.column)), shape=self.shape)
