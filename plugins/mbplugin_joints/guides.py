"""Joints that guide a point, or keep axes parallel. Lines are along z of marker a, planes normal to it."""

from __future__ import annotations

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import ConstraintKind, Measure, Number, Parameters, sliding, turning
from mbplugin_joints.basics import Dot2, DotProduct, Orientation, Parallel
from mbplugin_joints.directions import about, along, antiparallel, both, half_a_turn
from mbplugin_joints.measures import Angle, AngleAbout, Component

PLACE: dict[str, Measure | str] = {"x": Component("x"), "y": Component("y"), "z": Component("z")}


class PointOnLine(ConstraintKind):
    """The point of b stays on the z axis of a; b turns freely (2 rows). For planar bodies z lies in the plane
    and y is its normal (1 row).
    """

    name = "point_on_line"
    formula = r"""
\Phi = \left( \hat x_a \cdot d, \; \hat y_a \cdot d \right), \quad d = r_b - r_a
\Phi_{plane} = \hat x_a \cdot d
"""
    basics = (*Dot2("x"), *Dot2("y"))
    coordinates = {"length": Component("z")}
    bearings = {"length": sliding(), "angle": turning("y")}
    free_directions = (*along("z"), *about("xyz"))

    class Planar:
        basics = Dot2("x")
        coordinates = {"length": Component("z"), "angle": AngleAbout("y", "z")}
        free_directions = (*along("z"), *about("y"))


class InLine(PointOnLine):
    """The name by which some programs call `point_on_line`."""

    name = "in_line"


class Slot(PointOnLine):
    """A pin of b in a slot of a along its z: the name of `point_on_line` among mechanisms."""

    name = "slot"


class PointOnPlane(ConstraintKind):
    """The point of b stays in the plane through a whose normal is z of a; b turns freely (1 row)."""

    name = "point_on_plane"
    formula = r"""
\Phi = \hat z_a \cdot (r_b - r_a)
"""
    basics = Dot2("z")
    coordinates = {"x": PLACE["x"], "y": PLACE["y"]}
    free_directions = (*along("xy"), *about("xyz"))


class Planar(ConstraintKind):
    """Two planes slide on each other and turn about their normal z: Parallel + Dot2 (3 rows)."""

    name = "planar"
    formula = r"""
\Phi = \left( \hat x_a \cdot \hat z_b, \; \hat y_a \cdot \hat z_b, \; \hat z_a \cdot d \right)
d = r_b - r_a
"""
    basics = (*Parallel(), *Dot2("z"))
    coordinates = {"x": PLACE["x"], "y": PLACE["y"], "angle": Angle}
    free_directions = (*along("xy"), *about("z"))
    remark = staticmethod(antiparallel)


class ParallelAxes(ConstraintKind):
    """The z axes stay parallel (2 rows)."""

    name = "parallel"
    formula = r"""
\Phi = \left( \hat x_a \cdot \hat z_b, \; \hat y_a \cdot \hat z_b \right)
"""
    basics = Parallel()
    coordinates = {**PLACE, "angle": Angle}
    free_directions = (*along("xyz"), *about("z"))
    remark = staticmethod(antiparallel)


class AxesAtAngleParameters(Parameters):
    cosine: Number | None = None
    """Dot product of the two z axes, between −1 and 1; default: that in the scene as written."""


class AxesAtAngle(ConstraintKind):
    """The z axes keep the angle between them: their dot product stays `cosine` (1 row). The z of its reaction
    is normal to both.
    """

    name = "axes_at_angle"
    formula = r"""
\Phi = \hat z_a \cdot \hat z_b - c
"""
    parameters = AxesAtAngleParameters
    basics = DotProduct("cosine")
    free_directions = (*along("xyz"), *about("xy"))
    singular = "parallel axes"
    avoided = "use `parallel` for axes that stay parallel"

    @classmethod
    def defaults(cls, params, markers):
        (_, A), (_, B) = markers
        cosine = float(A[:, 2] @ B[:, 2]) if params.cosine is None else params.cosine
        if not -1.0 + 1e-9 < cosine < 1.0 - 1e-9:
            what = "must lie strictly between -1 and 1; parallel axes need two rows: use `parallel`"
            raise SceneError("cosine", cosine, what)
        return params.model_copy(update={"cosine": cosine})

    @classmethod
    def axes(cls, markers):
        (_, A), (_, B) = markers
        x, z = A[:, 2], np.cross(A[:, 2], B[:, 2])
        z /= np.linalg.norm(z)
        return both(x, z)


class SameOrientation(ConstraintKind):
    """The frames stay parallel: b may move, but not turn relative to a (3 rows)."""

    name = "orientation"
    formula = (
        r"""
\Phi = \frac{1}{2} R_a^T \left( \hat x_a \times \hat x_b + \hat y_a """
        r"""\times \hat y_b + \hat z_a \times \hat z_b \right)
\Phi = n \sin \theta
R_a^T R_b = e^{\theta [n]_\times}
"""
    )
    basics = Orientation()
    coordinates = PLACE
    free_directions = along("xyz")
    singular = "half a turn away from the other frame"
    # half a turn away sin θ = 0 as well, but the rows are dependent
    remark = staticmethod(half_a_turn)
