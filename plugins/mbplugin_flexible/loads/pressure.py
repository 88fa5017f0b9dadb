"""Pressure on faces. It follows the surface: at each instant it acts along the normal of the deformed faces.

    f_a = −∫ p N_a n da = −p Σ_g w_g N_a (∂x/∂ξ × ∂x/∂η)        x = Σ_b N_b x_b

    K_ab δ = p Σ_g w_g N_a (∂x/∂ξ × ∂N_b/∂η δ − ∂x/∂η × ∂N_b/∂ξ δ)

The integrand is a polynomial of ξ, η, and the rule of the faces exact for it, so that the forces on a closed
surface have neither a resultant nor a moment, however it is deformed. K of a part of a surface is not
symmetric: H. D. Hibbitt, Int. J. Solids Structures 15 (1979) 937–942; derived here, tests take differences.
"""

from __future__ import annotations

from mbplugin.interface import Array, FaceRule, ForceKind, Function, Parameters, jit
from mbplugin.math.vec3 import add, cross, scale


class PressureParameters(Parameters):
    pressure: Function
    """Force per deformed area [Pa], positive inwards: a function of `time`."""


class Pressure(ForceKind):
    name = "pressure"
    parameters = PressureParameters
    on_faces = True
    markers = None
    examples = ({"pressure": "0.3*sin(2*time) + 0.5"},)

    @classmethod
    def face_numbers(cls, params: PressureParameters, points: Array, rule: FaceRule) -> dict[str, Array]:
        return {"weighted": rule.weights[:, None] * rule.N, "N_xi": rule.N_xi, "N_eta": rule.N_eta}

    @staticmethod
    def kernel(m, p, u, wrench):
        for a in range(len(m)):
            for k in range(6):
                wrench[a, k] = 0.0
        for g in range(p.weighted.shape[0]):
            x_xi, x_eta = tangents(m, p, g)
            f = scale(-u.pressure[0], cross(x_xi, x_eta))
            for a in range(len(m)):
                for k in range(3):
                    wrench[a, k] += p.weighted[g, a] * f[k]

    @staticmethod
    def tangent(m, p, u, K):
        for g in range(p.weighted.shape[0]):
            x_xi, x_eta = tangents(m, p, g)
            for b in range(len(m)):
                # the vector s of K_ab δ = s × δ
                s = add(scale(p.N_eta[g, b], x_xi), scale(-p.N_xi[g, b], x_eta))
                s = scale(u.pressure[0], s)
                for a in range(len(m)):
                    add_cross_matrix(K, 6 * a, 6 * b, scale(p.weighted[g, a], s))


@jit
def tangents(m, p, g):
    """∂x/∂ξ and ∂x/∂η at point g of the rule."""
    x_xi = x_eta = (0.0, 0.0, 0.0)
    for a in range(len(m)):
        x_xi = add(x_xi, scale(p.N_xi[g, a], m[a].x))
        x_eta = add(x_eta, scale(p.N_eta[g, a], m[a].x))
    return x_xi, x_eta


@jit
def add_cross_matrix(K, i, j, s):
    """Add the matrix of s × to the block of K that begins at (i, j)."""
    K[i, j + 1] -= s[2]
    K[i, j + 2] += s[1]
    K[i + 1, j] += s[2]
    K[i + 1, j + 2] -= s[0]
    K[i + 2, j] -= s[1]
    K[i + 2, j + 1] += s[0]
