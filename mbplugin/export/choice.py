"""Choice of the series that a run writes for ParaView: surfaces, points for glyphs, or none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from mbplugin.export.geometry import surface_bytes

Series = Literal["auto", "surface", "points"] | bool

#: largest frame of a surface that "auto" writes [bytes]
LARGE = 2_000_000


def stored_series(folder: Path) -> Literal["surface", "points"] | None:
    """The kind of the series in a folder; None if there is none."""
    if (folder / "shapes.vtm").exists():
        return "points"
    return "surface" if (folder / "result.pvd").exists() else None


def chosen_series(
    series: Series, static: Mapping[str, Any]
) -> tuple[Literal["surface", "points"] | None, str]:
    """The kind of series (None: no series), and what "auto" decided in one line ("" if it was given).

    static: as in `ResultWriter`
    """
    if series is False:
        return None, ""
    if series == "surface" or series == "points":
        return series, ""
    size = surface_bytes(static, LARGE)
    if size > LARGE:
        return "points", (
            f"[output] series: points and their meshes, because a surface takes {size / 1e6:.3g} MB a frame "
            f'(over {LARGE / 1e6:g}); paraview_state.py shows them, series = "surface" writes surfaces'
        )
    return "surface", f"[output] series: a surface, which takes less than {LARGE / 1e6:g} MB a frame"


def has_drawings(raw: Any) -> bool:
    """Whether the scene of a result has drawings; without them no plugin is loaded for pictures and files."""
    return "[[drawing]]" in str(raw.attributes.get("scene", ""))
