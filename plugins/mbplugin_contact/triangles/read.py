"""Surfaces of the shapes of a scene; each file is read once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin_contact.triangles.surface import Surface, surface_of


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


#: types of shapes that touch by their triangles
MAKERS: dict[str, Callable[[Any], Surface]] = {"mesh": mesh_surface}


def has_surface(shape: Any) -> bool:
    """Whether a shape touches by its triangles."""
    return shape.kind is not None and shape.contact_type in MAKERS


def surface_of_shape(shape: Any) -> Surface:
    """The surface of a shape. Raises SceneError."""
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
