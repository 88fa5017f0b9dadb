"""The part that finds the points of two types of shapes, of rigid bodies and of bodies that stretch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

from mbplugin.errors import SceneError
from mbplugin.stepping import Part
from mbplugin_contact.geometry.faces import no_face
from mbplugin_contact.pairs import (
    by_faces,
    by_supports,
    by_surface,
    face_over_half_space,
    in_closed_form,
    over_half_space,
    reach_of,
)
from mbplugin_contact.shapes import ConvexKind
from mbplugin_contact.stretched import by_mapped_supports, mapped_over_half_space, mapped_reach, of_polyhedra
from mbplugin_contact.triangles.faces import (
    FacesKind,
    NodeKind,
    of_faces,
    of_faces_and_stretched,
    of_faces_and_support,
    of_faces_and_surface,
    of_faces_of_two,
)
from mbplugin_contact.triangles.heightfield import HeightfieldKind
from mbplugin_contact.triangles.meshes import between_surfaces
from mbplugin_contact.triangles.read import FACES, SOURCES

#: types of the engine whose faces are flat
POLYHEDRA = ("box", "convex")


class Makers(NamedTuple):
    """Functions that make the parts of two kinds, and of one."""

    closed_form: Any
    supports: Any
    half_space: Any
    reach: Any


#: makers for two rigid kinds; and where one of them stretches
RIGID = Makers(in_closed_form, by_supports, over_half_space, reach_of)
STRETCHED = Makers(of_polyhedra, by_mapped_supports, mapped_over_half_space, mapped_reach)


class StretchedKind:
    """A `ShapeKind` on bodies that stretch. Raises SceneError if it has no support function."""

    def __init__(self, kind: Any) -> None:
        if kind.support is None:
            mend = f'a "{kind.name}" has no support function, and cannot stretch with its body'
            raise SceneError("collide", True, f"{mend}; give it `collide = false`")
        self.name, self.support, self.bounded = f"stretched {kind.name}", kind.support, True
        self.face = None  # they touch in one point
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
            if one is FacesKind and pair is between_surfaces:
                maker = of_faces_of_two if other is FacesKind else of_faces_and_surface
            elif one is FacesKind:
                maker = of_faces_and_stretched if mapped else of_faces
            return one, other, Part(maker, (pair,), owner)
    if NodeKind in (a, b):
        return None  # the faces of its body touch the other shape
    if a.support is not None and b.support is not None:
        if makers is RIGID and (a.face is not None or b.face is not None):
            functions = (a.support, a.face or no_face, b.support, b.face or no_face)
            return a, b, Part(by_faces, functions, owner)
        return a, b, Part(makers.supports, (a.support, b.support), owner)
    for one, other in ((a, b), (b, a)):
        if one.name in (*SOURCES, FACES) and other.support is not None and makers is RIGID:
            maker = of_faces_and_support if one is FacesKind else by_surface
            return one, other, Part(maker, (other.support,), owner)
    for one, other in ((a, b), (b, a)):
        if one.support is not None and not other.bounded:
            if makers is RIGID and one.face is not None:
                return one, other, Part(face_over_half_space, (one.support, one.face), owner)
            return one, other, Part(makers.half_space, (one.support,), owner)
    if touches_nothing(a) and touches_nothing(b):
        return None
    mend = "no kind has a closed form for them, or one has no support function; give `collide = false` to one"
    raise SceneError("collide", True, f"{owner} cannot touch: {mend}")


def touches_nothing(kind: Any) -> bool:
    """Whether a shape of this kind touches none of the same sort: a half-space, or a height field, of which
    two on bodies that meet are refused by `triangles/refused.py`, or faces, beside which there are nodes.
    """
    return not kind.bounded or kind.name in (HeightfieldKind.name, FACES)


def reaches_of(shapes: Iterable[Any]) -> list[tuple[str, Part]]:
    """The type and the part of every kind among these shapes that has a support function."""
    owned = [(name, kind) for name, kind in sorted(kinds_of(shapes).items()) if kind.support is not None]
    return [(name, Part(makers_of(kind).reach, (kind.support,), f'shape "{name}"')) for name, kind in owned]


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
