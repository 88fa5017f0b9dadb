"""A [[joint]] table. The parameters of the joint's kind (`type`) stay unchecked in `raw`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.model.activity import Snaps
from mbplugin.model.names import Name, Reference
from mbplugin.model.quantities import Number, PlaneDirection, PlaneVector
from mbplugin.model.table import Element, Table


class Start(Table):
    """Joint coordinate and its rate at t = 0."""

    angle: Number | None = Field(default=None, description="angle at t = 0 [rad]")
    angle_deg: Number | None = Field(default=None, description="angle at t = 0, in degrees [°]")
    length: Number | None = Field(default=None, description="length at t = 0 [m]")
    speed: Number | None = Field(default=None, description="rate of the coordinate at t = 0 [rad/s or m/s]")

    @model_validator(mode="after")
    def one_angle(self) -> Self:
        if self.angle is not None and self.angle_deg is not None:
            raise SceneError("angle_deg", self.angle_deg, "`angle` is given as well; choose one")
        return self

    @property
    def radians(self) -> float | None:
        """The angle [rad], or None if none is given."""
        return math.radians(self.angle_deg) if self.angle_deg is not None else self.angle


def validate_enforcement(value: Any) -> str | dict[str, Any]:
    """Name of an enforcement, or a table of its parameters with the name in `type`. Raises SceneError."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        mend = 'must be a name in quotes, or a table such as { type = "penalty", stiffness = 1e6 }'
        raise SceneError(value=value, mend=mend)
    if not isinstance(value.get("type"), str):
        mend = 'must be the name of an enforcement, such as "penalty"'
        raise SceneError("type", value.get("type", NOT_GIVEN), mend)
    return dict(value)


ENFORCEMENT_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string"},
        {"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]},
    ]
}
Enforcement = Annotated[Any, BeforeValidator(validate_enforcement), WithJsonSchema(ENFORCEMENT_SCHEMA)]


#: keys by the names of coordinates
KEYS_OF_COORDINATES = (
    *("stiffness", "damping", "rest", "armature", "limits", "restitution", "stop_stiffness", "stop_damping"),
    *("friction", "friction_torque", "friction_force", "friction_static", "one_way"),
)

#: a number, or a table of numbers by the names of coordinates
ON_COORDINATES: dict[str, Any] = {
    "anyOf": [
        {"type": ["number", "string"]},
        {"type": "object", "additionalProperties": {"type": ["number", "string"]}},
    ]
}


ENDS_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {"type": ["number", "string"]},
    "minItems": 2,
    "maxItems": 2,
}
ENDS_OR_WORD: dict[str, Any] = {"anyOf": [ENDS_SCHEMA, {"const": "ends"}]}
LIMITS_SCHEMA: dict[str, Any] = {
    "anyOf": [ENDS_SCHEMA, {"const": "ends"}, {"type": "object", "additionalProperties": ENDS_OR_WORD}]
}


