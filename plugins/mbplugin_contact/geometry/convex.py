"""Two convex polyhedra.

Small ones: the axis on which they are farthest apart or overlap least, among the normals of all faces and the
cross products of all edges whose arcs on the Gauss map cross, since the other edges make no face of the
difference (D. Gregorius, Game Developers Conference 2013). Large ones: GJK, EPA if they overlap, and the
normal of a face of either if it is that within rounding. Points are then where the supporting faces lie
opposite each other.
"""

from __future__ import annotations

from mbplugin.interface import MAX_POINTS
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import (
    add,
    cross,
    dot,
    load,
    norm,
    product_back,
    rotate,
    rotate_back,
    scale,
    store,
    sub,
)
from mbplugin_contact.geometry.clipping import manifold
from mbplugin_contact.geometry.epa import FAILED
from mbplugin_contact.geometry.gjk import APART, BEYOND, lowest_id
from mbplugin_contact.geometry.hull_distance import hull_epa, hull_gjk
from mbplugin_contact.geometry.simplex import nearest_along
from mbplugin_contact.geometry.tables import (
    ALONG,
    MOVED_NORMAL,
    MOVED_VERTEX,
    SIMPLEX_ID_A,
    SIMPLEX_ID_B,
    TINY,
    crossing,
    edge_name,
    face_offset,
    facing,
    hull_normal,
    hull_vertex,
    support_vertex,
    witness,
)

#: pairs of edges up to which all axes are tried
FEW = 1600


@internal
def size_of(hulls, hull, size):
    """Radius of a sphere that holds the polyhedron."""
    return hulls.index[hull].radius * max(max(size[0], size[1]), size[2])


@internal
def centre_of(hulls, hull, size):
    record = hulls.index[hull]
    return (size[0] * record.x, size[1] * record.y, size[2] * record.z)


@internal
def face_axes(hulls, hull_a, size_a, hull_b, size_b, t, R, margin):
    """The face of A over which B is highest: the height and the face."""
    best, face = -1e300, 0
    v = 0
    for f in range(hulls.index[hull_a].faces):
        n = hull_normal(hulls, hull_a, f)
        d = scale(-1.0, rotate_back(R, n))
        v = support_vertex(hulls, hull_b, size_b, d, v)
        s = dot(n, t) - dot(d, hull_vertex(hulls, hull_b, size_b, v)) - face_offset(hulls, hull_a, size_a, f)
        if s > best:
            best, face = s, f
            if s >= margin:
                break
    return best, face


@internal
def best_axis(hulls, hull_a, size_a, hull_b, size_b, t, R, margin, size):
    """The largest separation along an axis; the normal from A to B in the frame of A; for two edges, the
    point on A and the feature (−1: a face).
    """
    none = (0.0, 0.0, 0.0)
    best, f = face_axes(hulls, hull_a, size_a, hull_b, size_b, t, R, margin)
    n = hull_normal(hulls, hull_a, f)
    if best >= margin:
        return best, n, none, -1
    back = (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])
    s, f = face_axes(hulls, hull_b, size_b, hull_a, size_a, scale(-1.0, rotate_back(R, t)), back, margin)
    # that of B must be larger by more than rounding, so that equal ones do not change places
    if s > best + TINY * size:
        best, n = s, scale(-1.0, rotate(R, hull_normal(hulls, hull_b, f)))
        if best >= margin:
            return best, n, none, -1
    return edge_axes(hulls, hull_a, size_a, hull_b, size_b, t, R, margin, size, best, n)


