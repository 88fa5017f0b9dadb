"""Bodies with nodes: their deformed surfaces in the colours of a field, its scale, sharp edges, shadows, and
outlines of what is undeformed.

x = x_r + s (x_n − x_r)        x_n: node; s: scale of the deformation

x_r is the place of the node at rest; of a body of which the ground holds no node, that place after the rigid
motion that fits best (W. Kabsch, Acta Cryst. A 32 (1976) 922–923).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mbplugin.decoder.colours import default_colours
from mbplugin.decoder.nodal import NodalMesh, nodal_meshes, von_mises
from mbplugin.errors import SceneError
from mbplugin.results import Array, RawResult
from mbplugin.viz.layers import EDGE, Edges, Shadow, Surface, sharp_edges, smooth
from mbplugin.viz.meshes import mesh_actor, points_mesh, regular_mesh
from mbplugin.viz.numbers import PREFIXES
from mbplugin.viz.places import Snapshot
from mbplugin.viz.texts import scaled

#: field -> array of a frame, title, unit
FIELDS = {
    "von_mises": ("nodes/stress", "von Mises stress", "Pa"),
    "displacement": ("nodes/displacement", "displacement", "m"),
    "velocity": ("nodes/velocity", "speed", "m/s"),
}
AUTO, NONE = "auto", "none"
#: frames from which the range of a field is computed
SAMPLES = 40
MAP, UNDEFORMED, LINE_WIDTH = "viridis", "#8A9099", 4.0
#: left end, lower end, width and height of the scale, in those of the picture; size of its letters
SCALE, LETTERS = (0.9, 0.32, 0.022, 0.4), 18
#: what it and its letters take of the width of the picture
SCALE_WIDTH = 0.13
#: quarters of the scale, in powers of ten
STEPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
#: nodes that have to stay where they are for a body to count as held
HELD = 3
#: VTK's cells that are lines
LINES = (3, 21)


def field_of(raw: RawResult, asked: str) -> str | None:
    """The field that colours bodies with nodes; None: their own colours. Raises SceneError."""
    if asked == NONE:
        return None
    if asked == AUTO:
        return "von_mises" if "nodes/stress" in raw and raw["nodes/stress"].shape[1] else "displacement"
    if FIELDS[asked][0] not in raw:
        raise SceneError("color_by", asked, "the result has no stress of nodes; choose displacement or none")
    return asked


class Shape:
    """A body with nodes as it is drawn.

    scale: of the deformation; held: whether the ground holds some of its nodes, so that they never move
    """

    def __init__(self, mesh: NodalMesh, raw: RawResult, scale: float) -> None:
        self.mesh, self.scale = mesh, scale
        chosen = sorted({0, raw.frames // 2, raw.frames - 1})
        moved = np.array(
            [raw.frame(i, ["nodes/displacement"])["nodes/displacement"][mesh.nodes] for i in chosen]
        )
        # a single one may stay in the middle of a body that spins
        self.held = int((moved == 0.0).all(axis=(0, 2)).sum()) >= HELD and bool(moved.any())

    def rigid(self, frame: dict[str, Array]) -> Array:
        """(n, 3) places of the nodes of the undeformed body [m], world."""
        rest = self.mesh.rest
        if self.held:
            return rest
        points = rest + frame["nodes/displacement"][self.mesh.nodes]
        middle, centre = rest.mean(axis=0), points.mean(axis=0)
        U, _, V = np.linalg.svd((points - centre).T @ (rest - middle))
        R = U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ V))]) @ V
        return np.asarray(centre + (rest - middle) @ R.T)

    def points(self, frame: dict[str, Array]) -> Array:
        """(n, 3) places of the nodes as they are drawn [m], world."""
        points = self.mesh.rest + frame["nodes/displacement"][self.mesh.nodes]
        if self.scale == 1.0:
            return np.asarray(points)
        rigid = self.rigid(frame)
        return np.asarray(rigid + self.scale * (points - rigid))

    def values(self, frame: dict[str, Array], field: str) -> Array | None:
        """(n,) of a field; None if the body has none."""
        array = frame[FIELDS[field][0]]
        if field == "von_mises":
            part = array[self.mesh.points]
            return von_mises(self.mesh.at_nodes(part)) if len(part) else None
        return np.asarray(np.linalg.norm(array[self.mesh.nodes], axis=1))

    def faces(self, points: Array) -> Any:
        """The triangles of the surface, or the lines of a body without one."""
        if len(self.mesh.triangles):
            return regular_mesh(points, self.mesh.triangles)
        lines = [cells.nodes[:, :2] for cells in self.mesh.cells if cells.vtk in LINES]
        mesh = points_mesh(points)
        if lines:
            pairs = np.concatenate(lines)
            mesh.lines = np.column_stack([np.full(len(pairs), 2), pairs]).ravel()
        return mesh


class Deformed:
    """All bodies with nodes of a stage."""

    def __init__(self, stage: Any) -> None:
        self.stage, self.raw, plotter = stage, stage.raw, stage.plotter
        options = stage.options
        self.field = field_of(stage.raw, options.color_by)
        self.shapes = shapes_of(stage.raw, stage.static, options.deformation)
        self.keys = ["nodes/displacement"] + ([FIELDS[self.field][0]] if self.field else [])
        self.largest = self.range() if self.field else 0.0
        self.table = stage.pv.LookupTable(MAP, scalar_range=(0.0, self.largest or 1.0))
        floor = stage.bodies.floor
        self.shadow = None if floor is None else Shadow(stage.sun, stage.up, floor.level, floor.shadow_colour)
        names = stage.raw.names("bodies")
        colours = [default_colours(np.array([names.index(one.mesh.name)]))[0] for one in self.shapes]
        self.actors = [self.add(plotter, shape, colour) for shape, colour in zip(self.shapes, colours)]
        if self.field:
            self.add_scale()

    def add(self, plotter: Any, shape: Shape, colour: Array) -> dict[str, tuple[Any, Any]]:
        """The meshes and actors of a body, by what they show."""
        made: dict[str, tuple[Any, Any]] = {}

        def show(name: str, ink: Any, dress: Callable[[Any], None], lighting: bool = False) -> None:
            mesh = points_mesh()
            actor = mesh_actor(mesh, ink, lighting, line_width=scaled(plotter, LINE_WIDTH))
            dress(actor)
            plotter.add_actor(actor, reset_camera=False, pickable=False)
            made[name] = mesh, actor

        show("surface", (colour / 255.0).tolist(), Surface().dress, lighting=True)
        show("edges", EDGE, Edges().dress)
        if self.stage.options.undeformed:
            show("undeformed", UNDEFORMED, Edges(UNDEFORMED).dress)
        if self.shadow is not None and len(shape.mesh.triangles):
            show("shadow", "white", self.shadow.dress)
        return made

    def range(self) -> float:
        """Largest value of the field over the run, rounded up."""
        largest = 0.0
        for i in np.unique(np.linspace(0, self.raw.frames - 1, min(SAMPLES, self.raw.frames)).astype(int)):
            frame = self.raw.frame(int(i), self.keys)
            for shape in self.shapes:
                values = shape.values(frame, str(self.field))
                if values is not None:
                    drawn = np.unique(shape.mesh.triangles) if len(shape.mesh.triangles) else slice(None)
                    largest = max(largest, float(np.nanmax(values[drawn], initial=0.0)))
        return round_top(largest)

    def add_scale(self) -> None:
        """The scale of the colours, with the unit."""
        from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor

        _, title, unit = FIELDS[str(self.field)]
        prefix, power = next(((p, n) for p, n in PREFIXES if self.largest >= 10.0**n), PREFIXES[-1])
        if self.largest == 0.0:
            prefix, power = "", 0
        table = self.stage.pv.LookupTable(MAP, scalar_range=(0.0, (self.largest or 1.0) / 10.0**power))
        bar = vtkScalarBarActor()
        bar.SetLookupTable(table)
        bar.SetNumberOfLabels(5)
        bar.SetLabelFormat("{:.3g}" if format_by_braces() else "%.3g")
        bar.UnconstrainedFontSizeOn()
        bar.SetPosition(*SCALE[:2])
        bar.SetWidth(0.085)
        bar.SetHeight(SCALE[3])
        bar.SetBarRatio(0.25)
        bar.SetTitle("")
        look = bar.GetLabelTextProperty()
        look.SetFontSize(round(scaled(self.stage.plotter, LETTERS)))
        look.SetColor(0.1, 0.1, 0.1)
        look.SetBold(False)
        look.SetItalic(False)
        look.SetShadow(False)
        self.stage.front.renderer.AddViewProp(bar)
        top = SCALE[1] + SCALE[3] + 0.015
        text = f"{title}\n[{prefix}{unit}]"
        self.stage.front.write(
            "scale of colours", text, (0.985, top), LETTERS, "#1A1A1A", ("right", "bottom")
        )
        self.bar = bar

    def show(self, snapshot: Snapshot) -> None:
        frame = self.raw.frame(snapshot.index, self.keys)
        self.near = []
        for shape, made in zip(self.shapes, self.actors):
            points = snapshot.local(shape.points(frame))
            self.near.append(points)
            faces = shape.faces(points)
            values = shape.values(frame, self.field) if self.field else None
            if values is not None:
                faces.point_data["field"] = values
            surface, actor = made["surface"]
            solid = len(shape.mesh.triangles) > 0
            surface.copy_from(smooth(faces) if solid else faces)
            if values is not None:
                surface.set_active_scalars("field")
                actor.mapper.lookup_table = self.table
                actor.mapper.scalar_visibility = True
                actor.mapper.SetScalarModeToUsePointData()
                actor.mapper.scalar_range = (0.0, self.largest or 1.0)
            if solid:
                made["edges"][0].copy_from(edges_of(faces))
            if "undeformed" in made:
                rest = shape.faces(snapshot.local(shape.rigid(frame)))
                made["undeformed"][0].copy_from(edges_of(rest) if solid else rest)
            if "shadow" in made and self.shadow is not None:
                made["shadow"][0].copy_from(faces)
                made["shadow"][1].user_matrix = self.shadow.matrix(snapshot)

    def nearest(self, eye: Array, look: Array) -> float:
        """Distance [m] along `look` (3,) from `eye` (3,) to the first node that is not behind."""
        ahead = np.concatenate([(points - eye) @ look for points in self.near])
        return float(ahead[ahead > 0.0].min(initial=np.inf))


def round_top(x: float) -> float:
    """The least number from x on whose quarters have few digits; 0 of 0."""
    if not 0.0 < x < np.inf:
        return 0.0
    power = 10.0 ** np.floor(np.log10(0.25 * x))
    return float(4.0 * power * next(step for step in STEPS if 4.0 * power * step >= x * (1.0 - 1e-9)))


def edges_of(faces: Any) -> Any:
    """The sharp edges of a surface."""
    found = sharp_edges(faces)
    found.clear_data()
    return found


def shapes_of(raw: RawResult, static: dict[str, Any], scale: float) -> list[Shape]:
    """The bodies with nodes of a result."""
    return [Shape(mesh, raw, scale) for mesh in nodal_meshes(static)]


def format_by_braces() -> bool:
    """Whether the formats of this VTK are those of std::format, since 9.6."""
    from vtkmodules.vtkCommonCore import vtkVersion

    return (vtkVersion.GetVTKMajorVersion(), vtkVersion.GetVTKMinorVersion()) >= (9, 6)
