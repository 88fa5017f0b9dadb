"""The file of a sweep: `sweep.nc`, NetCDF 3, which `xarray.open_dataset` reads.

It is always replaced as a whole, so that a kill leaves the last one; the same outcomes give the same bytes.
"""

from __future__ import annotations

import functools
import json
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.decoder.files import Damaged, read_regular
from mbplugin.errors import SceneError, StoreError, listed, writing
from mbplugin.results.files import replace_file, synchronise
from mbplugin.run.sources import changed
from mbplugin.sweeps import netcdf
from mbplugin.sweeps.grid import POINT, Grid
from mbplugin.sweeps.outcome import DONE, FAILED, PENDING, Sweep, Variable
from mbplugin.sweeps.plan import Outcome

FILE, TABLE, PICTURE = "sweep.nc", "sweep.csv", "sweep.png"
PARTS = (".sweep.nc.part", ".sweep.csv.part")
FORMAT, VERSION = "mbplugin sweep", 1
#: wall time between two writes [s], and how much longer than the write itself it is
EVERY, FACTOR = 1.0, 20.0
#: the dimension of the letters of texts
LETTERS = "letters_of_{}"


class Store:
    """The file of a sweep in a folder. identity: makes that of plan and grid, when it is first needed."""

    def __init__(self, folder: Path, identity: Callable[[], Mapping[str, Any]]) -> None:
        self.folder, self.make_identity = folder, identity
        self.next = time.monotonic() + EVERY

    @functools.cached_property
    def identity(self) -> Mapping[str, Any]:
        return self.make_identity()

    def save(self, sweep: Sweep) -> None:
        """Replace the file. Raises StoreError."""
        start = time.monotonic()
        self.write(FILE, encoded(sweep, self.identity))
        now = time.monotonic()
        self.next = now + max(EVERY, FACTOR * (now - start))

    def due(self) -> bool:
        """Whether it is time to save."""
        return time.monotonic() >= self.next

    def finish(self, sweep: Sweep) -> None:
        """The file and the table. Raises StoreError."""
        self.save(sweep)
        self.write(TABLE, sweep.csv().encode())

    def write(self, name: str, data: bytes) -> None:
        file = self.folder / name
        with writing(file):
            replace_file(file, data, self.folder / f".{name}.part")
            synchronise([file])

    def outcomes(self, grid: Grid) -> dict[int, Outcome]:
        """Outcomes in the file; none if there is no file. Raises SceneError if they are of another sweep,
        StoreError.
        """
        file = self.folder / FILE
        if not file.exists():
            return {}
        arrays, attributes = decoded(file)
        self.refuse_other(attributes["identity"])
        try:
            return dict(read_outcomes(arrays, attributes["courses"], grid))
        except (KeyError, ValueError, IndexError) as error:
            raise damaged(file, error) from None

    def refuse_other(self, stored: Mapping[str, Any]) -> None:
        """Raises SceneError that names what is not as it was."""
        now, mend = self.identity, "restore it, choose another folder, or omit --resume to begin again"
        different = []
        if stored["scene"] != now["scene"]:
            different.append("the scene has changed")
        if stored["end"] != now["end"]:
            different.append("the end has changed")
        different += other_questions(stored, now)
        different += changed(stored["sources"], now["sources"])
        if different:
            raise SceneError(
                "--resume", str(self.folder), f"since that sweep began, {listed(different, 3)}; {mend}"
            )

    def refuse_to_replace(self, questions: Mapping[str, Any]) -> None:
        """Raises StoreError if the folder holds a sweep of other values or measures.

        questions: those of the new sweep
        """
        file = self.folder / FILE
        if not file.exists():
            return
        try:
            arrays, attributes = decoded(file)
            different = other_questions(attributes["identity"], questions)
            points = int(np.count_nonzero(arrays["status"]))
        except (StoreError, KeyError):
            return  # nothing of it can be read
        if different:
            raise StoreError(
                f"{file}: holds another sweep, of {points} points: {listed(different, 3)}; choose another "
                "folder, or give `replace = true` (--replace) to lose it"
            )


