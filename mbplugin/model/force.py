"""A force element as it is written; its kind's own keys stay raw in `raw`."""

from __future__ import annotations

from pydantic import Field

from mbplugin.model.names import Name, Reference
from mbplugin.model.quantities import PlaneVector
from mbplugin.model.table import Element


class Force(Element):
    """A force or torque between markers, or on a body."""

    type: str = Field(description='kind of force, such as "spring_damper"; `mbplugin plugins` lists them')
    name: Name | None = Field(
        default=None,
        description="name, unique among the forces; default its type with a number: spring_damper_1",
    )
    a: Reference | None = Field(
        default=None, description='first body or marker: "body" or "body.marker"; "ground" is the world'
    )
    b: Reference | None = Field(default=None, description="second body or marker")
    body: Reference | None = Field(default=None, description="body or marker of a kind that acts on one")
    markers: tuple[Reference, ...] | None = Field(
        default=None, description="bodies or markers of a kind that takes a list of them"
    )
    at: PlaneVector | None = Field(
        None,
        description="world point at t = 0 where a body (or ground) is named without a marker; default its mass centre (ground: the origin) [m]",
    )
