"""Default colours of bodies, the same in pictures and in files for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

#: distinguishable also by the colour-blind (Okabe and Ito)
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#9A8700", "#7F7F7F")
#: lighting of bodies in pictures
LOOK = {"ambient": 0.46, "diffuse": 0.7}
RGB = np.array([[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in COLOURS], np.uint8)
#: of a body that had a part in the error of a run, and of all others: red, green, blue from 0 to 1
CULPRIT, OTHER = (0.84, 0.0, 0.0), (0.85, 0.86, 0.88)


def default_colours(body: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """(n, 3) default colours of bodies (n,), red, green and blue from 0 to 255."""
    return RGB[body % len(COLOURS)]


def culprit_colours(static: Mapping[str, Any], body: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """(n, 3) colours of bodies (n,) in the last steps before an error, from 0 to 1; NaN: of the ground (-1),
    and in all other results.
    """
    culprit = np.array([*static.get("bodies/culprit", ()), False])
    if len(culprit) == 1:
        return np.full((len(body), 3), np.nan)
    return np.where(body[:, None] < 0, np.nan, np.where(culprit[body][:, None], CULPRIT, OTHER))
