"""K and D of a body of each kind of elements, in the blocks of `tangents.py`. Compiled."""

from __future__ import annotations

from mbplugin.interface import jit
from mbplugin.math.emitters.stack import stack_array
from mbplugin_flexible.elements import hex8, hex27, tet4, tet10
from mbplugin_flexible.tangents import clear, places, put_element, put_parts


@jit
def hex8_tangent(v, p, c, K, D):
    A, B, place = stack_array(576), stack_array(576), 0
    nodes, numbers, count, beta = places(p)
    for e in range(count):
        clear(A, 576)
        hex8.add_tangent(p, nodes, numbers, e, c, 0, A, 0)
        if beta != 0.0:
            clear(B, 576)
            hex8.add_damping(p, nodes, numbers, e, c, 0, beta, B, 0)
        place = put_element(p, c, nodes + 8 * e, 8, A, B, beta != 0.0, K, D, place)
    put_parts(v, p, c, K, D, place)


@jit
def hex27_tangent(v, p, c, K, D):
    A, B, place = stack_array(6561), stack_array(6561), 0
    nodes, numbers, count, beta = places(p)
    for e in range(count):
        clear(A, 6561)
        hex27.add_tangent(p, nodes, numbers, e, c, 0, A, 0)
        if beta != 0.0:
            clear(B, 6561)
            hex27.add_damping(p, nodes, numbers, e, c, 0, beta, B, 0)
        place = put_element(p, c, nodes + 27 * e, 27, A, B, beta != 0.0, K, D, place)
    put_parts(v, p, c, K, D, place)


@jit
def tet4_tangent(v, p, c, K, D):
    A, B, place = stack_array(144), stack_array(144), 0
    nodes, numbers, count, beta = places(p)
    for e in range(count):
        clear(A, 144)
        tet4.add_tangent(p, nodes, numbers, e, c, 0, A, 0)
        if beta != 0.0:
            clear(B, 144)
            tet4.add_damping(p, nodes, numbers, e, c, 0, beta, B, 0)
        place = put_element(p, c, nodes + 4 * e, 4, A, B, beta != 0.0, K, D, place)
    put_parts(v, p, c, K, D, place)


@jit
def tet10_tangent(v, p, c, K, D):
    A, B, place = stack_array(900), stack_array(900), 0
    nodes, numbers, count, beta = places(p)
    for e in range(count):
        clear(A, 900)
        tet10.add_tangent(p, nodes, numbers, e, c, 0, A, 0)
        if beta != 0.0:
            clear(B, 900)
            tet10.add_damping(p, nodes, numbers, e, c, 0, beta, B, 0)
        place = put_element(p, c, nodes + 10 * e, 10, A, B, beta != 0.0, K, D, place)
    put_parts(v, p, c, K, D, place)
