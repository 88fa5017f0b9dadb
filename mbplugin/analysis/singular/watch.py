"""Singular configurations that a run passes between its frames.

The watched rows are those that hold at a frame; bounded rows of limits, friction and clutches are left out.
Where a joint is released, or a motion of limited effort ceases to follow, the search begins anew.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mbplugin.analysis.singular.branches import OPEN, branches
from mbplugin.analysis.singular.singular import Singular, in_words, mass_root, scaled, spaces
from mbplugin.errors import PhysicsError
from mbplugin.problem import Problem
from mbplugin.tables.groups import Blocks, Bounded, State
from mbplugin.tables.records import OFF, ON
from mbplugin.tables.spec import Array

#: σ, relative to the largest, below which a position between frames is singular, and close to a singular one
SINGULAR, NEARBY = 1e-3, 0.02
#: σ of the middle of three frames, relative to the largest, below which there may be a zero between them
DIP = 0.9
#: largest change of an entry of the scaled G (rows of unit length) from one watched frame to the next, where
#: frames are that near to each other: six degrees of a rotation
WATCHED_CHANGE = 0.1
#: largest such change between a neighbouring frame and where the middle one's motion leads
STRAYED_CHANGE = 0.5
#: residual below which a position is closed [size or rad]; σ, relative to the largest, of dependent rows
CLOSED, DEPENDENT = 1e-6, 1e-6


class Watched(NamedTuple):
    """Numbers that are kept of a frame."""

    time: float  # [s]
    sigma: float
    q: Array
    v: Array
    v_dot: Array
    entries: Array  # of G for velocities in the mass norm


class Watch:
    """Detects a minimum of σ between frames, and locates it on a copy of the problem, so that the run is not
    affected.

    rank_around: of the rows without bounds that hold at the start, nearby
    """

    def __init__(self, problem: Problem, rank_around: int) -> None:
        self.problem = problem
        bounded = problem[Bounded].index
        #: (nc,) whether a row is watched while it holds
        self.steady = np.ones(problem.nc, bool)
        self.steady[bounded["row"][bounded["works"] == 0]] = False
        unbounded = np.ones(problem.nc, bool)
        unbounded[bounded["row"]] = False
        start = problem.on
        #: rank of each set of rows so far
        self.ranks = {(start & unbounded).tobytes(): rank_around}
        self.driving = [r for c in problem.names.coordinates for r in c.motion_rows]
        self.way = 0.0
        self.begin(start & self.steady)

    def begin(self, rows: Array) -> None:
        """Watch these rows (nc,) from now on."""
        self.rows, self.rank = rows, self.ranks.get(rows.tobytes(), -1)
        place, row, column = self.problem.entries_of_G
        used = rows[row]
        #: place in Blocks.G, row among the watched ones, and column of each entry of their G
        self.pattern = place[used], (np.cumsum(rows) - 1)[row[used]], column[used]
        #: the last two frames
        self.before: list[Watched] = []
        #: entries of G at the last frame (1, entries), and lengths of their rows at the first
        self.last: Array | None = None
        self.unit = np.ones(0)

    @functools.cached_property
    def copy(self) -> Problem:
        """Where a position between frames is looked for."""
        return self.problem.copy()

    @functools.cached_property
    def released(self) -> Problem:
        """Where positions are closed, without the rows of motions."""
        return self.problem.copy()

    def frames(
        self,
        times: Array,
        G: Array,
        scale: Array,
        q: Array,
        v: Array,
        v_dot: Array,
        modes: Array | None = None,
    ) -> Iterator[tuple[int, Singular]]:
        """(frame, singular configuration) of each that lies before one of n frames, in order of time.

        times (n,) [s], and of each frame the numbers of `Blocks.G`, `Rows.scale`, q, v, v̇ and `State.mode`;
        None: the rows that hold stay the same
        """
        starts = [0]
        if modes is not None:
            sets = (modes[:, : self.problem.nc] == ON) & self.steady
            starts += (1 + np.flatnonzero((sets[1:] != sets[:-1]).any(axis=1))).tolist()
        for start, stop in zip(starts, [*starts[1:], len(times)]):
            if modes is not None and not np.array_equal(sets[start], self.rows):
                self.begin(sets[start])
            part = slice(start, stop)
            arrays = (one[part] for one in (times, G, scale, q, v, v_dot))
            for i, singular in self.of_frames(*arrays):
                yield start + i, singular

    def of_frames(
        self, times: Array, G: Array, scale: Array, q: Array, v: Array, v_dot: Array
    ) -> Iterator[tuple[int, Singular]]:
        """Singular configurations as by `frames`, where the watched rows hold."""
        place, _, column = self.pattern
        entries = G[:, place] * self.root[column]
        chosen = self.moved(entries)
        sigma, rows = self.smallest(entries[chosen], scale[chosen])
        for i, s, rows_here in zip(chosen, sigma, rows):
            if rows_here < self.rank or self.rank == 0:
                continue
            self.before.append(Watched(float(times[i]), float(s), q[i], v[i], v_dot[i], entries[i]))
            if len(self.before) < 3:
                continue
            first, middle, last = self.before
            del self.before[0]
            dips = middle.sigma < DIP * max(first.sigma, last.sigma)
            if dips and first.sigma > middle.sigma <= last.sigma:
                singular = self.located(first, middle, last)
                if singular is not None:
                    yield int(i), singular
        self.before = [Watched(*frame[:2], *(array.copy() for array in frame[2:])) for frame in self.before]

    @functools.cached_property
    def root(self) -> Array:
        return mass_root(self.problem)

    def moved(self, entries: Array) -> Array:
        """Numbers of the frames at which the scaled G has changed by WATCHED_CHANGE again, and of the first.

        entries: (n, entries) of G for velocities in the mass norm
        """
        if self.last is None:
            row = self.pattern[1]
            size = np.sqrt(np.bincount(row, entries[0] ** 2, row.max(initial=0) + 1))
            self.unit = np.where(size > 0.0, size, 1.0)[row]
        last = entries[:1] if self.last is None else self.last
        difference = np.diff(np.concatenate([last, entries]), axis=0) / self.unit
        change = np.abs(difference).max(axis=1, initial=0.0)
        way = np.cumsum(np.concatenate([[self.way], change]))
        chosen = np.floor(way[1:] / WATCHED_CHANGE) > np.floor(way[:-1] / WATCHED_CHANGE)
        chosen[0] |= self.last is None
        self.last, self.way = entries[-1:].copy(), float(way[-1])
        return np.flatnonzero(chosen)

    def smallest(self, entries: Array, scale: Array) -> tuple[Array, Array]:
        """(n,) σ at n frames, and how many rows have a length; entries: as in `moved`; scale (n, nc): of the
        rows.

        From the eigenvalues of the smaller of X Xᵀ and Xᵀ X, which take half the time of the singular values,
        and are exact enough to find where they are least. A set of rows has the rank of its first frame.
        """
        _, row, column = self.pattern
        X = np.zeros((len(entries), int(self.rows.sum()), self.problem.nv))
        X[:, row, column] = entries
        size = np.linalg.norm(X, axis=2)
        if self.problem.folded is not None:
            own = scale[:, self.rows]
            size = np.divide(1.0, own, out=np.zeros_like(own), where=own > 0.0)
        X /= np.where(size > 0.0, size, 1.0)[:, :, None]
        least = min(X.shape[1:])
        if least == 0 or not len(X):
            return np.zeros(len(X)), np.zeros(len(X), int)
        transposed = X.transpose(0, 2, 1)
        squares = np.linalg.eigvalsh(X @ transposed if X.shape[1] == least else transposed @ X)
        if self.rank < 0:
            self.rank = int((squares[0] > DEPENDENT**2 * squares[0, -1]).sum())
            self.ranks[self.rows.tobytes()] = self.rank
        if least < self.rank:
            return np.zeros(len(X)), np.zeros(len(X), int)
        return np.sqrt(np.maximum(squares[:, least - max(self.rank, 1)], 0.0)), (size > 0.0).sum(axis=1)

    def located(self, first: Watched, middle: Watched, last: Watched) -> Singular | None:
        """The singular configuration at the minimum of σ between three frames."""
        found = self.between(first, middle, last)
        if found is None or found.branches is None:
            return found
        if found.least == 0.0:
            branch = found.branches.along_with(
                self.copy, middle.v + (found.time - middle.time) * middle.v_dot
            )
            return replace(found, came=branch, taken=branch)
        return replace(
            found,
            came=found.branches.along_with(self.copy, first.v),
            taken=found.branches.along_with(self.copy, last.v),
        )

    def between(self, first: Watched, middle: Watched, last: Watched) -> Singular | None:
        """The least σ along the motion through the middle frame, with its velocities and accelerations, if
        the run has passed there.
        """
        # few runs come here, and it takes a tenth of a second to import
        from scipy.optimize import minimize_scalar

        span = last.time - first.time
        s = minimize_scalar(
            lambda s: self.at(middle, s)[0][self.rank - 1],
            bounds=(first.time - middle.time, last.time - middle.time),
            method="bounded",
            options={"xatol": 1e-7 * span},
        ).x
        singular, right = self.at(middle, s)
        least = float(singular[self.rank - 1] / singular[0])
        if not least <= NEARBY or not self.passed(first, middle, last, s):
            return None
        rank_here = int((singular[: self.rank] > 2.0 * max(least, SINGULAR) * singular[0]).sum())
        near = least if least > SINGULAR else 0.0
        freed = right[rank_here : self.rank].T
        beside, _ = self.at(middle, s + 0.02 * span)
        condition = float(beside[0] / beside[self.rank - 1]) ** 2
        self.at(middle, s)
        text = in_words(self.copy, freed)
        possible = branches(self.copy, *spaces(self.copy, rank_here), self.copy.nv - self.rank)
        # a small singular value without branches needs no message
        if near and possible.kind == OPEN:
            return None
        time, condition = middle.time + s, condition if not near else least**-2
        return Singular(time, rank_here, self.rank, condition, text, possible, near)

    def passed(self, first: Watched, middle: Watched, last: Watched, s: float) -> bool:
        """Whether the run passes the position at a time s after the middle frame: the neighbouring frame
        leads there as well, and the middle one to both neighbours. Where frames are far apart, or something
        is struck between them, they do not.
        """
        side = first if s < 0.0 else last
        seen = self.entries_at(middle, s) - self.entries_at(side, middle.time + s - side.time)
        strayed = [
            self.entries_at(middle, one.time - middle.time) - one.entries / self.unit for one in (first, last)
        ]
        largest = lambda difference: np.abs(difference).max(initial=0.0)
        return bool(
            largest(seen) <= WATCHED_CHANGE and all(largest(one) <= STRAYED_CHANGE for one in strayed)
        )

    def entries_at(self, frame: Watched, s: float) -> Array:
        """(entries,) of the scaled G a time s after a frame; NaN where no position is found."""
        place, _, column = self.pattern
        found = np.isfinite(self.at(frame, s)[0]).all()
        return np.where(found, self.copy[Blocks].G[place] * self.root[column] / self.unit, np.nan)

    def at(self, frame: Watched, s: float) -> tuple[Array, Array]:
        """Singular values a time s after a frame, as many as watched rows and infinite where no position is
        found, and the right singular vectors as velocities.
        """
        problem, released = self.copy, self.released
        for one in (problem, released):
            one[State].mode[: one.nc] = np.where(self.rows, ON, OFF)
        released[State].mode[self.driving] = OFF
        values, right = np.zeros(max(1, int(self.rows.sum()))), np.zeros((0, problem.nv))
        try:
            released.set_state(frame.time + s, frame.q, frame.v)
            released.move_to(frame.q, s * frame.v + 0.5 * s * s * frame.v_dot)
            if not released.close_positions() <= CLOSED:
                return values + np.inf, right
            problem.evaluate(frame.time + s, released.q, released.v)
        except PhysicsError:  # an expression has no value there
            return values + np.inf, right
        X, root, _ = scaled(problem)
        _, singular, right = np.linalg.svd(X, full_matrices=False)
        values[: len(singular)] = singular
        return values, right * root
