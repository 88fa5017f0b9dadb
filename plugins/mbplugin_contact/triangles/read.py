"""Surfaces of the shapes of a scene; each file is read once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin_contact.triangles.grid import field_surface
from mbplugin_contact.triangles.surface import Surface, surface_of


class Source:
    """Makes the surface of a shape from its keys. Sources of the same surface are equal."""

    def __init__(self, maker: Callable[[Any], Surface], keys: Any, path: Any, *more: Any) -> None:
        self.maker, self.keys = maker, keys
        self.key = (maker, path, path.stat().st_mtime_ns, path.stat().st_size, *more)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=32)
def read(source: Source) -> Surface:
    return source.maker(source.keys)


def mesh_surface(mesh: Any) -> Surface:
    """The surface of a mesh. Raises SceneError."""
    try:
        return surface_of(*mesh.surface())
    except ValueError as error:
        raise SceneError(f"{mesh._key}.file", mesh.file, f"cannot collide: {error}") from None


def source_of_mesh(mesh: Any) -> Source:
    return Source(mesh_surface, mesh, mesh.path(), mesh.scale)


def source_of_field(keys: Any) -> Source:
    return Source(surface_of_field, keys, keys.path, keys.scale, keys.size)


def surface_of_field(keys: Any) -> Surface:
    return field_surface(keys.heights(), keys.size)


#: types of shapes that touch by their triangles
SOURCES: dict[str, Callable[[Any], Source]] = {"mesh": source_of_mesh, "heightfield": source_of_field}


def has_surface(shape: Any) -> bool:
    """Whether a shape touches by its triangles."""
    return shape.kind is not None and shape.contact_type in SOURCES


def surface_of_shape(shape: Any) -> Surface:
    """The surface of a shape. Raises SceneError."""
    return read(SOURCES[shape.contact_type](shape.keys_of_kind))


def radius_of(surface: Surface) -> float:
    """Radius of a sphere about its frame that holds a surface [m]."""
    return float(np.linalg.norm(surface.vertex, axis=1).max())


def thickness_of(surface: Surface) -> float:
    """Smallest extent along a principal axis of what a surface encloses [m]; what encloses nothing has no
    thickness, and bounds no step: its size.
    """
    if surface.both_sides.any() or surface.tree is None:
        return 2.0 * radius_of(surface)
    centred = surface.vertex - surface.vertex.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    return float(np.ptp(centred @ axes.T, axis=0).min())
