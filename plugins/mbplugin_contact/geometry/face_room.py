"""Rooms for the supporting faces of the two shapes of a pair."""

from __future__ import annotations

from mbplugin.interface import MAX_CORNERS, SupportingFace
from mbplugin.math.jit import inlined
from mbplugin_contact.geometry.tables import FACE_A, FACE_B, FACE_NAMES_A, FACE_NAMES_B


@inlined
def face_of_a(hulls):
    """Room for the face of A."""
    return room(hulls, FACE_A, FACE_NAMES_A)


@inlined
def face_of_b(hulls):
    """Room for the face of B."""
    return room(hulls, FACE_B, FACE_NAMES_B)


@inlined
def room(hulls, row, place):
    n = MAX_CORNERS + 1
    return SupportingFace(
        hulls.work[row : row + n], hulls.work[row + n : row + 2 * n], hulls.work_ints[place : place + n]
    )
