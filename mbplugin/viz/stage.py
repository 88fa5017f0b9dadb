"""A PyVista scene that shows any frame of a result."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.export.choice import has_drawings
from mbplugin.export.colours import LOOK, colour_of
from mbplugin.export.drawn import POSES, Drawn, rotation
from mbplugin.export.geometry import Geometry, outline
from mbplugin.results import RawResult
from mbplugin.results.quantities import index_of
from mbplugin.viz import camera, gl
from mbplugin.viz.contacts import ContactArrows
from mbplugin.viz.drawings import DrawnGlyphs
from mbplugin.viz.swarm import MANY, Swarm, shaded, with_balls
from mbplugin.viz.vectors import Names, Vectors

Array = np.ndarray[Any, Any]

FORCE, TRACE, LINE, INK, FLOOR = "#C2185B", "#37474F", "#546E7A", "#1A1A1A", "#D8D4CC"
#: colours of the axes x, y, z of a joint
AXES = ("#C62828", "#2E7D32", "#1565C0")
#: frames from which the extent of the motion is computed, directions in which the outermost points of a mesh
#: are taken, and about how many such points there are in a frame and in all frames
SAMPLES, DIRECTIONS, OUTLINE, POINTS = 60, (6, 500), 30_000, 600_000
#: width and height of a picture, and their product [pixels]
LEAST, MOST, PIXELS = 10, 16_384, 100_000_000
#: frame arrays that are shown
SHOWN = (
    *POSES,
    "bodies/center_of_mass",
    "joints/position",
    "joints/orientation",
    "joints/force",
    "lines/ends",
)


@dataclass(frozen=True)
class Options:
    """What a picture shows."""

    size: tuple[int, int] = (1280, 720)  # width and height in pixels
    joints: bool = True  # points and axes
    forces: bool = False  # reaction forces on body b, and forces of contacts, as arrows
    names: bool = False  # of the joints
    vectors: bool = False  # from the origin to the mass centres, and from there to the joints
    trace: tuple[str, ...] = ()  # bodies whose mass centres leave a line
    drawings: bool = True  # of the scene
    ground: bool = True  # a plate below the motion
    label: bool = True  # the time
    view: str | None = None  # "front", "top", ...: a key of `camera.VIEWS`

    def __post_init__(self) -> None:
        refuse_size(self.size)


def refuse_size(size: Any) -> None:
    """Raises SceneError if this is no width and height of a picture [pixels]."""
    given = tuple(size) if isinstance(size, Iterable) else ()
    whole = len(given) == 2 and all(isinstance(n, int | np.integer) for n in given)
    if not whole or not all(LEAST <= n <= MOST for n in given) or int(given[0]) * int(given[1]) > PIXELS:
        mend = f"must be width and height from {LEAST} to {MOST} pixels, and {PIXELS:,} pixels at most"
        raise SceneError("size", size, mend)


class Stage:
    """Actors of one result; `show(i)` moves them to frame i."""

    def __init__(
        self, raw: RawResult, gravity: Array, options: Options, off_screen: bool = True, plotter: Any = None
    ) -> None:
        """Use `plotter`, or a new one. Raises NoGraphicsError."""
        gl.require()
        import pyvista as pv
        from vtkmodules.vtkCommonCore import vtkLogger

        # without an X server VTK warns before each window, and then draws off-screen
        vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)

        self.raw, self.options = raw, options
        self.static = raw.static()
        self.drawn = Drawn(self.static)
        if plotter is None:
            plotter = pv.Plotter(off_screen=off_screen, window_size=list(options.size), lighting="light kit")  # type: ignore[arg-type,unused-ignore]
            plotter.set_background("white", top="#E8EEF4")  # type: ignore[arg-type,unused-ignore]
        self.plotter: Any = plotter
        points = self.extent()
        self.size = max(float(np.ptp(points, axis=0).max()), 1e-6)
        self.view = camera.fit(points, gravity, plotter.window_size[0] / plotter.window_size[1], options.view)
        self.matrices: list[tuple[int, Any]] = []
        self.swarms: list[Swarm] = []
        self.overlay = self.add_overlay()
        self.label = ""
        self.plate: Any = None  # actor of the plate below the motion
        self.add_bodies(pv)
        if options.ground and not self.drawn.endless.any():
            self.add_ground(pv, points, gravity)
        self.lines = self.add_lines(pv) if self.raw.names("lines") else None
        self.joints = self.add_joints(pv) if options.joints and self.raw.names("joints") else None
        self.scale = self.force_scale() if options.forces else 0.0
        self.arrows = self.add_arrows(pv) if options.forces and self.raw.names("joints") else None
        self.extras: list[Any] = []
        if options.forces and "contacts" in self.raw.lists:
            self.extras.append(ContactArrows(self, pv))
        if options.drawings and has_drawings(raw):
            from mbplugin.export.drawings import stored_drawings

            self.extras.append(DrawnGlyphs(self, pv, stored_drawings(raw)))
        if self.raw.names("joints"):
            if options.vectors:
                self.extras.append(Vectors(self, pv, self.bodies_of_joints()))
            if options.names:
                self.extras.append(Names(self, self.raw.names("joints")))
        for name in options.trace:
            self.add_trace(pv, name)
        if options.label:
            self.set_label("")
        self.aim()

    @functools.cached_property
    def geometry(self) -> Geometry:
        """All surfaces as one, with all their points."""
        return Geometry(self.static)

    def extent(self) -> Array:
        """(n, 3) sampled points of the motion [m]."""
        shapes = max(1, len(self.drawn))
        hull = Geometry(outline(self.static, max(DIRECTIONS[0], min(OUTLINE // shapes, DIRECTIONS[1]))))
        count = min(self.raw.frames, max(2, min(SAMPLES, POINTS // max(1, len(hull)))))
        samples = []
        for i in np.unique(np.linspace(0, self.raw.frames - 1, count).astype(int)):
            frame = self.raw.frame(int(i), SHOWN)
            samples.append(hull.positions(frame)[0][hull.ends])
            if self.raw.names("joints"):
                samples.append(frame["joints/position"])
            if self.raw.names("lines"):
                samples.append(frame["lines/ends"].reshape(-1, 3))
        points = np.concatenate(samples)
        return points[np.isfinite(points).all(axis=1)]

    def aim(self) -> None:
        """Set up the camera."""
        view = self.view
        look = self.plotter.camera
        look.position, look.focal_point, look.up = tuple(view.position), tuple(view.focus), tuple(view.up)
        look.parallel_projection = view.parallel
        look.parallel_scale = view.half
        distance = float(np.linalg.norm(view.position - view.focus))
        look.view_angle = float(np.degrees(2.0 * np.arctan(view.half / distance * 1.18)))
        self.plotter.reset_camera_clipping_range()

    def set_label(self, text: str) -> None:
        """Set the label in the corner."""
        self.label = text
        label = self.plotter.add_text(
            text, position=(0.02, 0.975), viewport=True, font_size=15, color=INK, name="label", render=False
        )
        label.prop.justification_vertical = "top"

    def add_overlay(self) -> Any:
        """A layer on top, for actors that bodies would hide."""
        from vtkmodules.vtkRenderingCore import vtkRenderer

        overlay = vtkRenderer()
        overlay.SetLayer(1)
        overlay.InteractiveOff()
        overlay.SetActiveCamera(self.plotter.camera)
        window = self.plotter.render_window
        window.SetNumberOfLayers(2)
        window.AddRenderer(overlay)
        return overlay

    # actors

    def add_bodies(self, pv: Any) -> None:
        if len(self.drawn.bare) >= MANY:
            self.drawn = Drawn(with_balls(self.static, self.drawn, 0.02 * self.size))
        drawn = self.drawn
        if len(drawn) >= MANY:
            self.swarms.append(Swarm(self.plotter, drawn))
        else:
            axes, colours = drawn.axes(), drawn.colours()
            for k, body in enumerate(drawn.body):
                points, triangles = drawn.meshes[drawn.mesh[k]]
                mesh = shaded((points * drawn.scale[k]) @ axes[k].T + drawn.position[k], triangles)
                actor = self.plotter.add_mesh(
                    mesh, color=tuple(colours[k]), smooth_shading=True, render=False, **LOOK
                )
                if body >= 0:
                    self.follow(actor, int(body))
        for body, centre in zip(drawn.bare, drawn.bare_centre):
            ball = pv.Sphere(radius=0.02 * self.size, center=centre)
            actor = self.plotter.add_mesh(ball, color=colour_of(body), smooth_shading=True, render=False)
            self.follow(actor, int(body))

    def follow(self, actor: Any, body: int) -> None:
        """Make the actor move with the body: `show` writes its matrix."""
        from vtkmodules.vtkCommonMath import vtkMatrix4x4

        matrix = vtkMatrix4x4()
        actor.SetUserMatrix(matrix)
        self.matrices.append((body, matrix))

    def add_ground(self, pv: Any, points: Array, gravity: Array) -> None:
        """Add a plate below the motion, normal to gravity; none without gravity."""
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
        self.plate = self.plotter.add_mesh(
            plane,
            color=FLOOR,
            show_edges=True,
            edge_color="#C9C4BA",
            line_width=1,
            lighting=False,
            opacity=0.55,
        )

    def add_lines(self, pv: Any) -> Any:
        """Add one line per rod, spring or rope; returns the mesh."""
        n = len(self.raw.names("lines"))
        lines = pv.PolyData(
            np.zeros((2 * n, 3)), lines=np.insert(np.arange(2 * n).reshape(-1, 2), 0, 2, axis=1).ravel()
        )
        self.plotter.add_mesh(lines, color=LINE, line_width=4, render_lines_as_tubes=True)
        return lines

    def add_joints(self, pv: Any) -> tuple[Any, list[Any]]:
        """Add a point at each joint and the axes of its marker b, in the overlay; returns their meshes."""
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
        """Numbers of the bodies a and b of each joint; −1 is the ground."""
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
        """An actor of one colour without shading."""
        actor = pv.Actor(mapper=pv.DataSetMapper(mesh))
        actor.mapper.scalar_visibility = False
        actor.prop.color, actor.prop.lighting = colour, False
        for name, value in properties.items():
            setattr(actor.prop, name, value)
        return actor

    def force_scale(self) -> float:
        """Length of an arrow over its force [m/N]: the 95 % quantile of the run's forces is drawn with a
        sixth of the scene's size.
        """
        forces = [self.raw["joints/force"].reshape(-1, 3)] if self.raw.names("joints") else []
        if "contacts" in self.raw.lists:
            of_contacts = self.raw.entries("contacts", "force")
            forces.append(of_contacts[of_contacts.any(axis=1)])
        quantiles = [np.quantile(np.linalg.norm(f, axis=1), 0.95) for f in forces if len(f)]
        largest = float(max(quantiles, default=0.0))
        return self.size / 6.0 / largest if largest > 0.0 else 0.0

    def add_arrows(self, pv: Any) -> Any:
        """Add arrows of the reaction forces on bodies b; returns the mesh."""
        self.template = pv.Arrow(tip_length=0.25, tip_radius=0.08, shaft_radius=0.028)
        arrows = pv.PolyData(np.zeros((1, 3)))
        self.overlay.AddActor(self.flat(pv, arrows, FORCE))
        return arrows

    def add_trace(self, pv: Any, name: str) -> None:
        """Add the path of a body's mass centre. Raises SceneError if there is no such body."""
        path = self.raw["bodies/center_of_mass"][:, index_of(self.raw.names("bodies"), name, "body", "trace")]
        if len(path) > 1:
            self.plotter.add_mesh(pv.lines_from_points(path), color=TRACE, line_width=2, opacity=0.7)

    # frames

    def show(self, index: int) -> None:
        """Move all actors to frame `index`."""
        frame = self.raw.frame(index, SHOWN)
        R = rotation(frame["bodies/orientation"])
        for body, matrix in self.matrices:
            M = np.eye(4)
            M[:3, :3] = R[body]
            M[:3, 3] = frame["bodies/position"][body]
            matrix.DeepCopy(M.ravel())
        for swarm in self.swarms:
            swarm.show(frame)
        if self.lines is not None:
            self.lines.points = np.asarray(frame["lines/ends"], float).reshape(-1, 3)
        if self.joints is not None:
            self.show_joints(frame)
        if self.arrows is not None:
            self.show_arrows(frame)
        for extra in self.extras:
            extra.show(frame | {"index": index})
        if self.options.label:
            self.set_label(f"t = {frame['time']:.4g} s")
        # the actors have moved since the camera was set up
        self.plotter.reset_camera_clipping_range()

    def show_arrows(self, frame: Any) -> None:
        assert self.arrows is not None
        import pyvista as pv

        force = self.drawn_force(frame["joints/force"])
        cloud = pv.PolyData(np.asarray(frame["joints/position"], float))
        cloud["force"] = force
        arrows = cloud.glyph(orient="force", scale="force", factor=1.0, geom=self.template)
        self.arrows.copy_from(arrows if arrows.n_points else pv.PolyData(np.zeros((1, 3))))

    def drawn_force(self, force: Any) -> Array:
        """(n, 3) arrows of forces (n, 3) [m], at most half as long as the scene."""
        arrows = np.asarray(force, float) * self.scale
        size = np.maximum(np.linalg.norm(arrows, axis=1), 1e-300)
        return np.asarray(arrows * np.minimum(1.0, 0.5 * self.size / size)[:, None])

    def close(self) -> None:
        self.plotter.close()
