"""The longest steps with which an explicit solver keeps the vibrations of bodies that deform from growing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.model import System

#: growth of a vibration in a step up to which it counts as none; rounding, and methods that drift slowly
GROWTH = 1.01
#: bisections of the limit
HALVINGS = 50


def stable_step(kind: Any, params: Any, chosen: Mapping[str, Any], frequency: float, damping: float) -> float:
    """The longest step [s] that is stable for an oscillator of this frequency [rad/s], with this
    stiffness-proportional damping [s]; infinite for a solver that does not say how it grows.
    """
    A = np.array([[0.0, 1.0], [-(frequency**2), -damping * frequency**2]])
    size = np.diag([1.0, 1.0 / frequency])  # positions and velocities of the same size
    grows = lambda h: kind.growth(params, chosen, size @ A @ np.linalg.inv(size) * h)
    if grows(1e-3 / frequency) is None:
        return np.inf
    low, high = 1e-6 / frequency, 100.0 / frequency
    for _ in range(HALVINGS):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if grows(middle) <= GROWTH else (low, middle)
    return float(low)


def check_step(
    system: System, kind: Any, params: Any, chosen: Mapping[str, Any], step: float | None
) -> list[str]:
    """Sentences on the stable step of each body that deforms. Raises SceneError if a fixed one is longer."""
    lines = []
    for body in system.bodies:
        frequency, damping = body.vibration
        if not frequency:
            continue
        limit = stable_step(kind, params, chosen, frequency, damping)
        if not np.isfinite(limit):
            continue
        fastest = f"its highest frequency is at most {frequency:.4g} rad/s"
        if step is not None and step > limit:
            mend = (
                f'is too long for the body "{body.name}": {fastest}, and steps above {limit:.3g} s are '
                "unstable; take a shorter step, a coarser mesh, or a softer or denser material"
            )
            raise SceneError("step", step, mend)
        lines.append(f'body "{body.name}": {fastest}, so that steps up to {limit:.3g} s are stable')
    return lines
