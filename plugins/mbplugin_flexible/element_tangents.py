"""K and D of a body of each kind of elements, in the blocks of `tangents.py`. Compiled."""

from __future__ import annotations

from mbplugin.interface import jit
from mbplugin.math.emitters.stack import stack_array
from mbplugin_flexible.elements import hex8, hex27, tet4, tet10
from mbplugin_flexible.tangents import put_tangent


@jit
def hex8_tangent(v, p, c, K, D):
    A, B = stack_array(576), stack_array(576)
    put_tangent(v, p, c, K, D, 8, A, B, hex8.add_tangent, hex8.add_damping)


@jit
def hex27_tangent(v, p, c, K, D):
    A, B = stack_array(6561), stack_array(6561)
    put_tangent(v, p, c, K, D, 27, A, B, hex27.add_tangent, hex27.add_damping)


@jit
def tet4_tangent(v, p, c, K, D):
    A, B = stack_array(144), stack_array(144)
    put_tangent(v, p, c, K, D, 4, A, B, tet4.add_tangent, tet4.add_damping)


@jit
def tet10_tangent(v, p, c, K, D):
    A, B = stack_array(900), stack_array(900)
    put_tangent(v, p, c, K, D, 10, A, B, tet10.add_tangent, tet10.add_damping)
