"""Groups and arrays of the store, made by the zarr library: Zarr v3, little-endian, uncompressed, crc32c per
chunk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbplugin.results.files import plain


def create_group(path: str) -> Any:
    """A new root group in the folder `path`, whose old content goes."""
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
    """An array without chunks yet; what is not written reads as nan (integers: 0)."""
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
    """nan for floating point, 0 for the rest."""
    return dtype.type(np.nan) if dtype.kind == "f" else dtype.type(0)
