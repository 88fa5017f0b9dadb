"""Every hook. An implementation gets a function `register` and calls it for each thing that it offers;
nothing else happens in a hook.

Hooks run once, when a scene is compiled or plugins are listed; between two time steps nobody calls pluggy.
"""

from __future__ import annotations

from collections.abc import Callable

from mbplugin.hookmarks import hookspec
from mbplugin.interface import (
    BodyKind,
    ConstraintKind,
    EnforcementKind,
    ExpressionFunction,
    ForceKind,
    Measure,
    MethodKind,
    SolverKind,
    Tableau,
)


@hookspec
def mbplugin_body_kinds(register: Callable[[type[BodyKind]], None]) -> None:
    """Offer kinds of bodies (`type` of a `[[body]]`): subclasses of `BodyKind`."""


@hookspec
def mbplugin_measures(register: Callable[[str, Measure], None]) -> None:
    """Offer measures under names that constraint and force kinds of any plugin may use."""


@hookspec
def mbplugin_constraint_types(register: Callable[[type[ConstraintKind]], None]) -> None:
    """Offer constraint types (`type` of a `[[joint]]`): subclasses of `ConstraintKind`."""


@hookspec
def mbplugin_enforcements(register: Callable[[type[EnforcementKind]], None]) -> None:
    """Offer ways to hold the rows of any joint (its `enforce`), exactly or by a law: subclasses of
    `EnforcementKind`.
    """


@hookspec
def mbplugin_force_elements(register: Callable[[type[ForceKind]], None]) -> None:
    """Offer force elements (`type` of a `[[force]]`): subclasses of `ForceKind`."""


@hookspec
def mbplugin_functions(register: Callable[[type[ExpressionFunction]], None]) -> None:
    """Offer functions that expressions of scenes may call: subclasses of `ExpressionFunction`."""


@hookspec
def mbplugin_solvers(register: Callable[[type[SolverKind]], None]) -> None:
    """Offer solvers (`type` of `[solver]`): subclasses of `SolverKind`."""


@hookspec
def mbplugin_methods(register: Callable[[type[MethodKind]], None]) -> None:
    """Offer methods (`method` of `[solver]`), by which solvers of any plugin find accelerations and
    constraint forces: subclasses of `MethodKind`.
    """


@hookspec
def mbplugin_tableaus(register: Callable[[str, Tableau | Callable[[], Tableau]], None]) -> None:
    """Offer Runge-Kutta methods (`integrator` of solver `rk`) as data: a `Tableau`, or a function that makes it."""


#: hook -> the word that messages and listings use for what it offers
OFFERS = {
    "mbplugin_body_kinds": "body kind",
    "mbplugin_measures": "measure",
    "mbplugin_constraint_types": "constraint type",
    "mbplugin_enforcements": "enforcement",
    "mbplugin_force_elements": "force element",
    "mbplugin_functions": "function",
    "mbplugin_solvers": "solver",
    "mbplugin_methods": "method",
    "mbplugin_tableaus": "tableau",
}
