"""The surfaces of all bodies in one file for each frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.export.geometry import Geometry
from mbplugin.export.vtp import PolyDataFile


class Surface:
    """The merged surfaces of `static` (see `ResultWriter`).

    Point arrays `velocity` [m/s], `Normals` (sharp edges stay sharp) and `color`; cell arrays `body` (-1: the
    ground) and `body_name`; field data `names` of the bodies.
    """

    def __init__(self, static: Mapping[str, Any]) -> None:
        self.geometry = geometry = Geometry(static, smooth=True)
        names = [*static["bodies/name"], "ground"]
        self.file = PolyDataFile(
            len(geometry),
            vertices=geometry.vertices,
            triangles=geometry.triangles,
            varying={"velocity": (3, np.float32), "Normals": (3, np.float32)},
            point_data={"color": geometry.colours},
            cell_data={"body": geometry.body},
            cell_texts={"body_name": [names[body] for body in geometry.body]},
            strings={"names": static["bodies/name"]},
            units={"velocity": "m/s"},
        )

    def frame(self, t: float, frame: Mapping[str, np.ndarray]) -> bytes:
        """The file of one frame of time `t` [s]."""
        points, velocity = self.geometry.at(frame)
        return self.file.frame(t, points, {"velocity": velocity, "Normals": self.geometry.normals_at(frame)})
