"""Faults that make a mesh unfit for a body: no elements, inverted and degenerate ones, several parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.errors import SceneError, listed
from mbplugin.interface import Array
from mbplugin_flexible.elements.kinds import ElementKind
from mbplugin_flexible.meshes.mesh import Mesh

#: smallest Jacobian determinant of an element that is no rounding, relative to the product of its columns
FLAT_ELEMENT = 1e-9
#: elements and parts that a message names
MAX_NAMED = 10
#: nodes coincide that are nearer than this part of the shortest edge
SAME_PLACE = 1e-3


def check_mesh(mesh: Mesh, key: str = "", value: Any = "") -> None:
    """Raises SceneError at `key` with `value` if a body cannot have this mesh."""
    error = lambda mend: SceneError(key, value, mend)
    if not len(mesh.elements):
        raise error("has no elements")
    if not np.isfinite(mesh.points).all():
        raise error("has nodes that are not finite")
    inverted, degenerate = faulty(mesh.kind, mesh.points, mesh.elements)
    if len(inverted):
        raise error(
            f"{named(inverted, len(mesh.elements))} inverted: the Jacobian determinant is negative at a "
            "node; mend the mesh, or the order of their nodes"
        )
    if len(degenerate):
        raise error(
            f"{named(degenerate, len(mesh.elements))} degenerate: flat, or with nodes that coincide; "
            "mend the mesh"
        )
    shared = mesh.surface.shared
    if len(shared):
        nodes = listed((str(list(map(int, face))) for face in shared), 3)
        corners = f"has faces of more than two elements, with the corners {nodes}"
        raise error(f"{corners}; remove elements that overlap")
    check_parts(mesh, error)


def faulty(kind: ElementKind, points: Array, elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Elements whose Jacobian determinant is negative at one of their nodes, and others where it is zero."""
    least = np.full(len(elements), np.inf)
    at = points[elements]  # (ne, k, 3)
    for gradient in kind.node_gradients:
        J = np.einsum("eai,aj->eij", at, gradient)
        determinant = np.einsum("ei,ei->e", J[:, :, 0], np.cross(J[:, :, 1], J[:, :, 2]))
        lengths = np.sqrt((J * J).sum(axis=1)).prod(axis=1)
        relative = np.divide(determinant, lengths, out=np.zeros(len(elements)), where=lengths > 0.0)
        least = np.minimum(least, relative)
    return np.flatnonzero(least < -FLAT_ELEMENT), np.flatnonzero(np.abs(least) <= FLAT_ELEMENT)


def named(elements: np.ndarray, total: int) -> str:
    """'elements 3, 7 of 20, numbered from 0, are'."""
    if len(elements) == 1:
        return f"element {elements[0]} of {total}, numbered from 0, is"
    return (
        f"{len(elements)} of {total} elements ({listed(map(str, elements), MAX_NAMED)}, numbered from 0) are"
    )


def check_parts(mesh: Mesh, error: Any) -> None:
    """Raises the error of a mesh in several parts."""
    part = parts_of(mesh.elements, len(mesh.points))[mesh.elements[:, 0]]
    _, sizes = np.unique(part, return_counts=True)
    if len(sizes) == 1:
        return
    pairs = len(coincident(mesh))
    merge = f"; {pairs} pairs of nodes coincide: merge them" if pairs else "; make a body of each"
    counted = listed(map(str, sorted(map(int, sizes), reverse=True)), MAX_NAMED)
    raise error(f"is not connected: it has {len(sizes)} parts, of {counted} elements{merge}")


def parts_of(elements: np.ndarray, n: int) -> np.ndarray:
    """The part of each of n nodes (n,): nodes of one element are in the same."""
    # scipy takes 0.1 s to import, and few scenes have meshes
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first = np.repeat(elements[:, 0], elements.shape[1])
    links = coo_array((np.ones(len(first), np.int8), (first, elements.ravel())), shape=(n, n))
    return connected_components(links, directed=False)[1]


def coincident(mesh: Mesh) -> np.ndarray:
    """Pairs (n, 2) of nodes at the same place."""
    from scipy.spatial import cKDTree

    shortest = float(mesh.edges(mesh.elements[:, : mesh.kind.corners]).min())
    return cKDTree(mesh.points).query_pairs(SAME_PLACE * shortest, output_type="ndarray")
