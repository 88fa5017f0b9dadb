"""Stored quantities by name: "energy.kinetic", "body.rod.position", "body.rod.position.x", "joint.pin.force",
"coordinate.pin.angle.drive".

The first word may be left out where only one quantity is meant: "rod.position", "pin.force",
"pin.angle.drive"; "pin.angle" is the angle's value, and the name of a state its value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.results import RawResult

Array = np.ndarray[Any, Any]

#: word in a name -> group of the store
OWNERS = {
    "body": "bodies",
    "joint": "joints",
    "coordinate": "coordinates",
    "force": "forces",
    "state": "states",
}
#: groups whose arrays are no curves
PLACES = ("lines",)
COMPONENTS = {3: ("x", "y", "z"), 4: ("w", "x", "y", "z"), 6: ("fx", "fy", "fz", "tx", "ty", "tz")}


class Curve(NamedTuple):
    """One line of a plot: label, (frames,) values, unit."""

    label: str
    values: Array
    unit: str


def known(raw: RawResult) -> list[str]:
    """Every name that can be plotted, without the components of vectors."""
    found = []
    for key in raw.attributes["frame_arrays"]:
        group, _, quantity = key.partition("/")
        word = next((w for w, g in OWNERS.items() if g == group), None)
        if group in PLACES:
            continue
        if word is not None:
            found += [f"{word}.{name}.{quantity}" for name in raw.names(group)]
        elif quantity:
            found.append(f"{group}.{quantity}")
    return found


def kinds(raw: RawResult) -> dict[str, list[str]]:
    """What can be plotted of a body, a joint, ...: word in a name -> quantities."""
    found: dict[str, list[str]] = {}
    for key in raw.attributes["frame_arrays"]:
        group, _, quantity = key.partition("/")
        word = next((w for w, g in OWNERS.items() if g == group), group)
        if quantity and group not in PLACES and (word not in OWNERS or raw.names(group)):
            found.setdefault(word, []).append(quantity)
    return found


def meant(what: str, names: list[str]) -> str | None:
    """The name that is meant by one without its first word, or without "value"; None where there is no such,
    or several.
    """
    values = (
        f"coordinate.{what.removeprefix('joint.').removeprefix('coordinate.')}.value",
        f"state.{what.removeprefix('state.')}.value",
    )
    found = [name for name in names if name in (what, *values) or name.partition(".")[2] == what]
    return found[0] if len(found) == 1 else None


def nearest_names(what: str, names: list[str]) -> str:
    """The end of a message about a name that is not stored: the nearest one, or what there is of its owner."""
    short = [name.partition(".")[2].removesuffix(".value") for name in names]
    near = did_you_mean(what, [*names, *short])
    owners = [part for part in what.split(".") if part]
    of_owner = [name for name in names if owners and f".{owners[0]}." in name] or [
        name for name in names if len(owners) > 1 and f".{owners[1]}." in name
    ]
    if of_owner and not near:
        return f"; there are {listed(of_owner, 12)}"
    return near or "; `mbplugin info RESULT` lists what is stored"


def curves(raw: RawResult, what: str) -> list[Curve]:
    """The curves of one name: a vector gives one for each component. Raises SceneError with the nearest
    names.
    """
    names = known(raw)
    whole, component = meant(what, names), None
    if whole is None:
        stem, _, component = what.rpartition(".")
        whole = meant(stem, names)
    if whole is None:
        raise SceneError("what", what, f"there is no such quantity{nearest_names(what, names)}")
    owner, _, rest = whole.partition(".")
    if owner in OWNERS:
        group = OWNERS[owner]
        name, _, quantity = rest.rpartition(".")
        key = f"{group}/{quantity}"
        values = raw[key][:, raw.names(group).index(name)]
    else:
        key = f"{owner}/{rest}"
        values = raw[key]
    unit = unit_of(raw, key, whole)
    if values.ndim == 1:
        if component is not None:
            raise SceneError("what", what, f'"{whole}" is one number and has no component "{component}"')
        return [Curve(whole, values, unit)]
    letters = COMPONENTS.get(values.shape[1], tuple(map(str, range(values.shape[1]))))
    if component is not None and component not in letters:
        raise SceneError("what", what, f'"{whole}" has the components {", ".join(letters)}')
    return [
        Curve(f"{whole}.{c}", values[:, k], unit) for k, c in enumerate(letters) if component in (None, c)
    ]


def unit_of(raw: RawResult, key: str, name: str) -> str:
    """The unit of an array; that of a joint coordinate is its own."""
    if key.startswith("coordinates/"):
        params = list(raw.static()["coordinates/unit"])[
            raw.names("coordinates").index(name.partition(".")[2].rpartition(".")[0])
        ]
        angle = params == "rad"
        return {"value": params, "speed": f"{params}/s", "drive": "N·m" if angle else "N"}[
            key.partition("/")[2]
        ]
    return raw.units(key)
