"""A rigid body in space.

The state is that of the mass centre in principal axes, so that M is diagonal and constant:

    q = (x, quaternion w x y z)      v = (ẋ in world axes, ω in principal axes)
    m ẍ = f,   J ω̇ = τ − ω × J ω

A point record is the marker's position r and axes A in principal axes:

    x_P = x + R r,   twist H v:  v_P = ẋ + (Rω) × (R r),  ω_P = R ω
    Ḣ v = (ω × (ω × R r), 0),    Hᵀ(f, τ) = (f, Rᵀ(τ + R r × f))
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array, BodyKind, BodyPlan, quaternion_of
from mbplugin.math.quat import exponential, matrix, multiply, normalised
from mbplugin.math.vec3 import add, cross, load9, product, rotate, rotate_back, sub


class Spatial(BodyKind):
    name = "spatial"
    nq, nv, scratch, record = 7, 6, 12, 12

    @staticmethod
    def plan(own, mass, plane) -> BodyPlan:
        moments, axes = principal(mass.inertia)
        return BodyPlan(
            mass=np.array([mass.mass] * 3 + list(moments)),
            parameters=np.array(moments),
            origin=np.asarray(mass.center_of_mass, float),
            axes=axes,
        )

    @staticmethod
    def coordinates(position: Array, R: Array, velocity: Array, w: Array, plan: BodyPlan, plane) -> tuple[Array, Array]:
        """q, v from the pose of the body's frame (position, R body to world) and its velocity and angular velocity (world)."""
        arm = R @ plan.origin
        state = R @ plan.axes
        q = np.concatenate([position + arm, quaternion_of(state)])
        return q, np.concatenate([velocity + np.cross(w, arm), state.T @ w])

    @staticmethod
    def point(position: Array, axes: Array, plan: BodyPlan) -> Array:
        """Record of a marker from its place and axes in the body's frame."""
        return np.concatenate([plan.axes.T @ (position - plan.origin), (plan.axes.T @ axes).ravel()])

    @staticmethod
    def prepare(q, v, c):
        R = matrix((q[3], q[4], q[5], q[6]))
        for k in range(9):
            c[k] = R[k]
        w = rotate(R, (v[3], v[4], v[5]))
        c[9], c[10], c[11] = w[0], w[1], w[2]

    @staticmethod
    def locate(q, v, c, r):
        R = load9(c, 0)
        w = (c[9], c[10], c[11])
        arm = rotate(R, (r[0], r[1], r[2]))
        swing = cross(w, arm)
        x = (q[0] + arm[0], q[1] + arm[1], q[2] + arm[2])
        return x, product(R, load9(r, 3)), add((v[0], v[1], v[2]), swing), w, cross(w, swing), (0.0, 0.0, 0.0)

    @staticmethod
    def pull(q, c, x, force, torque, out):
        arm = sub(x, (q[0], q[1], q[2]))
        turn = rotate_back(load9(c, 0), add(torque, cross(arm, force)))
        out[0], out[1], out[2] = force
        out[3], out[4], out[5] = turn

    @staticmethod
    def rate(q, v, q_dot):
        q_dot[0], q_dot[1], q_dot[2] = v[0], v[1], v[2]
        turn = multiply((q[3], q[4], q[5], q[6]), (0.0, 0.5 * v[3], 0.5 * v[4], 0.5 * v[5]))
        q_dot[3], q_dot[4], q_dot[5], q_dot[6] = turn

    @staticmethod
    def retract(q, dq):
        q[0] += dq[0]
        q[1] += dq[1]
        q[2] += dq[2]
        turned = multiply((q[3], q[4], q[5], q[6]), exponential((dq[3], dq[4], dq[5])))
        q[3], q[4], q[5], q[6] = turned

    @staticmethod
    def normalise(q):
        unit = normalised((q[3], q[4], q[5], q[6]))
        q[3], q[4], q[5], q[6] = unit

    @staticmethod
    def internal(v, p, h):
        """−ω × J ω."""
        h[3] = (p[1] - p[2]) * v[4] * v[5]
        h[4] = (p[2] - p[0]) * v[5] * v[3]
        h[5] = (p[0] - p[1]) * v[3] * v[4]


def principal(inertia: Array) -> tuple[Array, Array]:
    """Principal moments and axes (columns); axes of the frame itself where the inertia is diagonal there."""
    inertia = np.asarray(inertia, float)
    if not np.any(inertia - np.diag(np.diag(inertia))):
        return np.diag(inertia).copy(), np.eye(3)
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1.0
    return moments, axes
