"""All hooks. A hook implementation calls `register` for each item that it offers, and does nothing else.

Hooks run once, when plugins are loaded. pluggy is not called during time integration.
"""

from __future__ import annotations

from typing import NamedTuple

from mbplugin import interface
from mbplugin.hookmarks import hookspec


class Hook(NamedTuple):
    """What a hook registers: `register(kind)`, or `register(name, value)` for the two of VALUES."""

    category: str  # of its offers, as named in messages and listings
    base: type  # of kinds the base class, of values their class
    used: str  # where a user meets them


HOOKS = {
    "mbplugin_body_kinds": Hook("body kind", interface.BodyKind, "`type` of a `[[body]]`"),
    "mbplugin_measures": Hook("measure", interface.Measure, "constraint and force kinds of any plugin"),
    "mbplugin_constraint_types": Hook("constraint type", interface.ConstraintKind, "`type` of a `[[joint]]`"),
    "mbplugin_enforcements": Hook("enforcement", interface.EnforcementKind, "`enforce` of a `[[joint]]`"),
    "mbplugin_force_elements": Hook("force element", interface.ForceKind, "`type` of a `[[force]]`"),
    "mbplugin_shapes": Hook("shape", interface.ShapeKind, "`type` of a `shape` that collides"),
    "mbplugin_contact_laws": Hook("contact law", interface.ContactLaw, "`type` of a `[[contact]]`"),
    "mbplugin_functions": Hook("function", interface.ExpressionFunction, "expressions of scenes"),
    "mbplugin_solvers": Hook("solver", interface.SolverKind, "`type` of `[solver]`"),
    "mbplugin_methods": Hook(
        "method", interface.MethodKind, "`method` of `[solver]`, which solves for v̇ and λ"
    ),
    "mbplugin_tableaus": Hook("tableau", interface.Tableau, "`integrator` of `rk`; or a function for one"),
    "mbplugin_exporters": Hook("exporter", interface.Exporter, "`mbplugin export RESULT -o x.SUFFIX`"),
    "mbplugin_importers": Hook("importer", interface.Importer, "`mbplugin import x.SUFFIX -o SCENE`"),
    "mbplugin_analyses": Hook("analysis", interface.AnalysisKind, "`mbplugin analyze SCENE NAME`"),
    "mbplugin_commands": Hook("command", interface.Command, "`mbplugin NAME`"),
    "mbplugin_sensors": Hook("sensor", interface.SensorKind, "`type` of a `[[sensor]]`"),
    "mbplugin_drawings": Hook("drawing", interface.DrawingKind, "`type` of a `[[drawing]]`"),
    "mbplugin_watchers": Hook("watcher", interface.Watcher, "each run: sees its frames, and may end it"),
}
#: categories of offers that are values with a name beside them
VALUES = ("measure", "tableau")
#: category -> base class
BASES = {hook.category: hook.base for hook in HOOKS.values()}
#: as pluggy wants them
SPECIFICATIONS = type(
    "Specifications", (), {name: staticmethod(hookspec(lambda register: None)) for name in HOOKS}
)
