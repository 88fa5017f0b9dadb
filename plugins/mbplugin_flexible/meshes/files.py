"""Reads meshes from files, in metres, with sets of nodes and faces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mbplugin.errors import SceneError, errors_at
from mbplugin.interface import path_in_folder
from mbplugin_flexible.meshes.abaqus import read_abaqus
from mbplugin_flexible.meshes.build import mesh_of
from mbplugin_flexible.meshes.by_meshio import read_gmsh, read_med, read_nastran
from mbplugin_flexible.meshes.checks import check_mesh, coincident
from mbplugin_flexible.meshes.mesh import Mesh
from mbplugin_flexible.meshes.vtu import read_vtu

#: what reads a file, by its ending
READERS = {".vtu": read_vtu, ".msh": read_gmsh, ".inp": read_abaqus, ".med": read_med, ".bdf": read_nastran}
#: formats that number elements as mirror images of those of VTK
MIRRORED = (".med",)
OPEN = "pairs of nodes are at the same place and not joined, so the mesh is open between them"


def read_mesh(folder: Path | None, file: str, scale: float = 1.0, key: str = "file") -> Mesh:
    """The mesh of a file, checked. Raises SceneError at the key, MissingLibraryError.

    folder: of the scene; file: path inside it and relative to it; scale: metres in a unit of the file
    """
    with errors_at(key, file):
        path = path_in_folder(folder, file, tuple(READERS), "a .vtu, .msh, .inp, .med or .bdf file")
        suffix = path.suffix.lower()
        try:
            content = READERS[suffix](path)
        except OSError as error:
            raise SceneError(mend=f"cannot be read: {error.strerror or error}") from None
        mesh = mesh_of(content, scale, suffix in MIRRORED)
        check_mesh(mesh)
    pairs = len(coincident(mesh))
    return replace(mesh, remarks=(*mesh.remarks, f"{pairs} {OPEN}")) if pairs else mesh
