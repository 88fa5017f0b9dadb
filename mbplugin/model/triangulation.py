"""Triangles of boxes, spheres and surfaces of revolution, counter-clockwise seen from outside.

Points are (n, 3) in the units of the arguments, triangles (m, 3).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Triangles = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
SIDES = 32  # of a circle drawn as a polygon

# corner 4 i + 2 j + k is at the end i of x, j of y, k of z
BOX = np.array(
    [
        *([1, 3, 0], [4, 1, 0], [0, 3, 2], [2, 4, 0], [1, 7, 3], [5, 1, 4]),
        *([5, 7, 1], [3, 7, 2], [6, 4, 2], [2, 7, 6], [6, 5, 4], [7, 5, 6]),
    ]
)
ICOSAHEDRON = np.array(
    [
        *([0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4]),
        *([11, 10, 2], [10, 7, 6], [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8]),
        *([3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]),
    ]
)


def box(size: ArrayLike) -> Triangles:
    """A centred box with edges of lengths `size` (3,) along x, y, z."""
    corners = [[i, j, k] for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)]
    return np.array(corners) * size, BOX.copy()


def sphere(radius: float) -> Triangles:
    """A centred sphere: an icosahedron whose triangles are divided into four, twice."""
    points, triangles = icosahedron(), ICOSAHEDRON
    for _ in range(2):
        points, triangles = divide(points, triangles)
        length = np.sqrt(points**2 @ np.ones(3))[:, None]
        points = points + points / length * (radius - length)
    return points, triangles


def icosahedron() -> NDArray[np.float64]:
    """(12, 3) points of an icosahedron on the unit sphere: (±a, ±b, 0) and cyclic permutations."""
    golden = (1.0 + np.sqrt(5.0)) / 2.0
    a, b = np.array([1.0, golden]) / np.sqrt(1.0 + golden * golden)
    points = [[-a, b, 0], [a, b, 0], [-a, -b, 0], [a, -b, 0]]
    return np.array([np.roll(point, shift) for shift in range(3) for point in points])


def divide(points: NDArray[Any], triangles: NDArray[Any]) -> Triangles:
    """Each triangle divided into four by the middles of its edges."""
    edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    unique, inverse = np.unique(edges[:, 1] * len(points) + edges[:, 0], return_inverse=True)
    high, low = np.divmod(unique, len(points))
    middles = points[np.column_stack([low, high])].mean(axis=1)
    (a, b, c), (ab, bc, ca) = triangles.T, (len(points) + inverse.reshape(-1, 3)).T
    parts = np.column_stack([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca])
    return np.vstack([points, middles]), parts.reshape(-1, 3)


def cylinder(radius: float, length: float) -> Triangles:
    """A centred cylinder along z."""
    half = length / 2.0
    return revolution(np.array([[0, -half], [radius, -half], [radius, half], [0, half]]))


def capsule(radius: float, length: float) -> Triangles:
    """A centred cylinder along z of this length, with hemispheres at its ends."""
    quarter = np.linspace(0.0, np.pi / 2.0, SIDES // 2 + 1)
    angle = np.concatenate([np.linspace(-np.pi / 2.0, 0.0, SIDES // 2 + 1), quarter])
    profile = np.column_stack([np.cos(angle), np.sin(angle)]) * radius
    profile[: len(quarter), 1] -= length / 2.0
    profile[len(quarter) :, 1] += length / 2.0
    return revolution(profile, SIDES // 2)


def revolution(profile: NDArray[np.float64], sides: int = SIDES) -> Triangles:
    """A profile (k, 2) of radius and z, from the lower pole to the upper one, turned about z."""
    k = len(profile)
    angle = np.linspace(0.0, 2.0 * np.pi, sides + 1)[:-1, None]
    radius, z = profile.T
    rings = np.stack([np.cos(angle) * radius, np.sin(angle) * radius, np.tile(z, (sides, 1))], axis=-1)
    # the first meridian has both poles, the others what is between them
    points = np.vstack([rings[0], rings[1:, 1:-1].reshape(-1, 3)])
    number = np.empty((sides + 1, k), np.int64)
    number[0] = number[-1] = np.arange(k)
    number[1:-1] = number[0]
    number[1:-1, 1:-1] = k + np.arange((sides - 1) * (k - 2)).reshape(sides - 1, k - 2)
    here, there = number[:-1], number[1:]  # a meridian and the next
    lower = np.stack([here[:, :-1], there[:, :-1], here[:, 1:]], axis=-1)
    upper = np.stack([here[:, 1:], there[:, :-1], there[:, 1:]], axis=-1)
    faces = np.stack([lower, upper], axis=2).reshape(sides, -1, 3)
    # at a pole two corners fall together
    return points, np.ascontiguousarray(faces[:, 1:-1].reshape(-1, 3))
