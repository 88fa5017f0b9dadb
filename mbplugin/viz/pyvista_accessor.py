"""`mesh.mbplugin` on meshes of `pyvista.read("out/result.mbr")`: names, and the cells of one body.

PyVista finds this module through an entry point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyvista as pv

from mbplugin.errors import did_you_mean


@pv.register_dataset_accessor("mbplugin", pv.PolyData)
class Bodies:
    """The bodies of a mesh that was read from a result."""

    def __init__(self, mesh: Any) -> None:
        self._mesh = mesh

    @property
    def names(self) -> list[str]:
        """Names of the bodies, joints or lines. Raises AttributeError if the mesh has none."""
        if "names" not in self._mesh.field_data:
            raise AttributeError("this mesh is none of the bodies, joints or lines of a result of mbplugin")
        return [str(name) for name in self._mesh.field_data["names"]]

    def index(self, name: str) -> int:
        """Number of a body, joint or line. Raises KeyError with the nearest name."""
        if name not in self.names:
            raise KeyError(f'the mesh has no "{name}"{did_you_mean(name, self.names)}')
        return self.names.index(name)

    def body(self, name: str) -> Any:
        """The cells of one body as PolyData. Raises KeyError."""
        number = self.index(name)
        return self._mesh.extract_cells(
            np.flatnonzero(self._mesh.cell_data["body"] == number)
        ).extract_surface(algorithm="dataset_surface")
