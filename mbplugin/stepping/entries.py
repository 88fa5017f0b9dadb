"""The compiled functions of stepping that Python calls: each is one round trip."""

from __future__ import annotations

from mbplugin.math.jit import compiled_entry
from mbplugin.stepping import project as projection
from mbplugin.stepping import rates


@compiled_entry
def evaluate_rates(tables):
    """`rates.evaluate_rates`. Returns a status."""
    return rates.evaluate_rates(tables)


@compiled_entry
def advance_coordinates(tables, dq):
    """q ← q ⊕ dq. Returns a status."""
    return projection.advance_coordinates(tables, dq)


@compiled_entry
def project(tables):
    """The present state onto the constraints. Returns a status."""
    return projection.project(tables)
