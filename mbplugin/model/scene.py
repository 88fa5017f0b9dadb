"""The general table of a scene."""

from __future__ import annotations

from pydantic import Field

from mbplugin.model.plane import Plane
from mbplugin.model.quantities import Vector
from mbplugin.model.table import Table


class Scene(Table):
    """Name, gravity and plane of the scene."""

    name: str = Field(default="", description="name of the scene; default the file's")
    gravity: Vector = Field(default=(0.0, 0.0, -9.81), description="acceleration of free fall, world axes [m/s²]")
    plane: Plane = Field(default="xy", description='plane of planar bodies: "xy" (normal z) or "xz" (normal −y)')
