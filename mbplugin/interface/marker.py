"""What a kernel sees of a marker."""

from __future__ import annotations

from typing import NamedTuple

from mbplugin.math.jit import jit
from mbplugin.math.vec3 import Mat, Vec, column


class Marker(NamedTuple):
    """Pose and twist in world axes."""

    x: Vec  # position [m]
    R: Mat  # axes, row by row
    v: Vec  # velocity [m/s]
    w: Vec  # angular velocity [rad/s]


@jit
def axis(marker, k):
    """Axis k (0: x, 1: y, 2: z) of a marker, world components."""
    return column(marker.R, k)
