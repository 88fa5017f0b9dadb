"""Contacts of planar bodies lie in the plane of the scene.

The second tangent of such a contact is the plane's normal, along which neither body moves: that row is zero,
and so are its velocity and its impulse.
"""

from __future__ import annotations

from mbplugin.interface import inlined
from mbplugin.stepping import view
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.outlines import SPATIAL


@inlined
def in_plane(contacts, i, j):
    """Whether shapes i and j touch by their outlines: one is of a planar body, the other one too or of the
    ground.
    """
    return contacts.outline[i].first != SPATIAL and contacts.outline[j].first != SPATIAL


@inlined
def touches_in_plane(tables, k):
    """Whether contact k lies in the plane of planar bodies."""
    contacts, n = view(tables, Contacts), view(tables, Shapes).index.shape[0]
    return in_plane(contacts, contacts.key[k] // n, contacts.key[k] % n)


@inlined
def plane_normal(contacts):
    record = contacts.record[0]
    return (record.plane_x, record.plane_y, record.plane_z)
