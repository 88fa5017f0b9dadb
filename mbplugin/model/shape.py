"""Shapes: the geometry of a body for pictures and, with a density, for its mass properties.

Primitives have mass properties in closed form; those of meshes come from trimesh.
"""

from __future__ import annotations

import functools
import io
import math
import re
from collections.abc import Hashable
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
    WithJsonSchema,
    model_serializer,
    model_validator,
)

from mbplugin.errors import MissingLibraryError, PluginError, SceneError, listed, value_text
from mbplugin.math.primitives import Triangles, unit_primitive
from mbplugin.model.convex import convex_surface, validate_points
from mbplugin.model.expression import number
from mbplugin.model.mass import MassProperties, to_parent
from mbplugin.model.mesh_files import check_ply, read_obj
from mbplugin.model.names import Name
from mbplugin.model.parts import kept_parts
from mbplugin.model.placed import Placed
from mbplugin.model.quantities import (
    ABOVE_ZERO,
    FARTHEST,
    FUNCTION_SCHEMA,
    NonNegative,
    Number,
    Positive,
    array_schema,
    each,
    items_of,
    rule,
    validate_numbers,
)
from mbplugin.model.scene_files import path_in_folder
from mbplugin.model.section import Section
from mbplugin.model.table import Element

#: extent of a mesh across a plane, relative to that along it, that is rounding
FLAT = 1e-9
COLORS = {
    "white": (1.0, 1.0, 1.0),
    "black": (0.0, 0.0, 0.0),
    "grey": (0.5, 0.5, 0.5),
    "gray": (0.5, 0.5, 0.5),
    "silver": (0.75, 0.75, 0.75),
    "red": (0.84, 0.15, 0.16),
    "green": (0.17, 0.63, 0.17),
    "blue": (0.12, 0.47, 0.71),
    "orange": (1.0, 0.5, 0.05),
    "yellow": (0.95, 0.8, 0.1),
    "purple": (0.58, 0.4, 0.74),
    "brown": (0.55, 0.34, 0.29),
    "pink": (0.89, 0.47, 0.76),
    "cyan": (0.09, 0.75, 0.81),
    "gold": (0.85, 0.65, 0.13),
    "steel": (0.6, 0.65, 0.7),
}


