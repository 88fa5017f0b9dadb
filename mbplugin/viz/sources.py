"""Where arrows of forces come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from mbplugin.decoder.rotation import Array


class Forces(NamedTuple):
    """Forces of a frame that are drawn as arrows."""

    point: Array  # (n, 3) where each acts, world [m]
    force: Array  # (n, 3) on body b [N]
    kind: Array  # (n,) index into the kinds of its source


class Source(Protocol):
    """Gives the forces of one sort.

    kinds: name and colour of each kind of arrow that the run has
    dots:  whether the points are drawn
    """

    kinds: list[tuple[str, str]]
    dots: bool

    def at(self, index: int, frame: Mapping[str, Array]) -> Forces:
        """Those of a frame, of which `frame` has the arrays `places.SHOWN`."""

    def largest(self) -> Array:
        """(frames,) size of the largest force [N]. Raises StoreError."""
