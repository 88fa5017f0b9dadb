"""Compiled functions of the transient rows that Python calls."""

from __future__ import annotations

from mbplugin.kernels.transient import locate_transient
from mbplugin.math.jit import compiled_entry


@compiled_entry()
def locate_contacts(tables):
    """Poses of all markers of the transient rows at the present state. Returns a status."""
    return locate_transient(tables)
