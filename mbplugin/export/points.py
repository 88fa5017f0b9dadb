"""All bodies as points for glyphs: one point for each shape, and each mesh once in a file of its own.

A program places the mesh `mesh` of `shapes.vtm` at each point, scaled by `scale`, rotated by `orientation`.
A body without a shape is a point of scale 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.decoder.drawn import Drawn
from mbplugin.errors import StoreError
from mbplugin.export.geometry import with_normals
from mbplugin.export.vtp import PolyDataFile
from mbplugin.results.files import replace_file
from mbplugin.results.store import reason

#: point arrays that change with each frame: (components, type)
MOVING: dict[str, tuple[int, type]] = {"velocity": (3, np.float32), "orientation": (4, np.float32)}


class Points:
    """The points of `static` (see `ResultWriter`): shapes in their order, then bodies without one."""

    def __init__(self, static: Mapping[str, Any]) -> None:
        self.drawn = drawn = Drawn(static)
        bare = drawn.bare
        n = len(drawn) + len(bare)
        owner = np.concatenate([drawn.body, bare])
        self.file = PolyDataFile(
            n,
            vertices=np.arange(n, dtype=np.int32),
            varying=MOVING,
            point_data={
                "body": owner.astype(np.int32),
                "mesh": np.concatenate([drawn.mesh, np.zeros(len(bare))]).astype(np.int32),
                "scale": np.concatenate([drawn.scale, np.zeros((len(bare), 3))]).astype(np.float32),
                "color": np.concatenate([drawn.colours(), np.zeros((len(bare), 3), np.uint8)]),
            },
            texts={"body_name": [[*static["bodies/name"], "ground"][body] for body in owner]},
            strings={"names": static["bodies/name"]},
            units={"velocity": "m/s"},
            packed=True,
        )

    def frame(self, t: float, frame: Mapping[str, np.ndarray]) -> bytes:
        """The file of one frame of time `t` [s]."""
        drawn, bare = self.drawn, self.drawn.bare
        places, turns = drawn.places(frame)
        points = np.concatenate([places, frame["bodies/center_of_mass"][bare]])
        arrays = {
            "velocity": np.concatenate(
                [drawn.velocities(frame), frame["bodies/center_of_mass_velocity"][bare]]
            ),
            "orientation": np.concatenate([turns, frame["bodies/orientation"][bare]]),
        }
        return self.file.frame(t, points, arrays)

    def write_meshes(self, folder: Path) -> None:
        """Write `shapes.vtm` and `shapes/mesh_0.vtp`, ... Raises StoreError."""
        index = folder / "shapes.vtm"
        # a program that reads the table needs one mesh at least
        meshes = self.drawn.meshes or [(np.zeros((1, 3)), np.zeros((0, 3), np.int64))]
        try:
            (folder / "shapes").mkdir(parents=True, exist_ok=True)
            lines = []
            for k, (points, triangles) in enumerate(meshes):
                name = f"shapes/mesh_{k}.vtp"
                points, triangles, normals = with_normals(points, triangles)
                triangles, of_normals = triangles.astype(np.int32), {"Normals": (3, np.float32)}
                file = PolyDataFile(len(points), triangles=triangles, varying=of_normals)
                data = file.frame(0.0, points, {"Normals": normals})
                replace_file(folder / name, data, folder / "shapes/.mesh.part")
                lines.append(f'<DataSet index="{k}" name="mesh {k}" file="{escape(name)}"/>')
            text = "\n".join(
                [
                    '<?xml version="1.0"?>',
                    '<VTKFile type="vtkMultiBlockDataSet" version="1.0" byte_order="LittleEndian">',
                    "<vtkMultiBlockDataSet>",
                    *lines,
                    "</vtkMultiBlockDataSet>",
                    "</VTKFile>\n",
                ]
            )
            replace_file(index, text.encode(), folder / ".shapes.vtm.part")
        except OSError as error:
            raise StoreError(f"{index}: cannot be written: {reason(error)}") from None
