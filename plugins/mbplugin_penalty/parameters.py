"""Keys of `enforce = { type = "penalty", ... }`."""

from __future__ import annotations

from pydantic import Field

from mbplugin.interface import AUTO, NonNegativeOrAuto, Parameters, Positive


class Direction(Parameters):
    """One row of the joint, in the units of that row."""

    stiffness: NonNegativeOrAuto | None = Field(None, description="stiffness of this row [N/m] or [N·m/rad]")
    damping: NonNegativeOrAuto | None = Field(None, description="damping of this row [N·s/m] or [N·m·s/rad]")


class PenaltyParameters(Parameters):
    stiffness: NonNegativeOrAuto = Field(AUTO, description='of rows in metres [N/m], or "auto"')
    damping: NonNegativeOrAuto = Field(
        AUTO, description='of rows in metres [N·s/m], or "auto": `damping_ratio` times the critical damping'
    )
    angular_stiffness: NonNegativeOrAuto = Field(AUTO, description='of rows in radians [N·m/rad], or "auto"')
    angular_damping: NonNegativeOrAuto = Field(AUTO, description='of rows in radians [N·m·s/rad], or "auto"')
    deviation: Positive | None = Field(
        None,
        description=(
            "that an automatic stiffness allows under the load of t = 0 [m]; "
            "default 1e-4 of the mechanism's size"
        ),
    )
    angular_deviation: Positive = Field(1e-4, description="the same of rows in radians [rad]")
    damping_ratio: Positive = Field(
        0.5, description="of an automatic damping: 1 is critical on the row's own mass"
    )
    assemble: bool = Field(
        True,
        description="whether the joint is assembled at t = 0; false: bodies start where the scene puts them",
    )
    augment: bool = Field(False, description="iterate multipliers (augmented Lagrangian)")
    tolerance: Positive = Field(
        1e-10, description="of `augment`: deviation that the unbalanced load could cause [m] or [rad]"
    )
    direction: dict[str, Direction] = Field(
        {}, description='rows with numbers of their own, by label, such as "translation along world z"'
    )
