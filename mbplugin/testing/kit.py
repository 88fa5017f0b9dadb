"""Checks of one kind, and of everything that an installed plugin offers."""

from __future__ import annotations

import functools
import time
import traceback
from typing import Any

import numpy as np

from mbplugin.compile import compile_system
from mbplugin.errors import MbpluginError, PluginError
from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.registry import Registry
from mbplugin.interface import Basic, ConstraintKind
from mbplugin.problem import Problem
from mbplugin.stepping import FixedStepSolver
from mbplugin.tables.groups import Batches
from mbplugin.tables.purposes import CONSTRAINT, ENFORCE, FORCE
from mbplugin.testing import enforcements, samples
from mbplugin.testing.around_a_run import (
    analysis_checks,
    command_checks,
    drawing_checks,
    sensor_checks,
    watcher_checks,
)
from mbplugin.testing.bodies import body_checks
from mbplugin.testing.constraints import constraint_checks, measure_checks
from mbplugin.testing.contact_laws import law_checks
from mbplugin.testing.exporters import exporter_checks
from mbplugin.testing.forces import force_checks
from mbplugin.testing.four_nodes import FourNodes
from mbplugin.testing.functions import function_checks
from mbplugin.testing.importers import importer_checks
from mbplugin.testing.imports import import_checks
from mbplugin.testing.methods import method_checks
from mbplugin.testing.report import Check, Cost, Report
from mbplugin.testing.shape_kinds import kind_checks
from mbplugin.testing.shapes import WHAT
from mbplugin.testing.solvers import STEP, solver_checks
from mbplugin.testing.tableaus import tableau_checks

#: elements timed in one batch
BATCH = 100


@functools.cache
def installed() -> Registry:
    return load_plugins()[0]


def beside(category: str, kind: Any, registry: Registry | None, name: str | None = None) -> Registry:
    """The installed kinds with this one added, or replacing one of the same name."""
    name = name or kind.name
    base = registry or installed()
    combined = Registry()
    for each, names in base.offers.items():
        combined.offers[each].update({name: list(offers) for name, offers in names.items()})
    combined.offers[category].pop(name, None)
    combined.add(category, name, kind, "the kit", "the kit")
    return combined


def check_constraint(
    kind: type[ConstraintKind], params: dict[str, Any] | None = None, registry: Registry | None = None
) -> Report:
    """Derivatives, action = reaction, rank and cost of a constraint kind between spatial bodies, and
    between planar ones if it has rows for them.
    """
    params = samples.sample(kind) if params is None else params
    given = validated(kind, params)
    if kind.coupling(given) is not None or kind.functions(given):
        return Report()  # its rows are made of measures, which are checked separately
    registry = beside("constraint type", kind, registry)
    report = Report()
    if kind.basics or kind.kernel is not None or not kind.planar_basics:
        report.checks += constraint_checks(kind, params, registry, planar=False)
        if not writes_its_arrays(report):
            return report
        report.cost[f'constraint "{kind.name}"'] = cost(
            compile_system(
                samples.with_joint(kind, params, np.random.default_rng(0), False, BATCH), registry
            ),
            CONSTRAINT,
        )
    if kind.planar_basics or kind.planar_form is not None:
        report.checks += constraint_checks(kind, params, registry, planar=True)
    return report


def writes_its_arrays(report: Report) -> bool:
    """Whether the functions are safe to call again: one that writes beyond its arrays corrupts memory."""
    return all(check.ok for check in report.checks if check.what == WHAT)


def check_measure(name: str, measure: Any, registry: Registry | None = None) -> Report:
    """Jacobian and bias of a measure, as a constraint that sets it to zero."""
    labels = tuple(f"row {k}" for k in range(measure.rows))
    probe = type(
        "Probe",
        (ConstraintKind,),
        {"name": f"measure {name}", "markers": measure.markers, "basics": (Basic(measure, labels),)},
    )
    return Report(measure_checks(probe, beside("constraint type", probe, registry)))


