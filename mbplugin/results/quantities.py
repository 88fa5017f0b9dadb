"""Stored quantities by name.

Examples: "energy.kinetic", "body.rod.position", "body.rod.position.x", "joint.pin.force",
"coordinate.pin.angle.drive".

The first word may be omitted if the rest is unique: "rod.position", "pin.force", "pin.angle.drive". The name
of a coordinate, state, input or output alone, such as "pin.angle", means its value; columns of the latter
three have this name, if it is unique. * stands for any text: "coordinate.*.drive", "body.*.position.z",
"pen.position.*".

"contact.floor.box.force" is what all contacts between two bodies, the ground or shapes do to the second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.results.contacts import PAIR, contacts_of_pair
from mbplugin.results.layout import COMPONENTS, FIXED_SIZES, FRAME_ARRAYS, frame_array
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
NOT_PLOTTED = ("lines", "lists", "loads")
#: number of components -> their letters
LETTERS = {len(letters): letters for letters in COMPONENTS.values()}


#: why a result lacks a quantity that others have
NOT_STORED = (
    "this result does not have it: analyses compute no work and no losses, and without the masses of all "
    "bodies no reactions, drives and energies; `mbplugin info RESULT` lists what is stored"
)


def index_of(names: list[str], name: str, kind: str, key: str = "") -> int:
    """Index of `name` in `names`. Raises SceneError with the nearest name.

    kind: such as "body"; key: what gives the name, by default the kind
    """
    if name not in names:
        mend = did_you_mean(name, names) or f"; there are {listed(names)}"
        raise SceneError(key or kind, name, f"there is no such {kind}{mend}")
    return names.index(name)


class Curve(NamedTuple):
    """One line of a plot, or column of a table."""

    label: str
    values: Array  # (frames,)
    unit: str

    @property
    def heading(self) -> str:
        """Name and unit, such as "energy.kinetic [J]"."""
        return self.label if self.unit in ("", "1") else f"{self.label} [{self.unit}]"


class Place(NamedTuple):
    """Where a quantity stands in the arrays of a frame."""

    name: str  # in full, without the component
    key: str  # of the array
    member: int | None  # place of the body, joint, ...
    component: int | None


def find_place(keys: Sequence[str], names_of: Callable[[str], list[str]], what: str) -> Place:
    """Where the quantity `what` stands. keys: of the frame arrays; names_of: "bodies" -> names. Raises
    SceneError with the nearest names.
    """
    name, component = full_name(keys, names_of, what), None
    if name is None:
        refuse_not_stored(names_of, what)
        stem, _, component = what.rpartition(".")
        name = full_name(keys, names_of, stem)
    if name is None:
        refuse_not_stored(names_of, stem, what)
        near = nearest_names(what, known_of(keys, names_of))
        raise SceneError("what", what, f"there is no such quantity{near}")
    owner, _, rest = name.partition(".")
    key, member = f"{owner}/{rest}", None
    if owner in OWNERS:
        group = OWNERS[owner]
        owned, _, quantity = rest.rpartition(".")
        key, member = f"{group}/{quantity}", names_of(group).index(owned)
    if component is None:
        return Place(name, key, member, None)
    letters = letters_of(key)
    if not letters:
        raise SceneError("what", what, f'"{name}" is a scalar and has no component "{component}"')
    if component not in letters:
        raise SceneError("what", what, f'"{name}" has the components {", ".join(letters)}')
    return Place(name, key, member, letters.index(component))


def refuse_not_stored(names_of: Callable[[str], list[str]], name: str, what: str = "") -> None:
    """Raises SceneError if other results have a quantity of this name. what: as given, with a component."""
    if full_name(list(FRAME_ARRAYS), names_of, name) is not None:
        raise SceneError("what", what or name, NOT_STORED)


def known(raw: RawResult) -> list[str]:
    """All names that can be plotted, without the components of vectors."""
    return known_of(raw.frame_arrays, raw.names)


def known_of(
    keys: Sequence[str], names_of: Callable[[str], list[str]], components: bool = False
) -> list[str]:
    """The same for the keys of frame arrays and names of groups; or the components of vectors alone."""
    names = []
    for key in keys:
        group, _, quantity = key.partition("/")
        word = next((w for w, g in OWNERS.items() if g == group), None)
        if group in NOT_PLOTTED or not quantity:
            continue
        found = [f"{group}.{quantity}"]
        if word is not None:
            found = [f"{word}.{name}.{quantity}" for name in names_of(group)]
        names += [f"{name}.{letter}" for name in found for letter in letters_of(key)] if components else found
    return names


def letters_of(key: str) -> Sequence[str]:
    """Those of the components of a frame array; none of scalars."""
    dims = [dim for dim in frame_array(key).dims if dim in FIXED_SIZES]
    return LETTERS[FIXED_SIZES[dims[-1]]] if dims else ()


def kinds(raw: RawResult) -> dict[str, list[str]]:
    """The quantities that can be plotted: "body", "joint", ... -> their quantities."""
    quantities: dict[str, list[str]] = {}
    for key in raw.frame_arrays:
        group, _, quantity = key.partition("/")
        word = next((w for w, g in OWNERS.items() if g == group), group)
        if quantity and group not in NOT_PLOTTED and (word not in OWNERS or raw.names(group)):
            quantities.setdefault(word, []).append(quantity)
    return quantities


def full_name(keys: Sequence[str], names_of: Callable[[str], list[str]], what: str) -> str | None:
    """The full name of `what`, which may omit the first word or "value"; None if none or several match."""
    values = (
        f"coordinate.{what.removeprefix('joint.').removeprefix('coordinate.')}.value",
        f"state.{what.removeprefix('state.')}.value",
        f"input.{what.removeprefix('input.')}.value",
        f"output.{what.removeprefix('output.')}.value",
    )
    if is_full(keys, names_of, what):
        return what
    groups = {key.partition("/")[0] for key in keys} - set(OWNERS.values())
    longer = (f"{word}.{what}" for word in (*OWNERS, *sorted(groups)))
    matches = [name for name in dict.fromkeys((*values, *longer)) if is_full(keys, names_of, name)]
    return matches[0] if len(matches) == 1 else None


def is_full(keys: Sequence[str], names_of: Callable[[str], list[str]], name: str) -> bool:
    """Whether this is the full name of a quantity, without looking through all of them."""
    word, _, rest = name.partition(".")
    owned, _, quantity = rest.rpartition(".")
    if word not in OWNERS:
        return word not in (*NOT_PLOTTED, *OWNERS.values()) and bool(rest) and f"{word}/{rest}" in keys
    return f"{OWNERS[word]}/{quantity}" in keys and owned in names_of(OWNERS[word])


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


def matching(keys: Sequence[str], names_of: Callable[[str], list[str]], pattern: str) -> list[str]:
    """The names that a pattern with * stands for: quantities, else components, else either without the first
    word. Raises SceneError if there are none.
    """
    names = known_of(keys, names_of)
    components = known_of(keys, names_of, components=True)
    for shortened in (False, True):
        for texts in (names, components):
            shown = [text.partition(".")[2] for text in texts] if shortened else texts
            if found := [text for text, name in zip(texts, shown) if fnmatchcase(name, pattern)]:
                return found
    stem, _, component = pattern.rpartition(".")
    found = [f"{name}.{component}" for name in names if fnmatchcase(name, stem)]
    if found and any(component in letters for letters in LETTERS.values()):
        return found  # of quantities that have no such component
    raise SceneError("what", pattern, "no quantity has such a name; `mbplugin info RESULT` lists them")


def curves(raw: RawResult, what: str) -> list[Curve]:
    """The curves of one name; a vector has one per component. Raises SceneError with the nearest names."""
    if "*" in what:
        names = matching(raw.frame_arrays, raw.names, what)
        return [curve for name in names for curve in curves(raw, name)]
    if what.startswith("contact.") and what.count(".") >= 3:
        return curves_of_pair(raw, what)
    components = [name for name in raw.names("outputs") if name.startswith(f"{what}.")]
    if what.startswith("sensor.") and components:
        return [curve for name in components for curve in curves(raw, name)]
    name, key, member, component = find_place(raw.frame_arrays, raw.names, what)
    values = raw[key] if member is None else raw[key][:, member]
    unit = unit_of(raw, key, name)
    if values.ndim == 1:
        return [Curve(label_of(raw.frame_arrays, raw.names, name), values, unit)]
    letters = LETTERS.get(values.shape[1], tuple(map(str, range(values.shape[1]))))
    first, _, second = unit.partition(" and ")  # of a wrench
    units = [first] * 3 + [second or first] * (len(letters) - 3)
    return [
        Curve(f"{name}.{c}", values[:, k], unit)
        for k, (c, unit) in enumerate(zip(letters, units))
        if component in (None, k)
    ]


def curves_of_pair(raw: RawResult, what: str) -> list[Curve]:
    """The curves of "contact.A.B.QUANTITY", or of one component of it. Raises SceneError."""
    _, a, b, quantity, *component = what.split(".")
    if quantity not in PAIR:
        mend = did_you_mean(quantity, list(PAIR)) or f"; there are {listed(list(PAIR))}"
        raise SceneError("what", what, f'contacts between two have no quantity "{quantity}"{mend}')
    values, unit = getattr(contacts_of_pair(raw, a, b), quantity), PAIR[quantity]
    letters = COMPONENTS["xyz"] if values.ndim > 1 else ()
    if component and component[0] not in letters:
        mend = f"the components {', '.join(letters)}" if letters else "no components"
        raise SceneError("what", what, f'"{quantity}" has {mend}')
    if not letters:
        return [Curve(what, values, unit)]
    stem = f"contact.{a}.{b}.{quantity}"
    chosen = component or letters
    return [Curve(f"{stem}.{c}", values[:, letters.index(c)], unit) for c in chosen]


def label_of(keys: Sequence[str], names_of: Callable[[str], list[str]], name: str) -> str:
    """The name of a column: that of a state, input or output alone, if it means nothing else. Arguments as of
    `find_place`, name: in full.
    """
    word, _, rest = name.partition(".")
    alone = rest.removesuffix(".value")
    if word not in ("state", "input", "output"):
        return name
    return alone if full_name(keys, names_of, alone) == name else name


def unit_of(raw: RawResult, key: str, name: str) -> str:
    """The unit of the array `key`; that of a joint coordinate, state, input or output is its own."""
    group, _, quantity = key.partition("/")
    if group not in ("states", "inputs", "outputs", "coordinates"):
        return raw.units(key)
    member = name.partition(".")[2].rpartition(".")[0]
    units = list(raw.attribute(f"{group}/unit", []))
    unit = str(units[raw.names(group).index(member)] if units else "") or raw.units(key)
    return unit_of_coordinate(quantity, unit) if group == "coordinates" else unit


def unit_of_coordinate(quantity: str, unit: str) -> str:
    """That of the value, speed or drive of a coordinate in `unit`."""
    return {"value": unit, "speed": f"{unit}/s", "drive": "N·m" if unit == "rad" else "N"}[quantity]
