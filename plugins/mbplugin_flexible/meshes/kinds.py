"""Kinds of elements: nodes, faces and shape functions.

Nodes are numbered as in VTK and meshio, where the kinds are called "hexahedron", "tetra", "tetra10" and
"hexahedron27": corners, then middles of edges, of faces, of the element. Shape functions are N = P V⁻¹: P are
the monomials of the reference coordinates, V their values at the nodes.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from mbplugin.interface import Array


@dataclass(frozen=True, eq=False)
class ElementKind:
    """What is common to all elements of a kind.

    reference: (k, 3) reference coordinates of the nodes
    powers:    (k, 3) exponents of the monomials that span the shape functions
    edges:     pairs of corners, in the order of the nodes at their middles
    faces:     nodes of each face, counter-clockwise from outside: corners, middles of edges, middle
    triangles: of a face, by its nodes; all counter-clockwise
    mirrored:  the order of nodes of the mirror image
    """

    name: str
    meshio: str
    corners: int
    face_corners: int
    reference: Array
    powers: Array
    edges: tuple[tuple[int, int], ...]
    faces: np.ndarray
    triangles: np.ndarray
    mirrored: np.ndarray

    @property
    def nodes(self) -> int:
        """k, nodes of an element."""
        return len(self.reference)

    @property
    def corner_faces(self) -> np.ndarray:
        """The corners of each face, (faces, 3 or 4)."""
        return self.faces[:, : self.face_corners]

    @functools.cached_property
    def node_gradients(self) -> Array:
        """∂N_a/∂ξ at each node, (k, k, 3): [node, a, direction]."""
        values = monomials(self.reference, self.powers)
        return np.einsum(
            "pmi,ma->pai", monomial_gradients(self.reference, self.powers), np.linalg.inv(values)
        )


def monomials(x: Array, powers: Array) -> Array:
    """Πᵢ xᵢ^powers, (points, monomials)."""
    return np.prod(x[:, None, :] ** powers[None], axis=2)


def monomial_gradients(x: Array, powers: Array) -> Array:
    """Derivatives of the monomials by x, (points, monomials, 3)."""
    gradients = np.empty((len(x), len(powers), 3))
    for i in range(3):
        lowered = powers.copy()
        lowered[:, i] = np.maximum(powers[:, i] - 1, 0)
        gradients[:, :, i] = powers[:, i] * monomials(x, lowered)
    return gradients


HEX_CORNERS = np.array(
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float
)
HEX_EDGES = (
    *((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)),
    *((0, 4), (1, 5), (2, 6), (3, 7)),
)
TET_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
TET_EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
#: x-, x+, y-, y+, z-, z+, which is also the order of the nodes at their middles
HEX_FACES = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7))
TET_FACES = ((0, 1, 3), (1, 2, 3), (2, 0, 3), (0, 2, 1))
HEX_MIRROR, TET_MIRROR = (0, 3, 2, 1, 4, 7, 6, 5), (0, 2, 1, 3)


def powers(degree: int, total: int) -> Array:
    """Exponents up to `degree` each, and up to `total` together."""
    every = np.array(list(np.ndindex(degree + 1, degree + 1, degree + 1)))
    return every[every.sum(axis=1) <= total].astype(float)


def number_of_edge(edges: tuple[tuple[int, int], ...], a: int, b: int) -> int:
    return next(k for k, edge in enumerate(edges) if set(edge) == {a, b})


def with_middles(corners: int, edges: tuple[tuple[int, int], ...], face: tuple[int, ...]) -> list[int]:
    """A face with the nodes at the middles of its edges, each behind its first corner."""
    around = zip(face, face[1:] + face[:1])
    return [*face, *(corners + number_of_edge(edges, a, b) for a, b in around)]


def mirror_with_middles(mirror: tuple[int, ...], edges: tuple[tuple[int, int], ...]) -> list[int]:
    images = [len(mirror) + number_of_edge(edges, mirror[a], mirror[b]) for a, b in edges]
    return [*mirror, *images]


def mirror_of_faces() -> list[int]:
    """The mirror image swaps x and y, and so the middles of x- with y- and of x+ with y+."""
    return [22, 23, 20, 21, 24, 25, 26]


def middles(corners: Array, groups: tuple[tuple[int, ...], ...]) -> Array:
    return np.array([corners[list(group)].mean(axis=0) for group in groups])


QUAD_TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]])
TRIANGLE6_TRIANGLES = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]])
QUAD9_TRIANGLES = np.array(
    [[0, 4, 8], [4, 1, 8], [1, 5, 8], [5, 2, 8], [2, 6, 8], [6, 3, 8], [3, 7, 8], [7, 0, 8]]
)

HEX8 = ElementKind(
    "hex8",
    "hexahedron",
    8,
    4,
    HEX_CORNERS,
    powers(1, 3),
    (),
    np.array(HEX_FACES),
    QUAD_TRIANGLES,
    np.array(HEX_MIRROR),
)
TET4 = ElementKind(
    "tet4",
    "tetra",
    4,
    3,
    TET_CORNERS,
    powers(1, 1),
    (),
    np.array(TET_FACES),
    np.array([[0, 1, 2]]),
    np.array(TET_MIRROR),
)
TET10 = ElementKind(
    "tet10",
    "tetra10",
    4,
    3,
    np.vstack([TET_CORNERS, middles(TET_CORNERS, TET_EDGES)]),
    powers(2, 2),
    TET_EDGES,
    np.array([with_middles(4, TET_EDGES, face) for face in TET_FACES]),
    TRIANGLE6_TRIANGLES,
    np.array(mirror_with_middles(TET_MIRROR, TET_EDGES)),
)
HEX27 = ElementKind(
    "hex27",
    "hexahedron27",
    8,
    4,
    np.vstack(
        [
            HEX_CORNERS,
            middles(HEX_CORNERS, HEX_EDGES),
            middles(HEX_CORNERS, HEX_FACES),
            HEX_CORNERS.mean(axis=0),
        ]
    ),
    powers(2, 6),
    HEX_EDGES,
    np.array([[*with_middles(8, HEX_EDGES, face), 20 + k] for k, face in enumerate(HEX_FACES)]),
    QUAD9_TRIANGLES,
    np.array([*mirror_with_middles(HEX_MIRROR, HEX_EDGES), *mirror_of_faces()]),
)
#: the kinds by name
KINDS = {kind.name: kind for kind in (HEX8, TET4, TET10, HEX27)}
