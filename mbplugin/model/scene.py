"""The general table of a scene."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from mbplugin.model.marker import Marker, check_markers
from mbplugin.model.plane import Plane
from mbplugin.model.quantities import Vector
from mbplugin.model.table import Table


class Scene(Table):
    """Name, gravity and plane of the scene."""

    name: str = Field(default="", description="name of the scene; default the file's")
    gravity: Vector = Field(default=(0.0, 0.0, -9.81), description="acceleration of free fall, world axes [m/s²]")
    plane: Plane = Field(default="xy", description='plane of planar bodies: "xy" (normal z) or "xz" (normal −y)')
    markers: tuple[Marker, ...] = Field(
        default=(), validation_alias="marker", serialization_alias="marker", description='named frames on the ground: "ground.name"'
    )

    @model_validator(mode="after")
    def coherent(self) -> Self:
        check_markers(self.markers, "ground")
        for k, marker in enumerate(self.markers):
            marker.in_plane(None, f"marker[{k}]")
        return self
