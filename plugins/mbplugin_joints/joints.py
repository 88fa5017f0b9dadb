"""Joints as lists of basic constraints. A joint's z is its axis."""

from __future__ import annotations

from mbplugin.interface import ConstraintKind, Parameters, Positive, sliding, turning
from mbplugin_joints.basics import Distance, Dot1, Dot2, Spherical
from mbplugin_joints.directions import BetweenPoints, about, along, antiparallel, half_a_turn
from mbplugin_joints.measures import Angle, Component, RotationAngle, Swing, TwistAngle


class Ball(ConstraintKind):
    """Two points coincide; all rotations are free (3 rows). Coordinates if the scene names them: swing of z,
    twist about it, and the angle of the whole rotation.
    """

    name = "ball"
    formula = r"""
\Phi = r_b - r_a
"""
    instead = "pin"
    basics = Spherical()
    optional_coordinates = {"swing": Swing, "twist": TwistAngle, "rotation": RotationAngle}
    free_directions = about("xyz")


class Revolute(ConstraintKind):
    """A hinge about z: Spherical + 2 Dot1 (5 rows)."""

    name = "revolute"
    formula = r"""
\Phi = \left( r_b - r_a, \; \hat x_a \cdot \hat z_b, \; \hat y_a \cdot \hat z_b \right)
"""
    instead = "pin"
    basics = (*Spherical(), *Dot1("x", "z"), *Dot1("y", "z"))
    coordinates = {"angle": Angle}
    bearings = {"angle": turning()}
    free_directions = about("z")
    remark = staticmethod(antiparallel)


class Pin(ConstraintKind):
    """A hinge between planar bodies about the plane's normal (2 rows)."""

    name = "pin"
    formula = r"""
\Phi = \left( \hat x_a \cdot d, \; \hat y_a \cdot d \right), \quad d = r_b - r_a
"""
    spatial = False
    bearings = {"angle": turning()}

    class Planar:
        basics = (*Dot2("x"), *Dot2("y"))
        coordinates = {"angle": Angle}
        free_directions = about("z")


class Translational(ConstraintKind):
    """A slider along z: 3 Dot1 + 2 Dot2 (5 rows). For planar bodies z lies in the plane and y is its normal
    (2 rows).
    """

    name = "translational"
    formula = (
        r"""
\Phi = \left( \hat x_a \cdot \hat z_b, \; \hat y_a \cdot \hat z_b, \; \hat x_a \cdot \hat y_b, \; """
        r"""\hat x_a \cdot d, \; \hat y_a \cdot d \right)
d = r_b - r_a
\Phi_{plane} = \left( \hat x_a \cdot \hat z_b, \; \hat x_a \cdot d \right)
"""
    )
    basics = (*Dot1("x", "z"), *Dot1("y", "z"), *Dot1("x", "y"), *Dot2("x"), *Dot2("y"))
    coordinates = {"length": Component("z")}
    bearings = {"length": sliding()}
    free_directions = along("z")
    remark = staticmethod(half_a_turn)

    class Planar:
        basics = (*Dot1("x", "z"), *Dot2("x"))
        free_directions = along("z")


class Fixed(ConstraintKind):
    """Two frames stay together: Spherical + 3 Dot1 (6 rows); for planar bodies 3 rows."""

    name = "fixed"
    formula = (
        r"""
\Phi = \left( r_b - r_a, \; \hat x_a \cdot \hat y_b, \; \hat y_a \cdot \hat z_b, \; """
        r"""\hat z_a \cdot \hat x_b \right)
\Phi_{plane} = \left( \hat x_a \cdot d, \; \hat y_a \cdot d, \; \hat x_a \cdot \hat y_b \right)
d = r_b - r_a
"""
    )
    basics = (*Spherical(), *Dot1("x", "y"), *Dot1("y", "z"), *Dot1("z", "x"))

    class Planar:
        basics = (*Dot2("x"), *Dot2("y"), *Dot1("x", "y"))


class RodParameters(Parameters):
    length: Positive | None = None
    """Length [m]; default: the distance of the markers in the scene as written."""


class Rod(BetweenPoints):
    """A rod without mass: the distance of two markers stays `length` (1 row). Its z is along the rod, from a
    to b.
    """

    name = "rod"
    formula = r"""
\Phi = |r_b - r_a| - l
"""
    parameters = RodParameters
    basics = Distance(to="length")

    class Planar:
        """The row of a rod in the plane."""

    @classmethod
    def defaults(cls, params, markers):
        if params.length is not None:
            return params
        (xa, _), (xb, _) = markers
        return params.model_copy(update={"length": float(((xb - xa) ** 2).sum() ** 0.5)})
