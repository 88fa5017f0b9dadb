"""Curves as thin tubes, so that pictures, series and files of other formats show them on their bodies."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.math.primitives import Triangles
from mbplugin.model import System
from mbplugin.model.curve_fit import CurveTable
from mbplugin.model.names import GROUND, body_of
from mbplugin.model.orientation import IDENTITY, matrix
from mbplugin.tables.spec import Array

#: most points along a curve, corners around it, radius in the size of the curve
POINTS, CORNERS, RADIUS = 512, 6, 0.003
#: curvature of a straight curve, by its size
STRAIGHT = 1e-6


@dataclass(frozen=True)
class CurveTube:
    """A curve as a shape of its body; it touches nothing and has no mass."""

    curve: CurveTable  # in the frame of the body
    color: Any
    visible: bool
    type: str = "curve"
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def name(self) -> str:
        """The name of the curve."""
        return self.curve.name

    def rotation(self) -> Array:
        """(4,) unit quaternion, frame of the mesh to that of the body."""
        return np.array(IDENTITY)

    def template(self) -> tuple[Hashable, tuple[float, float, float]]:
        """The key of its mesh, and the factors along its axes."""
        return ("curve", self.curve.name), (1.0, 1.0, 1.0)

    def template_surface(self) -> Triangles:
        """Points (n, 3) [m] and triangles (m, 3) of the tube."""
        curve = self.curve
        count = POINTS if np.abs(curve.bends).max() * curve.size > STRAIGHT else 1
        s = np.linspace(0.0, curve.length, count + 1)[: None if not curve.closed else -1]
        centres, tangents = curve.spline(s), curve.spline(s, 1)
        sides = np.stack([np.interp(s, curve.s, column) for column in curve.sides.T], axis=1)
        tangents /= np.linalg.norm(tangents, axis=1)[:, None]
        angle = np.arange(CORNERS) * 2.0 * np.pi / CORNERS
        across, beside = np.cos(angle)[:, None], np.sin(angle)[:, None]
        ring = across * sides[:, None] + beside * np.cross(tangents, sides)[:, None]
        points = (centres[:, None] + RADIUS * curve.size * ring).reshape(-1, 3)
        first = np.arange(len(s) if curve.closed else len(s) - 1)[:, None]
        k, after = np.arange(CORNERS), (np.arange(CORNERS) + 1) % CORNERS
        here, there = CORNERS * first, CORNERS * ((first + 1) % len(s))
        lower = np.stack([here + k, here + after, there + after], axis=2)
        upper = np.stack([here + k, there + after, there + k], axis=2)
        return points, np.concatenate([lower.reshape(-1, 3), upper.reshape(-1, 3)]).astype(np.int64)


def curve_tubes(system: System, deforming: Collection[int] = ()) -> Iterator[tuple[int, CurveTube]]:
    """(number of the body, tube) of each curve; the ground is -1. deforming: bodies whose markers move in
    their frames; their curves are left out.
    """
    numbers = {body.name: k for k, body in enumerate(system.bodies)}
    for curve in system.curves:
        number = numbers.get(body_of(curve.body), -1)
        if number in deforming:
            continue
        table = system.curve_tables[curve.name]
        body, _, name = curve.body.partition(".")
        if name:
            x, R = place_of_marker(system, body, name)
            table = table.placed(-(R.T @ x), R.T)
        yield number, CurveTube(table, curve.color, curve.visible)


def place_of_marker(system: System, body: str, name: str) -> tuple[Array, Array]:
    """(3,) position [m] and (3, 3) axes of a marker in the frame of its body; of the ground in the world."""
    if body == GROUND:
        marker = next(m for m in system.scene.markers if m.name == name)
        return np.array(marker.position, float), matrix(tuple(marker.rotation()))
    owner = system.body(body)
    return owner.place_of(next(m for m in owner.markers if m.name == name))
