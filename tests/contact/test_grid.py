"""Pairs of the grid against those of comparing all with all."""

import itertools
import time

import numpy as np
import pytest
from mbplugin_contact.geometry.grid import (
    DONE,
    HALF_SPACE,
    NO_ROOM,
    NOT_A_NUMBER,
    Grid,
    find_pairs,
    grid_arrays,
    set_box,
)
from mbplugin_contact.geometry.tables import FIRST_HULL, Hulls
from pairs import some_hulls
from scipy.spatial.transform import Rotation

from mbplugin.interface import compiled_entry
from mbplugin.math.vec3 import load, load_matrix
from mbplugin.stepping.shapes import BOX_SHAPE, CAPSULE_SHAPE, CONVEX_SHAPE, PLANE_SHAPE, SPHERE_SHAPE

HULLS, BODIES, SMALL, LARGE_HULLS = some_hulls()
#: a type behind those of the engine, known by its radius alone
OF_A_PLUGIN = 7


@compiled_entry()
def pairs_of_boxes(grid):
    return find_pairs(Grid(*grid))


@compiled_entry()
def boxes(grid, hulls, type, size, hull, x, R, margin):
    grid, hulls = Grid(*grid), Hulls(*hulls)
    for k in range(type.shape[0]):
        set_box(
            grid,
            hulls,
            k,
            type[k],
            size.ravel(),
            3 * k,
            size[k, 0],
            hull[k],
            load(x, k),
            load_matrix(R, k),
            margin,
        )


def grid_of(low, high, body=None, pairs=None):
    n = len(low)
    grid = grid_arrays(n, 40 * n if pairs is None else pairs)
    grid.low[:], grid.high[:] = low, high
    grid.body[:] = np.arange(n) if body is None else body
    return grid


def found(grid):
    assert pairs_of_boxes(tuple(grid)) == DONE
    return grid.pair[: 2 * grid.used[0]].reshape(-1, 2).tolist()


def all_pairs(low, high, body=None):
    """In order of i, then j."""
    both = (low[:, None] <= high[None]).all(axis=2)
    both &= both.T
    if body is not None:
        both &= body[:, None] != body[None]
    return np.argwhere(np.triu(both, 1)).tolist()


def spheres(n, rng, fill=0.55, radius=0.01):
    """Boxes of n spheres at random places of a cube, of which they fill this part."""
    edge = (n * 4.0 / 3.0 * np.pi * radius**3 / fill) ** (1.0 / 3.0)
    x = rng.uniform(0.0, edge, (n, 3))
    return x - radius, x + radius


