"""A rigid body in space.

The state refers to the mass centre and the principal axes, so that M is diagonal and constant:

    q = (x, quaternion w x y z)      v = (ẋ in world axes, ω in principal axes)
    m ẍ = f,   J ω̇ = τ − ω × J ω      f in world axes, τ about the mass centre in principal axes

A point record is the marker's position r and axes A in principal axes:

    x_P = x + R r,   twist H v:  v_P = ẋ + ω_P × R r,  ω_P = R ω
    Ḣ v = (ω_P × (ω_P × R r), 0),    Hᵀ(f, τ) = (f, Rᵀ(τ + R r × f))
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array, BodyKind, BodyPlan, quaternion_of
from mbplugin.math.patch import add_cross, add_cross_cross, add_gyroscopic
from mbplugin.math.quat import add_right_jacobian, load4, matrix, normalise, put_rate, turn
from mbplugin.math.vec3 import (
    ZERO,
    add,
    cross,
    load3,
    load9,
    product,
    product_back,
    rotate,
    rotate_back,
    store3,
    store9,
    sub,
)


class Spatial(BodyKind):
    name = "spatial"
    rigid = True
    nq, nv, scratch, record = 7, 6, 12, 12

    @staticmethod
    def plan(params, mass, plane) -> BodyPlan:
        moments, axes = principal(mass.inertia)
        return BodyPlan(
            mass=np.array([mass.mass] * 3 + list(moments)),
            parameters=np.array(moments),
            origin=np.asarray(mass.center_of_mass, float),
            axes=axes,
        )

    @staticmethod
    def coordinates(
        position: Array, R: Array, velocity: Array, w: Array, plan: BodyPlan, plane
    ) -> tuple[Array, Array]:
        """q (7,), v (6,) from position, axes R, velocity and angular velocity of the body frame, world."""
        arm = R @ plan.origin
        state = R @ plan.axes
        q = np.concatenate([position + arm, quaternion_of(state)])
        swing = w[[1, 2, 0]] * arm[[2, 0, 1]] - w[[2, 0, 1]] * arm[[1, 2, 0]]  # ω × arm
        return q, np.concatenate([velocity + swing, state.T @ w])

    @staticmethod
    def point(position: Array, axes: Array, plan: BodyPlan) -> Array:
        """Point record (12,) of a marker, from its position [m] and axes in the body frame."""
        return np.concatenate([plan.axes.T @ (position - plan.origin), (plan.axes.T @ axes).ravel()])

    @staticmethod
    def prepare(q, v, c):
        R = matrix(load4(q, 3))
        store9(c, 0, R)
        store3(c, 9, rotate(R, load3(v, 3)))

    @staticmethod
    def locate(q, v, c, r):
        R = load9(c, 0)
        w, arm = load3(c, 9), rotate(R, load3(r, 0))
        swing = cross(w, arm)
        x, u = add(load3(q, 0), arm), add(load3(v, 0), swing)
        return x, product(R, load9(r, 3)), u, w, cross(w, swing), ZERO

    @staticmethod
    def point_at(q, c, x, R, r):
        R_body = load9(c, 0)
        store3(r, 0, rotate_back(R_body, sub(x, load3(q, 0))))
        store9(r, 3, product_back(R_body, R))

    @staticmethod
    def to_generalized_force(q, c, x, force, torque, out):
        arm = sub(x, load3(q, 0))
        store3(out, 0, force)
        store3(out, 3, rotate_back(load9(c, 0), add(torque, cross(arm, force))))

    @staticmethod
    def geometric(q, v, c, r, x, force, torque, K, E):
        """A rotation θ in principal axes changes Rᵀ(τ + R r × f) by (Rᵀτ) × θ + r × ((Rᵀf) × θ), and a
        body-fixed vector u by −u × R θ.
        """
        R = load9(c, 0)
        w, arm = load3(c, 9), sub(x, load3(q, 0))
        add_cross(K, 3, 3, -1.0, rotate_back(R, torque))
        add_cross_cross(K, 3, 3, -1.0, load3(r, 0), rotate_back(R, force))
        swing = cross(w, arm)
        for k in range(3):
            column = (R[k], R[3 + k], R[6 + k])
            on_v, on_w = cross(column, swing), cross(column, w)
            for i in range(3):
                E[i, 3 + k], E[3 + i, 3 + k] = on_v[i], on_w[i]

    @staticmethod
    def tangent(v, p, D):
        """∂(ω × J ω)/∂ω = [ω]× J − [J ω]×."""
        add_gyroscopic(D, 3, 3, load3(p, 0), load3(v, 3))

    @staticmethod
    def turning(q: Array, v: Array, p: Array, spin: Array) -> tuple[Array, Array]:
        """Translational increments are in world axes; rotational ones in principal axes, whose rotation adds
        −ω × δ to the rate.
        """
        S, C = np.zeros((6, 6)), np.zeros((6, 6))
        R = np.array(matrix(load4(q, 3))).reshape(3, 3)
        S[:3, :3], S[3:, 3:], C[3:, 3:] = crossed(spin), crossed(R.T @ spin), crossed(v[3:])
        return S, C

    @staticmethod
    def rate(q, v, q_dot):
        q_dot[0], q_dot[1], q_dot[2] = v[0], v[1], v[2]
        put_rate(q, 3, load3(v, 3), q_dot)

    @staticmethod
    def retract(q, dq):
        q[0] += dq[0]
        q[1] += dq[1]
        q[2] += dq[2]
        turn(q, 3, load3(dq, 3))

    @staticmethod
    def retract_tangent(dq, T):
        """exp(θ + ε) = exp(θ) exp(J ε) with the right Jacobian J of the rotation vector θ."""
        add_right_jacobian(T, 3, 3, load3(dq, 3))

    @staticmethod
    def normalise(q):
        normalise(q, 3)

    @staticmethod
    def internal(v, p, h):
        """−ω × J ω."""
        h[3] = (p[1] - p[2]) * v[4] * v[5]
        h[4] = (p[2] - p[0]) * v[5] * v[3]
        h[5] = (p[0] - p[1]) * v[3] * v[4]


def crossed(a: Array) -> Array:
    """[a]×, the matrix of the cross product."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def principal(inertia: Array) -> tuple[Array, Array]:
    """Principal moments (3,) [kg·m²] and axes (3, 3) as columns; the frame's axes if inertia is diagonal."""
    inertia = np.asarray(inertia, float)
    if not np.any(inertia - np.diag(np.diag(inertia))):
        return np.diag(inertia).copy(), np.eye(3)
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1.0
    return moments, axes
