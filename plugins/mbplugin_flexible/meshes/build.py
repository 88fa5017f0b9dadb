"""A mesh from the content of a file."""

from __future__ import annotations

from collections import Counter

import numpy as np

from mbplugin.errors import SceneError, listed
from mbplugin.interface import Array
from mbplugin_flexible.elements.kinds import KINDS, ElementKind
from mbplugin_flexible.meshes.checks import faulty
from mbplugin_flexible.meshes.content import Content
from mbplugin_flexible.meshes.mesh import Mesh
from mbplugin_flexible.meshes.remarks import STIFF
from mbplugin_flexible.meshes.surface import Surface, find_faces, surface_of

OF_MESHIO = {kind.meshio: kind for kind in KINDS.values()}
#: beginnings of the names of cells that fill a volume; others are points, lines and faces
VOLUMES = ("hexahedron", "tetra", "wedge", "pyramid", "polyhedron", "VTK_LAGRANGE_HEX", "VTK_LAGRANGE_TET")
FACES = ("triangle", "quad", "polygon", "VTK_LAGRANGE_TRI", "VTK_LAGRANGE_QUAD")
#: largest coordinate [m]
FARTHEST = 1e20


def mesh_of(content: Content, scale: float, mirrored: bool = False) -> Mesh:
    """The mesh, in metres, of the points that its elements use. Raises SceneError without a key.

    scale: metres in a unit of the file; mirrored: the format numbers elements as their mirror images
    """
    kind = kind_of(content)
    cells = np.vstack([block for name, block in content.blocks if name == kind.meshio]).astype(int)
    if cells.min() < 0 or cells.max() >= len(content.points):
        raise SceneError(mend="has an element with a node that does not exist")
    used, elements = np.unique(cells, return_inverse=True)
    elements = elements.reshape(cells.shape)
    points = content.points[used] * scale
    if not np.isfinite(points).all() or np.abs(points).max() > FARTHEST:
        raise SceneError(mend=f"has nodes that are not finite, or farther away than {FARTHEST:g} m")
    remarks = [*content.remarks, *left_out(content)]
    if len(faulty(kind, points, elements)[0]) == len(elements):
        elements = elements[:, kind.mirrored]
        if not mirrored:
            remarks.append("all elements are numbered as their mirror images; their nodes are reordered")
    if kind.name == "tet4":
        remarks.append(STIFF)
    number = np.full(len(content.points), -1)
    number[used] = np.arange(len(used))
    surface = surface_of(kind, elements)
    face_sets = face_sets_of(content, number, kind, surface, remarks)
    node_sets = node_sets_of(content, number, remarks)
    for name, faces in face_sets.items():
        node_sets.setdefault(name, np.unique(faces))
    return Mesh(
        np.ascontiguousarray(points, float), kind.name, elements, node_sets, face_sets, tuple(remarks)
    )


def kind_of(content: Content) -> ElementKind:
    """The one kind of the elements. Raises SceneError."""
    counts = cells_of(content, volumes=True)
    known = ", ".join(f"{kind.name} ({name})" for name, kind in OF_MESHIO.items())
    found = listed(f"{n} {called(name)}" for name, n in counts.items())
    if not counts:
        others = listed(sorted({name for name, cells in content.blocks if len(cells)}))
        raise SceneError(mend=f"has no volume elements, only: {others}; a body needs one of {known}")
    if len(counts) > 1:
        raise SceneError(mend=f"has elements of several kinds: {found}; a body has one kind: one of {known}")
    (name,) = counts
    if name not in OF_MESHIO:
        raise SceneError(mend=f"has {found} elements, which are not among the known kinds: {known}")
    return OF_MESHIO[name]


def called(name: str) -> str:
    """The name of a type of cells, with that of the kind of elements."""
    return f"{OF_MESHIO[name].name} ({name})" if name in OF_MESHIO else name


def left_out(content: Content) -> list[str]:
    """A sentence on the cells that are no volume elements; none if there are none."""
    counts = cells_of(content, volumes=False)
    others = listed(f"{n} {name}" for name, n in counts.items())
    return [f"cells without volume are no elements and only name sets: {others}"] if counts else []


def cells_of(content: Content, volumes: bool) -> Counter[str]:
    """Number of the cells of each type that fill a volume, or that do not."""
    counts: Counter[str] = Counter()
    for name, cells in content.blocks:
        if name.startswith(VOLUMES) == volumes and len(cells):
            counts[name] += len(cells)
    return counts


def node_sets_of(content: Content, number: np.ndarray, remarks: list[str]) -> dict[str, np.ndarray]:
    """The sets of nodes, and the nodes of sets of cells that have no set of nodes of this name.

    number: (points of the file,) nodes of the mesh, -1 of points that no element uses
    """
    sets = dict(content.node_sets)
    for name, parts in content.cell_sets.items():
        if name not in sets:
            cells = [block[chosen].ravel() for (_, block), chosen in zip(content.blocks, parts)]
            sets[name] = np.concatenate(cells).astype(int) if cells else np.zeros(0, int)
    found: dict[str, np.ndarray] = {}
    for name, given in sets.items():
        points = np.unique(given)
        nodes = number[points]
        nodes = nodes[nodes >= 0]
        if len(nodes) < len(points):
            remarks.append(
                f'set "{name}": {len(points) - len(nodes)} of {len(points)} nodes are in no element'
            )
        if len(nodes):
            found[name] = np.sort(nodes)
        elif not len(points):
            remarks.append(f'set "{name}" is empty')
    return found


def face_sets_of(
    content: Content, number: np.ndarray, kind: ElementKind, surface: Surface, remarks: list[str]
) -> dict[str, np.ndarray]:
    """The outer faces of sets of faces, and of sets of cells that are faces."""
    corners = {name: list(parts) for name, parts in content.face_sets.items()}
    for name, parts in content.cell_sets.items():
        for (cell, block), chosen in zip(content.blocks, parts):
            if cell.startswith(FACES) and len(chosen):
                of_face = 3 if "tri" in cell.lower() else 4
                corners.setdefault(name, []).append(block[chosen][:, :of_face])
    found: dict[str, np.ndarray] = {}
    for name, parts in corners.items():
        places = [find_faces(kind, surface.faces, number[part]) for part in parts if len(part)]
        place = np.concatenate(places) if places else np.zeros(0, int)
        outer = np.unique(place[place >= 0])
        if len(outer) and (place < 0).any() and name not in content.surfaces:
            missing = f"{int((place < 0).sum())} of {len(place)}"
            remarks.append(f'set "{name}": {missing} faces are no outer faces of elements, and are left out')
        if len(outer):
            found[name] = surface.faces[outer]
        elif len(place):
            remarks.append(f'set "{name}" has no outer face of an element; it is a set of nodes only')
    return found


def unscaled(points: Array) -> Array:
    """Points (n, 3) of a file with two coordinates or three. Raises SceneError."""
    if points.ndim != 2 or points.shape[1] not in (2, 3) or not len(points):
        raise SceneError(mend="has no points in space")
    return np.pad(points.astype(float), ((0, 0), (0, 3 - points.shape[1])))
