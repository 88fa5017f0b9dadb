"""Concave solids as meshes and, exactly, as boxes: a floor between two walls, and a body like a U. Both are
their own mirror images.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Array = Any
FOLDER = Path(__file__).parent / "meshes"


class Solid(NamedTuple):
    """A profile in the plane of y and z, along x from `begin` to `end`."""

    profile: Array  # (n, 2) corners, counter-clockwise seen along −x
    begin: float
    end: float
    boxes: tuple[tuple[Array, Array], ...]  # lower and upper corner (3,) of each

    def radius(self) -> float:
        """Of a sphere about the origin that holds it [m]."""
        ends = np.abs([self.begin, self.end]).max()
        return float(np.hypot(ends, np.linalg.norm(self.profile, axis=1).max()))


def trough(begin: float, end: float, inner: float, outer: float, low: float, high: float) -> Solid:
    """A floor with its top at z = 0 and its bottom at `low`, between walls up to `high`."""
    right = [(outer, low), (outer, high), (inner, high), (inner, 0.0)]
    profile = np.array([*right, *((-y, z) for y, z in right[::-1])])
    box = lambda y0, y1, z0, z1: (np.array([begin, y0, z0]), np.array([end, y1, z1]))
    walls = (box(inner, outer, low, high), box(-outer, -inner, low, high))
    return Solid(profile, begin, end, (box(-outer, outer, low, 0.0), *walls))


SOLIDS = {
    "channel.obj": trough(-1.0, 3.0, 0.16, 0.3, -0.1, 0.2),
    "u.obj": trough(-0.05, 0.05, 0.03, 0.05, -0.02, 0.05),
}
#: ends of the edges of the profile of a trough between which its area is cut: walls, and the floor below
QUADS = ((0, 1, 2, 3), (4, 5, 6, 7), (0, 3, 4, 7))


def text(solid: Solid) -> str:
    """As an OBJ file."""
    corners = [(x, *c) for x in (solid.begin, solid.end) for c in solid.profile.tolist()]
    n = len(solid.profile)
    faces = [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
    faces += [tuple(n + k for k in quad) for quad in QUADS] + [quad[::-1] for quad in QUADS]
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners]
    lines += ["f " + " ".join(str(k + 1) for k in face) for face in faces]
    return "\n".join([*lines, ""])
