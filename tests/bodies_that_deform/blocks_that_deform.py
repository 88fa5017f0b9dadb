"""A block that deforms homogeneously, as scene text, and what its state says."""

from __future__ import annotations

import numpy as np
from scene_text import body

#: edges [m], density [kg/m³], mass [kg] of the block
EDGES, DENSITY = np.array([0.1, 0.2, 0.3]), 1000.0
VOLUME = float(EDGES.prod())
MASS = DENSITY * VOLUME
#: Euler's moments ∫ ρ X² dV along the edges [kg·m²]
SECOND = MASS * EDGES**2 / 12.0
LAWS = ("linear", "saint_venant_kirchhoff", "neo_hookean")


def block(name: str = "block", edges=EDGES, young: float = 1e5, poisson: float = 0.3, **keys) -> str:
    """A block of these edges [m], whose mass follows from its density."""
    shape = [{"type": "box", "size": list(edges)}]
    given = {"type": "pseudo_rigid", "density": DENSITY, "shape": shape, "young": young, "poisson": poisson}
    return body(name, **(given | keys))


def deformation(q):
    """x (3,) [m] and F (3, 3) of a state of the block, whose principal axes are its edges."""
    return q[:3], q[3:12].reshape(3, 3)


def momenta(q, v):
    """Linear and angular momentum about the origin of the world: Σ over x, and over the columns of F."""
    (x, F), (x_dot, F_dot) = deformation(q), deformation(v)
    spin = sum(SECOND[j] * np.cross(F[:, j], F_dot[:, j]) for j in range(3))
    return MASS * x_dot, MASS * np.cross(x, x_dot) + spin


def kinetic(v):
    """½ m ẋ² + ½ Σ E_j |Ḟ_j|² [J]."""
    x_dot, F_dot = deformation(v)
    return 0.5 * MASS * x_dot @ x_dot + 0.5 * float((F_dot**2 @ SECOND).sum())
