"""Content of .vtu files, read by VTK."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin_flexible.meshes.content import Content

#: values of an integer array that are sets; arrays with more are numbers of something
MANY = 100
#: types of cells of VTK (vtkCellType.h) -> those of meshio, nodes
TYPES = {
    1: ("vertex", 1),
    3: ("line", 2),
    5: ("triangle", 3),
    9: ("quad", 4),
    10: ("tetra", 4),
    12: ("hexahedron", 8),
    13: ("wedge", 6),
    14: ("pyramid", 5),
    21: ("line3", 3),
    22: ("triangle6", 6),
    23: ("quad8", 8),
    24: ("tetra10", 10),
    25: ("hexahedron20", 20),
    28: ("quad9", 9),
    29: ("hexahedron27", 27),
}


def read_vtu(path: Path) -> Content:
    """A .vtu file: arrays of integers and truth values at points and cells are sets. Raises SceneError.

    An array of 0 and 1 is a set of its name, one with other values v a set `name_v` for each but 0.
    """
    grid = read_grid(path)
    cells = grid.GetCells()
    types = np.array([grid.GetCellType(k) for k in range(grid.GetNumberOfCells())])
    connectivity, offsets = as_numpy(cells.GetConnectivityArray()), as_numpy(cells.GetOffsetsArray())
    content = Content(as_numpy(grid.GetPoints().GetData()).astype(float), [])
    cells_of_block = []
    for number in np.unique(types).tolist():
        if number not in TYPES:
            raise SceneError(mend=f"has cells of VTK's type {number}, which is none of {sorted(TYPES)}")
        name, nodes = TYPES[number]
        chosen = np.flatnonzero(types == number)
        content.blocks.append((name, connectivity[offsets[chosen][:, None] + np.arange(nodes)].astype(int)))
        cells_of_block.append(chosen)
    for name, values in arrays(grid.GetPointData()):
        for label, chosen in sets_of_values(content, name, values):
            content.add_nodes(label, np.flatnonzero(chosen))
    for name, values in arrays(grid.GetCellData()):
        for label, chosen in sets_of_values(content, name, values):
            for block, cells in enumerate(cells_of_block):
                content.add_cells(label, block, np.flatnonzero(chosen[cells]))
    return content


def sets_of_values(content: Content, name: str, values: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """(name of a set, whether each entry is in it) for an array of integers; nothing for others."""
    if values.ndim != 1 or values.dtype.kind not in "iub":
        return
    different = np.unique(values)
    if len(different) > MANY:
        content.remarks.append(f'array "{name}" has {len(different)} different values, so they are no sets')
    elif set(different.tolist()) <= {0, 1}:
        yield name, values == 1
    else:
        for value in different[different != 0]:
            yield f"{name}_{value}", values == value


def read_grid(path: Path) -> Any:
    """The unstructured grid of a file with points and cells. Raises SceneError."""
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader  # imported late: takes 0.2 s

    reader: Any = vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    failures: list[str] = []
    reader.AddObserver("ErrorEvent", lambda *_: failures.append("error"))
    with silent():
        reader.Update()
    grid = reader.GetOutput()
    if failures or not grid.GetNumberOfPoints() or not grid.GetNumberOfCells():
        raise SceneError(mend="cannot be read: it is no .vtu file with points and cells, or has been cut off")
    return grid


@contextmanager
def silent() -> Iterator[None]:
    """Context in which VTK prints nothing."""
    from vtkmodules.vtkCommonCore import vtkLogger

    before = vtkLogger.GetCurrentVerbosityCutoff()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    try:
        yield
    finally:
        vtkLogger.SetStderrVerbosity(before)


def as_numpy(array: Any) -> np.ndarray:
    from vtkmodules.util.numpy_support import vtk_to_numpy

    return np.asarray(vtk_to_numpy(array))


def arrays(data: Any) -> Sequence[tuple[str, np.ndarray]]:
    """(name, values) of the arrays of numbers of points or cells."""
    found = [(data.GetArrayName(k), data.GetArray(k)) for k in range(data.GetNumberOfArrays())]
    return [(name, as_numpy(array)) for name, array in found if array is not None and name]
