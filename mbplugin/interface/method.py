"""Methods: how accelerations and constraint forces at one state are computed.

A solver integrates in time; a method solves M v̇ = h + Gᵀλ, G v̇ = γ for it. A scene chooses one by
`[solver] method`.
"""

from __future__ import annotations

from typing import Any, ClassVar


class MethodKind:
    """Base of methods: define exactly one of `acceleration`, `kernel` and `engine = True`.

    acceleration(problem, t, q, v)
        Plain Python. Returns v̇ (nv,) and λ (nc,) [N, N·m]. `problem.mass(q)`, `problem.forces(t, q, v)` and
        `problem.constraints(t, q, v)` cost nothing here, as the solver has evaluated them at this state. Rows
        may be redundant: λ is then the minimum-norm solution in rows scaled by 1/√diag(G M⁻¹ Gᵀ).
    forms_mass_matrix
        Whether M of bodies that joints carry is formed and factored, instead of the recursion of articulated
        bodies. In joint coordinates only.
    kernel(first, count, address)
        Compiled by numba, called after the equations of motion are evaluated and S is factored. Writes
        `Rates.v_dot` and `Rows.lam`; returns the number of passes (20 and more: not converged; negative:
        failed).
    arrays(problem)
        The kernel's own group of tables, declared by `mbplugin.matrix.method_tables`.
    """

    name: ClassVar[str]
    coordinates: ClassVar[str] = "maximal"  # or "joint", of the engine's own only
    forms_mass_matrix: ClassVar[bool] = False
    acceleration: ClassVar[Any] = None
    kernel: ClassVar[Any] = None
    arrays: ClassVar[Any] = None
    engine: ClassVar[bool] = False  # use the engine's block factor
