"""A derivative by central differences at steps that are halved, extrapolated to the step 0 (Ridders).

Of all extrapolations, each entry takes the one with the smallest change against its neighbours. If one is
not accurate, as where a function has a kink nearer than the last step, a further series goes on with smaller
steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbplugin.tables.spec import Array

#: how often the step is halved in a series, and how many series there are at most
HALVINGS, SERIES = 7, 3
#: change of an extrapolation, relative to it, below which it is accurate; rounding of the largest value
ACCURATE, ROUNDING_OF_VALUES = 1e-7, 1e-14


def derivative(f: Callable[[float], Array], step: float) -> Array:
    """df/ds at s = 0, entry by entry; the first difference is between −step and step."""
    best = error = np.zeros(0)
    last: list[Array] = []
    for i in range(SERIES * HALVINGS):
        s = step * 0.5**i
        ahead, behind = f(s), f(-s)
        line = [(ahead - behind) / (2.0 * s)]
        for j in range(1, 1 + i % HALVINGS):
            line.append(line[j - 1] + (line[j - 1] - last[j - 1]) / (4.0**j - 1.0))
        if i == 0:
            best, error = line[0], np.full(line[0].shape, np.inf)
        for j in range(1, len(line)):
            change = np.maximum(np.abs(line[j] - line[j - 1]), np.abs(line[j] - last[j - 1]))
            change = np.where(np.isfinite(change), change, np.inf)
            better = change < error
            best, error = np.where(better, line[j], best), np.where(better, change, error)
        last = line
        rounding = ROUNDING_OF_VALUES * np.abs([ahead, behind]).max(initial=0.0) / s
        if (i + 1) % HALVINGS == 0 and (error <= np.maximum(ACCURATE * np.abs(best), rounding)).all():
            break
    return best
