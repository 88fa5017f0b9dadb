"""Points between round shapes and others: distances by coal, and separation by support functions anew."""

from __future__ import annotations

import coal
import numpy as np
import pytest
from round_pairs import THIN_HULL, Solid, best_separation, find, random_solid, separation
from scipy.spatial.transform import Rotation
from tiers import slow

PAIRS = [
    ("cylinder", "cylinder"), ("cylinder", "box"), ("cone", "convex"), ("cone", "cone"),
    ("ellipsoid", "cylinder"), ("capsule", "cone"), ("cylinder", "sphere"),
]  # fmt: skip
#: parts of the smallest size: overlap, and distance, at most
DEEP, FAR = 0.02, 0.05


def near(a, b, rng):
    """The shape b moved until it nearly touches a."""
    found = find(a, b)
    k = int(found.gap.argmin())
    least = min(z for z in (*a.size, *b.size) if z > 0.0)
    gap = 0.0 if rng.random() < 0.2 else rng.uniform(-DEEP, FAR) * least
    return b._replace(x=b.x + (gap - found.gap[k]) * found.normal[k])


def check(a, b, tries, rng):
    """Compare the points of two shapes with the support functions, and the distance with coal's."""
    found = find(a, b)
    k = int(found.gap.argmin())
    n, gap = found.normal[k], found.gap[k]
    assert separation(a, b, n) == pytest.approx(gap, abs=1e-8)
    assert best_separation(a, b, n, tries, rng) <= gap + 1e-8
    np.testing.assert_allclose(found.x_b - found.x_a, found.gap[:, None] * found.normal, atol=1e-12)
    if gap > 1e-4 and a.known_to_coal and b.known_to_coal:
        request = coal.DistanceRequest()
        request.gjk_tolerance, request.gjk_max_iterations = 1e-10, 1000
        pose = lambda one: coal.Transform3s(np.array(one.R), np.array(one.x, float))
        distance = coal.distance(a.coal(), pose(a), b.coal(), pose(b), request, coal.DistanceResult())
        assert distance == pytest.approx(gap, abs=1e-6)
    return all(a.inside(x, 1e-6) for x in found.x_a) and all(b.inside(x, 1e-6) for x in found.x_b)


@pytest.mark.parametrize("poses", [25, slow(10_000)])
@pytest.mark.parametrize("types", PAIRS, ids="-".join)
def test_points_of_random_poses_lie_on_both_and_no_direction_separates_them_more(types, poses):
    rng, outside = np.random.default_rng(11), 0
    for k in range(poses):
        a = random_solid(types[0], rng, 0.0)
        b = near(a, random_solid(types[1], rng, rng.choice([0.1, 0.3, 0.8])), rng)
        outside += not check(a, b, 0 if k % 10 else 1, rng)
    # a point of a rim beside a face may be that of a normal within rounding
    assert outside <= 0.002 * poses


def cylinder(x=(0.0, 0.0, 0.0), turned=(0.0, 0.0, 0.0), radius=0.2, length=0.3):
    R = Rotation.from_rotvec(turned).as_matrix()
    return Solid("cylinder", (radius, length, 0.0), np.array(x, float), R)


def test_a_cap_over_the_edge_of_another_touches_where_their_circles_cross():
    found = find(cylinder(), cylinder((0.1, 0.0, 0.3)))
    place = 0.5 * 0.1, np.sqrt(0.2**2 - 0.05**2)
    for y in (-place[1], place[1]):
        assert np.abs(found.x_a - [place[0], y, 0.15]).sum(axis=1).min() < 1e-12
    assert np.abs(found.gap).max() < 1e-15
    assert (np.hypot(found.x_a[:, 0], found.x_a[:, 1]) < 0.2 + 1e-12).all()
    assert (np.hypot(found.x_a[:, 0] - 0.1, found.x_a[:, 1]) < 0.2 + 1e-12).all()


def test_a_cap_over_the_edge_of_a_table_touches_where_the_edge_leaves_its_circle():
    table = Solid("box", (2.0, 2.0, 0.1), np.array([-1.0 + 0.05, 0.0, -0.2]))
    found = find(cylinder(), table)
    across = np.sqrt(0.2**2 - 0.05**2)
    for y in (-across, across):
        assert np.abs(found.x_a - [0.05, y, -0.15]).sum(axis=1).min() < 1e-12
    assert found.x_a[:, 0].max() < 0.05 + 1e-12


def test_parallel_rollers_touch_along_the_line_that_they_share():
    found = find(cylinder(), cylinder((0.4, 0.0, 0.1)))
    np.testing.assert_allclose(sorted(found.x_a[:, 2]), [-0.05, 0.15], atol=1e-12)
    np.testing.assert_allclose(found.gap, 0.0, atol=1e-15)
    np.testing.assert_allclose(found.normal, [[1, 0, 0]] * 2, atol=1e-15)


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-6, 0.01, 0.3])
def test_a_tilted_cylinder_over_a_plane_touches_at_the_lowest_point_of_its_rim(tilt):
    floor = Solid("plane", (1.0, 1.0, 0.0))
    turned = (
        Rotation.from_rotvec([0.0, 0.0, 0.7]).as_matrix() @ Rotation.from_rotvec([0, tilt, 0]).as_matrix()
    )
    found = find(Solid("cylinder", (0.2, 0.3, 0.0), np.array([0, 0, 0.2]), turned), floor)
    assert found.gap.min() == pytest.approx(0.2 - 0.15 * np.cos(tilt) - 0.2 * np.sin(tilt), abs=1e-15)
    if tilt > 1e-10:
        lowest = found.x_a[found.gap.argmin()]
        assert np.arctan2(lowest[1], lowest[0]) == pytest.approx(0.7, abs=1e-4)


@pytest.mark.parametrize("tilt", [1e-6, 0.01])
def test_a_tilted_cylinder_over_a_plane_touches_with_all_points_on_its_rim(tilt):
    floor = Solid("plane", (1.0, 1.0, 0.0))
    R = Rotation.from_rotvec([0.0, tilt, 0.0]).as_matrix()
    found = find(Solid("cylinder", (0.2, 0.3, 0.0), np.array([0, 0, 0.2]), R), floor)
    local = (found.x_a - [0, 0, 0.2]) @ R
    assert len(found.gap) == 8
    np.testing.assert_allclose(np.hypot(local[:, 0], local[:, 1]), 0.2, atol=1e-15)
    np.testing.assert_allclose(local[:, 2], -0.15, atol=1e-15)


def test_a_flat_polytope_does_not_turn_a_shallow_overlap_into_a_deep_one():
    """Of a cone and a thin polyhedron: of some depths rounding turns the first tetrahedron inside out."""
    q_a, q_b = [-0.252979, -0.793942, -0.09022, 0.545453], [0.101709, 0.063996, 0.14011, 0.982817]
    stone = Solid("convex", np.ones(3), np.zeros(3), Rotation.from_quat(q_a).as_matrix(), THIN_HULL)
    place, away = np.array([0.0076, -0.03554, 0.112995]), np.array([-0.17932, -0.483035, 0.857042])
    cone = Solid("cone", np.array([0.058, 0.062, 0.0]), place, Rotation.from_quat(q_b).as_matrix())
    gap = find(stone, cone).gap[0]
    for depth in np.linspace(0.0, 2e-5, 400):
        moved = cone._replace(x=place - (gap + depth) * away)
        for found in (find(stone, moved), find(moved, stone)):
            assert abs(found.gap.min() + depth) < 1e-9
