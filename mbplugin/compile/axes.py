"""The axis about or along which a coordinate is measured, if it is one axis of one of its two markers."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile.drawn import drawn
from mbplugin.interface import Measure
from mbplugin.tables.spec import Array

ROUNDING = 1e-9


def axis_of(measure: Measure) -> tuple[int, Array] | None:
    """Number of the marker (0: a, 1: b), and the unit vector (3,) in its axes; None if there is none, as of a
    distance. Found from the Jacobian of the measure at markers in general positions.
    """
    if measure.markers != 2 or measure.rows != 1 or measure.unknowns:
        return None
    random = np.random.default_rng(1)
    turned = lambda: np.linalg.qr(random.normal(size=(3, 3)))[0]
    place = lambda R: (random.normal(size=3), R)
    R = turned()
    part = 9 if measure.unit == "rad" else 6  # of J over [v_a, ω_a, v_b, ω_b]
    axis = R.T @ jacobian(measure, [place(R), place(R)])[part : part + 3]
    if abs(np.linalg.norm(axis) - 1.0) > ROUNDING:
        return None
    found = {0, 1}
    for _ in range(2):
        poses: Any = [place(turned()), place(turned())]
        J = jacobian(measure, poses)
        # an angle about an axis that the other marker is not perpendicular to has more parts
        found &= {k for k in (0, 1) if abs(J[part : part + 3] @ poses[k][1] @ axis - 1.0) < ROUNDING}
    return (min(found), axis) if found else None


def jacobian(measure: Measure, poses: Any) -> Array:
    """(12,) over the twists of both markers."""
    return drawn(measure, poses)[1]
