"""A body as it is written. Its kind (`type`) says how it moves; a kind's own keys stay raw in `own`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from pydantic import Field, PrivateAttr, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.model.inertia import Inertia, inertia_matrix
from mbplugin.model.marker import Marker, check_markers
from mbplugin.model.mass import MassProperties, combined
from mbplugin.model.names import GROUND, Name
from mbplugin.model.orientation import matrix
from mbplugin.model.placed import Placed
from mbplugin.model.plane import NORMAL, along_normal, completed, out_of_plane
from mbplugin.model.quantities import PlaneVector, Positive, Rate
from mbplugin.model.shape import Mesh, Shape
from mbplugin.model.table import Element

PLANAR = "planar"
#: masses [kg] and moments [kg·m²] that can be inverted and squared
SMALLEST, LARGEST = 1e-100, 1e100
ROUNDING = 1e-9  # what may stand out of the plane, relative


class Body(Element, Placed):
    """A body. `position` and `orientation` are those of its frame in the world at t = 0.

    Planar bodies may give two components (in the plane) for vectors, a number for angles and rates about the
    normal.
    """

    name: Name = Field(description='name, unique among the bodies; "ground" always exists')
    type: str = Field(default="spatial", description='body kind: "spatial", "planar" or one from a plugin')
    mass: Positive | None = Field(
        default=None, description="mass; or `density` with shapes; kinematics needs none [kg]"
    )
    inertia: Inertia | None = Field(
        default=None,
        description="about the mass centre in body axes: 3 principal moments or 3x3; a planar body's may be "
        "one number, about the normal [kg·m²]",
    )
    density: Positive | None = Field(
        default=None, description="density of the shapes; gives mass, mass centre and inertia [kg/m³]"
    )
    center_of_mass: PlaneVector | None = Field(
        default=None, description="mass centre in the body frame; default its origin [m]"
    )
    velocity: PlaneVector = Field(
        default=(0.0, 0.0, 0.0), description="of the body frame's origin at t = 0, world axes [m/s]"
    )
    angular_velocity: Rate = Field(
        default=(0.0, 0.0, 0.0), description="at t = 0, world axes; a planar body's may be one number [rad/s]"
    )
    shapes: tuple[Shape, ...] = Field(
        default=(),
        validation_alias="shape",
        serialization_alias="shape",
        description="what the body looks like, and with a density weighs",
    )
    markers: tuple[Marker, ...] = Field(
        default=(),
        validation_alias="marker",
        serialization_alias="marker",
        description="named frames on the body",
    )

    _key: str = PrivateAttr("body")

    @model_validator(mode="after")
    def coherent(self) -> Self:
        if self.name == GROUND:
            raise SceneError("name", self.name, '"ground" is the world; take another name')
        self.check_mass()
        check_markers(self.markers, "this body")
        if self.type != PLANAR:
            self.check_spatial()
        return self

    def check_mass(self) -> None:
        """Mass and inertia come from one place."""
        if self.density is not None:
            if self.mass is not None:
                raise SceneError(
                    "density",
                    self.density,
                    "mass is given too; choose one: `mass` with `inertia`, or `density` with shapes",
                )
            if not self.shapes:
                raise SceneError(
                    "density",
                    self.density,
                    "there is no shape to weigh; add `shape`, or give `mass` and `inertia`",
                )
        heavy = self.density is not None or any(shape.density for shape in self.shapes)
        if heavy:
            for key in ("mass", "inertia", "center_of_mass"):
                if getattr(self, key) is not None:
                    raise SceneError(
                        key,
                        getattr(self, key),
                        f"comes from density and shapes already; leave out `{key}` or the density",
                    )

    def check_spatial(self) -> None:
        """Two components and numbers about the normal are for planar bodies."""
        for key in ("velocity", "center_of_mass"):
            value = getattr(self, key)
            if value is not None and len(value) != 3:
                raise SceneError(key, list(value), "must be a list of 3 numbers; 2 are for planar bodies")
        if isinstance(self.angular_velocity, float):
            raise SceneError(
                "angular_velocity",
                self.angular_velocity,
                "must be a list of 3 numbers; one is for planar bodies",
            )
        if isinstance(self.inertia, float):
            raise SceneError(
                "inertia", self.inertia, "must be 3 principal moments or 3x3; one number is for planar bodies"
            )
        try:
            self.in_plane(None, "")
            for k, marker in enumerate(self.markers):
                marker.in_plane(None, f"marker[{k}]")
            for k, shape in enumerate(self.shapes):
                shape.in_plane(None, f"shape[{k}]")
        except SceneError as error:
            raise SceneError(error.key.lstrip("."), error.value, error.mend) from None

    def placed_in(self, plane: str, key: str, folder: Any) -> Self:
        """The body as part of a system: `key` is its path, planar vectors are completed, meshes are in
        `folder`.
        """
        body = self if self.type != PLANAR else self.completed_in(plane, key)
        body._key = key
        for k, shape in enumerate(body.shapes):
            shape._folder, shape._key = folder, f"{key}.shape[{k}]"
        return body

    def completed_in(self, plane: str, key: str) -> Self:
        """This planar body with all vectors of three components; what leads out of the plane is an error."""
        changes: dict[str, Any] = {
            "position": completed(self.position, plane),
            "velocity": completed(self.velocity, plane),
            "markers": tuple(marker.in_plane(plane, "") for marker in self.markers),
            "shapes": tuple(shape.in_plane(plane, "") for shape in self.shapes),
        }
        if self.center_of_mass is not None:
            changes["center_of_mass"] = completed(self.center_of_mass, plane)
        w = self.angular_velocity
        changes["angular_velocity"] = along_normal(w, plane) if isinstance(w, float) else w
        given = self.model_fields_set
        body = self.model_copy(update=changes)
        body.model_fields_set.intersection_update(given)
        body._plane = plane
        body.check_plane(plane, key)
        return body

    def check_plane(self, plane: str, key: str) -> None:
        n = NORMAL[plane]
        if out_of_plane(self.velocity, plane):
            raise SceneError(
                f"{key}.velocity",
                list(self.velocity),
                f"a planar body moves in the plane {plane}; no component along its normal",
            )
        w = self.angular_velocity
        assert isinstance(w, tuple)
        rate = out_of_plane(w, plane)
        if any(abs(a - rate * b) > ROUNDING * max(map(abs, w)) for a, b in zip(w, n)):
            raise SceneError(
                f"{key}.angular_velocity",
                list(w),
                f"a planar body turns about the normal {list(n)} of the plane {plane} only",
            )
        q = self.rotation()
        if np.abs(np.cross(q[1:], n)).max() > ROUNDING:
            given = self.orientation.model_dump(exclude_none=True) if self.orientation else {}
            mend = f"a planar body turns about the normal {list(n)} of the plane {plane} only; write {{ angle_deg = ... }}"
            raise SceneError(f"{key}.orientation", given, mend)

    @property
    def has_mass(self) -> bool:
        """Whether `mass_properties` has something to tell."""
        return (
            self.mass is not None or self.density is not None or any(shape.density for shape in self.shapes)
        )

    def mass_properties(self) -> MassProperties:
        """Mass [kg], mass centre (3,) in the body frame [m], inertia (3, 3) about it in body axes [kg·m²].

        Raises SceneError where something is missing.
        """
        if not self.has_mass:
            raise SceneError(
                f"{self._key}.mass",
                NOT_GIVEN,
                f'body "{self.name}" needs `mass` and `inertia`, or `density` with shapes',
            )
        if self.mass is None:
            densities = [self.density if shape.density is None else shape.density for shape in self.shapes]
            parts = [shape.mass_properties(d) for shape, d in zip(self.shapes, densities) if d]
            if not parts:
                raise SceneError(
                    f"{self._key}.density", self.density, "all shapes have density 0, so nothing weighs"
                )
            return self.computable(combined(parts), "density")
        if self.inertia is None:
            raise SceneError(
                f"{self._key}.inertia",
                NOT_GIVEN,
                f'body "{self.name}" has a mass and needs `inertia` too, or `density` with shapes',
            )
        center = np.array(self.center_of_mass if self.center_of_mass is not None else (0.0, 0.0, 0.0))
        return self.computable(
            MassProperties(self.mass, center, inertia_matrix(self.inertia, self._plane)), "mass"
        )

    def computable(self, found: MassProperties, key: str) -> MassProperties:
        """`found`, if its numbers are neither too small nor too large to compute with. Raises SceneError."""
        moments = (
            np.linalg.eigvalsh(found.inertia) if np.isfinite(found.inertia).all() else np.array([np.inf])
        )
        if not SMALLEST <= found.mass <= LARGEST:
            mend = f'body "{self.name}" would weigh {found.mass:.3g} kg; from {SMALLEST:g} to {LARGEST:g} kg can be computed with'
            raise SceneError(f"{self._key}.{key}", getattr(self, key), mend)
        if not (moments[0] >= SMALLEST and moments[-1] <= LARGEST):
            mend = f'body "{self.name}" would have a moment of inertia of {moments[0]:.3g} to {moments[-1]:.3g} kg·m²; from {SMALLEST:g} to {LARGEST:g} are possible'
            raise SceneError(
                f"{self._key}.{'inertia' if key == 'mass' else key}",
                self.inertia if key == "mass" else getattr(self, key),
                mend,
            )
        return found

    def axes(self) -> Any:
        """(3, 3) body axes in the world at t = 0, as columns."""
        w, x, y, z = self.rotation().tolist()
        return matrix((w, x, y, z))

    def check_files(self) -> None:
        """Mesh files are there. Raises SceneError."""
        for shape in self.shapes:
            if isinstance(shape, Mesh):
                shape.path()
