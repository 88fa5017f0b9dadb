"""The keys of a finite-element body."""

from __future__ import annotations

from typing import Any, Literal

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.interface import Array, Count, NonNegative, Number, Parameters, Positive
from mbplugin_flexible.meshes import Mesh, beam, box, check_mesh, cylinder, read_mesh, remark_on_size

#: keys of each shape that a mesh is made of
SHAPES = {
    "box": ("size", "divisions"),
    "beam": ("length", "section", "divisions"),
    "cylinder": ("radius", "length", "divisions"),
}


class MeshKeys(Parameters):
    shape: Literal["box", "beam", "cylinder"] | None = None
    """Shape of a mesh that is made: sets are named x-, x+, y-, …, of a cylinder side, z-, z+."""
    size: list[Number] | None = None
    """Edges of a box along x, y, z [m]."""
    section: list[Number] | None = None
    """Edges of the section of a beam along y, z [m]; it lies along x."""
    length: Number | None = None
    """Length of a beam or cylinder [m]."""
    radius: Number | None = None
    """Radius of a cylinder along z [m]."""
    divisions: list[Count] | None = None
    """Elements along x, y, z; of a cylinder around, rings, along."""
    elements: Literal["hex8", "tet4", "tet10", "hex27"] | None = None
    """Kind of the elements of a mesh that is made; default hex8."""
    file: str | None = None
    """File of a mesh: .vtu, .msh, .inp, .med or .bdf."""
    scale: Positive | None = None
    """Metres in a unit of the file; default 1."""

    def mesh(self, folder: Any) -> tuple[Mesh, list[str]]:
        """The mesh, checked, and remarks on it. Raises SceneError."""
        if (self.shape is None) == (self.file is None):
            given_shape = NOT_GIVEN if self.shape is None else self.shape
            raise SceneError("shape", given_shape, 'give one of `shape` ("box", …) and `file`')
        given = self.model_fields_set - {"shape", "file"}
        wanted = SHAPES[self.shape] if self.shape is not None else ()
        allowed = {*wanted, "elements"} if self.shape is not None else {"scale"}
        for name in sorted(given - allowed):
            of = f'shape = "{self.shape}"' if self.shape is not None else "a file"
            mend = f"is no key of a mesh of {of}; its keys are {', '.join(sorted(allowed))}"
            raise SceneError(name, getattr(self, name), mend)
        if self.file is not None:
            mesh = read_mesh(folder, self.file, 1.0 if self.scale is None else self.scale)
            large = remark_on_size(mesh, self.file) if self.scale is None else ()
            return mesh, [*mesh.remarks, *large]
        for name in wanted:
            if getattr(self, name) is None:
                raise SceneError(name, mend=f'a mesh of shape = "{self.shape}" needs {", ".join(wanted)}')
        make: Any = {"box": box, "beam": beam, "cylinder": cylinder}[str(self.shape)]
        made: Mesh = make(*(getattr(self, name) for name in wanted), self.elements or "hex8")
        check_mesh(made, "divisions", self.divisions)
        return made, list(made.remarks)


class Support(Parameters):
    nodes: str
    """Set of nodes that the ground holds."""
    axes: str = "xyz"
    """Axes of the body frame along which they are held."""

    def held(self, mesh: Mesh, key: str) -> Array:
        """(n, 3) whether each node is held along each axis. Raises SceneError."""
        if not self.axes or set(self.axes) - set("xyz") or len(set(self.axes)) < len(self.axes):
            raise SceneError(f"{key}.axes", self.axes, 'must be some of the letters of "xyz", each once')
        found = mesh.points != mesh.points
        nodes = mesh.nodes(self.nodes, f"{key}.nodes")
        for letter in self.axes:
            found[nodes, "xyz".index(letter)] = True
        return found


class FiniteElementParameters(Parameters):
    mesh: MeshKeys
    """The mesh: made of a shape, or read from a file."""
    fix: tuple[Support, ...] = ()
    """Sets of nodes that the ground holds; their velocities are left out."""
    contact_radius: NonNegative = 0.0
    """Radius of the ball about each node of the surface that touches others, if `collide = true` [m]."""
