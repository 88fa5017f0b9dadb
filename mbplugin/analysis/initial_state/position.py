"""Position analysis: the initial positions brought onto all joints, motions and starts.

    min ½ δᵀ M δ  with  G δ = −Φ,   q ← q ⊕ f δ

by Newton's method; a step is halved (f) until it brings the residual down. Near the solution f = 1 and the
residual is squared by each step.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.initial_state.assembly import CLOSED, TOLD, Place, held_starts, unclosed
from mbplugin.analysis.rank.null_space import null_space
from mbplugin.analysis.report import Report, table
from mbplugin.interface.problem import Problem
from mbplugin.kernels import entries, sweep
from mbplugin.model import System
from mbplugin.tables.groups import Markers, Rows, State
from mbplugin.tables.spec import Array

#: Newton steps, and halvings of one
STEPS, HALVINGS = 60, 12
#: residuals [sizes or rad] that rounding leaves, and from which on convergence is looked at
ROUNDING, NEAR = 1e-14, 1e-2


@dataclass(kw_only=True)
class PositionReport(Report):
    """steps: (fraction, residual after it [sizes or rad]); the first is the start. order: by what a step
    multiplies the exponent of the residual.
    """

    what: ClassVar[str] = "position"
    rows: int
    rank: int
    dof: int
    steps: list[tuple[float, float]]
    bodies: list[str]
    moved: Array
    turned: Array
    position: Array

    @property
    def order(self) -> float | None:
        """log r_k / log r_(k−1) of the last whole step that began near and ended above rounding; None where
        there is no such.
        """
        pairs = [
            (r0, r1) for (_, r0), (f, r1) in pairwise(self.steps) if f == 1.0 and r0 < NEAR and r1 > ROUNDING
        ]
        return float(np.log(pairs[-1][1]) / np.log(pairs[-1][0])) if pairs else None

    def lines(self) -> list[str]:
        found = table(
            ["Newton step", "part taken", "residual"],
            [(str(k), f"{f:g}", f"{r:.2e}") for k, (f, r) in enumerate(self.steps)],
        )
        if self.order is not None:
            found.append(
                f"the last steps raise the residual to the power {self.order:.2f} (2: quadratic convergence)"
            )
        far = [k for k in range(len(self.bodies)) if self.moved[k] > 0 or self.turned[k] > 0]
        far.sort(key=lambda k: -self.moved[k])
        told = [
            (self.bodies[k], float(self.moved[k]), float(self.turned[k]), *self.position[k].tolist())
            for k in far
        ]
        found += (
            table(["body", "moved [m]", "turned [rad]", "to x [m]", "y [m]", "z [m]"], told)
            if told
            else ["no body had to move"]
        )
        return found + self.messages

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "rank": self.rank,
            "dof": self.dof,
            "order": self.order,
            "newton": [{"part": f, "residual": r} for f, r in self.steps],
            "bodies": {
                n: {"moved": m, "turned": t, "position": x}
                for n, m, t, x in zip(self.bodies, self.moved, self.turned, self.position)
            },
            "messages": self.messages,
        }


def position(problem: Problem, system: System) -> PositionReport:
    """Close the problem's positions. `start`s count as constraints and are let go of afterwards. Raises
    SceneError where a joint cannot be closed.
    """
    names, rows, state = problem.names, problem[Rows], problem[State]
    starts = held_starts(problem, system)
    problem.check(entries.evaluate(problem.addresses))
    place = Place(problem)
    steps = [(1.0, residual(problem))]
    while steps[-1][1] > ROUNDING and len(steps) <= STEPS:
        q, worst, fraction = state.q.copy(), steps[-1][1], 1.0
        for _ in range(HALVINGS):
            status, after = sweep.newton_step(problem.addresses, names.size, fraction)
            problem.check(status)
            if after < (1.0 - 0.1 * fraction) * worst:
                break
            state.q[:] = q
            problem.check(entries.evaluate(problem.addresses))
            fraction *= 0.5
        else:
            break
        steps.append((fraction, float(after)))
    problem.check(entries.evaluate(problem.addresses))
    if not steps[-1][1] <= CLOSED:
        raise system.locate(unclosed(problem, system))
    free = null_space(problem)
    moved, turned = place.left(problem)
    rows.active[starts] = 0
    return PositionReport(
        rows=len(free.G),
        rank=free.rank,
        dof=problem.nv - free.rank,
        steps=steps,
        bodies=names.bodies,
        moved=np.where(moved > TOLD * names.size, moved, 0.0),
        turned=np.where(turned > TOLD, turned, 0.0),
        position=problem[Markers].x[names.body_point].copy(),
    )


def residual(problem: Problem) -> float:
    """The largest |Φ| [sizes or rad] of the tables."""
    rows = problem[Rows]
    on = (rows.active == 1) & (rows.level == 0)
    return float(
        np.max(np.abs(rows.phi / np.where(rows.radians == 1, 1.0, problem.names.size))[on], initial=0.0)
    )
