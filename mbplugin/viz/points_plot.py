"""Measures over the points of a sweep, as PNG, SVG or PDF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mbplugin.decoder.rotation import Array
from mbplugin.viz.plot import PIXELS, STYLES, Legend, equal_lengths, refuse_file, saved, styled, with_panels

#: more curves than this have a bar of colours instead of a legend
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

    coordinates: key -> its values along its dimension
    pairs:       whether all keys change together, along one dimension
    measures:    name -> what its panel shows
    time:        (frames,) or (points..., frames) [s] of the measures that have a value in each frame
    failed:      (points...) whether a point has no values; a cross marks it on the x axis
    against:     name and time courses of a measure that is drawn along x instead of time

    A measure with one number for each point is drawn over the first key, with a curve for each combination of
    the others. Time courses of all points are in one panel: the first key gives the colour, the others the
    style of the line. Raises SceneError, StoreError.
    """
    refuse_file(file, size)
    figure, axes = with_panels(len(measures), size, sharex=False)
    for axis, (label, measure) in zip(axes, measures.items()):
        over_time = measure.values.ndim > failed.ndim
        styled(axis)
        axis.set_ylabel(f"{label} [{measure.unit}]" if measure.unit not in ("", "1") else label)
        if over_time and against is not None:
            label, along = against
            courses(figure, axis, coordinates, pairs, measure.values, along.values, failed.shape)
            axis.set_xlabel(f"{label} [{along.unit}]" if along.unit not in ("", "1") else label)
            equal_lengths(axis, along.unit, measure.unit)
        elif over_time:
            assert time is not None
            courses(figure, axis, coordinates, pairs, measure.values, time, failed.shape)
            axis.set_xlabel("time [s]")
        else:
            numbers(figure, axis, coordinates, pairs, measure.values, failed)
    if size is not None:
        figure.set_figheight(size[1] / PIXELS)
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
    pairs: bool,
    values: Array,
    along: Array,
    shape: tuple[int, ...],
) -> None:
    """The time courses of all points. along: what is drawn along x, of all points together or of each"""
    frames = values.shape[-1]
    lines = values.reshape(-1, frames)
    times = np.broadcast_to(along.reshape(-1, frames), lines.shape)
    (key, first), *others = coordinates.items()
    paint = Paint([(key, first)], len(first))
    # combinations of the other keys for each value of the first; with pairs only one
    inner = 1 if pairs else len(lines) // len(first)
    names = Paint(() if pairs else others, inner)
    drawn = [index for index, line in enumerate(lines) if not np.isnan(line).all()]
    each = len(drawn) <= 2 * LEGEND  # has a name of its own
    for index in drawn:
        place, line = int(np.unravel_index(index, shape)[0]), index % inner
        label = [paint.label(place), *([names.label(line)] if inner > 1 else [])]
        if pairs:
            label = [f"{k} = {text(given[place])}" for k, given in coordinates.items()]
        own = paint.map(0.92 * index / max(len(lines) - 1, 1))
        axis.plot(
            times[index],
            lines[index],
            color=own if each and inner > 1 else paint.colour(place),
            label=", ".join(label) if each else "_",
            **style(line),
        )
    if each and (inner > 1 or not paint.is_scale or len(first) <= LEGEND):
        above(axis)
        return
    if paint.is_scale and paint.count > LEGEND:
        paint.explain(figure, axis)
    elif paint.count <= 2 * LEGEND:
        for place in range(paint.count):
            axis.plot([], [], color=paint.colour(place), label=paint.label(place))
    if inner > 1:
        for line in range(min(inner, 2 * LEGEND)):
            axis.plot([], [], color="#555555", label=names.label(line), **style(line))
    above(axis)


def style(line: int) -> dict[str, Any]:
    """Style and width of the line for combination number `line` of the other keys."""
    return {"linestyle": STYLES[line % len(STYLES)], "linewidth": 1.2 + 0.9 * (line // len(STYLES))}


def above(axis: Any) -> None:
    """A legend above the panel, by which the figure grows."""
    _, labels = axis.get_legend_handles_labels()
    legend = Legend.of(labels, float(axis.figure.get_figwidth()), np.inf, least=1)
    legend.add(axis)
    axis.figure.set_figheight(axis.figure.get_figheight() + legend.height)


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
                above(axis)
            return
        from matplotlib.cm import ScalarMappable

        figure.colorbar(ScalarMappable(self.norm, self.map), ax=axis, label=self.keys[0][0])


def text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def marks(count: int) -> dict[str, Any]:
    """Width of a curve; with markers if it has at most 60 points."""
    return {"linewidth": 1.4, **({"marker": "o", "markersize": 3.5} if count <= 60 else {})}