@internal
def edge_axes(hulls, hull_a, size_a, hull_b, size_b, t, R, margin, size, best, n):
    """`best_axis`, with `best` and n of the faces."""
    work = hulls.work
    a, b = hulls.index[hull_a], hulls.index[hull_b]
    for k in range(b.vertices):
        store(work, MOVED_VERTEX + k, add(t, rotate(R, hull_vertex(hulls, hull_b, size_b, k))))
    for k in range(b.faces):
        store(work, MOVED_NORMAL + k, rotate(R, hull_normal(hulls, hull_b, k)))
    at_a, at_b = -1, -1
    for i in range(a.first_edge, a.first_edge + 4 * a.edges, 4):
        p = hull_vertex(hulls, hull_a, size_a, hulls.list[i])
        u = sub(hull_vertex(hulls, hull_a, size_a, hulls.list[i + 1]), p)
        n0, n1 = hull_normal(hulls, hull_a, hulls.list[i + 2]), hull_normal(hulls, hull_a, hulls.list[i + 3])
        u2 = dot(u, u)
        for k in range(b.faces):
            work[ALONG + k, 0] = dot(load(work, MOVED_NORMAL + k), u)
        for j in range(b.first_edge, b.first_edge + 4 * b.edges, 4):
            # arcs n0 n1 and −m0 −m1; u is along n0 × n1
            c0, c1 = work[ALONG + hulls.list[j + 2], 0], work[ALONG + hulls.list[j + 3], 0]
            if not c0 * c1 < 0.0:
                continue
            q = load(work, MOVED_VERTEX + hulls.list[j])
            w = sub(load(work, MOVED_VERTEX + hulls.list[j + 1]), q)
            d0, d1 = dot(n0, w), dot(n1, w)
            # the great circles cross in ± u × w; both arcs must hold the same of the two
            if not (d0 * d1 < 0.0 and -c0 * d1 > 0.0):
                continue
            axis = cross(u, w)
            length2 = dot(axis, axis)
            if length2 < 1e-16 * u2 * dot(w, w):
                continue
            if dot(axis, add(n0, n1)) < 0.0:
                axis = scale(-1.0, axis)
            s = dot(axis, sub(q, p))
            length = norm(axis)
            if s > (best + TINY * size) * length:
                best, n, at_a, at_b = s / length, scale(1.0 / length, axis), i, j
                if best >= margin:
                    break
        if best >= margin:
            break
    if at_a < 0 or best >= margin:
        return best, n, (0.0, 0.0, 0.0), -1
    i, j = hulls.list[at_a], hulls.list[at_a + 1]
    k, l = hulls.list[at_b], hulls.list[at_b + 1]
    p, q = hull_vertex(hulls, hull_a, size_a, i), load(work, MOVED_VERTEX + k)
    u = sub(hull_vertex(hulls, hull_a, size_a, j), p)
    w = sub(load(work, MOVED_VERTEX + l), q)
    x, true = nearest_along(p, u, q, w, n, best, TINY * size)
    return best, n, x, crossing(edge_name(i, j), edge_name(k, l)) if true else -1


@inlined
def shows_gap(points, count, s, size):
    """Whether one of the points has the gap s."""
    for k in range(count):
        if points.gap[k] <= s + 3.0 * TINY * size:
            return True
    return False


@internal
def nearest_points(
    hulls, points, hull_a, size_a, hull_b, size_b, t, R, n, s, size, margin, max_points, x_a, R_a
):
    """Points where none along the best axis n shows its separation s: those along the normal of the two
    nearest points.
    """
    shape_a, shape_b = (hulls, hull_a, size_a), (hulls, hull_b, size_b)
    if s > TINY * size:
        state, v, p, m = hull_gjk(hulls.work, hulls.work_ints, shape_a, shape_b, t, R, size, margin)
        if state == BEYOND:
            return 0
        if state == APART:
            gap = norm(v)
            if not gap < margin:
                return 0
            feature = witness(
                lowest_id(hulls.work_ints, SIMPLEX_ID_A, m), lowest_id(hulls.work_ints, SIMPLEX_ID_B, m)
            )
            n = scale(-1.0 / gap, v)
            return manifold(
                hulls, points, hull_a, size_a, hull_b, size_b, t, R, n, size, margin, max_points, gap, p,
                feature, x_a, R_a,
            )  # fmt: skip
    # rounding has left no corner: one point, where B is lowest
    k = support_vertex(hulls, hull_b, size_b, scale(-1.0, rotate_back(R, n)), 0)
    q = add(t, rotate(R, hull_vertex(hulls, hull_b, size_b, k)))
    p, feature = sub(q, scale(s, n)), witness(0, k)
    return manifold(
        hulls, points, hull_a, size_a, hull_b, size_b, t, R, n, size, margin, max_points, s, p, feature,
        x_a, R_a,
    )  # fmt: skip


