"""Pictures of the last steps before an error: which elements had a part in it, and what is still in sight."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.results import RawResult

#: of joints and lines that had a part; bodies are stored in this colour
CULPRIT = "#D60000"
#: how far from the middle of the first frame a body is still in sight, in sizes of that frame, at least [m]
SIGHT, LEAST = 3.0, 1e-9


def culprits(raw: RawResult, group: str) -> list[str]:
    """Names of the bodies, joints or forces that had a part in the error."""
    return [name for name, is_one in zip(raw.names(group), raw.attribute(f"{group}/culprit", [])) if is_one]


def frames_in_sight(raw: RawResult) -> int:
    """How many frames there are before a body leaves the sight: bodies of a motion that diverges are soon
    anywhere. All of a result that is not of last steps.
    """
    if "stopped" not in raw.attributes or not raw.names("bodies"):
        return raw.frames
    places = [raw["bodies/center_of_mass"]]
    if raw.names("joints"):
        places.append(raw["joints/position"])
    points: Any = np.concatenate(places, axis=1)
    low, high = points[0].min(axis=0), points[0].max(axis=0)
    reach = SIGHT * max(float((high - low).max()), LEAST)
    inside = (np.abs(points - 0.5 * (low + high)) <= reach).all(axis=(1, 2))
    return raw.frames if inside.all() else max(1, int(np.argmin(inside)))
