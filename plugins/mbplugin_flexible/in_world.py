"""Nodes and stresses of a finite-element body in world axes, for frames. Compiled."""

from __future__ import annotations

from mbplugin.interface import jit
from mbplugin.math.vec3 import add, load9, product, rotate
from mbplugin_flexible.elements.tensors import product_with_transposed, put_stress
from mbplugin_flexible.layout import AXES, NODES, ORIGIN
from mbplugin_flexible.state import at, put


@jit
def nodes_in_world(p, c, x, u):
    """Positions x and velocities u of all nodes: x = x₀ + R₀ y."""
    n, origin, R = 3 * int(p[NODES]), at(p, ORIGIN), load9(p, AXES)
    for i in range(0, n, 3):
        put(x, i, add(origin, rotate(R, at(c, i))))
        put(u, i, rotate(R, at(c, n + i)))


@jit
def stresses_in_world(p, stress):
    """Turn stresses, xx, yy, zz, xy, yz, xz each, from the axes of y into those of the world: R₀ σ R₀ᵀ."""
    R = load9(p, AXES)
    for i in range(0, len(stress), 6):
        xx, yy, zz, xy, yz, xz = (
            stress[i],
            stress[i + 1],
            stress[i + 2],
            stress[i + 3],
            stress[i + 4],
            stress[i + 5],
        )
        turned = product(R, (xx, xy, xz, xy, yy, yz, xz, yz, zz))
        put_stress(stress, i, product_with_transposed(turned, R))
