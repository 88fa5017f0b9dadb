"""A scene of PyVista that shows one frame of a result after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.export.geometry import Geometry, rotation
from mbplugin.results import RawResult
from mbplugin.viz import camera, gl
from mbplugin.viz.colours import LOOK, colour_of
from mbplugin.viz.swarm import MANY, Swarm, alike
from mbplugin.viz.vectors import Names, Vectors

Array = np.ndarray[Any, Any]

FORCE, TRACE, LINE, INK, FLOOR = "#C2185B", "#37474F", "#546E7A", "#1A1A1A", "#D8D4CC"
#: axes x, y, z of a joint
AXES = ("#C62828", "#2E7D32", "#1565C0")
#: frames that the camera looks at to find the extent of the motion
SAMPLES = 60


@dataclass(frozen=True)
class Options:
    """What is shown. names: of the joints. vectors: from the origin to the mass centres, and from there to
    the joints.

    trace: names of bodies whose mass centre leaves a line. size: pixels.
    """

    size: tuple[int, int] = (1280, 720)
    joints: bool = True
    forces: bool = False
    names: bool = False
    vectors: bool = False
    trace: tuple[str, ...] = ()
    ground: bool = True
    label: bool = True
    up: tuple[float, float, float] | None = None


class Stage:
    """Actors of one result. `show(i)` puts them where frame i has them."""

    def __init__(
        self, raw: RawResult, gravity: Array, options: Options, off_screen: bool = True, plotter: Any = None
    ) -> None:
        """On a plotter of its own, or on one that is there already."""
        gl.require()
        import pyvista as pv
        from vtkmodules.vtkCommonCore import vtkLogger

        # without an X server VTK says so each time before it draws without one
        vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)

        self.raw, self.options = raw, options
        self.static = raw.static()
        self.geometry = Geometry(self.static)
        if plotter is None:
            plotter = pv.Plotter(off_screen=off_screen, window_size=list(options.size), lighting="light kit")  # type: ignore[arg-type,unused-ignore]
            plotter.set_background("white", top="#E8EEF4")  # type: ignore[arg-type,unused-ignore]
        self.plotter: Any = plotter
        points = self.extent()
        self.size = max(float(np.ptp(points, axis=0).max()), 1e-6)
        self.view = camera.fit(points, gravity, plotter.window_size[0] / plotter.window_size[1])
        self.matrices: list[tuple[int, Any]] = []
        self.swarms: list[Swarm] = []
        self.overlay = self.add_overlay()
        self.add_bodies(pv)
        if options.ground:
            self.add_ground(pv, points, gravity)
        self.lines = self.add_lines(pv) if self.raw.names("lines") else None
        self.joints = self.add_joints(pv) if options.joints and self.raw.names("joints") else None
        self.arrows = self.add_arrows(pv) if options.forces and self.raw.names("joints") else None
        self.extras: list[Any] = []
        if self.raw.names("joints"):
            if options.vectors:
                self.extras.append(Vectors(self, pv, self.bodies_of_joints()))
            if options.names:
                self.extras.append(Names(self, self.raw.names("joints")))
        for name in options.trace:
            self.add_trace(pv, name)
        if options.label:
            self.say("")
        self.aim()

    def extent(self) -> Array:
        """Corner points of the motion, (n, 3)."""
        chosen = np.unique(np.linspace(0, self.raw.frames - 1, min(SAMPLES, self.raw.frames)).astype(int))
        found = []
        for i in chosen:
            points, _ = self.geometry.at(self.raw.frame(int(i)))
            found.append(points[:: max(1, len(points) // 4000)])
            if self.raw.names("joints"):
                found.append(self.raw["joints/position"][int(i)])
            if self.raw.names("lines"):
                found.append(self.raw["lines/ends"][int(i)].reshape(-1, 3))
        points = np.concatenate(found)
        return points[np.isfinite(points).all(axis=1)]

    def aim(self) -> None:
        view = self.view
        look = self.plotter.camera
        look.position, look.focal_point, look.up = tuple(view.position), tuple(view.focus), tuple(view.up)
        look.parallel_projection = False
        distance = float(np.linalg.norm(view.position - view.focus))
        look.view_angle = float(np.degrees(2.0 * np.arctan(view.half / distance * 1.18)))
        self.plotter.reset_camera_clipping_range()

    def say(self, text: str) -> None:
        """The label in the corner."""
        label = self.plotter.add_text(
            text, position=(0.02, 0.975), viewport=True, font_size=15, color=INK, name="label", render=False
        )
        label.prop.justification_vertical = "top"

    def add_overlay(self) -> Any:
        """A second layer over the first: what lies inside bodies is seen there."""
        from vtkmodules.vtkRenderingCore import vtkRenderer

        overlay = vtkRenderer()
        overlay.SetLayer(1)
        overlay.InteractiveOff()
        overlay.SetActiveCamera(self.plotter.camera)
        window = self.plotter.render_window
        window.SetNumberOfLayers(2)
        window.AddRenderer(overlay)
        return overlay

    # what is on it

    def add_bodies(self, pv: Any) -> None:
        import vtk

        nb = len(self.static["bodies/name"])
        self.centre = np.asarray(self.static["bodies/center_of_mass"], float).reshape(nb, 3)
        shapes = list(self.static.get("meshes/shapes", []))
        for points, faces, members in alike(self.static, shapes):
            mesh = pv.PolyData.from_regular_faces(points, faces)
            if len(members) >= MANY:
                self.swarms.append(Swarm(self.plotter, mesh, members))
                continue
            for body, colour in members:
                actor = self.plotter.add_mesh(
                    mesh, color=colour, smooth_shading=True, split_sharp_edges=True, **LOOK
                )
                if body >= 0:
                    self.follow(vtk, actor, body)
        for body in sorted(set(range(nb)) - {int(s["body"]) for s in shapes}):
            ball = pv.Sphere(radius=0.02 * self.size, center=self.centre[body])
            self.follow(vtk, self.plotter.add_mesh(ball, color=colour_of(body), smooth_shading=True), body)

    def follow(self, vtk: Any, actor: Any, body: int) -> None:
        """The actor moves with the body: its matrix is kept and written at each frame."""
        matrix = vtk.vtkMatrix4x4()
        actor.SetUserMatrix(matrix)
        self.matrices.append((body, matrix))

    def add_ground(self, pv: Any, points: Array, gravity: Array) -> None:
        """A plate below everything, across gravity; none where nothing falls."""
        if not np.any(gravity):
            return
        up = camera.upwards(gravity)
        along = points @ up
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        level = float(along.min()) - 0.02 * self.size
        centre = middle + (level - middle @ up) * up
        plane = pv.Plane(
            center=centre,
            direction=up,
            i_size=1.5 * self.size,
            j_size=1.5 * self.size,
            i_resolution=12,
            j_resolution=12,
        )
        self.plotter.add_mesh(
            plane,
            color=FLOOR,
            show_edges=True,
            edge_color="#C9C4BA",
            line_width=1,
            lighting=False,
            opacity=0.55,
        )

    def add_lines(self, pv: Any) -> Any:
        """Rods, springs and ropes, which have no shape: a line each, among the bodies."""
        n = len(self.raw.names("lines"))
        lines = pv.PolyData(
            np.zeros((2 * n, 3)), lines=np.insert(np.arange(2 * n).reshape(-1, 2), 0, 2, axis=1).ravel()
        )
        self.plotter.add_mesh(lines, color=LINE, line_width=4, render_lines_as_tubes=True)
        return lines

    def add_joints(self, pv: Any) -> tuple[Any, list[Any]]:
        """A dot at each joint and the axes of its second marker, over the bodies that would hide them."""
        n = len(self.raw.names("joints"))
        axes = []
        if "joints/orientation" in self.raw:
            for colour in AXES:
                lines = pv.PolyData(
                    np.zeros((2 * n, 3)),
                    lines=np.column_stack(
                        [np.full(n, 2), np.arange(0, 2 * n, 2), np.arange(1, 2 * n, 2)]
                    ).ravel(),
                )
                self.overlay.AddActor(self.flat(pv, lines, colour, line_width=3))
                axes.append(lines)
        points = pv.PolyData(np.zeros((n, 3)))
        self.overlay.AddActor(self.flat(pv, points, INK, point_size=9, render_points_as_spheres=True))
        return points, axes

    def bodies_of_joints(self) -> list[tuple[int, int]]:
        """Numbers of the bodies of each joint, −1 for the ground."""
        index = {name: k for k, name in enumerate(self.raw.names("bodies"))}
        of = [
            [index.get(name.partition(".")[0], -1) for name in self.raw.attribute(f"joints/{end}", [])]
            for end in "ab"
        ]
        return list(zip(*of))

    def show_joints(self, frame: Any) -> None:
        assert self.joints is not None
        points, axes = self.joints
        points.points = places = np.asarray(frame["joints/position"], float)
        if axes:
            R = rotation(frame["joints/orientation"])
            length = 0.05 * self.size * min(1.0, 8.0 / len(R)) ** 0.5
            for k, lines in enumerate(axes):
                lines.points = np.stack([places, places + length * R[:, :, k]], axis=1).reshape(-1, 3)

    @staticmethod
    def flat(pv: Any, mesh: Any, colour: str, **properties: Any) -> Any:
        """An actor of one colour without shades."""
        actor = pv.Actor(mapper=pv.DataSetMapper(mesh))
        actor.mapper.scalar_visibility = False
        actor.prop.color, actor.prop.lighting = colour, False
        for name, value in properties.items():
            setattr(actor.prop, name, value)
        return actor

    def add_arrows(self, pv: Any) -> Any:
        """Reaction forces on the second bodies. A force that only one in twenty of the run exceeds is a sixth
        of the picture.
        """
        size = np.linalg.norm(self.raw["joints/force"], axis=2)
        usual = float(np.quantile(size, 0.95)) if size.size else 0.0
        self.scale = self.size / 6.0 / usual if usual > 0 else 0.0
        self.template = pv.Arrow(tip_length=0.25, tip_radius=0.08, shaft_radius=0.028)
        arrows = pv.PolyData(np.zeros((1, 3)))
        self.overlay.AddActor(self.flat(pv, arrows, FORCE))
        return arrows

    def add_trace(self, pv: Any, name: str) -> None:
        from mbplugin.errors import SceneError, did_you_mean, listed

        names = self.raw.names("bodies")
        if name not in names:
            raise SceneError(
                "trace",
                name,
                f"there is no such body{did_you_mean(name, names) or f'; there are {listed(names)}'}",
            )
        path = self.raw["bodies/position"][:, names.index(name)]
        if len(path) > 1:
            self.plotter.add_mesh(pv.lines_from_points(path), color=TRACE, line_width=2, opacity=0.7)

    # frames

    def show(self, index: int) -> None:
        """Put everything where frame `index` has it."""
        frame = self.raw.frame(index)
        R = rotation(frame["bodies/orientation"])
        for body, matrix in self.matrices:
            M = np.eye(4)
            M[:3, :3] = R[body]
            M[:3, 3] = frame["bodies/position"][body] - R[body] @ self.centre[body]
            matrix.DeepCopy(M.ravel())
        for swarm in self.swarms:
            swarm.show(frame, R, self.centre)
        if self.lines is not None:
            self.lines.points = np.asarray(frame["lines/ends"], float).reshape(-1, 3)
        if self.joints is not None:
            self.show_joints(frame)
        if self.arrows is not None:
            self.show_arrows(frame)
        for extra in self.extras:
            extra.show(frame)
        if self.options.label:
            self.say(f"t = {frame['time']:.4g} s")
        # actors that followed bodies are elsewhere than when the camera was set up
        self.plotter.reset_camera_clipping_range()

    def show_arrows(self, frame: Any) -> None:
        assert self.arrows is not None
        import pyvista as pv

        force = np.asarray(frame["joints/force"], float) * self.scale
        longest = 0.5 * self.size
        force *= np.minimum(1.0, longest / np.maximum(np.linalg.norm(force, axis=1), 1e-300))[:, None]
        cloud = pv.PolyData(np.asarray(frame["joints/position"], float))
        cloud["force"] = force
        arrows = cloud.glyph(orient="force", scale="force", factor=1.0, geom=self.template)
        self.arrows.copy_from(arrows if arrows.n_points else pv.PolyData(np.zeros((1, 3))))

    def close(self) -> None:
        self.plotter.close()
