"""Forces along measures, and their two ends."""

from __future__ import annotations

from typing import Any

from mbplugin.errors import SceneError
from mbplugin.interface import jit

#: distance, relative to the positions, up to which two points coincide
ROUNDING_OF_POSITIONS = 1e-15


def refuse_coincident(markers: Any, key: str, value: Any, or_else: str = "") -> None:
    """Raises SceneError at `key` where two markers, (x, R) of each, coincide: their line has no direction.

    or_else: a further way to mend it
    """
    (xa, _), (xb, _) = markers
    size = float(abs(xa).sum() + abs(xb).sum())
    if float(((xb - xa) ** 2).sum() ** 0.5) <= ROUNDING_OF_POSITIONS * size:
        mend = (
            "its markers coincide at t = 0, so that their line has no direction; move them apart, or name "
            f"other markers: `at` is one point for both ends{or_else}"
        )
        raise SceneError(key, value, mend)


@jit
def along(J, f, wrench):
    """Write the wrenches Jᵀ f of a force f along a measure with the Jacobian J."""
    for m in range(wrench.shape[0]):
        for k in range(6):
            wrench[m, k] = f * J[6 * m + k]
