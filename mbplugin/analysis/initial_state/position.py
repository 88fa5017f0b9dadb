"""Position analysis: initial positions that satisfy all joints, motions and starts.

    min ½ δᵀ M δ  with  G δ = −Φ,   q ← q ⊕ f δ

by Newton's method. A step is halved (f) until it reduces the residual; near the solution f = 1 and the method
converges quadratically.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.initial_state.assembly import (
    CLOSED,
    REPORTED,
    BodyPoses,
    activate_starts,
    close_in_order,
    unclosed_joint,
)
from mbplugin.analysis.initial_state.deformed_bodies import refuse_deformed
from mbplugin.analysis.initial_state.light_rotors import light_rotors
from mbplugin.analysis.initial_state.small_steps import residual, short_steps, whole_steps
from mbplugin.analysis.initial_state.whole_bodies import WholeBodies
from mbplugin.analysis.rank.null_space import null_space
from mbplugin.analysis.report import Report, table
from mbplugin.kernels import sweep
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers, State
from mbplugin.tables.records import START
from mbplugin.tables.spec import Array

#: largest number of Newton steps, and of halvings of one step
MAX_STEPS, MAX_HALVINGS = 60, 12
#: residuals [mechanism sizes or rad] that are rounding, and below which the convergence order is measured
ROUNDING_OF_RESIDUAL, NEAR_RESIDUAL = 1e-14, 1e-2


@dataclass(kw_only=True, repr=False)
class PositionReport(Report):
    """Convergence of the position analysis, and the bodies that it moved."""

    what: ClassVar[str] = "position"
    rows: int
    rank: int
    dof: int
    steps: list[tuple[float, float]]  # f, residual after it [mechanism sizes or rad]; the first is the start
    bodies: list[str]
    moved: Array  # (bodies,) [m]
    rotated: Array  # (bodies,) [rad]
    position: Array  # (bodies, 3) of the mass centres [m], world axes

    @property
    def order(self) -> float | None:
        """Convergence order log r_k / log r_(k−1) of the last full step near the solution, if any."""
        pairs = [
            (r0, r1)
            for (_, r0), (f, r1) in pairwise(self.steps)
            if f == 1.0 and r0 < NEAR_RESIDUAL and r1 > ROUNDING_OF_RESIDUAL
        ]
        return float(np.log(pairs[-1][1]) / np.log(pairs[-1][0])) if pairs else None

    def lines(self) -> list[str]:
        lines = table(
            ["Newton step", "fraction", "residual"],
            [(str(k), f"{f:g}", f"{r:.2e}") for k, (f, r) in enumerate(self.steps)],
        )
        if self.order is not None:
            lines.append(f"convergence order of the last steps: {self.order:.2f} (Newton: 2)")
        changed = [k for k in range(len(self.bodies)) if self.moved[k] > 0 or self.rotated[k] > 0]
        changed.sort(key=lambda k: -self.moved[k])
        rows = [
            (self.bodies[k], float(self.moved[k]), float(self.rotated[k]), *self.position[k].tolist())
            for k in changed
        ]
        if rows:
            lines += table(["body", "moved [m]", "rotated [rad]", "to x [m]", "y [m]", "z [m]"], rows)
        else:
            lines.append("no body had to move")
        return lines + self.messages

    def as_dict(self) -> dict[str, Any]:
        bodies = zip(self.bodies, self.moved, self.rotated, self.position)
        return {
            "rows": self.rows,
            "rank": self.rank,
            "dof": self.dof,
            "order": self.order,
            "newton": [{"part": f, "residual": r} for f, r in self.steps],
            "bodies": {
                name: {"moved": moved, "rotated": rotated, "position": x}
                for name, moved, rotated, x in bodies
            },
            "messages": self.messages,
        }


def position(problem: Problem, system: System) -> PositionReport:
    """Close the joints; the problem keeps the positions. Raises SceneError if a joint cannot be closed.

    Each `start` counts as a constraint, and has no effect again afterwards.
    """
    names = problem.names
    starts = activate_starts(problem, system)
    before, wholes = BodyPoses(problem), WholeBodies(problem)
    with light_rotors(problem):
        close_in_order(problem, system, before, starts, wholes)
        steps = newton_steps(problem, wholes)
    problem.evaluate_at()
    if not steps[-1][1] <= CLOSED:
        raise system.locate(unclosed_joint(problem, system))
    refuse_deformed(problem, system, wholes)
    space = null_space(problem)
    moved, rotated = before.changes(problem)
    problem[State].mode[starts] = START
    return PositionReport(
        rows=len(space.G),
        rank=space.rank,
        dof=space.dof,
        steps=steps,
        bodies=names.bodies,
        moved=np.where(moved > REPORTED * names.size, moved, 0.0),
        rotated=np.where(rotated > REPORTED, rotated, 0.0),
        position=problem[Markers].x[names.body_marker].copy(),
    )


def newton_steps(problem: Problem, wholes: WholeBodies) -> list[tuple[float, float]]:
    """Newton's method from the present position; (fraction of the full step, residual) of each step, with the
    start as the first.
    """
    steps = [(1.0, residual(problem))]
    steps += [(fraction, residual(problem)) for fraction in whole_steps(problem, wholes)]
    wholes.closest = problem.q
    if steps[-1][1] > ROUNDING_OF_RESIDUAL:
        steps += [(fraction, residual(problem)) for fraction in short_steps(problem)]
    while steps[-1][1] > ROUNDING_OF_RESIDUAL and len(steps) <= MAX_STEPS:
        q, worst, fraction = problem.q, steps[-1][1], 1.0
        for _ in range(MAX_HALVINGS):
            status, after = sweep.newton_step(problem.addresses, problem.names.size, fraction)
            problem.check(status)
            if after < (1.0 - 0.1 * fraction) * worst:
                break
            problem.evaluate_at(q)
            fraction *= 0.5
        else:
            break
        steps.append((fraction, float(after)))
    return steps
