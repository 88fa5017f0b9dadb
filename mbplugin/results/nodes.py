"""Creates groups and arrays of the store: Zarr v3, little-endian, uncompressed, one crc32c per chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbplugin.results.files import plain


def create_group(path: str) -> Any:
    """Create a root group in the folder `path`; its old content is removed."""
    import zarr

    return zarr.open_group(path, mode="w", zarr_format=3)


def create_array(
    group: Any,
    name: str,
    shape: Sequence[int],
    dtype: np.dtype,
    *,
    chunks: Sequence[int],
    dims: Sequence[str],
    attributes: Mapping[str, Any],
) -> None:
    """Create an array without chunks; what is not written yet reads as nan (integers: 0)."""
    from zarr.codecs import Crc32cCodec

    group.create_array(
        name,
        shape=tuple(shape),
        chunks=tuple(max(n, 1) for n in chunks),
        dtype=dtype,
        fill_value=fill_value(dtype),
        filters=None,
        compressors=[Crc32cCodec()],
        chunk_key_encoding={"name": "default", "separator": "."},
        dimension_names=dims,
        attributes=plain(attributes),
    )


def fill_value(dtype: np.dtype) -> Any:
    """nan for floating-point types, 0 for others."""
    return dtype.type(np.nan) if dtype.kind == "f" else dtype.type(0)
