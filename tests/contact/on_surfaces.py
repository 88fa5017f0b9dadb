"""Many places of a shape at one surface of triangles through the compiled functions, and what coal says."""

from typing import Any, NamedTuple

import coal
import numpy as np
from mbplugin_contact.geometry.hulls import hull_tables, polyhedron
from mbplugin_contact.geometry.tables import CUBE, FIRST_HULL, HullRecord, Hulls
from mbplugin_contact.triangles.cores import core_of, touch_core
from mbplugin_contact.triangles.descent import touch_surfaces
from mbplugin_contact.triangles.planes import touch_half_space
from mbplugin_contact.triangles.polyhedra import touch_polyhedron
from mbplugin_contact.triangles.surface import surface_of
from mbplugin_contact.triangles.tabled import triangle_tables
from mbplugin_contact.triangles.tables import SURFACE_POINTS, SurfaceRecord, Triangles
from mbplugin_contact.triangles.twos import Two

from mbplugin.interface import ContactPoints, PlacedShape, compiled_entry, empty_points
from mbplugin.kernels.view import TABLES, place_of, solver_tables, view
from mbplugin.math.vec3 import load, load_matrix
from mbplugin.stepping.arrays import Floats, Floats3, Ints, Records

AT_ORIGIN = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
SPHERE, CAPSULE, BOX, CONVEX, PLANE, SURFACE = range(6)
POINTS = [[0.1, 0.1, -0.1], [-0.1, 0.1, -0.05], [-0.1, -0.1, -0.1], [0.1, -0.1, -0.05], [0, 0.02, 0.15]]


@solver_tables
class Tables(NamedTuple):
    """The arrays of `Hulls`, `Triangles` and `ContactPoints`, as a solver has them."""

    index: Records[HullRecord]
    vertex: Floats3
    normal: Floats3
    list: Ints
    work: Floats3
    work_ints: Ints
    t_index: Records[SurfaceRecord]
    t_vertex: Floats3
    t_corner: Ints
    t_normal: Floats3
    t_plane: Ints
    t_both_sides: Ints
    t_across: Ints
    t_edge: Ints
    t_corner_first: Ints
    t_corner_list: Ints
    t_order: Ints
    t_low: Floats3
    t_high: Floats3
    t_work: Floats3
    t_work_ints: Ints
    t_home: Ints
    t_chain: Ints
    x_a: Floats3
    x_b: Floats3
    points_normal: Floats3
    gap: Floats
    feature: Ints
    next: Ints


@compiled_entry()
def touch_all(tables, kind, size, x, R, margin, result):
    """The points of the surface, at the origin, and a shape at all places."""
    count, on_a, on_b, normal, gap, feature = result
    v = view(tables, Tables)
    hulls = Hulls(v.index, v.vertex, v.normal, v.list, v.work, v.work_ints)
    T = Triangles(
        v.t_index, v.t_vertex, v.t_corner, v.t_normal, v.t_plane, v.t_both_sides, v.t_across, v.t_edge,
        v.t_corner_first, v.t_corner_list, v.t_order, v.t_low, v.t_high, v.t_work, v.t_work_ints, v.t_home,
        v.t_chain,
    )  # fmt: skip
    points = ContactPoints(v.x_a, v.x_b, v.points_normal, v.gap, v.feature)
    a, one = PlacedShape(0, 0, size, AT_ORIGIN[0], AT_ORIGIN[1]), (1.0, 1.0, 1.0)
    for k in range(x.shape[0]):
        b = PlacedShape(0, 0, size, load(x, k), load_matrix(R, k))
        if kind[0] <= 1:
            p, u = core_of(a, b, size[1])
            n = touch_core(T, hulls, 0, points, a.x, a.R, p, u, size[0], 1.0, margin)
        elif kind[0] == 2:
            n = touch_polyhedron(T, hulls, 0, points, a, b, 0, size, 1.0, margin)
        elif kind[0] == 3:
            n = touch_polyhedron(T, hulls, 0, points, a, b, 3, one, 1.0, margin)
        elif kind[0] == 5:
            two = Two(
                0, 1, a.x, a.R, b.x, b.R, 1.0, margin, 1.0, kind[1] == 1, points, v.next
            )  # fmt: skip
            n = min(touch_surfaces(T, hulls, two), points.gap.shape[0])
        else:
            n = touch_half_space(T, hulls, 0, points, a, b, 1.0, margin)
        count[k] = n
        for i in range(n):
            for c in range(3):
                on_a[k, i, c], on_b[k, i, c] = points.x_a[i, c], points.x_b[i, c]
                normal[k, i, c] = points.normal[i, c]
            gap[k, i], feature[k, i] = points.gap[i], points.feature[i]


assert (CUBE, FIRST_HULL) == (0, 3)


class Found(NamedTuple):
    count: Any  # (n,)
    x_a: Any  # (n, SURFACE_POINTS, 3)
    x_b: Any
    normal: Any
    gap: Any  # (n, SURFACE_POINTS)
    feature: Any

    def least(self):
        """(n,) least gap of each place; inf without points."""
        used = np.arange(SURFACE_POINTS) < self.count[:, None]
        return np.where(used, self.gap, np.inf).min(axis=1)


