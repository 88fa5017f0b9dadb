"""Checkpoints: arrays stored bit for bit, with the number of frames committed at that time.

`/checkpoint` has two slots, written in turn. The attributes of a slot are its commit marker: they are made
invalid (serial 0) first and valid last, so that a killed process leaves at least the previous checkpoint.
Their seal is a hash of all arrays together: after a power cut no mixture of two checkpoints is taken for one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mbplugin.decoder.files import Damaged, are_counts, chunk_name, demand, is_count, read_node
from mbplugin.results.files import encode, plain, read_chunk, replace_file, synchronise, write_node
from mbplugin.results.nodes import make_array, make_group
from mbplugin.results.validity import is_name

SLOTS = ("a", "b")
#: where a slot is built, and where a replaced one goes
NEW, OLD = "new", "old"


class Checkpoint(NamedTuple):
    """A checkpoint as `write` stored it."""

    arrays: dict[str, np.ndarray]
    attributes: dict[str, Any]
    frames: int  # committed when the checkpoint was taken


def write(
    store: Path, arrays: Mapping[str, np.ndarray], attributes: Mapping[str, Any], frames: int, temporary: Path
) -> None:
    """Write a checkpoint into the slot that does not hold the newest one. It is on the disk afterwards."""
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    layout = {name: [list(array.shape), array.dtype.newbyteorder("<").str] for name, array in arrays.items()}
    data = {name: encode(array) for name, array in arrays.items()}
    markers = {slot: _marker(store, slot) for slot in SLOTS}
    newest = max(SLOTS, key=lambda slot: _serial(markers[slot]))
    serial = _serial(markers[newest]) + 1
    slot = SLOTS[1 - SLOTS.index(newest)] if serial > 1 else SLOTS[0]
    folder = store / "checkpoint" / slot

    if markers[slot].get("layout") == layout:
        node = read_node(folder)
        node["attributes"]["serial"] = 0
        write_node(folder, node, temporary)
    else:
        _make_slot(folder, arrays)
        node = read_node(folder)
    files = [folder / name / chunk_name(0, array.ndim) for name, array in arrays.items() if array.size]
    for path in files:
        replace_file(path, data[path.parent.name], temporary)
    synchronise([*files, *(folder / name / "zarr.json" for name in arrays)])
    # as text: JSON has no nan, and other readers truncate long integers
    text = json.dumps(dict(attributes), default=plain)
    marker = {"serial": serial, "frames": frames, "layout": layout, "attributes": text}
    node["attributes"] = marker | {"seal": _seal(marker, data)}
    write_node(folder, node, temporary)
    synchronise([folder / "zarr.json", folder])


def read(store: Path, at_most: int) -> Checkpoint | None:
    """The newest undamaged checkpoint with at most `at_most` frames; None if there is none."""
    markers = {slot: _marker(store, slot) for slot in SLOTS}
    for slot in sorted(SLOTS, key=lambda slot: _serial(markers[slot]), reverse=True):
        if _serial(markers[slot]) > 0:
            with suppress(Damaged):
                found = _read_slot(store / "checkpoint" / slot, markers[slot])
                if found.frames <= at_most:
                    return found
    return None


def drop_after(store: Path, frames: int, temporary: Path) -> None:
    """Invalidate the checkpoints taken after `frames` frames, and remove what a kill left."""
    for slot in SLOTS:
        marker = _marker(store, slot)
        if _serial(marker) > 0 and not (is_count(marker.get("frames")) and marker["frames"] <= frames):
            node = read_node(store / "checkpoint" / slot)
            node["attributes"] |= {"serial": 0, "frames": -1}
            write_node(store / "checkpoint" / slot, node, temporary)
    for name in (NEW, OLD):
        shutil.rmtree(store / "checkpoint" / name, ignore_errors=True)


def damage(store: Path) -> list[str]:
    """One line for each slot that is marked valid but cannot be read."""
    damages = []
    for slot in SLOTS:
        marker = _marker(store, slot)
        if _serial(marker) > 0:
            try:
                _read_slot(store / "checkpoint" / slot, marker)
            except Damaged as reason:
                damages.append(f"checkpoint/{slot}/{reason}")
    return damages


def _make_slot(folder: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """A slot with the metadata of `arrays`, built beside `folder` and then moved there."""
    new, old = folder.with_name(NEW), folder.with_name(OLD)
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
        return read_node(store / "checkpoint" / slot)["attributes"]
    except Damaged:
        return {}


def _serial(marker: Mapping[str, Any]) -> int:
    """The number of a checkpoint; 0 if it is none."""
    serial = marker.get("serial", 0)
    return serial if is_count(serial) else 0


def _seal(marker: Mapping[str, Any], data: Mapping[str, bytes]) -> str:
    """Hash of all that belongs to a checkpoint, so that halves of two of them are not taken for one."""
    digest = hashlib.sha256(json.dumps(dict(marker), sort_keys=True).encode())
    for name in marker["layout"]:
        digest.update(data[name])
    return digest.hexdigest()


def _read_slot(folder: Path, marker: dict[str, Any]) -> Checkpoint:
    """The checkpoint in a slot. Raises Damaged."""
    sealed: dict[str, Any] = {key: marker.get(key) for key in ("serial", "frames", "layout", "attributes")}
    try:
        layout = {name: (tuple(shape), np.dtype(kind)) for name, (shape, kind) in sealed["layout"].items()}
        valid = is_count(sealed["frames"]) and all(are_counts(list(shape)) for shape, _ in layout.values())
    except (AttributeError, TypeError, ValueError):
        valid = False
    if not valid or any(kind.hasobject or not is_name(name) for name, (_, kind) in layout.items()):
        raise Damaged("zarr.json has no valid layout")
    arrays, data = {}, {}
    for name, (shape, kind) in layout.items():
        try:
            array = np.zeros(shape, kind) if 0 in shape else read_chunk(folder / name, 0, shape, kind)
        except Damaged as reason:
            raise Damaged(f"{name}: {reason}") from None
        arrays[name], data[name] = array, encode(array)
    demand(_seal(sealed, data) == marker.get("seal"), "zarr.json does not match its seal")
    return Checkpoint(arrays, json.loads(sealed["attributes"]), sealed["frames"])
