"""One memory block for all tables of a system.

Separately allocated arrays begin at page boundaries. Kernels that traverse several of them in parallel then
suffer from 4K aliasing: a load waits for an earlier store whose address agrees in the last twelve bits. Here
every array starts at a different offset within its page.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.tables.spec import Array, specs

PAGE, LINE = 4096, 64
#: cache lines between the page offsets of consecutive arrays; odd, so that 64 arrays have 64 offsets
STRIDE = 39


def pack(tables: dict[type, Any]) -> dict[type, Any]:
    """The same tables, copied into one memory block."""
    fields = [
        (group, name, np.ascontiguousarray(getattr(arrays, name)))
        for group, arrays in tables.items()
        for name in specs(group)
    ]
    starts, end = [], 0
    for k, (_, _, array) in enumerate(fields):
        offset = k * STRIDE * LINE % PAGE
        start = end + (offset - end) % PAGE
        starts.append(start)
        end = start + max(array.nbytes, 8)
    memory = np.zeros(end + PAGE, np.uint8)
    memory = memory[-memory.ctypes.data % PAGE :]
    moved: dict[type, dict[str, Array]] = {group: {} for group in tables}
    for start, (group, name, array) in zip(starts, fields):
        target = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        target[...] = array
        moved[group][name] = target.view(type(getattr(tables[group], name)))
    return {group: group(**arrays) for group, arrays in moved.items()}
