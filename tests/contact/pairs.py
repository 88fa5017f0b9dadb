"""Many pairs of shapes through the compiled `collide`, and the same pairs for coal."""

from typing import Any, NamedTuple

import coal
import numpy as np
from collide import collide
from mbplugin_contact.geometry.hulls import hull_tables, polyhedron
from mbplugin_contact.geometry.tables import FIRST_HULL, HullRecord, Hulls
from scipy.spatial.transform import Rotation

from mbplugin.interface import MAX_POINTS, ContactPoints, compiled_entry, empty_points
from mbplugin.kernels.view import TABLES, place_of, solver_tables, view
from mbplugin.math.vec3 import load, load_matrix
from mbplugin.stepping.arrays import Floats, Floats3, Ints, Records
from mbplugin.stepping.shapes import BOX_SHAPE, CAPSULE_SHAPE, CONVEX_SHAPE, PLANE_SHAPE, SPHERE_SHAPE

TYPES = {
    "sphere": SPHERE_SHAPE,
    "box": BOX_SHAPE,
    "capsule": CAPSULE_SHAPE,
    "plane": PLANE_SHAPE,
    "convex": CONVEX_SHAPE,
    "large": CONVEX_SHAPE,
}


@solver_tables
class Tables(NamedTuple):
    """The arrays of `Hulls` and `Points`, as a solver has them."""

    index: Records[HullRecord]
    vertex: Floats3
    normal: Floats3
    list: Ints
    work: Floats3
    work_ints: Ints
    x_a: Floats3
    x_b: Floats3
    points_normal: Floats3
    gap: Floats
    feature: Ints


def vector_of(hulls, points):
    """The vector of addresses of a problem that has nothing but these arrays."""
    vector = np.zeros(2 * TABLES, np.int64)
    for name, array in zip(Tables._fields, (*hulls, *points)):
        place = place_of(Tables, name)
        vector[place], vector[place + 1] = array.ctypes.data, len(array)
    return vector


@compiled_entry()
def collide_all(tables, types, size_a, hull_a, x_a, R_a, size_b, hull_b, x_b, R_b, margin, result):
    """`collide` for rows of arrays; `result`: count, x_a, x_b, normal, gap and feature of each row."""
    count, on_a, on_b, normal, gap, feature = result
    arrays = view(tables, Tables)
    hulls = Hulls(arrays.index, arrays.vertex, arrays.normal, arrays.list, arrays.work, arrays.work_ints)
    points = ContactPoints(arrays.x_a, arrays.x_b, arrays.points_normal, arrays.gap, arrays.feature)
    for k in range(x_a.shape[0]):
        n = collide(
            hulls,
            points,
            types[0],
            load(size_a, k),
            hull_a[k],
            load(x_a, k),
            load_matrix(R_a, k),
            types[1],
            load(size_b, k),
            hull_b[k],
            load(x_b, k),
            load_matrix(R_b, k),
            margin,
        )
        count[k] = n
        for i in range(n):
            for c in range(3):
                on_a[k, i, c], on_b[k, i, c] = points.x_a[i, c], points.x_b[i, c]
                normal[k, i, c] = points.normal[i, c]
            gap[k, i], feature[k, i] = points.gap[i], points.feature[i]


class Side(NamedTuple):
    """n shapes of one type."""

    type: str
    size: Any  # (n, 3)
    hull: Any  # (n,)
    x: Any  # (n, 3)
    R: Any  # (n, 9)


class Found(NamedTuple):
    count: Any  # (n,)
    x_a: Any  # (n, 8, 3)
    x_b: Any
    normal: Any
    gap: Any  # (n, 8)
    feature: Any

    def depth(self):
        """(n,) least gap of each pair; inf without points."""
        used = np.arange(MAX_POINTS) < self.count[:, None]
        return np.where(used, self.gap, np.inf).min(axis=1)


def find(hulls, a, b, margin):
    n = len(a.x)
    three = lambda: np.zeros((n, MAX_POINTS, 3))
    found = Found(
        np.zeros(n, np.int64),
        three(),
        three(),
        three(),
        np.zeros((n, MAX_POINTS)),
        np.zeros((n, MAX_POINTS), np.int64),
    )
    points = empty_points()
    tables = vector_of(hulls, points)
    collide_all(tables, (TYPES[a.type], TYPES[b.type]), *a[1:], *b[1:], float(margin), tuple(found))
    return found


def ball_points(rng, n):
    """n points on a sphere of radius 0.5."""
    p = rng.normal(size=(n, 3))
    return 0.5 * p / np.linalg.norm(p, axis=1)[:, None]


#: corners of a thin polyhedron, the last of `some_hulls`
THIN = np.array(
    [
        *([-0.033, -0.076, -0.057], [0.028, -0.087, 0.04], [-0.007, -0.1, -0.005], [0.029, -0.083, 0.048]),
        *([-0.075, 0.053, -0.039], [0.071, 0.025, -0.066], [-0.023, -0.097, 0.0]),
    ]
)


def some_hulls():
    """Tables of polyhedra, the polyhedra, and the numbers of the small and of the large ones."""
    rng = np.random.default_rng(7)
    wedge = np.array(
        [[x, y, z * (1.0 + 0.3 * x)] for x in (-0.4, 0.4) for y in (-0.3, 0.3) for z in (-0.2, 0.2)]
    )
    angles = 2.0 * np.pi * np.arange(16) / 16
    prism = np.array([[0.4 * np.cos(a), 0.4 * np.sin(a), z] for a in angles for z in (-0.3, 0.3)])
    octahedron = 0.5 * np.vstack([np.eye(3), -np.eye(3)])
    small = [wedge, octahedron, ball_points(rng, 9), ball_points(rng, 12) * [1.0, 0.5, 0.3]]
    large = [ball_points(rng, 60), ball_points(rng, 150) * [1.0, 0.6, 0.4], prism]
    bodies = [polyhedron(p) for p in [*small, *large, THIN]]
    numbers = FIRST_HULL + np.arange(len(small) + len(large))
    return hull_tables(bodies), bodies, numbers[: len(small)], numbers[len(small) :]


