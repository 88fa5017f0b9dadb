"""The solver that a scene selects, with its choices from other plugins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from mbplugin.compile.tree.form import TreeForm
from mbplugin.errors import PluginError, SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.interface import MethodKind
from mbplugin.interface.coordinates import RECURSION
from mbplugin.interface.solver import Integrator
from mbplugin.model import System
from mbplugin.model.table import validated
from mbplugin.problem import Problem
from mbplugin.run.integrator import start_integrator
from mbplugin.run.stable_step import check_step
from mbplugin.stepping import CompiledSolver

#: values of `coordinates`
MAXIMAL, JOINT = "maximal", "joint"


@dataclass(frozen=True)
class ChosenSolver:
    """A solver kind, its validated parameters, and the objects selected by its `choices`."""

    kind: Any
    params: Any
    chosen: dict[str, Any]
    method: type[MethodKind] | None
    fixed_step: float | None  # [s]
    parts: tuple[Callable[..., int], ...] = ()
    coordinates: str = MAXIMAL  # of its states
    default_method: bool = False  # the scene names none
    remarks: tuple[str, ...] = ()  # what it has chosen itself
    warnings: tuple[str, ...] = ()  # what makes its steps short

    @property
    def joint_coordinates(self) -> bool:
        """Whether its states are joint coordinates."""
        return self.coordinates == JOINT

    @property
    def tree_form(self) -> TreeForm:
        """Demands on trees: whether its method forms their mass matrices, or may where a scene names none,
        and whether momenta are states instead of velocities.
        """
        forms_mass = self.method is not None and self.method.forms_mass_matrix
        momenta = getattr(self.params, "form", "") == "momentum"
        fits = self.default_method and not momenta
        return TreeForm(forms_mass, fits, momenta, largest=self.kind.largest_tree)

    @property
    def step_of_laws(self) -> float | None:
        """Length of fixed steps [s] that limits the stiffness of laws; None: nothing does."""
        return None if self.kind.implicit_compliance else self.fixed_step

    def start(self, problem: Problem, start: float, end: float) -> Integrator:
        """Its integrator. Raises SceneError if the solver cannot serve the system, PluginError."""
        try:
            made = start_integrator(self.kind, problem, self.params, start, end, self.chosen, self.parts)
        except SceneError as error:
            raise SceneError(f"solver.{error.key}", error.value, error.mend) from None
        if not isinstance(made, Integrator):
            what = f"{self.kind.__qualname__}.start returned {type(made).__name__}"
            raise PluginError(
                f'solver "{self.kind.name}": {what}; derive it from mbplugin.interface.Integrator'
            )
        return made


def chosen_solver(system: System, registry: Registry) -> ChosenSolver:
    """The solver of a scene. Raises SceneError."""
    kind = registry.solver(system.solver_type, "solver.type")
    params, raw = None, dict(system.solver.raw)
    coordinates, fields = raw.get("coordinates", MAXIMAL), getattr(kind.parameters, "model_fields", {})
    if "coordinates" not in fields:
        # the engine has them for every compiled solver
        raw.pop("coordinates", None)
        if coordinates != MAXIMAL and not (coordinates == JOINT and issubclass(kind, CompiledSolver)):
            mend = 'has maximal coordinates only; leave it out, or use type = "rk", "galpha" or "contact"'
            raise SceneError("solver.coordinates", coordinates, f'solver "{kind.name}" {mend}')
        if coordinates == JOINT and "method" in fields:
            raw = {"method": RECURSION, **raw}
    if kind.parameters is not None:
        known = ("type", "end", "stop")
        params = validated(kind.parameters, raw, "solver", system.parameters, known, system.folder)
    categories = {"method": "method", **kind.choices}
    chosen = {
        key: registry.find(category, getattr(params, key), f"solver.{key}")
        for key, category in categories.items()
        if hasattr(params, key)
    }
    method = chosen.pop("method", None)
    coordinates = getattr(params, "coordinates", coordinates)
    refuse_coordinates(coordinates, kind, method)
    remarks: Sequence[str] = ()
    try:
        params, remarks = kind.completed(params, system)
        fixed_step = kind.fixed_step(params, chosen)
        stable, warnings = check_step(system, kind, params, chosen, fixed_step)
    except SceneError as error:
        raise SceneError(f"solver.{error.key}", error.value, error.mend) from None
    parts = tuple(kind.parts(system)) if issubclass(kind, CompiledSolver) else ()
    default, remarks = "method" not in system.solver.raw, (*remarks, *stable)
    found = (kind, params, chosen, method, fixed_step, parts, coordinates, default)
    return ChosenSolver(*found, tuple(remarks), tuple(warnings))


def refuse_coordinates(coordinates: str, kind: Any, method: type[MethodKind] | None) -> None:
    """Raises SceneError for a method that the coordinates do not have, PluginError for one of joint
    coordinates that would not be called.
    """
    if method is None:
        return
    if method.coordinates != coordinates:
        mend = (
            f'is a method in {method.coordinates} coordinates; add coordinates = "{method.coordinates}", or '
        )
        raise SceneError("solver.method", method.name, f"{mend}leave it out")
    if coordinates == JOINT and kind.largest_tree < inf and not method.forms_mass_matrix:
        mend = f'is a method without the mass matrix, which solver "{kind.name}" needs; leave it out'
        raise SceneError("solver.method", method.name, mend)
    if coordinates == JOINT and not method.engine:
        mend = "a method in joint coordinates sets `engine = True`: the engine steps its equations"
        raise PluginError(f'method "{method.name}" has a function of its own; {mend}')
