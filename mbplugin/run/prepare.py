"""From a system to everything that a run needs; nothing is written here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mbplugin.analysis.initial_state.assembly import Assembly, assemble_initial
from mbplugin.analysis.initial_state.conflicts import acceleration_conflict
from mbplugin.analysis.rank.rank import RankReport, rank
from mbplugin.analysis.singular.singular import Singular, at_start
from mbplugin.compile import compile_system
from mbplugin.hooks.registry import Registry
from mbplugin.interface.problem import Problem
from mbplugin.model import System
from mbplugin.model.table import validated
from mbplugin.run.enforce import Law, held, settle
from mbplugin.run.faults import blamed
from mbplugin.run.recorder import Recorder


@dataclass
class Prepared:
    """A compiled and assembled system; `start` makes its integrator."""

    system: System
    problem: Problem
    assembly: Assembly
    rank: RankReport
    singular: Singular | None
    recorder: Recorder
    solver: Any
    params: Any
    laws: list[Law]

    def start(self, end: float) -> Any:
        return self.solver.start(self.problem, self.params, 0.0, end)


def solver_of(system: System, registry: Registry) -> tuple[Any, Any]:
    """The scene's solver kind, and its own keys. Raises SceneError."""
    kind = registry.solver(system.solver.type, "solver.type")
    params = (
        validated(kind.parameters, system.solver.raw, "solver", system.parameters, also_known=("type", "end"))
        if kind.parameters
        else None
    )
    return kind, params


def prepare(system: System, registry: Registry) -> Prepared:
    """Compile, assemble, count. Raises SceneError, PluginError, PhysicsError."""
    with blamed(system, registry):
        solver, params = solver_of(system, registry)
        chosen = getattr(params, "method", None)
        method = registry.method(chosen, "solver.method") if chosen is not None else None
        problem = compile_system(system, registry)
        if method is not None:
            problem.use(method)
        with held(problem):
            assembly = assemble_initial(problem, system)
        laws = settle(problem, solver.fixed_step(params))
        problem.begin_implicit()
        report = rank(problem)
        error = acceleration_conflict(problem, system, report)
        if error is not None:
            raise error
        for kernel in problem.kernels:
            kernel.warn_once()
        return Prepared(
            system,
            problem,
            assembly,
            report,
            at_start(problem, report),
            Recorder(problem, system, report.determined),
            solver,
            params,
            laws,
        )
