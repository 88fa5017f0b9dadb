"""Internal force of elements by the total Lagrangian formulation, for any strain.

    F = ∂x/∂ξ ∂ξ/∂X,   W = Σ_g V_g W(F_g),   f_a = −∂W/∂x_a = −Σ_g V_g P ∂N_a/∂X
    with damping       P ← P + β F (2 μ Ė + λ tr(Ė) 1),   Ė = sym(Fᵀ Ḟ)

P and W of a law are in `mbplugin/math/elasticity.py`. The damping has a power −β V Ė : C : Ė ≤ 0, and no
force in a rigid motion and no torque. The equations are those of T. Belytschko, W. K. Liu, B. Moran,
Nonlinear Finite Elements for Continua and Structures (2000), chapter 4.

Each kind of element passes its sizes as constants, and its table of ∂N/∂ξ in both orders; the functions are
inlined there. Positions are taken from the first node of the element, so that no digits are lost far from the
origin.
"""

from __future__ import annotations

from mbplugin.interface import inlined, jit
from mbplugin.math.elastic_tangent import hooke, stress_rate, symmetric
from mbplugin.math.elasticity import LINEAR, NEO_HOOKEAN, UNIT, energy_density, stress
from mbplugin.math.polar import determinant, polar, weighted
from mbplugin.math.vec3 import load9, product, product_back
from mbplugin_flexible.elements.layout import LAM, LAW, MU, POINT, POINTS, VOLUME
from mbplugin_flexible.elements.tensors import product_with_transposed, put_stress

#: result of a loop over elements without an inverted one
NONE_INVERTED = -1


@inlined
def add_internal_forces(
    p, nodes, data, count, c, x0, v0, f0, beta, k, gauss, forward, backward, slopes, rates, forces
):
    """Add −∂W/∂x and damping; the number of the first inverted element, or −1. After an inverted element the
    forces are incomplete.

    k, gauss: numbers of nodes and Gauss points
    forward (k, 3 gauss), backward (3 gauss, k): ∂N_a/∂ξ_j, j fastest
    slopes, rates (9 gauss,), forces (3 k,): work arrays
    """
    width = 3 * gauss
    for e in range(count):
        at, numbers = nodes + k * e, data + (POINTS + POINT * gauss) * e
        law, lam, mu = int(p[numbers + LAW]), p[numbers + LAM], p[numbers + MU]
        differentiate(p, at, c, x0, k, width, forward, slopes)
        if beta != 0.0:
            differentiate(p, at, c, v0, k, width, forward, rates)
        for g in range(gauss):
            point = numbers + POINTS + POINT * g
            inverse, volume = load9(p, point), p[point + VOLUME]
            F = product(slope_at(slopes, g, width), inverse)
            if not is_defined(law, F):
                return e
            P = stress_at(law, volume * lam, volume * mu, F)
            if beta != 0.0:
                F_dot = product(slope_at(rates, g, width), inverse)
                strain_rate = symmetric(product_back(F, F_dot))
                viscous = hooke(beta * volume * lam, beta * volume * mu, strain_rate)
                P = weighted(1.0, P, 1.0, product(F, viscous))
            put_slope(slopes, g, width, product_with_transposed(P, inverse))
        for a in range(3 * k):
            forces[a] = 0.0
        for m in range(width):
            sx, sy, sz = slopes[m], slopes[width + m], slopes[2 * width + m]
            for a in range(k):
                forces[a] += backward[m, a] * sx
            for a in range(k):
                forces[k + a] += backward[m, a] * sy
            for a in range(k):
                forces[2 * k + a] += backward[m, a] * sz
        for a in range(k):
            i = f0 + 3 * int(p[at + a])
            c[i] -= forces[a]
            c[i + 1] -= forces[k + a]
            c[i + 2] -= forces[2 * k + a]
    return NONE_INVERTED


@inlined
def total_energy(p, nodes, data, count, c, x0, k, gauss, forward, slopes):
    """∫ W dV of all elements [J]; NaN where the law is not defined."""
    width = 3 * gauss
    total = 0.0
    for e in range(count):
        at, numbers = nodes + k * e, data + (POINTS + POINT * gauss) * e
        law, lam, mu = int(p[numbers + LAW]), p[numbers + LAM], p[numbers + MU]
        differentiate(p, at, c, x0, k, width, forward, slopes)
        for g in range(gauss):
            point = numbers + POINTS + POINT * g
            F = product(slope_at(slopes, g, width), load9(p, point))
            total += p[point + VOLUME] * energy_at(law, lam, mu, F)
    return total


@inlined
def cauchy_stresses(p, nodes, data, count, c, x0, out, o0, k, gauss, forward, slopes):
    """P Fᵀ / det F at each Gauss point: xx, yy, zz, xy, yz, xz in the axes of x [Pa]."""
    width = 3 * gauss
    for e in range(count):
        at, numbers = nodes + k * e, data + (POINTS + POINT * gauss) * e
        law, lam, mu = int(p[numbers + LAW]), p[numbers + LAM], p[numbers + MU]
        differentiate(p, at, c, x0, k, width, forward, slopes)
        for g in range(gauss):
            F = product(slope_at(slopes, g, width), load9(p, numbers + POINTS + POINT * g))
            T = product_with_transposed(stress_at(law, lam, mu, F), F)
            put_stress(out, o0 + 6 * (gauss * e + g), weighted(1.0 / determinant(F), T, 0.0, T))


