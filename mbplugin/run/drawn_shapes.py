"""The shapes of a system as the arrays of the result: meshes once, and where each shape has its mesh."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from mbplugin.model import System


def shape_arrays(system: System) -> dict[str, Any]:
    """Arrays and attributes of the groups `meshes` and `shapes`; the ground is body -1.

    Shapes of equal `template` share a mesh. Raises SceneError for a mesh file that cannot be read.
    """
    owners = [(k, body.name, body.shapes) for k, body in enumerate(system.bodies)]
    owners.append((-1, "ground", system.scene.shapes))
    number: dict[Hashable, int] = {}
    points: list[Any] = []
    triangles: list[Any] = []
    names, types, body, mesh, position, orientation, scale, color = [], [], [], [], [], [], [], []
    visible = []
    for k, owner, shapes in owners:
        for n, shape in enumerate(shapes):
            key, factors = shape.template()
            if key not in number:
                number[key] = len(number)
                of_points, of_triangles = shape.template_surface()
                points.append(of_points)
                triangles.append(of_triangles)
            names.append(shape.name or f"{owner}_{n}")
            types.append(shape.type)
            body.append(k)
            mesh.append(number[key])
            position.append(shape.position)
            orientation.append(shape.rotation())
            scale.append(factors)
            visible.append(shape.visible)
            color.append(shape.color or (np.nan, np.nan, np.nan))
    rows = lambda values, columns: np.array(values, float).reshape(len(body), columns)
    return {
        "meshes/points": np.concatenate([np.zeros((0, 3)), *points]),
        "meshes/triangles": np.concatenate([np.zeros((0, 3), np.int64), *triangles]),
        "meshes/point_stop": np.cumsum([len(of_mesh) for of_mesh in points], dtype=np.int64),
        "meshes/triangle_stop": np.cumsum([len(of_mesh) for of_mesh in triangles], dtype=np.int64),
        "shapes/name": names,
        "shapes/type": types,
        "shapes/body": np.array(body, np.int64),
        "shapes/mesh": np.array(mesh, np.int64),
        "shapes/position": rows(position, 3),
        "shapes/orientation": rows(orientation, 4),
        "shapes/scale": rows(scale, 3),
        "shapes/color": rows(color, 3),
        "shapes/visible": np.array(visible, np.int64),
    }
