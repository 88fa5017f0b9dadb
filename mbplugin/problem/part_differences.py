"""Finite-difference tangents of bodies with parts, for kinds without closed form and for checks.

Central differences at the steps s and s / 2, extrapolated: the error is of the order s⁴.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import body_kernel
from mbplugin.tables.groups import Bodies, PartTangents, State, Tangents
from mbplugin.tables.purposes import LOCATE, PREPARE
from mbplugin.tables.spec import Array

#: step, relative to the size of the mechanism, or in radians and metres per second
STEP = 2e-4


def extrapolated(f: Callable[[float], Array], step: float) -> Array:
    """df/ds at s = 0."""
    wide, narrow = ((f(s) - f(-s)) / (2.0 * s) for s in (step, 0.5 * step))
    return np.asarray((4.0 * narrow - wide) / 3.0)


def own_by_differences(problem: Any, number: int) -> tuple[Array, Array]:
    """K and D (nv, nv) of the forces of a body at the present state, which stays."""
    body, state = problem[Bodies].index[number], problem[State]
    n, first = int(body.kind_v), int(body.first_v)
    q, v, h, power = problem.q, problem.v, problem[Bodies].h.copy(), problem[Bodies].power.copy()
    internal = body_kernel("internal", problem.names.kinds[number].internal, problem.names.kinds[number])
    K, D = np.zeros((n, n)), np.zeros((n, n))

    def forces(dq: Array, dv: Array) -> Array:
        problem.move_to(q, dq)
        state.v[:] = v + dv
        problem.call_purpose(PREPARE)
        problem[Bodies].h[first : first + n] = 0.0
        internal.call(number, 1, problem.addresses)
        return np.array(problem[Bodies].h[first : first + n])

    def along(dq: Array, dv: Array, s: float) -> Array:
        return forces(s * dq, s * dv)

    still = np.zeros(len(v))
    for k in range(n):
        e = np.zeros(len(v))
        e[first + k] = 1.0
        K[:, k] = -extrapolated(partial(along, e, still), STEP * problem.names.size)
        D[:, k] = -extrapolated(partial(along, still, e), STEP)
    forces(still, still)
    state.q[:] = q
    problem[Bodies].h[:], problem[Bodies].power[:] = h, power
    return K, D


def geometric_by_differences(problem: Any, marker: Any) -> Array:
    """K (moved, moved) of a marker under its present wrench, at the present state, which stays."""
    tables, state, q = problem[PartTangents], problem[State], problem.q
    first, n = int(tables.jacobian[marker.number]), len(marker.places)
    wrench = problem[Tangents].wrench[marker.number].copy()

    def force(dq: Array, s: float) -> Array:
        problem.move_to(q, s * dq)
        problem.call_purpose(PREPARE)
        problem.call_purpose(LOCATE)
        marker.jacobian.call(marker.number, 1, problem.addresses)
        return np.asarray(wrench @ tables.H[first : first + 6 * n].reshape(6, n))

    K = np.zeros((n, n))
    for k, place in enumerate(marker.places):
        e = np.zeros(problem.nv)
        e[place] = 1.0
        K[:, k] = -extrapolated(partial(force, e), STEP * problem.names.size)
    force(np.zeros(problem.nv), 0.0)
    state.q[:] = q
    return K
