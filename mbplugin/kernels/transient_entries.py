"""Compiled functions of the transient rows that Python calls."""

from __future__ import annotations

from numba import float64, int64

from mbplugin.kernels.shapes import material_point
from mbplugin.kernels.transient import locate_transient
from mbplugin.math.jit import compiled_entry
from mbplugin.math.vec3 import load, store


@compiled_entry()
def locate_contacts(tables):
    """Poses of all markers of the transient rows at the present state. Returns a status."""
    return locate_transient(tables)


@compiled_entry(int64[::1], float64[:, ::1])
def put_material_points(tables, shape, x):
    """World points x (n, 3) at the present state -> the points of the bodies of these shapes (n,) there, by
    `material_point`. Returns a status.
    """
    for k in range(shape.shape[0]):
        store(x, k, material_point(tables, shape[k], load(x, k)))
    return 0
