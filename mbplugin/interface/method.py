"""A method: how accelerations and constraint forces are found at one state.

A solver steps through time; a method solves M v̇ = h + Gᵀλ, G v̇ = γ for it. A scene chooses it by `[solver] method`.
"""

from __future__ import annotations

from typing import Any, ClassVar


class MethodKind:
    """Base of methods. Either `acceleration` in plain Python, or `kernel` with the `arrays` it needs, or
    `engine = True`: the engine's own factor in joint blocks.

    acceleration(problem, t, q, v): returns v̇ (nv,) and λ (nc,) [N, N·m]. `problem.mass(q)`,
    `problem.forces(t, q, v)` and `problem.constraints(t, q, v)` cost no evaluation there, because the solver
    has made it. Rows may repeat each other: λ is then the minimum-norm one in rows scaled by 1/√diag(G M⁻¹
    Gᵀ). kernel(first, count, address): a function that numba compiles, called where the terms are evaluated
    and S is factored; it writes `Rates.v_dot` and `Rows.lam`, and returns the passes that it needed (20 and
    more: not converged; negative: failed).
    arrays(problem): the method's group of tables (`method_tables` of mbplugin.matrix), for the kernel.
    """

    name: ClassVar[str]
    acceleration: ClassVar[Any] = None
    kernel: ClassVar[Any] = None
    arrays: ClassVar[Any] = None
    engine: ClassVar[bool] = False
