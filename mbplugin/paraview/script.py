"""The script of the first picture of a result: `first_picture.py` with the values of the result."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import StoreError
from mbplugin.results import RawResult
from mbplugin.results.index import INDEX
from mbplugin.results.without_forces import refuse_without_forces
from mbplugin.viz import camera
from mbplugin.viz.forces import usual_force
from mbplugin.viz.motion import Motion

Array = np.ndarray[Any, Any]

#: what ParaView loads
READER = Path(__file__).with_name("mbplugin_reader.py")
PICTURE = Path(__file__).with_name("first_picture.py")
#: lines around the values of a result
HEAD, TAIL = "# ---- this result ----\n", "# ---- its picture ----\n"
#: width over height of the picture that the camera is chosen for
ASPECT = 16 / 9
#: an arrow of the usual force has this part of the size of the scene
LENGTH = 1 / 6


def script_of(raw: RawResult, forces: bool = False) -> str:
    """The text of a script for ParaView that shows a result at the middle of its time.

    forces: whether arrows of the forces are shown at once

    Raises StoreError if no frame can be read, SceneError if there are no forces to show.
    """
    if forces:
        refuse_without_forces(raw)
    points, normal = extent(raw)
    view = camera.fit(points, raw.gravity, ASPECT, normal=normal)
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max())
    folder = raw.path.parent.resolve()
    values = {
        "READER": str(READER),
        "RESULT": str(folder / INDEX),
        "NAME": folder.name or "result",
        "TIME": middle(raw.time),
        "CAMERA": view.position.tolist(),
        "FOCUS": view.focus.tolist(),
        "UP": view.up.tolist(),
        "HALF": [float(view.half * ASPECT), float(view.half)],
        "EXTENT": np.stack([low, high], axis=1).ravel().tolist(),
        "ARROW": arrow(raw, size),
        "CONTACTS_STORED": "contacts" in raw.lists,
        "FORCES": forces,
    }
    before, _, rest = PICTURE.read_text(encoding="utf-8").partition(HEAD)
    given = "".join(f"{name} = {value!r}\n" for name, value in values.items())
    return before + HEAD + given + TAIL + rest.partition(TAIL)[2]


def middle(time: Array) -> float:
    """The time of a frame nearest to the middle, as `mbplugin render` shows it."""
    return float(time[np.argmin(np.abs(time - 0.5 * (time[0] + time[-1])))])


def extent(raw: RawResult) -> tuple[Array, Array | None]:
    """(n, 3) sampled points over the whole run [m], and the normal of a motion that is seen straight. Raises
    StoreError.
    """
    if raw.frames == 0:
        raise StoreError(f"{raw.path}: has no frame yet")
    motion = Motion(raw, raw.static())
    points = motion.points
    if not np.ptp(points, axis=0).any():  # a single point is seen in a cube of 1 m
        points = points[:1] + list(itertools.product((-0.5, 0.5), repeat=3))
    return points, motion.normal


def arrow(raw: RawResult, size: float) -> float:
    """Length of an arrow over its force [m/N]; 0 without forces. size: of the scene [m]"""
    usual = usual_force(raw)
    return LENGTH * size / usual if usual > 0.0 else 0.0
