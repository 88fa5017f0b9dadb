"""One piece of memory for all tables of a system.

Arrays of their own begin on pages, and kernels that walk through several of them in step then meet a trap of
common processors: a load waits for an earlier store whose address agrees in the last twelve bits. Here every
array starts at a place of its own within a page.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.tables.spec import Array, specs

PAGE, LINE = 4096, 64
#: lines between the places of one array and the next: odd, so that 64 arrays have 64 places, and far apart
STRIDE = 39


def pack(tables: dict[type, Any]) -> dict[type, Any]:
    """The same tables, copied into one piece of memory."""
    fields = [
        (group, name, np.ascontiguousarray(getattr(arrays, name)))
        for group, arrays in tables.items()
        for name in specs(group)
    ]
    starts, end = [], 0
    for k, (_, _, array) in enumerate(fields):
        place = k * STRIDE * LINE % PAGE
        start = end + (place - end) % PAGE
        starts.append(start)
        end = start + max(array.nbytes, 8)
    room = np.zeros(end + PAGE, np.uint8)
    room = room[-room.ctypes.data % PAGE :]
    moved: dict[type, dict[str, Array]] = {group: {} for group in tables}
    for start, (group, name, array) in zip(starts, fields):
        target = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        target[...] = array
        moved[group][name] = target.view(type(getattr(tables[group], name)))
    return {group: group(**arrays) for group, arrays in moved.items()}
