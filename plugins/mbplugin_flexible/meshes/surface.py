"""The surface of a mesh: the faces that one element owns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbplugin_flexible.elements.kinds import ElementKind


class Surface(NamedTuple):
    """The outer faces of a mesh."""

    faces: np.ndarray  # (nf, m) nodes of each face, counter-clockwise from outside, corners first
    owners: np.ndarray  # (nf,) the element of each face
    shared: np.ndarray  # faces, by their corners (., 3 or 4), that more than two elements have


def surface_of(kind: ElementKind, elements: np.ndarray) -> Surface:
    """The outer faces of `elements` (ne, k), in the order of the elements and of their faces."""
    faces = elements[:, kind.faces].reshape(-1, kind.faces.shape[1])
    corners = np.sort(faces[:, : kind.face_corners], axis=1)
    _, first, number, owners = np.unique(
        corners, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    outer = np.flatnonzero(owners[number.ravel()] == 1)
    return Surface(faces[outer], outer // len(kind.faces), corners[first[owners > 2]])


def find_faces(kind: ElementKind, faces: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Which of `faces` (nf, m) has the corners of each of `wanted` (n, 3 or 4), in any order: (n,) its
    number, or -1.
    """
    if wanted.shape[1] != kind.face_corners:
        return np.full(len(wanted), -1)
    known = np.sort(faces[:, : kind.face_corners], axis=1)
    both = np.vstack([known, np.sort(wanted, axis=1)])
    _, number = np.unique(both, axis=0, return_inverse=True)
    number = number.ravel()
    place = np.full(number.max(initial=-1) + 1, -1)
    place[number[: len(known)]] = np.arange(len(known))
    return place[number[len(known) :]]
