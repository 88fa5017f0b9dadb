"""The surface of the convex hull of points."""

from __future__ import annotations

from sys import maxsize
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbplugin.errors import SceneError
from mbplugin.math.primitives import Triangles
from mbplugin.model.quantities import each, items_of, validate_numbers

#: least thickness, as a part of the largest extent
THIN = 1e-6


def validate_points(value: Any, info: Any) -> tuple[tuple[float, ...], ...]:
    """At least four points [m] that are not in one plane. Raises SceneError."""
    mend = "must be a list of at least 4 points [x, y, z] that are not in one plane"
    items = items_of(value, range(4, maxsize), mend)
    points = each(items, lambda point: validate_numbers(point, info, 3))
    extents = thickness(np.array(points))
    if not extents[-1] > THIN * extents[0]:
        raise SceneError(
            value=value,
            mend=f"these points lie in one plane within {extents[-1]:.3g} m; add points on both sides of it",
        )
    return points


def thickness(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3,) extents of (n, 3) points along their principal axes, the largest first."""
    centred = points - points.mean(axis=0)
    return np.sort(np.ptp(centred @ np.linalg.svd(centred, full_matrices=False)[2].T, axis=0))[::-1]


def width(points: Any) -> float:
    """The smallest distance of two parallel planes between which the points (n, 3) lie, of which one holds a
    face of their convex hull [m].
    """
    vertices, triangles = convex_surface(points)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return float(np.ptp(vertices @ normals.T, axis=0).min())


def convex_surface(points: Any) -> Triangles:
    """Vertices (n, 3) of the convex hull and triangles (m, 3), counter-clockwise seen from outside."""
    from scipy.spatial import ConvexHull  # imported late: takes 0.1 s

    cloud = np.array(points, float)
    hull = ConvexHull(cloud)
    triangles = hull.simplices.astype(np.int64)
    a, b, c = (cloud[triangles[:, k]] for k in range(3))
    backwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[backwards] = triangles[backwards][:, ::-1]
    used, numbers = np.unique(triangles, return_inverse=True)
    return cloud[used], numbers.reshape(-1, 3).astype(np.int64)
