"""Impacts of bodies that compiled code has noted, as a table with one record for each."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.tables.groups import Impacts
from mbplugin.tables.records import ImpactRecord
from mbplugin.tables.spec import Array, records

#: vectors of `Impacts`
VECTORS = tuple(name for name in Impacts._fields if name not in ("used", "index"))
NUMBERS = records(ImpactRecord, []).dtype
#: of a record; each number has 8 bytes
OF_VECTORS = [(name, "f8", 3) for name in VECTORS]
IMPACT = np.dtype([*((name, NUMBERS[name]) for name in ImpactRecord._fields), *OF_VECTORS])


def empty_impacts(places: int) -> Impacts:
    """The arrays, with room for so many."""
    blank = records(ImpactRecord, [tuple(0 for _ in ImpactRecord._fields)] * places)
    return Impacts(np.zeros(2, np.int64), blank, *(np.zeros((places, 3)) for _ in VECTORS))


def taken_impacts(impacts: Any) -> Array:
    """(n,) of `IMPACT`: those of accepted steps, which the arrays hold no longer then."""
    if not len(impacts.used) or impacts.used[0] == 0:
        return np.zeros(0, IMPACT)
    n = int(impacts.used[0])
    found = np.zeros(n, IMPACT)
    for name in ImpactRecord._fields:
        found[name] = impacts.index[name][:n]
    for name in VECTORS:
        found[name] = getattr(impacts, name)[:n]
    impacts.used[:] = 0
    return found
