"""A joint as it is written. Its kind (`type`) says which motions it takes away; the kind's own keys stay in
`raw`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.model.names import Name, Reference
from mbplugin.model.quantities import Direction, Number, PlaneVector
from mbplugin.model.table import Element, Table


class Start(Table):
    """The joint coordinate at t = 0, and its rate."""

    angle: Number | None = Field(default=None, description="angle at t = 0 [rad]")
    angle_deg: Number | None = Field(default=None, description="the same in degrees [°]")
    length: Number | None = Field(default=None, description="length at t = 0 [m]")
    speed: Number | None = Field(default=None, description="rate of the coordinate at t = 0 [rad/s or m/s]")

    @model_validator(mode="after")
    def one_angle(self) -> Self:
        if self.angle is not None and self.angle_deg is not None:
            raise SceneError("angle_deg", self.angle_deg, "`angle` is given too; choose one")
        return self

    @property
    def radians(self) -> float | None:
        """The angle [rad], if one is given."""
        return math.radians(self.angle_deg) if self.angle_deg is not None else self.angle


def an_enforcement(value: Any) -> str | dict[str, Any]:
    """The name of an enforcement, or a table of its keys with the name in `type`."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise SceneError(
            value=value,
            mend='must be a name in quotes, or a table such as { type = "penalty", stiffness = 1e6 }',
        )
    if not isinstance(value.get("type"), str):
        raise SceneError(
            "type", value.get("type", NOT_GIVEN), 'is the name of an enforcement, such as "penalty"'
        )
    return dict(value)


ENFORCEMENT_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string"},
        {"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]},
    ]
}
Enforcement = Annotated[Any, BeforeValidator(an_enforcement), WithJsonSchema(ENFORCEMENT_SCHEMA)]


class Joint(Element):
    """A constraint between markers of two bodies (or of as many as its kind wants, in `markers`)."""

    name: Name = Field(description="name, unique among the joints")
    type: str = Field(description='kind of constraint, such as "revolute"; `mbplugin plugins` lists them')
    a: Reference | None = Field(
        default=None, description='first body or marker: "body" or "body.marker"; "ground" is the world'
    )
    b: Reference | None = Field(
        default=None, description="second body or marker; reactions are reported as acting on it"
    )
    markers: tuple[Reference, ...] | None = Field(
        default=None, description="bodies or markers of a kind that takes a list of them"
    )
    at: PlaneVector | None = Field(
        default=None, description="world point at t = 0 where markers are not named; default the origin [m]"
    )
    axis: Direction | None = Field(
        default=None, description="world direction of the joint's z at t = 0 where markers are not named"
    )
    start: Start | None = Field(default=None, description="joint coordinate at t = 0")
    enforce: Enforcement = Field(
        default="lagrange",
        description='how the constraint is enforced: "lagrange" or another that a plugin offers, or a table of its keys with its name in `type`',
    )
    priority: int = Field(
        default=0,
        description="which joint keeps its rows, and carries the load, where some are redundant: the higher one; equals share, and the first keeps its rows",
    )

    @property
    def enforcement(self) -> tuple[str, dict[str, Any]]:
        """Name of the enforcement, and its own keys as they were given."""
        given = self.enforce if isinstance(self.enforce, dict) else {"type": self.enforce}
        return given["type"], {key: value for key, value in given.items() if key != "type"}
