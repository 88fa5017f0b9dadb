"""A [[body]] table. The parameters of the body's kind (`type`) stay unchecked in `raw`."""

from __future__ import annotations

import functools
import operator
from typing import Any, Self

import numpy as np
from pydantic import Field, PrivateAttr, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.model.activity import Acts
from mbplugin.model.functions import LARGEST
from mbplugin.model.marker import Marker, check_markers
from mbplugin.model.mass import Inertia, MassProperties, combined, inertia_matrix
from mbplugin.model.names import GROUND, Name
from mbplugin.model.orientation import matrix
from mbplugin.model.placed import Placed
from mbplugin.model.plane import NORMAL, along_normal, out_of_plane, to_spatial
from mbplugin.model.quantities import SMALLEST, PlaneVector, Positive, Rate
from mbplugin.model.shape import Mesh, Shape, SurfaceFaces, SurfaceNode
from mbplugin.model.table import Element

PLANAR, POINT = "planar", "point"
ROUNDING = 1e-9  # largest out-of-plane part, relative


class Body(Element, Placed):
    """A body. `position` and `orientation` are those of the body frame in the world at t = 0.

    Planar bodies also accept two in-plane components for vectors, and a number for angles and rates about
    the normal.
    """

    name: Name = Field(description='name, unique among the bodies; "ground" always exists')
    type: str = Field(
        default="spatial",
        description='body kind: "spatial", "planar", "point", "pseudo_rigid", "finite_element" or one of a '
        "plugin",
    )
    mass: Positive | None = Field(
        default=None, description="mass; alternatively `density` with shapes; not needed for kinematics [kg]"
    )
    inertia: Inertia | None = Field(
        default=None,
        description="about the mass centre in body axes: 3 principal moments or 3x3; planar bodies also "
        "accept one number, about the normal [kg·m²]",
    )
    density: Positive | None = Field(
        default=None, description="density of the shapes; defines mass, mass centre and inertia [kg/m³]"
    )
    center_of_mass: PlaneVector | None = Field(
        default=None, description="mass centre in the body frame; default its origin [m]"
    )
    velocity: PlaneVector = Field(
        default=(0.0, 0.0, 0.0),
        validate_default=False,
        description="of the body frame's origin at t = 0, world axes [m/s]",
    )
    angular_velocity: Rate = Field(
        default=(0.0, 0.0, 0.0),
        validate_default=False,
        description="at t = 0, world axes; planar bodies also accept one number [rad/s]",
    )
    collide: bool = Field(default=False, description="whether its shapes collide, unless one says otherwise")
    contacts: Acts | None = Field(
        default=None, description="when its shapes collide: a table with `active` or `release`"
    )
    material: Name | None = Field(
        default=None, description="a `[[material]]`, of its shapes and of a body that deforms"
    )
    group: Name | None = Field(
        default=None, description="bodies of the same group do not collide with each other"
    )
    shapes: tuple[Shape, ...] = Field(
        default=(),
        validation_alias="shape",
        serialization_alias="shape",
        description="geometry of the body, and with a density its mass",
    )
    markers: tuple[Marker, ...] = Field(
        default=(),
        validation_alias="marker",
        serialization_alias="marker",
        description="named frames on the body",
    )

    _key: str = PrivateAttr("body")  # path in the scene, such as "body[1]"
    _surface: tuple[SurfaceNode | SurfaceFaces, ...] = PrivateAttr(())
    #: highest frequency [rad/s] and stiffness-proportional damping [s] of a body that deforms; 0: it does not
    _vibration: tuple[float, float] = PrivateAttr((0.0, 0.0))
    _content: Any = PrivateAttr(
        None
    )  # of a kind whose mass follows from its own keys, once plugins are known

    @model_validator(mode="after")
    def check(self) -> Self:
        if self.name == GROUND:
            raise SceneError("name", self.name, '"ground" is the world; choose another name')
        self.check_mass()
        check_markers(self.markers, "this body")
        if self.type == POINT:
            self.check_point()
        if self.type != PLANAR:
            self.check_spatial()
        return self

    def check_mass(self) -> None:
        """Check that mass and inertia are defined once. Raises SceneError."""
        if self.density is not None:
            if self.mass is not None:
                mend = "`mass` is given as well; give either `mass` and `inertia`, or `density` and shapes"
                raise SceneError("density", self.density, mend)
            if not self.shapes:
                mend = "the body has no shape; add `shape`, or give `mass` and `inertia`"
                raise SceneError("density", self.density, mend)
        if self.has_density:
            for key in ("mass", "inertia", "center_of_mass"):
                if getattr(self, key) is not None:
                    mend = f"already defined by density and shapes; remove `{key}` or the density"
                    raise SceneError(key, getattr(self, key), mend)

    def check_point(self) -> None:
        """Check that a point mass has nothing that needs a rotation. Raises SceneError."""
        if self.inertia is not None:
            raise SceneError("inertia", self.inertia, "a point mass has none; leave it out")
        w = self.angular_velocity
        if w if isinstance(w, float) else any(w):
            raise SceneError("angular_velocity", w, "a point mass does not rotate; leave it out")

    def check_spatial(self, key: str = "") -> None:
        """Check that nothing is given in the short form of planar bodies. Raises SceneError."""
        for name in ("velocity", "center_of_mass"):
            value = getattr(self, name)
            if value is not None and len(value) != 3:
                raise SceneError(name, list(value), "must be a list of 3 numbers; 2 are for planar bodies")
        if isinstance(self.angular_velocity, float):
            mend = "must be a list of 3 numbers; one is for planar bodies"
            raise SceneError("angular_velocity", self.angular_velocity, mend)
        if isinstance(self.inertia, float):
            mend = "must be 3 principal moments or 3x3; one number is for planar bodies"
            raise SceneError("inertia", self.inertia, mend)
        super().check_spatial(key)
        for k, marker in enumerate(self.markers):
            marker.check_spatial(f"marker[{k}]")
        for k, shape in enumerate(self.shapes):
            shape.check_spatial(f"shape[{k}]")

    def attached(self, plane: str, key: str, folder: Any) -> Self:
        """The body as part of a system: its path is `key`, planar vectors are 3D, meshes are in `folder`."""
        body = self if self.type != PLANAR else self.planar(plane, key)
        body._key = key
        for k, shape in enumerate(body.shapes):
            shape._folder, shape._key = folder, f"{key}.shape[{k}]"
        return body

    def planar(self, plane: str, key: str) -> Self:
        """A copy of this planar body with 3D vectors. Raises SceneError if it does not stay in the plane."""
        w = self.angular_velocity
        changes: dict[str, Any] = {
            "position": to_spatial(self.position, plane),
            "velocity": to_spatial(self.velocity, plane),
            "angular_velocity": along_normal(w, plane) if isinstance(w, float) else w,
            "markers": tuple(marker.in_plane(plane) for marker in self.markers),
            "shapes": tuple(shape.in_plane(plane) for shape in self.shapes),
        }
        if self.center_of_mass is not None:
            changes["center_of_mass"] = to_spatial(self.center_of_mass, plane)
        keys_set = self.model_fields_set
        body = self.model_copy(update=changes)
        body.model_fields_set.intersection_update(keys_set)
        body._plane = plane
        body.check_plane(plane, key)
        return body

    def check_plane(self, plane: str, key: str) -> None:
        """Check that velocity and rotation keep the body in its plane. Raises SceneError."""
        n = NORMAL[plane]
        if out_of_plane(self.velocity, plane):
            mend = f"must lie in the plane {plane} of the planar body: no component along the normal"
            raise SceneError(f"{key}.velocity", list(self.velocity), mend)
        about_normal = f"planar bodies rotate only about the normal {list(n)} of the plane {plane}"
        w = self.angular_velocity
        assert isinstance(w, tuple)
        rate = out_of_plane(w, plane)
        if any(abs(a - rate * b) > ROUNDING * max(map(abs, w)) for a, b in zip(w, n)):
            raise SceneError(f"{key}.angular_velocity", list(w), about_normal)
        q = self.rotation()
        if np.abs(np.cross(q[1:], n)).max() > ROUNDING:
            orientation = self.orientation.model_dump(exclude_none=True) if self.orientation else {}
            mend = f"{about_normal}; write {{ angle_deg = ... }}"
            raise SceneError(f"{key}.orientation", orientation, mend)

    @property
    def has_density(self) -> bool:
        """Whether shapes and densities define the mass."""
        return self.density is not None or any(shape.density for shape in self.shapes)

    @property
    def has_mass(self) -> bool:
        """Whether the mass is defined."""
        return self.mass is not None or self.has_density or self._content is not None

    @property
    def volume(self) -> float | None:
        """Volume of the shapes that give the mass [m³]; None if no shapes give it."""
        if self.mass is not None or not self.has_density:
            return None
        densities = [self.density if shape.density is None else shape.density for shape in self.shapes]
        parts = [shape.unit_density_properties() for shape, d in zip(self.shapes, densities) if d]
        return float(sum(part.mass for part in parts))

    def mass_properties(self) -> MassProperties:
        """Mass [kg], mass centre (3,) in the body frame [m], inertia (3, 3) about it in body axes [kg·m²].

        Computed once. Raises SceneError if something is missing.
        """
        return self.computed_mass_properties

    def take_mass_properties(self, other: Body) -> None:
        """Take over those of a body, if they have been computed from the same values."""
        if other._content is not None:  # depends on its material and files too
            return
        values = lambda body: [
            body.type,
            body._plane,
            body.mass,
            body.inertia,
            body.center_of_mass,
            body.density,
        ]
        same_shapes = len(self.shapes) == len(other.shapes) and all(
            map(operator.is_, self.shapes, other.shapes)
        )
        if same_shapes and repr(values(self)) == repr(values(other)):  # repr, since 0.0 == -0.0
            known = vars(other).get("computed_mass_properties")
            if known is not None:
                vars(self)["computed_mass_properties"] = known

    @functools.cached_property
    def computed_mass_properties(self) -> MassProperties:
        """The mass properties, computed from mass and inertia or from the shapes."""
        if self._content is not None:
            return self._content.mass
        if not self.has_mass:
            mend = f'body "{self.name}" needs `mass` and `inertia`, or `density` and shapes'
            raise SceneError(f"{self._key}.mass", NOT_GIVEN, mend)
        if self.mass is None:
            densities = [self.density if shape.density is None else shape.density for shape in self.shapes]
            parts = [shape.mass_properties(d) for shape, d in zip(self.shapes, densities) if d]
            if not parts:
                mend = "all shapes have density 0, so the body has no mass"
                raise SceneError(f"{self._key}.density", self.density, mend)
            return self.check_range(combined(parts), "density", "density")
        center = np.array(self.center_of_mass if self.center_of_mass is not None else (0.0, 0.0, 0.0))
        if self.type == POINT:
            return MassProperties(self.mass, center, np.zeros((3, 3)))
        if self.inertia is None:
            mend = (
                f'body "{self.name}" has a mass and needs `inertia` too, or `density` and shapes; '
                f'a point mass is of type = "{POINT}"'
            )
            raise SceneError(f"{self._key}.inertia", NOT_GIVEN, mend)
        inertia = inertia_matrix(self.inertia, self._plane)
        return self.check_range(MassProperties(self.mass, center, inertia), "mass", "inertia")

    def check_range(self, total: MassProperties, mass_key: str, inertia_key: str) -> MassProperties:
        """`total`, if its numbers are between SMALLEST and LARGEST. Raises SceneError at one of the keys."""
        finite = np.isfinite(total.inertia).all()
        moments = np.linalg.eigvalsh(total.inertia) if finite else np.array([np.inf])
        accepted = f"from {SMALLEST:g} to {LARGEST:g}"
        if not SMALLEST <= total.mass <= LARGEST:
            mend = f'body "{self.name}" would have a mass of {total.mass:.3g} kg; accepted are {accepted} kg'
            raise SceneError(f"{self._key}.{mass_key}", getattr(self, mass_key), mend)
        if not (moments[0] >= SMALLEST and moments[-1] <= LARGEST):
            mend = (
                f'body "{self.name}" would have principal moments from {moments[0]:.3g} to '
                f"{moments[-1]:.3g} kg·m²; accepted are {accepted} kg·m²"
            )
            raise SceneError(f"{self._key}.{inertia_key}", getattr(self, inertia_key), mend)
        return total

    @property
    def content(self) -> Any:
        """Product of its kind from its keys, such as a mesh; None if its kind makes nothing."""
        return self._content

    @property
    def vibration(self) -> tuple[float, float]:
        """A bound of the highest frequency [rad/s] and stiffness-proportional damping [s] of a body that
        deforms, once plugins are known; 0 of others.
        """
        return self._vibration

    @property
    def surface_shapes(self) -> tuple[SurfaceNode | SurfaceFaces, ...]:
        """The nodes of the surface of a body that collides, as shapes, and its faces as one."""
        nodes = getattr(self._content, "surface", None)
        if nodes is None or not self.collide:
            return ()
        if not self._surface:
            faces = [SurfaceFaces.made(nodes.points, nodes.faces)] if len(nodes.faces) else []
            count, size = len(nodes.records), (nodes.radius, nodes.extent)
            self._surface = (*(SurfaceNode.made(k, *size, bool(faces)) for k in range(count)), *faces)
        return self._surface

    def place_of(self, marker: Marker) -> tuple[Any, Any]:
        """(3,) position [m] and (3, 3) axes of one of its markers in the body frame."""
        if self._content is not None and marker.name in self._content.markers:
            return self._content.markers[marker.name]
        return np.array(marker.position, float), matrix(tuple(marker.rotation()))

    def check_files(self) -> None:
        """Check that the mesh files exist. Raises SceneError."""
        for shape in self.shapes:
            if isinstance(shape, Mesh):
                shape.path()