class Probe:
    """A surface, made once, at which shapes are placed."""

    def __init__(self, points, triangles, other=None):
        self.surface = surface_of(np.array(points, float), np.array(triangles))
        surfaces = [self.surface]
        if other is not None:  # a second surface, which is placed
            self.other = surface_of(np.array(other[0], float), np.array(other[1]))
            surfaces.append(self.other)
        self.hulls, self.T = hull_tables([polyhedron(POINTS)]), triangle_tables(surfaces)
        self.points = empty_points(SURFACE_POINTS)
        self.vector = np.zeros(2 * TABLES, np.int64)
        self.next = np.zeros(SURFACE_POINTS, np.int64)
        arrays = (*self.hulls, *self.T, *self.points, self.next)
        for name, array in zip(Tables._fields, arrays):
            place = place_of(Tables, name)
            self.vector[place], self.vector[place + 1] = array.ctypes.data, len(array)

    def find(self, kind, size, x, R, margin, deforms=0):
        """What touches at places x (n, 3) with axes R (n, 9)."""
        n = len(x)
        three = lambda: np.zeros((n, SURFACE_POINTS, 3))
        found = Found(
            np.zeros(n, np.int64), three(), three(), three(), np.zeros((n, SURFACE_POINTS)),
            np.zeros((n, SURFACE_POINTS), np.int64),
        )  # fmt: skip
        size = tuple(map(float, size))
        touch_all(
            self.vector, (kind, deforms), size, np.ascontiguousarray(x), np.ascontiguousarray(R),
            float(margin), tuple(found),
        )  # fmt: skip
        return found

    def holds(self, x):
        """Whether points x (n, 3) are inside the surface: its solid angle there is 4 π (A. Van Oosterom and
        J. Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125-126).
        """
        arms = self.surface.vertex[self.surface.corner][None] - x[:, None, None]
        lengths = np.linalg.norm(arms, axis=3)
        a, b, c = (arms[:, :, k] for k in range(3))
        volume = np.einsum("nti,nti->nt", a, np.cross(b, c))
        dots = [np.einsum("nti,nti->nt", arms[:, :, k], arms[:, :, (k + 1) % 3]) for k in range(3)]
        below = lengths.prod(axis=2) + sum(dots[k] * lengths[:, :, (k + 2) % 3] for k in range(3))
        return 2 * np.arctan2(volume, below).sum(axis=1) > 2 * np.pi

    def distances(self, kind, size, x, R):
        """(n,) distances by coal; 0 where they overlap."""
        mesh = of_coal(self.surface)
        if kind == SURFACE:
            shape = of_coal(self.other)
        elif kind == SPHERE:
            shape = coal.Sphere(size[0])
        elif kind == CAPSULE:
            shape = coal.Capsule(size[0], size[1])
        elif kind == BOX:
            shape = coal.Box(*size)
        else:
            body = polyhedron(POINTS)
            points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
            for p in body.vertices:
                points.append(np.array(p))
            for t in body.triangles:
                faces.append(coal.Triangle(*map(int, t)))
            shape = coal.Convex(points, faces)
        request = coal.DistanceRequest()
        request.gjk_tolerance, request.gjk_max_iterations = 1e-12, 1000
        request.rel_err = request.abs_err = 0.0
        distances = []
        for place, axes in zip(x, R):
            result = coal.DistanceResult()
            pose = coal.Transform3s(axes.reshape(3, 3).copy(), place.copy())
            distances.append(coal.distance(mesh, coal.Transform3s.Identity(), shape, pose, request, result))
        return np.maximum(distances, 0.0)


def of_coal(surface):
    """A surface as coal has it."""
    mesh = coal.BVHModelOBBRSS()
    mesh.beginModel(len(surface.corner), len(surface.vertex))
    vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for p in surface.vertex:
        vertices.append(np.array(p))
    for t in surface.corner.tolist():
        triangles.append(coal.Triangle(*t))
    mesh.addSubModel(vertices, triangles)
    mesh.endModel()
    return mesh


def subdivided(points, triangles, times):
    """Every triangle cut into four, `times` times."""
    points, triangles = np.array(points, float), np.array(triangles)
    for _ in range(times):
        a, b, c = (points[triangles[:, k]] for k in range(3))
        n = len(triangles)
        numbers = np.arange(6 * n).reshape(6, n)
        points = np.vstack([a, b, c, (a + b) / 2, (b + c) / 2, (c + a) / 2])
        parts = [(0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)]
        triangles = np.vstack([numbers[list(one)].T for one in parts])
    return points, triangles


def cube(edge, times=0):
    """A cube about the origin."""
    points = (np.indices((2, 2, 2)).reshape(3, 8).T - 0.5) * edge
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return subdivided(points, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], times)


def ring(inner, outer, height, n, times=0):
    """A ring about z: a washer of n sides."""
    angle = 2 * np.pi * np.arange(n) / n
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.vstack(
        [np.column_stack([r * circle, np.full(n, z)]) for r, z in
         ((outer, -height / 2), (outer, height / 2), (inner, height / 2), (inner, -height / 2))]
    )  # fmt: skip
    triangles = []
    for k in range(n):
        j = (k + 1) % n
        for c in range(4):
            a, b = c * n, (c + 1) % 4 * n
            triangles += [(a + k, a + j, b + j), (a + k, b + j, b + k)]
    return subdivided(points, triangles, times)


def flat(cells, edge):
    """A square of cells in the plane z = 0, cut along either diagonal in turn."""
    x = np.linspace(-edge / 2, edge / 2, cells + 1)
    points = [(a, b, 0.0) for b in x for a in x]
    triangles = []
    for j in range(cells):
        for i in range(cells):
            k = i + j * (cells + 1)
            up, right, far = k + cells + 1, k + 1, k + cells + 2
            pair = [(k, right, far), (k, far, up)] if (i + j) % 2 else [(k, right, up), (right, far, up)]
            triangles += pair
    return np.array(points), np.array(triangles)
