"""Meshes of boxes for tests of elements, and a state of nodes in the arrays that compiled functions take."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from types import FunctionType

import numpy as np
from mbplugin_flexible.elements import (
    FUNCTIONS,
    KINDS,
    Elements,
    Material,
    element_masses,
    prepare_elements,
    rest_stiffness,
)
from mbplugin_flexible.elements.shape_functions import CORNERS, CUBE_NODES, TETRAHEDRON_NODES, hex8, tet4
from scipy.sparse import coo_array

from mbplugin.compiler.functions import entry

NAMES = ("hex8", "hex27", "tet4", "tet10")
#: every kind with each of its laws
LAWS = [(name, law) for name in NAMES for law in KINDS[name].laws]
#: six tetrahedra of a hexahedron
SIX = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))


def box(kind, divisions, size=(1.0, 1.0, 1.0), distortion=0.0, seed=0):
    """Points (n, 3) and connectivity (ne, k) of a box from the origin; inner ones moved by `distortion`."""
    grid = [np.linspace(0.0, length, n + 1) for length, n in zip(size, divisions)]
    points = np.stack(np.meshgrid(*grid, indexing="ij"), -1).reshape(-1, 3)
    inner = ((points > 1e-9) & (points < np.array(size) - 1e-9)).all(axis=1)
    points[inner] += distortion * np.random.default_rng(seed).uniform(-1.0, 1.0, (inner.sum(), 3))
    steps = np.array([(divisions[1] + 1) * (divisions[2] + 1), divisions[2] + 1, 1])
    first = np.stack(np.meshgrid(*map(np.arange, divisions), indexing="ij"), -1).reshape(-1, 3) @ steps
    cells = first[:, None] + ((CORNERS + 1.0) / 2.0).astype(int) @ steps
    if kind.startswith("tet"):
        cells = np.concatenate([cells[:, tet] for tet in SIX])
    if kind == "hex27":
        return with_inner_nodes(points, cells, hex8(CUBE_NODES)[0])
    if kind == "tet10":
        return with_inner_nodes(points, cells, tet4(TETRAHEDRON_NODES)[0])
    return points, cells


def with_inner_nodes(points, cells, weights):
    """Nodes between the corners, weighted means of these; equal ones once."""
    nodes = np.einsum("ma,eai->emi", weights, points[cells])
    rounded = np.round(nodes.reshape(-1, 3), 10)
    _, first, index = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
    return nodes.reshape(-1, 3)[first], index.reshape(nodes.shape[:2])


@cache
def function_of(kind, name):
    """A compiled function of a kind, which Python calls; its machine code is kept in the cache."""
    made = getattr(FUNCTIONS[kind], name)
    function = made.py_func
    named = FunctionType(
        function.__code__, function.__globals__, f"{kind}_{name}", None, function.__closure__
    )
    return entry(named, twin=made.twin, error_model="numpy")


@dataclass
class Mesh:
    """A mesh of one kind, and what compiled functions say of it at positions x (n, 3)."""

    kind: str
    points: np.ndarray
    cells: np.ndarray
    material: Material
    elements: Elements = field(init=False)

    def __post_init__(self):
        constants = prepare_elements(self.kind, self.points, self.cells, self.material)
        self.elements = Elements(len(self.cells), self.cells.ravel().astype(int), *constants)

    @property
    def numbers(self):
        return self.elements.numbers

    def call_forces(self, x, v=None, beta=0.0):
        """The result of `add_forces`, the forces (n, 3) and the dissipated power."""
        n = self.points.size
        v = np.full(n, np.nan) if v is None else np.ravel(v)
        c = np.concatenate([np.full(7, np.nan), np.ravel(x), v, np.zeros(n)])
        add_forces = function_of(self.kind, "add_forces")
        status, dissipated = add_forces(self.elements, c, 7, 7 + n, 7 + 2 * n, beta)
        return status, c[7 + 2 * n :].reshape(-1, 3), dissipated

    def forces(self, x, v=None, beta=0.0):
        status, f, _ = self.call_forces(x, v, beta)
        assert status == -1
        return f

    def energy(self, x):
        return function_of(self.kind, "strain_energy")(self.elements, np.ravel(x).copy(), 0)

    def stresses(self, x):
        """(ne, ng, 6)."""
        ng = KINDS[self.kind].gauss
        out = np.full(3 + 6 * ng * len(self.cells), np.nan)
        function_of(self.kind, "stresses")(self.elements, np.ravel(x).copy(), 0, out, 3)
        return out[3:].reshape(len(self.cells), ng, 6)

    def tangent(self, e, x):
        """(3 k, 3 k) of element e."""
        m = 3 * self.cells.shape[1]
        K = np.zeros(4 + m * m)
        function_of(self.kind, "add_tangent")(self.elements, e, np.ravel(x).copy(), 0, K, 4)
        return K[4:].reshape(m, m)

    def rest_stiffness(self, elements=None):
        """(m, 3 k, 3 k) of some elements, by default of all."""
        some = np.arange(len(self.cells)) if elements is None else np.asarray(elements)
        return rest_stiffness(self.kind, self.elements.numbers, self.elements.integers, some)


def assembled(cells, matrices, n):
    """(3 n, 3 n) sparse sum of the elements' matrices, 3 k × 3 k numbers each, in CSR form."""
    at = (3 * cells[:, :, None] + np.arange(3)).reshape(len(cells), -1)
    rows, columns = np.repeat(at, at.shape[1], axis=1).ravel(), np.tile(at, (1, at.shape[1])).ravel()
    return coo_array((matrices.ravel(), (rows, columns)), shape=(3 * n, 3 * n)).tocsr()


def consistent_mass(kind, points, cells, density):
    """(3 n, 3 n) sparse mass matrix over the velocities of the nodes [kg]."""
    M = element_masses(kind, points, cells, density)
    return assembled(cells, np.einsum("eab,ij->eaibj", M, np.eye(3)), len(points))


def mesh(kind, law=None, divisions=(2, 2, 2), distortion=0.1, young=10.0, poisson=0.3, size=(1.0, 1.0, 1.0)):
    """A distorted mesh of a box."""
    return Mesh(kind, *box(kind, divisions, size, distortion), Material(young, poisson, law))
