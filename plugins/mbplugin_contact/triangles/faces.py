"""Bodies that deform: their faces touch shapes, their nodes half-spaces."""

from __future__ import annotations

from typing import Any

from mbplugin.interface import PlacedShape, ShapeKind, internal
from mbplugin.stepping import view
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.asked import ORIGIN, UNIT, placed
from mbplugin_contact.geometry.plane_pairs import sphere_plane
from mbplugin_contact.pairs import of_surface_and_shape, part_between
from mbplugin_contact.stretched import placed_polyhedron
from mbplugin_contact.triangles.deforming import follow_nodes
from mbplugin_contact.triangles.kinds import WITH_CONVEX, WITH_SURFACES
from mbplugin_contact.triangles.meshes import between_surfaces, part_between_surfaces
from mbplugin_contact.triangles.read import FACES, radius_of, surface_of_faces, thickness_of


@internal
def placed_surface(tables, i):
    """A surface of triangles; that of a body that deforms where its nodes are, or will be ahead, in the frame
    of the world.
    """
    shape, contacts = placed(tables, i), view(tables, Contacts)
    if view(tables, Shapes).index[i].corners == 0:
        return shape
    if contacts.followed[i] != contacts.record[0].ahead:
        follow_nodes(tables, i, contacts.record[0].ahead)
    return PlacedShape(tables, i, shape.p, ORIGIN, UNIT)


def of_surface(pair: Any) -> Any:
    """Makes the part that finds the points of a surface and a shape, a polyhedron that may stretch among
    them, by a function of `ShapeKind.pairs`.
    """
    return part_between(placed_surface, placed_polyhedron, pair)


def of_surface_and_any() -> Any:
    """Makes the part that finds the points of a surface and a rigid shape of any kind."""
    return part_between(placed_surface, placed, of_surface_and_shape())


def of_surfaces(pair: Any) -> Any:
    """Makes the part that finds the points of two surfaces."""
    return part_between_surfaces(placed_surface, placed_surface)


class FacesKind(ShapeKind):
    """The faces of a body that deforms."""

    name = FACES
    written = False
    pairs = {FACES: between_surfaces, **WITH_SURFACES, **WITH_CONVEX}

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
