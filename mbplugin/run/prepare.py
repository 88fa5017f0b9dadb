"""From a system to everything that a run needs. Writes no files."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

from mbplugin.analysis.initial_state.assembly import Assembly, assemble_initial
from mbplugin.analysis.initial_state.conflicts import acceleration_conflict
from mbplugin.analysis.rank.rank import RankReport, rank
from mbplugin.analysis.singular.singular import Singular, at_start
from mbplugin.compile import compile_system
from mbplugin.hooks.registry import Registry
from mbplugin.model import System, mesh_units
from mbplugin.problem import Problem
from mbplugin.run.chosen_solver import ChosenSolver, chosen_solver
from mbplugin.run.enforce import Law, held, settle
from mbplugin.run.faults import blamed
from mbplugin.run.integrator import units_of_run
from mbplugin.run.laws import refuse_unserved_laws
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
    solver: ChosenSolver
    laws: list[Law]
    remarks: list[str] = field(default_factory=list)  # warnings about the scene

    def start(self, end: float) -> Any:
        return self.solver.start(self.problem, 0.0, end)


def prepare(system: System, registry: Registry) -> Prepared:
    """Compile, assemble, count. Raises SceneError, PluginError, PhysicsError."""
    with blamed(system, registry):
        solver = chosen_solver(system, registry)
        refuse_unserved_laws(system, registry, f'solver "{solver.kind.name}"', solver.kind.laws)
        problem = compile_system(system, registry, units_of_run(solver.kind, solver.method))
        if solver.method is not None:
            problem.use(solver.method)
        with held(problem):
            assembly = assemble_initial(problem, system)
        laws = settle(problem, solver.fixed_step)
        problem.begin_implicit()
        report = rank(problem)
        error = acceleration_conflict(problem, system, report)
        if error is not None:
            raise error
        for kernel in problem.kernels:
            kernel.warn_once()
        remarks = mesh_units.remarks(system)
        for line in remarks:
            warnings.warn(line, stacklevel=2)
        return Prepared(
            system,
            problem,
            assembly,
            report,
            at_start(problem, report),
            Recorder(problem, system, report.determined),
            solver,
            laws,
            remarks,
        )
