"""The ParaView series of a result.

result.pvd: all bodies, as one surface or as points for glyphs
centers.pvd, joints.pvd: mass centres; joints with their reactions
lines.pvd, contacts.pvd: rods, springs and ropes; contacts with their forces
history.pvd: energies, coordinates and variables
mesh_NAME.pvd: nodes and cells of the body NAME, which deforms
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
from mbplugin.export import elements
from mbplugin.export.collection import Collection
from mbplugin.export.deformed import deformed
from mbplugin.export.points import Points
from mbplugin.export.state import NAME as STATE_FILE
from mbplugin.export.state import remove_state, write_state
from mbplugin.export.surface import Surface
from mbplugin.results.folder import claim
from mbplugin.results.layout import Described
from mbplugin.results.read import RawResult

if TYPE_CHECKING:
    from mbplugin.export.drawings import Drawings

Kind = Literal["surface", "points"]
#: the file of a frame, by time [s] and arrays; None: there is none
FileOfFrame = Callable[[float, Mapping[str, np.ndarray]], bytes | None]
Ask = Callable[[str, Callable[[], Any], Any], Any]

#: what a series of points has beside its frames
POINTS_FILES = ("shapes", "shapes.vtm", ".shapes.vtm.part", STATE_FILE, f".{STATE_FILE}.part")


class SeriesWriter:
    """Writes frames into `folder`; replaces an older series there. `static` as in `ResultWriter`; contacts:
    what describes the arrays of the list of contacts, if there is one.

    result:   the bodies, as `Surface` has them. With `kind` = "points" one point for each shape, as in
              `Points`, the meshes in `shapes.vtm`, and `paraview_state.py`, which shows both.
    centers:  the mass centres; joints, lines and contacts: if there are any, all as in `elements.py`
    mesh_NAME: each body with nodes, as `deformed.py` has them, in .vtu files
    history:  one point with energies, coordinates, inputs, states and variables as point arrays
    drawing_NAME: points, lines and arrays of each of the `drawings`. One that fails has no frames from there
              on; `close` raises its error.

    ask(name, function, otherwise): how all but the drawings are asked for the data of a frame, which is left
    out where that gives None; None: directly

    Raises StoreError.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        static: Mapping[str, Any],
        contacts: Mapping[str, Described] | None = None,
        kind: Kind = "surface",
        drawings: Drawings | None = None,
        ask: Ask | None = None,
    ) -> None:
        self._start(Path(folder), static, np.zeros(0), contacts, kind, drawings, ask)

    @classmethod
    def reopen(
        cls,
        folder: str | os.PathLike[str],
        raw: RawResult,
        frames: int | Sequence[int],
        kind: Kind = "surface",
        drawings: Drawings | None = None,
        ask: Ask | None = None,
    ) -> SeriesWriter:
        """Continue a series after the first `frames` frames of `raw`, or after the frames with these indices.

        Frames missing after a kill are written again from `raw`.
        """
        chosen = range(frames) if isinstance(frames, int) else frames
        writer = cls.__new__(cls)
        times = raw.time[list(chosen)]
        writer._start(Path(folder), raw.static(), times, contacts_described(raw), kind, drawings, ask)
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
        contacts: Mapping[str, Described] | None,
        kind: Kind,
        drawings: Drawings | None,
        ask: Ask | None,
    ) -> None:
        self.kind: Kind = kind
        self._tracks: list[Track] = []

        def add(name: str, file: FileOfFrame, suffix: str = "vtp", asked: bool = True) -> None:
            of = file
            if ask is not None and asked:
                of = lambda t, frame: ask(f"the series {name}.pvd", lambda: file(t, frame), None)
            self._tracks.append(Track(Collection(folder, name, times, suffix), of))

        shapes = Points(static) if kind == "points" else Surface(static)
        add("result", shapes.frame)
        if isinstance(shapes, Points):
            claim(folder, *POINTS_FILES)
            shapes.write_meshes(folder)
            write_state(folder, static.get("forces/gravity", (0.0, 0.0, 0.0)))
        else:
            remove_state(folder)
        for name, frame_of in elements.tracks(static, contacts).items():
            add(name, frame_of)
        for name, frame_of in deformed(static).items():
            add(name, frame_of, "vtu")
        if drawings is not None:
            for k, name in enumerate(drawings.names):
                add(collection_of(name), functools.partial(drawings.file, k), asked=False)

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
            if data is None:
                continue
            if number is None:
                track.collection.append(t, data)
            else:
                track.collection.write(number, data)


@dataclass
class Track:
    """A collection, and what makes its file of a frame, by time [s] and arrays."""

    collection: Collection
    file: FileOfFrame
    fault: PluginError | None = None  # why a drawing has no more frames


def collection_of(drawing: str) -> str:
    """Name of the collection of a drawing, apart from those of the engine."""
    return f"drawing_{drawing}"


def contacts_described(raw: RawResult) -> dict[str, Described] | None:
    """Descriptions of the arrays of the list of contacts; None: there is none."""
    if "contacts" not in raw.lists:
        return None
    keys = {name: f"lists/contacts/{name}" for name in raw.lists["contacts"]}
    return {
        name: Described((), raw.units(key), "", words=tuple(raw.words(key))) for name, key in keys.items()
    }


def with_contacts(raw: RawResult, i: int, frame: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Frame i with its contacts, if the result has them."""
    if "contacts" not in raw.lists:
        return dict(frame)
    first, last = (int(k) for k in raw.offsets("contacts")[i : i + 2])
    arrays = raw.lists["contacts"]
    return dict(frame) | {
        f"lists/contacts/{name}": raw.entries("contacts", name, first, last) for name in arrays
    }
