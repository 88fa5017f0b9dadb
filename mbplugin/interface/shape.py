"""Shapes that collide: how they touch others and, for shapes that the engine does not know, all else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from mbplugin.errors import PluginError
from mbplugin.math.primitives import Triangles, unit_primitive
from mbplugin.model.convex import width
from mbplugin.model.mass import MassProperties
from mbplugin.tables.spec import Array


class PlacedShape(NamedTuple):
    """A shape at its place in the world, as compiled functions get it."""

    tables: Any  # for functions that view groups of their own
    number: int  # place in the table of shapes
    p: Any  # its numbers, as `ShapeKind.numbers` returns them
    x: Any  # position of its frame [m]
    R: Any  # axes of its frame, nine numbers row by row


class Outline(NamedTuple):
    """A section of a shape: a convex polygon with a ball about every point. One corner with a radius is a
    disc, two are a capsule.
    """

    corners: Array  # (n, 3) in the frame of the shape, in any order [m]
    radius: float = 0.0  # [m]


class ShapeKind:
    """Base of shapes that collide: an entry of `shape` in `[[body]]` or `[scene]` with this `type`.

    Compiled functions define how it touches others: plain functions of a module, which may call
    what numba knows and functions with `@internal` or `@jit`. A kind needs at least one of the two:

    support(a, d): the point (x, y, z) of the shape `a` (a `PlacedShape`) farthest along d, and an integer
    that names it: of a vertex its number, of smooth shapes 0. Point and d are in the frame of the shape,
    whose place is not given; d has any length but zero. The shape must be convex. It then touches half-spaces
    and every shape that has a support function, in one point each. One point does not hold a flat face: it
    wants `face`, or pairs of its own.

    face(face, a, d): beside `support`, of shapes with flat or straight sides: the face, or the line, of the
    shape that lies nearest to the unit vector d. It writes corners with `put_corner` and returns how many,
    and the outward normal there, the one nearest to d. Three and more are corners of a flat face,
    counter-clockwise seen from outside. A flat face with a circle for its edge has some points of it for
    corners, the one farthest along d among them, and says so with `put_rim`. Two are a straight edge, or a
    line inside a round side: of a cylinder the ends of its axis, with balls of its radius. None: all is round
    there. A pair of shapes then touches in up to `MAX_POINTS` points, where faces, lines and what is nearest
    lie opposite each other, with the exact normal.

    pairs: type of another shape -> function(points, a, b, margin) for a shape `a` of this kind and `b` of the
    other one, both `PlacedShape`s. It writes the points whose gap is below `margin`, up to `MAX_POINTS`, with
    `put_point`, and returns their number. Such a closed form is faster, may have several points, and goes
    before the support functions. One of the two kinds has it; the other need not.

    The other methods are plain Python. They get `keys`, an instance of `parameters`. A kind without
    `parameters` adds how it touches others to a shape that the engine draws and weighs, such as a mesh;
    then `keys` is the shape of the scene, and only `radius` (`rounding`, `thickness`) are asked.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None  # derived from `Parameters`: the keys of the shape
    support: ClassVar[Any] = None
    face: ClassVar[Any] = None
    pairs: ClassVar[Mapping[str, Any]] = {}
    bounded: ClassVar[bool] = True  # False of a half-space: all below z = 0 of its frame
    written: ClassVar[bool] = True  # False of shapes that a scene cannot name: parts of bodies that deform
    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys used by the conformance kit

    @classmethod
    def numbers(cls, keys: Any) -> Sequence[float]:
        """Numbers that compiled functions find in `PlacedShape.p`, such as lengths [m]; as many as
        there are.
        """
        raise undefined(cls, "numbers")

    @classmethod
    def radius(cls, keys: Any) -> float:
        """Radius of a sphere about the origin of its frame that holds the shape [m]."""
        raise undefined(cls, "radius")

    @classmethod
    def rounding(cls, keys: Any) -> float:
        """Radius of a ball about every point of the support function [m]: a sphere is a point with one, a
        capsule a line.
        """
        return 0.0

    @classmethod
    def thickness(cls, keys: Any) -> float:
        """Smallest distance of two parallel planes between which the shape lies [m], with which overlap and
        the motion in a step are compared; default that of its surface.
        """
        points, _ = keys.surface() if cls.parameters is None else cls.surface(keys)
        return width(points)

    @classmethod
    def outline(cls, keys: Any, normal: Array, distance: float) -> Outline | None:
        """The section with the plane of planar bodies, all p with normal · p = distance [m] in the frame of
        the shape: that is what these touch. An `Outline` without corners where they do not meet; None, the
        default: the kind has no such section, and planar bodies do not take it.
        """
        return None

    @classmethod
    def mass_properties(cls, keys: Any) -> MassProperties:
        """Volume [m³] as its mass, centroid (3,) [m] and inertia about it per density (3, 3) [m⁵], in the
        frame of the shape.
        """
        raise undefined(cls, "mass_properties")

    @classmethod
    def surface(cls, keys: Any) -> Triangles:
        """Points (n, 3) [m] in the frame of the shape and triangles (m, 3), counter-clockwise seen from
        outside, for pictures.
        """
        raise undefined(cls, "surface")


def undefined(kind: type[ShapeKind], name: str) -> PluginError:
    """For a function that a kind lacks."""
    return PluginError(f'shape "{kind.name}": it does not define `{name}(keys)`')


def unit_sphere() -> Triangles:
    """Points (n, 3) and triangles (m, 3) of a sphere of radius 1, to make other surfaces from."""
    points, triangles = unit_primitive("sphere")
    return points.copy(), triangles.copy()
