"""The table of shapes, of all bodies in the order of the scene and then of the ground."""

from __future__ import annotations

import numpy as np

from mbplugin.compile.draft import DraftBody
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

TYPES = {
    "sphere": SPHERE_SHAPE,
    "box": BOX_SHAPE,
    "cylinder": CYLINDER_SHAPE,
    "capsule": CAPSULE_SHAPE,
    "plane": PLANE_SHAPE,
    "mesh": MESH_SHAPE,
    "convex": CONVEX_SHAPE,
}


def shape_tables(system: System, bodies: list[DraftBody], names: Names) -> Shapes:
    """The table of shapes; sets `names.shapes`. The markers in `names` must have their final numbers."""
    rows, size, x, R, arm = [], [], [], [], []
    for k, body in enumerate(system.bodies):
        number = names.body_index[k]
        for shape in body.shapes:
            names.shapes.append(shape)
            rows.append((number, TYPES[shape.type], names.body_marker[k]))
            arm.append(np.array(shape.position) - bodies[number].plan.origin)
    for shape in system.scene.shapes:
        names.shapes.append(shape)
        rows.append((-1, TYPES[shape.type], -1))
        arm.append(np.array(shape.position))
    for shape in names.shapes:
        size.append(shape.lengths())
        x.append(shape.position)
        R.append(shape.axes().ravel())
    n = len(rows)
    three = lambda values: np.array(values, float).reshape(n, 3)
    return Shapes(
        records(ShapeRecord, rows), three(size), three(x), np.array(R, float).reshape(n, 9), three(arm)
    )
