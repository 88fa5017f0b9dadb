"""Points between shapes against coal, against all separating axes, and where the answer is known."""

import itertools

import numpy as np
import pytest
from pairs import (
    MAX_POINTS,
    Oracle,
    Side,
    depth_by_axes,
    find,
    off_surface,
    random_side,
    separation,
    some_hulls,
)
from scipy.spatial.transform import Rotation

HULLS, BODIES, SMALL, LARGE = some_hulls()
NUMBERS = {"convex": SMALL, "large": LARGE}
ORACLE = Oracle(BODIES)
TYPES = ["sphere", "capsule", "box", "convex", "large", "plane"]
PAIRS = [p for p in itertools.combinations_with_replacement(TYPES, 2) if p != ("plane", "plane")]
#: those whose cores are polyhedra, points or segments, at least one of them with a volume
POLYHEDRAL = [p for p in PAIRS if p[1] != "plane" and p[1] in ("box", "convex", "large")]
AXES = Rotation.create_group("O").as_matrix()


def check_points(a, b, found, margin, tolerance=1e-12):
    """Gaps are below the margin; points are on both surfaces, as far apart as the gap along the normal;
    nothing is nearer along the normal than the lowest one.
    """
    for k in range(len(a.x)):
        m = found.count[k]
        if m == 0:
            continue
        n, gap = found.normal[k, :m], found.gap[k, :m]
        assert (gap < margin).all()
        assert np.allclose(np.linalg.norm(n, axis=1), 1.0, atol=1e-14)
        assert np.allclose(found.x_b[k, :m] - found.x_a[k, :m], gap[:, None] * n, atol=tolerance)
        low = gap.argmin()
        for side, x in ((a, found.x_a), (b, found.x_b)):
            off = off_surface(side, k, x[k, :m], BODIES)
            # clipping keeps what is outside by 1e-10 of the size
            assert abs(off[low]) < 1e-9 and off.max() < 1e-9
            # the higher end of a steep capsule is inside it
            assert side.type == "capsule" or off.min() > -1e-9
        assert separation(a, b, k, n[low], BODIES) == pytest.approx(gap[low], abs=1e-9)
        assert len(set(found.feature[k, :m].tolist())) == m


def compare_with_coal(pair, n, seed):
    rng = np.random.default_rng(seed)
    a, b = (random_side(type, n, rng, NUMBERS, 0.6) for type in pair)
    found = find(HULLS, a, b, 10.0)
    assert (found.count > 0).all()
    np.testing.assert_allclose(found.depth(), ORACLE.distance(a, b), rtol=0.0, atol=1e-9)
    return a, b, found


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_distance_and_depth_are_those_of_coal(pair):
    a, b, found = compare_with_coal(pair, 1000, 1)
    few = slice(0, 150)
    cut = lambda side: Side(side.type, *(x[few] for x in side[1:]))
    check_points(cut(a), cut(b), type(found)(*(x[few] for x in found)), 10.0)


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_distance_and_depth_of_very_many_pairs_are_those_of_coal(pair):
    compare_with_coal(pair, 100_000, 2)


def lattice_side(type, n, rng):
    """Shapes of few sizes at few places with few axes, so that they are often parallel, face on face, edge on
    edge, the same, and one in the middle of the other.
    """
    side = random_side(type, n, rng, NUMBERS, 0.6)
    turns = (
        AXES[rng.integers(0, 24, n)]
        @ Rotation.from_rotvec(np.array([0.0, 0.0, np.pi / 4.0]) * rng.integers(0, 2, (n, 1))).as_matrix()
    )
    size = rng.choice([0.25, 0.5], (n, 3))
    x = rng.choice([0.0, 0.0, 0.25, -0.25, 0.5, -0.5], (n, 3))
    return side._replace(size=size, x=x, R=turns.reshape(n, 9))


