"""Rates of the stress of the laws of `elasticity.py`: Ṗ for a rate Ḟ of the deformation gradient.

    linear                    Ṗ = R (φ̂ T + 2 μ U̇ + λ tr(U̇) 1),   T = 2 μ (U − 1) + λ tr(U − 1) 1
                              Y φ = ax(L),  L = RᵀḞ,  U̇ = L − φ̂ U,  Y = tr(U) 1 − U
    saint_venant_kirchhoff    Ṗ = Ḟ S + F (2 μ Ė + λ tr(Ė) 1),      Ė = sym(Fᵀ Ḟ)
    neo_hookean               Ṗ = μ Ḟ + (μ − λ ln J) F⁻ᵀ Ḟᵀ F⁻ᵀ + λ tr(F⁻¹ Ḟ) F⁻ᵀ

Matrices are nine numbers, row by row. Derived here; tests take differences of P.
"""

from __future__ import annotations

from math import log

from mbplugin.math.elasticity import LINEAR, NEO_HOOKEAN, UNIT, strain
from mbplugin.math.jit import jit
from mbplugin.math.polar import axial, crossed_with, determinant, inverse_transposed, turning_matrix, weighted
from mbplugin.math.vec3 import product, product_back, rotate


@jit
def hooke(lam, mu, e):
    """2 μ e + λ tr(e) 1."""
    return weighted(2.0 * mu, e, lam * (e[0] + e[4] + e[8]), UNIT)


@jit
def symmetric(A):
    """½ (A + Aᵀ)."""
    a, b, c = 0.5 * (A[1] + A[3]), 0.5 * (A[2] + A[6]), 0.5 * (A[5] + A[7])
    return (A[0], a, b, a, A[4], c, b, c, A[8])


@jit
def stretch_rate(R, U, F_dot):
    """φ, U̇ and Y⁻¹ of F = R U: the rotation rate in the axes of R, and the rate of the stretch."""
    inverse = inverse_transposed(turning_matrix(U[0] + U[4] + U[8], U))  # symmetric
    L = product_back(R, F_dot)
    phi = rotate(inverse, axial(L))
    return phi, weighted(1.0, L, -1.0, crossed_with(phi, U)), inverse


@jit
def stress_rate(law, lam, mu, F, R, U, F_dot):
    """Ṗ, row by row [Pa/s]; with λ and μ times a volume, in [J/s]."""
    if law == NEO_HOOKEAN:
        inverse = inverse_transposed(F)
        trace = 0.0
        for a, b in zip(inverse, F_dot):
            trace += a * b
        turned = product(inverse, product_back(F_dot, inverse))
        k = lam * log(determinant(F))
        return weighted(1.0, weighted(mu, F_dot, mu - k, turned), lam * trace, inverse)
    stress = hooke(lam, mu, strain(law, F, U))
    if law == LINEAR:
        phi, U_dot, _ = stretch_rate(R, U, F_dot)
        return product(R, weighted(1.0, crossed_with(phi, stress), 1.0, hooke(lam, mu, U_dot)))
    rate = hooke(lam, mu, symmetric(product_back(F, F_dot)))
    return weighted(1.0, product(F_dot, stress), 1.0, product(F, rate))
