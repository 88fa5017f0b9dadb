"""The longest steps with which an explicit solver keeps the vibrations of bodies that deform from growing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.model import Body, System

#: growth of a vibration in a step up to which it counts as none; rounding, and methods that drift slowly
GROWTH = 1.01
#: how many times shorter damping may make the stable step without a warning
SHORTENED = 10.0
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
) -> tuple[list[str], list[str]]:
    """Sentences on the stable step of each body that deforms, and warnings of damping that makes it short.
    Raises SceneError if a fixed one is longer.
    """
    lines, warnings = [], []
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
        shorter = stable_step(kind, params, chosen, frequency, 0.0) / limit
        if shorter > SHORTENED:
            warnings.append(damped_steps(system, body, limit, shorter))
    return lines, warnings


def damped_steps(system: System, body: Body, limit: float, shorter: float) -> str:
    """A warning of a stiffness-proportional damping that makes the stable step so many times shorter."""
    frequency, damping = body.vibration
    return (
        f'body "{body.name}": its stiffness-proportional damping, {damping:g} s, limits steps to '
        f"{limit:.3g} s, {shorter:.2g} times shorter than without it: at least "
        f"{system.solver.end / limit:.2g} steps to the end; {2.0 / frequency:.2g} s is critical at "
        "its highest frequency"
    )
