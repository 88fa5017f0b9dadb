"""Nodes and stresses of a finite-element body in world axes, for frames. Compiled."""

from __future__ import annotations

from mbplugin.interface import jit
from mbplugin.math.vec3 import add, load3, load9, product, rotate, store3
from mbplugin_flexible.elements.tensors import product_with_transposed, put_stress
from mbplugin_flexible.layout import AXES, NODES, ORIGIN


@jit
def nodes_in_world(p, ints, c, x, u):
    """Positions x and velocities u of all nodes: x = x₀ + R₀ y."""
    n, origin, R = 3 * ints[NODES], load3(p, ORIGIN), load9(p, AXES)
    for i in range(0, n, 3):
        store3(x, i, add(origin, rotate(R, load3(c, i))))
        store3(u, i, rotate(R, load3(c, n + i)))


@jit
def stresses_in_world(p, stress):
    """Turn stresses, xx, yy, zz, xy, yz, xz each, from the axes of y into those of the world: R₀ σ R₀ᵀ."""
    R = load9(p, AXES)
    for i in range(0, len(stress), 6):
        (xx, yy, zz), (xy, yz, xz) = load3(stress, i), load3(stress, i + 3)
        turned = product(R, (xx, xy, xz, xy, yy, yz, xz, yz, zz))
        put_stress(stress, i, product_with_transposed(turned, R))
