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
