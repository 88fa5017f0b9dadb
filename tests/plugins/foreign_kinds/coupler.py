"""A linear relation between the angles of any number of hinges, or the lengths of sliders:  Σ cᵢ sᵢ = 0."""

from __future__ import annotations

from mbplugin.interface import ConstraintKind, Number, Parameters


class CouplerParameters(Parameters):
    joints: list[str]
    """Names of the joints."""
    ratios: list[Number]
    """One factor per joint."""
    coordinate: str = "angle"
    """Or "length"."""


class Coupler(ConstraintKind):
    name = "foreign_coupler"
    parameters = CouplerParameters
    markers = None
    labels = ("sum of the angles",)
    units = ("rad",)

    @classmethod
    def coupling(cls, params):
        return [(joint, params.coordinate, ratio) for joint, ratio in zip(params.joints, params.ratios)]
