"""Outputs: numbers of elements and solvers that each frame of a result stores, by name and unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class OutputList:
    """A list of a solver whose length changes from frame to frame, such as its contacts.

    length: array of the solver's group whose first number is the present length
    arrays: array of the group -> unit; its first `length` entries are stored
    """

    length: str
    arrays: Mapping[str, str]


@dataclass(frozen=True)
class ContactArray:
    """An array that a solver adds to the list `contacts`.

    unit:    for tables and plots
    meaning: in a few words
    columns: 0 for a number of each contact, 3 for a vector in world axes
    words:   of whole numbers from 0 on: what each means, for readers
    """

    unit: str
    meaning: str
    columns: int = 0
    whole: bool = False  # whole numbers
    words: tuple[str, ...] = ()


def unit_on(coordinate: str, unit: str) -> str:
    """The unit of an output or state of an element on a joint coordinate: of "N or N m" the first on a
    length, the second on an angle.

    coordinate: its unit, "m" or "rad"; "": the element stands on none
    """
    on_length, _, on_angle = unit.partition(" or ")
    return {"m": on_length, "rad": on_angle or on_length}.get(coordinate, unit)


def state_names(states: int | Sequence[str] | Mapping[str, str]) -> list[tuple[str, str]]:
    """(name, unit) of each inner state of a kind; both "" where `states` is their number."""
    if isinstance(states, int):
        return [("", "")] * states
    units = states if isinstance(states, Mapping) else {}
    return [(name, units.get(name, "")) for name in states]
