"""Shapes known by their support function alone: an ellipsoid against half-space, sphere and polyhedron."""

from typing import NamedTuple

import numpy as np
import pytest
from mbplugin_contact.geometry.face_pair import face_pair, face_plane
from mbplugin_contact.geometry.faces import no_face
from mbplugin_contact.geometry.hull_distance import hull_support
from mbplugin_contact.geometry.tables import Hulls
from pairs import Side, Tables, off_surface, some_hulls, vector_of
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from mbplugin.interface import ContactPoints, compiled_entry, empty_points, internal
from mbplugin.kernels.view import view
from mbplugin.math.vec3 import load, load_matrix

HULLS, BODIES, SMALL, _ = some_hulls()


@internal
def ellipsoid_support(shape, d):
    """`shape`: its half axes a; the point a² d / |a d|."""
    p = (shape[0] * d[0], shape[1] * d[1], shape[2] * d[2])
    s = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) ** 0.5
    return (shape[0] * p[0] / s, shape[1] * p[1] / s, shape[2] * p[2] / s), 0


@internal
def centre(shape, d):
    """The core of a sphere."""
    return (0.0, 0.0, 0.0), 0


ellipsoid_sphere = face_pair(ellipsoid_support, no_face, centre, no_face)
ellipsoid_ellipsoid = face_pair(ellipsoid_support, no_face, ellipsoid_support, no_face)
ellipsoid_hull = face_pair(ellipsoid_support, no_face, hull_support, no_face)
ellipsoid_plane = face_plane(ellipsoid_support, no_face)

SPHERE, ELLIPSOID, HULL, PLANE = range(4)


@compiled_entry()
def touch(tables, what, a, x_a, R_a, b, x_b, R_b, hull, margin, count):
    """Points of ellipsoids with half axes a and others, for rows of arrays."""
    arrays = view(tables, Tables)
    hulls = Hulls(arrays.index, arrays.vertex, arrays.normal, arrays.list, arrays.work, arrays.work_ints)
    points = ContactPoints(arrays.x_a, arrays.x_b, arrays.points_normal, arrays.gap, arrays.feature)
    p, q, x, y = load(a, 0), load(b, 0), load(x_a, 0), load(x_b, 0)
    R, Q = load_matrix(R_a, 0), load_matrix(R_b, 0)
    size = p[0] + p[1] + p[2] + q[0] + q[1] + q[2]
    if what == SPHERE:
        count[0] = ellipsoid_sphere(hulls, points, p, 0.0, x, R, (0.0,), q[0], y, Q, size, margin)
    elif what == ELLIPSOID:
        count[0] = ellipsoid_ellipsoid(hulls, points, p, 0.0, x, R, q, 0.0, y, Q, size, margin)
    elif what == HULL:
        shape = (hulls, hull, (1.0, 1.0, 1.0))
        count[0] = ellipsoid_hull(hulls, points, p, 0.0, x, R, shape, 0.0, y, Q, size, margin)
    else:
        count[0] = ellipsoid_plane(hulls, points, p, 0.0, x, R, y, Q, size, margin)


class Result(NamedTuple):
    count: int
    x_a: np.ndarray
    x_b: np.ndarray
    normal: np.ndarray
    gap: float


def nearest(what, a, x_a, R_a, b, x_b, R_b, hull=0, margin=10.0):
    points, count = empty_points(), np.zeros(1, np.int64)
    rows = [np.array(v, float).reshape(1, -1) for v in (a, x_a, R_a, b, x_b, R_b)]
    touch(vector_of(HULLS, points), what, *rows, int(hull), margin, count)
    return Result(int(count[0]), points.x_a[0], points.x_b[0], points.normal[0], float(points.gap[0]))


def poses(rng, spread):
    """Half axes, place and axes of two shapes."""
    R = Rotation.random(2, rng).as_matrix()
    a, b = rng.uniform(0.1, 0.5, (2, 3))
    return a, np.zeros(3), R[0], b, rng.uniform(-spread, spread, 3), R[1]


def distance_to_ellipsoid(a, y):
    """Distance of the point y from an ellipsoid along its axes, negative inside.

    The nearest point is a² y / (a² + t) with the largest t for which it is on the surface.
    """
    f = lambda t: ((a * y / (a * a + t)) ** 2).sum() - 1.0
    low, high = -((a * a).min()), a.max() * np.linalg.norm(y)
    t = brentq(f, low * (1.0 - 1e-15) + 1e-300, high + 1e-12, xtol=1e-17, rtol=1e-15, maxiter=1000)
    x = a * a * y / (a * a + t)
    return np.sign(f(0.0)) * np.linalg.norm(y - x)


