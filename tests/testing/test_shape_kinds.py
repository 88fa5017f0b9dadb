"""Shapes that collide: the kit passes what is right, and names what is wrong in each planted fault."""

from __future__ import annotations

from math import nan, pi, sqrt
from typing import Any

import numpy as np
import pytest
import trimesh
from mbplugin_contact.round_shapes import ROUND_SHAPES, CylinderKind
from mbplugin_contact.shapes import BoxKind, CapsuleKind, ConvexKind, PlaneKind, SphereKind
from mbplugin_ellipsoid import Ellipsoid, farthest, nearest
from refusals import refused

from mbplugin.interface import (
    MassProperties,
    Parameters,
    Positive,
    ShapeKind,
    internal,
    put_corner,
    put_point,
)
from mbplugin.math.vec3 import add, dot, norm, rotate, rotate_back, scale, sub
from mbplugin.testing import check_shape, shape_pairs

WITHIN = "reads and writes within its arrays"


def failed(kind: Any) -> dict[str, str]:
    """What fails, with the notes."""
    return {check.what: check.note for check in check_shape(kind).checks if not check.ok}


@pytest.mark.slow
def test_an_ellipsoid_of_a_third_party_conforms():
    report = check_shape(Ellipsoid)
    assert report.ok, f"\n{report}"
    assert len(report.checks) == 19


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SphereKind, CapsuleKind, BoxKind, ConvexKind, PlaneKind, *ROUND_SHAPES])
def test_the_shapes_of_the_engine_conform(kind):
    # a half-space is touched by the others, and has nothing to be checked by itself
    report, of_kind = check_shape(kind), 16 if kind.face is not None else 10
    assert report.ok == kind.bounded, f"\n{report}"
    assert len(report.checks) == (of_kind + 9 * len(kind.pairs) if kind.bounded else 0)


FLAT = "faces and lines are as far out as the shape is along their normal"
TURNED = "corners turn counter-clockwise seen from outside"


def side_on_axis(face, a, d):
    """The axis of a cylinder, without the balls that reach its side."""
    x, y, s = d[0], d[1], sqrt(d[0] * d[0] + d[1] * d[1])
    put_corner(face, 0, (0.0, 0.0, -0.5 * a.p[1]), 0.0, 0)
    put_corner(face, 1, (0.0, 0.0, 0.5 * a.p[1]), 0.0, 1)
    return 2, (x / s, y / s, 0.0) if s > 0.0 else (1.0, 0.0, 0.0)


def clockwise(face, a, d):
    """A square in the upper end of a cylinder, turned the wrong way."""
    put_corner(face, 0, (a.p[0], 0.0, 0.5 * a.p[1]), 0.0, 0)
    put_corner(face, 1, (0.0, -a.p[0], 0.5 * a.p[1]), 0.0, 1)
    put_corner(face, 2, (-a.p[0], 0.0, 0.5 * a.p[1]), 0.0, 2)
    return 3, (0.0, 0.0, 1.0)


@pytest.mark.parametrize("face, what", [(side_on_axis, FLAT), (clockwise, TURNED)])
def test_a_wrong_face_is_named(face, what):
    kind = type("Planted", (CylinderKind,), {"face": staticmethod(face)})
    assert what in failed(kind)


right = internal(farthest)


def shape(**changed: Any) -> type[ShapeKind]:
    """An ellipsoid with a fault in the functions of one shape."""
    changed = {name: staticmethod(f) if name == "support" else classmethod(f) for name, f in changed.items()}
    return type("Planted", (Ellipsoid,), {"pairs": {}, **changed})


def backwards(e, d):
    """In the wrong direction."""
    p, k = right(e, d)
    return (-p[0], -p[1], -p[2]), k


def along(e, d):
    """a d / |d|, which is on the surface, but not the farthest point."""
    s = norm(d)
    return (e.p[0] * d[0] / s, e.p[1] * d[1] / s, e.p[2] * d[2] / s), 0


def in_the_world(e, d):
    """The direction taken for one of the world."""
    return right(e, rotate_back(e.R, d))


def longer(e, d):
    """a² d / |d|, which is not on the surface."""
    s = norm(d)
    return (e.p[0] ** 2 * d[0] / s, e.p[1] ** 2 * d[1] / s, e.p[2] ** 2 * d[2] / s), 0


