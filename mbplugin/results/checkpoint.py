"""Checkpoints: arrays stored bit for bit, with the number of frames committed at that time.

`/checkpoint` has two slots, written in turn. The attributes of a slot are its commit marker: they are made
invalid (serial 0) first and valid last, so that a killed process leaves at least the previous checkpoint.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mbplugin.results.files import (
    Damaged,
    chunk_name,
    encode,
    plain,
    read_chunk,
    read_node,
    replace_file,
    write_node,
)
from mbplugin.results.nodes import make_array, make_group

SLOTS = ("a", "b")


class Checkpoint(NamedTuple):
    """A checkpoint as `write` stored it."""

    arrays: dict[str, np.ndarray]
    attributes: dict[str, Any]
    frames: int  # committed when the checkpoint was taken


def write(
    store: Path, arrays: Mapping[str, np.ndarray], attributes: Mapping[str, Any], frames: int, temporary: Path
) -> None:
    """Write a checkpoint into the slot that does not hold the newest one."""
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    layout = {name: [list(array.shape), array.dtype.newbyteorder("<").str] for name, array in arrays.items()}
    markers = {slot: _marker(store, slot) for slot in SLOTS}
    newest = max(SLOTS, key=lambda slot: markers[slot].get("serial", 0))
    serial = markers[newest].get("serial", 0) + 1
    slot = SLOTS[1 - SLOTS.index(newest)] if serial > 1 else SLOTS[0]
    folder = store / "checkpoint" / slot

    if markers[slot].get("layout") == layout:
        node = read_node(folder)
        node["attributes"]["serial"] = 0
        write_node(folder, node, temporary)
    else:
        _make_slot(folder, arrays, new_slot(temporary), old_slot(temporary))
        node = read_node(folder)
    for name, array in arrays.items():
        if array.size:
            replace_file(folder / name / chunk_name(0, array.ndim), encode(array), temporary)
    # as text: JSON has no nan, and other readers truncate long integers
    text = json.dumps(dict(attributes), default=plain)
    node["attributes"] = {"serial": serial, "frames": frames, "layout": layout, "attributes": text}
    write_node(folder, node, temporary)


def read(store: Path, at_most: int) -> Checkpoint | None:
    """The newest undamaged checkpoint with at most `at_most` frames; None if there is none."""
    markers = {slot: _marker(store, slot) for slot in SLOTS}
    for slot in sorted(SLOTS, key=lambda slot: markers[slot].get("serial", 0), reverse=True):
        marker = markers[slot]
        if marker.get("serial", 0) > 0 and marker["frames"] <= at_most:
            try:
                arrays = _read_arrays(store / "checkpoint" / slot, marker["layout"])
            except Damaged:
                continue
            return Checkpoint(arrays, json.loads(marker["attributes"]), marker["frames"])
    return None


def drop_after(store: Path, frames: int, temporary: Path) -> None:
    """Invalidate the checkpoints taken after `frames` frames."""
    for slot in SLOTS:
        if _marker(store, slot).get("frames", -1) > frames:
            node = read_node(store / "checkpoint" / slot)
            node["attributes"] |= {"serial": 0, "frames": -1}
            write_node(store / "checkpoint" / slot, node, temporary)


def damage(store: Path) -> list[str]:
    """One line for each slot that is marked valid but cannot be read."""
    damages = []
    for slot in SLOTS:
        marker = _marker(store, slot)
        if marker.get("serial", 0) > 0:
            try:
                _read_arrays(store / "checkpoint" / slot, marker["layout"])
            except Damaged as reason:
                damages.append(f"checkpoint/{slot}/{reason}")
    return damages


def new_slot(temporary: Path) -> Path:
    """Path at which a slot is built before it is moved into place."""
    return temporary.with_name(temporary.name + ".slot")


def old_slot(temporary: Path) -> Path:
    """Path to which a replaced slot is moved."""
    return temporary.with_name(temporary.name + ".old")


def _make_slot(folder: Path, arrays: Mapping[str, np.ndarray], new: Path, old: Path) -> None:
    """A slot with the metadata of `arrays`, built in the folder `new` and then moved to `folder`."""
    shutil.rmtree(new, ignore_errors=True)  # what a kill left
    make_group(new)
    for name, array in arrays.items():
        if "/" in name or name.startswith((".", "__")):
            raise ValueError(
                f"checkpoint array {name!r}: a name has no '/' and does not begin with '.' or '__'; rename it"
            )
        dims = [f"{name}_{axis}" for axis in range(array.ndim)]
        attributes = {"units": "internal"}
        make_array(new / name, array.shape, array.dtype, chunks=array.shape, dims=dims, attributes=attributes)
    if folder.exists():
        # moved away in one step: half removed, its marker would still say valid
        shutil.rmtree(old, ignore_errors=True)
        os.rename(folder, old)
        os.rename(new, folder)
        shutil.rmtree(old, ignore_errors=True)
    else:
        os.rename(new, folder)


def _marker(store: Path, slot: str) -> dict[str, Any]:
    """Attributes of a slot; empty if it was never completely written."""
    try:
        attributes = read_node(store / "checkpoint" / slot).get("attributes")
    except Damaged:
        return {}
    return attributes if isinstance(attributes, dict) else {}


def _read_arrays(folder: Path, layout: Mapping[str, Any]) -> dict[str, np.ndarray]:
    arrays = {}
    for name, (shape, dtype) in layout.items():
        try:
            empty = 0 in shape
            arrays[name] = (
                np.zeros(shape, dtype) if empty else read_chunk(folder / name, 0, shape, np.dtype(dtype))
            )
        except Damaged as reason:
            raise Damaged(f"{name}: {reason}") from None
    return arrays
