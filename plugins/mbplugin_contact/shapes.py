"""The shapes of the engine that collide: how each touches the others.

Functions get `PlacedShape`s a and b, whose p are the lengths of the shape [m].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.interface import Array, Outline, ShapeKind, inlined, put_corner
from mbplugin.stepping import view
from mbplugin_contact.arrays import Contacts, hulls_of
from mbplugin_contact.geometry.box_box import box_box
from mbplugin_contact.geometry.capsule_pairs import capsule_capsule, capsule_polyhedron
from mbplugin_contact.geometry.convex import convex_convex
from mbplugin_contact.geometry.faces import hull_face
from mbplugin_contact.geometry.plane_pairs import box_plane, capsule_plane, convex_plane, sphere_plane
from mbplugin_contact.geometry.sphere_pairs import sphere_box, sphere_sphere
from mbplugin_contact.geometry.tables import CUBE, hull_vertex, support_vertex
from mbplugin_contact.outlines import capsule_section, disc_section, section_of_hull
from mbplugin_contact.round_shapes import ROUND_SHAPES, sideways
from mbplugin_contact.triangles.heightfield import HeightfieldKind
from mbplugin_contact.triangles.kinds import MeshKind

#: edges of a polyhedron's frame: it is not scaled
ONE = (1.0, 1.0, 1.0)


@inlined
def polyhedra(a):
    """The tables of polyhedra."""
    return hulls_of(view(a.tables, Contacts))


@inlined
def hull_of(a):
    """Number of the polyhedron of a convex shape."""
    return view(a.tables, Contacts).hull[a.number]


@inlined
def edges(a):
    """Edge lengths of a box."""
    return (a.p[0], a.p[1], a.p[2])


@inlined
def scale_of(a):
    """What the polyhedron of a box, which is a cube, or of a convex shape is scaled by."""
    return edges(a) if hull_of(a) == CUBE else ONE


def centre(a, d):
    return (0.0, 0.0, 0.0), 0


def end_of_core(a, d):
    """The end of a capsule's axis."""
    up = d[2] > 0.0
    return (0.0, 0.0, 0.5 * a.p[1] if up else -0.5 * a.p[1]), 1 if up else 0


def corner(a, d):
    i, j, k = d[0] > 0.0, d[1] > 0.0, d[2] > 0.0
    x = 0.5 * a.p[0] if i else -0.5 * a.p[0]
    y = 0.5 * a.p[1] if j else -0.5 * a.p[1]
    z = 0.5 * a.p[2] if k else -0.5 * a.p[2]
    return (x, y, z), 4 * i + 2 * j + k


def vertex(a, d):
    k = support_vertex(polyhedra(a), hull_of(a), ONE, d, 0)
    return hull_vertex(polyhedra(a), hull_of(a), ONE, k), k


def core(face, a, d):
    """A capsule's axis."""
    put_corner(face, 0, (0.0, 0.0, -0.5 * a.p[1]), 0.0, 0)
    return put_corner(face, 1, (0.0, 0.0, 0.5 * a.p[1]), 0.0, 1), sideways(d)


def side_of_box(face, a, d):
    return hull_face(face, polyhedra(a), CUBE, edges(a), d)


def side_of_convex(face, a, d):
    return hull_face(face, polyhedra(a), hull_of(a), ONE, d)


def capsule_and_polyhedron(points, a, b, margin):
    """Of a sphere too, whose length is 0."""
    return capsule_polyhedron(
        polyhedra(a), points, a.p[0], a.p[1], a.x, a.R, hull_of(b), scale_of(b), b.x, b.R, margin
    )  # fmt: skip


def boxes(points, a, b, margin):
    return box_box(polyhedra(a), points, edges(a), a.x, a.R, edges(b), b.x, b.R, margin)


def two_polyhedra(points, a, b, margin):
    return convex_convex(
        polyhedra(a), points, hull_of(a), scale_of(a), a.x, a.R, hull_of(b), scale_of(b), b.x, b.R, margin
    )  # fmt: skip


