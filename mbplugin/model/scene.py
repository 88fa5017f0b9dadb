"""The [scene] table: name, gravity, plane, markers on the ground."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from mbplugin.errors import SceneError
from mbplugin.model.contact import check_collisions
from mbplugin.model.marker import Marker, check_markers
from mbplugin.model.names import Name
from mbplugin.model.plane import Plane, out_of_plane
from mbplugin.model.quantities import NonNegative, Vector
from mbplugin.model.shape import Mesh, Shape
from mbplugin.model.table import Table

ROUNDING = 1e-12  # largest out-of-plane part of gravity, relative
LARGEST_TOLERANCE = 0.01  # [rad]


class Scene(Table):
    """Name, gravity and plane of the scene."""

    name: str = Field(default="", description="name of the scene; default the file name")
    gravity: Vector = Field(
        default=(0.0, 0.0, -9.81), description="gravitational acceleration, world axes [m/s²]"
    )
    plane: Plane = Field(
        default="xy", description='plane of planar bodies: "xy" (normal z) or "xz" (normal −y)'
    )
    given_velocities: Literal["first", "impulse"] = Field(
        default="first",
        description='initial velocities that contradict each other or the joints: "first" keeps those that '
        'come first in the file, "impulse" changes all as an impulse of the joints would (mass-weighted)',
    )
    start: Literal["given", "static"] = Field(
        default="given",
        description='where a run begins: "given", the positions of the scene, or "static", the equilibrium '
        "that is searched from there; given velocities are added",
    )
    angle_tolerance: NonNegative = Field(
        default=0.0,
        description="angle within which axes of joints count as parallel or perpendicular at t = 0, and are "
        "made so: for angles that are written with a few digits; at most 0.01 [rad]",
    )
    markers: tuple[Marker, ...] = Field(
        default=(),
        validation_alias="marker",
        serialization_alias="marker",
        description='named frames on the ground: "ground.name"',
    )

    left_out: tuple[str, ...] = Field(
        default=(), description="what an import has left out of its source, as `mbplugin check` tells it"
    )
    collide: bool = Field(
        default=False, description="whether the shapes of the ground collide, unless one says otherwise"
    )
    contacts: bool = Field(
        default=True, description="false: nothing collides, whatever `collide` says, for any solver"
    )
    material: Name | None = Field(default=None, description="a `[[material]]`, of the ground's shapes")
    shapes: tuple[Shape, ...] = Field(
        default=(),
        validation_alias="shape",
        serialization_alias="shape",
        description="geometry of the ground, which does not move",
    )

    @model_validator(mode="after")
    def check(self) -> Self:
        if self.angle_tolerance > LARGEST_TOLERANCE:
            mend = f"is for angles that differ by rounding: at most {LARGEST_TOLERANCE} rad, such as 1e-5"
            raise SceneError("angle_tolerance", self.angle_tolerance, mend)
        check_markers(self.markers, "ground")
        for k, marker in enumerate(self.markers):
            marker.check_spatial(f"marker[{k}]")
        for k, shape in enumerate(self.shapes):
            shape.check_spatial(f"shape[{k}]")
            if shape.density:
                raise SceneError(f"shape[{k}].density", shape.density, "the ground has no mass; leave it out")
        return self

    def attach_shapes(self, folder: Any) -> None:
        """Tell the shapes their keys and the folder of their meshes. Raises SceneError for a missing file."""
        check_collisions(self, "scene")
        for k, shape in enumerate(self.shapes):
            shape._folder, shape._key = folder, f"scene.shape[{k}]"
            if isinstance(shape, Mesh):
                shape.path()

    def check_gravity(self) -> None:
        """Check that gravity lies in the plane of the planar bodies. Raises SceneError."""
        g = self.gravity
        if abs(out_of_plane(g, self.plane)) > ROUNDING * max(map(abs, g)):
            example = "[0, -9.81, 0]" if self.plane == "xy" else "[0, 0, -9.81]"
            default = "" if "gravity" in self.model_fields_set else " (the default)"
            what = f'points out of the plane "{self.plane}" of the planar bodies{default}'
            mend = f"{what}; give gravity = {example} or [0, 0, 0], or choose another plane"
            raise SceneError("scene.gravity", list(g), mend)
