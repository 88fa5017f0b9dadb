"""Normals of triangle meshes that are smooth but for sharp edges, as pictures of machine parts need them."""

from __future__ import annotations

import numpy as np

from mbplugin.decoder.rotation import Array

#: triangles that meet at a larger angle have a sharp edge between them [degrees]
SHARP = 30.0


def with_normals(points: Array, triangles: Array) -> tuple[Array, Array, Array]:
    """Points (n, 3), triangles (m, 3) and unit normals (n, 3) of the same surface: a point at a sharp edge
    occurs once for each side of it.

    The normal at the corner of a triangle is the mean of those of all triangles at this point that meet it at
    less than `SHARP`, each weighted with its angle there. Triangles without area keep a normal of zero.
    """
    points, triangles = np.asarray(points, float).reshape(-1, 3), np.asarray(triangles, np.int64)
    if not len(triangles):
        return points, triangles.reshape(-1, 3), np.zeros((len(points), 3))
    _, same = np.unique(points, axis=0, return_inverse=True)
    corner = same.reshape(-1)[triangles].ravel()  # the place in space of each corner
    face = np.repeat(unit(face_normals(points, triangles)), 3, axis=0)
    weight = angles(points[triangles]).ravel()
    first, second = pairs_at_points(corner)
    smooth = np.einsum("ij,ij->i", face[first], face[second]) > np.cos(np.radians(SHARP))
    normal = weight[:, None] * face
    total = np.zeros_like(normal)
    np.add.at(total, first[smooth], normal[second[smooth]])
    total = unit(total)
    # corners at one place with one normal are one point
    keys = np.column_stack([corner, np.round(1e6 * total)])
    _, kept, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return points[triangles.ravel()[kept]], number.reshape(-1, 3), total[kept]


def pairs_at_points(corner: Array) -> tuple[Array, Array]:
    """All ordered pairs of corners, also of one with itself, that are at one place."""
    order = np.argsort(corner, kind="stable")
    _, start, count = np.unique(corner[order], return_index=True, return_counts=True)
    per_corner = np.repeat(count, count)
    first = np.repeat(order, per_corner)
    within = np.arange(per_corner.sum()) - np.repeat(np.cumsum(per_corner) - per_corner, per_corner)
    return first, order[np.repeat(np.repeat(start, count), per_corner) + within]


def face_normals(points: Array, triangles: Array) -> Array:
    """(m, 3) normals, counter-clockwise from outside, as long as twice the areas."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def angles(corners: Array) -> Array:
    """(m, 3) angles of triangles (m, 3, 3) at their corners [rad]."""
    onward = unit(np.roll(corners, -1, axis=1) - corners)
    back = unit(np.roll(corners, 1, axis=1) - corners)
    return np.arccos(np.clip((onward * back).sum(axis=-1), -1.0, 1.0))


def unit(vectors: Array) -> Array:
    """Vectors of length 1; zero ones stay."""
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, size, out=np.zeros_like(vectors), where=size > 0.0)
