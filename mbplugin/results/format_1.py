"""Results of format 1: each shape had a mesh of its own in a group, placed on the body already."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.results import layout
from mbplugin.results.layout import Array

#: arrays of the group of a mesh
MESH = {
    "points": Array(("point", "xyz"), "m", "in the body frame"),
    "triangles": Array(("triangle", "corner"), "1", "indices into points", "<i8"),
}
#: where a scene says nothing [m/s²]
GRAVITY = (0.0, 0.0, -9.81)


def static_array(key: str) -> Array:
    """The description of the static array `key`. Raises KeyError if the format has none."""
    group, _, rest = key.partition("/")
    return MESH[rest.partition("/")[2]] if group == "meshes" else layout.static_array(key)


def converted(static: Mapping[str, Any]) -> dict[str, Any]:
    """`static` of format 1 with the arrays of format 2 in place of `meshes/<mesh>/...`."""
    kept = {key: value for key, value in static.items() if not key.startswith("meshes/")}
    shapes = list(static.get("meshes/shapes", ()))
    meshes: dict[tuple[bytes, bytes], int] = {}
    points, triangles, mesh = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], []
    for shape in shapes:
        of_points = np.asarray(static[f"meshes/{shape['mesh']}/points"], float)
        of_triangles = np.asarray(static[f"meshes/{shape['mesh']}/triangles"], np.int64)
        key = (of_points.tobytes(), of_triangles.tobytes())
        if key not in meshes:
            meshes[key] = len(meshes)
            points.append(of_points)
            triangles.append(of_triangles)
        mesh.append(meshes[key])
    n = len(shapes)
    return kept | {
        "meshes/points": np.concatenate(points),
        "meshes/triangles": np.concatenate(triangles),
        "meshes/point_stop": np.cumsum([len(of_mesh) for of_mesh in points[1:]], dtype=np.int64),
        "meshes/triangle_stop": np.cumsum([len(of_mesh) for of_mesh in triangles[1:]], dtype=np.int64),
        "shapes/name": [shape["mesh"] for shape in shapes],
        "shapes/type": ["plane" if shape.get("endless") else "mesh" for shape in shapes],
        "shapes/body": np.array([shape["body"] for shape in shapes], np.int64),
        "shapes/mesh": np.array(mesh, np.int64),
        "shapes/position": np.zeros((n, 3)),
        "shapes/orientation": np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)),
        "shapes/scale": np.ones((n, 3)),
        "shapes/color": np.array([shape.get("color") or [np.nan] * 3 for shape in shapes], float).reshape(
            n, 3
        ),
    }


def gravity(scene: str) -> np.ndarray[Any, Any]:
    """(3,) from the text of a scene [m/s²]; of a text that is no scene the default."""
    try:
        given = tomllib.loads(scene).get("scene", {}).get("gravity", GRAVITY)
        return np.array(given, float).reshape(3)
    except (tomllib.TOMLDecodeError, AttributeError, ValueError, TypeError):
        return np.array(GRAVITY)
