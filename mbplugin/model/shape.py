"""Shapes: what a body looks like, and with a density what it weighs.

Mass properties of the primitives are closed forms (unit density, own frame, about the mass centre); meshes by
trimesh.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, PrivateAttr, WithJsonSchema

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.model.mass import MassProperties, moved
from mbplugin.model.names import Name
from mbplugin.model.orientation import matrix
from mbplugin.model.placed import Placed
from mbplugin.model.quantities import NonNegative, Positive, array_schema, numbers

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


def a_color(value: Any, info: Any) -> tuple[float, ...]:
    """Red, green, blue from 0 to 1."""
    if isinstance(value, str):
        if value in COLORS:
            return COLORS[value]
        if re.fullmatch("#[0-9a-fA-F]{6}", value):
            return tuple(int(value[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
        near = did_you_mean(value, COLORS)
        raise SceneError(
            value=value,
            mend=f'unknown color{near or f"; known are {listed(COLORS, 20)}"}, "#rrggbb" and [r, g, b] from 0 to 1',
        )
    rgb = numbers(value, info, 3, what="must be [r, g, b] from 0 to 1, a name or #rrggbb")
    if not all(0.0 <= c <= 1.0 for c in rgb):
        raise SceneError(value=value, mend="must be from 0 to 1")
    return rgb


def a_size(value: Any, info: Any) -> tuple[float, ...]:
    size = numbers(value, info, 3)
    for k, length in enumerate(size):
        if length <= 0.0:
            raise SceneError(f"[{k}]", length, "must be greater than 0")
    return size


Color = Annotated[
    tuple[float, float, float],
    BeforeValidator(a_color),
    WithJsonSchema({"anyOf": [array_schema(3, 3), {"type": "string"}]}),
]
Size = Annotated[tuple[float, float, float], BeforeValidator(a_size), WithJsonSchema(array_schema(3, 3))]


#: points (n, 3) [m] and triangles (m, 3), counter-clockwise seen from outside
Triangles = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
#: of a circle
SIDES = 32


def primitives() -> Any:
    """trimesh's primitive shapes; trimesh takes 0.4 s to import."""
    from trimesh import creation

    return creation


def triangles_of(mesh: Any) -> Triangles:
    return np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.int64)


class ShapeBase(Placed):
    """`position` and `orientation` are those of the shape's own frame in the body's frame."""

    name: Name | None = Field(default=None, description="name of the shape's mesh in results")
    color: Color | None = Field(default=None, description='[r, g, b] from 0 to 1, "#rrggbb" or a name')
    density: NonNegative | None = Field(
        default=None, description="density of this shape, in place of the body's; 0: weighs nothing [kg/m³]"
    )

    _folder: Path | None = PrivateAttr(None)
    _key: str = PrivateAttr("shape")

    def of_unit_density(self) -> MassProperties:
        """Volume [m³], centroid and its inertia per density [m⁵], in the shape's own frame."""
        raise NotImplementedError

    def surface(self) -> Triangles:
        """Points (n, 3) and triangles (m, 3) in the shape's own frame."""
        raise NotImplementedError

    def mass_properties(self, density: float) -> MassProperties:
        """With `density` [kg/m³], in the body's frame."""
        volume, centroid, inertia = self.of_unit_density()
        return moved(
            MassProperties(density * volume, centroid, density * inertia),
            self.axes(),
            np.array(self.position),
        )

    def mesh(self) -> Triangles:
        """Points (n, 3) [m] in the body's frame, and triangles (m, 3), counter-clockwise seen from outside."""
        points, triangles = self.surface()
        return points @ self.axes().T + np.array(self.position), triangles

    def axes(self) -> NDArray[np.float64]:
        w, x, y, z = self.rotation().tolist()
        return matrix((w, x, y, z))


def symmetric(volume: float, xx: float, yy: float, zz: float) -> MassProperties:
    return MassProperties(volume, np.zeros(3), volume * np.diag([xx, yy, zz]))


class Box(ShapeBase):
    """A box about its centre."""

    type: Literal["box"] = "box"
    size: Size = Field(description="edge lengths along x, y, z [m]")

    def of_unit_density(self) -> MassProperties:
        a, b, c = (s * s / 12.0 for s in self.size)
        return symmetric(math.prod(self.size), b + c, a + c, a + b)

    def surface(self) -> Triangles:
        return triangles_of(primitives().box(self.size))


