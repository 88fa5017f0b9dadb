"""Curves over time as PNG, SVG or PDF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mbplugin.errors import SceneError, StoreError
from mbplugin.results import RawResult
from mbplugin.results.quantities import Curve, curves
from mbplugin.viz.colours import COLOURS

KINDS = (".png", ".svg", ".pdf")


def plot(raw: RawResult, what: Sequence[str], file: str | Path | None = None) -> Any:
    """A matplotlib figure of stored quantities, with one panel per unit; saved if `file` is given.

    what: names as in `mbplugin.results.quantities`

    Raises SceneError if a name is not stored or the suffix is not one of KINDS, StoreError.
    """
    if file is not None and Path(file).suffix.lower() not in KINDS:
        raise SceneError("file", str(file), f"must end in {', '.join(KINDS)}")
    panels: dict[str, list[Curve]] = {}
    for name in what:
        for curve in curves(raw, name):
            panels.setdefault(curve.unit, []).append(curve)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 1.2 + 2.8 * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    colour = 0
    for axis, (unit, lines) in zip(axes, panels.items()):
        for line in lines:
            style = ("-", "--", ":")[colour // len(COLOURS) % 3]
            axis.plot(
                raw.time,
                line.values,
                label=line.label,
                color=COLOURS[colour % len(COLOURS)],
                linewidth=1.4,
                linestyle=style,
            )
            colour += 1
        axis.set_ylabel(f"{common(lines)} [{unit}]" if unit not in ("", "1") else common(lines))
        axis.grid(True, color="#DDDDDD", linewidth=0.6)
        axis.set_axisbelow(True)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
        if len(lines) > 1:
            axis.legend(frameon=False, fontsize="small")
    axes[-1].set_xlabel("time [s]")
    if file is not None:
        try:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(file, dpi=150)
        except OSError as error:
            raise StoreError(f"{file}: cannot be written: {error.strerror or error}") from None
    return figure


def common(lines: Sequence[Curve]) -> str:
    """Axis label of a panel: the curve's label, or the quantities of all its curves."""
    if len(lines) == 1:
        return lines[0].label
    kinds = {
        line.label.split(".")[2] if line.label.count(".") > 1 else line.label.split(".")[0] for line in lines
    }
    return ", ".join(sorted(kinds)).replace("_", " ")
