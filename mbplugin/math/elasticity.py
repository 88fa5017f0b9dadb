"""Isotropic elastic laws: energy W [J/m³] and stress P = ∂W/∂F [Pa] of a deformation gradient F = R U with
det F > 0. Matrices are nine numbers, row by row; λ and μ are Lamé's constants [Pa].

    linear                    W = μ |U − 1|² + ½ λ tr²(U − 1)         P = R (2 μ (U − 1) + λ tr(U − 1) 1)
    saint_venant_kirchhoff    W = μ |E|² + ½ λ tr²E                   P = F (2 μ E + λ tr(E) 1)
    neo_hookean               W = ½ μ (|F|² − 3) − μ ln J + ½ λ ln²J  P = μ (F − F⁻ᵀ) + λ ln J F⁻ᵀ

with E = ½ (FᵀF − 1), J = det F. All three are Hooke's law for small strain and any rotation. P is derived
here; tests take differences of W.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from mbplugin.math.jit import jit
from mbplugin.math.polar import crossed_with, determinant, inverse_transposed, polar, square, weighted
from mbplugin.math.vec3 import product, product_back

Array = NDArray[np.float64]
#: the laws by name, in the order of their numbers
LAWS = ("linear", "saint_venant_kirchhoff", "neo_hookean")
LINEAR, SAINT_VENANT_KIRCHHOFF, NEO_HOOKEAN = range(3)
UNIT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def lame(young: float, poisson: float) -> tuple[float, float]:
    """λ and μ [Pa] from Young's modulus [Pa] and Poisson's ratio."""
    return young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), young / (2.0 * (1.0 + poisson))


@jit
def strain(law, F, U):
    """U − 1 of the law `linear`, else E = ½ (FᵀF − 1)."""
    if law == LINEAR:
        return weighted(1.0, U, -1.0, UNIT)
    return weighted(0.5, product_back(F, F), -0.5, UNIT)


@jit
def stress(law, lam, mu, F, R, U):
    """P, row by row [Pa]; with λ and μ times a volume, in [J]."""
    if law == NEO_HOOKEAN:
        return weighted(mu, F, lam * log(determinant(F)) - mu, inverse_transposed(F))
    e = strain(law, F, U)
    turned = R if law == LINEAR else F
    return product(turned, hooke(lam, mu, e))


@jit
def damping_stress(lam, mu, F, F_dot):
    """P of a stress (second Piola-Kirchhoff) proportional to the rate of Green's strain, and P : Ḟ: with λ
    and μ times a time [Pa·s], in [Pa] and [W/m³]. A rotation has no such stress.
    """
    rate = symmetric(product_back(F, F_dot))
    trace = rate[0] + rate[4] + rate[8]
    return product(F, hooke(lam, mu, rate)), 2.0 * mu * square(rate) + lam * trace * trace


@jit
def stress_change(law, lam, mu, F, R, U, dF, turn, dU):
    """dP for a change dF, with ρ and dU of `polar.polar_change`:

    linear                    R (ρ̂ S + C : dU),                             S = 2 μ (U − 1) + λ tr(U − 1) 1
    saint_venant_kirchhoff    dF S + F (C : dE),  dE = ½ (dFᵀF + FᵀdF),      S = C : E
    neo_hookean               μ dF + (μ − λ ln J) G dFᵀG + λ (G : dF) G,     G = F⁻ᵀ
    """
    if law == NEO_HOOKEAN:
        G = inverse_transposed(F)
        back = product(G, product_back(dF, G))
        inner = 0.0
        for k in range(9):
            inner += G[k] * dF[k]
        s = mu - lam * log(determinant(F))
        return weighted(1.0, weighted(mu, dF, s, back), lam * inner, G)
    S = hooke(lam, mu, strain(law, F, U))
    if law == LINEAR:
        return product(R, weighted(1.0, crossed_with(turn, S), 1.0, hooke(lam, mu, dU)))
    rate = hooke(lam, mu, symmetric(product_back(F, dF)))
    return weighted(1.0, product(dF, S), 1.0, product(F, rate))


@jit
def damping_change(lam, mu, F, F_dot, dF):
    """Changes of the P of `damping_stress` for a change dF of F, and for the same change of Ḟ."""
    S = hooke(lam, mu, symmetric(product_back(F, F_dot)))
    moved = hooke(lam, mu, symmetric(product_back(dF, F_dot)))
    by_rate = product(F, hooke(lam, mu, symmetric(product_back(F, dF))))
    return weighted(1.0, product(dF, S), 1.0, product(F, moved)), by_rate


@jit
def symmetric(A):
    """½ (A + Aᵀ)."""
    xy, xz, yz = 0.5 * (A[1] + A[3]), 0.5 * (A[2] + A[6]), 0.5 * (A[5] + A[7])
    return (A[0], xy, xz, xy, A[4], yz, xz, yz, A[8])


@jit
def hooke(lam, mu, e):
    """C : e = 2 μ e + λ tr(e) 1."""
    return weighted(2.0 * mu, e, lam * (e[0] + e[4] + e[8]), UNIT)


@jit
def energy_density(law, lam, mu, F, U):
    """W [J/m³]; with λ and μ times a volume, in [J]."""
    if law == NEO_HOOKEAN:
        volumetric = log(determinant(F))
        return 0.5 * mu * (square(F) - 3.0) - mu * volumetric + 0.5 * lam * volumetric * volumetric
    e = strain(law, F, U)
    trace = e[0] + e[4] + e[8]
    return mu * square(e) + 0.5 * lam * trace * trace


def cauchy_stress(law: int, lam: float, mu: float, damping: float, F: Array, F_dot: Array) -> Array:
    """(n, 3, 3) Cauchy stress P Fᵀ/det F [Pa] of n deformation gradients (n, 3, 3) and their rates; NaN where
    det F is not positive.
    """
    found = np.empty_like(F)
    for k, (one, rate) in enumerate(zip(F.reshape(-1, 9).tolist(), F_dot.reshape(-1, 9).tolist())):
        R, U = polar(tuple(one))
        P = np.array(stress(law, lam, mu, tuple(one), R, U))
        P += damping_stress(damping * lam, damping * mu, tuple(one), tuple(rate))[0]
        found[k] = P.reshape(3, 3) @ F[k].T / determinant(tuple(one))
    return found
