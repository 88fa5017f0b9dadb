"""All hooks. A hook implementation calls `register` for each item that it offers, and does nothing else.

Hooks run once, when plugins are loaded. pluggy is not called during time integration.
"""

from __future__ import annotations

from collections.abc import Callable

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


@hookspec
def mbplugin_body_kinds(register: Callable[[type[BodyKind]], None]) -> None:
    """Offer body kinds (`type` of a `[[body]]`): subclasses of `BodyKind`."""


@hookspec
def mbplugin_measures(register: Callable[[str, Measure], None]) -> None:
    """Offer measures by name, for use in the constraint and force kinds of any plugin."""


@hookspec
def mbplugin_constraint_types(register: Callable[[type[ConstraintKind]], None]) -> None:
    """Offer constraint types (`type` of a `[[joint]]`): subclasses of `ConstraintKind`."""


@hookspec
def mbplugin_enforcements(register: Callable[[type[EnforcementKind]], None]) -> None:
    """Offer enforcements (`enforce` of a `[[joint]]`), exact or by a law: subclasses of `EnforcementKind`."""


@hookspec
def mbplugin_force_elements(register: Callable[[type[ForceKind]], None]) -> None:
    """Offer force elements (`type` of a `[[force]]`): subclasses of `ForceKind`."""


@hookspec
def mbplugin_shapes(register: Callable[[type[ShapeKind]], None]) -> None:
    """Offer shapes that collide (`type` of a `shape`): subclasses of `ShapeKind`."""


@hookspec
def mbplugin_contact_laws(register: Callable[[type[ContactLaw]], None]) -> None:
    """Offer laws of contact (`type` of a `[[contact]]`): subclasses of `ContactLaw`."""


@hookspec
def mbplugin_functions(register: Callable[[type[ExpressionFunction]], None]) -> None:
    """Offer functions for use in expressions of scenes: subclasses of `ExpressionFunction`."""


@hookspec
def mbplugin_solvers(register: Callable[[type[SolverKind]], None]) -> None:
    """Offer solvers (`type` of `[solver]`): subclasses of `SolverKind`."""


@hookspec
def mbplugin_methods(register: Callable[[type[MethodKind]], None]) -> None:
    """Offer methods (`method` of `[solver]`), which solve for v̇ and λ: subclasses of `MethodKind`."""


@hookspec
def mbplugin_tableaus(register: Callable[[str, Tableau | Callable[[], Tableau]], None]) -> None:
    """Offer Runge-Kutta methods (`integrator` of solver `rk`): a `Tableau`, or a function that makes it."""


@hookspec
def mbplugin_exporters(register: Callable[[type[Exporter]], None]) -> None:
    """Offer exporters (`mbplugin export RESULT -o x.SUFFIX`): subclasses of `Exporter`."""


@hookspec
def mbplugin_importers(register: Callable[[type[Importer]], None]) -> None:
    """Offer importers (`mbplugin import x.SUFFIX -o SCENE`): subclasses of `Importer`."""


@hookspec
def mbplugin_analyses(register: Callable[[type[AnalysisKind]], None]) -> None:
    """Offer analyses (`mbplugin analyze SCENE NAME`): subclasses of `AnalysisKind`."""


@hookspec
def mbplugin_commands(register: Callable[[type[Command]], None]) -> None:
    """Offer commands (`mbplugin NAME`): subclasses of `Command`."""


@hookspec
def mbplugin_sensors(register: Callable[[type[SensorKind]], None]) -> None:
    """Offer sensors (`type` of a `[[sensor]]`): subclasses of `SensorKind`."""


@hookspec
def mbplugin_drawings(register: Callable[[type[DrawingKind]], None]) -> None:
    """Offer drawings (`type` of a `[[drawing]]`): subclasses of `DrawingKind`."""


@hookspec
def mbplugin_watchers(register: Callable[[type[Watcher]], None]) -> None:
    """Offer watchers, which see the frames of a run and may end it: subclasses of `Watcher`."""


#: hook -> category of its offers, as named in messages and listings
OFFERS = {
    "mbplugin_body_kinds": "body kind",
    "mbplugin_measures": "measure",
    "mbplugin_constraint_types": "constraint type",
    "mbplugin_enforcements": "enforcement",
    "mbplugin_force_elements": "force element",
    "mbplugin_shapes": "shape",
    "mbplugin_contact_laws": "contact law",
    "mbplugin_functions": "function",
    "mbplugin_solvers": "solver",
    "mbplugin_methods": "method",
    "mbplugin_tableaus": "tableau",
    "mbplugin_exporters": "exporter",
    "mbplugin_importers": "importer",
    "mbplugin_analyses": "analysis",
    "mbplugin_commands": "command",
    "mbplugin_sensors": "sensor",
    "mbplugin_drawings": "drawing",
    "mbplugin_watchers": "watcher",
}
