"""Checks of a shape that collides: its support function, mass and picture agree, and so do its pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import NumbaError

from mbplugin.codegen.compile_errors import cause
from mbplugin.hooks.registry import Registry
from mbplugin.interface import ShapeKind
from mbplugin.testing.placed_shapes import Array, Side, checked, one_side, sides_of
from mbplugin.testing.report import Check
from mbplugin.testing.samples import sample
from mbplugin.testing.shape_pairs import ROUNDING, directions, pair_checks

#: tolerances: of what the triangles of a picture leave out
OF_PICTURE, OF_INERTIA = 0.1, 0.15
DIRECTIONS = 60
WITHIN, COMPILED = "reads and writes within its arrays", "numba can compile it"


def kind_checks(kind: type[ShapeKind], keys: dict[str, Any], registry: Registry) -> list[Check]:
    """Every check of one shape kind; `keys` are those of a shape."""
    name = f'shape "{kind.name}"'
    random = np.random.default_rng(0)
    checks = []
    if kind.bounded:
        side = one_side(kind, keys, registry)
        note = "" if kind.support is not None or kind.pairs else "it has neither `support` nor `pairs`"
        checks = [
            Check(name, "it can touch others", float(bool(note)), 0.0, note),
            *picture_checks(name, side),
        ]
        if kind.support is not None:
            checks += within_arrays(name, partial(support_checks, name, side, random))
    for other in kind.pairs:
        example = dict(keys) if other == kind.name else sample(registry.shape(other))
        a, b = sides_of([(kind.name, keys), (other, example)], registry)
        each, pair = f'{name}, "{other}"', checked(kind.pairs[other])
        checks += within_arrays(each, partial(pair_checks, each, pair, a, b, random))
    return checks


def within_arrays(name: str, checks: Callable[[], list[Check]]) -> list[Check]:
    """These checks, and that functions can be compiled and no index is out of bounds in them."""
    try:
        done = checks()
    except IndexError as error:
        return [Check(name, WITHIN, float("inf"), 0.0, str(error))]
    except NumbaError as error:
        note = f"functions that it calls need `@jit`? {cause(error)}"
        return [Check(name, COMPILED, float("inf"), 0.0, note)]
    return [Check(name, WITHIN, 0.0, 0.0), *done]


def worst(errors: Any) -> float:
    """The largest of these errors and 0; nan if one is nan."""
    return float(np.maximum(np.max(errors), 0.0))


def picture_checks(name: str, side: Side) -> list[Check]:
    """Radius, volume and inertia against the triangles of the picture."""
    shape, radius = side.shape, side.radius
    points, triangles = shape.surface()
    volume, centroid, inertia = shape.unit_density_properties()
    inside, middle, own = solid(points, triangles)
    beyond = worst(np.linalg.norm(points, axis=1)) / radius - 1.0
    away = float(np.linalg.norm(centroid - middle)) / radius
    difference = float(np.abs(inertia - own).max() / np.abs(own).max())
    return [
        Check(name, "its surface lies within its radius", worst([beyond]), ROUNDING),
        Check(name, "volume = that of its surface", abs(volume / inside - 1.0), OF_PICTURE),
        Check(name, "centroid = that of its surface", away, OF_PICTURE),
        Check(name, "inertia = that of its surface", difference, OF_INERTIA),
    ]


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


def support_checks(name: str, side: Side, random: Any) -> list[Check]:
    """The support function against itself, the radius and the surface."""
    size, along = side.radius, directions(random, DIRECTIONS)

    def farthest(d: Array) -> Array:
        return np.array([side.support(side.placed, tuple(each))[0] for each in d]) + side.rounding * along

    points, longer = farthest(along), farthest(3.7 * along)
    h = np.einsum("ij,ij->i", points, along)
    surface = (side.shape.surface()[0] @ along.T).max(axis=0)
    other = np.abs(np.einsum("ij,ij->i", longer, along) - h)
    within = worst(np.linalg.norm(points, axis=1)) / size - 1.0
    return [
        Check(
            name,
            "no point of another direction is farther along d",
            worst(points @ along.T - h) / size,
            ROUNDING,
        ),
        Check(name, "the length of d does not matter", worst(other) / size, ROUNDING),
        Check(name, "its points lie within its radius", worst([within]), ROUNDING),
        Check(name, "it reaches as far as its surface", worst(np.abs(surface - h)) / size, OF_PICTURE),
    ]
