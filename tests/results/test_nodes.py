"""Groups and arrays are those that the zarr library makes."""

import numpy as np
import pytest
import zarr
from zarr.codecs import Crc32cCodec

from mbplugin.results.nodes import fill_value, make_array, make_group


@pytest.mark.parametrize("dtype", ["<f8", "<f4", "<i8", "<i4", "|i1", "|u1", "|b1"])
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (361, 4, 6)])
def test_metadata_of_an_array_is_as_zarr_writes_it(tmp_path, dtype, shape):
    dims, attributes = [f"axis_{k}" for k in range(len(shape))], {"units": "m/s²"}
    zarr.open_group(str(tmp_path / "theirs"), mode="w", zarr_format=3).create_array(
        "array",
        shape=shape,
        chunks=tuple(max(n, 1) for n in shape),
        dtype=np.dtype(dtype),
        fill_value=fill_value(np.dtype(dtype)),
        filters=None,
        compressors=[Crc32cCodec()],
        chunk_key_encoding={"name": "default", "separator": "."},
        dimension_names=dims,
        attributes=attributes,
    )
    make_group(tmp_path / "ours")
    ours = tmp_path / "ours/array"
    make_array(ours, shape, np.dtype(dtype), chunks=shape, dims=dims, attributes=attributes)
    assert (ours / "zarr.json").read_text() == (tmp_path / "theirs/array/zarr.json").read_text()


def test_metadata_of_a_group_is_as_zarr_writes_it(tmp_path):
    attributes = {"names": ["crank", "Kurbel größer"], "frames": 3, "complete": False}
    zarr.open_group(str(tmp_path / "theirs"), mode="w", zarr_format=3, attributes=attributes)
    make_group(tmp_path / "ours", attributes)
    assert (tmp_path / "ours/zarr.json").read_text() == (tmp_path / "theirs/zarr.json").read_text()
