"""Round shapes and others through compiled functions of pairs, one pair at a time, and the same for coal."""

from __future__ import annotations

from typing import Any, NamedTuple

import coal
import numpy as np
from mbplugin_contact.geometry.face_pair import face_pair, face_plane
from mbplugin_contact.geometry.faces import hull_face, no_face
from mbplugin_contact.geometry.hull_distance import hull_support
from mbplugin_contact.geometry.tables import CUBE, Hulls
from mbplugin_contact.round_shapes import (
    face_of_cone,
    face_of_cylinder,
    point_of_ellipsoid,
    rim_of_cone,
    rim_of_cylinder,
)
from mbplugin_contact.shapes import centre, core, end_of_core
from pairs import Tables, some_hulls, vector_of
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from mbplugin.interface import ContactPoints, compiled_entry, empty_points, internal
from mbplugin.kernels.view import view
from mbplugin.math.vec3 import load, load_matrix

HULLS, BODIES, SMALL, LARGE = some_hulls()
THIN_HULL = int(LARGE[-1]) + 1


@internal
def box_support(a, d):
    return hull_support((a.tables, CUBE, a.p), d)


@internal
def box_face(face, a, d):
    return hull_face(face, a.tables, CUBE, a.p, d)


@internal
def convex_support(a, d):
    return hull_support((a.tables, a.number, (1.0, 1.0, 1.0)), d)


@internal
def convex_face(face, a, d):
    return hull_face(face, a.tables, a.number, (1.0, 1.0, 1.0), d)


TYPES = ("cylinder", "cone", "ellipsoid", "sphere", "capsule", "box", "convex", "plane")
CYLINDER, CONE, ELLIPSOID, SPHERE, CAPSULE, BOX, CONVEX, PLANE = range(8)
#: functions of the kinds, compiled
CYLINDER_POINT, CYLINDER_FACE = internal(rim_of_cylinder), internal(face_of_cylinder)
CONE_POINT, CONE_FACE = internal(rim_of_cone), internal(face_of_cone)
ELLIPSOID_POINT, SPHERE_POINT = internal(point_of_ellipsoid), internal(centre)
CAPSULE_POINT, CAPSULE_FACE = internal(end_of_core), internal(core)


class Given(NamedTuple):
    """A shape of any type, as its kind's functions read it."""

    type: Any
    tables: Any
    number: Any
    p: Any


@internal
def any_support(a, d):
    if a.type == CYLINDER:
        return CYLINDER_POINT(a, d)
    if a.type == CONE:
        return CONE_POINT(a, d)
    if a.type == ELLIPSOID:
        return ELLIPSOID_POINT(a, d)
    if a.type == SPHERE:
        return SPHERE_POINT(a, d)
    if a.type == CAPSULE:
        return CAPSULE_POINT(a, d)
    return box_support(a, d) if a.type == BOX else convex_support(a, d)


@internal
def any_face(face, a, d):
    if a.type == CYLINDER:
        return CYLINDER_FACE(face, a, d)
    if a.type == CONE:
        return CONE_FACE(face, a, d)
    if a.type == CAPSULE:
        return CAPSULE_FACE(face, a, d)
    if a.type == BOX:
        return box_face(face, a, d)
    return convex_face(face, a, d) if a.type == CONVEX else no_face(face, a, d)


PAIR = face_pair(any_support, any_face, any_support, any_face)
OVER_PLANE = face_plane(any_support, any_face)


@compiled_entry()
def touch(tables, a, size_a, r_a, hull_a, x_a, R_a, b, size_b, r_b, hull_b, x_b, R_b, size, margin, count):
    """Points of two shapes of the types a and b."""
    arrays = view(tables, Tables)
    hulls = Hulls(arrays.index, arrays.vertex, arrays.normal, arrays.list, arrays.work, arrays.work_ints)
    points = ContactPoints(arrays.x_a, arrays.x_b, arrays.points_normal, arrays.gap, arrays.feature)
    x, R, y, Q = load(x_a, 0), load_matrix(R_a, 0), load(x_b, 0), load_matrix(R_b, 0)
    one, other = Given(a, hulls, hull_a, load(size_a, 0)), Given(b, hulls, hull_b, load(size_b, 0))
    if b == PLANE:
        count[0] = OVER_PLANE(hulls, points, one, r_a, x, R, y, Q, size, margin)
    else:
        count[0] = PAIR(hulls, points, one, r_a, x, R, other, r_b, y, Q, size, margin)


