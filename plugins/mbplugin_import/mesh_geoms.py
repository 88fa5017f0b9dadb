"""Meshes of MuJoCo that collide: as their convex hulls, or with their hollows."""

from __future__ import annotations

from typing import Any

from mbplugin_import.meshes import as_parts
from mbplugin_import.solids import HOLLOW_PART, Losses, hollow, hull

#: MuJoCo's number of this type of geom
MESH = 7


class MeshGeoms:
    """Which geoms that are meshes have hollows, and how they collide."""

    def __init__(self, model: Any, concave: str, solids: list[int]) -> None:
        """solids: the geoms that collide"""
        self.model, self.losses = model, Losses()
        meshes = {int(model.geom_dataid[g]) for g in solids if model.geom_type[g] == MESH}
        self.hollows = {mesh: empty for mesh in meshes if (empty := self.empty(mesh)) > HOLLOW_PART}
        found = [
            g for g in solids if model.geom_type[g] == MESH and int(model.geom_dataid[g]) in self.hollows
        ]
        self.how = dict.fromkeys(found, concave)

    def empty(self, mesh: int) -> float:
        """The part of its hull that a mesh leaves empty."""
        f, m = int(self.model.mesh_faceadr[mesh]), int(self.model.mesh_facenum[mesh])
        return hollow(self.points(mesh), self.model.mesh_face[f : f + m].astype(int))

    def points(self, mesh: int) -> Any:
        """(n, 3) vertices of a mesh [m]."""
        v, n = int(self.model.mesh_vertadr[mesh]), int(self.model.mesh_vertnum[mesh])
        return self.model.mesh_vert[v : v + n].astype(float)

    def table(self, g: int, name: str, file: Any) -> dict[str, Any] | None:
        """The table of a geom that collides, without its place; None if it is flat.

        name: of its mesh; file: function that returns the name of the mesh file
        """
        mesh = int(self.model.geom_dataid[g])
        how = self.how.get(g, "hull")
        if g in self.how:
            self.losses.concave(name, self.hollows[mesh], how)
        if how != "hull":
            return {"type": "mesh", "file": file(), "scale": 1.0, **as_parts(how)}
        table, depth = hull(self.points(mesh))
        self.losses.corners(name, depth)
        return table
