"""Compiled functions of the pool that Python calls."""

from __future__ import annotations

from mbplugin.kernels.pool import locate_pool
from mbplugin.math.jit import compiled_entry


@compiled_entry()
def locate_contacts(tables):
    """Poses of all markers of the pool at the present state. Returns a status."""
    return locate_pool(tables)
