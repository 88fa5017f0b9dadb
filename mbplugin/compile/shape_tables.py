"""The table of shapes, of all bodies in the order of the scene and then of the ground."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile.draft import Draft, DraftBody
from mbplugin.model import System
from mbplugin.problem import Names
from mbplugin.tables.groups import Shapes
from mbplugin.tables.records import (
    BOX_SHAPE,
    CAPSULE_SHAPE,
    CONVEX_SHAPE,
    CYLINDER_SHAPE,
    MESH_SHAPE,
    PLANE_SHAPE,
    SPHERE_SHAPE,
    ShapeRecord,
)
from mbplugin.tables.spec import records

#: numbers of the types that the engine knows
TYPES = {
    "sphere": SPHERE_SHAPE,
    "box": BOX_SHAPE,
    "cylinder": CYLINDER_SHAPE,
    "capsule": CAPSULE_SHAPE,
    "plane": PLANE_SHAPE,
    "mesh": MESH_SHAPE,
    "convex": CONVEX_SHAPE,
}


def type_numbers(system: System) -> dict[str, int]:
    """Numbers of all types of shapes in a system; those of plugins follow the engine's, by name."""
    others = sorted({shape.type for _, _, shape in system.shapes()} - TYPES.keys())
    return TYPES | {name: len(TYPES) + k for k, name in enumerate(others)}


def shape_tables(system: System, draft: Draft, bodies: list[DraftBody], names: Names) -> Shapes:
    """The table of shapes; sets `names.shapes`. The markers in `names` must have their final numbers."""
    type_number = type_numbers(system)
    rows: list[tuple[int, ...]] = []
    arm: list[Any] = []
    p: list[float] = []
    # number of the body, its marker and its origin; of the ground none
    of_body = zip(
        names.body_index,
        names.body_marker,
        draft.origins or [bodies[i].plan.origin for i in names.body_index],
    )
    places = dict(zip(map(id, system.bodies), of_body))
    for (owner, _, shape), belt in zip(system.shapes(), draft.belts):
        number, marker, origin = places.get(id(owner), (-1, -1, np.zeros(3)))
        numbers = shape.numbers()
        names.shapes.append(shape)
        rows.append((number, type_number[shape.type], marker, len(p), len(numbers), belt))
        arm.append(np.array(shape.position) - origin)
        p += numbers
    array = lambda values, columns: np.array(values, float).reshape(len(rows), columns)
    return Shapes(
        records(ShapeRecord, rows),
        np.array(p, float),
        array([shape.position for shape in names.shapes], 3),
        array([shape.axes().ravel() for shape in names.shapes], 9),
        array(arm, 3),
    )
