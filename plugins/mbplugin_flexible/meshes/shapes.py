"""Meshes of shapes, in the frame that the shapes of rigid bodies have: a box is centred and along its axes, a
cylinder is centred and along z. Sides are straight between nodes, for quadratic elements too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, refuse_beyond_memory, suggestion
from mbplugin.interface import Array
from mbplugin_flexible.elements.kinds import KINDS
from mbplugin_flexible.meshes.convert import to_hex27, to_tet10
from mbplugin_flexible.meshes.disc import disc, lattice_quads
from mbplugin_flexible.meshes.extrude import extrude, hexahedra, tetrahedra
from mbplugin_flexible.meshes.mesh import Mesh
from mbplugin_flexible.meshes.remarks import STIFF
from mbplugin_flexible.meshes.surface import surface_of

#: a side contains what is so near, relative to the extent of the shape
ON_SIDE = 1e-9
#: bytes that an element of a mesh needs at least while it is made, for each of its nodes
BYTES_OF_NODE = 100.0
#: elements for one hexahedron
PIECES_OF_HEXAHEDRON = {"tet4": 6, "tet10": 6}


def box(size: Sequence[float], divisions: Sequence[int], elements: str = "hex8") -> Mesh:
    """A box, centred at the origin.

    size: edges along x, y, z [m]; divisions: hexahedra along x, y, z. Sets of nodes and faces: x-, x+, y-,
    y+, z-, z+. Raises SceneError at size, divisions or elements.
    """
    check_lengths("size", size, 3)
    check_divisions(divisions, 3, elements)
    x, y, z = (length * (np.arange(n + 1) / n - 0.5) for length, n in zip(size, divisions))
    plan = np.stack(np.meshgrid(x, y, indexing="ij"), -1).reshape(-1, 2)
    _, quads = lattice_quads(len(x), len(y))
    sides = {
        f"{axis}{sign}": (k, end)
        for k, (axis, along) in enumerate(zip("xyz", (x, y, z)))
        for sign, end in (("-", along[0]), ("+", along[-1]))
    }
    distance = lambda points: {name: points[..., k] - end for name, (k, end) in sides.items()}
    return made(plan, quads, z, elements, distance, max(size))


def beam(length: float, section: Sequence[float], divisions: Sequence[int], elements: str = "hex8") -> Mesh:
    """A box along x, centred at the origin.

    length: along x [m]; section: edges along y, z [m]; divisions: along x, y, z. Sets as those of `box`.
    Raises SceneError at length, section, divisions or elements.
    """
    check_lengths("length", length, 0)
    check_lengths("section", section, 2)
    return box((length, *section), divisions, elements)


def cylinder(radius: float, length: float, divisions: Sequence[int], elements: str = "hex8") -> Mesh:
    """A cylinder along z, centred at the origin. Its section has a core of n/4 × n/4 hexahedra, and around it
    rings of n hexahedra, up to nodes on the circle.

    radius, length: [m]; divisions: n around, a multiple of 4; rings; along z. Sets of nodes and faces: side,
    z-, z+. The section is a polygon, of the area ½ n sin(2π/n) radius². Raises SceneError.
    """
    check_lengths("radius", radius, 0)
    check_lengths("length", length, 0)
    check_divisions(divisions, 3, elements)
    around, rings, along = divisions
    if around % 4:
        raise SceneError("divisions[0]", around, "must be a multiple of 4: elements around a cylinder")
    plan, quads = disc(radius, around, rings)
    z = length * (np.arange(along + 1) / along - 0.5)

    def distance(points: Array) -> dict[str, Array]:
        from_axis = np.hypot(points[..., 0], points[..., 1])
        return {"side": from_axis - radius, "z-": points[..., 2] - z[0], "z+": points[..., 2] - z[-1]}

    return made(plan, quads, z, elements, distance, max(radius, length))


def made(plan: Array, quads: np.ndarray, levels: Array, elements: str, distance: Any, extent: float) -> Mesh:
    """The mesh of a plane mesh at levels of z. distance: function of points (.., 3) that gives for each side
    by name how far they are from it, (..) [m].
    """
    kind, layers = KINDS[elements], len(levels) - 1
    points = extrude(plan, levels)
    if kind.face_corners == 4:
        linear = hexahedra(quads, len(plan), layers)
    else:
        linear = tetrahedra(plan, quads, layers)
    match elements:
        case "tet10":
            points, linear = to_tet10(points, linear)
        case "hex27":
            points, linear = to_hex27(points, linear)
    surface = surface_of(kind, linear)
    off = distance(points[surface.faces[:, : kind.face_corners]])
    face_sets = {
        name: surface.faces[(np.abs(gap) <= ON_SIDE * extent).all(axis=1)] for name, gap in off.items()
    }
    remarks = (STIFF,) if elements == "tet4" else ()
    return Mesh(points, elements, linear, nodes_of(face_sets), face_sets, remarks)


def nodes_of(face_sets: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The nodes of sets of faces, by name."""
    return {name: np.unique(faces) for name, faces in face_sets.items()}


def check_lengths(key: str, given: Any, n: int) -> None:
    """Check n lengths, or one for n = 0 [m]. Raises SceneError."""
    lengths = given if n else (given,)
    if not isinstance(lengths, list | tuple | np.ndarray) or (len(lengths) != n and n):
        raise SceneError(key, given, f"must be a list of {n} lengths")
    for k, length in enumerate(lengths):
        if not np.isfinite(length) or length <= 0.0:
            raise SceneError(f"{key}[{k}]" if n else key, length, "must be greater than 0")


def check_divisions(given: Any, n: int, elements: str) -> None:
    """Check the kind of elements, and how many there are along each direction. Raises SceneError."""
    if elements not in KINDS:
        raise SceneError("elements", elements, f"unknown kind of elements{suggestion(elements, KINDS)}")
    if not isinstance(given, list | tuple | np.ndarray) or len(given) != n:
        raise SceneError("divisions", given, f"must be a list of {n} whole numbers")
    for k, number in enumerate(given):
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
            raise SceneError(f"divisions[{k}]", number, "must be an integer, 1 or more")
    pieces = float(np.prod([float(number) for number in given])) * PIECES_OF_HEXAHEDRON.get(elements, 1)
    refuse_beyond_memory(
        "divisions", list(given), BYTES_OF_NODE * pieces * KINDS[elements].k, "take fewer divisions"
    )