def check_force(kind: Any, params: dict[str, Any] | None = None, registry: Registry | None = None) -> Report:
    """Action = reaction, power, invariance and cost of a force element between spatial bodies."""
    registry = beside("force element", kind, registry)
    if kind.on_faces:
        registry = beside("body kind", FourNodes, registry)
    given = [params] if params is not None else [samples.sample(kind), *kind.examples[1:]]
    params, *others = (samples.with_joint_made(kind, dict(keys), registry) for keys in given)
    report = Report(force_checks(kind, params, registry))
    if not writes_its_arrays(report):
        return report
    joint = samples.joint_that_fits(kind, params, registry)
    if joint is not None:
        report.checks += force_checks(kind, {**params, "joint": joint}, registry, " on a coordinate")
    if (joint := samples.other_coordinate(kind, params)) is not None:
        where = f" on a {joint['type']} joint"
        report.checks += force_checks(kind, {**params, "joint": joint}, registry, where)
    for number, keys in enumerate(others, start=2):
        report.checks += force_checks(kind, keys, registry, f" with example {number}")
    report.cost[f'force "{kind.name}"'] = cost(
        compile_system(samples.with_force(kind, params, np.random.default_rng(0), BATCH), registry), FORCE
    )
    return report


def check_enforcement(
    kind: Any, params: dict[str, Any] | None = None, registry: Registry | None = None
) -> Report:
    """Power and cost of an enforcement law; empty for a kind that enforces by multipliers."""
    if kind.kernel is None:
        return Report()
    params = samples.sample(kind) if params is None else params
    registry = beside("enforcement", kind, registry)
    report = Report(enforcements.enforcement_checks(kind, params, registry))
    if writes_its_arrays(report):
        report.cost[f'enforcement "{kind.name}"'] = cost(
            enforcements.compiled(kind, params, registry, BATCH), ENFORCE
        )
    return report


def check_body(kind: Any, params: dict[str, Any] | None = None, registry: Registry | None = None) -> Report:
    """Marker rates, mass and energy of a body kind."""
    registry = beside("body kind", kind, registry)
    given = [params] if params is not None else [samples.sample(kind), *kind.examples[1:]]
    report = Report(body_checks(kind, given[0], registry))
    for number, keys in enumerate(given[1:], start=2):
        report.checks += body_checks(kind, dict(keys), registry, f" with example {number}")
    return report


def check_shape(kind: Any, keys: dict[str, Any] | None = None, registry: Registry | None = None) -> Report:
    """Support function, mass, picture and pairs of a shape that collides."""
    keys = samples.sample(kind) if keys is None else keys
    return Report(kind_checks(kind, keys, beside("shape", kind, registry)))


def check_contact_law(
    kind: Any, keys: dict[str, Any] | None = None, registry: Registry | None = None
) -> Report:
    """Map, slope and local solution of a law of contact."""
    keys = samples.sample(kind) if keys is None else keys
    return Report(law_checks(kind, validated(kind, keys)))


def check_function(kind: Any, registry: Registry | None = None) -> Report:
    """Derivatives of a function for expressions against finite differences."""
    return Report(function_checks(kind))


def check_method(kind: Any, registry: Registry | None = None) -> Report:
    """Accelerations and multipliers of a method against the dense system, on mechanisms that move."""
    checks, cost = method_checks(kind, beside("method", kind, registry))
    return Report(checks, {f'method "{kind.name}"': cost} if cost.ns else {})


def check_solver(kind: Any, params: dict[str, Any] | None = None, registry: Registry | None = None) -> Report:
    """Runs of a solver: constraints, energy, events, memory, turns, inner states, impulses, resuming,
    order.
    """
    if params is None:
        fixed = issubclass(kind, FixedStepSolver)
        params = dict(kind.examples[0]) if kind.examples else {"step": STEP} if fixed else {}
    return Report(solver_checks(kind, params, beside("solver", kind, registry)))


def check_tableau(name: str, tableau: Any, registry: Registry | None = None) -> Report:
    """Orders of a tableau (or of what the function returns), and runs of `rk` with it."""
    made = tableau() if callable(tableau) else tableau
    return Report(tableau_checks(name, made, beside("tableau", made, registry, name)))


def check_importer(kind: Any, registry: Registry | None = None) -> Report:
    """Scenes of an importer: valid, the same each time, the file as it was; what is no file is refused."""
    return Report(importer_checks(kind, beside("importer", kind, registry)))


def check_exporter(kind: Any, registry: Registry | None = None) -> Report:
    """Files of an exporter: written, the same each time, and the result as it was."""
    return Report(exporter_checks(kind, beside("exporter", kind, registry)))


