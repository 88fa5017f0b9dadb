"""Linear tetrahedra of four nodes: one Gauss point. Total Lagrangian (`total_lagrangian.py`).

The arguments of the functions are explained in `__init__.py`.
"""

from __future__ import annotations

from mbplugin.interface import jit
from mbplugin.math.emitters.stack import stack_array
from mbplugin_flexible.elements.tables import TET4
from mbplugin_flexible.elements.total_lagrangian import (
    add_by_moduli,
    add_element_tangent,
    add_internal_forces,
    cauchy_stresses,
    total_energy,
)

NODES, GAUSS = 4, 1
SLOPES, FORCES = 9 * GAUSS, 3 * NODES
FORWARD, BACKWARD = TET4


@jit
def add_forces(p, nodes, data, count, c, x0, v0, f0, beta):
    slopes, rates, forces = stack_array(SLOPES), stack_array(SLOPES), stack_array(FORCES)
    return add_internal_forces(
        p, nodes, data, count, c, x0, v0, f0, beta,
        NODES, GAUSS, FORWARD, BACKWARD, slopes, rates, forces,
    )  # fmt: skip


@jit
def strain_energy(p, nodes, data, count, c, x0):
    return total_energy(p, nodes, data, count, c, x0, NODES, GAUSS, FORWARD, stack_array(SLOPES))


@jit
def stresses(p, nodes, data, count, c, x0, out, o0):
    slopes = stack_array(SLOPES)
    cauchy_stresses(p, nodes, data, count, c, x0, out, o0, NODES, GAUSS, FORWARD, slopes)


@jit
def add_tangent(p, nodes, data, e, c, x0, K, k0):
    slopes, moduli, gradients = stack_array(SLOPES), stack_array(81), stack_array(FORCES)
    add_element_tangent(
        p, nodes, data, e, c, x0, K, k0, NODES, GAUSS, FORWARD, slopes, moduli, gradients
    )  # fmt: skip


@jit
def add_damping(p, nodes, data, e, c, x0, beta, D, d0):
    slopes, moduli, gradients = stack_array(SLOPES), stack_array(81), stack_array(FORCES)
    add_by_moduli(
        p, nodes, data, e, c, x0, beta, D, d0, NODES, GAUSS, FORWARD, slopes, moduli, gradients
    )  # fmt: skip
