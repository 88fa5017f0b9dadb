"""Quantities of a result as columns: a row for each frame, a column for each component."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, listed, optional_library
from mbplugin.results.computed import pair_reader
from mbplugin.results.curve import Curve, data_frame
from mbplugin.results.events import EVENTS, events_of, impacts_of
from mbplugin.results.impacts import IMPACTS, LOCAL, LOCAL_VECTORS
from mbplugin.results.layout import COMPONENTS, NAMED_SIZES, frame_array
from mbplugin.results.quantities import curves, known
from mbplugin.results.read import RawResult

#: dimensions of the entries of a list by their shape
LENGTHS = {(3,): ("xyz",), (6,): ("component",), (9,): ("matrix",)}
#: arrays of lists that are along the axes of a contact
ALONG_AXES = ("local_force", *LOCAL_VECTORS)


def columns(raw: RawResult, what: Sequence[str] = ()) -> list[Curve]:
    """Time, then every component of these quantities, by default of all that are stored; of "events" or
    "impacts" alone the table of these. Warns of contacts that never are. Raises SceneError, StoreError.
    """
    if tuple(what) == (EVENTS,):
        return events_of(raw).columns()
    if tuple(what) == (IMPACTS,):
        return impacts_of(raw).columns()
    found = {"time": Curve("time", raw.time, "s")}
    pair = pair_reader(raw)
    for name in what or known(raw):
        for curve in curves(raw, name, pair):
            found.setdefault(curve.label, curve)
    warn_of(list(found.values()))
    return list(found.values())


def warn_of(found: Sequence[Curve]) -> None:
    """Warnings of what is to be said of curves."""
    for remark in dict.fromkeys(curve.remark for curve in found if curve.remark):
        warnings.warn(remark, stacklevel=4)


def table(raw: RawResult, what: Sequence[str] = ()) -> Any:
    """A `pandas.DataFrame` of these quantities over time; `attrs["units"]` has the unit of each column."""
    return data_frame(columns(raw, what), index=True)


def dataset(raw: RawResult, group: str) -> Any:
    """An `xarray.Dataset` of the frame arrays of a group, with time and names as coordinates."""
    xarray = optional_library("xarray", "a dataset")
    if group in raw.lists:
        return dataset_of_list(raw, group, xarray)
    stored = raw.frame_arrays
    keys = [key for key in stored if key.startswith(f"{group}/")]
    if not keys:
        groups = {key.partition("/")[0] for key in stored if "/" in key} - {"lists"} | set(raw.lists)
        raise SceneError(
            "group", group, f"there is no such group of frames; there are {listed(sorted(groups))}"
        )
    coordinates: dict[str, Any] = {"time": ("time", raw.time, {"units": "s"})}
    arrays = {}
    for key in keys:
        described = frame_array(key)
        for dim in described.dims:
            names = raw.attribute(NAMED_SIZES[dim]) if dim in NAMED_SIZES else COMPONENTS.get(dim)
            if names is not None:
                coordinates[dim] = list(names)
        attributes = {"units": raw.units(key), "meaning": described.meaning}
        arrays[key.partition("/")[2]] = (("time", *described.dims), raw[key], attributes)
    return xarray.Dataset(arrays, coordinates)


def dataset_of_list(raw: RawResult, name: str, xarray: Any) -> Any:
    """All entries of a list one after another, with the time of each; of contacts also the names of both
    bodies, and numbers that have words as words.
    """
    entries = np.diff(raw.offsets(name))
    time = raw.entries(name, "time") if "time" in raw.lists[name] else np.repeat(raw.time, entries)
    coordinates: dict[str, Any] = {"time": ("entry", time, {"units": "s"})}
    bodies = np.array([*raw.names("bodies"), "ground"])
    arrays: dict[str, Any] = {}
    for array in (array for array in raw.lists[name] if array not in coordinates):
        key, values = f"lists/{name}/{array}", raw.entries(name, array)
        dims = ("entry", *(("local",) if array in ALONG_AXES else LENGTHS.get(values.shape[1:], ())))
        arrays[array] = (dims, values, {"units": raw.units(key)})
        if words := raw.words(key):
            arrays[f"{array}_name"] = ("entry", np.array(words)[values])
        if array in ("body_a", "body_b"):
            arrays[f"{array}_name"] = ("entry", bodies[values])
    coordinates |= {"xyz": list(COMPONENTS["xyz"]), "local": list(LOCAL)}
    return xarray.Dataset(arrays, coordinates)
