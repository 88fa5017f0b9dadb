"""The file format of sweeps: scipy reads and writes the same."""

from __future__ import annotations

import io

import numpy as np
import pytest
from scipy.io import netcdf_file

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


def of_scipy(variables):
    """The bytes that scipy writes. Its names are Latin-1 in the file, those of NetCDF UTF-8."""
    content = io.BytesIO()
    file = netcdf_file(content, "w", version=2)
    latin = lambda name: name.encode().decode("latin-1")
    for name, variable in variables.items():
        for dim, length in zip(variable.dims, variable.values.shape):
            if latin(dim) not in file.dimensions:
                file.createDimension(latin(dim), length)
        written = file.createVariable(latin(name), variable.values.dtype, tuple(map(latin, variable.dims)))
        written[:] = variable.values
        for key, value in variable.attributes.items():
            setattr(written, key, value)
    for key, value in ATTRIBUTES.items():
        setattr(file, key, value)
    file.flush()
    return content.getvalue()


@pytest.mark.parametrize("variables", FILES.values(), ids=FILES)
def test_the_bytes_are_those_that_scipy_writes(variables):
    assert netcdf.encode(variables, ATTRIBUTES) == of_scipy(variables)


@pytest.mark.parametrize("variables", FILES.values(), ids=FILES)
def test_what_scipy_has_written_is_read(variables):
    arrays, attributes = netcdf.decode(of_scipy(variables))
    assert attributes["mbplugin"] == ATTRIBUTES["mbplugin"] and attributes["values"].tolist() == [1, 2, 3]
    assert set(arrays) == set(variables)
    for name, variable in variables.items():
        assert arrays[name].dtype == variable.values.dtype
        assert arrays[name].tobytes() == variable.values.tobytes()
        assert arrays[name].shape == variable.values.shape


def test_a_file_that_ends_too_early_is_refused():
    whole = netcdf.encode(FILES["numbers of one key"], ATTRIBUTES)
    for length in range(len(whole)):
        with pytest.raises((ValueError, KeyError)):
            netcdf.decode(whole[:length])
