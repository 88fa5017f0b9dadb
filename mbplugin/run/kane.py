"""Kane's equations in speeds of one's own: F_r + F_r* = 0 for each speed u_r.

The speeds are linear in rates of coordinates and measures, as many as degrees of freedom. With the rows
G v = −Φₜ of the joints and U v + u₀ = u of the speeds,

    v = S u + s₀,   v̇ = S u̇ + σ            from the inverse of [G; U], and its rows' γ
    M_u = Sᵀ M S,   b = Sᵀ (M σ − h_own)    F_r* = −(M_u u̇ + b),   F_r = Sᵀ h_applied

h_own are the gyroscopic forces of bodies, and their own elastic ones. The columns of S are the partial
velocities. T. R. Kane & D. A. Levinson, Dynamics: Theory and Applications, McGraw-Hill 1985, sections 2.14,
4.9 and 6.1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.compile import compile_system
from mbplugin.errors import SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.model import Joint, System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Rows, State
from mbplugin.tables.purposes import BODY_FORCE
from mbplugin.tables.records import ON
from mbplugin.tables.spec import Array

#: singular values below this part of the largest one count as zero
RANK_TOLERANCE = 1e-9
#: a gap that never closes: rows of slip belong to one
FAR = 1e9


@dataclass(frozen=True)
class KaneEquations:
    """Kane's equations at one state, n speeds: M_u u̇ + b = F, in the units of the speeds."""

    speeds: list[str]
    u: Array  # (n,) their values
    partial_velocities: Array  # (nv, n) S: derivatives of the velocities by the speeds
    mass_matrix: Array  # (n, n) M_u
    bias: Array  # (n,) b
    active_forces: Array  # (n,) F_r

    @property
    def accelerations(self) -> Array:
        """(n,) u̇."""
        return np.linalg.solve(self.mass_matrix, self.active_forces - self.bias)

    @property
    def inertia_forces(self) -> Array:
        """(n,) F_r* at these accelerations."""
        return -(self.mass_matrix @ self.accelerations + self.bias)


def kane(system: System, registry: Registry, problem: Problem, speeds: Mapping[str, str]) -> KaneEquations:
    """Kane's equations of a problem at its present state. Raises SceneError.

    speeds: name -> expression that is linear in rates, such as "rate(pin.angle) + 2*rate(slide.length)"
    """
    state = problem[State]
    t, q, v = float(state.time[0]), state.q.copy(), state.v.copy()
    M = problem.mass(q)
    G, gamma = problem.constraints(t, q, v)
    h = problem.forces(t, q, v)
    problem[Bodies].h[:] = 0.0
    problem.call_purpose(BODY_FORCE)  # adds to h
    own = problem[Bodies].h.copy()
    problem.evaluate(t, q, v)
    U, gamma_u, u = rows_of_speeds(system, registry, problem, speeds)
    n = problem.nv - np.linalg.matrix_rank(G, tol=RANK_TOLERANCE * max(1.0, np.abs(G).max(initial=0.0)))
    names = list(speeds)
    if len(names) != n:
        raise SceneError(
            "speeds", names, f"the system has {n} degrees of freedom at this state; give {n} speeds"
        )
    A = np.vstack([G, U])
    left, sizes, right = np.linalg.svd(A, full_matrices=False)
    if sizes[-1] < RANK_TOLERANCE * sizes[0]:
        still = np.abs(right[-1]) > 0.1 * np.abs(right[-1]).max()
        moving = ", ".join(dict.fromkeys(name for name, on in zip(velocity_owners(problem), still) if on))
        raise SceneError(
            "speeds", names, f"are singular at this state: all of them may be zero while {moving} moves"
        )
    inverse = (right.T / sizes) @ left.T
    S = inverse[:, len(G) :]
    sigma = inverse @ np.concatenate([gamma, gamma_u])
    return KaneEquations(names, u, S, S.T @ M @ S, S.T @ (M @ sigma - own), S.T @ (h - own))


def velocity_owners(problem: Problem) -> list[str]:
    """The body of each velocity."""
    owners = [""] * problem.nv
    for name, body in zip(problem.names.bodies, problem[Bodies].index):
        first = int(body.first_v)
        owners[first : first + int(body.nv)] = [str(getattr(name, "name", name))] * int(body.nv)
    return owners


def rows_of_speeds(
    system: System, registry: Registry, problem: Problem, speeds: Mapping[str, str]
) -> tuple[Array, Array, Array]:
    """U (n, nv), γ (n,) with U v̇ + ... = u̇ at u̇ = 0, and the values u (n,). Raises SceneError.

    The rows are those of slip functions, which are linear in rates as well, of gaps that never close.
    """
    changed = system.copied()
    for k, (name, text) in enumerate(speeds.items()):
        if not (read := re.search(r"rate\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text)):
            raise SceneError("speeds", text, f'"{name}" reads no rate, such as rate(pin.angle)')
        gap = f"{FAR!r} + {read[1]}"
        keys: Any = {"gap": gap, "slip": text, "friction": 1.0}
        changed.add(Joint(name=f"speed {k}", type="unilateral", **keys))
    other = compile_system(changed, registry)
    state, present = other[State], problem[State]
    state.mode[:] = ON
    other.evaluate(float(present.time[0]), present.q, present.v)
    infos = {joint.name: joint for joint in other.names.joints}
    rows = [infos[f"speed {k}"].rows[1] for k in range(len(speeds))]
    U = other.jacobian()[rows]
    return U, other[Rows].gamma[rows].copy(), U @ present.v + other[Rows].phi_t[rows]
