"""Sums of nodal vectors of a hexahedron with the signs of ξ, η, ζ, ξη, ηζ, ζξ, ξηζ at its nodes, and back.

Seven vectors each. The eighth, the plain sum, does not matter to strain; positions are taken from the first
node, so that no digits are lost far from the origin.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import inlined, jit
from mbplugin.math.emitters.arrays import part
from mbplugin.math.vec3 import add, sub
from mbplugin_flexible.elements.incompatible import HOURGLASS
from mbplugin_flexible.elements.shape_functions import CORNERS
from mbplugin_flexible.elements.tensors import vector

#: (8, 7) signs at each node
SIGNS = np.ascontiguousarray(np.hstack([CORNERS, HOURGLASS]))
ZERO = (0.0, 0.0, 0.0)


@inlined
def nodal_sums(nodes, c, first):
    """The seven sums of the vectors c of the eight nodes with these numbers."""
    origin = vector(at_node(nodes[0], c, first), 0)
    x1, x2 = nodal(nodes[1], c, first, origin), nodal(nodes[2], c, first, origin)
    x3, x4 = nodal(nodes[3], c, first, origin), nodal(nodes[4], c, first, origin)
    x5, x6 = nodal(nodes[5], c, first, origin), nodal(nodes[6], c, first, origin)
    x7 = nodal(nodes[7], c, first, origin)
    s_lower, xi_lower, eta_lower, xieta_lower = face_sums(ZERO, x1, x2, x3)
    s_upper, xi_upper, eta_upper, xieta_upper = face_sums(x4, x5, x6, x7)
    return (
        add(xi_upper, xi_lower),
        add(eta_upper, eta_lower),
        sub(s_upper, s_lower),
        add(xieta_upper, xieta_lower),
        sub(eta_upper, eta_lower),
        sub(xi_upper, xi_lower),
        sub(xieta_upper, xieta_lower),
    )


@inlined
def at_node(node, c, first):
    """The three numbers of a node."""
    return part(c, first + 3 * node, 3)


@inlined
def nodal(node, c, first, origin):
    x = at_node(node, c, first)
    return (x[0] - origin[0], x[1] - origin[1], x[2] - origin[2])


@inlined
def face_sums(a, b, c, d):
    """Sums with 1, ξ, η, ξη over the nodes of a face."""
    ab, ba, dc, cd = add(a, b), sub(b, a), add(d, c), sub(c, d)
    return add(ab, dc), add(ba, cd), sub(dc, ab), sub(cd, ba)


@inlined
def nodal_values(sums):
    """At each node, the seven vectors with its signs: the transpose of `nodal_sums`."""
    xi, eta, zeta, xieta, etazeta, zetaxi, all_three = sums
    lower = face_values(
        sub(ZERO, zeta), sub(xi, zetaxi), sub(eta, etazeta), sub(xieta, all_three)
    )  # fmt: skip
    upper = face_values(zeta, add(xi, zetaxi), add(eta, etazeta), add(xieta, all_three))
    return lower, upper


@inlined
def face_values(one, xi, eta, xieta):
    below, above = sub(one, eta), add(one, eta)
    left, right = sub(xi, xieta), add(xi, xieta)
    return sub(below, left), add(below, left), add(above, right), sub(above, right)


@inlined
def subtract_nodal(nodes, c, first, sums):
    """Subtract the nodal values of seven vectors from the vectors of the nodes."""
    lower, upper = nodal_values(sums)
    subtract(nodes[0], c, first, lower[0])
    subtract(nodes[1], c, first, lower[1])
    subtract(nodes[2], c, first, lower[2])
    subtract(nodes[3], c, first, lower[3])
    subtract(nodes[4], c, first, upper[0])
    subtract(nodes[5], c, first, upper[1])
    subtract(nodes[6], c, first, upper[2])
    subtract(nodes[7], c, first, upper[3])


@inlined
def subtract(node, c, first, a):
    x = at_node(node, c, first)
    x[0] -= a[0]
    x[1] -= a[1]
    x[2] -= a[2]


@jit
def unit_sums(n):
    """The seven sums where component n % 3 of node n // 3 is 1, and all else is 0."""
    a, i = n // 3, n % 3
    x, y, z = 1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2)
    return (
        signed(a, 0, x, y, z),
        signed(a, 1, x, y, z),
        signed(a, 2, x, y, z),
        signed(a, 3, x, y, z),
        signed(a, 4, x, y, z),
        signed(a, 5, x, y, z),
        signed(a, 6, x, y, z),
    )


@jit
def signed(a, m, x, y, z):
    return (SIGNS[a, m] * x, SIGNS[a, m] * y, SIGNS[a, m] * z)


@jit
def write_column(sums, column):
    """The nodal values into (24,) numbers."""
    lower, upper = nodal_values(sums)
    for a in range(4):
        for i in range(3):
            column[3 * a + i], column[12 + 3 * a + i] = lower[a][i], upper[a][i]
