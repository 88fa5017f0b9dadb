"""Results of formats 1 and 2 in the meaning of format 3.

There position, velocity and acceleration of a body were those of its mass centre, whose place in the body
frame was called `bodies/center_of_mass`. Either body of a contact could be the ground (`contact_ends.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mbplugin.results import layout
from mbplugin.results.layout import Array
from mbplugin.results.rotation import rotation

Read = Callable[[str], np.ndarray[Any, Any]]

#: array of format 3 -> that of format 2 which has its numbers
STORED = {
    "bodies/center_of_mass": "bodies/position",
    "bodies/center_of_mass_velocity": "bodies/velocity",
    "bodies/local_center_of_mass": "bodies/center_of_mass",
}
LOCAL = STORED["bodies/local_center_of_mass"]


def static_array(key: str) -> Array:
    """The description of the static array `key` as it is stored. Raises KeyError if there is none."""
    return layout.static_array("bodies/local_center_of_mass" if key == LOCAL else key)


def keys(stored: Iterable[str]) -> list[str]:
    """The keys of stored frame arrays, with those that follow from them."""
    stored = list(stored)
    return [*stored, *(key for key, of in STORED.items() if of in stored and of != LOCAL)]


def static_keys(stored: Iterable[str]) -> list[str]:
    """The keys of stored static arrays in format 3."""
    return ["bodies/local_center_of_mass" if key == LOCAL else key for key in stored]


def values(read: Read, key: str) -> np.ndarray[Any, Any]:
    """The array `key` of format 3. read: a stored array by its key, always of the same frames."""
    found = read(STORED.get(key, key))
    if key not in ("bodies/position", "bodies/velocity", "bodies/acceleration"):
        return found
    r = -np.einsum("...ij,...j->...i", rotation(read("bodies/orientation")), read(LOCAL))
    if key == "bodies/position":
        return found + r
    w = read("bodies/angular_velocity")
    if key == "bodies/velocity":
        return found + np.cross(w, r)
    return found + np.cross(read("bodies/angular_acceleration"), r) + np.cross(w, np.cross(w, r))
