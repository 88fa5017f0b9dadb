"""The plane of a motion that is seen straight: without gravity, or level.

A motion is planar with the normal n if no mass centre moves along n and no body turns about another axis.
"""

from __future__ import annotations

import numpy as np

from mbplugin.decoder.rotation import Array

#: displacement along the normal in the largest one, and change of a unit vector, that are rounding
ROUNDING = 1e-6
#: extent along the normal, in the second largest one, of what is flat
FLAT = 0.5


def plane_of_motion(places: Array, turns: Array, points: Array, up: Array, gravity: bool) -> Array | None:
    """(3,) the normal of a flat planar motion, None of other ones. With gravity only if it is `up`, and no
    other plane serves as well.

    places: (samples, bodies, 3) of mass centres [m]
    turns:  (samples, bodies, 3, 3) rotations
    points: (n, 3) of everything [m]
    """
    moved = (places - places[:1]).reshape(-1, 3)
    turned, spread = turns - turns[:1], np.ptp(points, axis=0)
    if not (np.isfinite(moved).all() and np.isfinite(turned).all()):
        return None
    moves = np.abs(moved).max(initial=0.0) > ROUNDING * spread.max()
    if not moves and np.abs(turned).max(initial=0.0) <= ROUNDING:
        return None
    normals = [normal for normal in candidates(moved) if is_planar(normal, moved, turned)]
    if not normals or (gravity and (len(normals) > 1 or abs(normals[0] @ up) < 0.999)):
        return None
    along = [float(np.ptp(points @ normal)) for normal in normals]
    thinnest = int(np.argmin(along))
    return normals[thinnest] if along[thinnest] < FLAT * np.sort(spread)[1] else None


def candidates(moved: Array) -> list[Array]:
    """The world axes, and the normal of displacements (n, 3) that are in another plane."""
    axes = list(np.eye(3))
    _, sizes, directions = np.linalg.svd(moved.T @ moved)
    last = directions[2]
    oblique = sizes[1] > 1e-6 * sizes[0] and np.abs(last).max() < 1.0 - ROUNDING
    return [*axes, last] if oblique else axes


def is_planar(normal: Array, moved: Array, turned: Array) -> bool:
    """Whether displacements (n, 3) and changes of rotation matrices (..., 3, 3) leave a normal as it is."""
    along, size = float(np.abs(moved @ normal).max(initial=0.0)), float(np.abs(moved).max(initial=0.0))
    return along <= ROUNDING * size and float(np.abs(turned @ normal).max(initial=0.0)) <= ROUNDING
