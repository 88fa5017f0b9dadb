"""Curves over time as PNG, SVG or PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mbplugin.errors import SceneError, StoreError
from mbplugin.export.colours import COLOURS
from mbplugin.results import RawResult
from mbplugin.results.quantities import Curve, curves
from mbplugin.viz.options import refuse_size
from mbplugin.viz.picture import figure_type

KINDS = (".png", ".svg", ".pdf")


#: width of a figure, height of its rest and of a panel [inches], and pixels in an inch
WIDTH, REST, PANEL, PIXELS = 8.0, 1.2, 2.8, 150
#: size of labels [points], and of a letter in it
LABEL, LETTER = 10.0, 0.6


def plot(
    raw: RawResult,
    what: Sequence[str],
    file: str | Path | None = None,
    against: str | None = None,
    others: Mapping[str, RawResult] | None = None,
    size: tuple[int, int] | None = None,
    label: str = "",
) -> Any:
    """A matplotlib figure of stored quantities, with one panel per unit; saved if `file` is given.

    what:    names as in `mbplugin.results.quantities`
    against: name of the quantity along x, one component; default: time. A path has equal lengths on both
             axes
    others:  further results by their labels, drawn in the same panels
    size:    width and height in pixels
    label:   of the first result, beside others

    Raises SceneError if a name is not stored or the suffix is not one of KINDS, StoreError.
    """
    refuse_file(file, size)
    panels: dict[str, list[Line]] = {}
    for result, each in [(label if others else "", raw), *(others or {}).items()]:
        try:
            along = abscissa(each, against)
            found = [curve for name in what for curve in curves(each, name)]
        except SceneError as error:
            error.file = error.file or result
            raise
        for curve in found:
            panels.setdefault(curve.unit, []).append(Line(result, along.values, curve))
    figure, axes = with_panels(len(panels), size, sharex=True)
    colour = 0
    for axis, (unit, lines) in zip(axes, panels.items()):
        for line in lines:
            style = ("-", "--", ":")[colour // len(COLOURS) % 3]
            axis.plot(
                line.x,
                line.curve.values,
                label=line.label,
                color=COLOURS[colour % len(COLOURS)],
                linewidth=1.4,
                linestyle=style,
            )
            colour += 1
        text = f"{common(lines)} [{unit}]" if unit not in ("", "1") else common(lines)
        height = 72.0 * figure.get_figheight() / len(panels)  # of a panel, in points
        axis.set_ylabel(text, fontsize=min(LABEL, height / (LETTER * len(text))))
        styled(axis)
        if against is not None:
            equal_lengths(axis, along.unit, unit)
        if len(lines) > 1:
            axis.legend(frameon=False, fontsize="small")
    axes[-1].set_xlabel(along._replace(label=short(along.label)).heading)
    return saved(figure, file)


def refuse_file(file: str | Path | None, size: tuple[int, int] | None) -> None:
    """Raises SceneError for a suffix that is not one of KINDS, and for a size that no picture has."""
    if file is not None and Path(file).suffix.lower() not in KINDS:
        raise SceneError("file", str(file), f"must end in {', '.join(KINDS)}")
    if size is not None:
        refuse_size(size)


def with_panels(count: int, size: tuple[int, int] | None, sharex: bool) -> tuple[Any, Any]:
    """A figure, and its panels one below the other. size: width and height in pixels; None: by the panels"""
    inches = (WIDTH, REST + PANEL * count) if size is None else (size[0] / PIXELS, size[1] / PIXELS)
    figure = figure_type()(figsize=inches, layout="constrained")
    return figure, figure.subplots(count, 1, sharex=sharex, squeeze=False)[:, 0]


def styled(axis: Any) -> None:
    """Grid and spines of a panel."""
    axis.grid(True, color="#DDDDDD", linewidth=0.6)
    axis.set_axisbelow(True)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def equal_lengths(axis: Any, along: str, across: str) -> None:
    """Draw a length along x as long as one along y, if both are lengths."""
    if along == across == "m":
        axis.set_aspect("equal", adjustable="datalim")


def saved(figure: Any, file: str | Path | None) -> Any:
    """The figure, written if `file` is given. Raises StoreError."""
    if file is not None:
        try:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(file, dpi=PIXELS)
        except OSError as error:
            raise StoreError(f"{file}: cannot be written: {error.strerror or error}") from None
    return figure


class Line(NamedTuple):
    """A curve of one of several results, and what it is drawn over."""

    result: str  # label of the result
    x: Any
    curve: Curve

    @property
    def label(self) -> str:
        label = short(self.curve.label)
        return f"{label}, {self.result}" if self.result else label


def short(label: str) -> str:
    """The label of a coordinate, state, input or output as a scene names it."""
    return label.partition(".")[2].removesuffix(".value") if label.endswith(".value") else label


def abscissa(raw: RawResult, against: str | None) -> Curve:
    """What a plot has along x. Raises SceneError."""
    if against is None:
        return Curve("time", raw.time, "s")
    first, *more = curves(raw, against)
    if more:
        raise SceneError("against", against, f"has several components; choose one, such as {first.label}")
    return first


def common(lines: Sequence[Line]) -> str:
    """Axis label of a panel: the curve's label, or the quantities of all its curves."""
    labels = list(dict.fromkeys(line.curve.label for line in lines))
    if len(labels) == 1:
        return short(labels[0])
    return ", ".join(sorted({kind(label) for label in labels})).replace("_", " ")


def kind(label: str) -> str:
    """The quantity of a label: "force", "angle", "angle speed", "drive", "energy"."""
    owner, *parts = label.split(".")
    if owner == "coordinate" and len(parts) > 2:
        return {"value": parts[1], "drive": "drive"}.get(parts[2], f"{parts[1]} {parts[2]}")
    return parts[1] if len(parts) > 1 else owner
