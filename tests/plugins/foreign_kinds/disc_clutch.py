"""A clutch of two discs: they turn as one, with a torque of at most `most`, else they slip with it."""

from __future__ import annotations

from mbplugin.interface import Basic, ConstraintKind, Number, Parameters


class ClutchParameters(Parameters):
    most: Number
    """Largest torque [N·m]."""


class DiscClutch(ConstraintKind):
    name = "foreign_clutch"
    parameters = ClutchParameters
    row_type = "box"
    basics = (Basic("angle", ("turn",)),)

    @classmethod
    def bounds(cls, params):
        return -params.most, params.most
