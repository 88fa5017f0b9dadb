"""Triangles of the primitive shapes, watertight.

points (n, 3) [m] and triangles (m, 3), counter-clockwise seen from outside.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]
SIDES = 32  # of a circle
RINGS = 8  # of a half sphere


def box(size: tuple[float, float, float]) -> Mesh:
    """12 triangles."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    return corners * np.array(size), np.array(triangles)


@functools.cache
def icosphere() -> Mesh:
    """The unit sphere in 320 triangles: an icosahedron divided twice."""
    g = 0.5 * (1.0 + np.sqrt(5.0))
    points = [np.array(p) for p in ((-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g))]
    points += [np.array(p) for p in ((0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1))]
    triangles = [
        (0, 11, 5),
        (0, 5, 1),
        (0, 1, 7),
        (0, 7, 10),
        (0, 10, 11),
        (1, 5, 9),
        (5, 11, 4),
        (11, 10, 2),
        (10, 7, 6),
        (7, 1, 8),
    ]
    triangles += [
        (3, 9, 4),
        (3, 4, 2),
        (3, 2, 6),
        (3, 6, 8),
        (3, 8, 9),
        (4, 9, 5),
        (2, 4, 11),
        (6, 2, 10),
        (8, 6, 7),
        (9, 8, 1),
    ]
    points = [p / np.linalg.norm(p) for p in points]
    for _ in range(2):
        middles: dict[tuple[int, int], int] = {}

        def middle(i: int, j: int, middles: dict[tuple[int, int], int] = middles) -> int:
            edge = (min(i, j), max(i, j))
            if edge not in middles:
                p = points[i] + points[j]
                points.append(p / np.linalg.norm(p))
                middles[edge] = len(points) - 1
            return middles[edge]

        divided = []
        for a, b, c in triangles:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            divided += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        triangles = divided
    return np.array(points), np.array(triangles)


def sphere(radius: float) -> Mesh:
    points, triangles = icosphere()
    return radius * points, triangles.copy()


def cylinder(radius: float, length: float) -> Mesh:
    """Along z, closed."""
    return turned(
        [(0.0, -0.5 * length), (radius, -0.5 * length), (radius, 0.5 * length), (0.0, 0.5 * length)]
    )


def capsule(radius: float, length: float) -> Mesh:
    """A cylinder of `length` along z with half spheres at its ends."""
    angles = np.linspace(0.0, 0.5 * np.pi, RINGS + 1)
    cap = [(radius * np.cos(a), 0.5 * length + radius * np.sin(a)) for a in angles[:-1]] + [
        (0.0, 0.5 * length + radius)
    ]
    return turned([(r, -z) for r, z in reversed(cap)] + cap)


def turned(profile: list[tuple[float, float]]) -> Mesh:
    """The surface that the profile of (radius, z), from pole to pole upward, sweeps about z."""
    phi = 2.0 * np.pi * np.arange(SIDES) / SIDES
    rings = [np.column_stack([r * np.cos(phi), r * np.sin(phi), np.full(SIDES, z)]) for r, z in profile[1:-1]]
    points = np.vstack([[[0.0, 0.0, profile[0][1]]], *rings, [[0.0, 0.0, profile[-1][1]]]])
    top = len(points) - 1
    triangles = []
    for k in range(SIDES):
        j = (k + 1) % SIDES
        triangles.append((0, 1 + j, 1 + k))
        for ring in range(len(rings) - 1):
            a, b = 1 + ring * SIDES, 1 + (ring + 1) * SIDES
            triangles += [(a + k, a + j, b + j), (a + k, b + j, b + k)]
        last = 1 + (len(rings) - 1) * SIDES
        triangles.append((top, last + k, last + j))
    return points, np.array(triangles)