def linear(e, d):
    """a² d: not divided by |a d|."""
    return (e.p[0] ** 2 * d[0], e.p[1] ** 2 * d[1], e.p[2] ** 2 * d[2]), 0


def half(e, d):
    p, k = right(e, d)
    return scale(0.5, p), k


def fourth(e, d):
    """Reads a fourth number of three."""
    p, k = right(e, d)
    return scale(1.0 + 0.0 * e.p[3], p), k


def of_python(e, d):
    """Calls what numba does not know."""
    return farthest(e, d)


def undefined(e, d):
    p, k = right(e, d)
    return (p[0], p[1], nan), k


def hollow(cls, keys):
    volume, centre, inertia = Ellipsoid.mass_properties(keys)
    return MassProperties(volume, centre, 5.0 / 3.0 * inertia)


def axes_swapped(cls, keys):
    volume, centre, inertia = Ellipsoid.mass_properties(keys)
    return MassProperties(volume, centre, np.diag(np.diag(inertia)[[1, 0, 2]]))


def off_centre(cls, keys):
    volume, _, inertia = Ellipsoid.mass_properties(keys)
    return MassProperties(volume, np.array([0.0, 0.0, keys.c]), inertia)


def without_factor(cls, keys):
    _, centre, inertia = Ellipsoid.mass_properties(keys)
    return MassProperties(pi * keys.a * keys.b * keys.c, centre, inertia)


def doubled(cls, keys):
    points, triangles = Ellipsoid.surface(keys)
    return 2.0 * points, triangles


def inside_out(cls, keys):
    points, triangles = Ellipsoid.surface(keys)
    return points, triangles[:, ::-1]


FARTHEST = "no point of another direction is farther along d"
REACH = "it reaches as far as its surface"
HELD = "its surface lies within its radius"
VOLUME, INERTIA = "volume = that of its surface", "inertia = that of its surface"


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (shape(support=backwards), FARTHEST),
        (shape(support=along), FARTHEST),
        (shape(support=longer), FARTHEST),
        (shape(support=linear), "the length of d does not matter"),
        (shape(support=half), REACH),
        (shape(support=fourth), WITHIN),
        (shape(support=undefined), FARTHEST),
        (shape(support=of_python), "numba can compile it"),
        (shape(radius=lambda cls, keys: keys.c), HELD),
        (shape(radius=lambda cls, keys: keys.c), "its points lie within its radius"),
        (shape(mass_properties=without_factor), VOLUME),
        (shape(mass_properties=hollow), INERTIA),
        (shape(mass_properties=axes_swapped), INERTIA),
        (shape(mass_properties=off_centre), "centroid = that of its surface"),
        (shape(surface=doubled), HELD),
        (shape(surface=doubled), REACH),
        (shape(surface=inside_out), VOLUME),
        (shape(support=in_the_world), "its support function does not read where it is"),
        (shape(rounding=lambda cls, keys: 0.1), REACH),
        (type("Planted", (Ellipsoid,), {"pairs": {}, "support": None}), "it can touch others"),
    ],
)
def test_a_fault_in_a_shape_is_found(kind, what):
    found = failed(kind)
    assert what in found, found


@internal
def ends(e, s):
    """Of an ellipsoid and a sphere: the point on the ellipsoid, the normal, the gap."""
    x = nearest(e.p, rotate_back(e.R, sub(s.x, e.x)))
    n = (x[0] / e.p[0] ** 2, x[1] / e.p[1] ** 2, x[2] / e.p[2] ** 2)
    n = rotate(e.R, scale(1.0 / norm(n), n))
    on_a = add(e.x, rotate(e.R, x))
    return on_a, n, dot(n, sub(s.x, on_a)) - s.p[0]


def reversed_normal(points, e, s, margin):
    x, n, gap = ends(e, s)
    if not gap < margin:
        return 0
    return put_point(points, 0, x, add(x, scale(gap, n)), scale(-1.0, n), gap, 0)


def from_b_to_a(points, e, s, margin):
    x, n, gap = ends(e, s)
    if not gap < margin:
        return 0
    return put_point(points, 0, add(x, scale(gap, n)), x, scale(-1.0, n), gap, 0)


