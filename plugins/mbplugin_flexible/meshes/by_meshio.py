"""Content of files that meshio reads, with the sets that each format has."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import MissingLibraryError, SceneError, listed, one_line
from mbplugin.interface import optional_library
from mbplugin_flexible.meshes.build import unscaled
from mbplugin_flexible.meshes.content import Content


def read_gmsh(path: Path) -> Content:
    """A .msh file of gmsh: physical groups are sets; one without a name is `physical_TAG`. Raises
    SceneError.
    """
    mesh = read(path, "gmsh")
    content = content_of(mesh)
    for name, parts in mesh.cell_sets.items():
        if name != "gmsh:bounding_entities":
            for block, cells in enumerate(parts):
                content.add_cells(name, block, np.asarray(cells, int))
    names = {(int(tag), int(dimension)): name for name, (tag, dimension) in mesh.field_data.items()}
    for block, tags in enumerate(mesh.cell_data.get("gmsh:physical", ())):
        dimension = dimension_of(content.blocks[block][0])
        for tag in np.unique(tags).tolist():
            if tag:
                name = names.get((tag, dimension), f"physical_{tag}")
                content.add_cells(name, block, np.flatnonzero(tags == tag))
    return content


def dimension_of(cell: str) -> int:
    """Dimension of a type of cells: 0 for points to 3 for volumes."""
    for dimension, beginnings in enumerate((("vertex",), ("line",), ("triangle", "quad"))):
        if cell.startswith(beginnings):
            return dimension
    return 3


def read_med(path: Path) -> Content:
    """A .med file: groups of nodes and of cells are sets. Raises SceneError, MissingLibraryError."""
    optional_library("h5py", "a .med file")
    mesh = read(path, "med")
    content = content_of(mesh)
    families = mesh.point_data.get("point_tags")
    for number, groups in mesh.point_tags.items():
        for group in groups:
            content.add_nodes(group_name(group), np.flatnonzero(families == number))
    for block, of_block in enumerate(mesh.cell_data.get("cell_tags", ())):
        for number, groups in mesh.cell_tags.items():
            for group in groups:
                content.add_cells(group_name(group), block, np.flatnonzero(of_block == number))
    return content


def group_name(text: str) -> str:
    return text.replace("\0", "").strip()


def read_nastran(path: Path) -> Content:
    """A .bdf file: cells of the property PID are the set `pid_PID`. Raises SceneError."""
    mesh = read(path, "nastran")
    systems = mesh.point_data.get("nastran:ref", np.zeros(0, int))
    if np.any(systems):
        number = systems[systems != 0][0]
        mend = f"has GRID points in the coordinate system {number}; write them in the basic one"
        raise SceneError(mend=mend)
    content = content_of(mesh)
    for block, properties in enumerate(mesh.cell_data.get("nastran:ref", ())):
        for pid in np.unique(properties).tolist():
            content.add_cells(f"pid_{pid}", block, np.flatnonzero(properties == pid))
    return content


def content_of(mesh: Any) -> Content:
    """Points and cells of a mesh of meshio."""
    blocks = [
        (block.type, np.asarray(block.data, int)) for block in mesh.cells if not block.type.startswith("poly")
    ]
    if len(blocks) < len(mesh.cells):
        others = listed(sorted({block.type for block in mesh.cells if block.type.startswith("poly")}))
        raise SceneError(mend=f"has cells of the type {others}, which have any number of nodes")
    return Content(unscaled(np.asarray(mesh.points)), blocks, remarks=list(getattr(mesh, "said", ())))


def read(path: Path, module: str) -> Any:
    """The mesh that a module of meshio reads; what it prints is in `said`. Raises SceneError,
    MissingLibraryError.
    """
    optional_library("meshio", f"a {path.suffix} file of a mesh", extra="mesh")
    printed = io.StringIO()
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            mesh = import_module(f"meshio.{module}").read(path)
    except MissingLibraryError:
        raise
    except (Exception, SystemExit) as error:
        text = one_line(str(error) or printed.getvalue())
        reason = ": ".join(filter(None, [type(error).__name__, text]))
        raise SceneError(mend=f"cannot be read by meshio.{module}: {reason}") from None
    mesh.said = [f"reading the mesh: {one_line(printed.getvalue())}"] if printed.getvalue().strip() else []
    return mesh
