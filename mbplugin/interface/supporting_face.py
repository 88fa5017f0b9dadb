"""The face, or the line, of a convex shape that lies in a direction: what `ShapeKind.face` writes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbplugin.math.jit import inlined
from mbplugin.math.vec3 import store
from mbplugin.tables.spec import Floats3, Ints

#: corners that a face may have
MAX_CORNERS = 240


class SupportingFace(NamedTuple):
    """Corners of a face, MAX_CORNERS rows, in the frame of the shape; the last row is that of its rim."""

    x: Floats3  # [m]
    radius: Floats3  # first column: of the ball about each corner, of the rim 0 if it has none [m]
    name: Ints  # below 1023, the same as long as the same corner


def empty_face() -> SupportingFace:
    """A face with room for its corners."""
    three = lambda: np.zeros((MAX_CORNERS + 1, 3))
    return SupportingFace(three(), three(), np.zeros(MAX_CORNERS + 1, np.int64))


@inlined
def put_corner(face, k, x, radius, name):
    """Write corner k of a face [m]. Returns k + 1.

    radius: of a ball about x, as of a line inside a round side, 0 of corners of a face; name: an integer from
    0 to 1022
    """
    store(face.x, k, x)
    face.radius[k, 0] = radius
    face.name[k] = name
    return k + 1


@inlined
def put_rim(face, centre, radius):
    """Say that the corners of a face are points of a circle, which is its true edge [m]."""
    store(face.x, MAX_CORNERS, centre)
    face.radius[MAX_CORNERS, 0] = radius
