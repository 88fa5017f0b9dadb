"""GJK and EPA for polyhedra and the cores of capsules and spheres, which are segments among the polyhedra."""

from __future__ import annotations

from mbplugin.math.jit import internal
from mbplugin_contact.geometry.epa import epa_of
from mbplugin_contact.geometry.gjk import difference_of, gjk_of
from mbplugin_contact.geometry.tables import hull_vertex, support_vertex


@internal
def hull_support(shape, d):
    """Support function of a polyhedron; `shape`: (hulls, number, size)."""
    hulls, hull, size = shape
    k = support_vertex(hulls, hull, size, d, 0)
    return hull_vertex(hulls, hull, size, k), k


hull_difference = difference_of(hull_support, hull_support)
hull_gjk = gjk_of(hull_difference)
hull_epa = epa_of(hull_difference)
