"""Trilinear hexahedra of eight nodes with incompatible modes, corotational and linear elastic.

In axes that turn with R, from F = R U at the centre of the element, the displacement is that of the strain
U − 1 and of amplitudes q of four hourglass modes (`incompatible.py`), and

    W = ½ V E : C : E + ½ qᵀ H q,    E = U − 1 + Q,   Q = sym Σ_k q_k d_kᵀ
    q_k = Rᵀ y_k,   y_k = Σ_a h_ka x_a − F Σ_a h_ka X_a

which is ½ ũᵀ K ũ with the condensed 24 × 24 K and ũ = Rᵀ (x − x_c) − X. The force is its gradient, with the
dependence of R on x, so a free element keeps its angular momentum:

    T = V C : E,   g_k = T d_k + (H q)_k
    δW = R (T − ŝ) : δF + Σ_k R g_k · δy_k,    Y s = Σ_k q_k × g_k − ax(U T),   Y = tr(U) 1 − U

With damping, T and g are those of E + β Ė and q + β q̇; the power is −β (V Ė : C : Ė + q̇ᵀ H q̇). Sums over the
nodes are taken by additions and subtractions only, since all h and the slopes of N at the centre are ±1.

Without the terms of R the force would have a torque, and no energy: C. C. Rankin, F. A. Brogan, J. Pressure
Vessel Technol. 108 (1986) 165–174. This form is derived here; tests compare it with K and differences of W.
"""

from __future__ import annotations

from mbplugin.interface import inlined, jit
from mbplugin.math.elasticity import UNIT
from mbplugin.math.emitters.arrays import part
from mbplugin.math.emitters.stack import stack_array
from mbplugin.math.polar import axial, hat, polar, polar_change, square, turning_inverse, turning_matrix
from mbplugin.math.vec3 import add, cross, dot, load9, scale, sub
from mbplugin_flexible.elements.functions import NONE_INVERTED, ElementFunctions
from mbplugin_flexible.elements.gauss_strain import gauss_gradient, jacobian_at_centre
from mbplugin_flexible.elements.layout import CONTENT, HEX8, INVERSE, MEAN, VOLUME_LAM, VOLUME_MU, WARP, H
from mbplugin_flexible.elements.symmetric_product import symmetric_product
from mbplugin_flexible.elements.tensors import (
    added,
    columns,
    four_vectors,
    hooke,
    inner,
    less_turned,
    outer_sum,
    product,
    product_with_transposed,
    put_stress,
    rotate,
    rotated_back,
    rotated_seven,
    symmetric,
    turned_seven,
    vector,
    weighted,
)
from mbplugin_flexible.elements.transform import nodal_sums, subtract_nodal, unit_sums, write_column

NODES = 8


@inlined
def element_of(mesh, e):
    """Nodes, numbers and blocks of H of element e."""
    matrix = part(mesh.numbers, mesh.integers[2 * e], H)
    return part(mesh.nodes, NODES * e, NODES), part(mesh.numbers, HEX8 * e, HEX8), matrix


@inlined
def deformation(own, nodes, c, x0):
    """R, U and q of an element; NaN if it is inverted."""
    F, y = centre_and_warp(own, nodal_sums(nodes, c, x0))
    R, U = polar(F)
    return R, U, rotated_back(R, y)


@inlined
def centre_and_warp(own, sums):
    """F and y, or Ḟ and ẏ; sums: those of x or v over the nodes."""
    F = product(columns(sums[0], sums[1], sums[2]), load9(own, INVERSE))
    return F, (
        sub(sums[3], rotate(F, vector(own, WARP))),
        sub(sums[4], rotate(F, vector(own, WARP + 3))),
        sub(sums[5], rotate(F, vector(own, WARP + 6))),
        sub(sums[6], rotate(F, vector(own, WARP + 9))),
    )


@inlined
def linear_forces(own, matrix, E, q):
    """T and g of a strain and amplitudes; E without Q, `matrix` the blocks of H."""
    d = four_vectors(own, MEAN)
    strain = weighted(1.0, E, 1.0, symmetric(outer_sum(q, d)))
    T = hooke(own[VOLUME_LAM], own[VOLUME_MU], strain)
    r = symmetric_product(matrix, q)
    return T, (
        add(rotate(T, d[0]), r[0]),
        add(rotate(T, d[1]), r[1]),
        add(rotate(T, d[2]), r[2]),
        add(rotate(T, d[3]), r[3]),
    )


@inlined
def turn_moment(U, T, q, g):
    """Y s: what W changes by a rotation of the axes at constant x."""
    m = add(add(cross(q[0], g[0]), cross(q[1], g[1])), add(cross(q[2], g[2]), cross(q[3], g[3])))
    return sub(m, axial(product(U, T)))


@inlined
def to_sums(own, A, g):
    """∂W by the seven sums over the nodes, from A = ∂W/∂F at constant y and g = ∂W/∂y."""
    X = four_vectors(own, WARP)
    A = weighted(1.0, A, -1.0, outer_sum(g, X))
    inverse = load9(own, INVERSE)
    return (
        rotate(A, (inverse[0], inverse[1], inverse[2])),
        rotate(A, (inverse[3], inverse[4], inverse[5])),
        rotate(A, (inverse[6], inverse[7], inverse[8])),
        g[0],
        g[1],
        g[2],
        g[3],
    )


