"""Names of stored quantities: where they are in the arrays of a result, and what is like an unknown one."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from mbplugin.errors import SceneError, StoreError, did_you_mean, listed
from mbplugin.results.layout import COMPONENTS, FIXED_SIZES, FRAME_ARRAYS, frame_array
from mbplugin.results.read import RawResult

#: word in a name -> group of the store
OWNERS = {
    "body": "bodies",
    "joint": "joints",
    "coordinate": "coordinates",
    "force": "forces",
    "bound": "bounds",
    "activity": "activities",
    "state": "states",
    "input": "inputs",
    "output": "outputs",
}
WORDS = {group: word for word, group in OWNERS.items()}
#: groups whose arrays cannot be plotted
NOT_PLOTTED = ("lines", "lists", "loads", "deformations", "nodes")
#: number of components -> their letters
LETTERS = {len(letters): letters for dim, letters in COMPONENTS.items() if dim != "tensor"}
#: why a result lacks a quantity that others have
NOT_STORED = (
    "this result does not have it: analyses compute no work and no losses, and without the masses of all "
    "bodies no reactions, drives and energies; `mbplugin info RESULT` lists what is stored"
)
#: what lists all names
LISTING = "; `mbplugin info RESULT` lists the quantities"


class Place(NamedTuple):
    """Place of a quantity in the arrays of a frame."""

    name: str  # in full, without the component
    key: str  # of the array
    member: int | None  # place of the body, joint, ...
    component: int | None


def find_place(keys: Sequence[str], names_of: Callable[[str], list[str]], what: str) -> Place:
    """Where the quantity `what` stands. keys: of the frame arrays; names_of: "bodies" -> names. Raises
    SceneError with the nearest names.
    """
    place = stored_place(keys, names_of, what)
    if place is None:
        raise unknown(what, known_of(keys, names_of))
    return place


def unknown(what: str, names: list[str]) -> SceneError:
    return SceneError("what", what, f"there is no such quantity{nearest_names(what, names)}")


def stored_place(keys: Sequence[str], names_of: Callable[[str], list[str]], what: str) -> Place | None:
    """Place of a quantity; None if nothing of this name is stored. Raises SceneError for a component that it
    lacks, and for what other results have.
    """
    name, component = full_name(keys, names_of, what), None
    if name is None:
        refuse_not_stored(names_of, what)
        stem, _, component = what.rpartition(".")
        name = full_name(keys, names_of, stem)
    if name is None:
        refuse_not_stored(names_of, stem, what)
        return None
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


def known_of(
    keys: Sequence[str], names_of: Callable[[str], list[str]], components: bool = False
) -> list[str]:
    """All names of stored quantities, without components; or the components of vectors alone.

    keys: of the frame arrays; names_of: "bodies" -> names
    """
    names = []
    for key in keys:
        group, _, quantity = key.partition("/")
        if group in NOT_PLOTTED or not quantity:
            continue
        found = [f"{group}.{quantity}"]
        if group in WORDS:
            found = [f"{WORDS[group]}.{name}.{quantity}" for name in names_of(group)]
        names += [f"{name}.{letter}" for name in found for letter in letters_of(key)] if components else found
    return names


def letters_of(key: str) -> Sequence[str]:
    """Letters of the components of a frame array; none of scalars."""
    dims = [dim for dim in frame_array(key).dims if dim in FIXED_SIZES]
    return LETTERS[FIXED_SIZES[dims[-1]]] if dims else ()


def kinds(raw: RawResult) -> dict[str, list[str]]:
    """The stored quantities that can be plotted: "body", "joint", ... -> their quantities, without those that
    are NaN in all frames, as energies of an analysis of positions.
    """
    quantities: dict[str, list[str]] = {}
    for key in raw.frame_arrays:
        group, _, quantity = key.partition("/")
        if not quantity or group in NOT_PLOTTED or (group in WORDS and not raw.names(group)):
            continue
        if has_numbers(raw, key):
            quantities.setdefault(WORDS.get(group, group), []).append(quantity)
    return quantities


def has_numbers(raw: RawResult, key: str) -> bool:
    """Whether an array is not NaN in all frames; True if it has none, or is damaged."""
    with suppress(StoreError):
        values = raw[key]
        return not values.size or not np.isnan(values).all()
    return True


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


def has_words(name: str, words: Sequence[str]) -> bool:
    """Whether a name has these words in their order, with others between them."""
    rest = iter(name.split("."))
    return all(word in rest for word in words)


def nearest_names(what: str, names: list[str]) -> str:
    """The remedy in a message about an unknown name: the names that have all of its words in their order, or
    the nearest name that has its first words, or all that have them, or else the nearest name of all.
    """
    names = [name.removesuffix(".value") for name in names]
    if fuller := [name for name in names if name != what and has_words(name, what.split("."))]:
        return f'; did you mean "{fuller[0]}"?' if len(fuller) == 1 else f"; there are {listed(fuller, 12)}"
    rest, owned = what.split("."), names
    while rest and (closer := [name for name in owned if f".{rest[0]}." in f".{name}."]):
        word, owned = rest.pop(0), closer
    if len(owned) == len(names):
        short = [name.partition(".")[2] for name in names]
        alike = [name for name in names if len(rest) > 1 and f".{rest[1]}." in f".{name}."]
        listing = f"; there are {listed(alike, 12)}" if alike else LISTING
        return did_you_mean(what, [*names, *short]) or listing
    tails = [f".{name}".partition(f".{word}.")[2] for name in owned]
    beginning = what.removesuffix(".".join(rest))
    if rest and rest[0] in COMPONENTS["xyz"] and "position" in tails:
        return f'; did you mean "{beginning}position.{rest[0]}"?'
    component = f".{rest.pop()}" if len(rest) > 1 and rest[-1] in COMPONENTS["xyz"] else ""
    # a name with fewer words is another quantity: that of a body in the place of its marker's
    alike = [tail for tail in tails if tail.count(".") >= len(rest) - 1]
    if near := difflib.get_close_matches(".".join(rest), alike, n=1):
        return f'; did you mean "{beginning}{near[0]}{component}"?'
    return f"; there are {listed(owned, 12)}"
