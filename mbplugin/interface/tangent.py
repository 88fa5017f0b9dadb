"""Which tangent belongs to a kind: a class that inherits a tangent, but has a kernel of its own, has none."""

from __future__ import annotations

from typing import Any


def tangent_of(kind: type, name: str, *of: str) -> Any:
    """The kind's function `name`, or None where it has none, or where one of the functions `of` stands in a
    class derived from the one that gave it.
    """
    found = getattr(kind, name, None)
    place = {
        each: next((k for k, cls in enumerate(kind.__mro__) if each in vars(cls)), len(kind.__mro__))
        for each in (name, *of)
    }
    return None if found is None or any(place[each] < place[name] for each in of) else found
