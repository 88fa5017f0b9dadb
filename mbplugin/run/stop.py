"""Messages on the condition that ends a run, `stop` of `[solver]`."""

from __future__ import annotations

from typing import Any

from mbplugin.errors import SceneError
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.stepping import CompiledSolver, FixedStepSolver
from mbplugin.tables.groups import Functions, Step


def refuse_stop(system: System, kind: type[Any]) -> None:
    """Raises SceneError if the scene has a condition, and the solver a loop of its own."""
    if system.solver.stop is not None and not issubclass(kind, CompiledSolver | FixedStepSolver):
        mend = f'solver "{kind.name}" has a loop of its own, which ends at no condition; leave it out'
        raise SceneError("solver.stop", system.solver.stop, mend)


def stopped_by(system: System, t: float) -> str:
    """The sentence on a run that its condition has ended at t [s]."""
    return f'stopped at t = {t:.9g} s by stop = "{system.solver.stop}"'


def not_stopped(system: System, problem: Problem) -> str:
    """The sentence on a run whose condition has not become true; `problem` holds its last step."""
    if problem[Step].events[-1] > 0.0:
        return f'stop = "{system.solver.stop}" was true from the start to the end, so it did not become true'
    return f'stop = "{system.solver.stop}" did not become true before the end'


def true_at_start(system: System, problem: Problem) -> list[str]:
    """The warning that the condition is true at t = 0, whose state is evaluated; else nothing."""
    functions = problem[Functions]
    if not len(functions.stop) or not functions.u[functions.stop[0], 0] > 0.0:
        return []
    what = f'stop = "{system.solver.stop}" is true at t = 0'
    return [f"{what}: the run ends when it becomes true again after it was false"]
