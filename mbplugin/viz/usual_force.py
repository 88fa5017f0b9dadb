"""The size of force that arrows of one scale are made for."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from mbplugin.errors import StoreError
from mbplugin.results import RawResult

Array = np.ndarray[Any, Any]


def usual_force(raw: RawResult) -> float:
    """The median over frames of the largest force of a joint or contact [N]; 0 without forces. A few impacts
    do not make all other arrows vanish. What is damaged does not count.
    """
    largest = np.zeros(raw.frames)
    with suppress(KeyError, StoreError):
        largest = np.linalg.norm(raw["joints/force"], axis=2).max(axis=1, initial=0.0)
    if "contacts" in raw.lists:
        with suppress(StoreError):
            frame = np.repeat(np.arange(raw.frames), np.diff(raw.offsets("contacts")))
            np.maximum.at(largest, frame, np.linalg.norm(raw.entries("contacts", "force"), axis=1))
    loaded = largest[largest > 0.0]
    return float(np.median(loaded)) if len(loaded) else 0.0
