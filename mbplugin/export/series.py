"""The ParaView series of a result.

result.pvd: all bodies, as one surface or as points for glyphs
joints.pvd: joint positions and reactions
lines.pvd:  rods, springs and ropes
contacts.pvd: contact points and forces
drawing_NAME.pvd: points, lines and arrows of the drawing NAME
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mbplugin.errors import PluginError
from mbplugin.export.choice import has_drawings
from mbplugin.export.collection import Collection
from mbplugin.export.geometry import Geometry
from mbplugin.export.points import Points
from mbplugin.export.state import NAME as STATE_FILE
from mbplugin.export.state import remove_state, write_state
from mbplugin.export.vtp import PolyDataFile
from mbplugin.results.folder import claim
from mbplugin.results.read import RawResult

if TYPE_CHECKING:
    from mbplugin.export.drawings import Drawings

Kind = Literal["surface", "points"]

#: what a series of points has beside its frames
POINTS_FILES = ("shapes", "shapes.vtm", ".shapes.vtm.part", STATE_FILE, f".{STATE_FILE}.part")
# point arrays of `joints`: (components, type)
REACTIONS: dict[str, tuple[int, type]] = {
    "force": (3, np.float64),
    "torque": (3, np.float64),
    "determined": (6, np.int8),
}
# of the list of contacts: where the points are, and what they do not carry
POINT, LEFT_OUT = "lists/contacts/point", ("point", "point_a", "law", "angular_impulse", "stop")


class SeriesWriter:
    """Writes frames into `folder`; replaces an older series there. `static` as in `ResultWriter`.

    result: cell array `body` (-1: ground), point array `velocity` [m/s], field data `names` of the bodies
            and TimeValue. With `kind` = "points" one point for each shape, as in `Points`, the meshes in
            `shapes.vtm`, and `paraview_state.py`, which shows both.
    joints: one point per joint; point arrays `force` [N] and `torque` [N m] on body b, `determined` (6) and
            `joint`; field data `names`. Written if there are joints.
    lines:  one line between the markers of each rod, spring, ...; cell array `line`, field data `names`.
            Written if there are any.
    drawing_NAME: points, lines and arrays of each of the `drawings`. One that fails has no frames from there
            on; `close` raises its error.
    contacts: one point per contact, as many as the frame has; the list's arrays as point arrays, but for
            `LEFT_OUT`. Written if the argument `contacts` says so.

    Raises StoreError.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        static: Mapping[str, Any],
        contacts: bool = False,
        kind: Kind = "surface",
        drawings: Drawings | None = None,
    ) -> None:
        self._start(Path(folder), static, np.zeros(0), contacts, kind, drawings)

    @classmethod
    def reopen(
        cls,
        folder: str | os.PathLike[str],
        raw: RawResult,
        frames: int | Sequence[int],
        kind: Kind = "surface",
        drawings: Drawings | None = None,
    ) -> SeriesWriter:
        """Continue a series after the first `frames` frames of `raw`, or after the frames with these indices.

        Frames missing after a kill are written again from `raw`.
        """
        chosen = range(frames) if isinstance(frames, int) else frames
        writer = cls.__new__(cls)
        times, contacts = raw.time[list(chosen)], "contacts" in raw.lists
        writer._start(Path(folder), raw.static(), times, contacts, kind, drawings)
        missing = {
            i: number
            for number, i in enumerate(chosen)
            if not all(track.collection.path(number).exists() for track in writer._tracks)
        }
        if missing:
            first = min(missing)
            for i, frame in enumerate(raw.each_frame(first, max(missing) + 1), start=first):
                if i in missing:
                    writer._write(with_contacts(raw, i, frame), missing[i])
        return writer

    @property
    def frames(self) -> int:
        """Frames written."""
        return self._tracks[0].collection.frames

    @property
    def faults(self) -> list[str]:
        """Why drawings have no more frames."""
        return [str(track.fault) for track in self._tracks if track.fault is not None]

    def append(self, frame: Mapping[str, np.ndarray]) -> None:
        """Append a frame; the `.pvd` files follow within about a second."""
        self._write(frame, None)

    def flush(self) -> None:
        """Bring the `.pvd` files up to date."""
        for track in self._tracks:
            track.collection.flush()

    def make_room(self, first: int) -> None:
        """Remove the frames from number `first` on, for a full disk; the series can then not go on."""
        for track in self._tracks:
            track.collection.make_room(first)

    def close(self) -> None:
        """Write the `.pvd` files for the last time. Raises StoreError if frames are missing, PluginError of a
        drawing.
        """
        self.flush()
        failures = [track.collection.failure for track in self._tracks]
        for failure in (*failures, *(track.fault for track in self._tracks)):
            if failure is not None:
                raise failure

    def _start(
        self,
        folder: Path,
        static: Mapping[str, Any],
        times: np.ndarray,
        contacts: bool,
        kind: Kind,
        drawings: Drawings | None,
    ) -> None:
        self.kind: Kind = kind
        self._tracks: list[Track] = []
        add = lambda name, file: self._tracks.append(Track(Collection(folder, name, times), file))
        shapes = Points(static) if kind == "points" else Surface(static)
        add("result", shapes.frame)
        if isinstance(shapes, Points):
            claim(folder, *POINTS_FILES)
            shapes.write_meshes(folder)
            write_state(folder, static.get("forces/gravity", (0.0, 0.0, 0.0)))
        else:
            remove_state(folder)
        if joints := static.get("joints/name"):
            add("joints", functools.partial(joints_of, tuple(joints)))
        if lines := static.get("lines/name"):
            of_lines = lines_file(lines)
            add("lines", lambda t, frame: of_lines.frame(t, frame["lines/ends"], {}))
        if contacts:
            add("contacts", contacts_of)
        if drawings is not None:
            for k, name in enumerate(drawings.names):
                add(collection_of(name), functools.partial(drawings.file, k))

    def _write(self, frame: Mapping[str, np.ndarray], number: int | None) -> None:
        """Write `frame` as frame `number`; None: as the next one."""
        t = float(frame["time"])
        for track in self._tracks:
            if track.fault is not None:
                continue
            try:
                data = track.file(t, frame)
            except PluginError as error:
                track.fault = error
                continue
            if number is None:
                track.collection.append(t, data)
            else:
                track.collection.write(number, data)


