"""The element kinds: shape functions, quadrature, faces, and the points at which an element is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.elements import quadrature, shape_functions
from mbplugin_flexible.elements.quadrature import Rule

LINEAR, SAINT_VENANT_KIRCHHOFF, NEO_HOOKEAN = "linear", "saint_venant_kirchhoff", "neo_hookean"
#: corners -> corners of each face, counter-clockwise from outside; of cubes x-, x+, y-, y+, z-, z+
FACES = {
    8: ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7)),
    4: ((0, 1, 3), (1, 2, 3), (2, 0, 3), (0, 2, 1)),
}
#: nodes of a face -> its parts that touch: triangles, or quadrilaterals with a middle
TOUCHING_PARTS = {
    3: [[0, 1, 2]],
    4: [[0, 1, 2, 3]],
    6: [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]],
    9: [[0, 4, 8, 7], [4, 1, 5, 8], [8, 5, 2, 6], [7, 8, 6, 3]],
}
#: nodes of a face -> triangles of a picture of it, all counter-clockwise
TRIANGLES = {
    3: ((0, 1, 2),),
    4: ((0, 1, 2), (0, 2, 3)),
    6: ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
    9: ((0, 4, 8), (4, 1, 8), (1, 5, 8), (5, 2, 8), (2, 6, 8), (6, 3, 8), (3, 7, 8), (7, 0, 8)),
}


@dataclass(frozen=True, eq=False)
class ElementKind:
    """One kind of element; its nodes are numbered as in VTK and meshio: corners, then middles of edges, of
    faces, of the element.

    meshio:   name of the cells in meshio
    vtk:      number of the cells in vtkCellType.h
    shape:    N (m, k) and ∂N/∂ξ (m, k, 3) at points (m, 3)
    rule:     Gauss points of the internal force, at which stresses are given
    mass:     Gauss points of the mass matrix, exact for elements with plane faces
    nodes:    (k, 3) reference coordinates of the nodes
    corners:  number of corners, which are the first nodes
    laws:     elastic laws that the kind has, the default first
    row_sums: lumped masses are the row sums of the mass matrix; else its diagonal, scaled to the mass
    """

    name: str
    meshio: str
    vtk: int
    shape: Callable[[Array], tuple[Array, Array]]
    rule: Rule
    mass: Rule
    nodes: Array
    corners: int
    laws: tuple[str, ...]
    row_sums: bool

    @property
    def k(self) -> int:
        """Nodes of an element."""
        return len(self.nodes)

    @property
    def gauss(self) -> int:
        """Gauss points of an element."""
        return len(self.rule[1])

    @cached_property
    def gradients(self) -> Array:
        """∂N_a/∂ξ_i (ng, k, 3) at the Gauss points."""
        return self.shape(self.rule[0])[1]

    @cached_property
    def node_gradients(self) -> Array:
        """∂N_a/∂ξ_i (k, k, 3) at the nodes."""
        return self.shape(self.nodes)[1]

    @cached_property
    def to_nodes(self) -> Array:
        """(k, ng): values at the nodes from values at the Gauss points.

        The polynomial through the Gauss points at the nodes: constant for one point, linear for four points
        of a tetrahedron, trilinear for 8 and triquadratic for 27 points of a cube.
        """
        at = lambda points: basis(points, self.gauss)
        return at(self.nodes) @ np.linalg.inv(at(self.rule[0]))

    @property
    def face_corners(self) -> int:
        """Corners of a face."""
        return len(FACES[self.corners][0])

    @cached_property
    def faces(self) -> np.ndarray:
        """(faces, m) nodes of each face: corners, the middle of the edge behind each, the middle of the face,
        of those that the kind has.
        """
        faces = []
        for corners in FACES[self.corners]:
            x = self.nodes[list(corners)]
            places = [*x, *(0.5 * (x + np.roll(x, -1, axis=0))), x.mean(axis=0)]
            faces.append([node for place in places for node in self.nodes_at(place)])
        return np.array(faces)

    @property
    def touching(self) -> np.ndarray:
        """(parts, 3 or 4) numbers of the nodes of a face, for contacts, counter-clockwise."""
        return np.array(TOUCHING_PARTS[self.faces.shape[1]])

    @property
    def triangles(self) -> np.ndarray:
        """(triangles, 3) numbers of the nodes of a face, for pictures."""
        return np.array(TRIANGLES[self.faces.shape[1]])

    @cached_property
    def mirrored(self) -> np.ndarray:
        """(k,) the order of nodes of the mirror image, in which x and y are exchanged."""
        return np.array([self.nodes_at(place)[0] for place in self.nodes[:, [1, 0, 2]]])

    def nodes_at(self, place: Array) -> list[int]:
        """The node at reference coordinates (3,), if there is one."""
        return np.flatnonzero((self.nodes == place).all(axis=1)).tolist()


def basis(points: Array, count: int) -> Array:
    """(m, count) monomials at points, as many as there are Gauss points."""
    x, y, z = points.T
    if count == 1:
        return np.ones((len(points), 1))
    if count == 4:
        return np.column_stack([np.ones(len(points)), points])
    order = range(round(count ** (1.0 / 3.0)))
    return np.column_stack([x**i * y**j * z**l for i in order for j in order for l in order])


LARGE_STRAIN = (SAINT_VENANT_KIRCHHOFF, NEO_HOOKEAN, LINEAR)

KINDS = {
    kind.name: kind
    for kind in (
        ElementKind(
            name="hex8",
            meshio="hexahedron",
            vtk=12,
            shape=shape_functions.hex8,
            rule=quadrature.of_cube(2),
            mass=quadrature.of_cube(3),
            nodes=shape_functions.CORNERS,
            corners=8,
            laws=(LINEAR,),
            row_sums=True,
        ),
        ElementKind(
            name="tet4",
            meshio="tetra",
            vtk=10,
            shape=shape_functions.tet4,
            rule=quadrature.centroid(),
            mass=quadrature.four_points(),
            nodes=shape_functions.TETRAHEDRON,
            corners=4,
            laws=LARGE_STRAIN,
            row_sums=True,
        ),
        ElementKind(
            name="tet10",
            meshio="tetra10",
            vtk=24,
            shape=shape_functions.tet10,
            rule=quadrature.four_points(),
            mass=quadrature.of_tetrahedron(3),
            nodes=shape_functions.TETRAHEDRON_NODES,
            corners=4,
            laws=LARGE_STRAIN,
            row_sums=False,
        ),
        ElementKind(
            name="hex27",
            meshio="hexahedron27",
            vtk=29,
            shape=shape_functions.hex27,
            rule=quadrature.of_cube(3),
            mass=quadrature.of_cube(4),
            nodes=shape_functions.CUBE_NODES,
            corners=8,
            laws=LARGE_STRAIN,
            row_sums=False,
        ),
    )
}