class Solid(NamedTuple):
    """A shape at its place."""

    type: str
    size: Any  # (3,) as in the table of shapes
    x: Any = (0.0, 0.0, 0.0)
    R: Any = np.eye(3)
    hull: int = 0

    @property
    def ball(self) -> float:
        return float(self.size[0]) if self.type in ("sphere", "capsule") else 0.0

    def support(self, d: Any) -> Any:
        """The point farthest along d in the world, written anew."""
        d = np.asarray(d, float)
        c, (p, q, s) = self.R.T @ d, self.size
        radial = c[:2] / max(np.linalg.norm(c[:2]), 1e-300)
        match self.type:
            case "sphere":
                point = p * c / np.linalg.norm(c)
            case "capsule":
                point = p * c / np.linalg.norm(c) + [0, 0, 0.5 * q * np.sign(c[2])]
            case "ellipsoid":
                half = np.array(self.size)
                point = half**2 * c / np.linalg.norm(half * c)
            case "cylinder":
                point = np.array([*(p * radial), 0.5 * q * np.sign(c[2])])
            case "cone":
                ends = [np.array([*(p * radial), -0.5 * q]), np.array([*(s * radial), 0.5 * q])]
                point = max(ends, key=lambda end: end @ c)
            case "box":
                point = 0.5 * np.sign(c) * self.size
            case _:
                vertices = BODIES[self.hull - SMALL[0]].vertices
                point = vertices[np.argmax(vertices @ c)]
        return self.x + self.R @ point

    def inside(self, x: Any, tolerance: float) -> bool:
        """Whether a point of the world is in the shape, or nearer to it than the tolerance."""
        y, (p, q, s) = self.R.T @ (np.asarray(x) - self.x), self.size
        radial = np.hypot(y[0], y[1])
        match self.type:
            case "sphere":
                return bool(np.linalg.norm(y) <= p + tolerance)
            case "capsule":
                rest = y - [0, 0, np.clip(y[2], -0.5 * q, 0.5 * q)]
                return bool(np.linalg.norm(rest) <= p + tolerance)
            case "ellipsoid":
                return bool(((y / self.size) ** 2).sum() <= 1.0 + tolerance / min(self.size))
            case "cylinder" | "cone":
                top = p if self.type == "cylinder" else s
                radius = p + (top - p) * (y[2] / q + 0.5)
                return bool(
                    abs(y[2]) <= 0.5 * q + tolerance and radial <= radius + 2.0 * tolerance * (1 + p / q)
                )
            case "box":
                return bool((np.abs(y) <= 0.5 * np.array(self.size) + tolerance).all())
        body = BODIES[self.hull - SMALL[0]]
        return all(n @ y <= n @ body.vertices[f[0]] + tolerance for n, f in zip(body.normals, body.faces))

    @property
    def known_to_coal(self) -> bool:
        """Polyhedra are another test's, and it has no truncated cones."""
        return self.type != "convex" and not (self.type == "cone" and self.size[2] > 0.0)

    def coal(self) -> Any:
        p, q, _ = self.size
        match self.type:
            case "sphere":
                return coal.Sphere(p)
            case "capsule":
                return coal.Capsule(p, q)
            case "ellipsoid":
                return coal.Ellipsoid(*self.size)
            case "cylinder":
                return coal.Cylinder(p, q)
            case "cone":
                return coal.Cone(p, q)
            case "box":
                return coal.Box(*self.size)
        raise NotImplementedError


class Found(NamedTuple):
    x_a: Any  # (n, 3)
    x_b: Any
    normal: Any
    gap: Any  # (n,)
    feature: Any


def size_of(a: Solid, b: Solid) -> float:
    return sum(float(np.linalg.norm(one.size)) for one in (a, b) if one.type != "plane")


def find(a: Solid, b: Solid, margin: float = 10.0) -> Found:
    points, count = empty_points(), np.zeros(1, np.int64)
    row = lambda values: np.array(values, float).reshape(1, -1)
    touch(
        vector_of(HULLS, points),
        TYPES.index(a.type), row(a.size), a.ball, int(a.hull), row(a.x), row(a.R),
        TYPES.index(b.type), row(b.size), b.ball, int(b.hull), row(b.x), row(b.R),
        size_of(a, b), float(margin), count,
    )  # fmt: skip
    n = int(count[0])
    return Found(*(np.array(array[:n]) for array in points))


def separation(a: Solid, b: Solid, n: Any) -> float:
    """How far two shapes are apart along the unit vector n from a to b."""
    return float(n @ (b.support(-n) - a.support(n)))


def best_separation(a: Solid, b: Solid, n: Any, tries: int, rng: Any) -> float:
    """The largest separation near n: by Nelder and Mead's method over two angles."""
    e = np.linalg.svd(np.asarray(n)[None])[2][1:]

    def loss(u: Any) -> float:
        d = n + u @ e
        return -separation(a, b, d / np.linalg.norm(d))

    starts = [np.zeros(2), *rng.uniform(-0.3, 0.3, (tries, 2))]
    options = {"xatol": 1e-10, "fatol": 1e-15, "maxiter": 400}
    return max(-minimize(loss, u, method="Nelder-Mead", options=options).fun for u in starts)


def random_solid(type: str, rng: Any, spread: float) -> Solid:
    size = rng.uniform(0.1, 0.5, 3)
    if type == "cone" and rng.random() < 0.4:
        size[2] = 0.0
    hull = int(rng.choice(SMALL)) if type == "convex" else 0
    R = Rotation.random(random_state=rng).as_matrix()
    return Solid(type, size, rng.uniform(-spread, spread, 3), R, hull)
