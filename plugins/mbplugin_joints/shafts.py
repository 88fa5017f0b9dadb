"""Joints between shafts, which lie along z of their markers."""

from __future__ import annotations

from math import pi

import numpy as np

from mbplugin.interface import ConstraintKind, Number, Parameters, sliding, turning
from mbplugin_joints.basics import Dot1, Dot2, NoTwist, Parallel, Spherical
from mbplugin_joints.directions import about, along, antiparallel, both
from mbplugin_joints.measures import Angle, AngleAbout, Component, Swing


class Cylindrical(ConstraintKind):
    """b slides along z and turns about it: Parallel + 2 Dot2 (4 rows)."""

    name = "cylindrical"
    formula = (
        r"""
\Phi = \left( \hat x_a \cdot \hat z_b, \; \hat y_a \cdot \hat z_b, \; \hat x_a \cdot d, \; """
        r"""\hat y_a \cdot d \right)
d = r_b - r_a
"""
    )
    basics = (*Parallel(), *Dot2("x"), *Dot2("y"))
    coordinates = {"length": Component("z"), "angle": Angle}
    bearings = {"length": sliding(), "angle": turning()}
    free_directions = (*along("z"), *about("z"))
    remark = staticmethod(antiparallel)


class ScrewParameters(Parameters):
    pitch: Number
    """Travel along z per full turn [m]; negative for a left-handed thread."""


class Screw(Cylindrical):
    """A cylindrical joint whose b moves along z by `pitch` p in each turn: length = pitch · angle/(2π), full
    turns counted (5 rows).
    """

    name = "screw"
    formula = (
        r"""
\Phi = \left( \hat x_a \cdot \hat z_b, \; \hat y_a \cdot \hat z_b, \; \hat x_a \cdot d, \; """
        r"""\hat y_a \cdot d, \; s - \frac{p}{2 \pi} \theta \right)
s = \hat z_a \cdot d, \quad d = r_b - r_a
\theta = \mathrm{atan2}(\hat x_b \cdot \hat y_a, \; \hat x_b \cdot \hat x_a)
"""
    )
    parameters = ScrewParameters
    labels = ("thread",)
    # what presses on a thread depends on its angle
    bearings = {}
    # the free motion combines both, and neither component of the reaction along z is zero
    free_directions = ("screw along z",)

    @classmethod
    def relation(cls, params):
        return [("length", 1.0), ("angle", -params.pitch / (2.0 * pi))]


class Universal(ConstraintKind):
    """A Cardan joint, whose cross turns about x of a and y of b: Spherical + Dot1 (4 rows). Reaction axes: x
    of a, y of b and their normal.
    """

    name = "universal"
    formula = r"""
\Phi = \left( r_b - r_a, \; \hat x_a \cdot \hat y_b \right)
"""
    basics = (*Spherical(), *Dot1("x", "y"))
    coordinates = {"angle_x": AngleAbout("x", "y"), "angle_y": AngleAbout("y", "x", of="b")}
    optional_coordinates = {"swing": Swing}
    bearings = {"angle_x": turning("x"), "angle_y": turning("y", of="b")}
    free_directions = about("xy")

    @classmethod
    def axes(cls, markers):
        (_, A), (_, B) = markers
        x, y = A[:, 0], B[:, 1]
        z = np.cross(x, y)
        # z is perpendicular to both, even if x and y deviate from a right angle
        frame = np.column_stack([x, y, z / np.linalg.norm(z)])
        return frame, frame


class UniversalRotation(Universal):
    """The rotation of a Cardan joint alone, whose centre may move: Dot1 (1 row). Reaction axes: as those of
    `universal`.
    """

    name = "universal_rotation"
    formula = r"""
\Phi = \hat x_a \cdot \hat y_b
"""
    basics = Dot1("x", "y")
    bearings = {}
    free_directions = (*along("xyz"), *about("xy"))


class ConstantVelocity(ConstraintKind):
    """Both shafts turn at one speed at any angle between them: Spherical + NoTwist (4 rows). The z of its
    reaction halves the angle between the shafts.
    """

    name = "constant_velocity"
    formula = r"""
\Phi = \left( r_b - r_a, \; \frac{1}{2} ( \hat y_a \cdot \hat x_b - \hat x_a \cdot \hat y_b ) \right)
"""
    basics = (*Spherical(), *NoTwist())
    coordinates = {"angle_x": AngleAbout("x", "z"), "angle_y": AngleAbout("y", "z")}
    optional_coordinates = {"swing": Swing}
    free_directions = about("xy")
    singular = "shafts that point against each other"

    @classmethod
    def axes(cls, markers):
        """Axes half way between a and b: its z bisects the angle of the z axes."""
        (_, A), (_, B) = markers
        z, y = A[:, 2] + B[:, 2], A[:, 1] + B[:, 1]
        z /= np.linalg.norm(z)
        x = np.cross(y, z)
        x /= np.linalg.norm(x)
        return both(x, z)
