"""The page about the format lists every array of the store, and its numpy code reads them."""

import re
from pathlib import Path

import made_up
import numpy as np
import pytest
from made_up import write

from mbplugin.decoder.files import VERSION
from mbplugin.results import RawResult, ResultWriter
from mbplugin.results.layout import FIXED_SIZES, FRAME_ARRAYS, IN_SOME, STATIC_ARRAYS, STATIC_IN_SOME

PAGE = (Path(__file__).parents[2] / "docs/result-format.md").read_text()
READER = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL).group(1)


@pytest.fixture
def reader():
    """The functions that the code of the page defines."""
    names = {}
    exec(READER, names)
    return names


def test_the_page_lists_every_array_with_its_shape_unit_and_meaning():
    rows = dict(re.findall(r"^\| `([^`]+)` \| (\(.*) \|$", PAGE, re.MULTILINE))
    of_frames, arrays = FRAME_ARRAYS | IN_SOME, FRAME_ARRAYS | IN_SOME | STATIC_ARRAYS | STATIC_IN_SOME
    assert rows.keys() == arrays.keys()
    for key, array in arrays.items():
        dims = [
            *(["frame"] if key in of_frames else []),
            *(str(FIXED_SIZES.get(dim, dim)) for dim in array.dims),
        ]
        shape = "(" + ", ".join(dims) + (",)" if len(dims) == 1 else ")")
        kind = {"<f8": "", "|i1": " int8", "<i8": " int64"}[array.dtype]
        assert rows[key] == f"{shape}{kind} | {array.units} | {array.meaning}"
    assert f"format {VERSION}\n" in PAGE


def test_thirty_lines_of_numpy_read_the_store_while_it_is_written_and_after(tmp_path, reader):
    assert len(READER.splitlines()) <= 35
    assert "zarr" not in re.sub(r"zarr\.json", "", READER)
    store = tmp_path / "result.zarr"
    writer = write(store, 1500)
    writer.flush()
    for i in range(1500, 1510):
        writer.append(made_up.frame(i))
    assert_same(reader, store, 1500)
    writer.close(complete=True)
    assert_same(reader, store, 1510)


def test_the_lines_of_the_page_read_an_empty_store(tmp_path, reader):
    ResultWriter(tmp_path / "r", made_up.static(), {})
    assert len(reader["read_array"](str(tmp_path / "r"), "time")) == 0
    assert_same(reader, tmp_path / "r", 0)


def assert_same(reader, store, frames):
    """The code of the page and our reader read the same `frames` frames."""
    raw = RawResult(store)
    for key in raw:
        found = reader["read_array"](str(store), key)
        assert np.array_equal(found, raw[key], equal_nan=True), key
        assert key not in FRAME_ARRAYS or len(found) == frames
    assert reader["read_attributes"](str(store), "bodies")["name"] == ["crank", "rod", "piston"]
