"""A sphere and another shape, for `ShapeKind.pairs`. Every pair has one point.

Where the centre of the sphere lies on the core of the other one, several normals are nearest; one of them is
taken.
"""

from __future__ import annotations

from mbplugin.interface import put_point
from mbplugin.math.vec3 import add, norm, rotate, rotate_back, scale, sub


def sphere_sphere(points, a, b, margin):
    d = sub(b.x, a.x)
    s = norm(d)
    gap = s - a.p[0] - b.p[0]
    if not gap < margin or a.p[0] + b.p[0] == 0.0:  # two points never touch
        return 0
    n = scale(1.0 / s, d) if s > 0.0 else (0.0, 0.0, 1.0)
    return put_point(points, 0, add(a.x, scale(a.p[0], n)), sub(b.x, scale(b.p[0], n)), n, gap, 0)


def sphere_box(points, a, b, margin):
    r, c = a.p[0], rotate_back(b.R, sub(a.x, b.x))
    h = scale(0.5, b.p)
    # the nearest point of the box
    p = (min(max(c[0], -h[0]), h[0]), min(max(c[1], -h[1]), h[1]), min(max(c[2], -h[2]), h[2]))
    d = sub(p, c)
    s = norm(d)
    if s > 0.0:
        gap, n = s - r, scale(1.0 / s, d)
    else:
        # the centre is inside: out through the nearest face
        depth, k = h[0] - abs(c[0]), 0
        if h[1] - abs(c[1]) < depth:
            depth, k = h[1] - abs(c[1]), 1
        if h[2] - abs(c[2]) < depth:
            depth, k = h[2] - abs(c[2]), 2
        side = 1.0 if c[k] >= 0.0 else -1.0
        n = (-side if k == 0 else 0.0, -side if k == 1 else 0.0, -side if k == 2 else 0.0)
        gap = -depth - r
        p = sub(c, scale(depth, n))
    if not gap < margin:
        return 0
    normal = rotate(b.R, n)
    return put_point(points, 0, add(a.x, scale(r, normal)), add(b.x, rotate(b.R, p)), normal, gap, 0)
