"""Acceleration analysis: accelerations and constraint forces at the initial positions and velocities.

M v̇ = h + Gᵀ λ,   G v̇ = γ

Where rows have bounds or bodies touch, modes and contacts are those of the start of a run (`run/instant.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.forces_report import ForcesReport
from mbplugin.analysis.kinematics.kinematic import poses, swept
from mbplugin.analysis.rank.rank import rank
from mbplugin.analysis.report import table
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Rows, State
from mbplugin.tables.spec import Array


@dataclass(kw_only=True, repr=False)
class AccelerationReport(ForcesReport):
    """Accelerations and reactions at one state, world axes."""

    what: ClassVar[str] = "acceleration"
    rows: int
    rank: int
    dof: int
    bodies: list[str]
    acceleration: Array  # (bodies, 3) of the mass centres [m/s²]
    angular_acceleration: Array  # (bodies, 3) [rad/s²]
    #: of G v̇ = γ and of M v̇ = h + Gᵀλ, with contacts of their law, relative to the largest term
    residuals: tuple[float, float]

    def lines(self) -> list[str]:
        accelerations = zip(self.bodies, self.acceleration.tolist(), self.angular_acceleration.tolist())
        lines = table(
            ["body", "ax [m/s2]", "ay", "az", "alpha x [rad/s2]", "y", "z"],
            [(name, *a, *alpha) for name, a, alpha in accelerations],
        )
        of_constraints, other = self.residuals
        what = "equations of motion" if self.contacts is None else "law of contacts"
        return [
            *lines,
            *self.tables_of_forces(),
            f"residuals relative to the largest term: constraints {of_constraints:.1e}, {what} {other:.1e}",
            *self.messages,
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "rank": self.rank,
            "dof": self.dof,
            "residuals": list(self.residuals),
            "bodies": {
                name: {"acceleration": a, "angular_acceleration": alpha}
                for name, a, alpha in zip(self.bodies, self.acceleration, self.angular_acceleration)
            },
            **self.forces_as_dict(),
            "messages": self.messages,
        }


def acceleration(problem: Problem) -> AccelerationReport:
    """At the present, assembled state; the caller fills in the forces."""
    counts = rank(problem)
    states, _, _ = swept(problem, problem[State].time.copy(), forces=True)
    q, v, v_dot, lam = states.q[0], states.v[0], states.v_dot[0], states.lam[0]
    pose = poses(problem, states)
    t = float(states.time[0])
    M, h = problem.mass(q), problem.forces(t, q, v)
    G, gamma = problem.constraints(t, q, v)
    largest = lambda *terms: max([float(np.abs(x).max(initial=0.0)) for x in terms] + [1e-300])
    # at rest v̇ is rounding: relative to the accelerations of the bodies without joints
    free = np.asarray(problem[Bodies].inverse) * h
    of_constraints = float(np.abs(G @ v_dot - gamma).max(initial=0.0)) / largest(gamma, v_dot, free)
    imbalance = np.abs(M @ v_dot - h - G.T @ lam).max(initial=0.0)
    of_motion = float(imbalance) / largest(h, M @ v_dot, lam)
    rows = problem.names.rows
    return AccelerationReport(
        rows=counts.rows,
        rank=counts.rank,
        dof=counts.dof,
        states=states,
        bodies=problem.names.bodies,
        acceleration=pose[0, :, 18:21],
        angular_acceleration=pose[0, :, 21:],
        residuals=(of_constraints, of_motion),
        messages=[
            f'row "{rows[r].label}" of {rows[r].owner} has zero length and is ignored'
            for r in np.flatnonzero(problem.on & (problem[Rows].scale == 0.0))
        ],
    )
