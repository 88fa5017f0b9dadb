"""Shape functions N_a(ξ) of elements, and their derivatives. Nodes are numbered as in VTK.

Points are (m, 3); each function gives N (m, k) and ∂N_a/∂ξ_i (m, k, 3) for the k nodes of its element.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array

#: corners of the cube [−1, 1]³
CORNERS = np.array(
    [
        [-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1],
        [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1],
    ],
    float,
)  # fmt: skip
#: ends of the edges whose midpoints are nodes 8 to 19 of a quadratic hexahedron
CUBE_EDGES = (
    (0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7),
)  # fmt: skip
#: nodes of a quadratic hexahedron: corners, edges, faces −x, +x, −y, +y, −z, +z, centre
CUBE_NODES = np.vstack([
    CORNERS,
    [0.5 * (CORNERS[a] + CORNERS[b]) for a, b in CUBE_EDGES],
    [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [0, 0, 0]],
])  # fmt: skip
#: corners of the reference tetrahedron
TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
#: ends of the edges whose midpoints are nodes 4 to 9 of a quadratic tetrahedron
TETRAHEDRON_EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
#: all nodes of a quadratic tetrahedron
TETRAHEDRON_NODES = np.vstack(
    [TETRAHEDRON, [0.5 * (TETRAHEDRON[a] + TETRAHEDRON[b]) for a, b in TETRAHEDRON_EDGES]]
)


def hex8(points: Array) -> tuple[Array, Array]:
    """Trilinear hexahedron: N_a = ⅛ (1 + ξ_a ξ)(1 + η_a η)(1 + ζ_a ζ)."""
    factors = 1.0 + CORNERS * points[:, None, :]
    return products(0.5 * factors, np.broadcast_to(0.5 * CORNERS, factors.shape))


def hex27(points: Array) -> tuple[Array, Array]:
    """Triquadratic hexahedron: products of Lagrange's polynomials over −1, 0, 1."""
    x, at = points[:, None, :], CUBE_NODES
    inner = at == 0.0
    values = np.where(inner, 1.0 - x * x, 0.5 * x * (x + at))
    return products(values, np.where(inner, -2.0 * x, x + 0.5 * at))


def products(values: Array, slopes: Array) -> tuple[Array, Array]:
    """N and its derivatives from the factors (m, k, 3) along each axis, and their derivatives."""
    x, y, z = np.moveaxis(values, -1, 0)
    dx, dy, dz = np.moveaxis(slopes, -1, 0)
    return x * y * z, np.stack([dx * y * z, x * dy * z, x * y * dz], -1)


def barycentric(points: Array) -> tuple[Array, Array]:
    """L (m, 4), the barycentric coordinates, and their derivatives (4, 3)."""
    L = np.column_stack([1.0 - points.sum(1), points])
    return L, np.vstack([-np.ones(3), np.eye(3)])


def tet4(points: Array) -> tuple[Array, Array]:
    """Linear tetrahedron: the barycentric coordinates L_a."""
    L, slope = barycentric(points)
    return L, np.broadcast_to(slope, (len(points), 4, 3)).copy()


def tet10(points: Array) -> tuple[Array, Array]:
    """Quadratic tetrahedron: L_a (2 L_a − 1) at the corners, 4 L_a L_b on the edges."""
    L, slope = barycentric(points)
    a, b = np.transpose(TETRAHEDRON_EDGES)
    N = np.hstack([L * (2.0 * L - 1.0), 4.0 * L[:, a] * L[:, b]])
    corners = (4.0 * L - 1.0)[:, :, None] * slope
    edges = 4.0 * (L[:, a, None] * slope[b] + L[:, b, None] * slope[a])
    return N, np.concatenate([corners, edges], 1)
