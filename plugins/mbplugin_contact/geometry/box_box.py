"""Two boxes: separating axes (S. Gottschalk, M. C. Lin and D. Manocha, SIGGRAPH 1996), and points from the
faces along the axis on which they are farthest apart, or overlap least.

    s = |n·t| − Σ_i a_i |n·A_i| − Σ_j b_j |n·B_j|,  n of the 3 + 3 normals and the 9 cross products A_i × B_j

Apart, the largest s is the distance if the faces show a point where it is attained; else two vertices, or a
vertex and an edge, are nearest and GJK finds them.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, column, dot, product_back, rotate, rotate_back, scale, sub
from mbplugin_contact.geometry.clipping import inlined_manifold
from mbplugin_contact.geometry.convex import nearest_points, shows_gap
from mbplugin_contact.geometry.simplex import nearest_along
from mbplugin_contact.geometry.tables import TINY, crossing, edge_name

#: squared sine below which two edges count as parallel: their cross product is no better than a face's normal
PARALLEL = 1e-16


@internal
def best_axis(a, b, t, R, margin, size):
    """The axis with the largest s, for half edges a, b. Returns s; the normal from A to B in the frame of A;
    the axes i and j of both edges, or −1. Of s ≥ margin, the first is returned.
    """
    best, n = -1e300, (1.0, 0.0, 0.0)
    for i in range(3):
        r0, r1, r2 = abs(R[3 * i]), abs(R[3 * i + 1]), abs(R[3 * i + 2])
        s = abs(t[i]) - (a[i] + b[0] * r0 + b[1] * r1 + b[2] * r2)
        if s > best:
            side = 1.0 if t[i] >= 0.0 else -1.0
            best = s
            n = (side if i == 0 else 0.0, side if i == 1 else 0.0, side if i == 2 else 0.0)
            if s >= margin:
                return s, n, -1, -1
    # s of B must be larger by more than rounding, so that equal ones do not change places
    for j in range(3):
        axis = column(R, j)
        c = dot(t, axis)
        s = abs(c) - (b[j] + a[0] * abs(axis[0]) + a[1] * abs(axis[1]) + a[2] * abs(axis[2]))
        if s > best + TINY * size:
            best, n = s, scale(1.0 if c >= 0.0 else -1.0, axis)
            if s >= margin:
                return s, n, -1, -1
    i_best, j_best = -1, -1
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            # A_i × B_j in the frame of A
            l1, l2 = -R[3 * i2 + j], R[3 * i1 + j]
            length2 = l1 * l1 + l2 * l2
            if length2 < PARALLEL:
                continue
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            c = l1 * t[i1] + l2 * t[i2]
            reach = (
                a[i1] * abs(l1) + a[i2] * abs(l2) + b[j1] * abs(R[3 * i + j2]) + b[j2] * abs(R[3 * i + j1])
            )
            length = sqrt(length2)
            if (abs(c) - reach) > (best + TINY * size) * length:
                best, i_best, j_best = (abs(c) - reach) / length, i, j
                l1, l2 = (l1 / length, l2 / length) if c >= 0.0 else (-l1 / length, -l2 / length)
                if i == 0:
                    n = (0.0, l1, l2)
                elif i == 1:
                    n = (l2, 0.0, l1)
                else:
                    n = (l1, l2, 0.0)
                if best >= margin:
                    return best, n, i, j
    return best, n, i_best, j_best


@internal
def edge_points(a, b, t, R, n, i, j, s, size):
    """Nearest points of the edges along A_i and B_j that lie farthest along n and −n: the point on A; what
    the feature is called, −1 if they are not s apart.
    """
    m = rotate_back(R, n)
    p = (
        0.0 if i == 0 else (a[0] if n[0] > 0.0 else -a[0]),
        0.0 if i == 1 else (a[1] if n[1] > 0.0 else -a[1]),
        0.0 if i == 2 else (a[2] if n[2] > 0.0 else -a[2]),
    )
    q = (
        0.0 if j == 0 else (-b[0] if m[0] > 0.0 else b[0]),
        0.0 if j == 1 else (-b[1] if m[1] > 0.0 else b[1]),
        0.0 if j == 2 else (-b[2] if m[2] > 0.0 else b[2]),
    )
    v_a = (1 if p[0] > 0.0 else 0) | (2 if p[1] > 0.0 else 0) | (4 if p[2] > 0.0 else 0)
    v_b = (1 if q[0] > 0.0 else 0) | (2 if q[1] > 0.0 else 0) | (4 if q[2] > 0.0 else 0)
    u = (2.0 * a[0] if i == 0 else 0.0, 2.0 * a[1] if i == 1 else 0.0, 2.0 * a[2] if i == 2 else 0.0)
    w = scale(2.0 * b[j], column(R, j))
    start = sub(p, scale(0.5, u))
    other = sub(add(t, rotate(R, q)), scale(0.5, w))
    x, true = nearest_along(start, u, other, w, n, s, TINY * size)
    return x, crossing(edge_name(v_a, v_a | (1 << i)), edge_name(v_b, v_b | (1 << j))) if true else -1


@internal
def box_box(hulls, points, size_a, x_a, R_a, size_b, x_b, R_b, margin):
    """Points of two boxes with these edges; at most four."""
    t, R = rotate_back(R_a, sub(x_b, x_a)), product_back(R_a, R_b)
    a, b = scale(0.5, size_a), scale(0.5, size_b)
    size = max(max(a[0], a[1]), a[2]) + max(max(b[0], b[1]), b[2])
    s, n, i, j = best_axis(a, b, t, R, margin, size)
    if not s < margin:
        return 0
    p, feature = (0.0, 0.0, 0.0), -1
    if i >= 0:
        p, feature = edge_points(a, b, t, R, n, i, j, s, size)
    count = inlined_manifold(
        hulls, points, 0, size_a, 0, size_b, t, R, n, size, margin, 4, s, p, feature, x_a, R_a
    )
    if shows_gap(points, count, s, size):
        return count
    return nearest_points(hulls, points, 0, size_a, 0, size_b, t, R, n, s, size, margin, 4, x_a, R_a)
