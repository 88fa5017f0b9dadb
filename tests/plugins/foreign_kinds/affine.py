"""A body that stretches and shears uniformly:  x_P = x + F r, with twelve velocities (ẋ, Ḟ).

    T = ½ m ẋ² + ½ Σ_j E_j |F_j|˙²    E = ½ tr(J) − J: second moments of mass in principal axes, F_j the
    columns of F
    V = ¼ k |Fᵀ F − 1|²               generalized force −k F (Fᵀ F − 1)

A marker's axes follow two material directions: with a = F a₁, b = F a₂ of its record, e₁ = a/|a|, e₃ ∥ a × b,
e₂ = e₃ × e₁. Their angular velocity is linear in Ḟ:

    ω = s₁ e₁ + s₂ e₂ + s₃ e₃,   s₃ = ȧ·e₂/|a|,  s₂ = −ȧ·e₃/|a|,  s₁ = (ḃ·e₃ + (b·e₁) s₂)/(b·e₂)
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import BodyKind, BodyPlan, NonNegative, Parameters, jit
from mbplugin.math.vec3 import cross, dot, norm, scale


class AffineParameters(Parameters):
    elasticity: NonNegative = 0.0
    """k [J]."""


class Affine(BodyKind):
    name = "foreign_affine"
    parameters = AffineParameters
    nq, nv, record = 12, 12, 9

    @staticmethod
    def plan(params, mass, plane) -> BodyPlan:
        moments, axes = np.linalg.eigh(np.asarray(mass.inertia, float))
        if np.linalg.det(axes) < 0:
            axes[:, 2] *= -1.0
        second = 0.5 * moments.sum() - moments
        return BodyPlan(
            mass=np.concatenate([[mass.mass] * 3, np.repeat(second, 3)]),
            parameters=np.array([params.elasticity]),
            origin=np.asarray(mass.center_of_mass, float),
            axes=axes,
        )

    @staticmethod
    def coordinates(position, R, velocity, w, plan, plane):
        """q = (x, columns of F)."""
        arm = R @ plan.origin
        F = R @ plan.axes
        return np.concatenate([position + arm, F.T.ravel()]), np.concatenate(
            [velocity + np.cross(w, arm), np.cross(w, F.T).ravel()]
        )

    @staticmethod
    def point(position, axes, plan):
        return np.concatenate(
            [plan.axes.T @ (position - plan.origin), plan.axes.T @ axes[:, 0], plan.axes.T @ axes[:, 1]]
        )

    @staticmethod
    def locate(q, v, r):
        arm, swing = mapped(q, r, 0), mapped(v, r, 0)
        a, b, a1, b1 = mapped(q, r, 3), mapped(q, r, 6), mapped(v, r, 3), mapped(v, r, 6)
        e1, e2, e3 = frame(a, b)
        length, along, across = norm(a), dot(b, e1), dot(b, e2)
        s3, s2 = dot(a1, e2) / length, -dot(a1, e3) / length
        s1 = (dot(b1, e3) + along * s2) / across
        w = combined(s1, e1, s2, e2, s3, e3)
        f1, f2, f3 = cross(w, e1), cross(w, e2), cross(w, e3)
        # rates of s₁, s₂, s₃ while Ḟ stays; the axes' own turning adds ω × ω = 0
        stretch = dot(a1, e1) / length
        d3 = dot(a1, f2) / length - s3 * stretch
        d2 = -dot(a1, f3) / length - s2 * stretch
        d1 = (
            dot(b1, f3) + (dot(b1, e1) + dot(b, f1)) * s2 + along * d2 - s1 * (dot(b1, e2) + dot(b, f2))
        ) / across
        x = (q[0] + arm[0], q[1] + arm[1], q[2] + arm[2])
        R = (e1[0], e2[0], e3[0], e1[1], e2[1], e3[1], e1[2], e2[2], e3[2])
        return (
            x,
            R,
            (v[0] + swing[0], v[1] + swing[1], v[2] + swing[2]),
            w,
            (0.0, 0.0, 0.0),
            combined(d1, e1, d2, e2, d3, e3),
        )

    @staticmethod
    def to_generalized_force(q, r, force, torque, out):
        a, b = mapped(q, r, 3), mapped(q, r, 6)
        e1, e2, e3 = frame(a, b)
        length, along, across = norm(a), dot(b, e1), dot(b, e2)
        t1, t2, t3 = dot(torque, e1), dot(torque, e2), dot(torque, e3)
        on_a = combined(0.0, e1, t3 / length, e2, -(t2 + t1 * along / across) / length, e3)
        on_b = scale(t1 / across, e3)
        for n in range(3):
            out[n] = force[n]
            for j in range(3):
                out[3 + 3 * j + n] = force[n] * r[j] + on_a[n] * r[3 + j] + on_b[n] * r[6 + j]

    @staticmethod
    def rate(q, v, q_dot):
        for n in range(12):
            q_dot[n] = v[n]

    @staticmethod
    def retract(q, dq):
        for n in range(12):
            q[n] += dq[n]

    @staticmethod
    def internal(q, p, h):
        for i in range(3):
            for n in range(3):
                s = 0.0
                for j in range(3):
                    s += strain(q, i, j) * q[3 + 3 * j + n]
                h[3 + 3 * i + n] = -p[0] * s

    @staticmethod
    def elastic(q, p, energy):
        s = 0.0
        for i in range(3):
            for j in range(3):
                s += strain(q, i, j) ** 2
        energy[0] = 0.25 * p[0] * s


@jit
def strain(q, i, j):
    """(Fᵀ F − 1)_ij."""
    s = -1.0 if i == j else 0.0
    for n in range(3):
        s += q[3 + 3 * i + n] * q[3 + 3 * j + n]
    return s


@jit
def mapped(q, r, k):
    """F r for the three numbers of the record from k on; with velocities, Ḟ r."""
    x, y, z = r[k], r[k + 1], r[k + 2]
    return (q[3] * x + q[6] * y + q[9] * z, q[4] * x + q[7] * y + q[10] * z, q[5] * x + q[8] * y + q[11] * z)


@jit
def frame(a, b):
    """Axes along a, across it in the plane of a and b, and normal to that plane."""
    e1 = scale(1.0 / norm(a), a)
    n = cross(a, b)
    e3 = scale(1.0 / norm(n), n)
    return e1, cross(e3, e1), e3


@jit
def combined(p, a, q, b, r, c):
    return (p * a[0] + q * b[0] + r * c[0], p * a[1] + q * b[1] + r * c[1], p * a[2] + q * b[2] + r * c[2])
