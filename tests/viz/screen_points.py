"""Pictures of a stage, and the pixels of points in them."""

from __future__ import annotations

from typing import Any

import numpy as np

import mbplugin as mb
from mbplugin.viz import Options
from mbplugin.viz.film import Film
from mbplugin.viz.stage import Stage


class Shot:
    """The picture of a frame of a result, and the stage, which `with` closes."""

    def __init__(self, result: mb.Result, frame: int = 0, size: tuple[int, int] = (640, 360), **options: Any):
        self.stage = Stage(result.raw, result.raw.gravity, Options(size=size, **options))
        self.film = Film(self.stage)
        self.show(frame)

    def show(self, frame: int) -> None:
        self.stage.show(frame)
        self.picture = self.film.picture().astype(int)

    def __enter__(self) -> Shot:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stage.close()

    def place(self, point: Any) -> tuple[int, int]:
        """Row and column of a world point."""
        renderer = self.stage.plotter.renderer
        renderer.SetWorldPoint(*(np.asarray(point, float) - self.stage.origin), 1.0)
        renderer.WorldToDisplay()
        x, y, _ = renderer.GetDisplayPoint()
        return round(self.picture.shape[0] - 1 - y), round(x)

    def at(self, point: Any, reach: int = 1) -> np.ndarray:
        """(n, 3) colours of the pixels about a world point."""
        row, column = self.place(point)
        assert 0 <= row < self.picture.shape[0] and 0 <= column < self.picture.shape[1], (row, column)
        rows = slice(max(0, row - reach), row + reach + 1)
        return self.picture[rows, max(0, column - reach) : column + reach + 1].reshape(-1, 3)

    def colour(self, point: Any) -> np.ndarray:
        """(3,) median colour about a world point."""
        return np.median(self.at(point), axis=0)


def part(shot: Shot, kind: type) -> Any:
    """The part of that kind of the stage."""
    (found,) = (each for each in shot.stage.parts if isinstance(each, kind))
    return found
