"""The error norm of a step, relative to the tolerance."""

from __future__ import annotations

from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import State, Step, Trees


@internal
def error_norm(tables, eq, ev, ea):
    """Largest |error| / (tolerance (floor + |y|)) over coordinates (eq), velocities (ev) and auxiliary states
    (ea) of a step whose end is in the tables.

    Below the floor (0.01 of the mechanism's size, or 0.01 for auxiliary states) errors are absolute. The two
    energies among the auxiliary states are excluded. Each array may hold a second estimate of lower order
    after the first; they are combined as in DOP853 (Hairer, Norsett & Wanner, section II.10).
    """
    state, step = view(tables, State), view(tables, Step)
    record = step.record[0]
    floor = 0.01 * record.length_scale
    momenta, states = view(tables, Trees).momentum, state.aux.shape[0]
    if momenta.shape[0] > 0:
        # the last of the states; their errors are those of v, but for what constraints do not let move
        states = momenta[0]
    a = largest_error(eq, floor, record.tolerance, step.q0, state.q, 0, state.q.shape[0])
    b = largest_error(ev, floor, record.tolerance, step.v0, state.v, 0, state.v.shape[0])
    c = largest_error(ea, 0.01, record.tolerance, step.aux0, state.aux, 2, states)
    if not a <= 1e300 or not b <= 1e300 or not c <= 1e300:
        return 1e300
    return max(a, max(b, c))


@internal
def largest_error(error, floor, tolerance, y0, y1, first, end):
    """Largest error of one part of the state, from component `first` to `end`."""
    n = y0.shape[0]
    two = error.shape[0] > n
    worst = 0.0
    for k in range(first, end):
        scale = tolerance * (floor + max(abs(y0[k]), abs(y1[k])))
        s = abs(error[k]) / scale
        if two and s > 0.0:
            # s² / √(s² + s₃² / 100), without squares that underflow at rest
            ratio = 0.1 * (abs(error[n + k]) / scale) / s
            s /= (1.0 + ratio * ratio) ** 0.5
        if not s <= worst:
            worst = s
    return worst
