"""The page about the format says what is in the store, and its numpy lines read it."""

import re
from pathlib import Path

import made_up
import numpy as np
from test_store import write

from mbplugin.results import RawResult, ResultWriter
from mbplugin.results.layout import FIXED_SIZES, FRAME_ARRAYS, STATIC_ARRAYS, VERSION

PAGE = (Path(__file__).parents[2] / "docs/result-format.md").read_text()


def test_the_page_lists_every_array_with_its_shape_unit_and_meaning():
    rows = dict(re.findall(r"^\| `([^`]+)` \| (\(.*) \|$", PAGE, re.MULTILINE))
    arrays = FRAME_ARRAYS | STATIC_ARRAYS
    assert rows.keys() == arrays.keys()
    for key, array in arrays.items():
        dims = [
            *(["frame"] if key in FRAME_ARRAYS else []),
            *(str(FIXED_SIZES.get(dim, dim)) for dim in array.dims),
        ]
        shape = "(" + ", ".join(dims) + (",)" if len(dims) == 1 else ")")
        kind = {"<f8": "", "|i1": " int8", "<i8": " int64"}[array.dtype]
        assert rows[key] == f"{shape}{kind} | {array.units} | {array.meaning}"
    assert f"format {VERSION}\n" in PAGE


def test_thirty_lines_of_numpy_read_the_store_while_it_is_written_and_after(tmp_path):
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL).group(1)
    assert len(code.splitlines()) <= 35
    assert "zarr" not in re.sub(r"zarr\.json", "", code)
    names = {}
    exec(code, names)
    store = tmp_path / "result.zarr"
    writer = write(store, 1500)
    writer.flush()
    for i in range(1500, 1510):
        writer.append(made_up.frame(i))
    assert_same(names, store, 1500)
    writer.close(complete=True)
    assert_same(names, store, 1510)


def test_they_read_an_empty_store(tmp_path):
    names = {}
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL).group(1), names)
    ResultWriter(tmp_path / "r", made_up.static(), {})
    assert len(names["read_array"](str(tmp_path / "r"), "time")) == 0
    assert_same(names, tmp_path / "r", 0)


def assert_same(names, store, frames):
    """What the lines of the page read is what our reader reads, `frames` frames of it."""
    raw = RawResult(store)
    for key in raw:
        found = names["read_array"](str(store), key)
        assert np.array_equal(found, raw[key], equal_nan=True), key
        assert key not in FRAME_ARRAYS or len(found) == frames
    assert names["read_attributes"](str(store), "bodies")["name"] == ["crank", "rod", "piston"]
