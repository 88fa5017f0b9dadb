"""The rows and coordinates of a joint of two markers as functions of their poses, in plain Python.

    rows            Φ(a, b) = 0         of a kernel, of basic constraints, of the relation of its coordinates,
                                        and between planar bodies those that keep them in the plane
    coordinates     s(a, b)

and their derivatives over the twists [v, ω] of both markers, world axes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from mbplugin.compile.joint_rules import CannotCarry
from mbplugin.compile.parameters import plain_parameters, split
from mbplugin.compile.plain_python import plain
from mbplugin.interface import ConstraintKind, Measure
from mbplugin.interface.marker import Marker
from mbplugin.model.expression import Expression
from mbplugin.tables.spec import Array

AT_REST = (0.0, 0.0, 0.0)


class Pose(NamedTuple):
    """Pose of a marker."""

    x: Array  # (3,) [m]
    R: Array  # (3, 3), axes as columns

    def after(self, first: Pose) -> Pose:
        """This pose, given in axes of `first`, in those of the world."""
        return Pose(first.x + first.R @ self.x, first.R @ self.R)

    def seen_from(self, first: Pose) -> Pose:
        """This pose in axes of `first`."""
        return Pose(first.R.T @ (self.x - first.x), first.R.T @ self.R)


class Plane(NamedTuple):
    """The plane in which two bodies move."""

    n_a: tuple[float, ...]  # normal in axes of marker a
    n_b: tuple[float, ...]  # normal in axes of marker b
    height: float  # of b over a along the normal [m]


class Values(NamedTuple):
    """Rows and coordinates at a pose of both markers."""

    phi: Array  # (r,) residuals of the rows [m, rad]
    s: Array  # (c,) coordinates [m, rad]
    on_a: Array  # (r + c, 6) derivatives of both over the twist of a, rows first
    on_b: Array  # the same of b


@dataclass(frozen=True)
class Call:
    """A call of a kernel or measure."""

    function: Callable[..., Any]
    given: Mapping[str, Any]  # arguments that stay
    markers: tuple[str, ...]  # those of a, b, m that it takes
    target: Array | None = None  # (rows,) of a basic constraint; None: none
    period: float = 0.0  # of the rows [rad]; 0: none


class JointRows:
    """The rows and coordinates of one joint."""

    def __init__(
        self,
        kind: type[ConstraintKind],
        params: Any,
        planar: bool,
        plane: Plane | None,
        measure_of: Callable[[Measure | str], Measure],
    ) -> None:
        """All parameters that rows use are constant. plane: between planar bodies."""
        basics = [(measure_of(basic.measure), basic.to) for basic in kind.basics]
        coordinates = {name: measure_of(m) for name, m in kind.coordinates.items()}
        self.names = tuple(coordinates)
        self.periods = np.array([measure.period for measure in coordinates.values()])
        relation = kind.relation(params)
        kernel_rows = len(kind.labels) if kind.kernel is not None else 0
        of_calls = kernel_rows + sum(measure.rows for measure, _ in basics)
        self.rows = of_calls + bool(relation) + (3 if plane is not None else 0)
        self.plane = None if plane is None else plane_rows(plane)
        size = self.rows + len(self.names)
        self.value, self.J, self.spare = np.zeros(size), np.zeros(12 * size), np.zeros(size)
        self.active = np.ones(self.rows)
        self.calls: list[Call] = []
        if kernel_rows:
            self.calls.append(self.of_kernel(kind, params, kernel_rows))
        row = kernel_rows
        for measure, to in basics:
            self.calls.append(self.of_measure(measure, row, constant(getattr(params, to)) if to else 0.0))
            row += measure.rows
        self.relation = [(self.rows + self.names.index(name), c) for name, c in relation]
        self.relation_row = row
        for k, measure in enumerate(coordinates.values()):
            self.calls.append(self.of_measure(measure, self.rows + k, None))

    def of_kernel(self, kind: type[ConstraintKind], params: Any, rows: int) -> Call:
        """The kernel, which writes the first rows."""
        functions = {name: (constant(given), 0.0, 0.0) for name, given in split(params)[2].items()}
        given = {
            "p": plain_parameters(params),
            "u": SimpleNamespace(**functions),
            "mem": np.zeros(0),
            "active": self.active,
            "phi": self.value[:rows],
            "G": self.J[: 12 * rows],
            "gamma": self.spare[:rows],
            "phi_t": np.zeros(rows),
        }
        return call_of(kind.kernel, given)

    def of_measure(self, measure: Measure, row: int, target: float | None) -> Call:
        """A measure that writes from this row on; target: of a basic constraint."""
        part = slice(row, row + measure.rows)
        given = {
            "p": plain_parameters(measure.settings),
            "value": self.value[part],
            "J": self.J[12 * part.start : 12 * part.stop],
            "bias": self.spare[part],
        }
        return call_of(measure.kernel, given, target, measure.period)

    def at(self, a: Pose, b: Pose) -> Values:
        """Rows and coordinates at these poses; nan where they are not defined. Raises CannotCarry."""
        first, second = marker(a), marker(b)
        markers = {"a": first, "b": second, "m": (first, second)}
        self.value[:], self.J[:] = 0.0, 0.0
        for call in self.calls:
            try:
                call.function(**call.given, **{name: markers[name] for name in call.markers})
            except (ArithmeticError, ValueError):
                # compiled code goes on with nan or ∞
                self.value[:], self.J[:] = np.nan, np.nan
                break
            except Exception as error:
                raise CannotCarry(
                    f"its functions do not run as Python: {type(error).__name__}: {error}"
                ) from error
            if call.target is not None:
                value = call.given["value"]
                value -= call.target
                if call.period:
                    value -= call.period * np.round(value / call.period)
        J = self.J.reshape(-1, 12)
        for place, c in self.relation:
            self.value[self.relation_row] += c * self.value[place]
            J[self.relation_row] += c * J[place]
        if self.plane is not None:
            part = slice(self.rows - 3, self.rows)
            self.value[part], J[part] = self.plane(a, b)
        value, J = self.value.copy(), J.copy()
        return Values(value[: self.rows], value[self.rows :], J[:, :6], J[:, 6:])


def call_of(
    function: Callable[..., Any], given: Mapping[str, Any], target: float | None = None, period: float = 0.0
) -> Call:
    """The call with those of the arguments that the function takes. Raises CannotCarry."""
    function = plain(function)
    names = list(inspect.signature(function).parameters)
    for name in names:
        if name not in given and name not in ("a", "b", "m"):
            raise CannotCarry("its rows depend on time" if name == "t" else f'its functions take "{name}"')
    to = None if target is None else np.array(target)
    return Call(
        function,
        {name: given[name] for name in names if name not in ("a", "b", "m")},
        tuple(name for name in names if name in ("a", "b", "m")),
        to,
        period,
    )


def constant(value: Any) -> float:
    """A number, or the value of a constant function."""
    if isinstance(value, Expression):
        assert value.constant is not None
        return value.constant
    return float(value)


def marker(pose: Pose) -> Marker:
    """A marker at rest."""
    return Marker(tuple(pose.x.tolist()), tuple(pose.R.ravel().tolist()), AT_REST, AT_REST)


def plane_rows(plane: Plane) -> Callable[[Pose, Pose], tuple[Array, Array]]:
    """The three rows that keep two planar bodies in their plane, and their derivatives (3, 12).

    With the normal n of a, e₁ and e₂ perpendicular to it, and m, the normal of b:

        n·d − height,  d = x_b − x_a        over (v_a, ω_a, v_b, ω_b): −n, n × d, n, 0
        e·m,  e = e₁, e₂                    0, e × m, 0, −e × m
    """
    n_a, n_b = np.array(plane.n_a), np.array(plane.n_b)
    across = np.linalg.svd(n_a[None, :])[2][1:]

    def rows(a: Pose, b: Pose) -> tuple[Array, Array]:
        n, m, d = a.R @ n_a, b.R @ n_b, b.x - a.x
        value, J = np.zeros(3), np.zeros((3, 12))
        value[0] = n @ d - plane.height
        J[0, :3], J[0, 3:6], J[0, 6:9] = -n, cross(n, d), n
        for k, e in enumerate(a.R @ one for one in across):
            value[1 + k] = e @ m
            J[1 + k, 3:6] = cross(e, m)
            J[1 + k, 9:] = -J[1 + k, 3:6]
        return value, J

    return rows


def cross(u: Array, v: Array) -> Array:
    """u × v of two vectors (3,), without the overhead of numpy's."""
    return u[[1, 2, 0]] * v[[2, 0, 1]] - u[[2, 0, 1]] * v[[1, 2, 0]]
