"""Curves over time as PNG, SVG or PDF."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mbplugin.decoder.colours import COLOURS
from mbplugin.errors import SceneError, writing
from mbplugin.results import RawResult
from mbplugin.results.computed import CONTACT, OF_STEP
from mbplugin.results.curve import Curve
from mbplugin.results.events import impacts_of
from mbplugin.results.impacts import IMPACTS
from mbplugin.results.quantities import curves
from mbplugin.results.table import warn_of
from mbplugin.viz.options import refuse_size
from mbplugin.viz.picture import figure_type

KINDS = (".png", ".svg", ".pdf")


#: width of a figure, height of its rest and of a panel [inches], and pixels in an inch
WIDTH, REST, PANEL, PIXELS = 8.0, 1.2, 2.8, 150
#: size of labels, and of those of a legend [points]; width over size of a letter: most, mean
LABEL, SMALL, LETTER, NARROW = 10.0, 8.5, 0.6, 0.54
#: of a legend: width of the sample of a curve over the size of letters; beside panels [inches]
SAMPLE, MARGIN = 5.0, 1.0
#: most curves that a legend names, and its most share of the height of a figure of given size
NAMED, SHARE = 30, 0.3
STYLES = ("-", "--", ":", "-.")
#: most quantities in the label of an axis
FEW = 3
#: one curve lies on another where they differ by less, of the largest value
SAME = 1e-9
Words = tuple[str, ...]


def plot(
    raw: RawResult,
    what: Sequence[str],
    file: str | Path | None = None,
    against: str | None = None,
    others: Mapping[str, RawResult] | None = None,
    size: tuple[int, int] | None = None,
    label: str = "",
    degrees: bool = False,
) -> Any:
    """A matplotlib figure of stored quantities, with one panel per unit; saved if `file` is given.

    what:    names as in `mbplugin.results.quantities`; those of impacts as in `is_of_impacts`, drawn as stems
    against: name of the quantity along x, one component; default: time. A path has equal lengths on both
             axes
    others:  further results by their labels, drawn in the same panels
    size:    width and height in pixels
    label:   of the first result, beside others
    degrees: whether angles and their rates are in degrees

    Raises SceneError if a name is not stored or the suffix is not one of KINDS, StoreError.
    """
    refuse_file(file, size)
    panels: dict[tuple[str, Words, bool], list[Line]] = {}
    for result, each in [(label if others else "", raw), *(others or {}).items()]:
        try:
            along = abscissa(each, against)
            found = [curve for name in what if not is_of_impacts(name) for curve in drawable(each, name)]
            struck = [one for name in what if is_of_impacts(name) for one in stems(each, name)]
        except SceneError as error:
            error.file = error.file or result
            raise
        if struck and against is not None:
            raise SceneError("against", against, "impacts are drawn over time only")
        warn_of([along, *found])
        if degrees:
            along, found = along.in_degrees(), [curve.in_degrees() for curve in found]
        for curve in found:
            panels.setdefault((curve.unit, curve.words, False), []).append(Line(result, along.values, curve))
        for times, curve in struck:
            panels.setdefault((curve.unit, (), True), []).append(Line(result, times, curve, stems=True))
    width, room = (
        (WIDTH, np.inf) if size is None else (size[0] / PIXELS, SHARE * size[1] / PIXELS / len(panels))
    )
    legends = [Legend.of([line.label for line in lines], width, room) for lines in panels.values()]
    figure, axes = with_panels(len(panels), size, sharex=True, more=sum(legend.height for legend in legends))
    colour = 0
    for axis, ((unit, words, _), lines), legend in zip(axes, panels.items(), legends):
        for k, line in enumerate(lines):
            # a curve below others shows through their gaps
            style = colour // len(COLOURS) + sum(line.covers(other) for other in lines[:k])
            if line.stems:
                color = COLOURS[colour % len(COLOURS)]
                axis.vlines(line.x, 0.0, line.curve.values, colors=color, linewidth=1.0)
                axis.plot(line.x, line.curve.values, "o", label=line.label, color=color, markersize=3.0)
                colour += 1
                continue
            axis.plot(
                line.x,
                line.curve.values,
                drawstyle="steps-post" if line.counts else "default",
                label=line.label,
                color=COLOURS[colour % len(COLOURS)],
                linewidth=1.4,
                linestyle=STYLES[style % len(STYLES)],
            )
            colour += 1
        text = common(lines) if unit in ("", "1") else f"{common(lines)} [{unit}]"
        text = "\n".join([text, *of_step(lines)])
        height = 72.0 * figure.get_figheight() / len(panels)  # of a panel, in points
        longest = max(map(len, text.split("\n")))
        axis.set_ylabel(text, fontsize=min(LABEL, height / (LETTER * longest)))
        styled(axis)
        if words:
            say(axis, words, lines)
        elif all(line.counts for line in lines):
            axis.locator_params(axis="y", integer=True, min_n_ticks=1)
        if against is not None:
            equal_lengths(axis, along.unit, unit)
        legend.add(axis)
    axes[-1].set_xlabel(along._replace(label=short(along.label)).heading)
    return saved(figure, file)


def drawable(raw: RawResult, name: str) -> list[Curve]:
    """The curves of a name, but those that are NaN in all frames; a warning tells of these. Raises SceneError
    if none is left.
    """
    found = curves(raw, name)
    if not raw.frames:
        raise SceneError("what", name, "the result has no frames")
    empty = [bool(np.isnan(curve.values).all()) for curve in found]
    if all(empty):
        raise SceneError("what", name, f"is NaN in all frames{why_empty(found[0].label)}")
    for curve in itertools.compress(found, empty):
        warnings.warn(f"{curve.label} is NaN in all frames{why_empty(curve.label)}", stacklevel=3)
    return [curve for curve, nothing in zip(found, empty) if not nothing]


def why_empty(label: str) -> str:
    """Why a quantity may have no numbers, as the end of a sentence."""
    if "energy" in label:
        return ": the analysis that wrote this result knows neither masses nor forces, so it has no energies"
    return ": the two never come near each other" if label.endswith(".gap") else ""


def refuse_file(file: str | Path | None, size: tuple[int, int] | None) -> None:
    """Raises SceneError for a suffix that is not one of KINDS, and for a size that no picture has."""
    if file is not None and Path(file).suffix.lower() not in KINDS:
        raise SceneError("file", str(file), f"must end in {', '.join(KINDS)}")
    if size is not None:
        refuse_size(size)


class Legend(NamedTuple):
    """A legend above its panel, in as many columns as fit."""

    columns: int
    named: int  # number of curves that are named
    curves: int  # number of all
    height: float  # [inches]

    @classmethod
    def of(cls, labels: Sequence[str], width: float, room: float, least: int = 2) -> Legend:
        """labels: of the curves, none if fewer than `least`; width: of the figure, room: height that the
        legend may have [inches].
        """
        count, row = len(labels), 1.5 * SMALL / 72.0
        if count < max(least, 1):
            return cls(0, 0, count, 0.0)
        widest = SMALL * (NARROW * max(map(len, labels[:NAMED])) + SAMPLE) / 72.0
        columns = max(1, min(count, int((width - MARGIN) / widest)))
        most = max(2, int(min(NAMED, columns * (room / row))))
        named = count if count <= most else most - 1
        return cls(columns, named, count, row * -(-min(count, most) // columns))

    def add(self, axis: Any) -> None:
        """Draw it for the curves of a panel."""
        if not self.named:
            return
        lines, labels = axis.get_legend_handles_labels()
        lines, labels = lines[: self.named], labels[: self.named]
        if self.named < self.curves:
            (rest,) = axis.plot([], [], " ")
            lines, labels = [*lines, rest], [*labels, f"and {self.curves - self.named} more"]
        axis.legend(
            lines,
            labels,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=self.columns,
            borderaxespad=0.2,
            frameon=False,
            fontsize=SMALL,
        )


def with_panels(count: int, size: tuple[int, int] | None, sharex: bool, more: float = 0.0) -> tuple[Any, Any]:
    """A figure, and its panels one below the other.

    size: width and height in pixels; None: by the panels, and `more` inches of height
    """
    inches = (WIDTH, REST + PANEL * count + more) if size is None else (size[0] / PIXELS, size[1] / PIXELS)
    figure = figure_type()(figsize=inches, layout="constrained")
    return figure, figure.subplots(count, 1, sharex=sharex, squeeze=False)[:, 0]


def styled(axis: Any) -> None:
    """Grid and spines of a panel."""
    axis.grid(True, color="#DDDDDD", linewidth=0.6)
    axis.set_axisbelow(True)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def say(axis: Any, words: Words, lines: Sequence[Line]) -> None:
    """Words in the place of the numbers that the curves have, and nothing at others."""
    numbers = np.unique(np.concatenate([line.curve.values for line in lines]))
    axis.set_yticks(numbers, [words[int(k)] for k in numbers])


def equal_lengths(axis: Any, along: str, across: str) -> None:
    """Draw a length along x as long as one along y, if both are lengths."""
    if along == across == "m":
        axis.set_aspect("equal", adjustable="datalim")


def saved(figure: Any, file: str | Path | None) -> Any:
    """The figure, written if `file` is given. Raises StoreError."""
    if file is not None:
        with writing(file):
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(file, dpi=PIXELS)
    return figure


class Line(NamedTuple):
    """A curve of one of several results, and what it is drawn over."""

    result: str  # label of the result
    x: Any
    curve: Curve
    stems: bool = False  # its values are impacts

    @property
    def label(self) -> str:
        label = short(self.curve.label)
        return f"{label}, {self.result}" if self.result else label

    @property
    def counts(self) -> bool:
        """Whether its values are whole numbers."""
        return bool(self.curve.values.dtype.kind == "i")

    def covers(self, other: Line) -> bool:
        """Whether it lies on another curve."""
        mine, its = self.curve.values, other.curve.values
        if mine.shape != its.shape or not np.array_equal(self.x, other.x):
            return False
        return np.allclose(mine, its, rtol=0.0, atol=SAME * np.nanmax(abs(its)), equal_nan=True)


def short(label: str) -> str:
    """The label of a coordinate, state, input or output as a scene names it."""
    return label.partition(".")[2].removesuffix(".value") if label.endswith(".value") else label


def abscissa(raw: RawResult, against: str | None) -> Curve:
    """The curve along x. Raises SceneError."""
    if against is None:
        return Curve("time", raw.time, "s")
    first, *more = curves(raw, against)
    if more:
        raise SceneError("against", against, f"has several components; choose one, such as {first.label}")
    return first


def common(lines: Sequence[Line]) -> str:
    """Axis label of a panel: the curve's label, or the quantities of all its curves."""
    if lines[0].stems:
        return "impulse of impacts"
    labels = list(dict.fromkeys(line.curve.label for line in lines))
    if len(labels) == 1:
        return short(labels[0])
    kinds = sorted({kind(label).replace("_", " ") for label in labels}, key=natural)
    return ", ".join(kinds) if len(kinds) <= FEW else f"{kinds[0]} … {kinds[-1]}"


