"""Keys of `enforce = { type = "penalty", ... }`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema

from mbplugin.errors import SceneError
from mbplugin.interface import Parameters, Positive
from mbplugin.model.quantities import NUMBER_SCHEMA, validate_non_negative

AUTO: Literal["auto"] = "auto"


def a_number_or_auto(value: Any, info: ValidationInfo) -> float | str:
    if value == AUTO:
        return AUTO
    try:
        return validate_non_negative(value, info)
    except SceneError as error:
        raise SceneError(error.key, error.value, f'{error.mend}; or "auto"') from None


NumberOrAuto = Annotated[
    Any,
    BeforeValidator(a_number_or_auto),
    WithJsonSchema({"anyOf": [{"const": AUTO}, *NUMBER_SCHEMA["anyOf"]]}),
]


class Direction(Parameters):
    """One row of the joint, in the units of that row."""

    stiffness: NumberOrAuto | None = Field(None, description="stiffness of this row [N/m] or [N·m/rad]")
    damping: NumberOrAuto | None = Field(None, description="damping of this row [N·s/m] or [N·m·s/rad]")


class PenaltyParameters(Parameters):
    stiffness: NumberOrAuto = Field(AUTO, description='of rows in metres [N/m], or "auto"')
    damping: NumberOrAuto = Field(
        AUTO, description='of rows in metres [N·s/m], or "auto": `damping_ratio` of the critical one'
    )
    angular_stiffness: NumberOrAuto = Field(AUTO, description='of rows in radians [N·m/rad], or "auto"')
    angular_damping: NumberOrAuto = Field(AUTO, description='of rows in radians [N·m·s/rad], or "auto"')
    deviation: Positive | None = Field(
        None,
        description="that an automatic stiffness allows under the load of t = 0 [m]; default 1e-4 of the mechanism's size",
    )
    angular_deviation: Positive = Field(1e-4, description="the same of rows in radians [rad]")
    damping_ratio: Positive = Field(
        0.5, description="of an automatic damping: 1 is critical on the row's own mass"
    )
    assemble: bool = Field(
        True,
        description="whether the joint is closed at t = 0; false: bodies start where the scene puts them",
    )
    augment: bool = Field(False, description="iterate multipliers (augmented Lagrangian)")
    tolerance: Positive = Field(
        1e-10, description="of `augment`: deviation that loads left unbalanced could cause [m] or [rad]"
    )
    direction: dict[str, Direction] = Field(
        {}, description='rows with numbers of their own, by label, such as "translation along world z"'
    )
