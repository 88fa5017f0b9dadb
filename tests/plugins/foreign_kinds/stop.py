"""A stop: b stays at least `height` above a, along z of a.   Φ = z − height ≥ 0,  λ ≥ 0."""

from __future__ import annotations

from mbplugin.interface import Basic, ConstraintKind, Number, Parameters


class StopParameters(Parameters):
    height: Number = 0.0
    """Least height of b above a [m]."""


class Stop(ConstraintKind):
    name = "foreign_stop"
    parameters = StopParameters
    row_type = "nonnegative"
    basics = (Basic("component_z", ("height",), to="height"),)
