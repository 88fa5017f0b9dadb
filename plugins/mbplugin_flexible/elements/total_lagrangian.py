"""Internal force of elements by the total Lagrangian formulation, for any strain.

    F = ∂x/∂ξ ∂ξ/∂X,   W = Σ_g V_g W(F_g),   f_a = −∂W/∂x_a = −Σ_g V_g P ∂N_a/∂X
    with damping       P ← P + β F (2 μ Ė + λ tr(Ė) 1),   Ė = sym(Fᵀ Ḟ)

P and W of a law are in `mbplugin/math/elasticity.py`. The damping has a power −β V Ė : C : Ė ≤ 0, and no
force in a rigid motion and no torque. The equations are those of T. Belytschko, W. K. Liu, B. Moran,
Nonlinear Finite Elements for Continua and Structures (2000), chapter 4.

`functions_of` makes the functions of a kind, with its sizes and its table of ∂N/∂ξ as constants. Positions
are taken from the first node of the element, so that no digits are lost far from the origin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mbplugin.interface import inlined, jit
from mbplugin.math.elasticity import (
    LINEAR,
    NEO_HOOKEAN,
    UNIT,
    damping_stress,
    energy_density,
    hooke,
    stress,
    stress_change,
    symmetric,
)
from mbplugin.math.emitters.stack import stack_array
from mbplugin.math.polar import determinant, polar, polar_change, turning_inverse, unit_matrix, weighted
from mbplugin.math.vec3 import load9, product, product_back, store9
from mbplugin_flexible.elements.functions import NONE_INVERTED, ElementFunctions
from mbplugin_flexible.elements.kinds import ElementKind
from mbplugin_flexible.elements.layout import LAM, MU, POINT, POINTS, VOLUME
from mbplugin_flexible.elements.tensors import product_with_transposed, put_stress


def functions_of(kind: ElementKind) -> ElementFunctions:
    """The compiled functions of a kind."""
    k, gauss = kind.k, kind.gauss
    width, size, vectors = 3 * gauss, POINTS + POINT * gauss, 3 * kind.k
    slopes_size = 3 * width
    # ∂N_a/∂ξ_j, j fastest: (k, 3 gauss) by node, and (3 gauss, k)
    forward = np.ascontiguousarray(np.moveaxis(kind.gradients, 0, 1).reshape(k, -1))
    backward = np.ascontiguousarray(forward.T)

    def compiled(function: Callable[..., Any]) -> Any:
        """The function by the name of its kind, since every kind has functions of these names."""
        function.__qualname__ = f"{kind.name}.{function.__name__}"
        return jit(function)

    @compiled
    def add_forces(mesh, c, x0, v0, f0, beta):
        p, law, dissipated = mesh.numbers, mesh.integers[0], 0.0
        slopes, rates = stack_array(slopes_size), stack_array(slopes_size)
        forces = stack_array(vectors)
        for e in range(mesh.size):
            at, numbers = k * e, size * e
            lam, mu = p[numbers + LAM], p[numbers + MU]
            differentiate(mesh.nodes, at, c, x0, k, width, forward, slopes)
            if beta != 0.0:
                differentiate(mesh.nodes, at, c, v0, k, width, forward, rates)
            for g in range(gauss):
                point = numbers + POINTS + POINT * g
                inverse, volume = load9(p, point), p[point + VOLUME]
                F = product(slope_at(slopes, g, width), inverse)
                if not is_defined(law, F):
                    return e, dissipated
                P = stress_at(law, volume * lam, volume * mu, F)
                if beta != 0.0:
                    F_dot = product(slope_at(rates, g, width), inverse)
                    viscous, power = damping_stress(beta * volume * lam, beta * volume * mu, F, F_dot)
                    P, dissipated = weighted(1.0, P, 1.0, viscous), dissipated + power
                put_slope(slopes, g, width, product_with_transposed(P, inverse))
            for a in range(vectors):
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
                i = f0 + 3 * mesh.nodes[at + a]
                c[i] -= forces[a]
                c[i + 1] -= forces[k + a]
                c[i + 2] -= forces[2 * k + a]
        return NONE_INVERTED, dissipated

    @compiled
    def strain_energy(mesh, c, x0):
        p, law, total = mesh.numbers, mesh.integers[0], 0.0
        slopes = stack_array(slopes_size)
        for e in range(mesh.size):
            numbers = size * e
            differentiate(mesh.nodes, k * e, c, x0, k, width, forward, slopes)
            for g in range(gauss):
                point = numbers + POINTS + POINT * g
                F = product(slope_at(slopes, g, width), load9(p, point))
                total += p[point + VOLUME] * energy_at(law, p[numbers + LAM], p[numbers + MU], F)
        return total

    @compiled
    def stresses(mesh, c, x0, out, o0):
        """P Fᵀ / det F."""
        p, law = mesh.numbers, mesh.integers[0]
        slopes = stack_array(slopes_size)
        for e in range(mesh.size):
            numbers = size * e
            differentiate(mesh.nodes, k * e, c, x0, k, width, forward, slopes)
            for g in range(gauss):
                F = product(slope_at(slopes, g, width), load9(p, numbers + POINTS + POINT * g))
                T = product_with_transposed(stress_at(law, p[numbers + LAM], p[numbers + MU], F), F)
                put_stress(out, o0 + 6 * (gauss * e + g), weighted(1.0 / determinant(F), T, 0.0, T))

    @compiled
    def add_by_moduli(mesh, e, c, x0, viscous, beta, K, k0):
        """The tangent of the elastic force, or of the damping force by the velocities."""
        p, law, numbers = mesh.numbers, mesh.integers[0], size * e
        slopes, moduli, gradients = stack_array(slopes_size), stack_array(81), stack_array(vectors)
        differentiate(mesh.nodes, k * e, c, x0, k, width, forward, slopes)
        for g in range(gauss):
            point = numbers + POINTS + POINT * g
            inverse, volume = load9(p, point), p[point + VOLUME]
            F = product(slope_at(slopes, g, width), inverse)
            lam, mu = volume * p[numbers + LAM], volume * p[numbers + MU]
            if viscous:
                write_viscous_moduli(beta * lam, beta * mu, F, moduli)
            else:
                write_moduli(law, lam, mu, F, moduli)
            for a in range(k):
                x, y, z = forward[a, 3 * g], forward[a, 3 * g + 1], forward[a, 3 * g + 2]
                for j in range(3):
                    gradients[3 * a + j] = x * inverse[j] + y * inverse[3 + j] + z * inverse[6 + j]
            for a in range(k):
                for i in range(3):
                    row = k0 + vectors * (3 * a + i)
                    for n in range(9):  # ∂P_ij/∂F_n ∂N_a/∂X_j
                        s = 0.0
                        for j in range(3):
                            s += moduli[9 * n + 3 * i + j] * gradients[3 * a + j]
                        for b in range(k):
                            K[row + 3 * b + n // 3] += s * gradients[3 * b + n % 3]

    @compiled
    def add_tangent(mesh, e, c, x0, K, k0):
        add_by_moduli(mesh, e, c, x0, False, 0.0, K, k0)

    @compiled
    def add_damping(mesh, e, c, x0, beta, D, d0):
        add_by_moduli(mesh, e, c, x0, True, beta, D, d0)

    return ElementFunctions(add_forces, strain_energy, stresses, add_tangent, add_damping)


@inlined
def differentiate(nodes, at, c, first, k, width, forward, slopes):
    """Write ∂c/∂ξ at all Gauss points, c the vectors of the nodes: (3, width), the component first."""
    origin = first + 3 * nodes[at]
    ox, oy, oz = c[origin], c[origin + 1], c[origin + 2]
    for m in range(3 * width):
        slopes[m] = 0.0
    for a in range(1, k):
        i = first + 3 * nodes[at + a]
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
    R, U, inverse = UNIT, UNIT, UNIT
    if law == LINEAR:
        R, U = polar(F)
        inverse = turning_inverse(U)
    for n in range(9):
        dF = unit_matrix(n)
        turn, dU = polar_change(R, inverse, U, dF)
        rate = stress_change(law, lam, mu, F, R, U, dF, turn, dU)
        store9(moduli, 9 * n, rate)


@jit
def write_viscous_moduli(lam, mu, F, moduli):
    """(9, 9) ∂P/∂Ḟ of P = F (2 μ Ė + λ tr(Ė) 1), a column of P for each entry of Ḟ."""
    for n in range(9):
        rate = product(F, hooke(lam, mu, symmetric(product_back(F, unit_matrix(n)))))
        store9(moduli, 9 * n, rate)
