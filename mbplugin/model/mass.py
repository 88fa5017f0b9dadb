"""Mass properties: mass, mass centre and inertia, and their sum over several bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class MassProperties(NamedTuple):
    """Mass properties, expressed in some frame."""

    mass: float  # [kg]
    center_of_mass: Array  # (3,) in the frame [m]
    inertia: Array  # (3, 3) about the mass centre, in the frame's axes [kg·m²]


def to_parent(properties: MassProperties, R: Array, p: Array) -> MassProperties:
    """`properties` expressed in the parent frame, where the frame has axes R (3, 3) and origin p (3,)."""
    mass, c, inertia = properties
    return MassProperties(mass, p + R @ c, R @ inertia @ R.T)


def combined(parts: Sequence[MassProperties]) -> MassProperties:
    """Sum over `parts`, all in one frame. Parallel-axis theorem: I = Σ Iᵢ + mᵢ (dᵢ·dᵢ 1 − dᵢ dᵢᵀ)."""
    mass = sum(part.mass for part in parts)
    center = sum((part.mass * part.center_of_mass for part in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        d = part.center_of_mass - center
        inertia += part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return MassProperties(float(mass), center, inertia)