def natural(text: str) -> list[tuple[int, str]]:
    """Key of an order in which tilt2 comes before tilt10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", text)]


def kind(label: str) -> str:
    """The quantity of a label: "force", "angle", "angle speed", "drive", "energy", "contact normal_force"."""
    owner, *parts = label.split(".")
    if owner == "coordinate" and len(parts) > 2:
        return {"value": parts[1], "drive": "drive"}.get(parts[2], f"{parts[1]} {parts[2]}")
    if owner == "bound":
        return parts[-1]
    if owner == CONTACT and len(parts) > 2:
        return f"{CONTACT} {parts[2]}"
    if owner == "body" and len(parts) > 3:  # of a marker
        return parts[2]
    return parts[1] if len(parts) > 1 else owner


def of_step(lines: Sequence[Line]) -> list[str]:
    """A line below the label of a panel with forces of contacts, which are those of a step."""
    labels = [line.curve.label for line in lines if not line.stems]
    contacts = [label.split(".") for label in labels if label.startswith(f"{CONTACT}.")]
    quantities = {words[3] for words in contacts if len(words) > 3}
    if quantities & {*OF_STEP}:
        return ["(mean of the step before a frame)"]
    if "step_impulse" in quantities:
        return ["(of the step before a frame)"]
    return ["(of all steps since t = 0)"] if "impulse" in quantities else []


#: elements with a colour of their own; more are drawn as one
ELEMENTS = 12


def is_of_impacts(name: str) -> bool:
    """Whether a name is that of impacts: "impacts" of all, "impacts.ball" of a body, shape or element,
    "impacts.floor.ball" of two.
    """
    return name == IMPACTS or name.startswith(f"{IMPACTS}.")


def stems(raw: RawResult, name: str) -> list[tuple[Any, Curve]]:
    """Times and a curve of the sizes of their normal impulses, for each element. Raises SceneError."""
    found, whole = impacts_of(raw), name.removeprefix(IMPACTS).removeprefix(".")
    if whole:
        one, _, other = whole.partition(".")
        found = found.of(whole) if whole in found.element else found.of(one, other)
    if not len(found):
        raise SceneError("what", name, "there are no impacts in this result")
    of_rows = dict(zip(raw.names("bounds"), raw.attribute("bounds/unit", []) or []))
    units = np.array([f"{of_rows.get(element, 'N')} s" for element in found.element])
    elements = list(dict.fromkeys(found.element.tolist()))
    if len(elements) > ELEMENTS:
        chosen = {(IMPACTS, str(unit)): units == unit for unit in np.unique(units)}
    else:
        chosen = {
            (element, str(units[found.element == element][0])): found.element == element
            for element in elements
        }
    return [
        (found.time[which], Curve(label, abs(found.impulse[which, 0]), unit))
        for (label, unit), which in chosen.items()
    ]
