"""`mesh.mbplugin` on what `pyvista.read("out/result.mbr")` gives: names, and one body out of all. Found by
PyVista through an entry point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyvista as pv

from mbplugin.errors import did_you_mean


@pv.register_dataset_accessor("mbplugin", pv.PolyData)
class Bodies:
    """The bodies of a mesh that came from a result."""

    def __init__(self, mesh: Any) -> None:
        self._mesh = mesh

    @property
    def names(self) -> list[str]:
        """Names of the bodies, or of the joints. Raises AttributeError for another mesh."""
        if "name" not in self._mesh.field_data:
            raise AttributeError("this mesh is not from a result of mbplugin")
        return [str(name) for name in self._mesh.field_data["name"]]

    def index(self, name: str) -> int:
        """Raises KeyError with the nearest names."""
        if name not in self.names:
            raise KeyError(f'there is no "{name}"{did_you_mean(name, self.names)}')
        return self.names.index(name)

    def body(self, name: str) -> Any:
        """The cells of one body."""
        number = self.index(name)
        return self._mesh.extract_cells(
            np.flatnonzero(self._mesh.cell_data["body"] == number)
        ).extract_surface(algorithm="dataset_surface")
