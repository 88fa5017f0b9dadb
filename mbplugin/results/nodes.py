"""Groups and arrays of the store: Zarr v3, little-endian, uncompressed, crc32c per chunk.

Their metadata is written as the zarr library writes it (the tests compare). Importing zarr and making 70
nodes with it would take 0.3 s of every run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mbplugin.results.files import Damaged, demand, plain

#: types of numbers in a store
TYPES = ("float64", "float32", "int64", "int32", "int16", "int8", "uint8", "bool")
#: more frames or rows than that are no count
MOST = 2**40


def make_group(folder: Path, attributes: Mapping[str, Any] | None = None) -> None:
    """A group in `folder`, which must not exist."""
    _make_node(folder, {"attributes": plain(attributes or {}), "zarr_format": 3, "node_type": "group"})


def make_array(
    folder: Path,
    shape: Sequence[int],
    dtype: np.dtype,
    *,
    chunks: Sequence[int],
    dims: Sequence[str],
    attributes: Mapping[str, Any],
) -> None:
    """An array without chunks yet, in `folder`, which must not exist; what is not written reads as nan
    (integers: 0).
    """
    value = fill_value(dtype)
    to_bytes = {"name": "bytes"} | ({"configuration": {"endian": "little"}} if dtype.itemsize > 1 else {})
    node = {
        "shape": list(shape),
        "data_type": dtype.name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [max(n, 1) for n in chunks]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "fill_value": plain(value),
        "codecs": [to_bytes, {"name": "crc32c"}],
        "attributes": plain(attributes),
        "dimension_names": list(dims),
        "zarr_format": 3,
        "node_type": "array",
        "storage_transformers": [],
    }
    if not dims:
        del node["dimension_names"]
    _make_node(folder, node)


class ArrayInfo(NamedTuple):
    """What the metadata of an array says."""

    shape: tuple[int, ...]
    chunk: tuple[int, ...]  # shape of a chunk: all rows of every axis but the first
    dtype: np.dtype


def array_info(node: Mapping[str, Any]) -> ArrayInfo:
    """Shape, chunks and type in the metadata of an array as `make_array` writes it. Raises Damaged."""
    try:
        shape, chunk = node["shape"], node["chunk_grid"]["configuration"]["chunk_shape"]
        codecs = [codec["name"] for codec in node["codecs"]]
        kind = node["data_type"]
    except (KeyError, TypeError, IndexError):
        raise Damaged("zarr.json is incomplete") from None
    counted = are_counts(shape) and are_counts(chunk) and len(shape) == len(chunk)
    demand(counted, "zarr.json has no valid shape")
    fits = all(c >= 1 for c in chunk) and [max(n, 1) for n in shape[1:]] == chunk[1:]
    demand(fits, "zarr.json has chunks that do not fit the shape")
    demand(kind in TYPES and codecs == ["bytes", "crc32c"], "zarr.json has an unknown type or encoding")
    return ArrayInfo(tuple(shape), tuple(chunk), np.dtype(kind).newbyteorder("<"))


def are_counts(values: Any) -> bool:
    """Whether `values` is a list of integers that can be numbers of rows."""
    return isinstance(values, list) and all(is_count(n) for n in values)


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST


def _make_node(folder: Path, node: Mapping[str, Any]) -> None:
    folder.mkdir()
    (folder / "zarr.json").write_text(json.dumps(node, indent=2), encoding="utf-8")


def fill_value(dtype: np.dtype) -> Any:
    """nan for floating-point types, 0 for others."""
    return dtype.type(np.nan) if dtype.kind == "f" else dtype.type(0)
