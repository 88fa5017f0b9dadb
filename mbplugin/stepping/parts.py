"""Calls of a solver's parts, which are compiled apart."""

from __future__ import annotations

from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Core


@internal
def run_part(tables, k, number):
    """Call the part at place k of `CompiledSolver.parts` with this number. Returns its status."""
    return call_batch(view(tables, Core).parts[k], number, 0, tables)
