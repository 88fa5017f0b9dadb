"""Volumes, areas and normals of meshes, by formulas of their own."""

from __future__ import annotations

import numpy as np
import pytest

of_kinds = pytest.mark.parametrize("kind", ["hex8", "tet4", "tet10", "hex27"])
#: tetrahedra about a diagonal that fill a hexahedron with plane faces
IN_HEX = np.array([[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]])


def volumes_of_elements(mesh):
    """(ne,) signed volumes [m³] by the corners: triple products of tetrahedra."""
    corners = mesh.points[mesh.elements[:, : mesh.kind.corners]]
    parts = corners[:, IN_HEX] if mesh.kind.corners == 8 else corners[:, None]
    a, b, c = (parts[:, :, k] - parts[:, :, 0] for k in (1, 2, 3))
    return (np.cross(a, b) * c).sum(axis=2).sum(axis=1) / 6.0


def vectors(mesh, faces):
    """(nf, 3) area vectors [m²]: Newell's sum over the corners."""
    x = mesh.points[faces[:, : mesh.kind.face_corners]]
    return 0.5 * np.cross(x, np.roll(x, -1, axis=1)).sum(axis=1)


def areas(mesh, faces):
    return np.linalg.norm(vectors(mesh, faces), axis=1)


def normals(mesh, faces):
    return vectors(mesh, faces) / areas(mesh, faces)[:, None]


def enclosed_volume(points, triangles):
    """⅓ ∫ x·n dA [m³] over triangles (n, 3)."""
    a, b, c = points[triangles].transpose(1, 0, 2)
    return float((np.cross(a, b) * c).sum()) / 6.0


def edges_and_vertices(triangles):
    """Edges (3n, 2) of triangles in the direction in which they are passed, and the vertices."""
    edges = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return edges, np.unique(triangles)
