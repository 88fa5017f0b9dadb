"""The compiled functions of stepping that Python calls."""

from __future__ import annotations

from numba import float64

from mbplugin.math.jit import compiled_entry
from mbplugin.stepping import coordinates, rates


@compiled_entry()
def evaluate_rates(tables):
    """Evaluate the rates of the present state. Returns a status."""
    return rates.evaluate_rates(tables)


@compiled_entry(float64[::1])
def advance_coordinates(tables, dq):
    """q ← q ⊕ dq. Returns a status."""
    return coordinates.advance_coordinates(tables, dq)


@compiled_entry()
def close_positions(tables):
    """Close position rows by the smallest change of positions in the norm of M. Returns a status."""
    status, _ = coordinates.close_positions(tables)
    return status


@compiled_entry()
def project(tables):
    """Project the present state onto the constraints. Returns a status."""
    return coordinates.project(tables)
