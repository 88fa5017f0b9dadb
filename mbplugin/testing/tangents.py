"""Analytical tangents of a kind against finite differences of its kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.analysis.tangent.differences import by_bodies, by_markers, colours, displace, hasten
from mbplugin.analysis.tangent.element_forces import ElementForces
from mbplugin.analysis.tangent.marker_motion import MarkerMotion
from mbplugin.analysis.tangent.tangent_kernels import BodyTangents, ElementTangents
from mbplugin.codegen.compiled import interpreted
from mbplugin.errors import PluginError
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers, Tangents
from mbplugin.testing.motions import distance
from mbplugin.testing.report import Check
from mbplugin.testing.shapes import may_be_interpreted

Array = np.ndarray[Any, Any]
#: extrapolated differences are accurate to about 1e-12
TOLERANCE = 1e-8
K_WHAT, D_WHAT = (
    "tangent K = difference of the wrenches over displacements",
    "tangent D = difference of the wrenches over twists",
)


def element_tangent_checks(name: str, problem: Problem, random: np.random.Generator) -> list[Check]:
    """Checks of element tangents at the present positions and random velocities and loads."""
    if not problem.names.tangents:
        return []
    start(problem, random)
    forces = ElementForces(problem)
    given = ElementTangents(problem, 0, forces.of_motion)
    lam = np.where(given.rows, random.normal(size=problem.nc), 0.0)
    value = put(problem, given.starts, np.zeros(0, np.int64), np.zeros(0, np.int64), given.stop, lam)
    try:
        refuse_indices(problem, given.batches)
        value[:] = 0.0
        given.call()
    except PluginError as error:
        return [Check(name, K_WHAT, float("inf"), 0.0, str(error))]
    both = [dense(value[places], given.row, given.column, forces.size) for places in (given.K, given.D)]
    reach = forces.reach(given.given, given.rows, np.zeros(0, np.int64))
    wrench = lambda: forces.wrench(lam, given.given)
    checks = []
    for what, tangent, motion in ((K_WHAT, both[0], displace), (D_WHAT, both[1], hasten)):
        values, row, column = by_markers(problem, reach, colours(reach), wrench, motion)
        checks.append(
            Check(name, what, distance(tangent, -dense(values, row, column, forces.size)), TOLERANCE)
        )
    return checks


def body_tangent_checks(name: str, problem: Problem, random: np.random.Generator) -> list[Check]:
    """Checks of body tangents under random wrenches at all markers."""
    given = BodyTangents(problem, 0)
    chosen = np.flatnonzero(given.given)
    if not len(chosen):
        return []
    start(problem, random)
    markers, nv = MarkerMotion(problem), problem.nv
    wrench = random.normal(size=markers.shape[0])
    value = put(
        problem, np.zeros(0, np.int64), given.point_start, given.body_start, given.stop, np.zeros(problem.nc)
    )
    problem[Tangents].wrench[:] = wrench.reshape(-1, 6)
    try:
        refuse_indices(problem, given.batches)
        value[:] = 0.0
        given.call()
    except PluginError as error:
        return [Check(name, "tangents = differences", float("inf"), 0.0, str(error))]
    tangents = (
        dense(value[given.K], given.K_row, given.K_column, nv),
        dense(value[given.D], given.D_row, given.D_column, nv),
    )
    E = np.zeros(markers.shape)
    E[given.E_row, given.E_column] = value[given.E]
    K, D, E_truth = by_bodies(problem, markers, wrench, chosen)
    pairs = zip(
        (
            "tangent K = difference of its generalized forces",
            "tangent D = difference of its internal forces",
            "tangent E = difference of its markers' velocities",
        ),
        (*tangents, E),
        (K, D, E_truth),
    )
    return [Check(name, what, distance(one, other), TOLERANCE) for what, one, other in pairs]


def start(problem: Problem, random: np.random.Generator) -> None:
    problem.set_state(0.37, problem.q, random.normal(size=problem.nv))
    problem.check(entries.evaluate(problem.addresses))


def put(problem: Problem, element: Array, point: Array, body: Array, size: int, lam: Array) -> Array:
    """Put output arrays for the tangent functions into the problem; returns the values."""
    value = np.zeros(size)
    problem.put(Tangents(element, point, body, value, lam, np.zeros((len(problem[Markers].index), 6))))
    return value


def refuse_indices(problem: Problem, batches: list[Any]) -> None:
    """Call each function once as plain Python, to detect an index out of bounds. Raises PluginError."""
    for kernel, first, _ in batches:
        if not may_be_interpreted(kernel.author):
            continue
        plain = (
            kernel
            if kernel.python
            else interpreted(
                kernel.role, {"author": kernel.author}, kernel.text, kernel.owner, RuntimeError()
            )
        )
        with np.errstate(all="ignore"):
            failed = plain.call(first, 1, problem.addresses) != 0
        if failed and isinstance(plain.error[0], IndexError):
            raise PluginError(f"its tangent function raises IndexError: {plain.error[0]}")


def dense(values: Array, row: Array, column: Array, n: int) -> Array:
    """(n, n); entries at the same place are summed."""
    return np.bincount(row * n + column, values, n * n).reshape(n, n)
