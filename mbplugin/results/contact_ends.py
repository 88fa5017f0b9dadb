"""Sides of contacts in results: the ground is always body a, and the normal points to b, on which the force
acts. A solver may have the ground on either side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Read = Callable[[str], np.ndarray[Any, Any]]

#: arrays of a contact that change places with those of the other body
ENDS = {"body_a": "body_b", "point_a": "point", "shape_a": "shape_b", "material_a": "material_b"}
ENDS |= {other: one for one, other in ENDS.items()}
#: those that change their sign
OPPOSITE = ("normal", "impulse", "force", "velocity_before", "velocity_after")


def ground_first(read: Read, array: str) -> np.ndarray[Any, Any]:
    """An array of the list of contacts with the ground as body a. read: a stored array by its name, always of
    the same entries.
    """
    found, turned = read(array), read("body_b") < 0
    if not turned.any():
        return found
    column = turned.reshape(-1, *[1] * (found.ndim - 1))
    if array in ENDS:
        return np.where(column, read(ENDS[array]), found)
    if array == "angular_impulse":
        # from the point of one body to that of the other where the contact was found
        gap = read("gap")[:, None] * read("normal")
        return np.where(column, -found - np.cross(gap, read("impulse")), found)
    return np.where(column, -found, found) if array in OPPOSITE else found
