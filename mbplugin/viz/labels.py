"""Places of labels on the screen: near what they name, over little else, and none over another."""

from __future__ import annotations

import numpy as np

from mbplugin.decoder.rotation import Array

Box = tuple[float, float, float, float]  # left, right, bottom, top [pixels from the lower left]
#: distances of a label from its point that are tried, directions, and steps of the last resort
RINGS = (9, 18, 30, 45, 65, 90, 120, 155, 195, 240, 300)
DIRECTIONS, STEP = 16, 20
#: cost of what a label covers, of each point, in pixels of distance, and its limit; of a line through a label
SURFACE, DOT, HEAD, SHAFT, LIMIT, CROSSED = 5.0, 40.0, 70.0, 20.0, 120.0, 60.0
#: limit of the cost of a step from the place in the frame before
KEEP = 60.0
#: cells in which points are counted [pixels]
CELL = 6.0


class Crowd:
    """Obstacles of labels: points with weights, summed over boxes."""

    def __init__(self, width: int, height: int, points: Array, weights: Array) -> None:
        """points: (n, 2) pixels; weights: (n,)"""
        self.shape = int(height / CELL) + 1, int(width / CELL) + 1
        column, row = (points / CELL).astype(int).T
        inside = (column >= 0) & (row >= 0) & (column < self.shape[1]) & (row < self.shape[0])
        cells = row[inside] * self.shape[1] + column[inside]
        counted = np.bincount(cells, weights[inside], self.shape[0] * self.shape[1]).reshape(self.shape)
        self.total = np.pad(counted.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))

    def covered(self, boxes: Array) -> Array:
        """(n,) weight within boxes (n, 4)."""
        left, right = (np.clip((boxes[:, k] / CELL).astype(int), 0, self.shape[1] - 1) for k in (0, 1))
        low, high = (np.clip((boxes[:, k] / CELL).astype(int), 0, self.shape[0] - 1) for k in (2, 3))
        t = self.total
        return t[high + 1, right + 1] - t[low, right + 1] - t[high + 1, left] + t[low, left]


class Placement:
    """The labels of a picture, placed one after another.

    taken: boxes that are occupied
    """

    def __init__(self, width: int, height: int, unit: float, taken: list[Box]) -> None:
        """unit: pixels in those of a picture of the usual height"""
        self.width, self.height, self.unit, self.taken = width, height, unit, taken
        self.lines: list[tuple[Array, Array]] = []

    def place(
        self,
        anchor: Array,
        extent: tuple[float, float],
        crowd: Crowd,
        reach: float = np.inf,
        before: Array | None = None,
    ) -> Box | None:
        """The box of a label of this width and height [pixels], None if there is no room.

        anchor: (2,) what it names
        reach:  farthest [pixels]
        before: (2,) its last place relative to the anchor
        """
        boxes, cost = self.candidates(anchor, np.array(extent), reach)
        inside = (boxes[:, [0, 2]] >= 0.0).all(axis=1)
        inside &= (boxes[:, 1] <= self.width) & (boxes[:, 3] <= self.height)
        inside &= self.free(boxes)
        boxes, cost = boxes[inside], cost[inside]
        if not len(boxes):
            return None
        cost = cost + np.minimum(crowd.covered(boxes), LIMIT) * self.unit
        cost += CROSSED * self.unit * self.crossings(anchor, boxes)
        if before is not None:
            moved = np.linalg.norm(boxes[:, [0, 2]] - anchor - before, axis=1)
            cost += np.minimum(moved, KEEP * self.unit)
        return self.keep(anchor, boxes[np.argmin(cost)])

    def keep(self, anchor: Array, box: Array) -> Box:
        """Occupy a box."""
        left, right, bottom, top = (float(v) for v in box)
        self.taken.append((left, right, bottom, top))
        self.lines.append((anchor, nearest_in(np.array([box]), anchor)[0]))
        return left, right, bottom, top

    def candidates(self, anchor: Array, extent: Array, reach: float) -> tuple[Array, Array]:
        """(n, 4) boxes and their costs (n,): rings around the anchor, to the right and above first; without a
        limit all of the picture too.
        """
        angle = 2.0 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
        towards = np.column_stack([np.cos(angle), np.sin(angle)])
        rings = np.array([ring for ring in RINGS if ring * self.unit <= reach], float) * self.unit
        # the label's edge is on the ring
        centres = anchor + towards * 0.5 * extent + rings[:, None, None] * towards
        cost = rings[:, None] + self.unit * 4.0 * (1.0 - towards @ [0.8, 0.6])
        middles, costs = centres.reshape(-1, 2), cost.ravel()
        if reach == np.inf:
            step = STEP * self.unit
            across = np.arange(0.5 * extent[0], self.width, step)
            up = np.arange(0.5 * extent[1], self.height, 0.5 * step)
            grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
            middles = np.concatenate([middles, grid])
            costs = np.concatenate(
                [costs, 2.0 * RINGS[-1] * self.unit + np.linalg.norm(grid - anchor, axis=1)]
            )
        half = 0.5 * extent
        low, high = middles - half, middles + half
        return np.column_stack([low[:, 0], high[:, 0], low[:, 1], high[:, 1]]), costs

    def free(self, boxes: Array) -> Array:
        """(n,) whether boxes (n, 4) cover none that is taken."""
        if not self.taken:
            return np.ones(len(boxes), bool)
        left, right, bottom, top = np.array(self.taken).T
        beside = (boxes[:, :1] >= right) | (left >= boxes[:, 1:2])
        return np.asarray((beside | (boxes[:, 2:3] >= top) | (bottom >= boxes[:, 3:])).all(axis=1))

    def crossings(self, anchor: Array, boxes: Array) -> Array:
        """(n,) how many taken boxes the lines from the anchor to boxes (n, 4) cross, and how many lines the
        boxes cover.
        """
        count = np.zeros(len(boxes))
        share = np.linspace(0.0, 1.0, 10)[:, None, None]
        along = anchor + share * (nearest_in(boxes, anchor) - anchor)
        for left, right, bottom, top in self.taken:
            x, y = along[..., 0], along[..., 1]
            count += ((left < x) & (x < right) & (bottom < y) & (y < top)).any(axis=0)
        for start, end in self.lines:
            x, y = (start + share[:, 0] * (end - start)).T[:, :, None]
            count += ((boxes[:, 0] < x) & (x < boxes[:, 1]) & (boxes[:, 2] < y) & (y < boxes[:, 3])).any(
                axis=0
            )
        return count


def nearest_in(boxes: Array, point: Array) -> Array:
    """(n, 2) the points of boxes (n, 4) nearest to a point (2,)."""
    x = np.clip(point[0], boxes[:, 0], boxes[:, 1])
    return np.column_stack([x, np.clip(point[1], boxes[:, 2], boxes[:, 3])])