@dataclass
class Track:
    """A collection, and what makes its file of a frame, by time [s] and arrays."""

    collection: Collection
    file: Callable[[float, Mapping[str, np.ndarray]], bytes]
    fault: PluginError | None = None  # why a drawing has no more frames


class Surface:
    """The merged surfaces of `static` (see `ResultWriter`)."""

    def __init__(self, static: Mapping[str, Any]) -> None:
        self.geometry = geometry = Geometry(static)
        self.file = PolyDataFile(
            len(geometry),
            vertices=geometry.vertices,
            triangles=geometry.triangles,
            varying={"velocity": (3, np.float32)},
            cell_data={"body": geometry.body},
            strings={"names": static["bodies/name"]},
        )

    def frame(self, t: float, frame: Mapping[str, np.ndarray]) -> bytes:
        """The file of one frame of time `t` [s]."""
        points, velocity = self.geometry.at(frame)
        return self.file.frame(t, points, {"velocity": velocity})


def collection_of(drawing: str) -> str:
    """Name of the collection of a drawing, apart from those of the engine."""
    return f"drawing_{drawing}"


@functools.lru_cache(maxsize=8)
def joints_file(names: tuple[str, ...], arrays: tuple[str, ...]) -> PolyDataFile:
    """The file layout of `joints`: one vertex per joint. arrays: names of REACTIONS."""
    index = np.arange(len(names), dtype=np.int32)
    return PolyDataFile(
        len(names),
        vertices=index,
        varying={name: REACTIONS[name] for name in arrays},
        point_data={"joint": index},
        strings={"names": names},
    )


def joints_of(names: tuple[str, ...], t: float, frame: Mapping[str, np.ndarray]) -> bytes:
    """The file of the joints of a frame; a kinematic run has no reactions."""
    arrays = {name: frame[f"joints/{name}"] for name in REACTIONS if f"joints/{name}" in frame}
    return joints_file(names, tuple(arrays)).frame(t, frame["joints/position"], arrays)


def lines_file(names: Sequence[str]) -> PolyDataFile:
    """The file layout of `lines`: one line of two points per name."""
    index = np.arange(len(names), dtype=np.int32)
    return PolyDataFile(
        2 * len(names),
        lines=np.arange(2 * len(names), dtype=np.int32).reshape(-1, 2),
        cell_data={"line": index},
        strings={"names": names},
    )


def form(array: np.ndarray) -> tuple[int, type]:
    """Components and type of an array in a file."""
    return int(np.prod(array.shape[1:])), np.int32 if array.dtype.kind == "i" else np.float64


@functools.lru_cache(maxsize=64)
def contacts_file(n: int, arrays: tuple[tuple[str, int, type], ...]) -> PolyDataFile:
    """The file layout of a frame with n contacts: one vertex per contact. arrays: name, components, type."""
    varying = {name: (components, of) for name, components, of in arrays}
    return PolyDataFile(n, vertices=np.arange(n, dtype=np.int32), varying=varying)


def contacts_of(t: float, frame: Mapping[str, np.ndarray]) -> bytes:
    """The file of the contacts of a frame."""
    stem = POINT.removesuffix("point")
    names = [key.removeprefix(stem) for key in frame if key.startswith(stem)]
    arrays = {name: frame[stem + name] for name in names if name not in LEFT_OUT}
    file = contacts_file(len(frame[POINT]), tuple((key, *form(a)) for key, a in arrays.items()))
    return file.frame(t, frame[POINT], arrays)


def with_contacts(raw: RawResult, i: int, frame: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Frame i with its contacts, if the result has them."""
    if "contacts" not in raw.lists:
        return dict(frame)
    first, last = (int(k) for k in raw.offsets("contacts")[i : i + 2])
    arrays = raw.lists["contacts"]
    return dict(frame) | {
        f"lists/contacts/{name}": raw.entries("contacts", name, first, last) for name in arrays
    }


def write_series(
    raw: RawResult,
    folder: str | os.PathLike[str],
    *,
    every: int = 1,
    start: float = -np.inf,
    end: float = np.inf,
    kind: Kind = "surface",
) -> int:
    """Write the series of a stored result: every `every`-th frame with start <= time <= end [s].

    Returns the number of frames written.
    """
    drawings = None
    if has_drawings(raw):
        from mbplugin.export.drawings import stored_drawings

        drawings = stored_drawings(raw)
    writer = SeriesWriter(folder, raw.static(), "contacts" in raw.lists, kind, drawings)
    chosen = np.flatnonzero((raw.time >= start) & (raw.time <= end))
    if chosen.size:
        first, stop = int(chosen[0]), int(chosen[-1]) + 1
        for i, frame in zip(range(first, stop, every), raw.each_frame(first, stop, every)):
            writer.append(with_contacts(raw, i, frame))
    writer.close()
    return writer.frames