@inlined
def rates_of(own, sums, R, U, inverse, q):
    """φ, U̇ and q̇ for the rates of the seven sums."""
    F_dot, y_dot = centre_and_warp(own, sums)
    phi, U_dot = polar_change(R, inverse, U, F_dot)
    return phi, U_dot, less_turned(rotated_back(R, y_dot), phi, q)


@inlined
def local_force(own, U, inverse, q, T, g):
    """∂W by the seven sums in the axes of R, and s."""
    s = rotate(inverse, turn_moment(U, T, q, g))
    return to_sums(own, weighted(1.0, T, -1.0, hat(s)), g), s


@jit
def add_forces(mesh, c, x0, v0, f0, beta):
    dissipated = 0.0
    for e in range(mesh.size):
        nodes, own, matrix = element_of(mesh, e)
        R, U, q = deformation(own, nodes, c, x0)
        if not U[0] > 0.0:
            return e, dissipated
        inverse = turning_inverse(U)
        T, g = linear_forces(own, matrix, weighted(1.0, U, -1.0, UNIT), q)
        if beta != 0.0:
            _, U_dot, q_dot = rates_of(own, nodal_sums(nodes, c, v0), R, U, inverse, q)
            T_dot, g_dot = linear_forces(own, matrix, U_dot, q_dot)
            power = inner(T_dot, U_dot)
            for k in range(4):
                power += dot(g_dot[k], q_dot[k])
            dissipated += beta * power
            T, g = weighted(1.0, T, beta, T_dot), added(g, beta, g_dot)
        local, _ = local_force(own, U, inverse, q, T, g)
        subtract_nodal(nodes, c, f0, rotated_seven(R, local))
    return NONE_INVERTED, dissipated


@jit
def strain_energy(mesh, c, x0):
    total = 0.0
    for e in range(mesh.size):
        nodes, own, matrix = element_of(mesh, e)
        _, U, q = deformation(own, nodes, c, x0)
        E = weighted(1.0, U, -1.0, UNIT)
        E = weighted(1.0, E, 1.0, symmetric(outer_sum(q, four_vectors(own, MEAN))))
        trace = E[0] + E[4] + E[8]
        total += own[VOLUME_MU] * square(E) + 0.5 * own[VOLUME_LAM] * trace * trace
        r = symmetric_product(matrix, q)
        for k in range(4):
            total += 0.5 * dot(q[k], r[k])
    return total


@jit
def stresses(mesh, c, x0, out, o0):
    alpha, p = stack_array(9), mesh.numbers
    for e in range(mesh.size):
        nodes, own, _ = element_of(mesh, e)
        R, U, q = deformation(own, nodes, c, x0)
        first = mesh.integers[2 * e + 1]
        for m in range(9):
            s = 0.0
            for k in range(4):
                s += dot(vector(p, first + 12 * m + 3 * k), q[k])
            alpha[m] = s
        lam, mu = own[VOLUME_LAM] / own[CONTENT], own[VOLUME_MU] / own[CONTENT]
        J0 = jacobian_at_centre(own)
        for g in range(NODES):
            gradient = weighted(1.0, gauss_gradient(own, J0, q, alpha, g), 1.0, U)
            strain = weighted(1.0, symmetric(gradient), -1.0, UNIT)
            turned = product(R, hooke(lam, mu, strain))
            put_stress(out, o0 + 6 * (NODES * e + g), product_with_transposed(turned, R))


@jit
def add_tangent(mesh, e, c, x0, K, k0):
    """By the derivative of the force in each direction: no differences are taken."""
    nodes, own, matrix = element_of(mesh, e)
    R, U, q = deformation(own, nodes, c, x0)
    inverse = turning_inverse(U)
    T, g = linear_forces(own, matrix, weighted(1.0, U, -1.0, UNIT), q)
    local, s = local_force(own, U, inverse, q, T, g)
    column = stack_array(24)
    for n in range(24):
        phi, dU, dq = rates_of(own, unit_sums(n), R, U, inverse, q)
        dT, dg = linear_forces(own, matrix, dU, dq)
        change = scale(-1.0, axial(weighted(1.0, product(dU, T), 1.0, product(U, dT))))
        for k in range(4):
            change = add(change, add(cross(dq[k], g[k]), cross(q[k], dg[k])))
        ds = rotate(inverse, sub(change, rotate(turning_matrix(dU), s)))
        rate = to_sums(own, weighted(1.0, dT, -1.0, hat(ds)), dg)
        write_column(rotated_seven(R, turned_seven(phi, local, rate)), column)
        for i in range(24):
            K[k0 + 24 * i + n] += column[i]


@jit
def add_damping(mesh, e, c, x0, beta, D, d0):
    """The damping force is linear in v: that of each unit velocity."""
    nodes, own, matrix = element_of(mesh, e)
    R, U, q = deformation(own, nodes, c, x0)
    inverse, column = turning_inverse(U), stack_array(24)
    for n in range(24):
        _, dU, dq = rates_of(own, unit_sums(n), R, U, inverse, q)
        T, g = linear_forces(own, matrix, dU, dq)
        local, _ = local_force(own, U, inverse, q, T, g)
        write_column(rotated_seven(R, local), column)
        for i in range(24):
            D[d0 + 24 * i + n] += beta * column[i]


FUNCTIONS = ElementFunctions(add_forces, strain_energy, stresses, add_tangent, add_damping)