def validate_color(value: Any, info: Any) -> tuple[float, ...]:
    """Red, green, blue from 0 to 1. Raises SceneError."""
    if isinstance(value, str):
        if value in COLORS:
            return COLORS[value]
        if re.fullmatch("#[0-9a-fA-F]{6}", value):
            return tuple(int(value[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
        mend = (
            f'unknown color; known: {listed(COLORS, 20)}; also accepted: "#rrggbb" and [r, g, b] from 0 to 1'
        )
        raise SceneError(value=value, mend=mend)
    rgb = validate_numbers(value, info, 3, what="must be [r, g, b] from 0 to 1, a name or #rrggbb")
    if not all(0.0 <= c <= 1.0 for c in rgb):
        raise SceneError(value=value, mend="must be from 0 to 1")
    return rgb


def validate_size(value: Any, info: Any, n: int = 3) -> tuple[float, ...]:
    return each(validate_numbers(value, info, n), rule(ABOVE_ZERO))


Color = Annotated[
    tuple[float, float, float],
    BeforeValidator(validate_color),
    WithJsonSchema({"anyOf": [array_schema(3, 3), {"type": "string"}]}),
]
Size = Annotated[
    tuple[float, float, float], BeforeValidator(validate_size), WithJsonSchema(array_schema(3, 3))
]


Concavity = Annotated[Number, AfterValidator(rule((lambda c: 0.01 <= c <= 1.0, "must be from 0.01 to 1")))]
PlaneSize = Annotated[
    tuple[float, float],
    BeforeValidator(lambda value, info: validate_size(value, info, 2)),
    WithJsonSchema(array_schema(2, 2)),
]


def validate_functions(value: Any, info: Any) -> tuple[float | str, ...]:
    """Three numbers or texts of expressions. Raises SceneError."""
    items = items_of(value, (3,), "must be a list of 3 numbers or expressions of time")
    return each(items, lambda one: one if isinstance(one, str) else number(one))


SurfaceVelocity = Annotated[
    tuple[float | str, float | str, float | str],
    BeforeValidator(validate_functions),
    WithJsonSchema(array_schema(3, 3, FUNCTION_SCHEMA)),
]

HullPoints = Annotated[
    tuple[tuple[float, float, float], ...],
    BeforeValidator(validate_points),
    WithJsonSchema(array_schema(4, None, array_schema(3, 3))),
]


class ShapeBase(Placed):
    """Base class; `position` and `orientation` are those of the shape frame in the body frame."""

    name: Name | None = Field(default=None, description="name of the shape's mesh in results")
    color: Color | None = Field(
        default=None, description=f'[r, g, b] from 0 to 1, "#rrggbb", or one of {", ".join(COLORS)}'
    )
    density: NonNegative | None = Field(
        default=None, description="density of this shape, overrides the body's; 0: massless [kg/m³]"
    )

    collide: bool | None = Field(
        default=None, description="whether the shape collides with others; default as its body says"
    )
    material: Name | None = Field(default=None, description="a `[[material]]`; default that of its body")
    surface_velocity: SurfaceVelocity | None = Field(
        default=None,
        description="velocity of its material relative to the body, as of a conveyor, in the body's axes "
        "[m/s]; numbers or expressions of time",
    )
    visible: bool = Field(default=True, description="false: pictures and series leave it out")

    _folder: Path | None = PrivateAttr(None)  # of mesh files
    _key: str = PrivateAttr("shape")  # path in the scene, such as "body[1].shape[0]"
    _kind: Any = PrivateAttr(None)  # the `ShapeKind` of its type, if it collides
    _stretched: bool = PrivateAttr(False)  # whether its body stretches, and the shape with it
    _section: Section | None = PrivateAttr(None)  # where planar bodies touch it

    @model_validator(mode="after")
    def keep_type(self) -> Self:
        """A scene written from Python objects names the type, which the class gives."""
        self.model_fields_set.add("type")
        return self

    def unit_density_properties(self) -> MassProperties:
        """Volume [m³], centroid (3,) [m] and inertia about it per density (3, 3) [m⁵], in the shape frame."""
        raise NotImplementedError

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        """The key of a mesh that similar shapes share, and the factors along its axes for this shape."""
        raise NotImplementedError

    def template_surface(self) -> Triangles:
        """Points (n, 3) and triangles (m, 3) of the shared mesh, before the factors of `template`."""
        return unit_primitive(self.type)  # type: ignore[attr-defined]

    def surface(self) -> Triangles:
        """Points (n, 3) [m] in the shape frame and triangles (m, 3)."""
        points, triangles = self.template_surface()
        return points * self.template()[1], triangles

    @property
    def kind(self) -> Any:
        """The `ShapeKind` of its type, once plugins are known; None of one that does not collide."""
        return self._kind

    @property
    def stretched(self) -> bool:
        """Whether its body stretches, and the shape with it, once plugins are known."""
        return self._stretched

    @property
    def contact_type(self) -> str:
        """The type as which it touches others."""
        return self.type  # type: ignore[attr-defined,no-any-return]

    @property
    def section(self) -> Section | None:
        """The plane in which it touches planar bodies, of shapes of these and of the ground, once plugins are
        known; None where no planar body collides, and of shapes of other bodies.
        """
        return self._section

    @property
    def tabled_type(self) -> str:
        """Its type in the table of shapes: stretched shapes touch others by functions of their own."""
        return f"stretched {self.contact_type}" if self._stretched else self.contact_type

    @property
    def keys_of_kind(self) -> Any:
        """What the functions of its kind get as `keys`."""
        return self

    @property
    def shown_before(self) -> int:
        """How many places of the table of shapes its mesh goes before it, of a part of a mesh; else 0."""
        return 0

    def numbers(self) -> tuple[float, ...]:
        """The lengths [m] that define it, as in the table of shapes; zero of others."""
        return (0.0, 0.0, 0.0)

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties for `density` [kg/m³], in the body frame."""
        volume, centroid, inertia = self.unit_density_properties()
        properties = MassProperties(density * volume, centroid, density * inertia)
        return to_parent(properties, self.axes(), np.array(self.position))

    def mesh(self) -> Triangles:
        """Points (n, 3) [m] in the body frame and triangles (m, 3), counter-clockwise seen from outside."""
        points, triangles = self.surface()
        return points @ self.axes().T + np.array(self.position), triangles


def diagonal(volume: float, xx: float, yy: float, zz: float) -> MassProperties:
    """Properties of a centred shape with unit density; xx, yy, zz are squared radii of gyration [m²]."""
    return MassProperties(volume, np.zeros(3), volume * np.diag([xx, yy, zz]))


class Box(ShapeBase):
    """A box, centred at the origin of its frame."""

    type: Literal["box"] = "box"
    size: Size = Field(description="edge lengths along x, y, z [m]")

    def numbers(self) -> tuple[float, ...]:
        return self.size

    def unit_density_properties(self) -> MassProperties:
        a, b, c = (s * s / 12.0 for s in self.size)
        return diagonal(math.prod(self.size), b + c, a + c, a + b)

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        return "box", self.size


class Sphere(ShapeBase):
    """A sphere, centred at the origin of its frame."""

    type: Literal["sphere"] = "sphere"
    radius: Positive = Field(description="radius [m]")

    def numbers(self) -> tuple[float, ...]:
        return (self.radius, 0.0, 0.0)

    def unit_density_properties(self) -> MassProperties:
        r = self.radius
        return diagonal(4.0 / 3.0 * math.pi * r**3, *(3 * [0.4 * r * r]))

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        return "sphere", (self.radius, self.radius, self.radius)


class SurfaceNode(Sphere):
    """A node of the surface of a body, as it touches others: a ball of a radius that may be 0. The engine
    makes it, and no picture shows it.
    """

    radius: float = 0.0

    _extent: float = PrivateAttr(0.0)  # distance of its neighbours [m]
    _node: int = PrivateAttr(0)  # number among those of the body
    _of_faces: bool = PrivateAttr(False)  # whether the body has faces, which touch what is between nodes

    @classmethod
    def made(cls, node: int, radius: float, extent: float, of_faces: bool) -> Self:
        """The node with this number, whose neighbours are so far away [m]."""
        one = cls.model_construct(radius=radius)
        one._extent, one._node, one._of_faces = extent, node, of_faces
        return one

    @property
    def contact_type(self) -> str:
        """Of a body with faces a node touches half-spaces, and faces of others; else all as a ball."""
        return "node" if self._of_faces else self.type


class SurfaceFaces(ShapeBase):
    """The faces of the surface of a body that deforms, as they touch others: triangles between its nodes, or
    four of them about the middle of each quadrilateral. The engine makes it.
    """

    type: Literal["faces"] = "faces"

    _points: Any = PrivateAttr(None)  # (n, 3) of the nodes in the body frame at the start [m]
    _faces: Any = PrivateAttr(None)  # (m, 3 or 4) nodes of each

    @classmethod
    def made(cls, points: Any, faces: Any) -> Self:
        """Faces (m, 3 or 4) between nodes at `points` (n, 3) in the body frame [m]."""
        one = cls.model_construct()
        one._points, one._faces = points, faces
        return one

    def surface(self) -> Triangles:
        """Nodes, then middles; the triangles of each face one behind the other."""
        points, faces = self._points, self._faces
        if faces.shape[1] == 3:
            return points, faces
        middle = np.repeat(len(points) + np.arange(len(faces)), 4)
        sides = np.column_stack([faces.ravel(), np.roll(faces, -1, axis=1).ravel(), middle])
        return np.concatenate([points, points[faces].mean(axis=1)]), sides


class Cylinder(ShapeBase):
    """A cylinder along z, centred at the origin of its frame."""

    type: Literal["cylinder"] = "cylinder"
    radius: Positive = Field(description="radius [m]")
    length: Positive = Field(description="length along z [m]")

    def numbers(self) -> tuple[float, ...]:
        return (self.radius, self.length, 0.0)

    def unit_density_properties(self) -> MassProperties:
        r, L = self.radius, self.length
        transverse = r * r / 4.0 + L * L / 12.0
        return diagonal(math.pi * r * r * L, transverse, transverse, 0.5 * r * r)

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        return "cylinder", (self.radius, self.radius, self.length)


class Cone(ShapeBase):
    """A cone along z, or the part of one between two circles, centred at the origin of its frame."""

    type: Literal["cone"] = "cone"
    radius: Positive = Field(description="radius of the end at z = −length/2 [m]")
    top_radius: NonNegative = Field(
        default=0.0, description="radius of the end at z = length/2 [m]; 0: it ends in a point"
    )
    length: Positive = Field(description="length along z [m]")

    def numbers(self) -> tuple[float, ...]:
        return (self.radius, self.length, self.top_radius)

    def unit_density_properties(self) -> MassProperties:
        # integrals over discs of radius R + (r − R) s at z = (s − 1/2) L
        R, r, L = self.radius, self.top_radius, self.length
        area = R * R + R * r + r * r
        volume = math.pi * L * area / 3.0
        above = L * (R * R + 2.0 * R * r + 3.0 * r * r) / (4.0 * area)  # centroid over the lower end
        fourth = math.pi * L * (R**4 + R**3 * r + R * R * r * r + R * r**3 + r**4) / 20.0
        second = math.pi * L**3 * (R * R + 3.0 * R * r + 6.0 * r * r) / 30.0
        xx = fourth + second - volume * above**2
        return MassProperties(volume, np.array([0.0, 0.0, above - 0.5 * L]), np.diag([xx, xx, 2.0 * fourth]))

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        return ("cone", self.top_radius / self.radius), (self.radius, self.radius, self.length)

    def template_surface(self) -> Triangles:
        points, triangles = unit_primitive("cylinder")
        ratio = self.top_radius / self.radius
        points = points * np.where(points[:, 2:] > 0.0, (ratio, ratio, 1.0), 1.0)
        if ratio > 0.0:
            return points, triangles
        # triangles of the upper end, and half of the side, have no area
        corners = points[triangles]
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        used, numbers = np.unique(corners[area > 1e-12].reshape(-1, 3), axis=0, return_inverse=True)
        return used, numbers.reshape(-1, 3).astype(np.int64)


class Ellipsoid(ShapeBase):
    """An ellipsoid with its half axes along x, y and z, centred at the origin of its frame."""

    type: Literal["ellipsoid"] = "ellipsoid"
    radii: Size = Field(description="half axes along x, y, z [m]")

    def numbers(self) -> tuple[float, ...]:
        return self.radii

    def unit_density_properties(self) -> MassProperties:
        a, b, c = (x * x / 5.0 for x in self.radii)
        return diagonal(4.0 / 3.0 * math.pi * math.prod(self.radii), b + c, a + c, a + b)

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        return "sphere", self.radii

    def template_surface(self) -> Triangles:
        return unit_primitive("sphere")


class Capsule(ShapeBase):
    """A cylinder along z with hemispheres at its ends, centred at the origin of its frame."""

    type: Literal["capsule"] = "capsule"
    radius: Positive = Field(description="radius [m]")
    length: Positive = Field(
        description="length of the cylindrical part along z, without the hemispheres [m]"
    )

    def numbers(self) -> tuple[float, ...]:
        return (self.radius, self.length, 0.0)

    def unit_density_properties(self) -> MassProperties:
        r, L = self.radius, self.length
        rod, ball = math.pi * r * r * L, 4.0 / 3.0 * math.pi * r**3  # volumes
        # hemisphere: inertia 2/5 m r² about the centre of its flat face, mass centre 3/8 r from that face
        xx = rod * (r * r / 4.0 + L * L / 12.0) + ball * (0.4 * r * r + L * L / 4.0 + 3.0 / 8.0 * L * r)
        zz = rod * 0.5 * r * r + ball * 0.4 * r * r
        return MassProperties(rod + ball, np.zeros(3), np.diag([xx, xx, zz]))

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        return ("capsule", self.length / self.radius), (self.radius, self.radius, self.radius)

    def template_surface(self) -> Triangles:
        points, triangles = unit_primitive("capsule")
        ends = np.copysign((0.0, 0.0, 0.5), points) * (0, 0, 1)
        return points - ends + self.length / self.radius * ends, triangles


class Plane(ShapeBase):
    """The plane z = 0 of its frame, solid below. It has no end and no mass; pictures show a part of it."""

    type: Literal["plane"] = "plane"
    size: PlaneSize = Field(default=(10.0, 10.0), description="edges of the part in pictures, along x, y [m]")

    def numbers(self) -> tuple[float, ...]:
        return (*self.size, 0.0)

    def unit_density_properties(self) -> MassProperties:
        mend = "a plane has no end, so it has no mass; give `mass` and `inertia`, or the shape `density = 0`"
        raise SceneError(self._key, "plane", mend)

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        return "plane", (*self.size, 1.0)

    def template_surface(self) -> Triangles:
        corners = np.array([[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]])
        return corners, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int64)


class Convex(ShapeBase):
    """The convex hull of points."""

    type: Literal["convex"] = "convex"
    points: HullPoints = Field(description="points [x, y, z] whose convex hull it is [m]")

    def unit_density_properties(self) -> MassProperties:
        import trimesh  # imported late: takes 0.4 s

        properties: Any = trimesh.Trimesh(*self.surface(), process=False).mass_properties
        return MassProperties(
            float(properties.volume), np.array(properties.center_mass), np.array(properties.inertia)
        )

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        return ("convex", self.points), (1.0, 1.0, 1.0)

    def template_surface(self) -> Triangles:
        return convex_surface(self.points)


class MeshPart(Convex):
    """One of the convex parts as which a mesh touches others. The engine makes it."""

    _number: int = PrivateAttr(0)  # among those of its mesh

    @property
    def shown_before(self) -> int:
        return 1 + self._number

    @classmethod
    def made(cls, mesh: Mesh, corners: NDArray[np.float64], number: int) -> Self:
        """The hull of corners (n, 3) in the frame of a mesh [m], with what the mesh says of its surface."""
        given = {name: getattr(mesh, name) for name in ShapeBase.model_fields}
        one = cls.model_construct(points=tuple(map(tuple, corners.tolist())), **given)
        one._key, one._plane, one._number = mesh._key, mesh._plane, number
        return one


class Mesh(ShapeBase):
    """Triangles from an STL, OBJ or PLY file in the scene's folder."""

    type: Literal["mesh"] = "mesh"
    file: str = Field(description="path of the file, inside the scene's folder and relative to it")
    scale: Positive = Field(default=1.0, description="factor from the file's length unit to metres")
    collision: Literal["mesh", "hull", "parts"] = Field(
        default="mesh",
        description='what of it collides; "mesh": its triangles as they are, "hull": their convex hull, '
        '"parts": convex parts of it, which a file beside the mesh keeps',
    )
    concavity: Concavity = Field(
        default=0.05,
        description="depth of the hollows that one of the `parts` fills, from 0.01 to 1, relative to half of "
        "the largest extent; smaller: more parts",
    )

    @model_validator(mode="after")
    def check_concavity(self) -> Self:
        if "concavity" in self.model_fields_set and self.collision != "parts":
            mend = 'is one of convex parts; give `collision = "parts"`, or leave it out'
            raise SceneError("concavity", self.concavity, mend)
        return self

    @property
    def contact_type(self) -> str:
        """A hull touches as a convex polyhedron."""
        return "convex" if self.collision == "hull" else "mesh"

    @functools.cached_property
    def parts(self) -> tuple[MeshPart, ...]:
        """What touches others in its place, of `collision = "parts"`. Raises SceneError,
        MissingLibraryError.
        """
        if self.collision != "parts":
            return ()
        try:
            found = kept_parts(self.path(), self.in_units_of_file, self.concavity)
        except MissingLibraryError as error:
            raise MissingLibraryError(f"{self._key}.collision: {error}") from None
        except SceneError as error:
            raise error if error.key else SceneError(f"{self._key}.collision", "parts", error.mend) from None
        return tuple(MeshPart.made(self, self.scale * part, k) for k, part in enumerate(found))

    def in_units_of_file(self) -> Triangles:
        """Points and triangles as the file has them. Raises SceneError."""
        points, triangles = self.template_surface()
        if flat(points):
            raise self.file_error('is flat, so it has no convex parts; give `collision = "mesh"`')
        return points / self.scale, triangles

    @property
    def points(self) -> Any:
        """Corners of its convex hull (n, 3) [m]. Raises SceneError."""
        points, _ = self.surface()
        if flat(points):
            raise self.file_error('is flat, so its hull has no volume; give `collision = "mesh"`')
        return convex_surface(points)[0]

    def path(self) -> Path:
        """Path of an existing STL, OBJ or PLY file inside the scene's folder. Raises SceneError."""
        try:
            return path_in_folder(
                self._folder, self.file, (".stl", ".obj", ".ply"), "an STL, OBJ or PLY file"
            )
        except SceneError as error:
            raise self.file_error(error.mend) from None

    def file_error(self, mend: str) -> SceneError:
        return SceneError(f"{self._key}.file", self.file, mend)

    def read(self) -> Any:
        """The mesh as a trimesh object, scaled to metres. Raises SceneError."""
        import trimesh  # imported late: takes 0.4 s

        path = self.path()
        try:
            with np.errstate(all="ignore"):
                # unprocessed: what is not finite would be left out silently
                content = path.read_bytes()
                if path.suffix.lower() == ".obj":
                    mesh: Any = trimesh.Trimesh(*read_obj(content), process=False)
                else:
                    mesh = trimesh.load(
                        io.BytesIO(content), file_type=path.suffix.lower()[1:], force="mesh", process=False
                    )
                if path.suffix.lower() == ".ply":
                    check_ply(content, getattr(mesh, "faces", ()))
                self.check_triangles(mesh)
                mesh.process()
                mesh.apply_scale(self.scale)
        except SceneError as error:
            raise error if error.key else self.file_error(error.mend) from None
        except IndexError:
            raise self.file_error("has a triangle with a vertex that does not exist") from None
        except Exception as error:
            raise self.file_error(f"cannot be read: {type(error).__name__}: {error}") from None
        return mesh

    def check_triangles(self, mesh: Any) -> None:
        """Check that there are triangles between vertices that exist, within reach. Raises SceneError."""
        faces: Any = getattr(mesh, "faces", ())
        points: Any = getattr(mesh, "vertices", ())
        if not len(faces) or not len(points) or not np.isfinite(points).all():
            raise self.file_error("has no triangles, or vertices that are not finite")
        if faces.min() < 0 or faces.max() >= len(points):
            raise self.file_error("has a triangle with a vertex that does not exist")
        if np.abs(points).max() * self.scale > FARTHEST:
            raise self.file_error(f"has a vertex farther away than {FARTHEST:g} m")

    def unit_density_properties(self) -> MassProperties:
        mesh = self.read()
        if flat(mesh.vertices):
            raise self.file_error(
                "is flat: it encloses no volume, and has no mass; give `mass` and `inertia`, not `density`"
            )
        if not mesh.is_watertight or not mesh.is_winding_consistent:
            raise self.file_error(
                "is not watertight, so its mass is undefined; close the surface, "
                "or give `mass` and `inertia` instead of `density`"
            )
        if mesh.volume < 0.0:
            mesh.invert()
        properties = mesh.mass_properties
        return MassProperties(
            float(properties.volume), np.array(properties.center_mass), np.array(properties.inertia)
        )

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        return ("mesh", self.path(), self.scale), (1.0, 1.0, 1.0)

    def template_surface(self) -> Triangles:
        mesh = self.read()
        if mesh.is_watertight and mesh.volume < 0.0:
            mesh.invert()
        return np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64)


def flat(points: NDArray[np.float64]) -> bool:
    """Whether all points (n, 3) lie in a plane."""
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(len(sizes) < 3 or sizes[2] <= FLAT * sizes[0])


class OtherShape(Element, ShapeBase):
    """A shape of a type that a plugin offers. It is complete once the plugin's kind has its keys."""

    type: str = Field(description="a shape that a plugin offers; `mbplugin plugins` lists them")

    _keys: Any = PrivateAttr(None)  # validated by the kind

    @model_serializer(mode="wrap")
    def flat(self, handler: Any) -> dict[str, Any]:
        """Its keys as in a scene: those of the kind beside the others."""
        table: dict[str, Any] = handler(self)
        raw = table.pop("raw", {})
        return {**table, **raw}

    @property
    def keys_of_kind(self) -> Any:
        return self._keys

    def complete(self, kind: Any, keys: Any) -> None:
        """Take the kind of its type, and the keys that the kind has validated."""
        self._kind, self._keys = kind, keys

    def known_kind(self) -> Any:
        """Its kind. Raises SceneError before plugins are known."""
        if self._kind is None:
            what = "is no shape of the engine; what plugins know of it is there once the system is compiled"
            raise SceneError(f"{self._key}.type", self.type, what)
        return self._kind

    def numbers(self) -> tuple[float, ...]:
        return tuple(self.array("numbers", self.known_kind().numbers(self._keys), None).tolist())

    def unit_density_properties(self) -> MassProperties:
        volume, centroid, inertia = self.known_kind().mass_properties(self._keys)
        return MassProperties(
            float(self.array("mass_properties", volume)),
            self.array("mass_properties", centroid, 3),
            self.array("mass_properties", inertia, 3, 3),
        )

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        return (self.type, repr(self._keys)), (1.0, 1.0, 1.0)

    def template_surface(self) -> Triangles:
        points, triangles = self.known_kind().surface(self._keys)
        return self.array("surface", points, None, 3), self.array("surface", triangles, None, 3).astype(
            np.int64
        )

    def array(self, what: str, values: Any, *shape: int | None) -> NDArray[np.float64]:
        """What a function of the kind returns, as numbers in this shape (None: any length). Raises
        PluginError.
        """
        try:
            found = np.asarray(values, np.float64)
        except (TypeError, ValueError):
            found = None
        if (
            found is None
            or len(found.shape) != len(shape)
            or any(n not in (None, m) for n, m in zip(shape, found.shape))
        ):
            wanted = f"({', '.join('n' if n is None else str(n) for n in shape)})" if shape else "a number"
            mend = f"{what} returns {value_text(values)} where {wanted} is needed"
            raise PluginError(f'shape "{self.type}": {mend}')
        return found


#: shapes that the engine itself draws and weighs, by type
ENGINE_SHAPES: dict[str, type[ShapeBase]] = {
    cls.model_fields["type"].default: cls
    for cls in (Box, Sphere, Cylinder, Capsule, Cone, Ellipsoid, Plane, Convex, Mesh)
}


def shape_tag(value: Any) -> str | None:
    """Which class reads a shape: one of the engine's, or "other"; None if it has no type."""
    name = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return name if name is None or (isinstance(name, str) and name in ENGINE_SHAPES) else "other"


Shape = Annotated[
    Annotated[Box, Tag("box")]
    | Annotated[Sphere, Tag("sphere")]
    | Annotated[Cylinder, Tag("cylinder")]
    | Annotated[Capsule, Tag("capsule")]
    | Annotated[Cone, Tag("cone")]
    | Annotated[Ellipsoid, Tag("ellipsoid")]
    | Annotated[Plane, Tag("plane")]
    | Annotated[Convex, Tag("convex")]
    | Annotated[Mesh, Tag("mesh")]
    | Annotated[OtherShape, Tag("other")],
    Discriminator(shape_tag),
]
