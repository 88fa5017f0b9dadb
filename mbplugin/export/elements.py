"""Files of mass centres, joints, lines, limits, contacts and histories for each frame of a series."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mbplugin.decoder.contact_frame import DERIVED, derived, supporting_forces
from mbplugin.export.limits import Limits
from mbplugin.export.lines import Curves
from mbplugin.export.vtp import PolyDataFile
from mbplugin.results.layout import FRAME_ARRAYS, Described, frame_array
from mbplugin.results.quantities import label_of, unit_of_coordinate
from mbplugin.results.stored_names import OWNERS, Place

Frame = Mapping[str, np.ndarray]
FrameOf = Callable[[float, Frame], bytes]

#: arrays of the mass centres: (components, key of the frame array)
CENTERS = {
    "velocity": (3, "bodies/center_of_mass_velocity"),
    "angular_velocity": (3, "bodies/angular_velocity"),
    "kinetic_energy": (1, "bodies/kinetic_energy"),
}
#: arrays of the joints: (components, type)
REACTIONS: dict[str, tuple[int, type]] = {
    "force": (3, np.float64),
    "torque": (3, np.float64),
    "determined": (6, np.int8),
}
#: of the list of contacts: where its arrays are, and what their files do not have
STEM, LEFT_OUT = "lists/contacts/", ("point", "law", "angular_impulse", "stop")
DERIVED_UNITS = {name: unit for name, (_, unit, _) in DERIVED.items()} | {"supporting_force": "N"}
#: groups whose numbers make a history, and vectors in it
HISTORY = ("energy", "constraints", "coordinates", "bounds", "activities", "states", "inputs", "outputs")
VECTORS = ("joints/force", "joints/torque")
WORDS = {group: word for word, group in OWNERS.items()}


def tracks(static: Mapping[str, Any], contacts: Mapping[str, Described] | None) -> dict[str, FrameOf]:
    """Name of a collection -> what makes its file of a frame. static: as in `ResultWriter`; contacts: what
    describes the arrays of the list, None: there is none
    """
    made: dict[str, FrameOf] = {"history": History(static).frame}
    if static["bodies/name"]:
        made["centers"] = centers_of(static)
    if names := static.get("joints/name"):
        types = static.get("joints/type", [""] * len(names))
        made["joints"] = functools.partial(joints_of, tuple(names), tuple(types))
    if static.get("lines/name"):
        made["lines"] = lines_of(Curves(static))
    limits = Limits(static)
    if limits.parts:
        made["limits"] = limits_of(limits, static["coordinates/name"])
    if contacts is not None:
        gravity = static.get("forces/gravity", (0.0, 0.0, 0.0))
        made["contacts"] = functools.partial(
            contacts_of, [*static["bodies/name"], "ground"], contacts, gravity
        )
    return made


def centers_of(static: Mapping[str, Any]) -> FrameOf:
    """One vertex at each mass centre, with `CENTERS`, `mass`, `body` and `body_name`."""
    names = static["bodies/name"]
    mass = np.array(
        [np.nan if m is None else m for m in static.get("bodies/mass", [None] * len(names))], float
    )

    @functools.cache
    def file(arrays: tuple[str, ...]) -> PolyDataFile:
        return PolyDataFile(
            len(names),
            vertices=np.arange(len(names), dtype=np.int32),
            varying={name: (CENTERS[name][0], np.float64) for name in arrays},
            point_data={"mass": mass, "body": np.arange(len(names), dtype=np.int32)},
            texts={"body_name": names},
            units={"mass": "kg"} | {name: FRAME_ARRAYS[key].units for name, (_, key) in CENTERS.items()},
        )

    def frame_of(t: float, frame: Frame) -> bytes:
        arrays = {name: frame[key] for name, (_, key) in CENTERS.items() if key in frame}
        return file(tuple(arrays)).frame(t, frame["bodies/center_of_mass"], arrays)

    return frame_of


@functools.lru_cache(maxsize=8)
def joints_file(names: tuple[str, ...], types: tuple[str, ...], arrays: tuple[str, ...]) -> PolyDataFile:
    """One vertex for each joint. arrays: names of REACTIONS."""
    index = np.arange(len(names), dtype=np.int32)
    return PolyDataFile(
        len(names),
        vertices=index,
        varying={name: REACTIONS[name] for name in arrays},
        point_data={"joint": index},
        texts={"joint_name": names, "joint_type": types},
        strings={"names": names},
        units={"force": "N", "torque": "N m"},
    )


def joints_of(names: tuple[str, ...], types: tuple[str, ...], t: float, frame: Frame) -> bytes:
    """The file of the joints of a frame; a kinematic run has no reactions."""
    arrays = {name: frame[f"joints/{name}"] for name in REACTIONS if f"joints/{name}" in frame}
    return joints_file(names, types, tuple(arrays)).frame(t, frame["joints/position"], arrays)


def lines_of(curves: Curves) -> FrameOf:
    """The curve of each line."""
    points = np.arange(curves.counts.sum(), dtype=np.int32)
    inner = np.delete(points[:-1], np.cumsum(curves.counts)[:-1] - 1)
    cells = np.repeat(np.arange(len(curves.names), dtype=np.int32), curves.counts - 1)
    file = PolyDataFile(
        len(points),
        lines=np.stack([inner, inner + 1], axis=1),
        cell_data={"line": cells},
        cell_texts={"line_name": [curves.names[k] for k in cells]},
        strings={"names": curves.names},
    )
    return lambda t, frame: file.frame(t, np.concatenate(curves.at(frame)), {})


def limits_of(limits: Limits, names: list[str]) -> FrameOf:
    """The lines of `Limits`, with `coordinate`, `coordinate_name` and `part` of each, and `touched` at its
    points: 1 of a stop that holds.
    """
    files: list[PolyDataFile] = []

    def frame_of(t: float, frame: Frame) -> bytes:
        lines = limits.at(frame)
        counts = np.array([len(line) for line in lines])
        if not files:
            points = np.arange(counts.sum(), dtype=np.int32)
            inner = np.delete(points[:-1], np.cumsum(counts)[:-1] - 1)
            parts = [limits.parts[k] for k in np.repeat(np.arange(len(lines)), counts - 1)]
            files.append(
                PolyDataFile(
                    len(points),
                    lines=np.stack([inner, inner + 1], axis=1),
                    varying={"touched": (1, np.int32)},
                    cell_data={"coordinate": np.array([part.coordinate for part in parts], np.int32)},
                    cell_texts={
                        "coordinate_name": [names[part.coordinate] for part in parts],
                        "part": [part.what for part in parts],
                    },
                )
            )
        touched = np.repeat(limits.reached(frame).astype(np.int32), counts)
        return files[0].frame(t, np.concatenate(lines), {"touched": touched})

    return frame_of


def contacts_of(
    names: list[str], described: Mapping[str, Described], gravity: Any, t: float, frame: Frame
) -> bytes:
    """One vertex for each contact of a frame, on body b, with the arrays of the list, `DERIVED` and
    supporting forces; names of both bodies, and numbers that have words also as words.
    """
    arrays = {key.removeprefix(STEM): frame[key] for key in frame if key.startswith(STEM)}
    points = arrays["point"]
    arrays = {name: array for name, array in arrays.items() if name not in LEFT_OUT}
    arrays |= derived(arrays["normal"], arrays["force"])
    arrays["supporting_force"] = supporting_forces(arrays["force"], gravity)
    texts = {f"{end}_name": [names[k] for k in arrays[end]] for end in ("body_a", "body_b")}
    texts |= {f"{name}_name": [described[name].words[k] for k in arrays[name]] for name in worded(described)}
    file = PolyDataFile(
        len(points),
        vertices=np.arange(len(points), dtype=np.int32),
        varying={name: form(array) for name, array in arrays.items()},
        texts=texts,
        units={name: of.units for name, of in described.items()} | DERIVED_UNITS,
    )
    return file.frame(t, points, arrays)


def worded(described: Mapping[str, Described]) -> list[str]:
    """Names of the arrays whose whole numbers have words."""
    return [name for name, of in described.items() if of.words]


def form(array: np.ndarray) -> tuple[int, type]:
    """Components and type of an array in a file."""
    return int(np.prod(array.shape[1:])), np.int32 if array.dtype.kind == "i" else np.float64


class History:
    """Energies, drift, coordinates, rows that switch, states, inputs, outputs and reactions of joints as
    arrays of one point, named as in tables.
    """

    def __init__(self, static: Mapping[str, Any]) -> None:
        self.static = static
        self.keys: list[str] = []  # of the frame arrays that the last frame had
        #: name of an array -> where it stands in a frame
        self.places: dict[str, Place] = {}

    def frame(self, t: float, frame: Frame) -> bytes:
        """The file of one frame of time `t` [s]."""
        keys = [key for key in frame if key in VECTORS or key.partition("/")[0] in HISTORY]
        if keys != self.keys:
            self.prepare(keys)
        values = {
            label: frame[place.key] if place.member is None else frame[place.key][place.member]
            for label, place in self.places.items()
        }
        return self.file.frame(t, np.zeros((1, 3)), values)

    def prepare(self, keys: list[str]) -> None:
        """Name the arrays of these frame arrays."""
        self.keys, self.places, units = keys, {}, {}
        for key in keys:
            group, _, quantity = key.partition("/")
            word = WORDS.get(group)
            for k, member in enumerate(self.names(group) if word else [""]):
                name = f"{word}.{member}.{quantity}" if word else f"{group}.{quantity}"
                label = label_of(keys, self.names, name)
                self.places[label] = place = Place(name, key, k if word else None, None)
                units[label] = self.unit(place)
        varying = {
            label: (3 if place.key in VECTORS else 1, np.float64) for label, place in self.places.items()
        }
        self.file = PolyDataFile(1, vertices=np.zeros(1, np.int32), varying=varying, units=units)

    def names(self, group: str) -> list[str]:
        names: list[str] = self.static.get(f"{group}/name", [])
        return names

    def unit(self, place: Place) -> str:
        """That of the member, or of the array."""
        group, _, quantity = place.key.partition("/")
        units = self.static.get(f"{group}/unit")
        if place.member is None or not units or place.key.endswith("/status"):
            return frame_array(place.key).units
        unit = str(units[place.member])
        return unit_of_coordinate(quantity, unit) if group == "coordinates" else unit