def without_radius(points, e, s, margin):
    x, n, gap = ends(e, s)
    gap += s.p[0]
    if not gap < margin:
        return 0
    return put_point(points, 0, x, add(x, scale(gap, n)), n, gap, 0)


def in_the_frame_of_the_shape(points, e, s, margin):
    x, n, gap = ends(e, s)
    if not gap < margin:
        return 0
    x = rotate_back(e.R, sub(x, e.x))
    return put_point(points, 0, x, add(x, scale(gap, n)), n, gap, 0)


def exchanged(points, e, s, margin):
    x, n, gap = ends(e, s)
    if not gap < margin:
        return 0
    return put_point(points, 0, add(x, scale(gap, n)), x, n, gap, 0)


def beyond(points, e, s, margin):
    x, n, gap = ends(e, s)
    return put_point(points, 0, x, add(x, scale(gap, n)), n, gap, 0)


def too_late(points, e, s, margin):
    """Found only when they overlap."""
    x, n, gap = ends(e, s)
    if not gap < min(margin, 0.0):
        return 0
    return put_point(points, 0, x, add(x, scale(gap, n)), n, gap, 0)


def in_the_ninth_place(points, e, s, margin):
    x, n, gap = ends(e, s)
    if not gap < margin:
        return 0
    put_point(points, 0, x, add(x, scale(gap, n)), n, gap, 0)
    put_point(points, 8, x, add(x, scale(gap, n)), n, gap, 0)
    return 1


def nine(points, e, s, margin):
    x, n, gap = ends(e, s)
    if not gap < margin:
        return 0
    return put_point(points, 8, x, add(x, scale(gap, n)), n, gap, 0)


def one_of_two(points, e, s, margin):
    x, n, gap = ends(e, s)
    if not gap < margin:
        return 0
    return 1 + put_point(points, 0, x, add(x, scale(gap, n)), n, gap, 0)


def twice_as_long(points, e, s, margin):
    """A normal of length 2."""
    x, n, gap = ends(e, s)
    if not gap < margin:
        return 0
    return put_point(points, 0, x, add(x, scale(gap, n)), scale(2.0, n), 0.5 * gap, 0)


def between_centres(points, e, s, margin):
    """Along the line of centres, which is the normal of spheres only."""
    d = sub(s.x, e.x)
    n = scale(1.0 / norm(d), d)
    p = rotate_back(e.R, n)
    p = (e.p[0] * p[0], e.p[1] * p[1], e.p[2] * p[2])
    on_a = scale(1.0 / norm(p), (e.p[0] * p[0], e.p[1] * p[1], e.p[2] * p[2]))
    x = add(e.x, rotate(e.R, on_a))
    gap = dot(n, sub(s.x, x)) - s.p[0]
    if not gap < margin:
        return 0
    return put_point(points, 0, x, add(x, scale(gap, n)), n, gap, 0)


def not_turned(points, e, s, margin):
    """As if the axes were those of the world."""
    x = nearest(e.p, sub(s.x, e.x))
    n = (x[0] / e.p[0] ** 2, x[1] / e.p[1] ** 2, x[2] / e.p[2] ** 2)
    n = scale(1.0 / norm(n), n)
    gap = dot(n, sub(s.x, add(e.x, x))) - s.p[0]
    if not gap < margin:
        return 0
    return put_point(points, 0, add(e.x, x), add(e.x, add(x, scale(gap, n))), n, gap, 0)


def no_number(points, e, s, margin):
    x, n, gap = ends(e, s)
    if not gap < margin:
        return 0
    return put_point(points, 0, x, add(x, scale(gap, n)), (n[0], n[1], nan), gap, 0)


def second_number_of_a_sphere(points, e, s, margin):
    """A sphere has three numbers, and reads of a fourth."""
    x, n, gap = ends(e, s)
    if not gap - s.p[3] < margin:
        return 0
    return put_point(points, 0, x, add(x, scale(gap, n)), n, gap, 0)


