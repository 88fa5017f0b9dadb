"""Remarks on meshes that seem to be in millimetres. Files of STL, OBJ and PLY do not say their unit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from mbplugin.model.shape import Mesh, OtherShape

if TYPE_CHECKING:
    from mbplugin.model.system import System

#: a mesh of a body without `scale` gets a remark if it is so many times as large as everything else (the
#: ground: so many times), or larger than so many metres where nothing else has a size
RATIO, RATIO_OF_GROUND, METRES = 100.0, 1000.0, 300.0


def remarks(system: System) -> list[str]:
    """A line for each mesh file without `scale` that is far too large. Raises SceneError."""
    meshes = list(unscaled(system))
    if not meshes:
        return []
    rest = size_without(system, {id(shape) for _, shape, _ in meshes})
    lines, sizes = [], {}
    for key, shape, ratio in meshes:
        if shape.file not in sizes:
            sizes[shape.file] = float(np.ptp(shape.surface()[0], axis=0).max())
        size = sizes[shape.file]
        if size > (ratio * rest if rest > 0.0 else METRES):
            other = f"everything else is within {rest:.3g} m" if rest > 0.0 else "a body of this size is rare"
            lines.append(
                f'{key}.file = "{shape.file}" is {size:.4g} m large, but {other}; if the file is in '
                f"millimetres, add scale = 0.001 (scale = 1 says that it is in metres)"
            )
    return lines


def unscaled(system: System) -> Iterator[tuple[str, Mesh, float]]:
    """(key, shape, accepted ratio) of all meshes without `scale`."""
    owners: list[tuple[str, Any, float]] = [("scene", system.scene, RATIO_OF_GROUND)]
    owners += [(f"body[{k}]", body, RATIO) for k, body in enumerate(system.bodies)]
    for key, owner, ratio in owners:
        for n, shape in enumerate(owner.shapes):
            if isinstance(shape, Mesh) and "scale" not in shape.model_fields_set:
                yield f"{key}.shape[{n}]", shape, ratio


def size_without(system: System, left_out: set[int]) -> float:
    """Largest extent of all positions and lengths, without planes and the shapes with these ids [m]."""
    lengths: list[float] = [0.0]
    points: list[Any] = []
    owners: list[Any] = [system.scene, *system.bodies]
    for owner in owners:
        place = np.array(getattr(owner, "position", (0.0, 0.0, 0.0)), float)
        points.append(place)
        points += [place + marker.position for marker in owner.markers]
        for shape in owner.shapes:
            if id(shape) in left_out or shape.type == "plane":
                continue
            points.append(place + shape.position)
            by_numbers = not isinstance(shape, Mesh | OtherShape)
            scaled = np.array([shape.numbers()]) if by_numbers else shape.surface()[0]
            lengths.append(float(np.abs(scaled).max()))
    elements: list[Any] = [*system.joints, *system.forces]
    points += [np.array(element.at) for element in elements if element.at is not None]
    return max(float(np.ptp(np.array(points), axis=0).max()), *lengths)
