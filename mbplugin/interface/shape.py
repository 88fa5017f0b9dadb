"""Shapes that collide: how they touch others and, for shapes that the engine does not know, all else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from mbplugin.math.primitives import Triangles, unit_primitive
from mbplugin.model.mass import MassProperties


class PlacedShape(NamedTuple):
    """A shape at its place in the world, as compiled functions get it."""

    tables: Any  # for functions that view groups of their own
    number: int  # place in the table of shapes
    p: Any  # its numbers, as `ShapeKind.numbers` returns them
    x: Any  # position of its frame [m]
    R: Any  # axes of its frame, nine numbers row by row


class ShapeKind:
    """Base of shapes that collide: a `[[body]] shape` or `[scene] shape` of this `type`.

    support(a, d): the point (x, y, z) of the shape `a` (a `PlacedShape`) farthest along d, both in the
    frame of the shape, and an integer that names it: of a vertex its number, of smooth shapes 0. d is not
    normalised. With it, the shape touches half-spaces and every shape that has a support function, in one
    point each. It must be convex.

    pairs: type of another shape -> function(points, a, b, margin) for a shape `a` of this kind and `b` of the
    other one. It writes up to `MAX_POINTS` points whose gap is below `margin` with `put_point`, and returns
    their number; its `a` and `b` are `PlacedShape`s. A closed form is faster and may have several points. It
    goes before the support functions.

    These functions are compiled: plain functions of a module that call what numba knows. The other methods
    are plain Python. Without `parameters`, the kind is a shape that the engine draws and weighs, such as a
    cylinder, and only says how it touches others; then `keys` below is the shape of the scene.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None  # pydantic class of the kind's keys
    support: ClassVar[Any] = None
    pairs: ClassVar[Mapping[str, Any]] = {}
    bounded: ClassVar[bool] = True  # a half-space is not
    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys used by the conformance kit

    @classmethod
    def numbers(cls, keys: Any) -> Sequence[float]:
        """`PlacedShape.p` of the compiled functions, such as lengths [m]."""
        raise NotImplementedError("a shape kind with parameters has to define `numbers`")

    @classmethod
    def radius(cls, keys: Any) -> float:
        """Radius of a sphere about the origin of its frame that holds the shape [m]."""
        raise NotImplementedError("a shape kind has to define `radius`")

    @classmethod
    def rounding(cls, keys: Any) -> float:
        """Radius of a ball that is added to every point of the support function [m]: a sphere is a point with
        one.
        """
        return 0.0

    @classmethod
    def mass_properties(cls, keys: Any) -> MassProperties:
        """Volume [m³] as its mass, centroid (3,) [m] and inertia about it per density (3, 3) [m⁵], in the
        frame of the shape.
        """
        raise NotImplementedError("a shape kind with parameters has to define `mass_properties`")

    @classmethod
    def surface(cls, keys: Any) -> Triangles:
        """Points (n, 3) [m] in the frame of the shape and triangles (m, 3), counter-clockwise seen from
        outside, for pictures.
        """
        raise NotImplementedError("a shape kind with parameters has to define `surface`")


def unit_sphere() -> Triangles:
    """Points (n, 3) and triangles (m, 3) of a sphere of radius 1, to make other surfaces from."""
    points, triangles = unit_primitive("sphere")
    return points.copy(), triangles.copy()
