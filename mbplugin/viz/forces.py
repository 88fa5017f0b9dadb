"""The forces of a result that arrows show: reactions, drives and contacts."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, StoreError
from mbplugin.results import Array, RawResult
from mbplugin.viz.contacts import Contacts
from mbplugin.viz.options import SOURCES
from mbplugin.viz.sources import Drives, Reactions, Source

#: of each of `options.SOURCES`
KINDS: dict[str, Any] = {"joints": Reactions, "drives": Drives, "contacts": Contacts}


def sources_of(raw: RawResult, chosen: Iterable[str] = SOURCES, named: bool = False) -> list[Source]:
    """Those of the chosen sources that a result has. Raises SceneError if one is named that it has not."""
    found = {name: KINDS[name](raw) for name in SOURCES if name in chosen}
    missing = [name for name, source in found.items() if not source.kinds]
    if named and missing:
        raise SceneError("forces", missing[0], f"this result has no {missing[0]}, so that there is no arrow")
    return [source for source in found.values() if source.kinds]


def largest_forces(sources: Iterable[Source]) -> list[Array]:
    """(frames,) size of the largest force of each source [N], without those that are damaged."""
    found = []
    for source in sources:
        with suppress(StoreError):
            found.append(source.largest())
    return found


def usual_size(largest: Iterable[Array]) -> float:
    """The median over frames of the largest of some sizes (frames,); 0 without any. A few impacts do not make
    all other arrows vanish.
    """
    sizes: Array = np.zeros(1)
    for each in largest:
        sizes = np.maximum(sizes, each)
    loaded = sizes[sizes > 0.0]
    return float(np.median(loaded)) if len(loaded) else 0.0


def usual_force(raw: RawResult) -> float:
    """The size of force that arrows of one scale are made for [N]; 0 without forces."""
    return usual_size(largest_forces(sources_of(raw)))
