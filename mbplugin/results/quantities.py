"""Stored quantities by name.

Examples: "energy.kinetic", "body.rod.position", "body.rod.position.x", "joint.pin.force",
"coordinate.pin.angle.drive".

The first word may be omitted if the rest is unique: "rod.position", "pin.force", "pin.angle.drive". The name
of a coordinate, state or input alone, such as "pin.angle", means its value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.results.layout import COMPONENTS
from mbplugin.results.read import RawResult

Array = np.ndarray[Any, Any]

#: word in a name -> group of the store
OWNERS = {
    "body": "bodies",
    "joint": "joints",
    "coordinate": "coordinates",
    "force": "forces",
    "state": "states",
    "input": "inputs",
    "output": "outputs",
}
#: groups whose arrays cannot be plotted
NOT_PLOTTED = ("lines", "lists")
#: number of components -> their letters
LETTERS = {len(letters): letters for letters in COMPONENTS.values()}


class Curve(NamedTuple):
    """One line of a plot, or column of a table."""

    label: str
    values: Array  # (frames,)
    unit: str

    @property
    def heading(self) -> str:
        """Name and unit, such as "energy.kinetic [J]"."""
        return self.label if self.unit in ("", "1") else f"{self.label} [{self.unit}]"


def known(raw: RawResult) -> list[str]:
    """All names that can be plotted, without the components of vectors."""
    names = []
    for key in raw.attributes["frame_arrays"]:
        group, _, quantity = key.partition("/")
        word = next((w for w, g in OWNERS.items() if g == group), None)
        if group in NOT_PLOTTED:
            continue
        if word is not None:
            names += [f"{word}.{name}.{quantity}" for name in raw.names(group)]
        elif quantity:
            names.append(f"{group}.{quantity}")
    return names


def kinds(raw: RawResult) -> dict[str, list[str]]:
    """The quantities that can be plotted: "body", "joint", ... -> their quantities."""
    quantities: dict[str, list[str]] = {}
    for key in raw.attributes["frame_arrays"]:
        group, _, quantity = key.partition("/")
        word = next((w for w, g in OWNERS.items() if g == group), group)
        if quantity and group not in NOT_PLOTTED and (word not in OWNERS or raw.names(group)):
            quantities.setdefault(word, []).append(quantity)
    return quantities


def full_name(what: str, names: list[str]) -> str | None:
    """The full name of `what`, which may omit the first word or "value"; None if none or several match."""
    values = (
        f"coordinate.{what.removeprefix('joint.').removeprefix('coordinate.')}.value",
        f"state.{what.removeprefix('state.')}.value",
        f"input.{what.removeprefix('input.')}.value",
        f"output.{what.removeprefix('output.')}.value",
    )
    matches = [name for name in names if name in (what, *values) or name.partition(".")[2] == what]
    return matches[0] if len(matches) == 1 else None


def nearest_names(what: str, names: list[str]) -> str:
    """The remedy in a message about an unknown name: the nearest name, or the quantities of its owner."""
    short = [name.partition(".")[2].removesuffix(".value") for name in names]
    near = did_you_mean(what, [*names, *short])
    owners = [part for part in what.split(".") if part]
    of_owner = [name for name in names if owners and f".{owners[0]}." in name] or [
        name for name in names if len(owners) > 1 and f".{owners[1]}." in name
    ]
    if of_owner and not near:
        return f"; there are {listed(of_owner, 12)}"
    return near or "; `mbplugin info RESULT` lists the stored quantities"


def curves(raw: RawResult, what: str) -> list[Curve]:
    """The curves of one name; a vector has one per component. Raises SceneError with the nearest names."""
    names = known(raw)
    name, component = full_name(what, names), None
    if name is None:
        stem, _, component = what.rpartition(".")
        name = full_name(stem, names)
    if name is None:
        raise SceneError("what", what, f"there is no such quantity{nearest_names(what, names)}")
    owner, _, rest = name.partition(".")
    if owner in OWNERS:
        group = OWNERS[owner]
        member, _, quantity = rest.rpartition(".")
        key = f"{group}/{quantity}"
        values = raw[key][:, raw.names(group).index(member)]
    else:
        key = f"{owner}/{rest}"
        values = raw[key]
    unit = unit_of(raw, key, name)
    if values.ndim == 1:
        if component is not None:
            raise SceneError("what", what, f'"{name}" is a scalar and has no component "{component}"')
        return [Curve(name, values, unit)]
    letters = LETTERS.get(values.shape[1], tuple(map(str, range(values.shape[1]))))
    if component is not None and component not in letters:
        raise SceneError("what", what, f'"{name}" has the components {", ".join(letters)}')
    return [Curve(f"{name}.{c}", values[:, k], unit) for k, c in enumerate(letters) if component in (None, c)]


def unit_of(raw: RawResult, key: str, name: str) -> str:
    """The unit of the array `key`; that of a joint coordinate, state, input or output is its own."""
    group, _, _ = key.partition("/")
    if group in ("states", "inputs", "outputs"):
        member = name.partition(".")[2].rpartition(".")[0]
        units = list(raw.attribute(f"{group}/unit", []))
        unit = str(units[raw.names(group).index(member)]) if units else ""
        return unit or raw.units(key)
    if not key.startswith("coordinates/"):
        return raw.units(key)
    coordinate = name.partition(".")[2].rpartition(".")[0]
    units = list(raw.attribute("coordinates/unit", []))
    unit = units[raw.names("coordinates").index(coordinate)] if units else raw.units(key)
    drive = "N·m" if unit == "rad" else "N"
    return {"value": unit, "speed": f"{unit}/s", "drive": drive}[key.partition("/")[2]]
