"""Places in sorted lists of pairs."""

from __future__ import annotations

from mbplugin.interface import inlined


@inlined
def place_of(keys, n, key):
    """The place of `key` in the n first of `keys`, which ascend, or where it belongs."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low
