"""Checks of one kind, and of everything that an installed plugin offers."""

from __future__ import annotations

import functools
import traceback
from typing import Any

from mbplugin.errors import MbpluginError, PluginError
from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.registry import Registry
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
from mbplugin.testing.enforcements import enforcement_checks
from mbplugin.testing.exporters import exporter_checks
from mbplugin.testing.forces import force_checks
from mbplugin.testing.functions import function_checks
from mbplugin.testing.importers import importer_checks
from mbplugin.testing.imports import import_checks
from mbplugin.testing.methods import method_checks
from mbplugin.testing.report import Report
from mbplugin.testing.shape_kinds import kind_checks
from mbplugin.testing.solvers import solver_checks, tableau_checks

#: category -> beginning of the lines of a report, and the checks of a kind: f(checks, kind, registry), where
#: a kind has keys also with `keys` of a scene, instead of those of its examples
CHECKS: dict[str, tuple[str, Any]] = {
    "constraint type": ('constraint "{}"', constraint_checks),
    "enforcement": ('enforcement "{}"', enforcement_checks),
    "force element": ('force "{}"', force_checks),
    "body kind": ('body "{}"', body_checks),
    "measure": ("measure {}", measure_checks),
    "shape": ('shape "{}"', kind_checks),
    "contact law": ('contact law "{}"', law_checks),
    "function": ('function "{}"', function_checks),
    "method": ('method "{}"', method_checks),
    "solver": ('solver "{}"', solver_checks),
    "tableau": ('tableau "{}"', tableau_checks),
    "exporter": ('exporter "{}"', exporter_checks),
    "importer": ('importer "{}"', importer_checks),
    "analysis": ('analysis "{}"', analysis_checks),
    "command": ('command "{}"', command_checks),
    "sensor": ('sensor "{}"', sensor_checks),
    "drawing": ('drawing "{}"', drawing_checks),
    "watcher": ('watcher "{}"', watcher_checks),
}


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


def check_kind(
    category: str,
    kind: Any,
    keys: dict[str, Any] | None = None,
    registry: Registry | None = None,
    name: str | None = None,
) -> Report:
    """The checks of one kind, as if a plugin offered it under `name`, by default its own.

    category: a key of `CHECKS`
    keys: of a scene, for an element of this kind; default: the `examples` of the kind, or a value for each
    """
    title, checks_of = CHECKS[category]
    report = Report()
    checks = report.of(title.format(name or kind.name))
    given = {} if keys is None else {"keys": keys}
    checks_of(checks, kind, beside(category, kind, registry, name), **given)
    return report


def check_named(category: str, name: str, thing: Any, registry: Registry | None = None) -> Report:
    """The checks of what has its name from its plugin alone: a measure or a tableau."""
    return check_kind(category, thing, registry=registry, name=name)


check_analysis = functools.partial(check_kind, "analysis")
check_body = functools.partial(check_kind, "body kind")
check_command = functools.partial(check_kind, "command")
check_constraint = functools.partial(check_kind, "constraint type")
check_contact_law = functools.partial(check_kind, "contact law")
check_drawing = functools.partial(check_kind, "drawing")
check_enforcement = functools.partial(check_kind, "enforcement")
check_exporter = functools.partial(check_kind, "exporter")
check_force = functools.partial(check_kind, "force element")
check_function = functools.partial(check_kind, "function")
check_importer = functools.partial(check_kind, "importer")
check_measure = functools.partial(check_named, "measure")
check_method = functools.partial(check_kind, "method")
check_sensor = functools.partial(check_kind, "sensor")
check_shape = functools.partial(check_kind, "shape")
check_solver = functools.partial(check_kind, "solver")
check_tableau = functools.partial(check_named, "tableau")
check_watcher = functools.partial(check_kind, "watcher")


def check_plugin(name: str, registry: Registry | None = None) -> Report:
    """Checks of everything that an installed plugin offers; `name` is that of its entry point. Raises
    PluginError if there is no such plugin.
    """
    registry = registry or installed()
    offers = registry.of_plugin(name)
    if not offers:
        raise PluginError(f'plugin "{name}" {missing(name, registry)}')
    things = [registry.find(category, each) for category, names in offers.items() for each in names]
    report = Report()
    import_checks(report.of(f'plugin "{name}"'), things)
    for category, names in offers.items():
        for each in names if category in CHECKS else ():
            thing = registry.find(category, each)
            try:
                report.add(check_kind(category, thing, registry=registry, name=each))
            except Exception as error:
                note = str(error) if isinstance(error, MbpluginError) else where(error)
                report.of(f'{category} "{each}"').fact("can be checked", False, note)
    return report


def missing(plugin: str, registry: Registry) -> str:
    """Why a plugin cannot be checked."""
    why = registry.problems.get(plugin)
    if why:
        return f"is not loaded: {why}"
    known = {o.plugin for names in registry.offers.values() for offers in names.values() for o in offers}
    return f"offers nothing or is not installed; there are {', '.join(sorted(known))}"


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
