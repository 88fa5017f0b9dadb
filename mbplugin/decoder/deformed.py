"""Places of points of bodies, also of those that deform homogeneously: at position + A s.

A is the rotation of a rigid body, and the deformation gradient F of one that deforms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .rotation import Array, rotation

#: frame arrays that tell where points of bodies are, with those that only some results have
GRADIENT, RATE = "deformations/gradient", "deformations/rate"


def maps_of_bodies(frame: Mapping[str, Array], deformed: Array) -> Array:
    """(bodies, 3, 3) A of all bodies in a frame; deformed: `deformations/body`, or none."""
    A = rotation(frame["bodies/orientation"])
    if len(deformed):
        A[deformed] = np.asarray(frame[GRADIENT]).reshape(-1, 3, 3)
    return A


def map_of_body(raw: Any, k: int) -> Array:
    """(frames, 3, 3) A of body k of a result."""
    name, deformed = raw.names("bodies")[k], raw.names("deformations")
    if name in deformed:
        return np.asarray(raw[GRADIENT][:, deformed.index(name)].reshape(-1, 3, 3))
    return rotation(raw["bodies/orientation"][:, k])


def bodies_that_deform(static: Mapping[str, Any]) -> Array:
    """(deformations,) their numbers, from the static arrays of a result; none of rigid scenes."""
    return np.asarray(static.get("deformations/body", ()), np.int64)
