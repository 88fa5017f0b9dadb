"""Unit quaternions (w, x, y, z), body to world."""

from __future__ import annotations

from math import cos, sin, sqrt

from mbplugin.math.jit import jit


@jit
def multiply(p, q):
    """p ∘ q: the rotation q followed by p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@jit
def matrix(q):
    """Rotation matrix of q, which need not have unit length."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
        s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y),
    )  # fmt: skip


@jit
def exponential(a):
    """Quaternion of the rotation vector a [rad]; a series below 1e-4 rad, where sin(x)/x loses accuracy."""
    angle2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
    if angle2 < 1e-8:
        s = 0.5 - angle2 / 48.0
        c = 1.0 - angle2 / 8.0
    else:
        angle = sqrt(angle2)
        s = sin(0.5 * angle) / angle
        c = cos(0.5 * angle)
    return (c, s * a[0], s * a[1], s * a[2])


@jit
def normalised(q):
    """q / |q|."""
    s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (s * q[0], s * q[1], s * q[2], s * q[3])


@jit
def load4(q, i):
    """Four numbers of a flat array, from `i`."""
    return (q[i], q[i + 1], q[i + 2], q[i + 3])


@jit
def store4(q, i, p):
    q[i], q[i + 1], q[i + 2], q[i + 3] = p


@jit
def put_rate(q, i, w, q_dot):
    """The rate of the quaternion at place i of q, for the angular velocity w [rad/s] in the body's axes."""
    half = (0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2])
    store4(q_dot, i, multiply(load4(q, i), half))


@jit
def turn(q, i, a):
    """The quaternion at place i of q ← itself ∘ exp(a), a [rad] in the body's axes."""
    store4(q, i, multiply(load4(q, i), exponential(a)))


@jit
def normalise(q, i):
    """Give the quaternion at place i of q unit length."""
    store4(q, i, normalised(load4(q, i)))


@jit
def add_right_jacobian(T, i, j, a):
    """T[i:i+3, j:j+3] += J(a) − 1 with exp(a + e) = exp(a) ∘ exp(J(a) e) to first order in e, a [rad].

    J = 1 − (1 − cos θ)/θ² [a]× + (θ − sin θ)/θ³ [a]×²,  θ = |a|; a series below 0.5 rad for the last factor.
    Derived here; the conformance kit checks it by differences of `retract`.
    """
    x = a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
    angle = sqrt(x)
    half = sin(0.5 * angle) / angle if angle > 1e-4 else 0.5 - x / 48.0
    if angle < 0.5:
        second, term = 0.0, 1.0 / 6.0
        for k in range(1, 8):
            second += term
            term *= -x / ((2 * k + 2) * (2 * k + 3))
    else:
        second = (angle - sin(angle)) / (x * angle)
    first = 2.0 * half * half
    for r in range(3):
        for c in range(3):
            T[i + r, j + c] += second * a[r] * a[c]
        T[i + r, j + r] -= second * x
    T[i, j + 1] += first * a[2]
    T[i, j + 2] -= first * a[1]
    T[i + 1, j] -= first * a[2]
    T[i + 1, j + 2] += first * a[0]
    T[i + 2, j] += first * a[1]
    T[i + 2, j + 1] -= first * a[0]


@jit
def of_matrix(R):
    """The unit quaternion of a rotation matrix; its largest component is positive (Shepperd 1978)."""
    squares = (
        1.0 + R[0] + R[4] + R[8],
        1.0 + R[0] - R[4] - R[8],
        1.0 - R[0] + R[4] - R[8],
        1.0 - R[0] - R[4] + R[8],
    )
    best = max(max(squares[0], squares[1]), max(squares[2], squares[3]))
    s = 0.5 / sqrt(best)
    x, y, z = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    xy, xz, yz = R[1] + R[3], R[2] + R[6], R[5] + R[7]
    if squares[0] == best:
        return (s * best, s * x, s * y, s * z)
    if squares[1] == best:
        return (s * x, s * best, s * xy, s * xz)
    if squares[2] == best:
        return (s * y, s * xy, s * best, s * yz)
    return (s * z, s * xz, s * yz, s * best)
