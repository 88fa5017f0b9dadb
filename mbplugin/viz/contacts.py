"""Forces of contacts, in the colour of their status."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from mbplugin.decoder.contact_frame import supporting_forces
from mbplugin.errors import StoreError
from mbplugin.results import Array, RawResult
from mbplugin.viz.sources import Forces

#: name and colour of each status; contacts of solvers that give none have the last colour
OPEN = "open contact"
STATUSES = (
    (OPEN, "#90A4AE"),
    ("sticking contact", "#00C853"),
    ("slipping contact", "#FF1744"),
    ("new contact", "#D500F9"),
)
PLAIN = "#C2185B"


class Contacts:
    """A point and an arrow at each contact: the force on b, which is never the ground, or that on a if it is
    the one that pushes upwards.
    """

    dots = True

    def __init__(self, raw: RawResult) -> None:
        self.raw, self.kinds = raw, []
        if "contacts" not in raw.lists:
            return
        self.kinds = [("contact", PLAIN)]
        #: of each status: its place in `kinds`
        self.order = np.zeros(1, int)
        if "status" in raw.lists["contacts"]:
            found: Any = np.arange(len(STATUSES))
            with suppress(StoreError):
                found = np.unique(raw.entries("contacts", "status"))
            self.kinds = [STATUSES[k] for k in found]
            self.order = np.searchsorted(found, np.arange(len(STATUSES)))

    @functools.cached_property
    def offsets(self) -> Array:
        """(frames + 1,) where the contacts of each frame begin. Raises StoreError."""
        return self.raw.offsets("contacts")

    def at(self, index: int, frame: Mapping[str, Array]) -> Forces:
        """The forces of a frame."""
        part = int(self.offsets[index]), int(self.offsets[index + 1])
        point, force = (self.raw.entries("contacts", name, *part) for name in ("point", "force"))
        kind = np.zeros(len(force), int)
        if "status" in self.raw.lists["contacts"]:
            kind = self.order[self.raw.entries("contacts", "status", *part)]
        force = supporting_forces(np.asarray(force, float), self.raw.gravity)
        return Forces(np.asarray(point, float), force, kind)

    def largest(self) -> Array:
        """(frames,) [N]. Raises StoreError."""
        sizes = np.zeros(self.raw.frames)
        frame = np.repeat(np.arange(self.raw.frames), np.diff(self.offsets))
        np.maximum.at(sizes, frame, np.linalg.norm(self.raw.entries("contacts", "force"), axis=1))
        return sizes
