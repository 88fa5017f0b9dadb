"""Meshes of points and lines, and the actors that show them. PyVista is imported when one is made."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.decoder.rotation import Array


def points_mesh(points: Any = ()) -> Any:
    """A mesh of points (n, 3), each a vertex; empty by default."""
    import pyvista as pv

    return pv.PolyData(points) if len(points) else pv.PolyData()


def polylines(parts: Any, cells: str = "lines") -> Any:
    """A mesh of lines, each through the points (n, 3) of one of the parts; cells "faces": of polygons."""
    import pyvista as pv

    if not len(parts):
        return pv.PolyData()
    counts = np.array([len(part) for part in parts])
    starts = np.cumsum(counts) - counts
    numbers = np.concatenate([np.r_[n, start : start + n] for n, start in zip(counts, starts)])
    return pv.PolyData(np.concatenate(parts), **{cells: numbers})  # type: ignore[arg-type]


def regular_mesh(points: Array, faces: Array) -> Any:
    """A mesh of faces (m, k), all with k corners, between points (n, 3)."""
    import pyvista as pv

    return pv.PolyData.from_regular_faces(points, faces)


def tips(ends: Array, along: Array, tip: Any, by_length: bool) -> Any:
    """Copies of a mesh, which points along x, at ends (n, 3) along vectors (n, 3); by_length: as large as
    these, else all alike.
    """
    mesh = points_mesh(ends)
    if not len(ends):
        return mesh
    mesh["along"] = along
    return mesh.glyph(orient="along", scale="along" if by_length else False, factor=1.0, geom=tip)


def mesh_actor(mesh: Any, colour: Any, lighting: bool = False, **properties: Any) -> Any:
    """An actor that shows a mesh, also one that is empty at first, in one colour; properties: of PyVista."""
    import pyvista as pv

    actor = pv.Actor(mapper=pv.DataSetMapper(mesh))
    actor.mapper.scalar_visibility = False
    actor.prop.color, actor.prop.lighting = colour, lighting
    for name, value in properties.items():
        setattr(actor.prop, name, value)
    return actor
