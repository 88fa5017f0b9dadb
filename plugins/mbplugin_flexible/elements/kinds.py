"""The element kinds: shape functions, quadrature, and the points at which an element is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.elements import quadrature, shape_functions
from mbplugin_flexible.elements.quadrature import Rule

LINEAR, SAINT_VENANT_KIRCHHOFF, NEO_HOOKEAN = "linear", "saint_venant_kirchhoff", "neo_hookean"


@dataclass(frozen=True)
class ElementKind:
    """One kind of element; its nodes are numbered as in VTK and meshio.

    meshio:   name of the cells in meshio
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
    def to_nodes(self) -> Array:
        """(k, ng): values at the nodes from values at the Gauss points.

        The polynomial through the Gauss points at the nodes: constant for one point, linear for four points
        of a tetrahedron, trilinear for 8 and triquadratic for 27 points of a cube.
        """
        at = lambda points: basis(points, self.gauss)
        return at(self.nodes) @ np.linalg.inv(at(self.rule[0]))


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
            shape=shape_functions.hex8,
            rule=quadrature.of_cube(2),
            mass=quadrature.of_cube(3),
            nodes=shape_functions.CORNERS,
            corners=8,
            laws=(LINEAR,),
            row_sums=True,
        ),
        ElementKind(
            name="hex27",
            meshio="hexahedron27",
            shape=shape_functions.hex27,
            rule=quadrature.of_cube(3),
            mass=quadrature.of_cube(4),
            nodes=shape_functions.CUBE_NODES,
            corners=8,
            laws=LARGE_STRAIN,
            row_sums=False,
        ),
        ElementKind(
            name="tet4",
            meshio="tetra",
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
            shape=shape_functions.tet10,
            rule=quadrature.four_points(),
            mass=quadrature.of_tetrahedron(3),
            nodes=shape_functions.TETRAHEDRON_NODES,
            corners=4,
            laws=LARGE_STRAIN,
            row_sums=False,
        ),
    )
}
