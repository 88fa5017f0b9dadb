"""Indices in records and names: what each field points at, and renumbering that follows from it.

    block: Annotated[int, Index("Blocks")]              an element of a group; −1: none
    first_row: Annotated[int, Index("Rows", "rows")]    the first of as many as the field `rows` says
    number: Annotated[int, IndexBy("kind", {...})]      of the group that the field `kind` chooses

A group stands for its records, or its arrays of the same length; "Elements.marker" is one array.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

Thing = TypeVar("Thing")
#: group -> new number of each element by its old one; those that are missing are dropped
Numbering = Mapping[str, Mapping[int, int]]


class Index(NamedTuple):
    """The group that a number points into; `length`: field with the number of neighbours from there on."""

    group: str
    length: str = ""


class IndexBy(NamedTuple):
    """The group is that of the value of another field; a value without one has a plain number."""

    field: str
    groups: Mapping[int, str]


AuxIndex = Annotated[int, Index("State.aux")]
BearingIndex = Annotated[int, Index("Bearings")]
BlockIndex = Annotated[int, Index("Blocks")]
BodyIndex = Annotated[int, Index("Bodies")]
BoundedIndex = Annotated[int, Index("Bounded")]
ConstantIndex = Annotated[int, Index("Functions.constants")]
CoordinateIndex = Annotated[int, Index("State.q")]
ElementIndex = Annotated[int, Index("Elements")]
FactorIndex = Annotated[int, Index("Factor.values")]
FunctionIndex = Annotated[int, Index("Functions.u")]
LinkIndex = Annotated[int, Index("Trees.link")]
MarkerIndex = Annotated[int, Index("Markers")]
MeasureIndex = Annotated[int, Index("Measures")]
MemoryIndex = Annotated[int, Index("State.memory")]
OperationIndex = Annotated[int, Index("Functions.ops")]
OutputIndex = Annotated[int, Index("Outputs.value")]
RowIndex = Annotated[int, Index("Rows")]
VelocityIndex = Annotated[int, Index("State.v")]
FirstRow = Annotated[int, Index("Rows", "rows")]
FirstVelocity = Annotated[int, Index("State.v", "nv")]


def renumbered(thing: Thing, numbers: Numbering) -> Thing:
    """A copy of a record, a dataclass or a list of them with new indices: −1 where the element is dropped.

    A range of neighbours keeps those that are left; without any it is (0, 0). Lists and dictionaries lose
    what is dropped.
    """
    if isinstance(thing, list):
        return [renumbered(one, numbers) for one in thing]  # type: ignore[return-value]
    kind: Any = type(thing)
    hints = index_hints(kind, frozenset(numbers))
    if not hints:
        return thing
    changed: dict[str, Any] = {}
    for name, hint in hints.items():
        value, index = getattr(thing, name), index_of(hint)
        if isinstance(index, Index) and index.length:
            kept = left(range(value, value + getattr(thing, index.length)), numbers[index.group])
            changed[name], changed[index.length] = (kept[0] if kept else 0), len(kept)
        elif isinstance(index, IndexBy):
            of = index.groups.get(getattr(thing, index.field), "")
            changed[name] = numbers[of].get(value, -1) if of in numbers else value
        else:
            changed[name] = replaced(value, hint, numbers)
    if hasattr(thing, "_replace"):
        return thing._replace(**changed)  # type: ignore[no-any-return]
    return dataclasses.replace(thing, **changed)  # type: ignore[type-var]


def left(old: range | list[int], new: Mapping[int, int]) -> list[int]:
    """New numbers of those that are not dropped."""
    return [new[number] for number in old if number in new]


def replaced(value: Any, hint: Any, numbers: Numbering) -> Any:
    """A value with new indices, as its annotation says where they are."""
    origin, args = get_origin(hint), get_args(hint)
    if isinstance(index := index_of(hint), Index):
        new = numbers.get(index.group)
        if new is None:
            return value
        if isinstance(value, range):
            kept = left(value, new)
            return range(kept[0], kept[-1] + 1) if kept else range(0)
        return new.get(value, -1)
    if origin is list:
        pairs = [(one, replaced(one, args[0], numbers)) for one in value]
        return [new for old, new in pairs if new != -1 or old == -1]
    if origin is tuple:
        of_each = args[:1] * len(value) if args[-1] is ... else args
        return tuple(replaced(one, hint, numbers) for one, hint in zip(value, of_each))
    if origin is dict:
        keys = {key: replaced(key, args[0], numbers) for key in value}
        return {keys[key]: replaced(one, args[1], numbers) for key, one in value.items() if keys[key] != -1}
    return renumbered(value, numbers)


def index_of(hint: Any) -> Index | IndexBy | None:
    """Index that a number with this annotation is; None: nothing."""
    if get_origin(hint) is Annotated:
        return next((each for each in hint.__metadata__ if isinstance(each, Index | IndexBy)), None)
    return None


@functools.cache
def index_hints(kind: type, groups: frozenset[str] | None = None) -> dict[str, Any]:
    """Field -> annotation, of the fields of a record or dataclass whose annotations contain indices into one
    of the groups; None: into any.
    """
    if not (hasattr(kind, "_fields") or dataclasses.is_dataclass(kind)):
        return {}
    hints = get_type_hints(kind, include_extras=True)
    return {name: hint for name, hint in hints.items() if reaches(hint, groups)}


def reaches(hint: Any, groups: frozenset[str] | None) -> bool:
    """Whether an annotation contains an index into one of the groups."""
    index = index_of(hint)
    if isinstance(index, IndexBy):
        return groups is None or not groups.isdisjoint(index.groups.values())
    if index is not None:
        return groups is None or index.group in groups
    inner = get_args(hint)
    if inner:
        return any(reaches(each, groups) for each in inner)
    return isinstance(hint, type) and bool(index_hints(hint, groups))
