"""The drawings of a scene at its frames, checked, and as files for ParaView."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mbplugin.compile.of_plugins import complete_tables
from mbplugin.errors import PluginError, one_line
from mbplugin.export.vtp import PolyDataFile
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import Glyphs
from mbplugin.model import System
from mbplugin.results import Array, RawResult
from mbplugin.results.frame_view import FrameView


class Drawings:
    """The drawings of a system, whose kinds are known. static: as in `ResultWriter`."""

    def __init__(self, system: System, static: Mapping[str, Any]) -> None:
        self.system, self.static = system, static

    @property
    def names(self) -> list[str]:
        return [drawing.name for drawing in self.system.drawings]

    def at(self, number: int, frame: Mapping[str, Any]) -> Glyphs:
        """Drawing `number` of a frame, with arrays of the right shapes. Raises PluginError."""
        drawing = self.system.drawings[number]
        view = FrameView(frame, self.static.get, lambda: self.system)
        who = f't = {view.time:.9g} s: drawing "{drawing.name}" (type "{drawing.type}")'
        try:
            glyphs = drawing.kind.draw(drawing.params, view)
        except Exception as error:
            raise PluginError(f"{who}: {type(error).__name__}: {one_line(str(error))}") from error
        try:
            return checked(glyphs)
        except (ValueError, TypeError) as error:
            raise PluginError(f"{who} returned {one_line(str(error))}") from error

    def file(self, number: int, t: float, frame: Mapping[str, Any]) -> bytes:
        """PolyData of drawing `number` of a frame of time t [s]: at the points its arrays, `color`, and
        `arrow` [m], what is drawn as arrows. Raises PluginError.
        """
        glyphs = self.at(number, frame)
        arrays = {**glyphs.arrays, "color": glyphs.color}
        if glyphs.arrows:
            arrays["arrow"] = glyphs.scale * glyphs.arrays[glyphs.arrows]
        file = PolyDataFile(
            len(glyphs.points),
            vertices=np.arange(len(glyphs.points), dtype=np.int32),
            lines=glyphs.lines,
            varying={name: (int(np.prod(a.shape[1:])), np.float64) for name, a in arrays.items()},
        )
        return file.frame(t, glyphs.points, arrays)


def stored_drawings(raw: RawResult) -> Drawings:
    """The drawings of a stored result. Raises SceneError, PluginError."""
    system = System.from_text(str(raw.attributes["scene"]), file=str(raw.path))
    complete_tables(system, load_plugins()[0])
    return Drawings(system, raw.static())


def checked(glyphs: Any) -> Glyphs:
    """This drawing with numpy arrays. Raises ValueError that says what is wrong."""
    if not isinstance(glyphs, Glyphs):
        raise ValueError(f"a {type(glyphs).__name__}, not Glyphs")
    points = numbers("points", glyphs.points)
    points = points.reshape(0, 3) if points.size == 0 else points
    n = len(points)
    if points.shape != (n, 3):
        raise ValueError(f"points of the shape {points.shape}; it must be (n, 3)")
    lines = of_points(glyphs.lines, n)
    arrays = {str(name): numbers(f'array "{name}"', values) for name, values in glyphs.arrays.items()}
    for name, values in arrays.items():
        if values.ndim not in (1, 2) or len(values) != n:
            mend = f"it must be ({n},) or ({n}, k), as there are {n} points"
            raise ValueError(f'array "{name}" of the shape {values.shape}; {mend}')
    if glyphs.arrows and glyphs.arrows not in arrays:
        raise ValueError(f'arrows = "{glyphs.arrows}", which is none of its arrays')
    if glyphs.arrows and arrays[glyphs.arrows].shape != (n, 3):
        raise ValueError(f'arrows = "{glyphs.arrows}", an array that is not ({n}, 3)')
    scale = float(glyphs.scale)
    if not 0.0 < scale < np.inf:
        raise ValueError(f"scale = {scale:g}; it must be greater than 0")
    color = numbers("color", glyphs.color)
    if color.shape not in ((3,), (n, 3)) or color.min(initial=0.0) < 0.0 or color.max(initial=0.0) > 1.0:
        raise ValueError(f"color = {glyphs.color!r}; give red, green and blue from 0 to 1, (3,) or ({n}, 3)")
    return replace(
        glyphs,
        points=points,
        lines=lines.astype(np.int32),
        arrays=arrays,
        scale=scale,
        color=np.broadcast_to(color, (n, 3)),
    )


def numbers(what: str, values: Any) -> Array:
    """An array of finite numbers. Raises ValueError."""
    array = np.asarray(values, float)
    if not np.isfinite(array).all():
        raise ValueError(f"{what} with a number that is not finite")
    return array


def of_points(pairs: Any, n: int) -> Array:
    """(l, 2) numbers of points. Raises ValueError."""
    lines = np.asarray(pairs)
    if lines.size == 0:
        return np.zeros((0, 2), np.int64)
    if lines.dtype.kind not in "iu" or lines.ndim != 2 or lines.shape[1] != 2:
        raise ValueError(f"lines of {lines.dtype} and the shape {lines.shape}; they must be integers (l, 2)")
    if lines.min() < 0 or lines.max() >= n:
        raise ValueError(f"lines from {lines.min()} to {lines.max()}; there are points 0 to {n - 1}")
    return lines
