"""Checks of a function that finds the points between two shapes.

h(n), the largest n·x of a convex shape, decides: two shapes are apart by the largest −h_a(n) − h_b(−n), which
is at the normal n of the contact, whether they are separated or overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from mbplugin.interface import MAX_POINTS, ContactPoints
from mbplugin.testing.placed_shapes import Array, Side
from mbplugin.testing.report import Checks
from mbplugin.testing.shapes import UNWRITTEN

#: tolerances relative to the size of the shapes: of lengths, and of what the triangles of a picture leave out
ROUNDING, OF_PICTURE = 1e-8, 0.1
POSES = 40
#: rows before and behind the points
GUARD = 64
#: of a feature that is not written
NO_FEATURE = np.iinfo(np.int64).min + 17

MARGIN = "points are found within the margin, and none beyond"
WRITES = "writes the points that it counts, and no more"
UNIT = "normals are unit vectors"
ARROW = "x_b = x_a + gap normal"
LEAST = "the least gap = how far they are apart along the normal"
BEST = "no other direction separates them more"
ON = "points lie on their shapes"
NEAR = "points lie near the surfaces of pictures"
MOVED = "both moved alike: the points move too"
TOLERANCE = {WRITES: 0.0, NEAR: OF_PICTURE}


class Guarded:
    """Room for the points of a pair, between guards."""

    def __init__(self) -> None:
        rows = MAX_POINTS + 2 * GUARD
        floats = [np.full((rows, 3), UNWRITTEN) for _ in range(3)] + [np.full(rows, UNWRITTEN)]
        self.whole = (*floats, np.full(rows, NO_FEATURE))
        self.points = ContactPoints(*(array[GUARD:-GUARD] for array in self.whole))

    def written(self) -> Array:
        """Which rows have been written in every array, (MAX_POINTS + 2 GUARD,), and which in any."""
        empty = np.array([UNWRITTEN]).view(np.int64)[0]
        rows = len(self.whole[0])
        changed = [(array.view(np.int64) != empty).reshape(rows, -1) for array in self.whole[:-1]]
        changed.append((self.whole[-1] != NO_FEATURE).reshape(rows, 1))
        return np.array([[each.all(axis=1) for each in changed], [each.any(axis=1) for each in changed]])

    def fault(self, n: int) -> str:
        """Fault in n points, as text."""
        if not 0 <= n <= MAX_POINTS:
            return f"it returns {n} points; there may be 0 to {MAX_POINTS}"
        complete, touched = self.written()
        outside = np.flatnonzero(touched.any(axis=0)) - GUARD
        outside = outside[(outside < 0) | (outside >= MAX_POINTS)]
        if len(outside):
            return f"it writes point {outside[0]}; there are points 0 to {MAX_POINTS - 1}"
        missing = np.flatnonzero(~complete.all(axis=0)[GUARD : GUARD + n])
        return f"it returns {n} points, but does not write all of point {missing[0]}" if len(missing) else ""


def directions(random: Any, n: int) -> Array:
    """(n, 3) unit vectors."""
    d = random.normal(size=(n, 3))
    return np.asarray(d / np.linalg.norm(d, axis=1)[:, None])


class PairTrial:
    """Trials of a pair of shapes."""

    def __init__(self, checks: Checks, pair: Any, a: Side, b: Side) -> None:
        self.checks, self.pair, self.size = checks, pair, a.radius + b.radius
        self.convex = a.known and b.known
        shape_checks = (LEAST, BEST, ON) if self.convex else (NEAR,)
        for what in (WRITES, MARGIN, UNIT, ARROW, *shape_checks, MOVED):
            self.add(what, 0.0)

    def add(self, what: str, error: Any, note: str = "") -> None:
        self.checks.see(what, error, TOLERANCE.get(what, ROUNDING), note)

    def find(self, a: Side, b: Side, margin: float) -> ContactPoints:
        """The points of the shapes."""
        guarded = Guarded()
        n = self.pair(guarded.points, a.placed, b.placed, margin)
        fault = guarded.fault(n)
        if fault:
            self.add(WRITES, np.inf, fault)
            n = min(max(n, 0), MAX_POINTS)
        return ContactPoints(*(np.array(array[:n]) for array in guarded.points))

    def run(self, a: Side, b: Side, random: Any) -> None:
        """Try the two at one pose."""
        size = self.size
        found = self.find(a, b, 10.0 * size)
        if len(found.gap) == 0:
            self.add(MARGIN, np.inf)
            return
        k = int(np.argmin(found.gap))
        n, gap = found.normal[k], found.gap[k]
        self.add(UNIT, np.abs(np.linalg.norm(found.normal, axis=1) - 1.0).max())
        apart = found.x_b - found.x_a - found.gap[:, None] * found.normal
        self.add(ARROW, np.abs(apart).max() / size)
        self.run_margin(a, b, gap)
        self.run_moved(a, b, found, k, random)
        if not self.convex:
            self.add(NEAR, max(off_surface(a, found.x_a), off_surface(b, found.x_b)) / size)
            return
        self.add(LEAST, abs(separation(a, b, n) - gap) / size)
        self.add(ON, abs(n @ found.x_a[k] - a.extent(n)) / size)
        self.add(ON, abs(-n @ found.x_b[k] - b.extent(-n)) / size)
        tried = [*directions(random, 10), *(n + 0.03 * directions(random, 10))]
        more = max(separation(a, b, d / np.linalg.norm(d)) for d in tried)
        self.add(BEST, (more - gap) / size)
        for d in directions(random, 10):
            self.add(ON, (float((found.x_a @ d).max()) - a.extent(d)) / size)
            if b.bounded:
                self.add(ON, (float((found.x_b @ d).max()) - b.extent(d)) / size)

    def run_margin(self, a: Side, b: Side, gap: float) -> None:
        """Find nothing with a margin below the gap, and the same gap with one above it."""
        size = self.size
        margin = gap + 1e-6 * size
        within = self.find(a, b, margin).gap
        wrong = len(self.find(a, b, gap - 1e-6 * size).gap) > 0 or len(within) == 0
        if wrong or within.max() > margin or within.min() > gap + ROUNDING * size:
            self.add(MARGIN, np.inf)

    def run_moved(self, a: Side, b: Side, found: ContactPoints, k: int, random: Any) -> None:
        """Move both shapes alike."""
        turn, shift = Rotation.random(random_state=random).as_matrix(), directions(random, 1)[0]

        def moved(side: Side) -> Side:
            x, R = side.pose
            return side.at(shift + turn @ x, turn @ R)

        again = self.find(moved(a), moved(b), 10.0 * self.size)
        if len(again.gap) == 0:
            self.add(MOVED, np.inf)
            return
        m = int(np.argmin(again.gap))
        self.add(MOVED, abs(again.gap[m] - found.gap[k]) / self.size)
        if len(found.gap) == len(again.gap) == 1:
            difference = again.x_a[m] - shift - turn @ found.x_a[k]
            self.add(MOVED, 1e-3 * np.abs(difference).max() / self.size)


def separation(a: Side, b: Side, n: Array) -> float:
    """How far two shapes are apart along n [m]."""
    return -a.extent(n) - b.extent(-n)


def off_surface(side: Side, x: Array) -> float:
    """The largest distance of points x (n, 3) in the world from the picture of a shape [m]."""
    import trimesh

    if not side.bounded:
        return 0.0
    position, R = side.pose
    points, triangles = side.shape.surface()
    mesh = trimesh.Trimesh(points, triangles, process=False)
    _, distance, _ = trimesh.proximity.closest_point_naive(mesh, (x - position) @ R)
    return float(distance.max())


def pair_checks(checks: Checks, pair: Any, a: Side, b: Side, random: Any) -> None:
    """A function for two shapes, at random poses, apart and overlapping."""
    trial = PairTrial(checks, pair, a, b)
    for _ in range(POSES):
        R_a, R_b = Rotation.random(2, random).as_matrix()
        away = directions(random, 1)[0] * trial.size * random.uniform(0.2, 1.6)
        trial.run(a.at(np.zeros(3), R_a), b.at(away, R_b), random)