def check_analysis(kind: Any, registry: Registry | None = None) -> Report:
    """Reports of an analysis: the same twice, for people and for scripts."""
    return Report(analysis_checks(kind, beside("analysis", kind, registry)))


def check_sensor(kind: Any, registry: Registry | None = None) -> Report:
    """Numbers of a sensor at frames: the same twice, and the motion as without it."""
    return Report(sensor_checks(kind, beside("sensor", kind, registry)))


def check_drawing(kind: Any, registry: Registry | None = None) -> Report:
    """A drawing of every frame of its scene, and again."""
    return Report(drawing_checks(kind, beside("drawing", kind, registry)))


def check_watcher(kind: Any, registry: Registry | None = None) -> Report:
    """A run of the kit's own scene, in memory, with a watcher beside it."""
    return Report(watcher_checks(kind, beside("watcher", kind, registry), registry or installed()))


def check_command(kind: Any, registry: Registry | None = None) -> Report:
    """Help of a command."""
    return Report(command_checks(kind))


def check_plugin(name: str, registry: Registry | None = None) -> Report:
    """Checks of everything that an installed plugin offers; `name` is that of its entry point. Raises
    PluginError if there is no such plugin.
    """
    registry = registry or installed()
    offers = registry.of_plugin(name)
    if not offers:
        known = sorted(
            {o.plugin for names in registry.offers.values() for offers in names.values() for o in offers}
        )
        why = registry.problems.get(name)
        raise PluginError(
            f'plugin "{name}" '
            + (
                f"is not loaded: {why}"
                if why
                else f"offers nothing or is not installed; there are {', '.join(known)}"
            )
        )
    things = [registry.find(category, each) for category, names in offers.items() for each in names]
    report = Report(import_checks(name, things))
    checks = {
        "constraint type": check_constraint,
        "enforcement": check_enforcement,
        "force element": check_force,
        "body kind": check_body,
        "shape": check_shape,
        "contact law": check_contact_law,
        "function": check_function,
        "method": check_method,
        "solver": check_solver,
        "exporter": check_exporter,
        "importer": check_importer,
        "analysis": check_analysis,
        "command": check_command,
        "sensor": check_sensor,
        "drawing": check_drawing,
        "watcher": check_watcher,
    }
    by_name = {"measure": check_measure, "tableau": check_tableau}
    for category, names in offers.items():
        for each in names:
            thing = registry.find(category, each)
            try:
                if category in by_name:
                    report.add(by_name[category](each, thing, registry))
                elif category in checks:
                    report.add(checks[category](thing, registry=registry))  # type: ignore[operator]
            except Exception as error:
                note = str(error) if isinstance(error, MbpluginError) else where(error)
                report.checks.append(Check(f'{category} "{each}"', "can be checked", float("inf"), 0.0, note))
    return report


def where(error: Exception) -> str:
    """An unexpected exception, with the innermost line outside the engine (or the innermost of all)."""
    lines = traceback.extract_tb(error.__traceback__)
    line = next(
        (
            line
            for line in reversed(lines)
            if "mbplugin/" not in line.filename and "numpy/" not in line.filename
        ),
        lines[-1],
    )
    return f"{type(error).__name__}: {error}, in {line.filename}:{line.lineno} `{line.line}`"


def validated(kind: Any, params: dict[str, Any]) -> Any:
    from mbplugin.model.table import validated

    return validated(kind.parameters, params, "parameters", {}) if kind.parameters is not None else None


def cost(problem: Problem, purpose: int) -> Cost:
    """Time of all kernels of one element in a batch [ns], without the call from Python."""
    total, compiled = 0.0, True
    for number, row in enumerate(problem[Batches].index):
        if row.purpose == purpose:
            kernel = problem.kernels[number]
            compiled = compiled and not kernel.python
            first, count = int(row.first), int(row.length)
            times = 1 if kernel.python else 200
            full, empty = (
                min(_timed(kernel, first, n, problem, times) for _ in range(5)) for n in (count, 0)
            )
            total += max(0.0, full - empty) / max(count, 1)
    return Cost(1e9 * total, f"one of {BATCH} elements", compiled)


def _timed(kernel: Any, first: int, count: int, problem: Problem, times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        kernel.call(first, count, problem.addresses)
    return (time.perf_counter() - start) / times
