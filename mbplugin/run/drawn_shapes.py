"""The shapes of a system as the arrays of the result: meshes once, and where each shape has its mesh."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from mbplugin.model import System
from mbplugin.results.layout import mesh_arrays

NO_COLOR = (np.nan, np.nan, np.nan)


def shape_arrays(system: System) -> dict[str, Any]:
    """Arrays and attributes of the groups `meshes` and `shapes`; the ground is body -1.

    Shapes of equal `template` share a mesh. Raises SceneError for a mesh file that cannot be read.
    """
    owners = [(k, body.name, body.shapes) for k, body in enumerate(system.bodies)]
    owners.append((-1, "ground", system.scene.shapes))
    placed = [
        (k, shape.name or f"{owner}_{n}", shape)
        for k, owner, of_owner in owners
        for n, shape in enumerate(of_owner)
    ]
    shapes = [shape for _, _, shape in placed]
    templates = [shape.template() for shape in shapes]
    meshes: dict[Hashable, Any] = {}
    for shape, (key, _) in zip(shapes, templates):
        if key not in meshes:
            meshes[key] = shape.template_surface()
    number = {key: k for k, key in enumerate(meshes)}
    rows = lambda values, columns: np.array(values, float).reshape(len(shapes), columns)
    return {
        **mesh_arrays(meshes.values()),
        "shapes/name": [name for _, name, _ in placed],
        "shapes/type": [shape.type for shape in shapes],
        "shapes/body": np.array([k for k, _, _ in placed], np.int64),
        "shapes/mesh": np.array([number[key] for key, _ in templates], np.int64),
        "shapes/position": rows([shape.position for shape in shapes], 3),
        "shapes/orientation": rows([shape.rotation() for shape in shapes], 4),
        "shapes/scale": rows([factors for _, factors in templates], 3),
        "shapes/color": rows([shape.color or NO_COLOR for shape in shapes], 3),
        "shapes/visible": np.array([shape.visible for shape in shapes], np.int64),
    }
