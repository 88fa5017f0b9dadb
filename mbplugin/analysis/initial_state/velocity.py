"""Velocity analysis: which given initial velocities can hold, and the velocities that follow.

`initial_velocities.py` has the method, which runs use as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.initial_state.assembly import check_prescribed_rates
from mbplugin.analysis.initial_state.initial_velocities import (
    Given,
    initial_velocities,
    without_limited_motions,
)
from mbplugin.analysis.phrases import plural
from mbplugin.analysis.report import Report, table
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers, Rows, State
from mbplugin.tables.records import VELOCITY_LEVEL
from mbplugin.tables.spec import Array


@dataclass(kw_only=True, repr=False)
class VelocityReport(Report):
    """Given and resulting initial velocities, world axes."""

    what: ClassVar[str] = "velocity"
    rows: int  # of joints, motions and given velocities
    rank: int  # of all of them together
    free: int  # degrees of freedom without a given velocity
    given: list[Given]
    bodies: list[str]
    velocity: Array  # (bodies, 3) of the mass centres [m/s]
    angular_velocity: Array  # (bodies, 3) [rad/s]
    residual: float  # of the prescribed rates, relative to the largest velocity

    def lines(self) -> list[str]:
        lines = [
            f"{self.rows} rows of joints, motions and given velocities, rank {self.rank}; "
            f"{plural(self.free, 'degree')} of freedom without a given velocity"
        ]
        lines += [str(g) for g in self.given if g.redundant]
        if self.given:
            lines += table(
                ["given velocity", "unit", "given", "used", "state"],
                [(g.name, g.unit, g.given, g.used, g.state) for g in self.given],
            )
        twists = zip(self.bodies, self.velocity.tolist(), self.angular_velocity.tolist())
        lines += table(
            ["body", "vx [m/s]", "vy", "vz", "wx [rad/s]", "wy", "wz"],
            [(name, *v, *w) for name, v, w in twists],
        )
        lines.append(f"largest residual of a prescribed rate: {self.residual:.1e} of the largest velocity")
        return lines + self.messages

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
                name: {"velocity": v, "angular_velocity": w}
                for name, v, w in zip(self.bodies, self.velocity, self.angular_velocity)
            },
            "messages": self.messages,
        }


def velocity(problem: Problem, system: System) -> VelocityReport:
    """At the assembled position of the problem, which keeps the velocities.

    Raises PhysicsError if prescribed rates contradict each other.
    """
    rows, names, state = problem[Rows], problem.names, problem[State]
    problem.evaluate_at()
    with without_limited_motions(problem):
        result = initial_velocities(problem, system, always_sort=True)
        check_prescribed_rates(problem, system)
        on = problem.on & (rows.level <= VELOCITY_LEVEL)
    given, at, markers = result.given or [], names.body_marker, problem[Markers]
    rates = (problem.times_G(state.v) + rows.phi_t)[on]
    largest = max([1e-300, float(np.abs(state.v).max(initial=0.0)), *(abs(g.given) for g in given)])
    return VelocityReport(
        rows=int(on.sum()) + len(given),
        rank=result.rank,
        free=result.free,
        given=given,
        bodies=names.bodies,
        velocity=markers.v[at].copy(),
        angular_velocity=markers.w[at].copy(),
        residual=float(np.abs(rates).max(initial=0.0) / largest),
    )
