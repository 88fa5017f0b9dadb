"""Results of format 1: each shape had a mesh of its own in a group, placed on the body already."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mbplugin.results import format_2, layout
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
    return MESH[rest.partition("/")[2]] if group == "meshes" else format_2.static_array(key)


def stored_static(version: int) -> Callable[[str], Array]:
    """What describes the static arrays of a format."""
    return {1: static_array, 2: format_2.static_array}.get(version, layout.static_array)


def converted(static: Mapping[str, Any]) -> dict[str, Any]:
    """`static` of format 1 with the present arrays in place of `meshes/<mesh>/...`."""
    kept = {key: value for key, value in static.items() if not key.startswith("meshes/")}
    shapes = list(static.get("meshes/shapes", ()))
    meshes: dict[tuple[bytes, bytes], tuple[Any, Any]] = {}
    keys = []
    for shape in shapes:
        points = np.asarray(static[f"meshes/{shape['mesh']}/points"], float)
        triangles = np.asarray(static[f"meshes/{shape['mesh']}/triangles"], np.int64)
        keys.append((points.tobytes(), triangles.tobytes()))
        meshes.setdefault(keys[-1], (points, triangles))
    number = {key: k for k, key in enumerate(meshes)}
    n = len(shapes)
    return kept | {
        **layout.mesh_arrays(meshes.values()),
        "shapes/name": [shape["mesh"] for shape in shapes],
        "shapes/type": ["plane" if shape.get("endless") else "mesh" for shape in shapes],
        "shapes/body": np.array([shape["body"] for shape in shapes], np.int64),
        "shapes/mesh": np.array([number[key] for key in keys], np.int64),
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
