"""Small tensors of the corotational element; matrices are nine numbers, row by row."""

from __future__ import annotations

from mbplugin.interface import inlined, jit
from mbplugin.math import elasticity, polar, vec3
from mbplugin.math.vec3 import add, cross

# inlined, since a call costs as much as the work in it
product, product_back = inlined(vec3.product.py_func), inlined(vec3.product_back.py_func)
rotate, rotate_back = inlined(vec3.rotate.py_func), inlined(vec3.rotate_back.py_func)
weighted = inlined(polar.weighted.py_func)
hooke, symmetric = inlined(elasticity.hooke.py_func), inlined(elasticity.symmetric.py_func)


@inlined
def inner(A, B):
    """A : B."""
    return (
        (A[0] * B[0] + A[1] * B[1] + A[2] * B[2])
        + (A[3] * B[3] + A[4] * B[4] + A[5] * B[5])
        + (A[6] * B[6] + A[7] * B[7] + A[8] * B[8])
    )


@inlined
def outer_sum(a, b):
    """Σ_k a_k b_kᵀ of four pairs of vectors."""
    return (
        a[0][0] * b[0][0] + a[1][0] * b[1][0] + a[2][0] * b[2][0] + a[3][0] * b[3][0],
        a[0][0] * b[0][1] + a[1][0] * b[1][1] + a[2][0] * b[2][1] + a[3][0] * b[3][1],
        a[0][0] * b[0][2] + a[1][0] * b[1][2] + a[2][0] * b[2][2] + a[3][0] * b[3][2],
        a[0][1] * b[0][0] + a[1][1] * b[1][0] + a[2][1] * b[2][0] + a[3][1] * b[3][0],
        a[0][1] * b[0][1] + a[1][1] * b[1][1] + a[2][1] * b[2][1] + a[3][1] * b[3][1],
        a[0][1] * b[0][2] + a[1][1] * b[1][2] + a[2][1] * b[2][2] + a[3][1] * b[3][2],
        a[0][2] * b[0][0] + a[1][2] * b[1][0] + a[2][2] * b[2][0] + a[3][2] * b[3][0],
        a[0][2] * b[0][1] + a[1][2] * b[1][1] + a[2][2] * b[2][1] + a[3][2] * b[3][1],
        a[0][2] * b[0][2] + a[1][2] * b[1][2] + a[2][2] * b[2][2] + a[3][2] * b[3][2],
    )


@inlined
def columns(a, b, c):
    """The matrix with these columns."""
    return (a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])


@inlined
def vector(p, i):
    return (p[i], p[i + 1], p[i + 2])


@inlined
def four_vectors(p, i):
    return (vector(p, i), vector(p, i + 3), vector(p, i + 6), vector(p, i + 9))


@inlined
def rotated_back(R, y):
    """Rᵀ times each of four vectors."""
    return (rotate_back(R, y[0]), rotate_back(R, y[1]), rotate_back(R, y[2]), rotate_back(R, y[3]))


@inlined
def rotated_seven(R, z):
    """R times each of seven vectors."""
    return (
        rotate(R, z[0]), rotate(R, z[1]), rotate(R, z[2]), rotate(R, z[3]),
        rotate(R, z[4]), rotate(R, z[5]), rotate(R, z[6]),
    )  # fmt: skip


@inlined
def less_turned(y, phi, q):
    """y − φ × q of four vectors."""
    return (
        added_vector(y[0], -1.0, cross(phi, q[0])),
        added_vector(y[1], -1.0, cross(phi, q[1])),
        added_vector(y[2], -1.0, cross(phi, q[2])),
        added_vector(y[3], -1.0, cross(phi, q[3])),
    )


@inlined
def turned_seven(phi, z, rate):
    """rate + φ × z of seven vectors."""
    return (
        add(rate[0], cross(phi, z[0])), add(rate[1], cross(phi, z[1])), add(rate[2], cross(phi, z[2])),
        add(rate[3], cross(phi, z[3])), add(rate[4], cross(phi, z[4])), add(rate[5], cross(phi, z[5])),
        add(rate[6], cross(phi, z[6])),
    )  # fmt: skip


@inlined
def added(a, s, b):
    """a + s b of four vectors."""
    return (
        added_vector(a[0], s, b[0]),
        added_vector(a[1], s, b[1]),
        added_vector(a[2], s, b[2]),
        added_vector(a[3], s, b[3]),
    )


@inlined
def added_vector(a, s, b):
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@jit
def product_with_transposed(A, B):
    """A Bᵀ."""
    return (
        A[0] * B[0] + A[1] * B[1] + A[2] * B[2],
        A[0] * B[3] + A[1] * B[4] + A[2] * B[5],
        A[0] * B[6] + A[1] * B[7] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[1] + A[5] * B[2],
        A[3] * B[3] + A[4] * B[4] + A[5] * B[5],
        A[3] * B[6] + A[4] * B[7] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[1] + A[8] * B[2],
        A[6] * B[3] + A[7] * B[4] + A[8] * B[5],
        A[6] * B[6] + A[7] * B[7] + A[8] * B[8],
    )


@jit
def put_stress(out, o, T):
    """xx, yy, zz, xy, yz, xz of a symmetric tensor."""
    out[o], out[o + 1], out[o + 2] = T[0], T[4], T[8]
    out[o + 3], out[o + 4], out[o + 5] = 0.5 * (T[1] + T[3]), 0.5 * (T[5] + T[7]), 0.5 * (T[2] + T[6])
