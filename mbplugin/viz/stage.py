"""A PyVista scene that shows any frame of a result.

Each part draws one thing: bodies with floor and shadows, lines, joints, forces, names, ... It adds its actors
when it is made, and `show(snapshot)` moves them to a frame.
"""

from __future__ import annotations

import functools
from contextlib import suppress
from typing import Any

import numpy as np

from mbplugin.decoder.deformed import bodies_that_deform
from mbplugin.decoder.nodal import has_nodes
from mbplugin.errors import SceneError, StoreError
from mbplugin.export.choice import has_drawings
from mbplugin.export.geometry import Geometry
from mbplugin.export.limits import Limits
from mbplugin.export.state import upwards
from mbplugin.results import Array, RawResult
from mbplugin.results.quantities import index_of
from mbplugin.results.without_forces import refuse_without_forces
from mbplugin.viz import camera, gl, lights
from mbplugin.viz.arrows import ForceArrows, ForceScale
from mbplugin.viz.bodies import Bodies
from mbplugin.viz.deformed import SCALE_WIDTH, Deformed, field_of, shapes_of
from mbplugin.viz.drawings import DrawnGlyphs
from mbplugin.viz.forces import Drives, largest_forces, sources_of, usual_size
from mbplugin.viz.joints import Joints, LimitMarks, Vectors
from mbplugin.viz.legend import ForceLegend
from mbplugin.viz.legend import height as legend_height
from mbplugin.viz.lines import Lines
from mbplugin.viz.meshes import mesh_actor
from mbplugin.viz.motion import Motion, finite
from mbplugin.viz.names import Names
from mbplugin.viz.options import Options
from mbplugin.viz.places import SHOWN, Snapshot, path_of
from mbplugin.viz.texts import Front, scaled
from mbplugin.viz.torques import TorqueArcs, TorqueScale
from mbplugin.viz.traces import Trace

INK = "#1A1A1A"
#: farthest that is shown, in distances of the camera from its focus, and in distances of the nearest
FAR, DEPTH = 200.0, 1000.0


