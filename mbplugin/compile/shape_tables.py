"""The table of shapes, of all bodies in the order of the scene and then of the ground."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile.draft import Draft, DraftBody, first_part_of
from mbplugin.model import System
from mbplugin.model.shape import SurfaceFaces, SurfaceNode
from mbplugin.problem import Names
from mbplugin.tables.groups import Shapes
from mbplugin.tables.records import (
    BOX_SHAPE,
    CAPSULE_SHAPE,
    CONE_SHAPE,
    CONVEX_SHAPE,
    CYLINDER_SHAPE,
    ELLIPSOID_SHAPE,
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
    "cone": CONE_SHAPE,
    "ellipsoid": ELLIPSOID_SHAPE,
}


def type_numbers(system: System) -> dict[str, int]:
    """Numbers of all types of shapes in a system; those of plugins and of bodies that stretch follow the
    engine's, by name.
    """
    others = sorted({shape.tabled_type for _, _, shape in system.shapes()} - TYPES.keys())
    return TYPES | {name: len(TYPES) + k for k, name in enumerate(others)}


def shape_tables(
    system: System, draft: Draft, bodies: list[DraftBody], names: Names, place: dict[int, int]
) -> Shapes:
    """The table of the shapes in `names`, whose markers have their final numbers.

    place: the marker of each point of the draft
    """
    type_number = type_numbers(system)
    rows: list[tuple[int, ...]] = []
    corner: list[int] = []
    corner_part: list[int] = []
    arm: list[Any] = []
    p: list[float] = []
    # number of the body, its markers and its origin; of the ground none
    of_body = zip(
        names.body_index,
        names.body_marker,
        names.stretches,
        draft.origins or [bodies[i].plan.origin for i in names.body_index],
    )
    places = dict(zip(map(id, system.bodies), of_body))
    for (owner, _, shape), belt in zip(system.shapes(), draft.belts):
        number, marker, stretch, origin = places.get(id(owner), (-1, -1, -1, np.zeros(3)))
        numbers = shape.numbers()
        part, at_marker, faces = number, np.array(shape.position) - origin, (0, 0, 0)
        if isinstance(shape, SurfaceNode):
            point = bodies[number].nodes[shape._node]
            moves = part_of_node(draft, bodies, number, point)
            part = number if moves < 0 else moves
            marker, at_marker = place[point], np.zeros(3)
        elif isinstance(shape, SurfaceFaces):
            nodes = owner.content.surface.faces
            points = [bodies[number].nodes[k] for k in nodes.ravel()]
            faces = (len(corner), len(points), nodes.shape[1])
            corner += [place[point] for point in points]
            corner_part += [part_of_node(draft, bodies, number, point) for point in points]
        kind = type_number[shape.tabled_type]
        rows.append((number, part, kind, marker, len(p), len(numbers), belt, stretch, *faces))
        arm.append(at_marker)
        p += numbers
    array = lambda values, columns: np.array(values, float).reshape(len(rows), columns)
    return Shapes(
        records(ShapeRecord, rows),
        np.array(p, float),
        array([shape.position for shape in names.shapes], 3),
        array([shape.axes().ravel() for shape in names.shapes], 9),
        array(arm, 3),
        np.array(corner, np.int64),
        np.array(corner_part, np.int64),
    )


def part_of_node(draft: Draft, bodies: list[DraftBody], number: int, point: int) -> int:
    """The part of body `number` with which a point that is a node moves; −1: it is held."""
    record = draft.points[point][1]
    return first_part_of(bodies, number) + int(record[1]) if record[0] > 0.0 else -1
