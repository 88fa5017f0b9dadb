"""The frame of each contact, and the parts of its force in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rotation import Array

#: what follows from normal and force: name -> (components, unit, meaning)
DERIVED: dict[str, tuple[int, str, str]] = {
    "normal_force": (0, "N", "size of the normal part of the force"),
    "friction_force": (3, "N", "part of the force across the normal, on b, world"),
    "tangent_1": (3, "1", "second axis of the contact frame, world"),
    "tangent_2": (3, "1", "third axis of the contact frame, world"),
    "local_force": (3, "N", "on b along normal, tangent_1 and tangent_2"),
}


#: of a force that counts as downwards, in its size, so that level forces do not change sides by rounding
DOWNWARDS = 0.02


def supporting_forces(force: Array, gravity: Any) -> Array:
    """(n, 3) of each contact the force on the body that it pushes upwards: that on b (n, 3), or its reaction
    on a. gravity: (3,)
    """
    gravity = np.asarray(gravity, float)
    down = force @ (gravity / max(float(np.linalg.norm(gravity)), 1e-300))
    return np.where((down > DOWNWARDS * np.linalg.norm(force, axis=1))[:, None], -force, force)


def tangents(normal: Array) -> tuple[Array, Array]:
    """(n, 3) twice: unit vectors that make a right-handed orthonormal frame with unit normals (n, 3).

    T. Duff et al., J. Comput. Graph. Tech. 6 (2017) 1-8
    """
    x, y, z = np.asarray(normal, float).T
    sign = np.where(z >= 0.0, 1.0, -1.0)
    a = -1.0 / (sign + z)
    b = x * y * a
    first = np.stack([1.0 + sign * x * x * a, sign * b, -sign * x], axis=1)
    return first, np.stack([b, sign + y * y * a, -y], axis=1)


def derived(normal: Array, force: Array) -> dict[str, Array]:
    """`DERIVED` of n contacts from unit normals and forces on b (n, 3) each, world axes [N]."""
    first, second = tangents(normal)
    local = np.stack([(force * axis).sum(axis=1) for axis in (normal, first, second)], axis=1)
    friction = local[:, 1, None] * first + local[:, 2, None] * second
    return {
        "normal_force": local[:, 0],
        "friction_force": friction,
        "tangent_1": first,
        "tangent_2": second,
        "local_force": local,
    }
