"""Velocity analysis: which of the given initial velocities can hold, and the velocities that follow;
`initial_velocities.py` finds them, for runs as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.initial_state.assembly import prescribed
from mbplugin.analysis.initial_state.initial_velocities import Given, initial_velocities
from mbplugin.analysis.report import Report, table
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers, Rows, State
from mbplugin.tables.spec import Array


@dataclass(kw_only=True)
class VelocityReport(Report):
    """rank: of the rows of joints, motions and given velocities together; free: freedoms that nothing gives."""

    what: ClassVar[str] = "velocity"
    rows: int
    rank: int
    free: int
    given: list[Given]
    bodies: list[str]
    velocity: Array
    angular_velocity: Array
    residual: float

    def lines(self) -> list[str]:
        found = [
            f"{self.rows} rows of joints, motions and given velocities, rank {self.rank}; {self.free} freedoms have no given velocity"
        ]
        found += [str(g) for g in self.given if g.redundant]
        if self.given:
            found += table(
                ["given velocity", "unit", "given", "used", "state"],
                [(g.name, g.unit, g.given, g.used, g.state) for g in self.given],
            )
        moving = [
            (n, *v, *w)
            for n, v, w in zip(self.bodies, self.velocity.tolist(), self.angular_velocity.tolist())
        ]
        found += table(["body", "vx [m/s]", "vy", "vz", "wx [rad/s]", "wy", "wz"], moving)
        return [*found, f"worst residual of a rate {self.residual:.1e} of the largest", *self.messages]

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "rank": self.rank,
            "free": self.free,
            "residual": self.residual,
            "given": [
                {
                    "name": g.name,
                    "unit": g.unit,
                    "given": g.given,
                    "used": g.used,
                    "state": g.state,
                    "given_by": list(g.by),
                    "through": list(g.through),
                }
                for g in self.given
            ],
            "bodies": {
                n: {"velocity": v, "angular_velocity": w}
                for n, v, w in zip(self.bodies, self.velocity, self.angular_velocity)
            },
            "messages": self.messages,
        }


def velocity(problem: Problem, system: System) -> VelocityReport:
    """At the problem's position, which is assembled. Raises PhysicsError where prescribed rates contradict
    each other.
    """
    rows, names, state = problem[Rows], problem.names, problem[State]
    problem.check(entries.evaluate(problem.addresses))
    found = initial_velocities(problem, system, whole=True)
    prescribed(problem, system)
    given, at, markers = found.given or [], names.body_point, problem[Markers]
    on = (rows.active == 1) & (rows.level <= 1)
    rates = (problem.sparse_jacobian() @ state.v + rows.phi_t)[on]
    largest = max([1e-300, float(np.abs(state.v).max(initial=0.0)), *(abs(g.given) for g in given)])
    return VelocityReport(
        rows=int(on.sum()) + len(given),
        rank=found.rank,
        free=found.free,
        given=given,
        bodies=names.bodies,
        velocity=markers.v[at].copy(),
        angular_velocity=markers.w[at].copy(),
        residual=float(np.abs(rates).max(initial=0.0) / largest),
    )
