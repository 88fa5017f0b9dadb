"""The surfaces of all shapes, merged into one set of points that move with the bodies.

p = x + A s          s: point in the body frame, x: origin of the frame in the world
ṗ = v + ω × R s, of bodies that deform v + Ḟ s

A: the rotation R of a rigid body, the deformation gradient F of one that deforms homogeneously, whose normals
are along A⁻ᵀ n.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.decoder.colours import default_colours
from mbplugin.decoder.deformed import maps_of_bodies
from mbplugin.decoder.drawn import Drawn, meshes, put_rates
from mbplugin.decoder.rotation import Array, cross, rotation, with_ground
from mbplugin.results.layout import mesh_arrays

#: of a point (place; velocity, normal and colour in less) and of a triangle (corners, offset, body and name)
POINT_BYTES, TRIANGLE_BYTES = 51, 28
#: points of one body for which a product of matrices is quicker than one sum over all points
LONG = 16


class Geometry:
    """The merged shapes of `static` (see `ResultWriter`).

    A body without a shape is one vertex at its mass centre; the ground is body -1.

    vertices:  (k,) indices of points
    triangles: (m,3) indices of points
    body:      (k + m,) body of each cell: vertices, then triangles
    ends:      (n,) False for points of shapes without an end (planes)
    normals:   (n,3) in the body frames, 0 of vertices; with `smooth`, which doubles points at sharp edges
    colours:   (n,3) red, green and blue from 0 to 255
    """

    def __init__(self, static: Mapping[str, Any], smooth: bool = False) -> None:
        drawn = Drawn(static)
        made = [(*mesh, np.zeros_like(mesh[0])) for mesh in drawn.meshes]
        if smooth:
            made = [with_normals(*mesh) for mesh in drawn.meshes]
        bare = drawn.bare.astype(np.int32)
        counts = np.array([len(points) for points, _, _ in made], np.int64)[drawn.mesh]
        shape = np.repeat(np.arange(len(drawn)), counts)  # of each point
        points, normals = (
            np.concatenate([np.zeros((0, 3)), *(made[m][k] for m in drawn.mesh)]) for k in (0, 2)
        )
        axes, scale = drawn.axes()[shape], drawn.scale[shape]
        arms = np.einsum("nij,nj->ni", axes, points * scale) + drawn.position[shape]
        self._deformed = drawn.deformed
        starts = len(bare) + np.cumsum(counts) - counts
        faces = [made[m][1] + start for m, start in zip(drawn.mesh, starts)]
        triangles = [len(of_shape) for of_shape in faces]
        none = np.zeros((len(bare), 3))
        self._arms = np.concatenate([drawn.bare_centre, arms])
        self.normals = np.concatenate([none, np.einsum("nij,nj->ni", axes, unit(normals / scale))])
        self.colours = np.concatenate([default_colours(bare), drawn.colours()[shape]]).astype(np.uint8)
        # -1 indexes the last row, which is the ground's
        self._owner = np.concatenate([bare, drawn.body[shape].astype(np.int32)])
        self.vertices = np.arange(len(bare), dtype=np.int32)
        self.triangles = np.concatenate([np.zeros((0, 3), np.int32), *faces]).astype(np.int32)
        self.body = np.concatenate([bare, np.repeat(drawn.body, triangles).astype(np.int32)])
        self.ends = np.concatenate([np.full(len(bare), True), ~drawn.endless[shape]])
        stops = np.flatnonzero(np.diff(self._owner, append=-2)) + 1
        #: body, and slice of neighbouring points that it moves
        self._runs = [
            (int(self._owner[stop - 1]), slice(int(start), int(stop)))
            for start, stop in zip([0, *stops[:-1]], stops)
        ]

    def __len__(self) -> int:
        """Number of points."""
        return len(self._arms)

    def at(self, frame: Mapping[str, Array]) -> tuple[Array, Array]:
        """Positions [m] and velocities [m/s] of the points, (n,3) each, world axes."""
        v = with_ground(frame["bodies/velocity"], np.zeros(3))
        w = with_ground(frame["bodies/angular_velocity"], np.zeros(3))
        points, arm = self.positions(frame)
        rates = cross(w[self._owner], arm)
        if len(self._deformed):
            put_rates(rates, self._arms, self._owner, frame, self._deformed)
        return points, v[self._owner] + rates

    def positions(self, frame: Mapping[str, Array]) -> tuple[Array, Array]:
        """(n,3) positions of the points, and from the origins of the frames to them, world axes [m]."""
        x = with_ground(frame["bodies/position"], np.zeros(3))
        arm = self.mapped(maps_of_bodies(frame, self._deformed), self._arms)
        return x[self._owner] + arm, arm

    def normals_at(self, frame: Mapping[str, Array]) -> Array:
        """(n,3) normals of the points, world axes."""
        if not len(self._deformed):
            return self.mapped(rotation(frame["bodies/orientation"]), self.normals)
        A = maps_of_bodies(frame, self._deformed)
        A[self._deformed] = np.swapaxes(np.linalg.inv(A[self._deformed]), 1, 2)
        return unit(self.mapped(A, self.normals))

    def mapped(self, of_bodies: Array, vectors: Array) -> Array:
        """(n,3) vectors of the points in the frames of their bodies, mapped by the matrices (bodies,3,3)."""
        R = with_ground(of_bodies, np.eye(3))
        if len(self._owner) < LONG * len(self._runs):
            return np.asarray(np.einsum("nij,nj->ni", R[self._owner], vectors))
        turned = np.empty_like(vectors)
        for body, points in self._runs:
            np.dot(vectors[points], R[body].T, out=turned[points])
        return turned


def outline(static: Mapping[str, Any], directions: int) -> dict[str, Any]:
    """`static` with the outermost points of each mesh in so many directions, and without triangles."""
    k = np.arange(directions) + 0.5
    z, angle = 1.0 - 2.0 * k / directions, np.pi * (1.0 + 5.0**0.5) * k  # a spiral of equal areas
    ring = np.sqrt(1.0 - z * z)
    to = np.stack([ring * np.cos(angle), ring * np.sin(angle), z])
    kept = [points[np.unique(np.argmax(points @ to, axis=0))] for points, _ in meshes(static)]
    return {**static, **mesh_arrays((points, np.zeros((0, 3), np.int64)) for points in kept)}


def surface_bytes(static: Mapping[str, Any], enough: float = np.inf) -> int:
    """Bytes that one frame of the merged surface takes in a file. If it takes more than `enough` without
    doubled points, these are not counted.
    """
    drawn = Drawn(static)
    for made in (drawn.meshes, (with_normals(*mesh) for mesh in drawn.meshes)):
        sizes = [POINT_BYTES * len(points) + TRIANGLE_BYTES * len(faces) for points, faces, *_ in made]
        size = int(np.array(sizes, np.int64)[drawn.mesh].sum()) + POINT_BYTES * len(drawn.bare)
        if size > enough:
            break
    return size


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
