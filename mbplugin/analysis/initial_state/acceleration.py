"""Acceleration analysis: accelerations and constraint forces at the initial positions and velocities.

M v̇ = h + Gᵀ λ,   G v̇ = γ
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.kinematics.kinematic import swept
from mbplugin.analysis.rank.rank import rank
from mbplugin.analysis.report import Report, States, table
from mbplugin.kernels import sweep
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows, State
from mbplugin.tables.spec import Array


@dataclass(kw_only=True)
class AccelerationReport(Report):
    """residuals: of G v̇ = γ and of M v̇ = h + Gᵀλ, relative to the largest term. reactions: (joints, 6) on b
    at its marker, world axes.
    """

    what: ClassVar[str] = "acceleration"
    rows: int
    rank: int
    dof: int
    states: States
    bodies: list[str]
    acceleration: Array
    angular_acceleration: Array
    residuals: tuple[float, float]
    joints: list[str]
    reactions: Array = field(default_factory=lambda: np.zeros((0, 6)))

    def lines(self) -> list[str]:
        found = table(
            ["body", "ax [m/s2]", "ay", "az", "alpha x [rad/s2]", "y", "z"],
            [
                (n, *a, *w)
                for n, a, w in zip(
                    self.bodies, self.acceleration.tolist(), self.angular_acceleration.tolist()
                )
            ],
        )
        if len(self.reactions):
            found += table(
                ["joint", "fx [N]", "fy [N]", "fz [N]", "tx [N m]", "ty [N m]", "tz [N m]"],
                [(n, *r) for n, r in zip(self.joints, self.reactions.tolist())],
            )
        return [
            *found,
            f"residuals: constraints {self.residuals[0]:.1e}, equations of motion {self.residuals[1]:.1e} of the largest term",
            *self.messages,
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "rank": self.rank,
            "dof": self.dof,
            "residuals": list(self.residuals),
            "bodies": {
                n: {"acceleration": a, "angular_acceleration": w}
                for n, a, w in zip(self.bodies, self.acceleration, self.angular_acceleration)
            },
            "joints": {n: {"force": r[:3], "torque": r[3:]} for n, r in zip(self.joints, self.reactions)},
            "messages": self.messages,
        }


def acceleration(problem: Problem) -> AccelerationReport:
    """At the present, assembled state."""
    counts, state = rank(problem), problem[State]
    states, _, _ = swept(problem, state.time.copy(), forces=True)
    q, v, a, lam = states.q[0], states.v[0], states.v_dot[0], states.lam[0]
    at = np.array(problem.names.body_point)
    pose = np.zeros((1, len(at), 24))
    problem.check(sweep.show(problem.addresses, states.time, at, states.q, states.v, states.v_dot, pose))
    t = float(states.time[0])
    M, h = problem.mass(q), problem.forces(t, q, v)
    G, gamma = problem.constraints(t, q, v)
    scale = lambda *terms: max([float(np.abs(x).max(initial=0.0)) for x in terms] + [1e-300])
    left = float(np.abs(G @ a - gamma).max(initial=0.0)) / scale(gamma, a)
    rest = float(np.abs(M @ a - h - G.T @ lam).max(initial=0.0)) / scale(h, M @ a, lam)
    return AccelerationReport(
        rows=counts.rows,
        rank=counts.rank,
        dof=counts.dof,
        states=states,
        bodies=problem.names.bodies,
        acceleration=pose[0, :, 18:21],
        angular_acceleration=pose[0, :, 21:],
        residuals=(left, rest),
        joints=[j.name for j in problem.names.joints],
        messages=[
            f'row "{problem.names.rows[r].label}" of {problem.names.rows[r].owner} has no norm and is dropped'
            for r in np.flatnonzero(problem[Rows].dropped)
        ],
    )
