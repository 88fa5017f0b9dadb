"""Points at which bodies are named: each is seen, on its body and away from other bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from mbplugin.decoder.drawn import Drawn
from mbplugin.viz.places import Array, Snapshot


class Screen:
    """A renderer that has just drawn the bodies: where points are on it, and whether bodies hide them."""

    def __init__(self, plotter: Any) -> None:
        self.plotter = plotter
        self.width, self.height = plotter.render_window.GetSize()

    def pixels(self, points: Any) -> tuple[Array, Array]:
        """Pixels (n, 2), counted from the lower left corner of the picture, and depths (n,), as in the depth
        buffer, of points (n, 3) relative to the local origin.
        """
        camera = self.plotter.camera
        matrix = camera.GetCompositeProjectionTransformMatrix(self.width / self.height, 0.0, 1.0)
        rows = np.array([[matrix.GetElement(i, j) for j in range(4)] for i in range(4)])
        points = np.asarray(points, float).reshape(-1, 3)
        x, y, z, w = rows @ np.column_stack([points, np.ones(len(points))]).T
        ahead = np.where(w > 0.0, w, np.inf)
        return 0.5 * np.column_stack([(x / ahead + 1) * self.width, (y / ahead + 1) * self.height]), z / ahead

    def seen(self, points: Array, tolerance: float) -> Array:
        """Whether each of the points (n, 3) is in the picture, and no body lies in front of it by more than
        the tolerance [m].
        """
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkCommonCore import vtkFloatArray

        depths = vtkFloatArray()
        self.plotter.render_window.GetZbufferData(0, 0, self.width - 1, self.height - 1, depths)
        buffer = vtk_to_numpy(depths).reshape(self.height, self.width)
        camera = self.plotter.camera
        towards = np.subtract(camera.position, points)
        if camera.parallel_projection:
            towards = np.tile(np.subtract(camera.position, camera.focal_point), (len(points), 1))
        towards = towards / np.maximum(np.linalg.norm(towards, axis=1), 1e-300)[:, None]
        at = np.floor(self.pixels(points)[0]).astype(int)
        _, depth = self.pixels(points + tolerance * towards)
        inside = (at >= 0).all(axis=1) & (at[:, 0] < self.width) & (at[:, 1] < self.height)
        at[~inside] = 0
        return np.asarray(inside & (depth <= buffer[at[:, 1], at[:, 0]]))


#: number of points on all bodies together; smallest and largest number on one body
POINTS, LEAST, MOST = 8_000, 12, 400
#: difference of depth up to which points count as equally deep, as a part of the size of the scene
DEPTH = 0.004
#: choice of a point, in pixels of a picture of the usual height. ENOUGH: distance from other bodies above
#: which more is no better; MIDDLE: weight of the distance from the middle of the visible part of the body;
#: KEEP: largest penalty for moving away from the point of the last frame
ENOUGH, MIDDLE, KEEP = 50.0, 0.35, 30.0
#: a point is on a body up to this many times the median distance between its neighbouring points
APART = 3.5
#: nearest points among which the nearest one of another body is searched
NEIGHBOURS = 32


class Surfaces:
    """Points on the surfaces of bodies and of the ground.

    body: (n,) of each point; -1: the ground
    """

    def __init__(self, drawn: Drawn) -> None:
        shapes = np.flatnonzero(~drawn.endless)
        axes = drawn.axes()
        triangles: dict[int, list[Array]] = {}
        for k in shapes:
            corners, faces = drawn.meshes[drawn.mesh[k]]
            placed = (corners * drawn.scale[k]) @ axes[k].T + drawn.position[k]
            triangles.setdefault(int(drawn.body[k]), []).append(placed[faces])
        count = int(np.clip(POINTS / max(1, len(triangles)), LEAST, MOST))
        random = np.random.default_rng(0)
        points = [spread(np.concatenate(of_body), count, random) for of_body in triangles.values()]
        self.body = np.repeat(np.array(list(triangles), int), count)
        self.points = np.concatenate([np.zeros((0, 3)), *points])

    def places(self, snapshot: Snapshot) -> Array:
        """(n, 3) of the points, local [m]."""
        turned = np.einsum("nij,nj->ni", snapshot.maps[self.body], self.points)
        return np.asarray(snapshot.place[self.body] + turned)


def spread(triangles: Array, count: int, random: Any) -> Array:
    """(count, 3) points on triangles (m, 3, 3), spread evenly over their area."""
    first, second = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    area = np.linalg.norm(np.cross(first, second), axis=1)
    total = np.cumsum(area)
    shares = (np.arange(count) + 0.5) / count * total[-1]
    k = np.minimum(np.searchsorted(total, shares), len(triangles) - 1)
    u, v = random.random((2, count))
    over = u + v > 1.0
    u[over], v[over] = 1.0 - u[over], 1.0 - v[over]
    return np.asarray(triangles[k, 0] + u[:, None] * first[k] + v[:, None] * second[k])


class Anchors:
    """Anchors of a stage.

    at:     body -> pixels (2,), of bodies that are seen in the present frame
    points: (n, 2) pixels of all points that are seen, of the bodies `owner` (n,)
    """

    def __init__(self, drawn: Drawn) -> None:
        self.surfaces = Surfaces(drawn)
        self.at: dict[int, Array] = {}
        self.points, self.owner = np.zeros((0, 2)), np.zeros(0, int)
        #: body -> its point, relative to the middle of its visible part [pixels]
        self.chosen: dict[int, Array] = {}

    def find(self, snapshot: Snapshot, screen: Screen, size: float, unit: float, others: Array) -> None:
        """Choose a point for each body.

        size:   of the scene [m]
        unit:   pixels of this picture for one pixel of a picture of the usual height
        others: (m, 2) pixels of names that are not those of bodies
        """
        places = self.surfaces.places(snapshot)
        seen = np.flatnonzero(screen.seen(places, DEPTH * size))
        self.points, self.owner = screen.pixels(places[seen])[0], self.surfaces.body[seen]
        self.at, before, self.chosen = {}, self.chosen, {}
        if not len(seen):
            return
        self.tree = cKDTree(self.points)
        everything = np.concatenate([self.points, others])
        owner = np.concatenate([self.owner, np.full(len(others), -2)])
        distance, near = cKDTree(everything).query(self.points, min(NEIGHBOURS, len(everything)))
        distance = distance.reshape(len(seen), -1)
        distance[owner[near.reshape(len(seen), -1)] == self.owner[:, None]] = np.inf
        free = np.minimum(distance.min(axis=1), ENOUGH * unit)
        for body in np.unique(self.owner[self.owner >= 0]):
            k = np.flatnonzero(self.owner == body)
            middle = np.median(self.points[k], axis=0)
            score = free[k] - MIDDLE * np.linalg.norm(self.points[k] - middle, axis=1)
            if int(body) in before:
                moved = np.linalg.norm(self.points[k] - middle - before[int(body)], axis=1)
                score -= np.minimum(moved, KEEP * unit)
            at = self.points[k[np.argmax(score)]]
            self.at[int(body)], self.chosen[int(body)] = at, at - middle

    def on_body(self, body: int, corners: Array) -> bool:
        """Whether points (n, 2) in the picture are on a body: the nearest visible point belongs to it, and
        is not farther away than a few distances between its own points.
        """
        distance, near = self.tree.query(corners)
        apart = self.tree.query(self.points[self.owner == body], 2)[0][:, 1]
        return bool((self.owner[near] == body).all() and (distance < APART * np.median(apart)).all())
