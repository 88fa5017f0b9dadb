"""Compiled functions of a kind of elements, and the elements that they take.

add_forces(mesh, c, x0, v0, f0, beta) -> the first inverted element, or −1; dissipated power [W]
    Adds −∂W/∂x, and damping, to c[f0 + 3 node + i] [N]. β [s] is the stiffness-proportional damping;
    with 0 no velocity is read. An element is inverted if det F > 0 does not hold, at a Gauss point or,
    for hex8, at the centre; the forces are incomplete then. `saint_venant_kirchhoff` does not need
    det F > 0, and returns −1.
strain_energy(mesh, c, x0) -> W [J]; NaN where an element is inverted
stresses(mesh, c, x0, out, o0)
    Writes Cauchy's stress at the Gauss points, in the axes of x: out[o0 + 6 (ng e + g) + s] [Pa], s of
    xx, yy, zz, xy, yz, xz. NaN as before.
add_tangent(mesh, e, c, x0, K, k0)
    Adds ∂²W/∂x² of element e, exact at this x, to K[k0 + 3 k row + column] [N/m]; without damping.
add_damping(mesh, e, c, x0, beta, D, d0)
    Adds −∂(damping force)/∂v of element e, exact at this x and any v, likewise [N·s/m].

c[x0 + 3 node + i]     positions [m]
c[v0 + 3 node + i]     velocities [m/s]
"""

from __future__ import annotations

from typing import Any, NamedTuple

#: result of a loop over elements without an inverted one
NONE_INVERTED = -1


class Elements(NamedTuple):
    """The elements of a mesh in compiled code."""

    size: int  # number of elements
    nodes: Any  # (size k,) number of each node of each element
    numbers: Any  # of `prepare_elements`
    integers: Any  # of `prepare_elements`


class ElementFunctions(NamedTuple):
    """The functions of a kind."""

    add_forces: Any
    strain_energy: Any
    stresses: Any
    add_tangent: Any
    add_damping: Any
