"""Surfaces of the shapes of a scene; each file is read once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import Array
from mbplugin_contact.triangles.boxes import tree_of
from mbplugin_contact.triangles.surface import Surface, rings, surface_of


class Source:
    """Reads the triangles of a shape. Sources of the same triangles are equal."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape
        path = shape.path()
        self.key = (shape.template()[0], path.stat().st_mtime_ns, path.stat().st_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=32)
def read(source: Source) -> Surface:
    return MAKERS[source.shape.type](source.shape)


def mesh_surface(shape: Any) -> Surface:
    """The surface of a mesh. Raises SceneError."""
    try:
        return surface_of(*shape.surface())
    except ValueError as error:
        raise SceneError(f"{shape._key}.file", shape.file, f"cannot collide: {error}") from None


def faces_surface(points: Array, faces: Array) -> Surface:
    """The surface of faces (m, 3) between nodes at points (n, 3) [m], closed and solid inside. Nothing of it is
    flat for good: every edge and corner may touch.
    """
    faces, points = np.asarray(faces, np.int64), np.asarray(points, float)
    ring, _ = rings(faces)
    a, b, c = (points[faces[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    here = np.arange(len(ring))
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    pairs = np.unique(np.concatenate([np.column_stack([start, end]), np.column_stack([end, start])]), axis=0)
    counts = np.bincount(pairs[:, 0], minlength=len(points))
    return Surface(
        points,
        faces,
        area / np.linalg.norm(area, axis=1)[:, None],
        np.arange(len(faces)),
        np.zeros(len(faces), np.int64),
        ring,
        np.minimum(here, ring),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        pairs[:, 1].astype(np.int64),
        tree_of(points[faces]),
        (0, 0, 0.0, 0.0),
    )


#: type of the faces of a body that deforms
FACES = "faces"
#: types of shapes that touch by their triangles
MAKERS: dict[str, Callable[[Any], Surface]] = {"mesh": mesh_surface}


def has_surface(shape: Any) -> bool:
    """Whether a shape touches by its triangles."""
    return shape.kind is not None and shape.contact_type in (*MAKERS, FACES)


def surface_of_shape(shape: Any) -> Surface:
    """The surface of a shape. Raises SceneError."""
    if shape.contact_type == FACES:
        return faces_surface(*shape.surface())
    return read(Source(shape))


def radius_of(shape: Any) -> float:
    """Radius of a sphere about the frame of a shape that holds its surface [m]."""
    return float(np.linalg.norm(surface_of_shape(shape).vertex, axis=1).max())


def thickness_of(shape: Any) -> float:
    """Smallest extent along a principal axis of what a surface encloses [m]; a sheet has no thickness, and
    bounds no step: its size.
    """
    surface = surface_of_shape(shape)
    if surface.both_sides.any():
        return 2.0 * radius_of(shape)
    centred = surface.vertex - surface.vertex.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    return float(np.ptp(centred @ axes.T, axis=0).min())
