"""Sums and differences of mass properties."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbplugin.interface import MassProperties
from mbplugin_import.poses import Array, Pose


def to_parent(mass: MassProperties, pose: Pose) -> MassProperties:
    """Mass properties in the frame outside of `pose`."""
    return MassProperties(mass.mass, pose.x + pose.R @ mass.center_of_mass, pose.R @ mass.inertia @ pose.R.T)


def combined(parts: Sequence[MassProperties], signs: Sequence[float] | None = None) -> MassProperties:
    """Sum of `parts` times `signs`, all in one frame. I = Σ Iᵢ + mᵢ (dᵢ·dᵢ 1 − dᵢ dᵢᵀ)."""
    if len(parts) == 1 and signs is None:
        return parts[0]
    signs = signs or [1.0] * len(parts)
    total = sum(s * part.mass for s, part in zip(signs, parts))
    centre = sum((s * part.mass * part.center_of_mass for s, part in zip(signs, parts)), np.zeros(3)) / total
    inertia = np.zeros((3, 3))
    for s, part in zip(signs, parts):
        inertia += s * (part.inertia + part.mass * steiner(part.center_of_mass - centre))
    return MassProperties(float(total), centre, inertia)


def steiner(d: Array) -> Array:
    """(3, 3) d·d 1 − d dᵀ."""
    return float(d @ d) * np.eye(3) - np.outer(d, d)


def is_physical(mass: MassProperties) -> bool:
    """Whether a body can have them: mass and moments positive, no moment above the sum of the others."""
    a, b, c = np.linalg.eigvalsh(mass.inertia)
    return bool(mass.mass > 0.0 and a > 1e-12 * c and c <= (a + b) * (1.0 + 1e-9))