def random_side(type, n, rng, numbers, spread):
    """Shapes of a type at random places."""
    size = rng.uniform(0.3, 1.0, (n, 3))
    if type == "sphere":
        size = rng.uniform(0.1, 0.5, (n, 3))
    if type == "capsule":
        size = rng.uniform((0.05, 0.2, 0.0), (0.3, 1.0, 0.1), (n, 3))
    hull = rng.choice(numbers[type], n) if type in numbers else np.zeros(n, np.int64)
    R = Rotation.random(n, rng).as_matrix().reshape(n, 9)
    return Side(type, size, hull, rng.uniform(-spread, spread, (n, 3)), R)


class Oracle:
    """Signed distances by coal."""

    def __init__(self, bodies):
        self.hulls = [self.convex(body) for body in bodies]
        self.request = coal.DistanceRequest()
        self.request.enable_signed_distance = True
        self.request.gjk_tolerance = self.request.epa_tolerance = 1e-12
        self.request.gjk_max_iterations = self.request.epa_max_iterations = 1000

    @staticmethod
    def convex(body):
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for p in body.vertices:
            points.append(np.array(p))
        for t in body.triangles:
            triangles.append(coal.Triangle(*map(int, t)))
        return coal.Convex(points, triangles)

    def shape(self, side, k):
        """The shape of coal and its pose."""
        size, R, x = side.size[k], side.R[k].reshape(3, 3), side.x[k]
        match side.type:
            case "sphere":
                shape = coal.Sphere(size[0])
            case "box":
                shape = coal.Box(*size)
            case "capsule":
                shape = coal.Capsule(size[0], size[1])
            case "plane":
                shape = coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
            case _:
                shape = self.hulls[side.hull[k] - FIRST_HULL]
        return shape, coal.Transform3s(np.array(R), np.array(x))

    def distance(self, a, b):
        """(n,) distances, negative where they overlap."""
        distances = []
        for k in range(len(a.x)):
            result = coal.DistanceResult()
            distances.append(coal.distance(*self.shape(a, k), *self.shape(b, k), self.request, result))
        return np.array(distances)


def core(side, k, bodies):
    """Vertices of the core of a shape in the world, its radius, its vectors of edges and its face normals."""
    R, x, size = side.R[k].reshape(3, 3), side.x[k], side.size[k]
    none = np.zeros((0, 3))
    match side.type:
        case "sphere":
            return x[None], size[0], none, none
        case "capsule":
            ends = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * size[1]
            return ends @ R.T + x, size[0], R[:, 2][None], none
        case "box":
            corners = (np.indices((2, 2, 2)).reshape(3, 8).T - 0.5) * size
            return corners @ R.T + x, 0.0, R.T, np.vstack([R.T, -R.T])
    body = bodies[side.hull[k] - FIRST_HULL]
    edges = body.vertices[body.edges[:, 1]] - body.vertices[body.edges[:, 0]]
    return body.vertices @ R.T + x, 0.0, edges @ R.T, body.normals @ R.T


def separation(a, b, k, n, bodies):
    """How far pair k is apart along the unit vector n from a to b."""
    if b.type == "plane":
        up = b.R[k].reshape(3, 3)[:, 2]
        assert np.allclose(n, -up, atol=1e-15)
        points, r, *_ = core(a, k, bodies)
        return ((points - b.x[k]) @ up).min() - r
    p, r_a, *_ = core(a, k, bodies)
    q, r_b, *_ = core(b, k, bodies)
    return (q @ n).min() - (p @ n).max() - r_a - r_b


def depth_by_axes(a, b, k, bodies):
    """The largest separation along normals of faces and products of edges: exact where cores overlap."""
    p, r_a, e_a, n_a = core(a, k, bodies)
    q, r_b, e_b, n_b = core(b, k, bodies)
    crossed = np.cross(e_a[:, None], e_b[None]).reshape(-1, 3)
    length = np.linalg.norm(crossed, axis=1)
    crossed = crossed[length > 1e-7 * np.linalg.norm(e_a, axis=1).max(initial=0.0)]
    crossed /= np.linalg.norm(crossed, axis=1)[:, None]
    axes = np.vstack([n_a, -n_b, crossed, -crossed])
    return ((q @ axes.T).min(axis=0) - (p @ axes.T).max(axis=0)).max() - r_a - r_b


def off_surface(side, k, x, bodies):
    """How far the points x (m, 3) are outside the surface of a shape; exact near it."""
    y = (x - side.x[k]) @ side.R[k].reshape(3, 3)
    size = side.size[k]
    match side.type:
        case "sphere":
            return np.linalg.norm(y, axis=1) - size[0]
        case "capsule":
            along = np.clip(y[:, 2], -0.5 * size[1], 0.5 * size[1])
            return np.linalg.norm(y - along[:, None] * [0.0, 0.0, 1.0], axis=1) - size[0]
        case "box":
            return (np.abs(y) - 0.5 * size).max(axis=1)
        case "plane":
            return y[:, 2]
    body = bodies[side.hull[k] - FIRST_HULL]
    offsets = [n @ body.vertices[f[0]] for n, f in zip(body.normals, body.faces)]
    return (y @ body.normals.T - offsets).max(axis=1)
