"""Joints and lines that act in a frame: what is released is not drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbplugin.results.layout import STATUSES, Array

ACTS = STATUSES.index("acts")


class Acting:
    """Which elements with these names act. static: as in `ResultWriter`; kinds: what they are, "joint" or
    "force", which stands before a name that two elements have.
    """

    def __init__(self, static: Mapping[str, Any], names: Sequence[str], *kinds: str) -> None:
        known = {}
        for k, label in enumerate(static.get("activities/name", ())):
            what, _, name = label.rpartition(" ")
            if what in ("", *kinds):
                known[name] = k
        self.number = len(names)
        self.places = [(k, known[name]) for k, name in enumerate(names) if name in known]

    def at(self, frame: Mapping[str, Any]) -> Array:
        """(names,) whether each acts in a frame."""
        acts = np.ones(self.number, bool)
        for k, activity in self.places:
            acts[k] = frame["activities/status"][activity] == ACTS
        return acts