@inlined
def add_element_tangent(p, nodes, data, e, c, x0, K, k0, k, gauss, forward, slopes, moduli, gradients):
    """Add ∂²W/∂x² of element e to (3 k, 3 k) numbers of K from k0, row by row.

    moduli (81,), gradients (3 k,): work arrays
    """
    add_by_moduli(p, nodes, data, e, c, x0, -1.0, K, k0, k, gauss, forward, slopes, moduli, gradients)


@inlined
def add_by_moduli(p, nodes, data, e, c, x0, beta, K, k0, k, gauss, forward, slopes, moduli, gradients):
    """The tangent of the elastic force (β < 0), or of the damping force by the velocities."""
    width = 3 * gauss
    at, numbers = nodes + k * e, data + (POINTS + POINT * gauss) * e
    law, lam, mu = int(p[numbers + LAW]), p[numbers + LAM], p[numbers + MU]
    differentiate(p, at, c, x0, k, width, forward, slopes)
    for g in range(gauss):
        point = numbers + POINTS + POINT * g
        inverse, volume = load9(p, point), p[point + VOLUME]
        F = product(slope_at(slopes, g, width), inverse)
        if beta < 0.0:
            write_moduli(law, volume * lam, volume * mu, F, moduli)
        else:
            write_viscous_moduli(beta * volume * lam, beta * volume * mu, F, moduli)
        for a in range(k):
            x, y, z = forward[a, 3 * g], forward[a, 3 * g + 1], forward[a, 3 * g + 2]
            for j in range(3):
                gradients[3 * a + j] = x * inverse[j] + y * inverse[3 + j] + z * inverse[6 + j]
        for a in range(k):
            for i in range(3):
                row = k0 + 3 * k * (3 * a + i)
                for n in range(9):  # ∂P_ij/∂F_n ∂N_a/∂X_j
                    s = 0.0
                    for j in range(3):
                        s += moduli[9 * n + 3 * i + j] * gradients[3 * a + j]
                    for b in range(k):
                        K[row + 3 * b + n // 3] += s * gradients[3 * b + n % 3]


@inlined
def differentiate(p, at, c, first, k, width, forward, slopes):
    """Write ∂c/∂ξ at all Gauss points, c the vectors of the nodes: (3, width), the component first."""
    origin = first + 3 * int(p[at])
    ox, oy, oz = c[origin], c[origin + 1], c[origin + 2]
    for m in range(3 * width):
        slopes[m] = 0.0
    for a in range(1, k):
        i = first + 3 * int(p[at + a])
        x, y, z = c[i] - ox, c[i + 1] - oy, c[i + 2] - oz
        for m in range(width):
            slopes[m] += forward[a, m] * x
        for m in range(width):
            slopes[width + m] += forward[a, m] * y
        for m in range(width):
            slopes[2 * width + m] += forward[a, m] * z


@inlined
def slope_at(slopes, g, width):
    """∂x_i/∂ξ_j of Gauss point g."""
    a, b, c = 3 * g, width + 3 * g, 2 * width + 3 * g
    return (
        slopes[a], slopes[a + 1], slopes[a + 2],
        slopes[b], slopes[b + 1], slopes[b + 2],
        slopes[c], slopes[c + 1], slopes[c + 2],
    )  # fmt: skip


@inlined
def put_slope(slopes, g, width, A):
    a, b, c = 3 * g, width + 3 * g, 2 * width + 3 * g
    slopes[a], slopes[a + 1], slopes[a + 2] = A[0], A[1], A[2]
    slopes[b], slopes[b + 1], slopes[b + 2] = A[3], A[4], A[5]
    slopes[c], slopes[c + 1], slopes[c + 2] = A[6], A[7], A[8]


@jit
def is_defined(law, F):
    """Whether a law has a stress: all but Saint Venant-Kirchhoff's need det F > 0."""
    return (law != LINEAR and law != NEO_HOOKEAN) or determinant(F) > 0.0


@jit
def stress_at(law, lam, mu, F):
    """P of F."""
    if law == LINEAR:
        R, U = polar(F)
        return stress(law, lam, mu, F, R, U)
    return stress(law, lam, mu, F, UNIT, UNIT)


@jit
def energy_at(law, lam, mu, F):
    """W of F."""
    U = UNIT
    if law == LINEAR:
        U = polar(F)[1]
    return energy_density(law, lam, mu, F, U)


@jit
def write_moduli(law, lam, mu, F, moduli):
    """(9, 9) ∂P/∂F, a column of P for each entry of F."""
    R, U = UNIT, UNIT
    if law == LINEAR:
        R, U = polar(F)
    for n in range(9):
        rate = stress_rate(law, lam, mu, F, R, U, unit_entry(n))
        for m in range(9):
            moduli[9 * n + m] = rate[m]


@jit
def write_viscous_moduli(lam, mu, F, moduli):
    """(9, 9) ∂P/∂Ḟ of P = F (2 μ Ė + λ tr(Ė) 1), a column of P for each entry of Ḟ."""
    for n in range(9):
        rate = product(F, hooke(lam, mu, symmetric(product_back(F, unit_entry(n)))))
        for m in range(9):
            moduli[9 * n + m] = rate[m]


@jit
def unit_entry(n):
    """The matrix with 1 in entry n, else 0."""
    return (
        1.0 * (n == 0), 1.0 * (n == 1), 1.0 * (n == 2),
        1.0 * (n == 3), 1.0 * (n == 4), 1.0 * (n == 5),
        1.0 * (n == 6), 1.0 * (n == 7), 1.0 * (n == 8),
    )  # fmt: skip
