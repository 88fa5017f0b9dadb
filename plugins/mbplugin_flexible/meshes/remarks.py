"""Remarks on meshes that are valid and may not be meant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbplugin_flexible.meshes.mesh import Mesh

STIFF = (
    "linear tetrahedra (tet4) are too stiff, in bending by far; use tet10 or hexahedra, or a fine mesh whose "
    "refinement no longer changes the result"
)
#: a mesh without `scale` gets a remark if it is so many times as large as everything else, or larger than so
#: many metres where nothing else has a size
RATIO, METRES = 100.0, 300.0


def remark_on_size(mesh: Mesh, file: str, rest: float = 0.0) -> Sequence[str]:
    """A sentence on a file that seems to be in millimetres, for a mesh that was read without `scale`.

    rest: extent of everything else in the scene [m]; 0 if nothing has a size
    """
    size = float(np.ptp(mesh.points, axis=0).max())
    if size <= (RATIO * rest if rest > 0.0 else METRES):
        return ()
    other = f"everything else is within {rest:.3g} m" if rest > 0.0 else "a body of this size is rare"
    return (
        f'the mesh "{file}" is {size:.4g} m large, but {other}; if the file is in millimetres, add '
        "scale = 0.001 (scale = 1 says that it is in metres)",
    )