def convex_and_plane(points, a, b, margin):
    return convex_plane(polyhedra(a), points, hull_of(a), a.x, a.R, b.x, b.R, margin)


class SphereKind(ShapeKind):
    """A sphere."""

    name = "sphere"
    examples = ({"radius": 0.2},)
    support = staticmethod(centre)
    pairs = {
        "sphere": sphere_sphere,
        "capsule": capsule_capsule,
        "box": sphere_box,
        "convex": capsule_and_polyhedron,
        "plane": sphere_plane,
    }

    @classmethod
    def radius(cls, keys: Any) -> float:
        return float(keys.radius)

    @classmethod
    def rounding(cls, keys: Any) -> float:
        return float(keys.radius)

    @classmethod
    def thickness(cls, keys: Any) -> float:
        return 2.0 * float(keys.radius)

    @classmethod
    def outline(cls, keys: Any, normal: Array, distance: float) -> Outline:
        return disc_section(keys.radius, normal, distance)


class CapsuleKind(ShapeKind):
    """A cylinder with hemispheres at its ends."""

    name = "capsule"
    examples = ({"radius": 0.1, "length": 0.3},)
    support = staticmethod(end_of_core)
    face = staticmethod(core)
    pairs = {
        "capsule": capsule_capsule,
        "box": capsule_and_polyhedron,
        "convex": capsule_and_polyhedron,
        "plane": capsule_plane,
    }

    @classmethod
    def radius(cls, keys: Any) -> float:
        return float(keys.radius + 0.5 * keys.length)

    @classmethod
    def rounding(cls, keys: Any) -> float:
        return float(keys.radius)

    @classmethod
    def thickness(cls, keys: Any) -> float:
        return 2.0 * float(keys.radius)

    @classmethod
    def outline(cls, keys: Any, normal: Array, distance: float) -> Outline | None:
        return capsule_section(keys.radius, keys.length, normal, distance)


class BoxKind(ShapeKind):
    """A box: up to eight points with another one."""

    name = "box"
    examples = ({"size": [0.3, 0.2, 0.4]},)
    support = staticmethod(corner)
    face = staticmethod(side_of_box)
    pairs = {"box": boxes, "convex": two_polyhedra, "plane": box_plane}

    @classmethod
    def radius(cls, keys: Any) -> float:
        return 0.5 * float(np.linalg.norm(keys.size))

    @classmethod
    def thickness(cls, keys: Any) -> float:
        return float(min(keys.size))

    @classmethod
    def outline(cls, keys: Any, normal: Array, distance: float) -> Outline:
        points, triangles = keys.surface()
        return section_of_hull(points, triangles, normal, distance)


class ConvexKind(ShapeKind):
    """A convex polyhedron: up to eight points with another one."""

    name = "convex"
    examples = ({"points": [[0.2, 0, 0], [-0.1, 0.2, 0], [-0.1, -0.2, 0], [0, 0, -0.1], [0, 0.1, 0.3]]},)
    support = staticmethod(vertex)
    face = staticmethod(side_of_convex)
    pairs = {"convex": two_polyhedra, "plane": convex_and_plane}

    @classmethod
    def radius(cls, keys: Any) -> float:
        return float(np.linalg.norm(keys.points, axis=1).max())

    @classmethod
    def outline(cls, keys: Any, normal: Array, distance: float) -> Outline:
        points, triangles = keys.surface()
        return section_of_hull(points, triangles, normal, distance)


class PlaneKind(ShapeKind):
    """A half-space, solid below."""

    name = "plane"
    examples = ({"size": [2.0, 2.0]},)
    bounded = False


SHAPES = (SphereKind, CapsuleKind, BoxKind, ConvexKind, PlaneKind, *ROUND_SHAPES, MeshKind, HeightfieldKind)