def scene(name, n, rng):
    low, high = spheres(n, rng)
    if name == "far away":
        shift = np.zeros((n, 3))
        shift[: n // 4] = 1e9 * rng.normal(size=(n // 4, 3))
        shift[0] = 1e250
        return low + shift, high + shift
    if name == "equal places":
        return np.zeros((n, 3)), np.ones((n, 3))
    if name == "points":
        return np.round(10.0 * low), np.round(10.0 * low)
    if name == "mixed sizes":
        size = 10.0 ** rng.uniform(-3.0, 0.0, (n, 1))
        return low - size, high + size
    if name == "a floor and two walls":
        low[:3], high[:3] = -10.0, 10.0
        high[0, 2] = low[1, 0] = 0.0
    if name == "in a line":
        low[:, 1:], high[:, 1:] = 0.0, 1.0
    if name == "bricks":
        grid = np.stack(np.meshgrid(*map(np.arange, (20, 3, 10))), axis=-1).reshape(-1, 3)[:n]
        return grid * [0.25, 0.12, 0.06], (grid + 1) * [0.25, 0.12, 0.06]
    return low, high


@pytest.mark.parametrize("n", [1, 2, 24, 25, 300])
@pytest.mark.parametrize(
    "name",
    [
        "spheres",
        "far away",
        "equal places",
        "points",
        "mixed sizes",
        "a floor and two walls",
        "in a line",
        "bricks",
    ],
)
def test_pairs_are_those_of_comparing_all_with_all_and_in_order(name, n):
    rng = np.random.default_rng(n)
    low, high = scene(name, max(n, 3), rng)
    assert found(grid_of(low, high, pairs=len(low) ** 2)) == all_pairs(low, high)


def test_shapes_of_one_body_are_no_pair():
    rng = np.random.default_rng(1)
    low, high = spheres(400, rng)
    body = rng.integers(-1, 100, 400)
    assert found(grid_of(low, high, body)) == all_pairs(low, high, body)


@pytest.mark.parametrize("others", [1, 5, 40])
def test_many_shapes_of_one_body_meet_the_same_others(others):
    """Two bodies of many points, which meet in part, and others of one shape each, some with a half-space."""
    rng = np.random.default_rng(others)
    for shift in (0.0, 0.5, 0.9, 2.0):
        points = rng.uniform(0.0, 1.0, (300, 3))
        points[150:] += [shift, 0.0, 0.0]
        x = rng.uniform(-0.5, 2.0, (others, 3))
        low, high = np.vstack([points - 0.01, x - 0.1]), np.vstack([points + 0.01, x + 0.1])
        body = np.concatenate([np.repeat([0, 1], 150), 2 + np.arange(others)])
        order = np.concatenate([np.arange(150, 300), 300 + np.arange(others), np.arange(150)])
        low, high, body = low[order], high[order], body[order]
        assert found(grid_of(low, high, body, pairs=len(body) ** 2)) == all_pairs(low, high, body)
        grid = grid_of(low, high, body, pairs=len(body) ** 2)
        plane = 150
        grid.rank[plane], grid.low[plane], grid.high[plane] = HALF_SPACE, [0.0, 0.0, 0.5], [0.0, 0.0, 1.0]
        reached = {(min(k, plane), max(k, plane)) for k in range(len(body)) if low[k, 2] <= 0.5} - {
            (plane, plane)
        }
        rest = {tuple(p) for p in all_pairs(low, high, body) if plane not in p}
        assert {tuple(p) for p in found(grid)} == rest | reached


@pytest.mark.parametrize("across", range(3))
def test_pairs_of_a_wall_are_those_of_comparing_all_with_all_wherever_it_stands(across):
    """Twenty by fifteen bricks, moved along each axis by parts of a brick."""
    place = np.roll(np.stack(np.meshgrid(range(20), [0], range(15)), axis=-1).reshape(-1, 3), across, axis=1)
    size = np.roll([0.25, 0.12, 0.06], across)
    for shift, axis in itertools.product(np.linspace(-0.3, 0.3, 15), np.eye(3)):
        low, high = place * size + shift * axis, (place + 1) * size + shift * axis
        assert found(grid_of(low, high)) == all_pairs(low, high)


def test_pairs_do_not_depend_on_what_was_found_before():
    rng = np.random.default_rng(2)
    low, high = spheres(300, rng)
    grid = grid_of(low, high)
    first = found(grid)
    grid.low[:], grid.high[:] = scene("mixed sizes", 300, rng)
    pairs_of_boxes(tuple(grid))
    grid.low[:], grid.high[:] = low, high
    assert found(grid) == first


def test_a_half_space_meets_what_reaches_below_its_plane():
    rng = np.random.default_rng(3)
    n = 200
    type = rng.choice([SPHERE_SHAPE, BOX_SHAPE, CAPSULE_SHAPE, CONVEX_SHAPE, OF_A_PLUGIN], n)
    type[[5, 120]] = PLANE_SHAPE
    size, x = rng.uniform(0.1, 0.4, (n, 3)), rng.uniform(-1.0, 1.0, (n, 3))
    R = Rotation.random(n, rng).as_matrix()
    hull = rng.choice(SMALL, n)
    margin = 0.05
    grid = grid_arrays(n, n * n)
    grid.body[:] = np.arange(n)
    boxes(tuple(grid), tuple(HULLS), type, size, hull, x, R.reshape(n, 9), margin)
    pairs = {tuple(p) for p in found(grid)}
    for plane in (5, 120):
        for k in range(n):
            if k in (5, 120):
                assert (5, 120) not in pairs
                continue
            corners = box_corners(type[k], size[k], R[k], x[k], hull[k], margin)
            reaches = (corners - x[plane]) @ R[plane][:, 2] <= margin
            assert ((min(k, plane), max(k, plane)) in pairs) == bool(reaches.any())
    assert (grid.rank[[5, 120]] == HALF_SPACE).all()


def box_corners(type, size, R, x, hull, margin):
    """Corners of the box along the world's axes, from points of the shape."""
    if type in (SPHERE_SHAPE, OF_A_PLUGIN):
        points, r = np.zeros((1, 3)), size[0]
    elif type == CAPSULE_SHAPE:
        points, r = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * size[1], size[0]
    elif type == BOX_SHAPE:
        points, r = (np.indices((2, 2, 2)).reshape(3, 8).T - 0.5) * size, 0.0
    else:
        points, r = BODIES[hull - FIRST_HULL].vertices, 0.0
    points = points @ R.T + x
    ends = points.min(axis=0) - r - margin, points.max(axis=0) + r + margin
    return np.array([[ends[i][0], ends[j][1], ends[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def test_room_that_is_wanted_is_told():
    low, high = spheres(500, np.random.default_rng(4))
    grid = grid_of(low, high, pairs=3)
    assert pairs_of_boxes(tuple(grid)) == NO_ROOM
    wanted = int(grid.used[1])
    assert grid.used[0] == 0 and wanted == len(all_pairs(low, high))
    assert len(found(grid_of(low, high, pairs=wanted))) == wanted


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_place_that_is_no_number_is_told(value):
    low, high = spheres(500, np.random.default_rng(5))
    low[77, 1] = high[77, 1] = value
    grid = grid_of(low, high)
    assert pairs_of_boxes(tuple(grid)) == NOT_A_NUMBER
    assert grid.used.tolist() == [0, 77]


def test_time_is_linear_in_the_number_of_shapes():
    pairs_of_boxes(tuple(grid_of(*spheres(100, np.random.default_rng(6)))))
    times = []
    for n in (4000, 32000):
        grid = tuple(grid_of(*spheres(n, np.random.default_rng(6))))
        spans = []
        for _ in range(7):
            start = time.process_time()
            pairs_of_boxes(grid)
            spans.append(time.process_time() - start)
        times.append(min(spans))
    # 1.0 is linear; the larger one leaves the caches
    assert np.log(times[1] / times[0]) / np.log(8.0) < 1.25
