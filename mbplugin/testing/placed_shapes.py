"""Two shapes in a scene, to be moved about and asked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import PluginError
from mbplugin.hooks.registry import Registry
from mbplugin.interface import Array, PlacedShape
from mbplugin.math.jit import with_bounds
from mbplugin.model import System
from mbplugin.run.prepare import prepare

#: functions that are compiled with checks of indices
_checked: dict[Any, Any] = {}


def checked(function: Any) -> Any:
    """A function of a kind, compiled with checks of every index."""
    return with_bounds(function, _checked)


class Side(NamedTuple):
    """A shape of a pair."""

    shape: Any  # of the scene
    support: Any  # compiled; None: it has none
    placed: PlacedShape
    problem: Any  # whose arrays its tables are

    def at(self, x: Array, R: Array) -> Side:
        return self._replace(placed=self.placed._replace(x=tuple(x), R=tuple(R.ravel())))

    @property
    def bounded(self) -> bool:
        return bool(self.shape.kind.bounded)

    @property
    def radius(self) -> float:
        """`ShapeKind.radius` [m]; 0 of a half-space."""
        return float(self.shape.kind.radius(self.shape.keys_of_kind)) if self.bounded else 0.0

    @property
    def rounding(self) -> float:
        return float(self.shape.kind.rounding(self.shape.keys_of_kind))

    @property
    def pose(self) -> tuple[Array, Array]:
        """Position (3,) [m] and axes (3, 3)."""
        return np.array(self.placed.x), np.array(self.placed.R).reshape(3, 3)

    @property
    def known(self) -> bool:
        """Whether `extent` can be asked."""
        return self.support is not None or not self.bounded

    def extent(self, n: Array) -> float:
        """The largest n·x of its points [m]; infinite for a half-space, but along its normal."""
        x, R = self.pose
        if not self.bounded:
            return float(n @ x) if n @ R[:, 2] > 1.0 - 1e-12 else np.inf
        point, _ = self.support(self.placed, tuple(R.T @ n))
        return float(n @ (x + R @ np.array(point))) + self.rounding


def sides_of(shapes: list[tuple[str, dict[str, Any]]], registry: Registry) -> list[Side]:
    """Shapes (type, keys) in a scene with a solver that has contacts. Raises PluginError if there is none."""
    solver, registry = tables_of_contacts(registry)
    bodies: list[Any] = []
    ground: list[Any] = []
    for k, (name, keys) in enumerate(shapes):
        shape = {**keys, "type": name, "name": f"shape{k}", "collide": True}
        if registry.shape(name).bounded:
            bodies.append(
                {
                    "name": f"body{k}",
                    "mass": 1.0,
                    "inertia": [1.0, 1.0, 1.0],
                    "position": [100.0 * k, 0.0, 100.0],
                    "shape": [shape],
                }
            )
        else:
            ground.append(shape)
    if not bodies:
        bodies.append({"name": "body", "mass": 1.0, "inertia": [1.0, 1.0, 1.0]})
    scene = {
        "scene": {"gravity": [0, 0, 0], "shape": ground},
        "body": bodies,
        "solver": {"type": solver, "end": 1.0, "step": 1e-3},
    }
    prepared = prepare(System.model_validate(scene), registry)
    prepared.start(1.0)
    problem = prepared.problem
    sides = {}
    for number, shape in enumerate(problem.names.shapes):
        support = checked(shape.kind.support) if shape.kind.support is not None else None
        p, R = np.array(shape.numbers()), tuple(np.eye(3).ravel())
        sides[shape.name] = Side(
            shape, support, PlacedShape(problem.addresses, number, p, (0.0, 0.0, 0.0), R), problem
        )
    return [sides[f"shape{k}"] for k in range(len(shapes))]


def tables_of_contacts(registry: Registry) -> tuple[str, Registry]:
    """The name of a solver with contacts, and a registry in which it compiles nothing for pairs of shapes: no
    step of it is taken, only its tables are used. Raises PluginError if there is none.
    """
    name = next((name for name in registry.names("solver") if registry.solver(name).contacts), None)
    if name is None:
        raise PluginError("no installed solver has contacts, so that a shape cannot be checked")
    solver = registry.solver(name)
    nothing = {"parts": classmethod(lambda cls, system: ()), "begun": classmethod(lambda cls, *of_run: ())}
    still = Registry({**registry.offers, "solver": {}}, registry.problems, registry.homes)
    still.add("solver", name, type(solver.__name__, (solver,), nothing), "the kit", "the kit")
    return name, still