@pytest.mark.parametrize("seed", range(40))
def test_an_ellipsoid_and_a_sphere_are_as_far_apart_as_the_centre_from_the_surface(seed):
    rng = np.random.default_rng(seed)
    for spread in (0.05, 0.3, 1.0):
        a, x, R, b, y, Q = poses(rng, spread)
        found = nearest(SPHERE, a, x, R, b, y, Q)
        assert found.count == 1
        assert found.gap == pytest.approx(distance_to_ellipsoid(a, R.T @ y) - b[0], abs=1e-9)
        assert ((R.T @ found.x_a / a) ** 2).sum() == pytest.approx(1.0, abs=1e-9)
        assert np.linalg.norm(found.x_b - y) == pytest.approx(b[0], abs=1e-9)
        assert found.x_b - found.x_a == pytest.approx(found.gap * found.normal, abs=1e-12)
        # the normal is that of the ellipsoid there
        m = R @ (R.T @ found.x_a / a**2)
        assert np.cross(m / np.linalg.norm(m), found.normal) == pytest.approx(np.zeros(3), abs=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_the_height_of_an_ellipsoid_over_a_half_space_is_its_support(seed):
    a, x, R, b, y, Q = poses(np.random.default_rng(seed), 0.5)
    up = Q[:, 2]
    found = nearest(PLANE, a, x, R, b, y, Q)
    assert found.gap == pytest.approx(up @ (x - y) - np.linalg.norm(a * (R.T @ up)), abs=1e-15)
    assert found.normal == pytest.approx(-up, abs=1e-15)
    assert ((R.T @ found.x_a / a) ** 2).sum() == pytest.approx(1.0, abs=1e-14)
    assert up @ (found.x_b - y) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("seed", range(40))
def test_surfaces_of_two_ellipsoids_are_parallel_where_they_are_nearest(seed):
    rng = np.random.default_rng(seed)
    for spread in (0.2, 1.0):
        a, x, R, b, y, Q = poses(rng, spread)
        found = nearest(ELLIPSOID, a, x, R, b, y, Q)
        extent = np.linalg.norm(a * (R.T @ found.normal)) + np.linalg.norm(b * (Q.T @ found.normal))
        assert found.normal @ (y - x) - extent == pytest.approx(found.gap, abs=1e-12)
        for p, centre, axes, half, sign in ((found.x_a, x, R, a, 1.0), (found.x_b, y, Q, b, -1.0)):
            local = axes.T @ (p - centre)
            assert ((local / half) ** 2).sum() == pytest.approx(1.0, abs=1e-9)
            m = axes @ (local / half**2)
            assert m / np.linalg.norm(m) == pytest.approx(sign * found.normal, abs=1e-7)


@pytest.mark.parametrize("seed", range(40))
def test_an_ellipsoid_and_a_polyhedron_touch_in_points_of_both(seed):
    rng = np.random.default_rng(seed)
    a, x, R, b, y, Q = poses(rng, 0.8)
    hull = rng.choice(SMALL)
    found = nearest(HULL, a, x, R, b, y, Q, hull)
    other = Side("convex", np.zeros((1, 3)), np.array([hull]), y[None], Q.reshape(1, 9))
    # the points are combinations of support points, which lie on a face but inside the ellipsoid
    assert off_surface(other, 0, found.x_b[None], BODIES) == pytest.approx([0.0], abs=1e-7)
    assert ((R.T @ found.x_a / a) ** 2).sum() == pytest.approx(1.0, abs=1e-6)
    # apart along the normal by the gap, which for separated bodies proves the distance
    vertices = BODIES[hull - SMALL[0]].vertices @ Q.T + y
    extent = (vertices @ found.normal).min() - found.normal @ x - np.linalg.norm(a * (R.T @ found.normal))
    assert extent == pytest.approx(found.gap, abs=1e-9)


def test_beyond_the_margin_there_is_no_point():
    a, x, R, b, _, Q = poses(np.random.default_rng(0), 1.0)
    assert nearest(SPHERE, a, x, R, b, (5.0, 0.0, 0.0), Q, margin=1.0).count == 0
