"""All hooks. A hook implementation calls `register` for each item that it offers, and does nothing else.

Hooks run once, when plugins are loaded. pluggy is not called during time integration.
"""

from __future__ import annotations

from typing import NamedTuple

from mbplugin.hookmarks import hookspec
from mbplugin.interface import (
    AnalysisKind,
    BodyKind,
    Command,
    ConstraintKind,
    ContactLaw,
    DrawingKind,
    EnforcementKind,
    Exporter,
    ExpressionFunction,
    ForceKind,
    Importer,
    Measure,
    MethodKind,
    SensorKind,
    ShapeKind,
    SolverKind,
    Tableau,
    Watcher,
)


class Hook(NamedTuple):
    """What a hook registers: `register(kind)`, or `register(name, value)` for the two of VALUES."""

    category: str  # of its offers, as named in messages and listings
    base: type  # of kinds the base class, of values their class
    used: str  # where a user meets them


HOOKS = {
    "mbplugin_body_kinds": Hook("body kind", BodyKind, "`type` of a `[[body]]`"),
    "mbplugin_measures": Hook("measure", Measure, "constraint and force kinds of any plugin"),
    "mbplugin_constraint_types": Hook("constraint type", ConstraintKind, "`type` of a `[[joint]]`"),
    "mbplugin_enforcements": Hook("enforcement", EnforcementKind, "`enforce` of a `[[joint]]`"),
    "mbplugin_force_elements": Hook("force element", ForceKind, "`type` of a `[[force]]`"),
    "mbplugin_shapes": Hook("shape", ShapeKind, "`type` of a `shape` that collides"),
    "mbplugin_contact_laws": Hook("contact law", ContactLaw, "`type` of a `[[contact]]`"),
    "mbplugin_functions": Hook("function", ExpressionFunction, "expressions of scenes"),
    "mbplugin_solvers": Hook("solver", SolverKind, "`type` of `[solver]`"),
    "mbplugin_methods": Hook("method", MethodKind, "`method` of `[solver]`, which solves for v̇ and λ"),
    "mbplugin_tableaus": Hook("tableau", Tableau, "`integrator` of solver `rk`; or a function for one"),
    "mbplugin_exporters": Hook("exporter", Exporter, "`mbplugin export RESULT -o x.SUFFIX`"),
    "mbplugin_importers": Hook("importer", Importer, "`mbplugin import x.SUFFIX -o SCENE`"),
    "mbplugin_analyses": Hook("analysis", AnalysisKind, "`mbplugin analyze SCENE NAME`"),
    "mbplugin_commands": Hook("command", Command, "`mbplugin NAME`"),
    "mbplugin_sensors": Hook("sensor", SensorKind, "`type` of a `[[sensor]]`"),
    "mbplugin_drawings": Hook("drawing", DrawingKind, "`type` of a `[[drawing]]`"),
    "mbplugin_watchers": Hook("watcher", Watcher, "each run, whose frames it sees and which it may end"),
}
#: categories of offers that are values with a name beside them
VALUES = ("measure", "tableau")
#: category -> base class
BASES = {hook.category: hook.base for hook in HOOKS.values()}
#: as pluggy wants them
SPECIFICATIONS = type(
    "Specifications", (), {name: staticmethod(hookspec(lambda register: None)) for name in HOOKS}
)
