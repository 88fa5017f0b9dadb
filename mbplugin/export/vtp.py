"""Writes VTK XML PolyData with numpy alone: raw appended data, Int32 topology, Float64 points.

Only time, points and point arrays change from frame to frame; everything else is formatted once. A block
of appended data is its length in bytes (UInt32), then the bytes; strings end with a zero byte. In a packed
file a block is the number of its parts, their length, that of the last one if it is shorter (0), the length
of the part in the file, and the part as zlib writes it: one part, and only what is constant is compressed.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

VTK_TYPES = {
    np.dtype(np.float32): "Float32",
    np.dtype(np.float64): "Float64",
    np.dtype(np.int8): "Int8",
    np.dtype(np.uint8): "UInt8",
    np.dtype(np.int16): "Int16",
    np.dtype(np.int32): "Int32",
}
NO_VERTICES, NO_LINES, NO_TRIANGLES = (
    np.zeros(0, np.int32),
    np.zeros((0, 2), np.int32),
    np.zeros((0, 3), np.int32),
)
TAIL = b"\n  </AppendedData>\n</VTKFile>\n"
#: levels of zlib: of what changes with each frame, and of what is constant
STORED, SMALL = 0, 6


class AppendedFile:
    """A VTK XML file of points with raw appended data, of which only what varies is formatted anew.

    points:  number of points
    varying: point arrays passed with each frame: name -> (components, numpy type)
    units:   of arrays, which programs find as UNITS_LABEL; names without a unit may be missing
    packed:  compress what is constant

    A subclass writes its header from `_moving` and the entries of its constant arrays.
    """

    def __init__(
        self, points: int, varying: Mapping[str, tuple[int, type]], units: Mapping[str, str], packed: bool
    ) -> None:
        self.packed, self.units = packed, {"Points": "m", "TimeValue": "s", **units}
        self.varying = {"Points": (3, np.float64), **varying}
        self._points = points
        self._offset = 0
        self._constant: list[bytes] = []
        self._header = b""
        self._time = self._entry("TimeValue", np.dtype(np.float64), 1, 8, 'NumberOfTuples="1" ')
        #: name of what varies -> its XML
        self._moving = {}
        for name, (components, kind) in self.varying.items():
            dtype = np.dtype(kind)
            self._moving[name] = self._entry(name, dtype, components, points * components * dtype.itemsize)

    def _head(self, kind: str) -> list[str]:
        """The first lines of a file."""
        return [
            '<?xml version="1.0"?>',
            f'<VTKFile type="{kind}" version="0.1" byte_order="LittleEndian" header_type="UInt32"'
            + (' compressor="vtkZLibDataCompressor">' if self.packed else ">"),
            f"<{kind}>",
        ]

    def frame(self, time: float, points: np.ndarray, arrays: Mapping[str, np.ndarray]) -> bytes:
        """The file of one frame: `points` (n,3) [m], `arrays` as declared in `varying`."""
        blocks = [self._header, self._block(np.array([time], np.float64))]
        for name, (components, kind) in self.varying.items():
            with np.errstate(over="ignore"):  # values of a diverging run can exceed single precision
                array: np.ndarray = np.asarray(points if name == "Points" else arrays[name], dtype=kind)
            if array.size != self._points * components:
                raise ValueError(
                    f"{name}: {array.size} numbers for {self._points} points of {components} components"
                )
            blocks.append(self._block(array))
        return b"".join([*blocks, *self._constant, TAIL])

    def _entry(self, name: str, dtype: np.dtype, components: int, size: int, more: str = "") -> str:
        """The XML of the array appended next, of `size` bytes."""
        text = (
            f'<DataArray type="{VTK_TYPES[dtype]}" Name="{escape(name)}" NumberOfComponents="{components}" '
            f'{more}format="appended" offset="{self._offset}"{self._unit(name)}'
        )
        self._offset += len(packed_block(bytes(size), STORED)) if self.packed else 4 + size
        return text

    def _array(self, name: str, array: np.ndarray) -> str:
        data = self._block(array, SMALL)
        self._constant.append(data)
        start = self._offset
        text = self._entry(name, array.dtype, array.shape[1] if array.ndim > 1 else 1, array.nbytes)
        self._offset = start + len(data)
        return text

    def _unit(self, name: str) -> str:
        """The end of the XML of an array: with its unit, if it has one."""
        unit = self.units.get(name, "")
        key = '<InformationKey name="UNITS_LABEL" location="vtkDataArray">'
        return f">{key}{escape(unit)}</InformationKey></DataArray>" if unit not in ("", "1") else "/>"

    def _strings(self, name: str, texts: Sequence[str], more: str = "") -> str:
        raw = b"".join(text.replace("\0", "").encode() + b"\0" for text in texts)
        data = packed_block(raw, SMALL) if self.packed else len(raw).to_bytes(4, "little") + raw
        self._constant.append(data)
        text = f'<Array type="String" Name="{escape(name)}" {more}format="appended" offset="{self._offset}"/>'
        self._offset += len(data)
        return text

    def _cells(self, cells: np.ndarray) -> list[str]:
        """The XML of `cells`, (n, corners)."""
        count, corners = cells.shape
        offsets = corners * np.arange(1, count + 1, dtype=np.int32)
        return [
            self._array("connectivity", cells.astype(np.int32).ravel()),
            self._array("offsets", offsets.astype(np.int32)),
        ]

    def _block(self, array: np.ndarray, level: int = STORED) -> bytes:
        """A block of appended data; `level`: of compression in a packed file."""
        data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        return packed_block(data, level) if self.packed else len(data).to_bytes(4, "little") + data


class PolyDataFile(AppendedFile):
    """PolyData files of constant topology. Cells are the vertices, then the lines, then the triangles.

    points:     number of points
    vertices:   (k,) Int32, points drawn as vertices
    lines:      (l,2) Int32
    triangles:  (m,3) Int32
    varying:    point arrays passed with each frame: name -> (components, numpy type)
    point_data: constant arrays, one row per point
    cell_data:  constant arrays, one row per cell
    texts:      point arrays of texts, one per point
    cell_texts: cell arrays of texts, one per cell
    strings:    field data: name -> texts
    units:      of arrays, which programs find as UNITS_LABEL; names without a unit may be missing
    packed:     compress what is constant

    A varying array `Normals` holds the normals of the points.
    """

    def __init__(
        self,
        points: int,
        *,
        vertices: np.ndarray = NO_VERTICES,
        lines: np.ndarray = NO_LINES,
        triangles: np.ndarray = NO_TRIANGLES,
        varying: Mapping[str, tuple[int, type]] = {},
        point_data: Mapping[str, np.ndarray] = {},
        cell_data: Mapping[str, np.ndarray] = {},
        texts: Mapping[str, Sequence[str]] = {},
        cell_texts: Mapping[str, Sequence[str]] = {},
        strings: Mapping[str, Sequence[str]] = {},
        units: Mapping[str, str] = {},
        packed: bool = False,
    ) -> None:
        super().__init__(points, varying, units, packed)
        names = [self._strings(name, of, f'NumberOfTuples="{len(of)}" ') for name, of in strings.items()]
        at_points = [self._array(name, array) for name, array in point_data.items()]
        at_points += [self._strings(name, of) for name, of in texts.items()]
        at_cells = [self._array(name, array) for name, array in cell_data.items()]
        at_cells += [self._strings(name, of) for name, of in cell_texts.items()]
        verts = self._cells(vertices.reshape(-1, 1))
        segments = self._cells(lines)
        polys = self._cells(triangles)

        self._header = "\n".join(
            [
                *self._head("PolyData"),
                "<FieldData>",
                self._time,
                *names,
                "</FieldData>",
                f'<Piece NumberOfPoints="{points}" NumberOfVerts="{len(vertices)}"'
                f' NumberOfLines="{len(lines)}" NumberOfStrips="0" NumberOfPolys="{len(triangles)}">',
                '<PointData Normals="Normals">' if "Normals" in varying else "<PointData>",
                *[self._moving[name] for name in varying],
                *at_points,
                "</PointData>",
                "<CellData>",
                *at_cells,
                "</CellData>",
                "<Points>",
                self._moving["Points"],
                "</Points>",
                "<Verts>",
                *verts,
                "</Verts>",
                "<Lines>",
                *segments,
                "</Lines>",
                "<Polys>",
                *polys,
                "</Polys>",
                "</Piece>",
                "</PolyData>",
                '<AppendedData encoding="raw">',
                "_",
            ]
        ).encode()


def packed_block(data: bytes, level: int) -> bytes:
    """A block of a packed file. Bytes that are only STORED take a length that their number decides."""
    if not data:
        return struct.pack("<3I", 0, 0, 0)
    part = zlib.compress(data, level)
    return struct.pack("<4I", 1, len(data), 0, len(part)) + part
