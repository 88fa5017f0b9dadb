"""The bodies: surfaces with dark edges, planes as slabs, the floor, and shadows on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.decoder.drawn import Drawn
from mbplugin.viz.floor import FLOOR, THICKNESS, Floor, Grid, Slab, as_slabs, part_of, upward
from mbplugin.viz.layers import Edges, OneSided, Shadow, Surface
from mbplugin.viz.places import Array, Snapshot
from mbplugin.viz.swarm import MANY, Each, Swarm, with_balls

#: radius of a body without a shape, in sizes of the scene
BALL = 0.02


class Bodies:
    """All shapes of a stage.

    drawn:  the shapes, with a ball for each body that has none
    floor:  None without one
    shapes: those that have an end
    """

    def __init__(self, stage: Any) -> None:
        static, plotter, size = stage.static, stage.plotter, stage.size
        self.drawn = drawn = Drawn(with_balls(static, Drawn(static), BALL * size))
        floors = drawn.endless.copy()
        floors[floors] = upward(part_of(drawn, floors), stage.up)
        self.floor = self.floor_of(stage, part_of(drawn, floors))
        bounded = part_of(drawn, ~drawn.endless)
        # copies of a mesh cannot be sheared
        alike = len(bounded) >= MANY and not np.isin(drawn.deformed, bounded.body).any()
        self.shapes: Each | Swarm = Swarm(plotter, bounded) if alike else Each(plotter, bounded)
        walls = drawn.endless & ~floors if self.floor is not None else drawn.endless
        self.slabs = Each(plotter, as_slabs(part_of(drawn, walls), THICKNESS * size))
        for placed, surface in ((self.shapes, Surface()), (self.slabs, OneSided())):
            placed.add(surface)
            placed.add(Edges())
        #: where slab and grid of the floor are placed; `show` moves it
        self.corner = np.zeros(3)
        if self.floor is not None:
            floor, at = self.floor, self.corner
            self.slabs.add_mesh(floor.mesh(), Slab(floor.colour), -1, at, floor.colour)
            self.slabs.add_mesh(floor.grid(), Grid(floor.grid_colour), -1, at, floor.grid_colour)
            self.shapes.add(Shadow(stage.sun, stage.up, floor.level, floor.shadow_colour))
            if not seen_from_its_edge(stage):
                floor.label(stage.front)
        #: whether the ground has more than a floor, on which no shadows fall
        self.more_ground = bool((drawn.body[~floors] < 0).any())

    @staticmethod
    def floor_of(stage: Any, planes: Drawn) -> Floor | None:
        """The floor of a stage whose ground has these upward planes."""
        up, points = stage.up, stage.motion.points
        if len(planes):
            heights = planes.position @ up
            highest = int(np.argmax(heights))
            level = float(heights[highest])
            given = bool(np.isfinite(planes.given_color[highest]).all())
            colour = planes.colours()[highest] if given else FLOOR
        elif np.any(stage.gravity):
            level, colour = float((points @ up).min()), FLOOR
        else:
            return None
        camera = stage.view.position + stage.origin
        if not stage.options.ground or camera @ up <= level:
            return None
        along = stage.sun / (up @ stage.sun)
        shadows = points - np.outer(points @ up - level, along)
        start = stage.motion.points.mean(axis=0) if stage.path is None else stage.path[0]
        return Floor(np.concatenate([[start], points, shadows]), up, level, stage.size, colour)

    def nearest(self, snapshot: Snapshot, eye: Array, look: Array) -> float:
        """Distance [m] along `look` (3,) from `eye` (3,) to the first shape that has an end and is not
        behind; inf if there is none.
        """
        drawn = self.shapes.drawn
        places = snapshot.place[drawn.body] + np.einsum(
            "nij,nj->ni", snapshot.maps[drawn.body], drawn.position
        )
        ahead = (places - eye) @ look
        radius = np.array([np.linalg.norm(points, axis=1).max() for points, _ in drawn.meshes])[drawn.mesh]
        radius = radius * drawn.scale.max(axis=1)
        return float((ahead - radius)[ahead > -radius].min(initial=np.inf))

    def show(self, snapshot: Snapshot) -> None:
        """Move the shapes to a frame."""
        if self.floor is not None:
            self.corner[:] = self.floor.corner(snapshot.origin)
        self.shapes.show(snapshot)
        self.slabs.show(snapshot)


def seen_from_its_edge(stage: Any) -> bool:
    """Whether the floor of a stage is a line in the picture."""
    look = stage.view.position - stage.view.focus
    return bool(stage.view.parallel and abs(look @ stage.up) < 1e-6 * np.linalg.norm(look))
