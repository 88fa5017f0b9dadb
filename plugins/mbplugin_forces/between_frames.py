"""Tangents of a force between two frames that depends on their relative motion alone.

A small displacement is δx_b − δx_a with the rotations δφ_a and δφ_b. Force f and torque τ resist it on b,
their opposites on a, where the force has the arm d = x_b − x_a:

    δf = X (δx_b − δx_a) + Y δφ_a + Z δφ_b       likewise δτ
    torque on a: −τ − d × f

Matrices are nine numbers, row by row; [v]× is that of the cross product.
"""

from __future__ import annotations

from mbplugin.interface import jit
from mbplugin.math.vec3 import product


@jit
def transposed(A):
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@jit
def in_world(R, A):
    """R A Rᵀ."""
    return product(product(R, A), transposed(R))


@jit
def diagonal_in_world(R, k):
    """R diag(k) Rᵀ."""
    A = (
        k[0] * R[0], k[1] * R[1], k[2] * R[2],
        k[0] * R[3], k[1] * R[4], k[2] * R[5],
        k[0] * R[6], k[1] * R[7], k[2] * R[8],
    )  # fmt: skip
    xy = A[0] * R[3] + A[1] * R[4] + A[2] * R[5]
    xz = A[0] * R[6] + A[1] * R[7] + A[2] * R[8]
    yz = A[3] * R[6] + A[4] * R[7] + A[5] * R[8]
    xx = A[0] * R[0] + A[1] * R[1] + A[2] * R[2]
    yy = A[3] * R[3] + A[4] * R[4] + A[5] * R[5]
    return (xx, xy, xz, xy, yy, yz, xz, yz, A[6] * R[6] + A[7] * R[7] + A[8] * R[8])


@jit
def times_diagonal(A, k):
    """A diag(k)."""
    x, y, z = k
    return (x * A[0], y * A[1], z * A[2], x * A[3], y * A[4], z * A[5], x * A[6], y * A[7], z * A[8])


@jit
def plus(A, B):
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2],
        A[3] + B[3], A[4] + B[4], A[5] + B[5],
        A[6] + B[6], A[7] + B[7], A[8] + B[8],
    )  # fmt: skip


@jit
def minus(A, B):
    return (
        A[0] - B[0], A[1] - B[1], A[2] - B[2],
        A[3] - B[3], A[4] - B[4], A[5] - B[5],
        A[6] - B[6], A[7] - B[7], A[8] - B[8],
    )  # fmt: skip


@jit
def minus_cross(A, v):
    """A − [v]×."""
    return (
        A[0], A[1] + v[2], A[2] - v[1],
        A[3] - v[2], A[4], A[5] + v[0],
        A[6] + v[1], A[7] - v[0], A[8],
    )  # fmt: skip


@jit
def times_cross(A, v):
    """A [v]×."""
    x, y, z = v
    return (
        A[1] * z - A[2] * y, A[2] * x - A[0] * z, A[0] * y - A[1] * x,
        A[4] * z - A[5] * y, A[5] * x - A[3] * z, A[3] * y - A[4] * x,
        A[7] * z - A[8] * y, A[8] * x - A[6] * z, A[6] * y - A[7] * x,
    )  # fmt: skip


@jit
def put_forces(K, d, X, Y, Z):
    """Write the rows of the forces into K (12, 12), and add d × f to those of the torque on a."""
    for r in range(3):
        for c in range(3):
            x, y, z = X[3 * r + c], Y[3 * r + c], Z[3 * r + c]
            K[6 + r, c], K[6 + r, 3 + c], K[6 + r, 6 + c], K[6 + r, 9 + c] = -x, y, x, z
            K[r, c], K[r, 3 + c], K[r, 6 + c], K[r, 9 + c] = x, -y, -x, -z
    for c in range(12):
        f, g, h = K[6, c], K[7, c], K[8, c]
        K[3, c] -= d[1] * h - d[2] * g
        K[4, c] -= d[2] * f - d[0] * h
        K[5, c] -= d[0] * g - d[1] * f


@jit
def put_torques(K, X, Y, Z):
    """Write the rows of the torques, which K (12, 12) does not have yet."""
    for r in range(3):
        for c in range(3):
            x, y, z = X[3 * r + c], Y[3 * r + c], Z[3 * r + c]
            K[9 + r, c], K[9 + r, 3 + c], K[9 + r, 6 + c], K[9 + r, 9 + c] = -x, y, x, z
            K[3 + r, c], K[3 + r, 3 + c], K[3 + r, 6 + c], K[3 + r, 9 + c] = x, -y, -x, -z


@jit
def put_arm(K, f):
    """Add the change of the arm of the force f: −δd × f on a."""
    for sign, j in ((1.0, 6), (-1.0, 0)):
        K[3, j + 1] -= sign * f[2]
        K[3, j + 2] += sign * f[1]
        K[4, j] += sign * f[2]
        K[4, j + 2] -= sign * f[0]
        K[5, j] -= sign * f[1]
        K[5, j + 1] += sign * f[0]
