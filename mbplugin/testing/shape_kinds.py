"""Checks of a shape that collides: its support function, mass and picture agree, and so do its pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import NumbaError

from mbplugin.codegen.compile_errors import cause
from mbplugin.hooks.registry import Registry
from mbplugin.interface import MAX_CORNERS, ShapeKind, empty_face
from mbplugin.testing.placed_shapes import Array, Side, checked, sides_of
from mbplugin.testing.report import Checks, Report
from mbplugin.testing.samples import sample
from mbplugin.testing.shape_pairs import ROUNDING, directions, pair_checks

#: tolerances: of what the triangles of a picture leave out
OF_PICTURE, OF_INERTIA = 0.1, 0.15
DIRECTIONS = 60
WITHIN, COMPILED = "reads and writes within its arrays", "numba can compile it"


def kind_checks(
    checks: Checks, kind: type[ShapeKind], registry: Registry, keys: dict[str, Any] | None = None
) -> None:
    """Support function, mass, picture and pairs of a shape that collides. keys: of a shape"""
    keys = sample(kind) if keys is None else keys
    random = np.random.default_rng(0)
    if kind.bounded:
        (side,) = sides_of([(kind.name, keys)], registry)
        can_touch = kind.support is not None or bool(kind.pairs)
        checks.fact("it can touch others", can_touch, "it has neither `support` nor `pairs`")
        picture_checks(checks, side)
        outline_checks(checks, side, random)
        if kind.support is not None:
            within_arrays(checks, partial(support_checks, side=side, random=random))
            if kind.face is not None:
                within_arrays(checks, partial(face_checks, side=side, random=random))
    for other in kind.pairs:
        example = dict(keys) if other == kind.name else sample(registry.shape(other))
        a, b = sides_of([(kind.name, keys), (other, example)], registry)
        pair = checked(kind.pairs[other])
        of_pair = checks.with_suffix(f', "{other}"')
        within_arrays(of_pair, partial(pair_checks, pair=pair, a=a, b=b, random=random))


def outline_checks(checks: Checks, side: Side, random: Any) -> None:
    """The section with planes: in the plane, within the radius, and not empty through the centre."""
    centre = side.shape.unit_density_properties()[1]
    for n in (*directions(random, 5), *np.eye(3)):
        for distance in (float(n @ centre), 1.5 * side.radius):
            outline = side.shape.kind.outline(side.shape.keys_of_kind, n, distance)
            if outline is None:
                continue
            corners, radius = np.asarray(outline.corners, float).reshape(-1, 3), float(outline.radius)
            off = np.abs(corners @ n - distance).max(initial=0.0)
            beyond = (np.linalg.norm(corners, axis=1) + radius).max(initial=0.0) / side.radius - 1.0
            checks.see("outline: its corners lie in the plane", off / side.radius, ROUNDING)
            checks.see("outline: it lies within the radius", beyond, ROUNDING)
            met = (len(corners) > 0) == (distance <= side.radius)
            checks.see("outline: there is one where the plane meets the shape", not met, 0.0)


def within_arrays(checks: Checks, run: Callable[[Checks], None]) -> None:
    """The checks of `run`, and that functions can be compiled and no index is out of bounds in them."""
    tried = Report()
    try:
        run(tried.of(checks.kind))
    except IndexError as error:
        checks.fact(WITHIN, False, str(error))
        return
    except NumbaError as error:
        checks.fact(COMPILED, False, f"functions that it calls need `@jit`? {cause(error)}")
        return
    checks.fact(WITHIN, True, "")
    checks.report.add(tried)


def picture_checks(checks: Checks, side: Side) -> None:
    """Radius, volume and inertia against the triangles of the picture."""
    shape, radius = side.shape, side.radius
    points, triangles = shape.surface()
    volume, centroid, inertia = shape.unit_density_properties()
    inside, middle, own = solid(points, triangles)
    beyond = np.linalg.norm(points, axis=1).max() / radius - 1.0
    checks.see("its surface lies within its radius", beyond, ROUNDING)
    checks.see("volume = that of its surface", abs(volume / inside - 1.0), OF_PICTURE)
    away = np.linalg.norm(centroid - middle) / radius
    checks.see("centroid = that of its surface", away, OF_PICTURE)
    checks.see("inertia = that of its surface", np.abs(inertia - own).max() / np.abs(own).max(), OF_INERTIA)


def solid(points: Array, triangles: Array) -> tuple[float, Array, Array]:
    """Volume [m³], centroid (3,) [m] and inertia about it per density (3, 3) [m⁵] of what triangles enclose.

    ∫ x xᵀ over a tetrahedron with a corner at the origin is V/20 (Σ p pᵀ + (Σ p)(Σ p)ᵀ).
    """
    a, b, c = (points[triangles[:, k]] for k in range(3))
    parts = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    inside, total = float(parts.sum()), a + b + c
    second = sum(np.einsum("n,ni,nj->ij", parts, p, p) for p in (a, b, c, total)) / 20.0
    middle = (parts @ total) / 4.0 / inside
    second = second - inside * np.outer(middle, middle)
    return inside, middle, np.trace(second) * np.eye(3) - second


def face_checks(checks: Checks, side: Side, random: Any) -> None:
    """The corners of faces and lines against the support function."""
    face = checked(side.shape.kind.face)
    size, room = side.radius, empty_face()
    reaches = lambda n: float(np.dot(n, side.support(side.placed, tuple(n))[0]))
    flat = beyond = unit = turned = away = 0.0
    # beside the axes too, where faces are seen straight on
    tried = [*directions(random, DIRECTIONS), *np.eye(3), *-np.eye(3), *(np.eye(3) + 1e-3)]
    for d in (each / np.linalg.norm(each) for each in tried):
        room.radius[MAX_CORNERS] = 0.0
        count, normal = face(room, side.placed, tuple(d))
        n = np.array(normal)
        x, r = room.x[:count], room.radius[:count, 0]
        unit = max(unit, abs(float(np.linalg.norm(n)) - 1.0)) if count else unit
        if count == 2:
            flat = max(flat, *(abs(float(c @ n + q) - reaches(n)) for c, q in zip(x, r)))
        elif count > 2:
            beyond = max(beyond, float((x @ d).max()) - reaches(d))
            flat = max(flat, float(np.abs(x @ n - reaches(n)).max()))
            area = sum(np.cross(x[k - 1] - x[0], x[k] - x[0]) for k in range(2, count))
            turned = max(turned, 1.0 - float(n @ area / np.linalg.norm(area)))
        if count > 2 and room.radius[MAX_CORNERS, 0] > 0.0:
            apart = np.linalg.norm(x - room.x[MAX_CORNERS], axis=1) - room.radius[MAX_CORNERS, 0]
            away = max(away, float(np.abs(apart).max()), reaches(d) - float((x @ d).max()))
    checks.see("normals of faces are unit vectors", unit, ROUNDING)
    checks.see("corners of faces are not beyond the shape", beyond / size, ROUNDING)
    checks.see("faces and lines are as far out as the shape is along their normal", flat / size, ROUNDING)
    checks.see("corners turn counter-clockwise seen from outside", turned, ROUNDING)
    checks.see("corners of a rim lie on its circle, the farthest one among them", away / size, ROUNDING)


def support_checks(checks: Checks, side: Side, random: Any) -> None:
    """The support function against itself, the radius and the surface."""
    size, along = side.radius, directions(random, DIRECTIONS)

    elsewhere = side.at(np.array([7.0, -5.0, 3.0]) * size, np.roll(np.eye(3), 1, axis=0))

    def farthest(d: Array, of: Side = side) -> Array:
        return np.array([of.support(of.placed, tuple(each))[0] for each in d]) + side.rounding * along

    points, longer = farthest(along), farthest(3.7 * along)
    h = np.einsum("ij,ij->i", points, along)
    surface = (side.shape.surface()[0] @ along.T).max(axis=0)
    other = np.abs(np.einsum("ij,ij->i", longer, along) - h)
    within = np.linalg.norm(points, axis=1).max() / size - 1.0
    error = np.max(points @ along.T - h) / size
    checks.see("no point of another direction is farther along d", error, ROUNDING)
    checks.see("the length of d does not matter", other.max() / size, ROUNDING)
    checks.see("its points lie within its radius", within, ROUNDING)
    moved = np.abs(farthest(along, elsewhere) - points).max()
    checks.see("its support function does not read where it is", moved / size, 0.0)
    checks.see("it reaches as far as its surface", np.abs(surface - h).max() / size, OF_PICTURE)
