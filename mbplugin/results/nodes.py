"""Groups and arrays of the store: Zarr v3, little-endian, uncompressed, crc32c per chunk.

Their metadata is written as the zarr library writes it (the tests compare). Importing zarr and making 70
nodes with it would take 0.3 s of every run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.results.files import plain


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


def _make_node(folder: Path, node: Mapping[str, Any]) -> None:
    folder.mkdir()
    (folder / "zarr.json").write_text(json.dumps(node, indent=2), encoding="utf-8")


def fill_value(dtype: np.dtype) -> Any:
    """nan for floating-point types, 0 for others."""
    return dtype.type(np.nan) if dtype.kind == "f" else dtype.type(0)
