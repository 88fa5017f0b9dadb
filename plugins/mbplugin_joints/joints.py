"""Joints as lists of basic constraints. A joint's z is its axis."""

from __future__ import annotations

from mbplugin.interface import ConstraintKind, Parameters, Positive
from mbplugin_joints.basics import Distance, Dot1, Dot2, Spherical
from mbplugin_joints.measures import Angle, Component


class Ball(ConstraintKind):
    """Two points coincide; all rotations are free (3 rows)."""

    name = "ball"
    planar_name = "pin"
    basics = Spherical()


class Revolute(ConstraintKind):
    """A hinge about z: Spherical + 2 Dot1 (5 rows)."""

    name = "revolute"
    planar_name = "pin"
    basics = (*Spherical(), *Dot1("x", "z"), *Dot1("y", "z"))
    coordinates = {"angle": Angle}


class Pin(ConstraintKind):
    """A hinge between planar bodies about the plane's normal (2 rows)."""

    name = "pin"
    spatial = False
    planar_basics = (*Dot2("x"), *Dot2("y"))
    planar_coordinates = {"angle": Angle}


class Translational(ConstraintKind):
    """A slider along z: 3 Dot1 + 2 Dot2 (5 rows). For planar bodies z lies in the plane and y is its normal (2 rows)."""

    name = "translational"
    basics = (*Dot1("x", "z"), *Dot1("y", "z"), *Dot1("x", "y"), *Dot2("x"), *Dot2("y"))
    planar_basics = (*Dot1("x", "z"), *Dot2("x"))
    coordinates = {"length": Component("z")}


class Fixed(ConstraintKind):
    """Two frames stay together: Spherical + 3 Dot1 (6 rows); for planar bodies 3 rows."""

    name = "fixed"
    basics = (*Spherical(), *Dot1("x", "y"), *Dot1("y", "z"), *Dot1("z", "x"))
    planar_basics = (*Dot2("x"), *Dot2("y"), *Dot1("x", "y"))


class PointOnLine(ConstraintKind):
    """A point of b stays on the z axis of a; it slides along it and turns in every way: 2 Dot2 (2 rows)."""

    name = "point_on_line"
    basics = (*Dot2("x"), *Dot2("y"))
    coordinates = {"length": Component("z")}


class RodParameters(Parameters):
    length: Positive | None = None
    """Length [m]; default: the distance of the markers at t = 0."""


class Rod(ConstraintKind):
    """A rod without mass: the distance of two markers stays `length` (1 row)."""

    name = "rod"
    parameters = RodParameters
    basics = Distance(to="length")
    planar_basics = Distance(to="length")

    @classmethod
    def defaults(cls, own, markers):
        if own.length is not None:
            return own
        (xa, _), (xb, _) = markers
        return own.model_copy(update={"length": float(((xb - xa) ** 2).sum() ** 0.5)})
