"""Continued results: of a run of the same scene and sources, with its frame times."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, StoreError, listed
from mbplugin.model import System
from mbplugin.run.sources import changed
from mbplugin.run.times import FrameTimes

#: distance of two frame times that are the same, relative to the last
ROUNDING = 1e-14


def without_end(system: System) -> str:
    """Text of the scene without the keys that a resumed run may change."""
    from mbplugin.model import toml

    tables = system.tables()
    tables["solver"] = {k: v for k, v in tables["solver"].items() if k != "end"}
    return toml.document(tables)


def refuse_other_sources(
    raw: Any, out: Path, identity: str, sources: Mapping[str, str], static: Mapping[str, Any]
) -> None:
    """Raises SceneError if the result in `out` stands on anything else than the run with these would."""
    mend = "run into another folder, or omit --resume to replace it"
    if raw.attributes.get("identity") != identity:
        raise SceneError("--resume", str(out), f"that result belongs to another scene; {mend}")
    stored = raw.attributes.get("sources")
    if not isinstance(stored, dict) or not all(isinstance(text, str) for text in stored.values()):
        raise SceneError("--resume", str(out), f"that result does not say what it stands on; {mend}")
    if differences := changed(stored, sources):
        what = f"since that run began, {listed(differences, 3)}; restore what it stood on, {mend}"
        raise SceneError("--resume", str(out), what)
    names = {key: value for key, value in static.items() if key.endswith("/name")}
    if any(raw.attribute(key) != list(value) for key, value in names.items()):
        raise StoreError(f"{raw.path}: damaged: its names are not those of its scene; {mend}")


def continued_times(raw: Any, times: FrameTimes, frames: int) -> FrameTimes:
    """The frame times of a result that has so many frames, continued to the end of `times`. Raises
    SceneError, StoreError.
    """
    try:
        plan = {key: raw.attributes["frame_times"][key] for key in ("start", "stop", "count", "every")}
        continued = FrameTimes(**plan).to(times)
        known = min(frames, len(continued))
        # the last frame of an earlier end is at that end, which rounding may have put below start + i every
        planned, stored = continued.up_to(known), raw.time
        # a simulation may have further frames in between
        after = np.searchsorted(stored, planned).clip(1, max(1, len(stored) - 1))
        near = np.abs(planned - [stored[after - 1], stored[np.minimum(after, len(stored) - 1)]])
        fits = (near.min(axis=0) <= ROUNDING * max(abs(plan["start"]), stored.max(initial=0.0))).all()
    except (KeyError, TypeError, ValueError, ArithmeticError):
        raise StoreError(f"{raw.path}: damaged: zarr.json has no valid `frame_times`") from None
    if not fits:
        raise StoreError(f"{raw.path}: damaged: its frames are at other times than its scene says")
    if len(continued) < frames:
        reached = f"that run has reached t = {raw.time[frames - 1]:.9g} s already; give a later end"
        raise SceneError("--end", times.stop, reached)
    return continued
