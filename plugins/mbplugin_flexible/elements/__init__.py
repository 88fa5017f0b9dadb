"""Finite elements: `hex8`, `hex27`, `tet4` and `tet10`. Nodes are numbered as in VTK and meshio.

Before the run: `prepare_elements`, `lumped_mass`, `consistent_mass`, `quality`, `highest_frequency`.
`KINDS[name]` has the sizes of a kind, and `to_nodes` for stresses.

    kind     equations                                          laws, the default first
    hex8     corotational, incompatible modes (`hex8.py`)       linear
    hex27    total Lagrangian (`total_lagrangian.py`)           saint_venant_kirchhoff, neo_hookean, linear
    tet4     total Lagrangian                                   the same; too stiff in bending and shear
    tet10    total Lagrangian                                   the same

Compiled, in the module of each kind:

    add_forces(p, nodes, data, count, c, x0, v0, f0, beta) -> the first inverted element, or −1
        Adds −∂W/∂x, and damping, to c[f0 + 3 node + i] [N]. β [s] is the stiffness-proportional damping;
        with 0 no velocity is read. An element is inverted if det F > 0 does not hold, at a Gauss point or,
        for hex8, at the centre; the forces are incomplete then. `saint_venant_kirchhoff` does not need
        det F > 0, and returns −1.
    strain_energy(p, nodes, data, count, c, x0) -> W [J]; NaN where an element is inverted
    stresses(p, nodes, data, count, c, x0, out, o0)
        Writes Cauchy's stress at the Gauss points, in the axes of x: out[o0 + 6 (ng e + g) + s] [Pa], s of
        xx, yy, zz, xy, yz, xz. NaN as before.
    add_tangent(p, nodes, data, e, c, x0, K, k0)
        Adds ∂²W/∂x² of element e, exact at this x, to K[k0 + 3 k row + column] [N/m]; without damping.
    add_damping(p, nodes, data, e, c, x0, beta, D, d0)
        Adds −∂(damping force)/∂v of element e, exact at this x and any v, likewise [N·s/m].

    p[nodes + k e + a]     number of node a of element e
    p[data + ...]          numbers of `prepare_elements`
    c[x0 + 3 node + i]     positions [m]
    c[v0 + 3 node + i]     velocities [m/s]
"""

from mbplugin_flexible.elements.frequency import highest_frequency
from mbplugin_flexible.elements.kinds import KINDS, ElementKind
from mbplugin_flexible.elements.mass import assembled, consistent_mass, lumped_mass
from mbplugin_flexible.elements.material import Material
from mbplugin_flexible.elements.prepare import prepare_elements
from mbplugin_flexible.elements.quality import Quality, quality
from mbplugin_flexible.elements.stiffness import rest_stiffness

__all__ = [
    "KINDS",
    "ElementKind",
    "Material",
    "Quality",
    "assembled",
    "consistent_mass",
    "highest_frequency",
    "lumped_mass",
    "prepare_elements",
    "quality",
    "rest_stiffness",
]
