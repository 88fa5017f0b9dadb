"""A mesh of one kind of elements, with named sets of nodes and faces."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from mbplugin.errors import SceneError, suggestion
from mbplugin.interface import Array
from mbplugin_flexible.elements.kinds import KINDS, ElementKind
from mbplugin_flexible.meshes.surface import Surface, surface_of


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh in the frame of its body.

    points:    (n, 3) positions of the nodes [m]
    type:      name of the kind of its elements: "hex8", "tet4", "tet10", "hex27"
    elements:  (ne, k) nodes of each element, in the order of VTK
    node_sets: name -> (.,) nodes, ascending
    face_sets: name -> (nf, m) nodes of outer faces, counter-clockwise from outside, corners first
    remarks:   sentences on what is valid and may not be meant
    """

    points: Array
    type: str
    elements: np.ndarray
    node_sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    face_sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def kind(self) -> ElementKind:
        """The kind of its elements."""
        return KINDS[self.type]

    @functools.cached_property
    def surface(self) -> Surface:
        """Its outer faces."""
        return surface_of(self.kind, self.elements)

    def triangles(self, faces: np.ndarray | None = None) -> np.ndarray:
        """(n_tri, 3) nodes of triangles that picture faces (nf, m), by default the outer ones. Each face has
        the same number of them, one face behind the other.
        """
        faces = self.surface.faces if faces is None else faces
        return faces[:, self.kind.triangles].reshape(-1, 3)

    def touching_faces(self) -> np.ndarray:
        """(n, 3 or 4) nodes of the parts of the outer faces with which the mesh touches."""
        parts = self.kind.touching
        return self.surface.faces[:, parts].reshape(-1, parts.shape[1])

    def edges(self, corners: np.ndarray) -> Array:
        """(m, k) distances of the nodes `corners` (m, k) of cells or faces, each from the one before [m]."""
        x = self.points[corners]
        return np.linalg.norm(x - np.roll(x, 1, axis=1), axis=2)

    def nodes(self, name: str, key: str = "nodes") -> np.ndarray:
        """The nodes of a set, ascending. Raises SceneError at the key."""
        if name in self.node_sets:
            return self.node_sets[name]
        raise unknown_set(key, name, "nodes", self.node_sets)

    def faces(self, name: str, key: str = "faces") -> np.ndarray:
        """The faces (nf, m) of a set; of one that has nodes only, the outer faces whose nodes are all in it.
        Raises SceneError at the key.
        """
        if name in self.face_sets:
            return self.face_sets[name]
        if name not in self.node_sets:
            raise unknown_set(key, name, "faces", {**self.face_sets, **self.node_sets})
        inside = np.zeros(len(self.points), bool)
        inside[self.node_sets[name]] = True
        faces = self.surface.faces[inside[self.surface.faces].all(axis=1)]
        if not len(faces):
            mend = "is a set of nodes that has all nodes of no outer face, so there is no face to act on"
            raise SceneError(key, name, mend)
        return faces


def unknown_set(key: str, name: str, what: str, known: Iterable[str]) -> SceneError:
    known = sorted(known)
    if not known:
        return SceneError(key, name, f"the mesh has no sets of {what}")
    return SceneError(key, name, f"the mesh has no such set of {what}{suggestion(name, known)}")
