"""Inverse dynamics: what the motions must exert so that the mechanism moves as they say.

Gᵀ λ = M v̇ − h   at the q, v, v̇ of the kinematic analysis; the multiplier of a motion's row is its drive
force or torque
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.forces_report import DRIVEN_IN
from mbplugin.analysis.kinematics.kinematic import Count, counted, leaps, motion_rows, poses, swept
from mbplugin.analysis.report import Report, States, table
from mbplugin.errors import SceneError
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows
from mbplugin.tables.spec import Array


@dataclass(kw_only=True, repr=False)
class InverseReport(Report):
    """drive: (n, motions) force [N] or torque [N·m] of each motion along its coordinate, in `units`, and
    speed: (n, motions) of that coordinate.
    """

    what: ClassVar[str] = "inverse"
    count: Count
    states: States
    motions: list[str]
    units: list[str]
    drive: Array
    speed: Array
    cpu_seconds: float

    def lines(self) -> list[str]:
        t = self.states.time
        power = self.drive * self.speed
        rows = [
            (
                name,
                unit,
                *(f(self.drive[:, k]) for f in (np.min, np.max)),
                float(np.sqrt(np.mean(self.drive[:, k] ** 2))),
                float(np.abs(power[:, k]).max()),
            )
            for k, (name, unit) in enumerate(zip(self.motions, self.units))
        ]
        return [
            f"{len(t)} positions from t = {t[0]:.6g} s to {t[-1]:.6g} s; "
            f"processor time {1e3 * self.cpu_seconds:.3g} ms",
            *table(["motion", "in", "least", "largest", "mean square root", "power [W]"], rows),
            *self.messages,
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            **vars(self.count),
            "time": self.states.time,
            "motions": {
                name: {"drive": self.drive[:, k], "speed": self.speed[:, k]}
                for k, name in enumerate(self.motions)
            },
            "cpu_seconds": self.cpu_seconds,
            "messages": self.messages,
        }


def inverse(problem: Problem, system: System, times: Array) -> InverseReport:
    """The drives at these times, from an assembled state at the first. Raises SceneError where motions are
    missing or too many, PhysicsError where no motion exists.
    """
    if not system.motions:
        raise system.locate(
            SceneError(
                "motion",
                "none",
                "inverse dynamics asks what the motions exert, and there are none; give one for each freedom",
            )
        )
    count = counted(problem, system)
    states, _, cpu = swept(problem, times, forces=True)
    rows = motion_rows(problem)
    driven = [next(c for c in problem.names.coordinates if row in c.motion_rows) for row in rows]
    return InverseReport(
        count=count,
        states=states,
        motions=[c.name for c in driven],
        units=[DRIVEN_IN[c.unit] for c in driven],
        drive=states.lam[:, rows],
        speed=motion_speeds(problem, states, rows),
        cpu_seconds=cpu,
        messages=leaps(problem, times, poses(problem, states)),
    )


def motion_speeds(problem: Problem, states: States, rows: list[int]) -> Array:
    """(n, motions) rates that the motions prescribe: −Φₜ of their rows."""
    speed = np.zeros((len(states.time), len(rows)))
    for k, t in enumerate(states.time):
        problem.evaluate(float(t), states.q[k], states.v[k])
        speed[k] = -problem[Rows].phi_t[rows]
    return speed
