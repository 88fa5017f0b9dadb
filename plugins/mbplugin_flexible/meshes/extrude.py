"""Elements between copies of a plane mesh of quadrilaterals."""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array


def extrude(plan: Array, levels: Array) -> Array:
    """Points (levels n, 3): the points (n, 2) of a plane mesh at each level of z, from the lowest."""
    flat = np.tile(plan, (len(levels), 1))
    return np.column_stack([flat, np.repeat(levels, len(plan))])


def hexahedra(quads: np.ndarray, n: int, layers: int) -> np.ndarray:
    """Hexahedra (layers nq, 8) from counter-clockwise quadrilaterals (nq, 4) of a plane mesh of n points."""
    lower = (quads[None] + n * np.arange(layers)[:, None, None]).reshape(-1, 4)
    return np.hstack([lower, lower + n])


def tetrahedra(plan: Array, quads: np.ndarray, layers: int) -> np.ndarray:
    """Six tetrahedra (6 layers nq, 4) for each hexahedron: quadrilaterals (nq, 4) of points (n, 2) are cut
    along their first diagonals, and each prism above a triangle into three tetrahedra.

    Of corners a < b of a triangle the face above (a, b) is cut from a below to b above, in both its prisms.
    """
    triangles = np.sort(np.vstack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]), axis=1)
    x, y = plan[triangles[:, 1:]].transpose(2, 1, 0) - plan[triangles[:, 0]].T[:, None]
    clockwise = x[0] * y[1] < x[1] * y[0]
    a, b, c = triangles.T
    n = len(plan)
    prisms = np.stack([[a, b, c, c + n], [a, b, c + n, b + n], [a, a + n, b + n, c + n]])  # (3, 4, nt)
    tets = prisms.transpose(2, 0, 1)
    tets[clockwise] = tets[clockwise][:, :, [0, 2, 1, 3]]
    return (tets.reshape(-1, 4)[None] + n * np.arange(layers)[:, None, None]).reshape(-1, 4)
