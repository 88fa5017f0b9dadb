"""A motion: a joint coordinate driven by an expression of time."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError, listed
from mbplugin.model.names import Name
from mbplugin.model.table import Element

LEVELS = {"_velocity": 1, "_acceleration": 2}


class Motion(Element):
    """One further key names the coordinate: `angle = "2*pi*time"`, `angle_velocity`, `length_acceleration`, …"""

    joint: Name = Field(description="name of the joint that is driven")
    name: Name | None = Field(
        default=None, description="name, unique among the motions; default the joint's name and the key"
    )

    @model_validator(mode="after")
    def one_coordinate(self) -> Self:
        if len(self.raw) == 1:
            return self
        wanted = 'one key names the coordinate and how it moves, such as angle = "2*pi*time" or length_velocity = 0.1'
        if not self.raw:
            raise SceneError(mend=wanted, value=NOT_GIVEN)
        key = list(self.raw)[-1]
        raise SceneError(key, self.raw[key], f"{wanted}; here are {listed(self.raw)}")

    @property
    def key(self) -> str:
        """The key as written, such as "angle_velocity"."""
        return next(iter(self.raw))

    @property
    def expression(self) -> Any:
        """What the coordinate (or its rate) follows: a number or the text of an expression."""
        return self.raw[self.key]

    @property
    def level(self) -> int:
        """0 the coordinate itself is given, 1 its velocity, 2 its acceleration."""
        return next((level for suffix, level in LEVELS.items() if self.key.endswith(suffix)), 0)

    @property
    def coordinate(self) -> str:
        """Name of the coordinate, such as "angle"."""
        return next(
            (self.key.removesuffix(suffix) for suffix in LEVELS if self.key.endswith(suffix)), self.key
        )
