"""Quantities of a result by name.

Examples: "energy.kinetic", "body.rod.position", "body.rod.position.x", "joint.pin.force",
"coordinate.pin.angle.drive".

The first word may be omitted if the rest is unique: "rod.position", "pin.force", "pin.angle.drive". The name
of a coordinate, state, input or output alone, such as "pin.angle", means its value; columns of the latter
three have this name, if it is unique. * stands for any text: "coordinate.*.drive", "body.*.position.z",
"pen.position.*". "pin.force.magnitude" is the length of a vector.

Besides the arrays that are stored there are those of `computed`: "coupler.pen.position" of a marker,
"rope.tension", and "contact.floor.box.force", what all contacts of the first do to the second;
"block.node[12].displacement" and "block.node[12].von_mises" of a node of a body with a mesh.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.results.at_nodes import Computed, at_node, names_at_nodes
from mbplugin.results.computed import CONTACT, are_sides, computed, contact, pair_reader
from mbplugin.results.contacts import PAIR, VECTORS, PairOfContacts, pairs_in_contact
from mbplugin.results.curve import Curve, by_component
from mbplugin.results.layout import COMPONENTS
from mbplugin.results.read import RawResult
from mbplugin.results.stored_names import LETTERS, Place, full_name, known_of, stored_place, unknown

#: word behind the name of a vector
MAGNITUDE = "magnitude"


def index_of(names: list[str], name: str, kind: str, key: str = "") -> int:
    """Index of `name` in `names`. Raises SceneError with the nearest name.

    kind: such as "body"; key: what gives the name, by default the kind
    """
    if name not in names:
        mend = did_you_mean(name, names) or f"; there are {listed(names)}"
        raise SceneError(key or kind, name, f"there is no such {kind}{mend}")
    return names.index(name)


def known(raw: RawResult) -> list[str]:
    """All names of stored quantities, without the components of vectors."""
    return known_of(raw.frame_arrays, raw.names)


def known_of_computed(raw: RawResult, components: bool = False) -> list[str]:
    """All names of computed quantities; or those of vectors by component. Contacts of two bodies are last, in
    both orders.
    """
    found = [(one.name, one.components) for one in computed(raw)]
    pairs = pairs_in_contact(raw)
    for a, b in (*pairs, *((b, a) for a, b in pairs)):
        found += [
            (f"{CONTACT}.{a}.{b}.{quantity}", COMPONENTS["xyz"] if quantity in VECTORS else ())
            for quantity in PAIR
        ]
    if not components:
        return [name for name, _ in found]
    return [f"{name}.{letter}" for name, letters in found for letter in letters]


def once(names: Sequence[str]) -> list[str]:
    """Names without those of contacts that are there with the two bodies in the other order."""
    kept: dict[Any, str] = {}
    for name in names:
        word, *parts = name.split(".")
        kept.setdefault((word, frozenset(parts[:2]), *parts[2:]) if word == CONTACT else name, name)
    return list(kept.values())


def matching(raw: RawResult, pattern: str) -> list[str]:
    """The names that a pattern with * stands for: stored quantities, else their components, else computed
    ones, else any of these without the first word. Raises SceneError if there are none.
    """
    stored = [known_of(raw.frame_arrays, raw.names, components) for components in (False, True)]
    groups = [*stored, *(known_of_computed(raw, components) for components in (False, True))]
    whole = [[(name, name) for name in names] for names in groups]
    # a solver has outputs such as "contact.residual"
    outputs = [name for name in stored[0] if name.startswith(f"output.{CONTACT}.")]
    whole[2] += [(name.removeprefix("output.").removesuffix(".value"), name) for name in outputs]
    for pairs in (*whole, *([(name.partition(".")[2], name) for name in names] for names in groups)):
        if found := [name for text, name in pairs if fnmatchcase(text, pattern)]:
            return once(found)
    stem, _, component = pattern.rpartition(".")
    found = once([name for name in (*groups[0], *groups[2]) if fnmatchcase(name, stem)])
    if found and component in {MAGNITUDE, *itertools.chain(*LETTERS.values())}:
        return [f"{name}.{component}" for name in found]  # of quantities that have no such component
    raise SceneError("what", pattern, "no quantity has such a name; `mbplugin info RESULT` lists them")


def curves(
    raw: RawResult, what: str, pair: Callable[[str, str], PairOfContacts] | None = None
) -> list[Curve]:
    """The curves of one name; a vector has one per component. Raises SceneError with the nearest names.

    pair: gives the contacts of two; default: reads them
    """
    pair = pair or pair_reader(raw)
    if what in ("events", "impacts"):
        mend = f"is a table of its own; `mbplugin export RESULT {what} -o {what}.csv` writes it"
        raise SceneError("what", what, mend)
    if "*" in what:
        return [curve for name in matching(raw, what) for curve in curves(raw, name, pair)]
    stem, _, last = what.rpartition(".")
    if last == MAGNITUDE and stem:
        return [magnitude(what, curves(raw, stem, pair))]
    components = [name for name in raw.names("outputs") if name.startswith(f"{what}.")]
    if what.startswith("sensor.") and components:
        return [curve for name in components for curve in curves(raw, name, pair)]
    place = stored_place(raw.frame_arrays, raw.names, what)
    if place is not None:
        return curves_of_array(raw, place)
    for name, component in ((what, ""), (stem, last)):
        found = at_node(raw, name) or find_computed(raw, name, pair)
        if found is not None:
            return curves_of_computed(found, component)
    raise unknown(what, [*known(raw), *known_of_computed(raw), *names_at_nodes(raw)])


def curves_of_array(raw: RawResult, place: Place) -> list[Curve]:
    """Curves of a stored quantity, or of one component of it."""
    name, key, member, component = place
    values = raw[key] if member is None else raw[key][:, member]
    unit = unit_of(raw, key, name)
    if values.ndim == 1:
        words = tuple(raw.words(key)) if key.endswith("/status") else ()
        return [Curve(label_of(raw.frame_arrays, raw.names, name), values, unit, words=words)]
    letters = LETTERS.get(values.shape[1], tuple(map(str, range(values.shape[1]))))
    first, _, second = unit.partition(" and ")  # of a wrench
    units = [first] * 3 + [second or first] * (len(letters) - 3)
    return [
        Curve(f"{name}.{c}", values[:, k], unit)
        for k, (c, unit) in enumerate(zip(letters, units))
        if component in (None, k)
    ]


def find_computed(raw: RawResult, what: str, pair: Callable[[str, str], PairOfContacts]) -> Computed | None:
    """The computed quantity of a name, whose first word may be omitted. Raises SceneError."""
    if what.startswith(f"{CONTACT}."):
        return contact(raw, what, pair)
    found = [one for one in computed(raw) if what in (one.name, one.name.partition(".")[2])]
    if not found and are_sides(raw, what.split(".")[:-1]):
        return contact(raw, f"{CONTACT}.{what}", pair)
    return found[0] if len(found) == 1 else None


def curves_of_computed(found: Computed, component: str) -> list[Curve]:
    """Curves of a computed quantity, or of one component of it. Raises SceneError."""
    letters = found.components
    if component and component not in letters:
        mend = f"has the components {', '.join(letters)}" if letters else f'is a scalar: no "{component}"'
        raise SceneError("what", f"{found.name}.{component}", f'"{found.name}" {mend}')
    every = by_component(found.name, found.values(), found.unit, letters, found.remark)
    return [one for one in every if one.label == f"{found.name}.{component}"] if component else every


def magnitude(what: str, found: list[Curve]) -> Curve:
    """The length of a vector. Raises SceneError."""
    letters = tuple(curve.label.rpartition(".")[2] for curve in found)
    if letters != COMPONENTS["xyz"]:
        raise SceneError("what", what, "only vectors along x, y, z have a magnitude")
    length = np.linalg.norm([curve.values for curve in found], axis=0)
    stem = found[0].label.rpartition(".")[0]
    return Curve(f"{stem}.{MAGNITUDE}", length, found[0].unit, found[0].remark)


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
    """The unit of the array `key`; that of a joint coordinate, state, input, output or row that switches is
    its own.
    """
    group, _, quantity = key.partition("/")
    if group not in ("states", "inputs", "outputs", "coordinates") and key != "bounds/force":
        return raw.units(key)
    member = name.partition(".")[2].rpartition(".")[0]
    units = list(raw.attribute(f"{group}/unit", []))
    unit = str(units[raw.names(group).index(member)] if units else "") or raw.units(key)
    return unit_of_coordinate(quantity, unit) if group == "coordinates" else unit


def unit_of_coordinate(quantity: str, unit: str) -> str:
    """That of the value, speed or drive of a coordinate in `unit`."""
    return {"value": unit, "speed": f"{unit}/s", "drive": "N m" if unit == "rad" else "N"}[quantity]
