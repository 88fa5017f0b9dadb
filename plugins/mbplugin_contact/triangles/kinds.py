"""Shapes whose surface of triangles touches others: meshes."""

from __future__ import annotations

from typing import Any

from mbplugin.interface import ShapeKind, inlined
from mbplugin.stepping import view
from mbplugin_contact.arrays import Contacts, hulls_of, triangles_of
from mbplugin_contact.geometry.tables import CUBE
from mbplugin_contact.triangles.cores import core_of, touch_core
from mbplugin_contact.triangles.meshes import between_surfaces
from mbplugin_contact.triangles.planes import touch_half_space
from mbplugin_contact.triangles.polyhedra import touch_polyhedron
from mbplugin_contact.triangles.read import radius_of, read, source_of_mesh, thickness_of

ONE = (1.0, 1.0, 1.0)
#: size of a surface relative to that of a body on it, whose rounding counts
OF_SURFACE = 1e-3


@inlined
def size_of_pair(contacts, a, b):
    """The length relative to which a surface a and a shape b are rounded [m]."""
    n = contacts.radius.shape[0]
    # of n shapes those that stretch have a second number, n further on
    return max(contacts.radius[b.number % n], OF_SURFACE * contacts.radius[a.number])


@inlined
def surface_and_core(points, a, b, margin):
    """Points of a surface and a capsule, or a sphere, whose length is 0."""
    contacts = view(a.tables, Contacts)
    p, u = core_of(a, b, b.p[1])
    return touch_core(
        triangles_of(contacts), hulls_of(contacts), contacts.triangles[a.number], points, a.x, a.R, p, u,
        b.p[0], size_of_pair(contacts, a, b), margin,
    )  # fmt: skip


@inlined
def surface_and_polyhedron(points, a, b, margin):
    """Points of a surface and a box, whose polyhedron is a cube, or a convex shape."""
    contacts = view(a.tables, Contacts)
    hull = contacts.hull[b.number]
    edges = (b.p[0], b.p[1], b.p[2]) if hull == CUBE else ONE
    return touch_polyhedron(
        triangles_of(contacts), hulls_of(contacts), contacts.triangles[a.number], points, a, b, hull, edges,
        size_of_pair(contacts, a, b), margin,
    )  # fmt: skip


@inlined
def surface_and_plane(points, a, b, margin):
    contacts = view(a.tables, Contacts)
    return touch_half_space(
        triangles_of(contacts), hulls_of(contacts), contacts.triangles[a.number], points, a, b,
        contacts.radius[a.number], margin,
    )  # fmt: skip


#: functions for a surface and what is convex; and for a surface that is no height field and another one
WITH_CONVEX = {
    "sphere": surface_and_core,
    "capsule": surface_and_core,
    "box": surface_and_polyhedron,
    "convex": surface_and_polyhedron,
}
WITH_SURFACES = {"mesh": between_surfaces, "heightfield": between_surfaces}


class MeshKind(ShapeKind):
    """A mesh as it is, with hollows and holes: solid where its surface is closed, else a sheet."""

    name = "mesh"
    pairs = {**WITH_SURFACES, **WITH_CONVEX, "plane": surface_and_plane}

    @classmethod
    def radius(cls, keys: Any) -> float:
        return radius_of(read(source_of_mesh(keys)))

    @classmethod
    def thickness(cls, keys: Any) -> float:
        return thickness_of(read(source_of_mesh(keys)))
