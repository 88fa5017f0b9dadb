"""Which function finds the points of two types of shapes, of rigid bodies and of bodies that stretch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations_with_replacement
from typing import Any

from mbplugin.errors import SceneError
from mbplugin.stepping import Part
from mbplugin_contact.pairs import cannot_touch, part_of, reach_of
from mbplugin_contact.shapes import ConvexKind
from mbplugin_contact.stretched import by_mapped_supports, mapped_over_half_space, mapped_reach, of_polyhedra

#: types of the engine whose faces are flat
POLYHEDRA = ("box", "convex")


class StretchedKind:
    """A `ShapeKind` on bodies that stretch. Raises SceneError if it has no support function."""

    def __init__(self, kind: Any) -> None:
        if kind.support is None:
            mend = f'a "{kind.name}" has no support function, and cannot stretch with its body'
            raise SceneError("collide", True, f"{mend}; give it `collide = false`")
        self.name, self.support, self.bounded = f"stretched {kind.name}", kind.support, True
        self.is_polyhedron = kind.name in POLYHEDRA


def kinds_of(shapes: Iterable[Any]) -> dict[str, Any]:
    """The kind of each type in the table of shapes. Raises SceneError."""
    return {
        shape.tabled_type: StretchedKind(shape.kind) if shape.stretched else shape.kind for shape in shapes
    }


def stretched_part_of(a: Any, b: Any) -> tuple[Any, Any, Part] | None:
    """As `pairs.part_of`, for two kinds of which one is stretched or both. Raises SceneError."""
    owner = f'shapes "{a.name}" and "{b.name}"'
    stretched = [kind for kind in (a, b) if isinstance(kind, StretchedKind)]
    if all(kind.is_polyhedron for kind in stretched):
        for one, other in ((a, b), (b, a)):
            first, second = (ConvexKind if kind in stretched else kind for kind in (one, other))
            if second.name in first.pairs:
                return one, other, Part(of_polyhedra, (first.pairs[second.name],), owner)
    if a.support is not None and b.support is not None:
        return a, b, Part(by_mapped_supports, (a.support, b.support), owner)
    for one, other in ((a, b), (b, a)):
        if one.support is not None and not other.bounded:
            return one, other, Part(mapped_over_half_space, (one.support,), owner)
    raise cannot_touch(owner)


def reaches_of(shapes: Iterable[Any]) -> list[tuple[str, Part]]:
    """The type and the part of every kind among these shapes that has a support function."""
    owned = [(name, kind) for name, kind in sorted(kinds_of(shapes).items()) if kind.support is not None]
    make = lambda kind: mapped_reach if isinstance(kind, StretchedKind) else reach_of
    return [(name, Part(make(kind), (kind.support,), f'shape "{name}"')) for name, kind in owned]


def parts_of(shapes: Iterable[Any]) -> list[tuple[str, str, Part]]:
    """The two types and the part of every pair that may occur between these shapes. Raises SceneError."""
    shapes = list(shapes)
    counts, kinds = Counter(shape.tabled_type for shape in shapes), kinds_of(shapes)
    parts = []
    for a, b in combinations_with_replacement(sorted(counts), 2):
        one, other = kinds[a], kinds[b]
        find = stretched_part_of if StretchedKind in (type(one), type(other)) else part_of
        part = find(one, other) if a != b or counts[a] > 1 else None
        if part is not None:
            parts.append((part[0].name, part[1].name, part[2]))
    return parts
