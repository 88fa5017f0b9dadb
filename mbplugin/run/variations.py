"""Derivatives of the equations of motion near an operating point, along all changes of its state.

Changes of the state are (δ, δv, δx): δ an increment of the position in velocity space that the rows allow,
δv the change of the velocities that goes with it or stands alone, δx that of the inner states. Each is
evaluated as a whole, constraints, implicit variables, laws and outputs included, by differences of fourth
order. Components of v change by δ̇ + C δ with an increment (`analysis/equilibrium/steady.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mbplugin.analysis.rank.null_space import body_twists, deformation_rates, null_space
from mbplugin.errors import PhysicsError
from mbplugin.problem import Problem
from mbplugin.results.curve import Curve
from mbplugin.results.quantities import curves
from mbplugin.run.operating_point import OperatingPoint, Sample
from mbplugin.tables.groups import Bounded, Rows
from mbplugin.tables.records import ACCELERATION_LEVEL, POSITION_LEVEL
from mbplugin.tables.spec import Array

#: step of positions in sizes and radians, of other numbers relative to them
STEP = 1e-3
#: difference of two estimates, relative to the largest entry, above which functions are not smooth; of the
#: step, the parts that are tried in turn until they are
SMOOTH, PARTS = 1e-5, (1.0, 0.03, 0.001)
#: multiples of the step at which functions are evaluated
MULTIPLES = (1, -1, 2, -2, 4, -4)
#: a state: q, v, auxiliary states, memory
At = tuple[Array, Array, Array, Array]


@dataclass
class Tangents:
    """The changes of the state that the rows of an operating point allow."""

    N: Array  # (nv, p) of positions, Nᵀ M N = 1
    N_v: Array  # (nv, d) of velocities
    to_velocity: Array  # (nv, rows): the least δv with G δv = r, of the rows that constrain velocities
    M: Array  # (nv, nv)

    @classmethod
    def of(cls, point: OperatingPoint, moving: bool, what: str | None) -> Tangents:
        """moving: whether the point moves; at rest, rows of velocities constrain positions too; what: is told
        where nothing can move; None: that may be. Raises PhysicsError.
        """
        problem = point.problem
        point.at(point.q, point.v)
        level = problem[Rows].level
        free = null_space(problem, level < ACCELERATION_LEVEL if moving else None)
        of_positions = null_space(problem, holds_positions(problem)) if moving else free
        velocity = null_space(problem, level < ACCELERATION_LEVEL)
        if not free.dof and what is not None:
            raise PhysicsError(what)
        return cls(of_positions.N, free.N, velocity.to_velocity, problem.mass(problem.q))


def holds_positions(problem: Problem) -> Array:
    """(nc,) whether each row constrains positions: also what sticks along a coordinate, or is locked."""
    found = np.array(problem[Rows].level == POSITION_LEVEL)
    index = problem[Bounded].index
    found[index.row[index.partner < 0]] = True
    return found


@dataclass
class Derivatives:
    """Of each of m changes of the state, as columns: itself, and the derivatives of the rates along it."""

    delta: Array  # (nv, m) δ
    delta_v: Array  # (nv, m)
    delta_x: Array  # (nx, m)
    v_dot: Array  # (nv, m)
    x_dot: Array  # (nx, m)
    rate: Array  # (coordinates, m) of the rates of joint coordinates
    rate_dot: Array  # (coordinates, m) of their second derivatives
    outputs: Array  # (outputs, m)
    error: float  # difference of two estimates, relative to the largest
    curves: list[Curve]  # the outputs, at the operating point


def reach(point: OperatingPoint, motions: Array) -> Array:
    """(k,) largest translation [sizes], rotation [rad] or strain of a body by motions (nv, k)."""
    point.at(point.q, point.v)
    twists = np.abs(body_twists(point.problem, motions))
    strains = deformation_rates(point.problem, motions)
    parts = (twists[:, :3] / point.problem.names.size, twists[:, 3:], strains[:, None])
    return np.asarray(np.max([part.max(axis=(0, 1)) for part in parts], axis=0))


def derivatives_of(
    point: OperatingPoint,
    tangents: Tangents,
    along: Array,
    along_v: Array,
    inputs: Sequence[int] = (),
    outputs: Sequence[str] = (),
) -> Derivatives:
    """Along positions `along` (nv, p), velocities `along_v` (nv, d), all inner states and the inputs of these
    numbers, in this order.
    """
    p, d, nx, m = along.shape[1], along_v.shape[1], len(point.inner), len(inputs)
    h_q, h_v = STEP / reach(point, along), STEP / reach(point, along_v)
    directions: list[tuple[float, Callable[[float], At]]] = [
        *((h_q[k], shifted(point, tangents, along[:, k])) for k in range(p)),
        *((h_v[k], thrown(point, along_v[:, k])) for k in range(d)),
        *((STEP * max(1.0, abs(point.aux[k])), changed(point, "aux", k)) for k in point.inner),
        *((STEP * max(1.0, abs(point.memory[k])), changed(point, "memory", k)) for k in inputs),
    ]
    found: list[tuple[float, Array]] = []
    for part in PARTS:
        J, error, seen = estimate(point, [(part * h, at) for h, at in directions], outputs)
        found.append((error, J))
        if error <= SMOOTH:
            break
    error, J = min(found, key=lambda e: e[0])
    nv, nc = point.problem.nv, len(point.coordinates)
    columns = p + d + nx + m
    delta, delta_x = np.zeros((nv, columns)), np.zeros((nx, columns))
    delta[:, :p], delta_x[:, p + d : p + d + nx] = along, np.eye(nx)
    # what is known needs no differences
    delta_v = J[:nv].copy()
    delta_v[:, p:] = 0.0
    delta_v[:, p : p + d] = along_v
    ends = np.cumsum([nv, nv, nx, nc, nc])
    _, v_dot, x_dot, rate, rate_dot, values = np.split(J, ends)
    return Derivatives(delta, delta_v, delta_x, v_dot, x_dot, rate, rate_dot, values, error, seen)


def estimate(
    point: OperatingPoint, directions: list[tuple[float, Callable[[float], At]]], outputs: Sequence[str]
) -> tuple[Array, float, list[Curve]]:
    """Derivatives (functions, directions) by steps h, their error, and the curves of the outputs; functions
    are v, v̇, ẋ, ṡ, s̈ and outputs.
    """
    result, rows = point.result, []
    first = result.frames
    for h, at in directions:
        rows += [flat(point.evaluate(*at(k * h))) for k in MULTIPLES]
    found = [curve for name in outputs for curve in curves(result, name)]
    seen = np.array([curve.values for curve in found]).reshape(len(found), result.frames)
    values = np.hstack([np.array(rows).reshape(len(rows), -1), seen[:, first:].T])
    steps = np.array([h for h, _ in directions])
    velocities = point.problem.nv
    J, _ = differences(values.reshape(len(directions), len(MULTIPLES), -1), steps)
    # velocities are given, and no function of the state
    _, error = differences(values[:, velocities:].reshape(len(directions), len(MULTIPLES), -1), steps)
    return J, error, found


def flat(sample: Sample) -> Array:
    return np.concatenate([sample.v, sample.v_dot, sample.x_dot, sample.rate, sample.rate_dot])


def differences(values: Array, steps: Array) -> tuple[Array, float]:
    """(functions, directions) from values (directions, 6, functions) at h (1, −1, 2, −2, 4, −4), and how far
    the estimate with h is from that with 2 h, relative to the largest entry.
    """
    d1, d2, d4 = values[:, 0] - values[:, 1], values[:, 2] - values[:, 3], values[:, 4] - values[:, 5]
    h = steps[:, None]
    fine, coarse = (8.0 * d1 - d2) / (12.0 * h), (8.0 * d2 - d4) / (24.0 * h)
    largest = float(np.abs(fine).max(initial=0.0))
    error = float(np.abs(fine - coarse).max(initial=0.0)) / largest if largest else 0.0
    return fine.T, error


def shifted(point: OperatingPoint, tangents: Tangents, direction: Array) -> Callable[[float], At]:
    def at(h: float) -> At:
        q, v = point.moved(h * direction, tangents.to_velocity)
        return q, v, point.aux, point.memory

    return at


def thrown(point: OperatingPoint, direction: Array) -> Callable[[float], At]:
    return lambda h: (point.q, point.v + h * direction, point.aux, point.memory)


def changed(point: OperatingPoint, what: str, k: int) -> Callable[[float], At]:
    def at(h: float) -> At:
        arrays = {"aux": point.aux, "memory": point.memory}
        arrays[what] = arrays[what].copy()
        arrays[what][k] += h
        return point.q, point.v, arrays["aux"], arrays["memory"]

    return at
