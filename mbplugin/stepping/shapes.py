"""Shapes of a scene in a step: their types, poses, the motion of their surfaces, moments where they touch."""

from mbplugin.kernels.shapes import material_velocity, shape_map, shape_pose, surface_velocity
from mbplugin.tables.groups import Shapes
from mbplugin.tables.records import (
    BOX_SHAPE,
    CAPSULE_SHAPE,
    CONE_SHAPE,
    CONVEX_SHAPE,
    CYLINDER_SHAPE,
    ELLIPSOID_SHAPE,
    MESH_SHAPE,
    MOMENT,
    PLANE_SHAPE,
    SPHERE_SHAPE,
)

__all__ = [
    "BOX_SHAPE",
    "CAPSULE_SHAPE",
    "CONE_SHAPE",
    "CONVEX_SHAPE",
    "CYLINDER_SHAPE",
    "ELLIPSOID_SHAPE",
    "MESH_SHAPE",
    "MOMENT",
    "PLANE_SHAPE",
    "SPHERE_SHAPE",
    "Shapes",
    "material_velocity",
    "shape_map",
    "shape_pose",
    "surface_velocity",
]
