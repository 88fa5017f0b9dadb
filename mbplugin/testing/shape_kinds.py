"""Checks of a shape that collides: its support function, mass and picture agree, and so do its pairs.

h(n), the largest n·x of a convex shape, decides: two shapes are apart by the largest −h_a(n) − h_b(−n), which
is at the normal n of the contact, whether they are separated or overlap.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from mbplugin.errors import PluginError
from mbplugin.hooks.registry import Registry
from mbplugin.interface import MAX_POINTS, PlacedShape, ShapeKind, empty_points
from mbplugin.math.jit import with_bounds
from mbplugin.model import System
from mbplugin.run.prepare import prepare
from mbplugin.testing.report import Check
from mbplugin.testing.samples import sample

Array = np.ndarray[Any, Any]
#: tolerances: of lengths, relative to the size of the shapes; of what a picture's triangles leave out
ROUNDING, OF_PICTURE, OF_INERTIA = 1e-8, 0.1, 0.15
DIRECTIONS, POSES = 60, 40
MASS = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0], "collide": True}


class Side(NamedTuple):
    """A shape, as the checks see it."""

    shape: Any  # of the scene
    support: Any  # compiled; None: it has none
    placed: PlacedShape
    problem: Any  # whose arrays its tables are

    def at(self, x: Array, R: Array) -> Side:
        return self._replace(placed=self.placed._replace(x=tuple(x), R=tuple(R.ravel())))

    def extent(self, n: Array) -> float:
        """h(n) in the world [m]; infinite for a half-space, but along its normal."""
        x, R = np.array(self.placed.x), np.array(self.placed.R).reshape(3, 3)
        if not self.shape.kind.bounded:
            return float(n @ x) if n @ R[:, 2] > 1.0 - 1e-12 else np.inf
        point, _ = self.support(self.placed, tuple(R.T @ n))
        return float(n @ (x + R @ np.array(point))) + self.shape.kind.rounding(self.shape.keys_of_kind)

    @property
    def known(self) -> bool:
        """Whether `extent` can be asked."""
        return self.support is not None or not self.shape.kind.bounded


def kind_checks(kind: type[ShapeKind], keys: dict[str, Any], registry: Registry) -> list[Check]:
    """Every check of one shape kind; `keys` are those of a shape."""
    name = f'shape "{kind.name}"'
    side, _ = two_sides(kind, keys, "sphere", {"radius": 0.1}, registry)
    random = np.random.default_rng(0)
    checks = []
    if kind.bounded:
        checks += picture_checks(name, side)
        if kind.support is not None:
            checks += support_checks(name, side, random)
    for other in kind.pairs:
        example = dict(keys) if other == kind.name else example_of(other, registry)
        a, b = two_sides(kind, keys, other, example, registry)
        checks += pair_checks(f'{name}, "{other}"', with_bounds(kind.pairs[other]), a, b, random)
    return checks


def example_of(other: str, registry: Registry) -> dict[str, Any]:
    """Keys of a shape of another kind."""
    return sample(registry.shape(other))


def two_sides(
    kind: type[ShapeKind], keys: dict[str, Any], other: str, example: dict[str, Any], registry: Registry
) -> tuple[Side, Side]:
    """The two shapes in a scene with a solver that has contacts. Raises PluginError if there is none."""
    solvers = [name for name in registry.names("solver") if registry.solver(name).contacts]
    if not solvers:
        raise PluginError("no installed solver has contacts, so that a shape cannot be checked")
    shapes = [{**keys, "type": kind.name}, {**example, "type": other}]
    bodies: list[Any] = []
    ground: list[Any] = []
    for k, shape in enumerate(shapes):
        if registry.shape(shape["type"]).bounded:
            body = {
                "name": f"b{k}",
                "mass": 1.0,
                "inertia": [1.0, 1.0, 1.0],
                "position": [100.0 * k, 0.0, 100.0],
            }
            bodies.append({**body, "collide": True, "shape": [shape]})
        else:
            ground.append({**shape, "collide": True})
    system = System.model_validate(
        {
            "scene": {"gravity": [0, 0, 0], "shape": ground},
            "body": bodies,
            "solver": {"type": solvers[0], "end": 1.0, "step": 1e-3},
        }
    )
    prepared = prepare(system, registry)
    prepared.start(1.0)
    tables = prepared.problem.addresses
    sides = []
    for k, shape in enumerate(prepared.problem.names.shapes):
        support = with_bounds(shape.kind.support) if shape.kind.support is not None else None
        p = np.array(shape.numbers())
        placed = PlacedShape(tables, k, p, (0.0, 0.0, 0.0), tuple(np.eye(3).ravel()))
        sides.append(Side(shape, support, placed, prepared.problem))
    one = next(side for side in sides if side.shape.type == kind.name)
    return one, next(side for side in sides if side is not one)


def size_of(side: Side) -> float:
    return float(side.shape.kind.radius(side.shape.keys_of_kind)) if side.shape.kind.bounded else 0.0


def directions(random: Any, n: int) -> Array:
    d = random.normal(size=(n, 3))
    return np.asarray(d / np.linalg.norm(d, axis=1)[:, None])


def picture_checks(name: str, side: Side) -> list[Check]:
    """Radius, volume and inertia against the triangles of the picture."""
    shape = side.shape
    points, triangles = shape.surface()
    radius = size_of(side)
    checks = [
        Check(
            name,
            "its surface lies within its radius",
            max(0.0, float(np.linalg.norm(points, axis=1).max()) / radius - 1.0),
            ROUNDING,
        )
    ]
    volume, centroid, inertia = shape.unit_density_properties()
    a, b, c = (points[triangles[:, k]] for k in range(3))
    parts = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0  # of tetrahedra at the origin
    inside = float(parts.sum())
    # ∫ x xᵀ over a tetrahedron with a corner at the origin is V/20 (Σ p pᵀ + (Σ p)(Σ p)ᵀ)
    total = a + b + c
    second = sum(np.einsum("n,ni,nj->ij", parts, p, p) for p in (a, b, c, total)) / 20.0
    middle = (parts @ total) / 4.0 / inside
    second = second - inside * np.outer(middle, middle)
    own = np.trace(second) * np.eye(3) - second
    return [
        *checks,
        Check(name, "volume = that of its surface", abs(volume / inside - 1.0), OF_PICTURE),
        Check(
            name,
            "centroid = that of its surface",
            float(np.linalg.norm(centroid - middle)) / radius,
            OF_PICTURE,
        ),
        Check(
            name,
            "inertia = that of its surface",
            float(np.abs(inertia - own).max() / np.abs(own).max()),
            OF_INERTIA,
        ),
    ]


def support_checks(name: str, side: Side, random: Any) -> list[Check]:
    """The support function against itself, the radius and the surface."""
    size = size_of(side)
    along = directions(random, DIRECTIONS)
    rounding = side.shape.kind.rounding(side.shape.keys_of_kind)
    points = np.array([side.support(side.placed, tuple(d))[0] for d in along]) + rounding * along
    longer = np.array([side.support(side.placed, tuple(3.7 * d))[0] for d in along]) + rounding * along
    h = np.einsum("ij,ij->i", points, along)
    surface = (side.shape.surface()[0] @ along.T).max(axis=0)
    return [
        Check(
            name,
            "no point of another direction is farther along d",
            max(0.0, float((points @ along.T - h).max())) / size,
            ROUNDING,
        ),
        Check(
            name,
            "the length of d does not matter",
            float(np.abs(np.einsum("ij,ij->i", longer, along) - h).max()) / size,
            ROUNDING,
        ),
        Check(
            name,
            "its points lie within its radius",
            max(0.0, float(np.linalg.norm(points, axis=1).max()) / size - 1.0),
            ROUNDING,
        ),
        Check(name, "it reaches as far as the surface", float(np.abs(surface - h).max()) / size, OF_PICTURE),
    ]


class Found(NamedTuple):
    """Points of a pair, (n, 3) and (n,)."""

    x_a: Array
    x_b: Array
    normal: Array
    gap: Array
    feature: Array


def find(pair: Any, a: Side, b: Side, margin: float) -> Found:
    points = empty_points()
    n = pair(points, a.placed, b.placed, margin)
    if not 0 <= n <= MAX_POINTS:
        raise PluginError(f"a pair of shapes returns {n} points; there may be 0 to {MAX_POINTS}")
    return Found(*(np.array(array[:n]) for array in points))


def separation(a: Side, b: Side, n: Array) -> float:
    """How far two shapes are apart along n [m]."""
    return -a.extent(n) - b.extent(-n)


def pair_checks(name: str, pair: Any, a: Side, b: Side, random: Any) -> list[Check]:
    """A function for two shapes, at random poses, apart and overlapping."""
    size = size_of(a) + size_of(b)
    worst = dict.fromkeys(
        (
            "points are found within the margin, and none beyond",
            "normals are unit vectors",
            "x_b = x_a + gap normal",
            "the least gap = how far they are apart along the normal",
            "no other direction separates them more",
            "points lie on their shapes",
            "both moved alike: the points move too",
        ),
        0.0,
    )
    margin_ok, unit, arrow, least, best, on, moved = worst
    for _ in range(POSES):
        R_a, R_b = Rotation.random(2, random).as_matrix()
        away = directions(random, 1)[0] * size * random.uniform(0.2, 1.6)
        one, other = a.at(np.zeros(3), R_a), b.at(away, R_b)
        found = find(pair, one, other, 10.0 * size)
        if len(found.gap) == 0:
            worst[margin_ok] = np.inf
            continue
        k = int(np.argmin(found.gap))
        n, gap = found.normal[k], found.gap[k]
        beyond = find(pair, one, other, gap - 1e-6 * size)
        within = find(pair, one, other, gap + 1e-6 * size)
        if len(beyond.gap) > 0 or len(within.gap) == 0 or within.gap.min() > gap + ROUNDING * size:
            worst[margin_ok] = np.inf
        lengths = np.abs(np.linalg.norm(found.normal, axis=1) - 1.0).max()
        worst[unit] = max(worst[unit], float(lengths))
        apart = found.x_b - found.x_a - found.gap[:, None] * found.normal
        worst[arrow] = max(worst[arrow], float(np.abs(apart).max()) / size)
        turn, shift = Rotation.random(random_state=random).as_matrix(), directions(random, 1)[0]
        again = find(pair, a.at(shift, turn @ R_a), b.at(shift + turn @ away, turn @ R_b), 10.0 * size)
        if len(again.gap) == 0:
            worst[moved] = np.inf
        else:
            m = int(np.argmin(again.gap))
            worst[moved] = max(worst[moved], abs(float(again.gap[m] - gap)) / size)
            if len(found.gap) == len(again.gap) == 1:
                difference = again.x_a[m] - shift - turn @ found.x_a[k]
                worst[moved] = max(worst[moved], 1e-3 * float(np.abs(difference).max()) / size)
        if not (one.known and other.known):
            continue
        worst[least] = max(worst[least], abs(separation(one, other, n) - gap) / size)
        on_a = max(abs(n @ found.x_a[k] - one.extent(n)), abs(-n @ found.x_b[k] - other.extent(-n)))
        worst[on] = max(worst[on], float(on_a) / size)
        tried = [*directions(random, 10), *(n + 0.03 * directions(random, 10))]
        more = max(separation(one, other, d / np.linalg.norm(d)) for d in tried)
        worst[best] = max(worst[best], (more - gap) / size)
        for d in directions(random, 10):
            outside = float((found.x_a @ d).max()) - one.extent(d)
            if other.shape.kind.bounded:
                outside = max(outside, float((found.x_b @ d).max()) - other.extent(d))
            worst[on] = max(worst[on], outside / size)
    return [Check(name, what, error, ROUNDING) for what, error in worst.items()]
