"""A marker as kernels get it."""

from __future__ import annotations

from typing import NamedTuple

from mbplugin.math.jit import jit
from mbplugin.math.vec3 import Mat, Vec, column


class Marker(NamedTuple):
    """Pose and twist of a marker in world axes."""

    x: Vec  # position [m]
    R: Mat  # rotation matrix row by row, marker to world; its columns are the marker's axes
    v: Vec  # velocity [m/s]
    w: Vec  # angular velocity [rad/s]


@jit
def axis(marker, k):
    """Axis k (0: x, 1: y, 2: z) of a marker as a unit vector, world components."""
    return column(marker.R, k)
