"""Bearings: what the reaction of a joint presses on one of its coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

#: radius, length [m], infinite where not given -> factors of |F⊥|, |F∥|, |M⊥|, |M∥|
Factors = Callable[[float, float], tuple[float, float, float, float]]


class Bearing(NamedTuple):
    """Dry friction of a coordinate by a coefficient μ: its force is at most μ p, with the pressure

        p = c₁ |F⊥| + c₂ |F∥| + c₃ |M⊥| + c₄ |M∥|

    of the joint's reaction F, M on its last marker, across and along the axis of the bearing.
    """

    axis: str  # "x", "y" or "z" of a marker; "": the whole reaction counts as across it
    factors: Factors  # (radius, length) [m], infinite where not given -> c₁, c₂, c₃, c₄
    of: str = "a"  # that marker: "a", the first of the joint, or "b", the last
    needs: Sequence[str] = ()  # keys without which it has no pressure: "radius", "length"


class Pressed(NamedTuple):
    """Factor of the bounds of a row of the type "box": the multiplier of another row of its kernel, of
    the type "nonnegative". While that one does not hold, the row is off: nothing rubs.

    Of a row of the type "equality" its size counts. Bounds that change come from outputs of the kernel: where
    it slips ±`kinetic`, where it sticks ±`static`.
    """

    by: int  # the row that presses
    kinetic: str = ""  # output of the kernel; "": `ConstraintKind.bounds` gives constant coefficients
    static: str = ""  # output of the kernel; "": as `kinetic`, or `ConstraintKind.static_bounds`


def turning(axis: str = "z", of: str = "a") -> Bearing:
    """A pin of radius r in a bush of length L that turns about its axis: p = r (|F⊥| + |F∥| + 2 |M⊥| / L).

    |F∥| presses on a collar of the same radius, and a moment on both ends of the bush, with |M⊥| / L each.
    Without a length moments do not press.
    """
    return Bearing(axis, lambda r, length: (r, r, 2.0 * r / length, 0.0), of, ("radius",))


def sliding(axis: str = "z", of: str = "a") -> Bearing:
    """A slider of length L that is guided along its axis: p = |F⊥| + 2 |M⊥| / L + |M∥| / r.

    A moment presses on both ends with |M⊥| / L each, and a torque on two flanks at the distance r from the
    axis, with |M∥| / 2r each. Without a length or a radius they do not press.
    """
    return Bearing(axis, lambda r, length: (1.0, 0.0, 2.0 / length, 1.0 / r), of)


def guided() -> Bearing:
    """A point that slides along a curve, on which all of the force presses: p = |F|."""
    return Bearing("", lambda r, length: (1.0, 0.0, 0.0, 0.0))
