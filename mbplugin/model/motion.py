"""A [[motion]] table: a joint coordinate driven by an expression of time."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError, listed
from mbplugin.model.activity import Snaps
from mbplugin.model.names import Name
from mbplugin.model.table import Element

LEVELS = {"_velocity": 1, "_acceleration": 2}


class Motion(Element, Snaps):
    """A driven coordinate. One extra key names it: `angle = "2*pi*time"`, `angle_velocity`, …"""

    joint: Name = Field(description="name of the driven joint")
    name: Name | None = Field(
        default=None, description="name, unique among the motions; default joint name and key"
    )
    effort_limit: Any = Field(
        default=None,
        description="largest force or torque that it exerts [N] or [N·m], a number or an expression; where "
        "that is not enough it lags behind, and goes on from there at its rate",
        json_schema_extra={"type": ["number", "string"]},
    )

    @model_validator(mode="after")
    def one_coordinate(self) -> Self:
        if len(self.raw) == 1:
            return self
        mend = 'exactly one key names the driven coordinate: angle = "2*pi*time", length_velocity = 0.1, ...'
        if not self.raw:
            raise SceneError(mend=mend, value=NOT_GIVEN)
        key = list(self.raw)[-1]
        raise SceneError(key, self.raw[key], f"{mend}; given are {listed(self.raw)}")

    @property
    def key(self) -> str:
        """The key of the coordinate, such as "angle_velocity"."""
        return next(iter(self.raw))

    @property
    def expression(self) -> Any:
        """Value of the coordinate or its derivative: a number, the text of an expression, or a function."""
        return self.raw[self.key]

    @property
    def level(self) -> int:
        """Which derivative is prescribed: 0 the coordinate itself, 1 its velocity, 2 its acceleration."""
        return next((level for suffix, level in LEVELS.items() if self.key.endswith(suffix)), 0)

    @property
    def coordinate(self) -> str:
        """Name of the coordinate, such as "angle"."""
        return next(
            (self.key.removesuffix(suffix) for suffix in LEVELS if self.key.endswith(suffix)), self.key
        )