class Joint(Element, Snaps):
    """A constraint between markers `a` and `b`, or between `markers` if its kind takes a list."""

    name: Name = Field(description="name, unique among the joints")
    type: str = Field(description='kind of constraint, such as "revolute"; `mbplugin plugins` lists them')
    a: Reference | None = Field(
        default=None, description='first body or marker: "body" or "body.marker"; "ground" is the world'
    )
    b: Reference | None = Field(
        default=None, description="second body or marker; reported reactions act on it"
    )
    markers: tuple[Reference, ...] | None = Field(
        default=None, description="bodies or markers, for kinds that take a list"
    )
    at: PlaneVector | None = Field(
        default=None,
        description="position of the joint at t = 0 in the world, for bodies named without a marker; "
        "default the origin [m]",
    )
    axis: PlaneDirection | None = Field(
        default=None,
        description="direction of the joint's z at t = 0 in the world, for bodies named without a marker",
    )
    start: Start | None = Field(default=None, description="joint coordinate at t = 0")
    stiffness: Any = Field(
        default=None,
        description="stiffness of a spring on its coordinate [N·m/rad] or [N/m]; of several coordinates a "
        "table by their names",
        json_schema_extra=ON_COORDINATES,
    )
    damping: Any = Field(
        default=None,
        description="damping of its coordinate [N·m·s/rad] or [N·s/m], by name as `stiffness`",
        json_schema_extra=ON_COORDINATES,
    )
    rest: Any = Field(
        default=None,
        description="value of the coordinate at which the spring exerts nothing [rad] or [m]; default 0",
        json_schema_extra=ON_COORDINATES,
    )
    armature: Any = Field(
        default=None,
        description="inertia on its coordinate, as of a geared rotor: adds ½ a ṡ² to the energy [kg·m²] or "
        "[kg], by name as `stiffness`",
        json_schema_extra=ON_COORDINATES,
    )
    limits: Any = Field(
        default=None,
        description="least and largest value of its coordinate, [lo, hi] [rad] or [m]; -inf or inf where "
        'there is none; expressions of time move; "ends": those of the curve that it is on; by name as '
        "`stiffness`",
        json_schema_extra=LIMITS_SCHEMA,
    )
    restitution: Any = Field(
        default=None,
        description="part of its speed with which the coordinate rebounds from a limit, 0 to 1; default 0; "
        "by name as `stiffness`",
        json_schema_extra=ON_COORDINATES,
    )
    stop_stiffness: Any = Field(
        default=None,
        description="stiffness of stops at its limits [N·m/rad] or [N/m]; default: limits are hard; by name "
        "as `stiffness`",
        json_schema_extra=ON_COORDINATES,
    )
    stop_damping: Any = Field(
        default=None,
        description="damping of these stops, which never pull [N·m·s/rad] or [N·s/m]; default 0; by name as "
        "`stiffness`",
        json_schema_extra=ON_COORDINATES,
    )
    friction: Any = Field(
        default=None,
        description="coefficient of dry friction of its coordinate, on which the joint's own reaction "
        "presses; by name as `stiffness`",
        json_schema_extra=ON_COORDINATES,
    )
    radius: Any = Field(
        default=None,
        description="radius of the pin or shaft of its bearings with `friction` [m]",
        json_schema_extra={"type": ["number", "string"]},
    )
    length: Any = Field(
        default=None,
        description="length of its bearings with `friction`, on whose ends moments press [m]; default: they "
        "do not",
        json_schema_extra={"type": ["number", "string"]},
    )
    friction_torque: Any = Field(
        default=None,
        description="torque of dry friction about its coordinate [N·m]; an expression may depend on time, "
        "inputs and the motion; by name as `stiffness`",
        json_schema_extra=ON_COORDINATES,
    )
    friction_force: Any = Field(
        default=None,
        description="force of dry friction along its coordinate [N]; an expression may depend on time, "
        "inputs and the motion; by name as `stiffness`",
        json_schema_extra=ON_COORDINATES,
    )
    friction_static: Any = Field(
        default=None,
        description="the same where it sticks, at least as large: a coefficient, [N·m] or [N]; default "
        "equal; by name as `stiffness`",
        json_schema_extra=ON_COORDINATES,
    )
    one_way: Any = Field(
        default=None,
        description='direction in which its coordinate turns or slides freely, "positive" or "negative"; not '
        "in the other; by name as `stiffness`",
    )
    enforce: Enforcement = Field(
        default="lagrange",
        description='enforcement of the constraint: "lagrange" or the name of one from a plugin, '
        "or a table of its parameters with the name in `type`",
    )
    priority: int = Field(
        default=0,
        description="among redundant joints, the one with the higher priority keeps its rows and carries "
        "the load; joints of equal priority share the load, and the first one keeps its rows",
    )

    @property
    def enforcement(self) -> tuple[str, dict[str, Any]]:
        """Name of the enforcement, and its parameters as given."""
        table = self.enforce if isinstance(self.enforce, dict) else {"type": self.enforce}
        return table["type"], {key: value for key, value in table.items() if key != "type"}