def other_questions(stored: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Differences of the values and measures of two identities, in words."""
    different = []
    for key, many, one in (
        ("values", "keys", 'the values of "{}" have'),
        ("measures", "measures", 'the measure "{}" has'),
    ):
        before, after = stored[key], now[key]
        if list(before) != list(after):
            different.append(f"the {many} were {listed(before)} and are {listed(after)}")
        else:
            different += [f"{one.format(k)} changed" for k in after if before[k] != after[k]]
    if stored["pairs"] != now["pairs"]:
        different.append(f"the points were {'pairs' if stored['pairs'] else 'all combinations'}")
    return different


def encoded(sweep: Sweep, identity: Mapping[str, Any]) -> bytes:
    """The bytes of the file."""
    grid = sweep.grid
    points = (POINT,) if grid.pairs else None
    variables = {key: Variable(points or (key,), grid.coordinate(key)) for key in grid.values}
    variables |= dict(sweep.variables)
    variables["status"] = Variable(grid.dims, sweep.status)
    variables["message"] = Variable(grid.dims, sweep.messages)
    stored = {name: stored_variable(name, variable) for name, variable in variables.items()}
    attributes = {"coordinates": " ".join(grid.values).encode()} if grid.pairs else {}
    # in their order: variables are sorted in the file
    courses = {label: sweep.is_course(label) for label in sweep.arrays}
    document = {"format": FORMAT, "version": VERSION, "identity": identity, "courses": courses}
    attributes["mbplugin"] = json.dumps(document).encode()
    attributes["checksum"] = checksum({name: v.values for name, v in variables.items()}).encode()
    return netcdf.encode(stored, attributes)


def stored_variable(name: str, variable: Variable) -> netcdf.Stored:
    """A variable of the sweep as it is stored, with its attributes."""
    dims, values = variable.dims, variable.values
    attributes: dict[str, Any] = {"units": variable.unit.encode()} if variable.unit else {}
    if values.dtype.kind == "U":
        dims, values = letters(name, variable)
        attributes["_Encoding"] = b"utf-8"
    if name == "status":
        attributes["flag_meanings"] = b"not_run done failed"
        attributes["flag_values"] = np.array([PENDING, DONE, FAILED], np.int8)
    return netcdf.Stored(dims, values, attributes)


def letters(name: str, variable: Variable) -> tuple[tuple[str, ...], np.ndarray]:
    """Texts as an array of letters, as NetCDF has them."""
    texts = [text.encode() for text in variable.values.ravel().tolist()]
    width = max(1, *map(len, texts))
    array = np.array(texts, f"S{width}").view("S1").reshape(*variable.values.shape, width)
    return (*variable.dims, LETTERS.format(name)), array


def checksum(arrays: Mapping[str, np.ndarray]) -> str:
    """Checksum of the numbers and texts of all variables."""
    value = 0
    for name in sorted(arrays):
        array = arrays[name]
        data = "\0".join(array.ravel().tolist()).encode() if array.dtype.kind == "U" else array.tobytes()
        value = zlib.crc32(data, zlib.crc32(name.encode(), value))
    return f"{value:08x}"


def decoded(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays and attributes of a file. Raises StoreError if it is damaged."""
    try:
        stored, attributes = netcdf.decode(read_regular(path))
        document = json.loads(attributes["mbplugin"])
        if document["format"] != FORMAT or document["version"] != VERSION:
            raise ValueError(f"it is {document['format']} {document['version']}")
        arrays = {name: texts_of(a) if a.dtype.kind == "S" else a for name, a in stored.items()}
        if checksum(arrays) != attributes["checksum"].decode():
            raise ValueError("the checksum is not that of its arrays")
    except Damaged as error:
        raise StoreError(f"{path}: {error}") from None
    except Exception as error:  # damage can be anywhere
        raise damaged(path, error) from None
    return arrays, document


def texts_of(array: np.ndarray) -> np.ndarray:
    """Texts of arrays of letters."""
    whole = np.ascontiguousarray(array).view(f"S{array.shape[-1]}")[..., 0]
    return np.array([text.decode() for text in whole.ravel().tolist()]).reshape(whole.shape)


def damaged(path: Path, error: Exception) -> StoreError:
    return StoreError(f"{path}: damaged ({error}); omit --resume to begin again")


def read_outcomes(
    arrays: Mapping[str, np.ndarray], courses: Mapping[str, bool], grid: Grid
) -> Iterator[tuple[int, Outcome]]:
    """Point -> its outcome, of all that have been run. courses: whether a measure is over the frames."""
    count, axes = len(grid), len(grid.shape)
    by_point = {label: arrays[label].reshape(count, *arrays[label].shape[axes:]) for label in courses}
    status, messages = arrays["status"].ravel(), arrays["message"].ravel().tolist()
    time = arrays.get("time")
    for index in range(count):
        if status[index] == FAILED:
            yield index, Outcome(index, {}, None, messages[index])
        elif status[index] == DONE:
            own = time if time is None or time.ndim == 1 else time.reshape(count, -1)[index]
            own = own[~np.isnan(own)] if own is not None else None
            frames = slice(len(own) if own is not None else None)
            found = {label: a[index][frames] if courses[label] else a[index] for label, a in by_point.items()}
            over_time = own if any(courses.values()) else None
            yield index, Outcome(index, {label: np.array(a) for label, a in found.items()}, over_time)
