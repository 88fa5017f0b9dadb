"""Measures over the points of a sweep, as PNG, SVG or PDF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mbplugin.viz.plot import equal_lengths, refuse_file, saved, styled, with_panels

Array = np.ndarray[Any, Any]
#: more curves than these have a bar of colours in the place of a legend
LEGEND = 8
MAP = "viridis"


class Panel(NamedTuple):
    """A measure over the points."""

    values: Array  # (points...), or (points..., frames)
    unit: str


def plot_points(
    coordinates: Mapping[str, Array],
    pairs: bool,
    measures: Mapping[str, Panel],
    time: Array | None,
    failed: Array,
    file: str | Path | None = None,
    size: tuple[int, int] | None = None,
    against: tuple[str, Panel] | None = None,
) -> Any:
    """A matplotlib figure with a panel for each measure; saved if `file` is given.

    coordinates: key -> its values along its dimension; pairs: along the only dimension of the points
    measures:    name -> what its panel shows
    time:        (frames,) or (points..., frames) [s] of those over time
    failed:      (points...) whether a point has no values; a cross on the axis of numbers
    against:     name and values of the time courses along x in the place of time

    Numbers are drawn over the first key, a curve for each value of the others; time courses of all points in
    one panel, with the colour of the first key. Raises SceneError, StoreError.
    """
    refuse_file(file, size)
    figure, axes = with_panels(len(measures), size, sharex=False)
    for axis, (label, measure) in zip(axes, measures.items()):
        over_time = measure.values.ndim > failed.ndim
        styled(axis)
        axis.set_ylabel(f"{label} [{measure.unit}]" if measure.unit not in ("", "1") else label)
        if over_time and against is not None:
            label, along = against
            courses(figure, axis, coordinates, measure.values, along.values, failed.shape)
            axis.set_xlabel(f"{label} [{along.unit}]" if along.unit not in ("", "1") else label)
            equal_lengths(axis, along.unit, measure.unit)
        elif over_time:
            assert time is not None
            courses(figure, axis, coordinates, measure.values, time, failed.shape)
            axis.set_xlabel("time [s]")
        else:
            numbers(figure, axis, coordinates, pairs, measure.values, failed)
    return saved(figure, file)


def numbers(
    figure: Any, axis: Any, coordinates: Mapping[str, Array], pairs: bool, values: Array, failed: Array
) -> None:
    """One number for each point over the first key."""
    (key, x), *others = coordinates.items()
    axis.set_xlabel(key)
    order = np.argsort(x, kind="stable") if pairs and x.dtype.kind == "f" else np.arange(len(x))
    x, lines = x[order], values.reshape(len(x), -1)[order]
    inner = [] if pairs else others
    paint = Paint(inner, lines.shape[1])
    for column, line in enumerate(lines.T):
        axis.plot(x, line, color=paint.colour(column), label=paint.label(column), **marks(len(x)))
    lost = failed.reshape(len(x), -1)[order].any(axis=1)
    if lost.any():
        bottom = np.zeros(int(lost.sum()))
        axis.plot(
            x[lost],
            bottom,
            "x",
            color="#C03030",
            transform=axis.get_xaxis_transform(),
            clip_on=False,
            label="failed",
        )
    if lost.any() or inner:
        paint.explain(figure, axis)


def courses(
    figure: Any,
    axis: Any,
    coordinates: Mapping[str, Array],
    values: Array,
    along: Array,
    shape: tuple[int, ...],
) -> None:
    """The time courses of all points. along: what is drawn along x, of all points together or of each"""
    frames = values.shape[-1]
    lines = values.reshape(-1, frames)
    times = np.broadcast_to(along.reshape(-1, frames), lines.shape)
    first = next(iter(coordinates.items()))
    paint = Paint([first], len(first[1]))
    named: set[int] = set()
    for index, (t, line) in enumerate(zip(times, lines)):
        place = int(np.unravel_index(index, shape)[0])
        label = paint.label(place) if place not in named else "_"
        if not np.isnan(line).all():
            axis.plot(t, line, color=paint.colour(place), label=label, linewidth=1.2)
            named.add(place)
    paint.explain(figure, axis)


class Paint:
    """Colours and labels of `count` curves, by the values of `keys`."""

    def __init__(self, keys: Any, count: int) -> None:
        import matplotlib

        self.keys, self.count = list(keys), count
        self.map = matplotlib.colormaps[MAP]
        self.values = np.asarray(self.keys[0][1], float) if self.is_scale else np.arange(count, dtype=float)
        low, high = (float(self.values.min()), float(self.values.max())) if count else (0.0, 1.0)
        self.norm = matplotlib.colors.Normalize(low, high if high > low else low + 1.0)

    @property
    def is_scale(self) -> bool:
        return len(self.keys) == 1 and self.keys[0][1].dtype.kind == "f"

    def colour(self, index: int) -> Any:
        return self.map(0.92 * self.norm(self.values[index])) if self.keys else self.map(0.3)

    def label(self, index: int) -> str:
        if not self.keys:
            return "_"
        places = np.unravel_index(index, tuple(len(given) for _, given in self.keys))
        return ", ".join(f"{key} = {text(given[k])}" for (key, given), k in zip(self.keys, places))

    def explain(self, figure: Any, axis: Any) -> None:
        """A legend, or a bar of colours."""
        if self.count <= LEGEND or not self.is_scale:
            if self.count <= 2 * LEGEND:
                axis.legend(frameon=False, fontsize="small")
            return
        from matplotlib.cm import ScalarMappable

        figure.colorbar(ScalarMappable(self.norm, self.map), ax=axis, label=self.keys[0][0])


def text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def marks(count: int) -> dict[str, Any]:
    """Few points are marked."""
    return {"linewidth": 1.4, **({"marker": "o", "markersize": 3.5} if count <= 60 else {})}
