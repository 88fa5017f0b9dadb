"""Shapes that collide, made of those of robots, which know more kinds of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin_import.poses import Array
from mbplugin_import.words import LeftOut

#: largest number of corners of a hull, number of those that are outermost in directions that cover the sphere
MAX_CORNERS, DIRECTIONS = 200, 100
#: the other ones are those farthest outside of what there is already, so many at a time
CORNERS_AT_ONCE = 25
#: a mesh that leaves a larger part of its hull empty is listed
HOLLOW_PART = 0.1
#: hulls that are thinner than this part of their extent do not collide
THINNEST_HULL = 1e-5


def hull(points: Array) -> tuple[dict[str, Any] | None, float]:
    """The convex hull of points (n, 3), with few corners, and how far it lies inside the whole one [m]. None
    if they lie in a plane.
    """
    from scipy.spatial import ConvexHull, QhullError  # 0.1 s, and only where there are meshes

    centred = points - points.mean(axis=0)
    extents = np.ptp(centred @ np.linalg.svd(centred, full_matrices=False)[2].T, axis=0)
    if len(points) < 4 or not extents.min() > THINNEST_HULL * extents.max():
        return None, 0.0
    try:
        corners = points[ConvexHull(points).vertices]
        if len(corners) <= MAX_CORNERS:
            return convex(corners), 0.0
        kept = np.unique(np.argmax(corners @ directions().T, axis=0))
        while True:
            faces = ConvexHull(corners[kept]).equations
            above = corners @ faces[:, :3].T + faces[:, 3]  # of each corner above each face
            order = np.argmax(above, axis=0)[np.argsort(-above.max(axis=0))]
            new = list(dict.fromkeys(k for k in order.tolist() if k not in kept))
            if len(kept) == MAX_CORNERS or not new:
                return convex(corners[kept]), float(above.max())
            kept = np.concatenate([kept, new[: min(CORNERS_AT_ONCE, MAX_CORNERS - len(kept))]])
    except QhullError:
        return None, 0.0


def hollow(points: Array, triangles: Array) -> float:
    """The part of its convex hull that a closed mesh leaves empty, such as the hole of a ring; 0 for a
    surface that is open, or whose triangles turn both ways.
    """
    from scipy.spatial import ConvexHull

    _, number = np.unique(points, axis=0, return_inverse=True)  # an STL file has each corner several times
    corners = number.reshape(-1)[triangles]
    edges = {(a, b) for k in range(3) for a, b in zip(corners[:, k].tolist(), corners[:, k - 2].tolist())}
    if len(edges) != 3 * len(corners) or any((b, a) not in edges for a, b in edges):
        return 0.0
    a, b, c = (points[triangles[:, k]] - points.mean(axis=0) for k in range(3))
    volume = abs(float(np.einsum("ni,ni->", a, np.cross(b, c)))) / 6.0
    return 1.0 - volume / float(ConvexHull(points).volume)


class Losses:
    """What meshes that collide lose, by their names."""

    def __init__(self) -> None:
        self.depths: dict[str, float] = {}  # how far corners of the whole hull are outside [m]
        #: how it collides -> the part of its hull that a mesh with hollows leaves empty
        self.hollows: dict[str, dict[str, float]] = {}

    def corners(self, name: str, depth: float) -> None:
        if depth:
            self.depths[name] = max(depth, self.depths.get(name, 0.0))

    def concave(self, name: str, empty: float, how: str) -> None:
        """A mesh that collides as "mesh", "parts" or "hull"."""
        self.hollows.setdefault(how, {})[name] = empty

    def list(self, left_out: LeftOut) -> None:
        """Add them to the list of what is left out."""
        for how, what in HOW.items():
            if found := self.hollows.get(how):
                text = what.format("{}", f"{max(found.values()):.0%}")
                left_out.add(text, found, "mesh that collides", "meshes that collide")
        if self.depths:
            what = f"{MAX_CORNERS} remain, up to {1e3 * max(self.depths.values()):.2g} mm inside"
            left_out.add(f"corners of {{}}: {what}", self.depths, "convex hull", "convex hulls")


#: how meshes with hollows collide -> what is said of them: their names, and how hollow they are
HOW = {
    "mesh": "the convex hull of {}: hollow by up to {}, so the triangles collide as they are",
    "parts": "the convex hull of {}: hollow by up to {}, so convex parts collide",
    "hull": "hollows and holes of {}: the hull fills them, up to {} of it; --set concave=parts keeps them",
}


def convex(points: Array) -> dict[str, Any]:
    """The table of a polyhedron; seven digits of its corners."""
    digits = [[float(f"{x:.7g}") + 0.0 for x in point] for point in points.tolist()]
    return {"type": "convex", "points": digits}


def directions() -> Array:
    """(DIRECTIONS, 3) unit vectors of a spiral that covers the sphere evenly."""
    k = np.arange(DIRECTIONS) + 0.5
    z, angle = 1.0 - 2.0 * k / DIRECTIONS, np.pi * (1.0 + 5.0**0.5) * k
    ring = np.sqrt(1.0 - z * z)
    return np.column_stack([ring * np.cos(angle), ring * np.sin(angle), z])
