"""Places of bodies, markers and mass centres in the frames of a result, and a frame seen from a local origin.

The graphics card computes in single precision. So everything is drawn relative to a local origin, which is
near the bodies, and differences are taken in double precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.decoder.deformed import map_of_body, maps_of_bodies
from mbplugin.decoder.drawn import POSES
from mbplugin.decoder.rotation import Array, rotation, with_ground
from mbplugin.errors import SceneError, did_you_mean
from mbplugin.model import System
from mbplugin.results import RawResult
from mbplugin.results.quantities import curves, index_of

NONE = np.zeros(0, np.int64)

#: frame arrays that are shown
SHOWN = (
    *(*POSES, "bodies/center_of_mass", "joints/position", "joints/orientation", "joints/force"),
    *("lines/ends", "forces/wrench", "loads/wrench", "coordinates/value", "bounds/status"),
    "activities/status",
    "outputs/value",
)


def body_origins(frame: Mapping[str, Array]) -> Array:
    """(bodies + 1, 3) origins of the body frames in the world [m]; the last is the ground's."""
    return with_ground(np.asarray(frame["bodies/position"], float), np.zeros(3))


def mass_centres(frame: Mapping[str, Array]) -> Array:
    """(bodies, 3) in the world [m]."""
    return np.asarray(frame["bodies/center_of_mass"], float)


def path_of(raw: RawResult, name: str) -> Array:
    """(frames, 3) positions [m] of a body's mass centre ("arm") or of a marker ("arm.tip"). Raises
    SceneError.
    """
    bodies = raw.names("bodies")
    if name in bodies:
        return np.asarray(raw["bodies/center_of_mass"][:, bodies.index(name)], float)
    owner, _, marker = name.rpartition(".")
    if owner not in bodies:
        index_of(bodies, name, "body", "trace")
    if owner in raw.names("nodes"):
        return np.stack([curve.values for curve in curves(raw, f"body.{name}.position")], axis=1)
    body = System.from_text(str(raw.attributes["scene"]), file=str(raw.path)).bodies[bodies.index(owner)]
    markers = {each.name: each for each in body.markers}
    if marker not in markers:
        mend = did_you_mean(marker, list(markers)) or f"; it has {', '.join(map(str, markers)) or 'none'}"
        raise SceneError("trace", name, f'"{owner}" has no such marker{mend}')
    A = map_of_body(raw, bodies.index(owner))
    origin = np.asarray(raw["bodies/position"][:, bodies.index(owner)], float)
    return origin + A @ np.asarray(markers[marker].position, float)


class Snapshot:
    """One frame, relative to a local origin.

    index, time: of the frame
    frame:       its arrays, in the world
    origin:      (3,) local origin in the world [m]
    rotation:    (bodies + 1, 3, 3) body to world axes; the last is the ground's
    maps:        (bodies + 1, 3, 3) the same, of bodies that deform homogeneously the deformation gradient
    place:       (bodies + 1, 3) origins of the body frames, local [m]
    """

    def __init__(self, index: int, frame: Mapping[str, Array], origin: Array, deformed: Array = NONE) -> None:
        """deformed: bodies that deform homogeneously."""
        self.index, self.frame, self.origin = index, frame, origin
        self.time = float(frame["time"])
        self.rotation = with_ground(rotation(frame["bodies/orientation"]), np.eye(3))
        self.maps = self.rotation
        if len(deformed):
            self.maps = with_ground(maps_of_bodies(frame, deformed), np.eye(3))
        self.place = body_origins(frame) - origin

    def local(self, points: Any) -> Array:
        """World points relative to the local origin [m]."""
        return np.asarray(points, float) - self.origin

    def pose(self, body: int, at: Array) -> Array:
        """(4, 4) to local coordinates from the axes of a body (-1: the ground), which deform with it, at the
        point `at` (3,) of its frame.
        """
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = self.maps[body], self.place[body] + self.maps[body] @ at
        return matrix
