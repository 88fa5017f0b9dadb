"""Triangles of primitives of unit size, as data: importing trimesh, which made them, takes 0.4 s.

`primitives.npz` holds what `trimesh.creation` gives for `box([1, 1, 1])`, `icosphere(subdivisions=2,
radius=1)`, `cylinder(1, 1, sections=32)` and `capsule(1, 1, count=(32, 16))`; tests compare them.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

#: points (n, 3) [m] and triangles (m, 3), counter-clockwise seen from outside
Triangles = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


@functools.cache
def unit_primitive(name: str) -> Triangles:
    """Points and triangles of "box", "sphere", "cylinder" or "capsule"; the cylindrical axis is z."""
    with np.load(Path(__file__).with_name("primitives.npz")) as arrays:
        return arrays[f"{name}_points"], arrays[f"{name}_triangles"].astype(np.int64)