@internal
def separation(hulls, hull_a, size_a, hull_b, size_b, t, R, n):
    """The distance of B beyond A along n [frame of A]."""
    i = support_vertex(hulls, hull_a, size_a, n, 0)
    d = scale(-1.0, rotate_back(R, n))
    j = support_vertex(hulls, hull_b, size_b, d, 0)
    p, q = hull_vertex(hulls, hull_a, size_a, i), hull_vertex(hulls, hull_b, size_b, j)
    return dot(n, t) - dot(d, q) - dot(n, p)


@internal
def snapped(hulls, hull_a, size_a, hull_b, size_b, t, R, n, s, size):
    """n, or the normal of the face of A or B nearest to it if the separation s is no smaller along it."""
    for k in range(2):
        if k == 0:
            m = hull_normal(hulls, hull_a, facing(hulls, hull_a, size_a, n))
        else:
            m = facing(hulls, hull_b, size_b, scale(-1.0, rotate_back(R, n)))
            m = scale(-1.0, rotate(R, hull_normal(hulls, hull_b, m)))
        if dot(m, n) > 1.0 - 1e-10:
            along = separation(hulls, hull_a, size_a, hull_b, size_b, t, R, m)
            if along >= s - 1e-12 * size:
                return m, along
    return n, s


@internal
def convex_convex(hulls, points, hull_a, size_a, x_a, R_a, hull_b, size_b, x_b, R_b, margin):
    """Points of two polyhedra; at most MAX_POINTS."""
    t, R = rotate_back(R_a, sub(x_b, x_a)), product_back(R_a, R_b)
    r_a, r_b = size_of(hulls, hull_a, size_a), size_of(hulls, hull_b, size_b)
    arm = sub(add(t, rotate(R, centre_of(hulls, hull_b, size_b))), centre_of(hulls, hull_a, size_a))
    if not norm(arm) < r_a + r_b + margin:
        return 0
    size = r_a + r_b
    if hulls.index[hull_a].edges * hulls.index[hull_b].edges > FEW:
        work, ints = hulls.work, hulls.work_ints
        shape_a, shape_b = (hulls, hull_a, size_a), (hulls, hull_b, size_b)
        state, v, p, m = hull_gjk(work, ints, shape_a, shape_b, t, R, size, margin)
        if state == BEYOND:
            return 0
        feature = witness(0, 0)
        if state == APART:
            s = norm(v)
            n = scale(-1.0 / s, v)
            feature = witness(lowest_id(ints, SIMPLEX_ID_A, m), lowest_id(ints, SIMPLEX_ID_B, m))
        else:
            state, n, depth, p = hull_epa(work, ints, shape_a, shape_b, t, R, size, m)
            s = -depth
        # the result of EPA is accepted if the extents along its normal confirm it
        if state != FAILED and (
            state == APART
            or abs(separation(hulls, hull_a, size_a, hull_b, size_b, t, R, n) - s) < TINY * size
        ):
            n, s = snapped(hulls, hull_a, size_a, hull_b, size_b, t, R, n, s, size)
            if not s < margin:
                return 0
            return manifold(
                hulls, points, hull_a, size_a, hull_b, size_b, t, R, n, size, margin, MAX_POINTS, s, p,
                feature, x_a, R_a,
            )  # fmt: skip
    s, n, p, feature = best_axis(hulls, hull_a, size_a, hull_b, size_b, t, R, margin, size)
    if not s < margin:
        return 0
    count = manifold(
        hulls,
        points,
        hull_a,
        size_a,
        hull_b,
        size_b,
        t,
        R,
        n,
        size,
        margin,
        MAX_POINTS,
        s,
        p,
        feature,
        x_a,
        R_a,
    )
    if shows_gap(points, count, s, size):
        return count
    return nearest_points(
        hulls, points, hull_a, size_a, hull_b, size_b, t, R, n, s, size, margin, MAX_POINTS, x_a, R_a
    )
