"""Constraint forces by Gauss' principle of least constraint, in plain numpy.

    [solver]
    method = "least_constraint"

Among all accelerations that the constraints allow, G v̇ = γ, nature takes the one nearest to that of the free
bodies, in the norm of M (C. F. Gauss, Journal für die reine und angewandte Mathematik 4 (1829) 232-235):

    ½ (v̇ − M⁻¹h)ᵀ M (v̇ − M⁻¹h) → min

With M = L Lᵀ and rows of unit length, Ĝ = D G L⁻ᵀ, the distance x = Lᵀ v̇ − L⁻¹ h is the shortest solution of
Ĝ x = D γ − Ĝ L⁻¹ h. That is what a pseudoinverse finds:

    x = Ĝ⁺ (D γ − Ĝ L⁻¹ h),   v̇ = L⁻ᵀ (L⁻¹ h + x)
    M v̇ − h = L x = Gᵀ λ      gives  Ĝᵀ (D⁻¹ λ) = x,   λ = D (Ĝ⁺)ᵀ x

(F. E. Udwadia and R. E. Kalaba, Proceedings of the Royal Society A 439 (1992) 407-410, have the same
formula.) Rows may repeat each other: (Ĝ⁺)ᵀ x is the shortest of all multipliers that give the same forces, so
λ needs no choice of ours. An n × n pseudoinverse costs n³: this is for small models, and for reading.
"""

import numpy as np

from mbplugin.interface import MethodKind, hookimpl

#: singular values of Ĝ below this, relative to the largest, are rows that repeat others
REPEATED = 1e-10


class LeastConstraint(MethodKind):
    """v̇ and λ by one pseudoinverse."""

    name = "least_constraint"

    @staticmethod
    def acceleration(problem, t, q, v):
        """v̇ (nv,) and λ (nc,):   M v̇ = h + Gᵀ λ,   G v̇ = γ."""
        M, h = problem.mass(q), problem.forces(t, q, v)
        G, gamma = problem.constraints(t, q, v)
        L = np.linalg.cholesky(M)
        h_hat = np.linalg.solve(L, h)
        G_hat = np.linalg.solve(L, G.T).T
        length = np.linalg.norm(G_hat, axis=1)
        D = np.divide(
            1.0, length, out=np.zeros_like(length), where=length > 0.0
        )  # a row without length holds nothing
        G_hat *= D[:, None]
        P = np.linalg.pinv(G_hat, rcond=REPEATED)
        x = P @ (D * gamma - G_hat @ h_hat)
        return np.linalg.solve(L.T, h_hat + x), D * (P.T @ x)


@hookimpl
def mbplugin_methods(register):
    register(LeastConstraint)
