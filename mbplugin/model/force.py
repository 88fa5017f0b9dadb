"""A [[force]] table. The parameters of its kind stay unchecked in `raw`."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mbplugin.model.activity import Acts
from mbplugin.model.names import Name, Reference
from mbplugin.model.quantities import PlaneVector
from mbplugin.model.table import Element


class Force(Element, Acts):
    """A force or torque between markers, or on a body."""

    type: str = Field(description='kind of force, such as "spring_damper"; `mbplugin plugins` lists them')
    name: Name | None = Field(
        default=None,
        description="name, unique among the forces; default its type and a number: spring_damper_1",
    )
    a: Reference | None = Field(
        default=None, description='first body or marker: "body" or "body.marker"; "ground" is the world'
    )
    b: Reference | None = Field(default=None, description="second body or marker")
    body: Reference | None = Field(
        default=None, description="body or marker, for kinds that act on a single body"
    )
    markers: tuple[Reference, ...] | None = Field(
        default=None, description="bodies or markers, for kinds that take a list"
    )
    faces: Any = Field(
        default=None,
        description="set of faces of `body`, for kinds that act on the faces of a mesh",
        json_schema_extra={"type": "string"},
    )
    joint: Any = Field(
        default=None,
        description="joint on whose coordinate it acts, in the place of markers; the kind has one measure",
        json_schema_extra={"type": "string"},
    )
    coordinate: Any = Field(
        default=None,
        description='coordinate of that joint, such as "angle_x"; default its only one',
        json_schema_extra={"type": "string"},
    )
    dissipative: Any = Field(
        default=None,
        description="for kinds with expressions: true if its power counts as dissipated energy, as that of "
        "friction does, false if it counts as work put in; default false",
        json_schema_extra={"type": "boolean"},
    )
    at: PlaneVector | None = Field(
        None,
        description="point of application at t = 0 in the world, for bodies named without a marker; "
        "default the mass centre (ground: the origin) [m]",
    )