@pytest.mark.parametrize(
    ("pair", "what", "note"),
    [
        (reversed_normal, shape_pairs.ARROW, ""),
        (without_radius, shape_pairs.LEAST, ""),
        (beyond, shape_pairs.MARGIN, ""),
        (in_the_ninth_place, shape_pairs.WRITES, "it writes point 8; there are points 0 to 7"),
        (one_of_two, shape_pairs.WRITES, "it returns 2 points, but does not write all of point 1"),
        (between_centres, shape_pairs.BEST, ""),
        (not_turned, shape_pairs.MOVED, ""),
        (no_number, shape_pairs.UNIT, ""),
        (second_number_of_a_sphere, WITHIN, "index is out of bounds"),
        *(
            pytest.param(*fault, marks=pytest.mark.slow)
            for fault in (
                (from_b_to_a, shape_pairs.LEAST, ""),
                (in_the_frame_of_the_shape, shape_pairs.ON, ""),
                (exchanged, shape_pairs.ARROW, ""),
                (too_late, shape_pairs.MARGIN, ""),
                (nine, shape_pairs.WRITES, "it returns 9 points; there may be 0 to 8"),
                (twice_as_long, shape_pairs.UNIT, ""),
            )
        ),
    ],
)
def test_a_fault_in_a_pair_of_shapes_is_found(pair, what, note):
    found = failed(type("Planted", (Ellipsoid,), {"pairs": {"sphere": pair}}))
    assert what in found, found
    assert note in found[what]


class RingKeys(Parameters):
    R: Positive
    r: Positive


def ring_and_sphere(points, a, s, margin):
    y = rotate_back(a.R, sub(s.x, a.x))
    k = a.p[0] / sqrt(y[0] * y[0] + y[1] * y[1])
    core = (k * y[0], k * y[1], 0.0)
    d = sub(y, core)
    n = scale(1.0 / norm(d), d)
    gap = norm(d) - a.p[1] - s.p[0]
    if not gap < margin:
        return 0
    x, n = add(a.x, rotate(a.R, add(core, scale(a.p[1], n)))), rotate(a.R, n)
    return put_point(points, 0, x, add(x, scale(gap, n)), n, gap, 0)


def core_and_sphere(points, a, s, margin):
    y = rotate_back(a.R, sub(s.x, a.x))
    k = a.p[0] / sqrt(y[0] * y[0] + y[1] * y[1])
    core = (k * y[0], k * y[1], 0.0)
    d = sub(y, core)
    gap = norm(d) - s.p[0]
    if not gap < margin:
        return 0
    x, n = add(a.x, rotate(a.R, core)), rotate(a.R, scale(1.0 / norm(d), d))
    return put_point(points, 0, x, add(x, scale(gap, n)), n, gap, 0)


class Ring(ShapeKind):
    """A ring, which is not convex: it has no support function."""

    name = "planted_ring"
    parameters = RingKeys
    pairs = {"sphere": ring_and_sphere}
    examples = ({"R": 0.4, "r": 0.15},)

    @classmethod
    def numbers(cls, keys):
        return (keys.R, keys.r)

    @classmethod
    def radius(cls, keys):
        return keys.R + keys.r

    @classmethod
    def mass_properties(cls, keys):
        R2, r2 = keys.R**2, keys.r**2
        volume = 2.0 * pi**2 * keys.R * r2
        across, axial = 0.5 * R2 + 0.625 * r2, R2 + 0.75 * r2
        return MassProperties(volume, np.zeros(3), volume * np.diag([across, across, axial]))

    @classmethod
    def surface(cls, keys):
        mesh = trimesh.creation.torus(keys.R, keys.r)
        return mesh.vertices, mesh.faces


def test_a_shape_that_is_not_convex_is_compared_with_its_picture():
    report = check_shape(Ring)
    assert report.ok, f"\n{report}"
    assert shape_pairs.NEAR in {check.what for check in report.checks}
    # the circle in the middle of the ring, taken for the ring
    assert shape_pairs.NEAR in failed(type("Planted", (Ring,), {"pairs": {"sphere": core_and_sphere}}))


def test_a_pair_with_a_shape_that_nobody_offers_is_refused():
    with refused("", "sphre"):
        check_shape(type("Planted", (Ellipsoid,), {"pairs": {"sphre": ends}}))
