"""The estimate of a step's error, from the embedded methods.

Of a careful step it is the difference of the projected solutions, free of what the projection removes.
"""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.kernels.projection import keep_free_part
from mbplugin.kernels.view import view
from mbplugin.tables.groups import State
from mbplugin_lagrange.places import CAREFUL, SIZE, TOLERANCE
from mbplugin_lagrange.stages import onto_constraints, solution
from mbplugin_lagrange.store import copy


@internal
def estimate(tables, store, b, e, h, eq, ev, ex):
    """The error of the step by one embedded method into eq, ev, ex. Returns a status.

    In a careful step q and v of the embedded solution are left there, projected, and `finish` is followed by
    `compare`.
    """
    weigh(store.kq, e, h, eq)
    weigh(store.kv, e, h, ev)
    weigh(store.kx, e, h, ex)
    if store.count[CAREFUL] == 0:
        return 0
    state = view(tables, State)
    solution(tables, store, b, h)
    subtract(state.q, eq, state.q)
    subtract(state.v, ev, state.v)
    status, _ = onto_constraints(tables, store)
    copy(state.q, eq)
    copy(state.v, ev)
    return status


@internal
def compare(tables, eq, ev):
    """The difference of the projected solution in the tables from the embedded one. Returns a status."""
    state = view(tables, State)
    subtract(state.q, eq, eq)
    subtract(state.v, ev, ev)
    return keep_free_part(tables, ev)


@internal
def error_norm(tables, store, both):
    """Largest scaled error over coordinates, velocities and inner states. Below a hundredth of the
    mechanism's size (or of 1) errors are absolute.
    """
    state = view(tables, State)
    tolerance = store.number[TOLERANCE]
    floor = 0.01 * store.number[SIZE]
    a = part_error(store.eq, floor, tolerance, both, store.q0, state.q, 0)
    b = part_error(store.ev, floor, tolerance, both, store.v0, state.v, 0)
    c = part_error(store.ex, 0.01, tolerance, both, store.x0, state.aux, 2)
    if not a <= 1e300 or not b <= 1e300 or not c <= 1e300:
        return 1e300
    return max(a, max(b, c))


@internal
def part_error(error, floor, tolerance, both, y0, y1, first):
    """Largest |error| / (tolerance (floor + |y|)) of one part of the state; with two estimates, Hairer's
    combination of them.
    """
    worst = 0.0
    for n in range(first, y0.shape[0]):
        scale = tolerance * (floor + max(abs(y0[n]), abs(y1[n])))
        s = abs(error[0, n]) / scale
        if both and s > 0.0:
            s3 = abs(error[1, n]) / scale
            s = s * s / (s * s + 0.01 * s3 * s3) ** 0.5
        if not s <= worst:
            worst = s
    return worst


@internal
def weigh(k, e, h, error):
    """error = h Σ e_i k_i."""
    for n in range(k.shape[1]):
        s = 0.0
        for i in range(e.shape[0]):
            s += e[i] * k[i, n]
        error[n] = h * s


@internal
def subtract(a, b, difference):
    for n in range(a.shape[0]):
        difference[n] = a[n] - b[n]