@pytest.mark.parametrize("n", [100, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_degenerate_pairs_have_exact_points(pair, n):
    rng = np.random.default_rng(3)
    a, b = (lattice_side(type, n, rng) for type in pair)
    found = find(HULLS, a, b, 10.0)
    assert (found.count > 0).all()
    check_points(a, b, found, 10.0)
    if pair in POLYHEDRAL:
        depth = found.depth()
        # two large ones have 200,000 axes
        for k in range(0, n, {0: 1, 1: 4, 2: 40}[pair.count("large")]):
            s = depth_by_axes(a, b, k, BODIES)
            if s < -radius(a, k) - radius(b, k) - 1e-9:
                assert depth[k] == pytest.approx(s, abs=1e-9)


def radius(side, k):
    """Of the ball about the core."""
    return side.size[k, 0] if side.type in ("sphere", "capsule") else 0.0


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_exchanged_shapes_give_the_same_points_from_the_other_side(pair):
    rng = np.random.default_rng(4)
    a, b = (random_side(type, 200, rng, NUMBERS, 0.4) for type in pair)
    one, other = find(HULLS, a, b, 0.1), find(HULLS, b, a, 0.1)
    assert ((one.count > 0) == (other.count > 0)).all()
    near = one.count > 0
    assert near.any()
    np.testing.assert_allclose(one.depth()[near], other.depth()[near], rtol=0.0, atol=1e-12)
    lowest = lambda f: np.array([f.normal[k, f.gap[k, : f.count[k]].argmin()] for k in np.nonzero(near)[0]])
    np.testing.assert_allclose(lowest(one), -lowest(other), rtol=0.0, atol=1e-6)


def side(type, size=(0.0, 0.0, 0.0), x=(0.0, 0.0, 0.0), R=None, hull=0):
    axes = np.eye(3) if R is None else np.asarray(R)
    return Side(
        type, np.array([size], float), np.array([hull]), np.array([x], float), np.array(axes).reshape(1, 9)
    )


def pair(a, b, margin=0.01):
    found = find(HULLS, a, b, margin)
    m = found.count[0]
    return found.x_a[0, :m], found.x_b[0, :m], found.normal[0, :m], found.gap[0, :m], found.feature[0, :m]


@pytest.mark.parametrize("size", [(1.0, 1.0, 1.0), (0.24, 0.115, 0.065), (3.0, 0.1, 7.0)])
@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_a_box_laid_on_a_plane_has_no_gap_and_its_four_corners(size, turn):
    R = Rotation.from_rotvec([0.0, 0.0, turn]).as_matrix()
    x_a, x_b, n, gap, _ = pair(side("box", size, (0.0, 0.0, 0.5 * size[2]), R), side("plane"))
    assert np.abs(gap).max() <= 1e-15 * max(size)
    assert (n == [0.0, 0.0, -1.0]).all()
    corners = {tuple(np.sign(p @ R)[:2]) for p in x_b}
    assert len(x_a) == 4 and corners == {(-1, -1), (-1, 1), (1, -1), (1, 1)}
    assert np.abs(x_b.sum(axis=0)).max() <= 1e-15 * max(size)


@pytest.mark.parametrize("size", [(1.0, 1.0, 1.0), (0.24, 0.115, 0.065), (3.0, 0.1, 7.0)])
@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_equal_boxes_laid_on_each_other_touch_in_their_corners(size, turn):
    R = Rotation.from_rotvec([0.0, 0.0, turn]).as_matrix()
    x_a, _, n, gap, feature = pair(side("box", size, (0, 0, 0), R), side("box", size, (0, 0, size[2]), R))
    assert np.abs(gap).max() <= 1e-15 * max(size)
    assert np.abs(n - [0.0, 0.0, 1.0]).max() <= 2e-16
    assert np.abs(np.sort(np.abs(x_a @ R), axis=0) - 0.5 * np.array(size)).max() <= 1e-15 * max(size)
    assert len(set(feature.tolist())) == 4


def test_bricks_in_a_bond_overlap_in_half_a_face():
    size = (0.24, 0.12, 0.06)
    x_a, _, _, gap, _ = pair(side("box", size), side("box", size, (0.12, 0.0, 0.06)))
    assert np.abs(gap).max() <= 1e-16
    assert sorted(map(tuple, x_a.round(12)[:, :2])) == [
        (0.0, -0.06),
        (0.0, 0.06),
        (0.12, -0.06),
        (0.12, 0.06),
    ]


def test_rounding_changes_neither_features_nor_normal_of_boxes_at_rest():
    """Tilts and shifts of a hundred billionth of the size."""
    rng = np.random.default_rng(5)
    size = (0.24, 0.12, 0.06)
    for x in ((0.0, 0.0, 0.06), (0.12, 0.0, 0.06), (0.05, 0.03, 0.06)):
        *_, known = pair(side("box", size), side("box", size, x))
        for _ in range(200):
            R = Rotation.from_rotvec(1e-11 * rng.normal(size=3)).as_matrix()
            shifted = np.array(x) + 1e-12 * rng.normal(size=3)
            _, _, n, _, feature = pair(side("box", size), side("box", size, shifted, R))
            assert sorted(feature.tolist()) == sorted(known.tolist())
            assert np.abs(n - [0.0, 0.0, 1.0]).max() < 1e-9


def test_features_stay_while_a_box_slides_and_turns_on_another():
    known = None
    for k in range(100):
        R = Rotation.from_rotvec([0.0, 0.0, 0.1 + 0.002 * k]).as_matrix()
        *_, feature = pair(side("box", (2, 2, 1)), side("box", (1, 1, 1), (0.003 * k, 0.001 * k, 1.0), R))
        known = feature.tolist() if known is None else known
        assert feature.tolist() == known


def test_crossed_edges_touch_in_one_point():
    up = Rotation.from_euler("x", 45, degrees=True).as_matrix()
    over = Rotation.from_euler("y", 45, degrees=True).as_matrix()
    x_a, _, n, gap, _ = pair(
        side("box", (1, 1, 1), (0, 0, 0), up), side("box", (1, 1, 1), (0, 0, np.sqrt(2.0) - 1e-3), over)
    )
    assert gap == pytest.approx([-1e-3], abs=1e-14)
    assert n == pytest.approx(np.array([[0.0, 0.0, 1.0]]), abs=1e-14)
    assert x_a == pytest.approx(np.array([[0.0, 0.0, np.sqrt(0.5)]]), abs=1e-14)


def test_an_overhanging_crossed_board_tilted_a_little_keeps_its_four_points():
    """The nearest axis is then that of two edges."""
    for tilt in (1e-12, 1e-9, 1e-6, 1e-4):
        R = Rotation.from_rotvec([tilt, 0.7 * tilt, 0.0]).as_matrix()
        x = (0.0, 0.0, 0.1)
        *_, gap, feature = pair(side("box", (1.0, 0.1, 0.1)), side("box", (0.1, 1.0, 0.1), x, R))
        assert len(gap) == 4 and len(set(feature.tolist())) == 4


def test_parallel_capsules_touch_where_their_cores_begin_and_end_to_overlap():
    x_a, _, n, gap, feature = pair(
        side("capsule", (0.1, 1.0, 0)), side("capsule", (0.2, 1.0, 0), (0.3, 0.0, 0.4))
    )
    assert gap == pytest.approx([0.0, 0.0], abs=1e-16)
    assert np.abs(n - [1.0, 0.0, 0.0]).max() <= 1e-15
    assert sorted(x_a[:, 2]) == pytest.approx([-0.1, 0.5], abs=1e-15)
    assert len(set(feature.tolist())) == 2


@pytest.mark.parametrize("type", ["box", "convex"])
def test_a_capsule_laid_on_a_face_touches_with_both_ends(type):
    """The prism of 16 sides has its upper face at z = 0.3."""
    R = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    below = side("box", (2.0, 2.0, 2.0)) if type == "box" else side("convex", hull=LARGE[2])
    z = 1.1 if type == "box" else 0.4
    *_, gap, _ = pair(side("capsule", (0.1, 0.4, 0.0), (0.0, 0.0, z), R), below)
    assert gap == pytest.approx([0.0, 0.0], abs=1e-16)


def test_sphere_in_the_middle_of_everything_is_pushed_out():
    for other, depth in (
        (side("sphere", (0.3, 0, 0)), 0.3),
        (side("capsule", (0.3, 1.0, 0)), 0.3),
        (side("box", (1.0, 0.6, 0.8)), 0.3),
        (side("convex", hull=SMALL[1]), 0.5 / np.sqrt(3.0)),
    ):
        *_, n, gap, _ = pair(side("sphere", (0.2, 0, 0)), other)
        assert gap == pytest.approx([-0.2 - depth], abs=1e-15)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("far", [1e3, 1e6])
def test_distance_far_from_the_origin_is_that_of_the_places(far):
    """Places are rounded to 1e-16 of their distance, and nothing more is lost."""
    rng = np.random.default_rng(6)
    for types in (("box", "box"), ("convex", "large"), ("capsule", "box")):
        a, b = (random_side(type, 100, rng, NUMBERS, 0.5) for type in types)
        here = find(HULLS, a, b, 10.0).depth()
        there = find(HULLS, a._replace(x=a.x + far), b._replace(x=b.x + far), 10.0).depth()
        np.testing.assert_allclose(here, there, rtol=0.0, atol=4e-16 * far)


def test_numbers_that_are_none_give_no_points_and_end():
    for types in PAIRS:
        rng = np.random.default_rng(7)
        a, b = (random_side(type, 3, rng, NUMBERS, 0.3) for type in types)
        a.x[0], b.R[1], a.size[2] = np.nan, np.nan, np.inf
        assert (find(HULLS, a, b, 0.1).count <= MAX_POINTS).all()


def test_no_points_beyond_the_margin():
    rng = np.random.default_rng(8)
    for types in PAIRS:
        a, b = (random_side(type, 300, rng, NUMBERS, 0.7) for type in types)
        all_of = find(HULLS, a, b, 10.0).depth()
        near = find(HULLS, a, b, 0.05)
        assert ((near.count > 0) == (all_of < 0.05)).all()
        np.testing.assert_allclose(near.depth()[near.count > 0], all_of[all_of < 0.05], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("shift", [0.0, 1e-13, -1e-13, 1e-9, -1e-9, 1e-6, -1e-6])
def test_prisms_of_sixteen_sides_stand_on_each_other_with_eight_points(shift):
    """The way of large polyhedra: GJK, EPA and the normal of a face."""
    hull = LARGE[2]
    *_, n, gap, feature = pair(
        side("convex", hull=hull), side("convex", x=(0.05, 0.02, 0.6 + shift), hull=hull)
    )
    assert gap == pytest.approx(np.full(8, shift), abs=2e-16)
    assert np.abs(n - [0.0, 0.0, 1.0]).max() <= 1e-15
    assert len(set(feature.tolist())) == 8
