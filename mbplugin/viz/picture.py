"""Pictures, views and plots that a notebook shows."""

from __future__ import annotations

import functools
import io
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mbplugin.results import RawResult
from mbplugin.viz.movie import render
from mbplugin.viz.options import Options
from mbplugin.viz.page import View


@dataclass(frozen=True)
class Picture:
    """A picture as the bytes of a PNG file."""

    png: bytes

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, file: str | Path) -> Path:
        """Write it; returns the path."""
        Path(file).write_bytes(self.png)
        return Path(file)

    def __repr__(self) -> str:
        return f"Picture: PNG of {len(self.png)} bytes; a notebook shows it, save(file) writes it"


def picture(raw: RawResult, gravity: Any, **options: Any) -> Picture:
    """A picture of a result; options: those of `render`."""
    with tempfile.TemporaryDirectory() as folder:
        return Picture(render(raw, gravity, Path(folder) / "picture.png", **options).read_bytes())


def turnable(raw: RawResult, gravity: Any, options: Options, time: float | None = None) -> View:
    """A view of a result at a time [s]; arguments as in `render`."""
    with tempfile.TemporaryDirectory() as folder:
        file = render(raw, gravity, Path(folder) / "view.html", time=time, options=options)
        return View(file.read_text(encoding="utf-8"), options.size)


@functools.cache
def figure_type() -> Any:
    """A matplotlib figure that a notebook shows, whether or not pyplot has been imported there."""
    from matplotlib.figure import Figure

    class Plot(Figure):
        def _repr_png_(self) -> bytes:
            file = io.BytesIO()
            self.savefig(file, format="png")
            return file.getvalue()

    return Plot
