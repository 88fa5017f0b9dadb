"""Files of sweeps: NetCDF 3 with 64-bit offsets ("CDF-2"), by scipy.

NetCDF has names in UTF-8; scipy writes and reads them as Latin-1.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, NamedTuple

from mbplugin.decoder.rotation import Array


class Stored(NamedTuple):
    """A variable of a file."""

    dims: tuple[str, ...]
    values: Array  # float64, int8 or S1
    attributes: Mapping[str, Any] = {}  # bytes, or arrays (n,) of int8


def encode(variables: Mapping[str, Stored], attributes: Mapping[str, Any]) -> bytes:
    """The bytes of a file. Variables are in the order of their shapes, the largest first."""
    from scipy.io import netcdf_file  # with scipy.sparse; only sweeps with a folder need it

    content = io.BytesIO()
    file = netcdf_file(content, "w", version=2)
    for name, (dims, values, described) in variables.items():
        latin = [dim.encode().decode("latin-1") for dim in dims]
        for dim, length in zip(latin, values.shape):
            if dim not in file.dimensions:
                file.createDimension(dim, length)
        variable = file.createVariable(name.encode().decode("latin-1"), values.dtype, latin)
        variable[:] = values
        for key, value in described.items():
            setattr(variable, key, value)
    for key, value in attributes.items():
        setattr(file, key, value)
    file.flush()
    return content.getvalue()


def decode(data: bytes) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays and the attributes of a file. A damaged file raises whatever scipy meets."""
    from scipy.io import netcdf_file

    file = netcdf_file(io.BytesIO(data), "r", mmap=False)
    arrays = {
        name.encode("latin-1").decode(): variable[:].astype(variable[:].dtype.newbyteorder("="))
        for name, variable in file.variables.items()
    }
    return arrays, dict(file._attributes)
