"""The file format of sweeps."""

from __future__ import annotations

import numpy as np
import pytest

from mbplugin.sweeps import netcdf
from mbplugin.sweeps.netcdf import Stored

NUMBERS = np.random.default_rng(1)
FILES = {
    "numbers of one key": {"crank": Stored(("crank",), NUMBERS.random(5))},
    "courses of two keys, a status and texts": {
        "length": Stored(("length",), NUMBERS.random(3), {"units": b"m"}),
        "Länge": Stored(("Länge",), np.array([b"a", b"b"])),
        "force": Stored(("length", "Länge", "time"), NUMBERS.random((3, 2, 7)), {"units": b"N"}),
        "status": Stored(
            ("length", "Länge"), np.ones((3, 2), np.int8), {"flag_values": np.array([0, 1, 2], np.int8)}
        ),
        "time": Stored(("time",), NUMBERS.random(7)),
        "message": Stored(("length", "Länge", "letters"), np.full((3, 2, 5), b"a"), {"_Encoding": b"utf-8"}),
    },
    "an odd number of bytes": {"status": Stored(("point",), np.array([1, 2, 1, 0, 2], np.int8))},
}
ATTRIBUTES = {"mbplugin": b'{"format": 1}', "checksum": b"abc", "values": np.array([1, 2, 3], np.int8)}


@pytest.mark.parametrize("variables", FILES.values(), ids=FILES)
def test_arrays_names_and_attributes_are_read_back(variables):
    arrays, attributes = netcdf.decode(netcdf.encode(variables, ATTRIBUTES))
    assert attributes["mbplugin"] == ATTRIBUTES["mbplugin"] and attributes["values"].tolist() == [1, 2, 3]
    assert set(arrays) == set(variables)
    for name, variable in variables.items():
        assert arrays[name].dtype == variable.values.dtype
        assert arrays[name].tobytes() == variable.values.tobytes()
        assert arrays[name].shape == variable.values.shape


def test_a_file_that_ends_too_early_is_refused():
    whole = netcdf.encode(FILES["numbers of one key"], ATTRIBUTES)
    for length in range(len(whole)):
        with pytest.raises((ValueError, KeyError, TypeError, IndexError)):
            netcdf.decode(whole[:length])