class Stage:
    """Actors of one result; `show(i)` moves them to frame i.

    size:   of the scene [m]: of the motion, or of what is seen around a followed body
    speed:  simulated seconds per second of a movie; 1 of a picture
    origin: (3,) of the local coordinates in the world, in which everything is drawn [m]
    """

    def __init__(
        self, raw: RawResult, gravity: Array, options: Options, off_screen: bool = True, plotter: Any = None
    ) -> None:
        """Use `plotter`, or a new one. Raises NoGraphicsError, SceneError."""
        gl.require()
        import pyvista as pv
        from vtkmodules.vtkCommonCore import vtkLogger

        # without an X server VTK warns before each window, and then draws off-screen
        vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)

        self.raw, self.gravity, self.options = raw, gravity, options
        self.static, self.up, self.pv = raw.static(), upwards(gravity), pv
        own = plotter is None
        if own:
            new_plotter: Any = pv.Plotter
            plotter = new_plotter(off_screen=off_screen, window_size=list(options.size), lighting="none")
            plotter.set_background("white", top="#E8EEF4")
        self.plotter: Any = plotter
        self.motion = Motion(raw, self.static)
        # another's plotter has actors in world coordinates
        self.origin = self.motion.origin if own else np.zeros(3)
        self.path = self.path_of_followed()
        points, self.size = self.motion.points - self.origin, self.motion.size
        if self.path is not None:
            points = self.motion.around(self.path, raw.names("bodies").index(str(options.follow)))
            self.size, self.origin = float(np.ptp(points, axis=0).max()), self.path[0]
        if options.sources:
            refuse_without_forces(raw)
        self.sources = sources_of(raw, options.sources, options.forces not in (True, "all"))
        #: of each source: (frames,) size of the largest force [N]
        self.largest = largest_forces(self.sources)
        self.scale = ForceScale(options.force_scale or usual_size(self.largest), self.size)
        if has_nodes(self.static) and options.deformation != 1.0 and self.path is None:
            points = np.concatenate([points, self.scaled_nodes() - self.origin])
        if self.sources and self.path is None:
            points = np.concatenate([points, self.heads() - self.origin])
        aspect = plotter.window_size[0] / plotter.window_size[1]
        # dark corners need perspective
        normal = None if options.quality == "high" else self.motion.normal
        self.view = camera.fit(points, gravity, aspect, options.view, normal, self.foot(), self.side())
        if options.quality == "high" and self.view.parallel:
            mend = f'needs perspective, which the view "{options.view}" has not; choose "corner", or no view'
            raise SceneError("quality", "high", mend)
        self.sun = lights.sun(self.view, self.up)
        if own:
            lights.add_lights(plotter, self.sun)
        self.overlay = self.add_overlay(1)
        self.front = Front(plotter, self.add_overlay(2))
        self.label, self.speed = "", 1.0
        self.bodies = Bodies(self)
        self.deformed: Deformed | None = None  # bodies with nodes
        self.parts = [self.bodies, *self.other_parts()]
        if options.label:
            self.set_label("")
        camera.aim(plotter, self.view)
        plotter.reset_camera_clipping_range()

    def path_of_followed(self) -> Array | None:
        """(frames, 3) of the mass centre of the body that the camera follows [m]. Raises SceneError."""
        if self.options.follow is None:
            return None
        index_of(self.raw.names("bodies"), self.options.follow, "body", "follow")
        return path_of(self.raw, self.options.follow)

    def other_parts(self) -> list[Any]:
        """The parts that are drawn besides the bodies."""
        options, has_joints = self.options, bool(self.raw.names("joints"))
        parts: list[Any] = [Trace(self, name) for name in options.trace]
        if has_nodes(self.static):
            self.deformed = Deformed(self)
            parts.append(self.deformed)
        if self.raw.names("lines"):
            parts.append(Lines(self))
        if options.joints and has_joints:
            parts.append(Joints(self))
            limits = Limits(self.static)
            if limits.parts and "coordinates/value" in self.raw:
                parts.append(LimitMarks(self, limits))
        if self.sources:
            parts += self.force_parts()
        if options.drawings and has_drawings(self.raw):
            from mbplugin.export.drawings import stored_drawings

            parts.append(DrawnGlyphs(self, stored_drawings(self.raw)))
        if options.vectors and has_joints:
            parts.append(Vectors(self))
        if options.names or "stopped" in self.raw.attributes:
            parts.append(Names(self))
        return parts

    def foot(self) -> float:
        """Share of the legend in the height of the picture."""
        if not self.sources or self.path is not None:
            return 0.0
        return legend_height(self.sources)

    def side(self) -> float:
        """Share of the scale of colours in the width of the picture."""
        has_scale = has_nodes(self.static) and field_of(self.raw, self.options.color_by) is not None
        return SCALE_WIDTH if has_scale and self.path is None else 0.0

    def heads(self) -> Array:
        """(n, 3) ends of arrows in the frames that the camera is chosen for, and in those of the largest
        forces, world [m].
        """
        frames = {index for index, *_ in self.motion.samples}
        frames |= {int(np.argmax(sizes)) for sizes in self.largest}
        ends = [np.zeros((0, 3))]
        for index in frames:
            # what is damaged is not seen
            with suppress(StoreError):
                frame = self.raw.frame(index, [key for key in SHOWN if key in self.raw])
                for source in self.sources:
                    point, force, _ = source.at(index, frame)
                    ends.append(point + self.scale.arrows(force))
        return finite(np.concatenate(ends))

    def scaled_nodes(self) -> Array:
        """(n, 3) nodes with scaled deformations in the frames that the camera is chosen for, world [m]."""
        shapes, key = shapes_of(self.raw, self.static, self.options.deformation), "nodes/displacement"
        frames = [self.raw.frame(index, [key]) for index, *_ in self.motion.samples]
        return finite(np.concatenate([shape.points(frame) for frame in frames for shape in shapes]))

    def force_parts(self) -> list[Any]:
        """Arrows of forces, arcs of torques, and their legend."""
        arrows = [ForceArrows(self, source) for source in self.sources]
        torques = None
        for source in self.sources:
            if isinstance(source, Drives):
                torques = TorqueArcs(self, source, TorqueScale(source))
        return [*arrows, *([] if torques is None else [torques]), ForceLegend(self, arrows, torques)]

    @functools.cached_property
    def geometry(self) -> Geometry:
        """All surfaces as one, with all their points."""
        return Geometry(self.static)

    @property
    def high_quality(self) -> bool:
        """Whether corners are darkened, which VTK can only with perspective."""
        if self.options.quality == "auto":
            return self.bodies.more_ground and not self.view.parallel
        return self.options.quality == "high"

    def set_label(self, text: str) -> None:
        """Set the label in the corner."""
        self.label = text
        self.front.write("label", text, (0.02, 0.975), 30, INK, ("left", "top"))

    def add_overlay(self, layer: int) -> Any:
        """A layer on top of the bodies (1), and of that (2): for actors that those would hide."""
        from vtkmodules.vtkRenderingCore import vtkRenderer

        overlay = vtkRenderer()
        overlay.SetLayer(layer)
        overlay.InteractiveOff()
        overlay.SetActiveCamera(self.plotter.camera)
        window = self.plotter.render_window
        window.SetNumberOfLayers(max(layer + 1, window.GetNumberOfLayers()))
        window.AddRenderer(overlay)
        return overlay

    def show_over_bodies(
        self, mesh: Any, colour: str, line: float = 0.0, dot: float = 0.0, **properties: Any
    ) -> Any:
        """Show a mesh in one colour on top of the bodies; returns its actor.

        line, dot: width of its lines and size of its points, for a picture of the usual height
        """
        if line:
            properties["line_width"] = scaled(self.plotter, line)
        if dot:
            properties |= {"point_size": scaled(self.plotter, dot), "render_points_as_spheres": True}
        actor = mesh_actor(mesh, colour, **properties)
        self.overlay.AddActor(actor)
        return actor

    def show(self, index: int) -> None:
        """Move all actors to frame `index`."""
        if self.path is not None:
            # what is followed stays, and the world moves
            self.origin = self.path[index]
        frame = self.raw.frame(index, [key for key in SHOWN if key in self.raw])
        snapshot = Snapshot(index, frame, self.origin, bodies_that_deform(self.static))
        for part in self.parts:
            part.show(snapshot)
        if self.options.label:
            speed = "" if abs(self.speed - 1.0) < 0.01 else f", {self.speed:.2g} ×"
            self.set_label(f"t = {snapshot.time:.4g} s{speed}")
        self.clip(snapshot)

    def clip(self, snapshot: Snapshot) -> None:
        """Fit the clipping planes to what is shown, close enough for exact depths: floors may reach behind
        the camera.
        """
        self.plotter.reset_camera_clipping_range()
        eye = self.plotter.camera
        look = np.subtract(eye.focal_point, eye.position)
        distance = float(np.linalg.norm(look))
        first = self.bodies.nearest(snapshot, np.array(eye.position), look / distance)
        if self.deformed is not None:
            first = min(first, self.deformed.nearest(np.array(eye.position), look / distance))
        far = min(eye.clipping_range[1], FAR * distance)
        eye.clipping_range = max(min(0.99 * first, 0.5 * distance), far / DEPTH), far

    def close(self) -> None:
        self.plotter.close()
