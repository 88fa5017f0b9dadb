"""Joints and lines that act in a frame: what is released is not drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbplugin.results import RawResult
from mbplugin.results.layout import STATUSES

Array = np.ndarray[Any, Any]
ACTS = STATUSES.index("acts")


class Acting:
    """Which elements with these names act; what: "joint" or "force", where both have a name."""

    def __init__(self, raw: RawResult, names: Sequence[str], what: str) -> None:
        labels = raw.names("activities")
        self.number = len(names)
        known = {label.removeprefix(f"{what} "): k for k, label in enumerate(labels)}
        self.places = [(k, known[name]) for k, name in enumerate(names) if name in known]

    def at(self, frame: Mapping[str, Array]) -> Array:
        """(names,) whether each acts in a frame."""
        acts = np.ones(self.number, bool)
        for k, activity in self.places:
            acts[k] = frame["activities/status"][activity] == ACTS
        return acts
