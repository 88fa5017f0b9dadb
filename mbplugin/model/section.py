"""The plane of planar bodies as a shape sees it, where they collide."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbplugin.model.plane import NORMAL

#: type of bodies that move in the plane
PLANAR = "planar"


class Section(NamedTuple):
    """The plane of the scene in the frame of a shape: all p with `own_normal` · p = `distance`. A shape of a
    planar body, or of the ground, touches planar bodies with its section by this plane.
    """

    normal: NDArray[np.float64]  # (3,) world axes
    own_normal: NDArray[np.float64]  # (3,) frame of the shape
    distance: float  # [m]
    alone: bool  # all bodies that collide are planar


def section_of(owner: Any, shape: Any, plane: str, alone: bool) -> Section:
    """The plane in the frame of a shape at t = 0; a planar body keeps it."""
    n = np.array(NORMAL[plane])
    x, R = np.array(shape.position, float), shape.axes()
    if getattr(owner, "type", "") == PLANAR:
        body = owner.axes()
        x, R = np.array(owner.position, float) + body @ x, body @ R
    return Section(n, R.T @ n, float(-n @ x), alone)
