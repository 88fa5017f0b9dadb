"""The nodes of one body of a result."""

from __future__ import annotations

import numpy as np

from mbplugin.decoder.nodal import NodalMesh, nodal_meshes, von_mises
from mbplugin.decoder.pressure import STEM, loads_in_frame
from mbplugin.errors import SceneError
from mbplugin.results.layout import NODES, Array
from mbplugin.results.quantities import index_of
from mbplugin.results.read import RawResult


class NodesOfBody:
    """The nodes of a body, of all frames; arrays are read when they are asked for.

    displacement:    (frames, n, 3) from `rest` [m], world axes
    velocity:        (frames, n, 3) [m/s], world axes
    points:          (frames, n, 3) positions [m], world
    stress:          (frames, n, 6) xx, yy, zz, xy, yz, xz of Cauchy's stress [Pa], world axes: at each node
                     the mean of its cells
    von_mises:       (frames, n) of `stress` [Pa]
    contact_force:    (frames, n, 3) of contacts on the nodes [N], world axes
    contact_pressure: (frames, n) their normal part over the area of the faces that carry it [Pa]
    stress_at_cells: (frames, m, 6) at the integration points, cell by cell
    rest:            (n, 3) undeformed, at t = 0 [m], world
    elements:        (m, k) nodes of each cell, in VTK's order; `cells` has them by type
    triangles:       (t, 3) nodes of the surface, counter-clockwise from outside
    sets:            name -> nodes
    """

    def __init__(self, raw: RawResult, mesh: NodalMesh) -> None:
        self._raw, self._mesh = raw, mesh
        self.name, self.rest, self.cells = mesh.name, mesh.rest, mesh.cells
        self.triangles, self.sets = mesh.triangles, mesh.sets

    def __repr__(self) -> str:
        cells = sum(len(of.nodes) for of in self.cells)
        return (
            f"NodesOfBody({self.name!r}): {len(self.rest)} nodes, {cells} cells, sets {', '.join(self.sets)}"
        )

    @property
    def elements(self) -> Array:
        if len(self.cells) != 1:
            raise SceneError("elements", self.name, f"has cells of {len(self.cells)} types; use `cells`")
        return self.cells[0].nodes

    @property
    def displacement(self) -> Array:
        return self._raw["nodes/displacement"][:, self._mesh.nodes]

    @property
    def velocity(self) -> Array:
        return self._raw["nodes/velocity"][:, self._mesh.nodes]

    @property
    def points(self) -> Array:
        return self.rest + self.displacement

    @property
    def stress_at_cells(self) -> Array:
        """Raises SceneError if the result has no stress of the body."""
        if not self._mesh.has_stress(self._raw):
            raise SceneError(
                "stress",
                self.name,
                "has no stress in this result: its kind has none, or [output] stress = false",
            )
        return self._raw["nodes/stress"][:, self._mesh.points]

    @property
    def stress(self) -> Array:
        return self._mesh.at_nodes(self.stress_at_cells)

    @property
    def von_mises(self) -> Array:
        return von_mises(self.stress)

    @property
    def contact_force(self) -> Array:
        return self._loads("contact_force")

    @property
    def contact_pressure(self) -> Array:
        return self._loads("contact_pressure")

    def _loads(self, name: str) -> Array:
        """(frames, n, ...) loads of contacts. Raises SceneError if the result has no list of contacts."""
        raw, body = self._raw, self._raw.names("bodies").index(self.name)
        if "contacts" not in raw.lists:
            raise SceneError(name, self.name, 'has none in this result: its solver is not "contact"')
        moved, stops = self.displacement, raw.offsets("contacts")
        keys = ("body_a", "body_b", "point", "normal", "force")
        found = []
        for i, u in enumerate(moved):
            first, last = int(stops[i]), int(stops[i + 1])
            frame = {STEM + key: raw.entries("contacts", key, first, last) for key in keys}
            found.append(loads_in_frame(self._mesh, body, u, frame)[name])
        return np.array(found)


def nodes_of_body(raw: RawResult, name: str) -> NodesOfBody:
    """The nodes of a body. Raises SceneError if it has none."""
    names = raw.names(NODES)
    if name not in names and name in raw.names("bodies"):
        raise SceneError("nodes", name, "is a body without nodes")
    k = index_of(names, name, "body with nodes", "nodes")
    return NodesOfBody(raw, nodal_meshes(raw.static())[k])