class Sphere(ShapeBase):
    """A sphere about its centre."""

    type: Literal["sphere"] = "sphere"
    radius: Positive = Field(description="radius [m]")

    def of_unit_density(self) -> MassProperties:
        r = self.radius
        return symmetric(4.0 / 3.0 * math.pi * r**3, *(3 * [0.4 * r * r]))

    def surface(self) -> Triangles:
        return triangles_of(primitives().icosphere(subdivisions=2, radius=self.radius))


class Cylinder(ShapeBase):
    """A cylinder along z about its centre."""

    type: Literal["cylinder"] = "cylinder"
    radius: Positive = Field(description="radius [m]")
    length: Positive = Field(description="length along z [m]")

    def of_unit_density(self) -> MassProperties:
        r, L = self.radius, self.length
        across = r * r / 4.0 + L * L / 12.0
        return symmetric(math.pi * r * r * L, across, across, 0.5 * r * r)

    def surface(self) -> Triangles:
        return triangles_of(primitives().cylinder(self.radius, self.length, sections=SIDES))


class Capsule(ShapeBase):
    """A cylinder along z with half spheres at its ends, about its centre."""

    type: Literal["capsule"] = "capsule"
    radius: Positive = Field(description="radius [m]")
    length: Positive = Field(
        description="length of the cylindrical part along z, without the half spheres [m]"
    )

    def of_unit_density(self) -> MassProperties:
        r, L = self.radius, self.length
        rod, ball = math.pi * r * r * L, 4.0 / 3.0 * math.pi * r**3
        # each half sphere: 2/5 m r² about its flat face's centre, its mass centre 3/8 r beyond
        across = rod * (r * r / 4.0 + L * L / 12.0) + ball * (0.4 * r * r + L * L / 4.0 + 3.0 / 8.0 * L * r)
        along = rod * 0.5 * r * r + ball * 0.4 * r * r
        return MassProperties(rod + ball, np.zeros(3), np.diag([across, across, along]))

    def surface(self) -> Triangles:
        return triangles_of(primitives().capsule(self.length, self.radius, count=(SIDES, SIDES // 2)))


class Mesh(ShapeBase):
    """Triangles from a file: STL, OBJ or PLY, in the scene's folder."""

    type: Literal["mesh"] = "mesh"
    file: str = Field(description="path of the file, relative to the scene's folder and inside it")
    scale: Positive = Field(default=1.0, description="factor from the file's lengths to metres")

    def path(self) -> Path:
        """Where the file is; it exists, is inside the scene's folder and of a kind that is read. Raises
        SceneError.
        """
        folder = (self._folder or Path()).resolve()
        try:
            path = (folder / self.file).resolve()
            there = path.is_file()
        except (OSError, ValueError, RuntimeError) as error:  # too long, a null byte, a circle of links
            raise self.wrong(f"is no path of a file: {getattr(error, 'strerror', None) or error}") from None
        if not path.is_relative_to(folder):
            raise self.wrong("must be inside the scene's folder; copy the file there")
        if path.suffix.lower() not in (".stl", ".obj", ".ply"):
            raise self.wrong("must be an STL, OBJ or PLY file")
        if not there:
            raise self.wrong(f"there is no such file in {folder}")
        return path

    def wrong(self, mend: str) -> SceneError:
        return SceneError(f"{self._key}.file", self.file, mend)

    def read(self) -> Any:
        """The trimesh, scaled to metres."""
        import trimesh

        path = self.path()
        further: dict[str, Any] = {"skip_materials": True} if path.suffix.lower() == ".obj" else {}
        try:
            mesh: Any = trimesh.load(str(path), force="mesh", **further)
        except Exception as error:
            raise self.wrong(f"cannot be read: {type(error).__name__}: {error}") from None
        if not len(getattr(mesh, "faces", ())) or not np.isfinite(mesh.vertices).all():
            raise self.wrong("holds no triangles, or points that are not finite")
        mesh.apply_scale(self.scale)
        return mesh

    def of_unit_density(self) -> MassProperties:
        mesh = self.read()
        if not mesh.is_watertight or not mesh.is_winding_consistent:
            raise self.wrong(
                "is not watertight, so it has no mass; close its surface, "
                "or give `mass` and `inertia` in place of `density`"
            )
        if mesh.volume < 0.0:
            mesh.invert()
        properties = mesh.mass_properties
        return MassProperties(
            float(properties.volume), np.array(properties.center_mass), np.array(properties.inertia)
        )

    def surface(self) -> Triangles:
        mesh = self.read()
        if mesh.is_watertight and mesh.volume < 0.0:
            mesh.invert()
        return np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64)


Shape = Annotated[Box | Sphere | Cylinder | Capsule | Mesh, Field(discriminator="type")]
