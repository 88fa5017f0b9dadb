"""Three-vectors as tuples, which live in registers and need no allocation.

Matrices are nine numbers, row by row.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.math.jit import jit

Vec = tuple[float, float, float]
Mat = tuple[float, float, float, float, float, float, float, float, float]


#: the vector and the matrix 0
ZERO = (0.0, 0.0, 0.0)
ZERO_MATRIX = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@jit
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@jit
def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@jit
def scale(s, a):
    return (s * a[0], s * a[1], s * a[2])


@jit
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@jit
def norm(a):
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@jit
def load(array, row):
    """A row of an (n, 3) array."""
    return (array[row, 0], array[row, 1], array[row, 2])


@jit
def store(array, row, a):
    array[row, 0], array[row, 1], array[row, 2] = a[0], a[1], a[2]


@jit
def load3(array, start):
    """Three numbers of a flat array, from `start`."""
    return (array[start], array[start + 1], array[start + 2])


@jit
def store3(array, start, a):
    array[start], array[start + 1], array[start + 2] = a


@jit
def load9(array, start):
    """Nine numbers of a flat array, from `start`."""
    return (
        array[start], array[start + 1], array[start + 2],
        array[start + 3], array[start + 4], array[start + 5],
        array[start + 6], array[start + 7], array[start + 8],
    )  # fmt: skip


@jit
def store9(array, start, A):
    for k in range(9):
        array[start + k] = A[k]


@jit
def load_matrix(array, row):
    """A row of an (n, 9) array."""
    return (
        array[row, 0], array[row, 1], array[row, 2],
        array[row, 3], array[row, 4], array[row, 5],
        array[row, 6], array[row, 7], array[row, 8],
    )  # fmt: skip


@jit
def rotate(R, a):
    """R a."""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@jit
def rotate_back(R, a):
    """Rᵀ a."""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@jit
def column(R, k):
    """Column k of R."""
    if k == 0:
        return (R[0], R[3], R[6])
    if k == 1:
        return (R[1], R[4], R[7])
    return (R[2], R[5], R[8])


@jit
def product(A, B):
    """A B."""
    a0, a1, a2 = (A[0], A[1], A[2]), (A[3], A[4], A[5]), (A[6], A[7], A[8])
    b0, b1, b2 = (B[0], B[3], B[6]), (B[1], B[4], B[7]), (B[2], B[5], B[8])
    return (
        dot(a0, b0), dot(a0, b1), dot(a0, b2),
        dot(a1, b0), dot(a1, b1), dot(a1, b2),
        dot(a2, b0), dot(a2, b1), dot(a2, b2),
    )  # fmt: skip


@jit
def product_back(A, B):
    """Aᵀ B."""
    b0, b1, b2 = (B[0], B[3], B[6]), (B[1], B[4], B[7]), (B[2], B[5], B[8])
    a0, a1, a2 = (A[0], A[3], A[6]), (A[1], A[4], A[7]), (A[2], A[5], A[8])
    return (
        dot(a0, b0), dot(a0, b1), dot(a0, b2),
        dot(a1, b0), dot(a1, b1), dot(a1, b2),
        dot(a2, b0), dot(a2, b1), dot(a2, b2),
    )  # fmt: skip


@jit
def add_outer(A, s, a, b):
    """A + s a bᵀ."""
    x, y, z = s * a[0], s * a[1], s * a[2]
    return (
        A[0] + x * b[0], A[1] + x * b[1], A[2] + x * b[2],
        A[3] + y * b[0], A[4] + y * b[1], A[5] + y * b[2],
        A[6] + z * b[0], A[7] + z * b[1], A[8] + z * b[2],
    )  # fmt: skip
