"""Vectors and inertias of trees in flat arrays.

Of a link: FIXED numbers, which are the axes (9) and the place (3) of its joint's frame in the frame of the
link that carries it, its mass centre (3), mass, and moments of inertia (6) about the mass centre: xx, yy, zz,
xy, xz, yz. An articulated inertia is the symmetric matrix of

    [n; f] = [A H; Hᵀ M] [α; a]          A, M as moments of inertia are, H row by row
"""

from __future__ import annotations

from mbplugin.math.jit import inlined

#: numbers of each link in `Trees.fixed`, `pose`, `bias`, `own` and `articulated`
NUMBERS, POSE, BIAS, OWN, ARTICULATED = 22, 24, 12, 10, 21
#: places in the pose: axes, position, angular velocity, velocity, place from the parent's origin
R, X, W, V, ARM = 0, 9, 12, 15, 18


@inlined
def get(a, i):
    """Three numbers of a flat array, from i."""
    return (a[i], a[i + 1], a[i + 2])


@inlined
def put(a, i, x):
    a[i], a[i + 1], a[i + 2] = x[0], x[1], x[2]


@inlined
def add_to(a, i, x):
    a[i] += x[0]
    a[i + 1] += x[1]
    a[i + 2] += x[2]


@inlined
def times_symmetric(a, i, x):
    """A x of a symmetric matrix at i."""
    return (
        a[i] * x[0] + a[i + 3] * x[1] + a[i + 4] * x[2],
        a[i + 3] * x[0] + a[i + 1] * x[1] + a[i + 5] * x[2],
        a[i + 4] * x[0] + a[i + 5] * x[1] + a[i + 2] * x[2],
    )


@inlined
def times_articulated(I, i, w, v):
    """[A H; Hᵀ M] [w; v] of the inertia at i."""
    a, m = times_symmetric(I, i, w), times_symmetric(I, i + 15, v)
    n = (
        a[0] + I[i + 6] * v[0] + I[i + 7] * v[1] + I[i + 8] * v[2],
        a[1] + I[i + 9] * v[0] + I[i + 10] * v[1] + I[i + 11] * v[2],
        a[2] + I[i + 12] * v[0] + I[i + 13] * v[1] + I[i + 14] * v[2],
    )
    f = (
        m[0] + I[i + 6] * w[0] + I[i + 9] * w[1] + I[i + 12] * w[2],
        m[1] + I[i + 7] * w[0] + I[i + 10] * w[1] + I[i + 13] * w[2],
        m[2] + I[i + 8] * w[0] + I[i + 11] * w[1] + I[i + 14] * w[2],
    )
    return n, f
