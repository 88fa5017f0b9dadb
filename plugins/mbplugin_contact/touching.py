"""The part that finds the points of two types of shapes, of rigid bodies and of bodies that stretch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

from mbplugin.errors import SceneError
from mbplugin.stepping import Part
from mbplugin_contact.asked import answers
from mbplugin_contact.geometry.faces import no_face
from mbplugin_contact.pairs import (
    in_closed_form,
    mapped_over_half_space,
    of_mapped,
    of_polyhedra,
    of_rigid,
    over_half_space,
)
from mbplugin_contact.shapes import ConvexKind
from mbplugin_contact.triangles.faces import NodeKind, of_surface, of_surface_and_any, of_surfaces
from mbplugin_contact.triangles.heightfield import HeightfieldKind
from mbplugin_contact.triangles.read import FACES, SOURCES

#: types of the engine that are surfaces of triangles
SURFACES = (*SOURCES, FACES)
#: types of the engine whose faces are flat
POLYHEDRA = ("box", "convex")


class Makers(NamedTuple):
    """Functions that make the parts of two kinds."""

    closed_form: Any
    supports: Any
    half_space: Any


#: makers for two rigid kinds; and where one of them stretches
RIGID = Makers(in_closed_form, of_rigid, over_half_space)
STRETCHED = Makers(of_polyhedra, of_mapped, mapped_over_half_space)


class StretchedKind:
    """A `ShapeKind` on bodies that stretch. Raises SceneError if it has no support function."""

    def __init__(self, kind: Any) -> None:
        if kind.support is None:
            mend = f'a "{kind.name}" has no support function, and cannot stretch with its body'
            raise SceneError("collide", True, f"{mend}; give it `collide = false`")
        self.name, self.support, self.bounded = f"stretched {kind.name}", kind.support, True
        self.face = None  # it touches in one point
        # mapped polyhedra are polyhedra; other shapes have no closed form
        self.is_polyhedron = kind.name in POLYHEDRA
        self.pairs = ConvexKind.pairs if self.is_polyhedron else {}


def kinds_of(shapes: Iterable[Any]) -> dict[str, Any]:
    """The kind of each type in the table of shapes. Raises SceneError."""
    return {
        shape.tabled_type: StretchedKind(shape.kind) if shape.stretched else shape.kind for shape in shapes
    }


def makers_of(*kinds: Any) -> Makers:
    """The makers for these kinds."""
    return STRETCHED if StretchedKind in map(type, kinds) else RIGID


def part_of(a: Any, b: Any) -> tuple[Any, Any, Part] | None:
    """The two kinds in the order of the part that finds their points, and the part; None for two half-spaces.
    A closed form of one of them serves, or else their support functions. Raises SceneError if neither does.
    """
    owner, makers = f'shapes "{a.name}" and "{b.name}"', makers_of(a, b)
    for one, other in ((a, b), (b, a)):
        mapped = isinstance(other, StretchedKind) and other.is_polyhedron
        name = ConvexKind.name if mapped else other.name
        pair = one.pairs.get(name)
        if pair is not None:
            maker = makers.closed_form
            if one.name in SURFACES:
                maker = of_surfaces if other.name in SURFACES else of_surface
            return one, other, Part(maker, (pair,), owner)
    if NodeKind in (a, b):
        return None  # the faces of its body touch the other shape
    if a.support is not None and b.support is not None:
        return a, b, Part(makers.supports, (), owner)
    for one, other in ((a, b), (b, a)):
        if one.name in SURFACES and other.support is not None and makers is RIGID:
            return one, other, Part(of_surface_and_any, (), owner)
        if one.support is not None and not other.bounded:
            return one, other, Part(makers.half_space, (), owner)
    if touches_nothing(a) and touches_nothing(b):
        return None
    mend = "no kind has a closed form for them, or one has no support function; give `collide = false` to one"
    raise SceneError("collide", True, f"{owner} cannot touch: {mend}")


def touches_nothing(kind: Any) -> bool:
    """Whether a shape of this kind touches none of the same sort: a half-space, or a height field, of which
    two on bodies that meet are refused by `triangles/refused.py`, or faces, beside which there are nodes.
    """
    return not kind.bounded or kind.name in (HeightfieldKind.name, FACES)


def answers_of(shapes: Iterable[Any]) -> list[tuple[str, Part]]:
    """The type, and the part that answers for it, of every kind among these shapes that has a support
    function.
    """
    kinds = [(name, kind) for name, kind in sorted(kinds_of(shapes).items()) if kind.support is not None]
    functions = [(kind.support, kind.face or no_face) for _, kind in kinds]
    return [(name, Part(answers, given, f'shape "{name}"')) for (name, _), given in zip(kinds, functions)]


def parts_of(shapes: Iterable[Any]) -> list[tuple[str, str, Part]]:
    """The two types and the part of every pair that may occur between these shapes. Raises SceneError."""
    shapes = list(shapes)
    counts, kinds = Counter(shape.tabled_type for shape in shapes), kinds_of(shapes)
    parts = []
    spatial = {shape.tabled_type for shape in shapes if shape.section is None}
    for a, b in combinations_with_replacement(sorted(counts), 2):
        # two planar ones touch by their outlines
        touch = a in spatial or b in spatial
        part = part_of(kinds[a], kinds[b]) if touch and (a != b or counts[a] > 1) else None
        if part is not None:
            parts.append((part[0].name, part[1].name, part[2]))
    return parts
