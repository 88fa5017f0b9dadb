"""Bodies that deform: their faces touch shapes, their nodes half-spaces."""

from __future__ import annotations

from typing import Any

from mbplugin.interface import PlacedShape, ShapeKind, internal
from mbplugin.stepping import view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.geometry.plane_pairs import sphere_plane
from mbplugin_contact.pairs import part_between, placed, surface_and_support
from mbplugin_contact.stretched import UNIT, placed_polyhedron
from mbplugin_contact.triangles.deforming import follow_nodes
from mbplugin_contact.triangles.kinds import (
    surface_and_box,
    surface_and_capsule,
    surface_and_convex,
    surface_and_sphere,
)
from mbplugin_contact.triangles.meshes import between_surfaces, part_between_surfaces
from mbplugin_contact.triangles.read import FACES, radius_of, surface_of_faces, thickness_of


@internal
def placed_faces(tables, i):
    """The faces of a body that deforms where its nodes are, or will be ahead, in the frame of the world."""
    contacts = view(tables, Contacts)
    ahead = contacts.record[0].ahead
    if contacts.followed[i] != ahead:
        follow_nodes(tables, i, ahead)
    shape = placed(tables, i)
    return PlacedShape(tables, i, shape.p, (0.0, 0.0, 0.0), UNIT)


def of_faces(pair: Any) -> Any:
    """Makes the part that finds the points of faces and a rigid shape by a function for surfaces."""
    return part_between(placed_faces, placed, pair)


def of_faces_and_stretched(pair: Any) -> Any:
    """Makes the part that finds the points of faces and a polyhedron that stretches."""
    return part_between(placed_faces, placed_polyhedron, pair)


def of_faces_and_support(support: Any) -> Any:
    """Makes the part that finds the points of faces and a shape with this support function."""
    return part_between(placed_faces, placed, surface_and_support(support))


def of_faces_of_two(pair: Any) -> Any:
    """Makes the part that finds the points of the faces of two bodies."""
    return part_between_surfaces(placed_faces, placed_faces)


def of_faces_and_surface(pair: Any) -> Any:
    """Makes the part that finds the points of the faces of a body and a rigid surface."""
    return part_between_surfaces(placed_faces, placed)


class FacesKind(ShapeKind):
    """The faces of a body that deforms."""

    name = FACES
    written = False
    pairs = {
        FACES: between_surfaces,
        "mesh": between_surfaces,
        "heightfield": between_surfaces,
        "sphere": surface_and_sphere,
        "capsule": surface_and_capsule,
        "box": surface_and_box,
        "convex": surface_and_convex,
    }

    @classmethod
    def radius(cls, keys: Any) -> float:
        return radius_of(surface_of_faces(keys))

    @classmethod
    def thickness(cls, keys: Any) -> float:
        return thickness_of(surface_of_faces(keys))


class NodeKind(ShapeKind):
    """A node of a body that deforms and has faces: a ball without radius."""

    name = "node"
    written = False
    pairs = {"plane": sphere_plane}

    @classmethod
    def radius(cls, keys: Any) -> float:
        return 0.0

    @classmethod
    def thickness(cls, keys: Any) -> float:
        return 0.0
