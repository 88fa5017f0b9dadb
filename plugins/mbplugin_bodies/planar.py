"""A rigid body that moves in the scene's plane.

q = (x, y, θ),  v = (ẋ, ẏ, ω)                    of the mass centre, along e₁, e₂, about n = e₁ × e₂
m ẍ = f·e₁,  m ÿ = f·e₂,  J ω̇ = τ·n             τ about the mass centre
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from mbplugin.interface import Array, BodyKind, BodyPlan, jit
from mbplugin.math.vec3 import (
    ZERO,
    add,
    cross,
    dot,
    load3,
    load9,
    product,
    product_back,
    rotate,
    rotate_back,
    scale,
    store3,
    store9,
    sub,
)


class Planar(BodyKind):
    name = "planar"
    nq, nv, scratch, record = 3, 3, 13, 12
    in_plane = True
    rigid = True

    @staticmethod
    def plan(params, mass, plane) -> BodyPlan:
        moment = plane[:, 2] @ np.asarray(mass.inertia, float) @ plane[:, 2]
        return BodyPlan(
            mass=np.array([mass.mass, mass.mass, moment]),
            parameters=plane.ravel().copy(),
            origin=np.asarray(mass.center_of_mass, float),
            axes=np.eye(3),
        )

    @staticmethod
    def coordinates(
        position: Array, R: Array, velocity: Array, w: Array, plan: BodyPlan, plane: Array
    ) -> tuple[Array, Array]:
        """q (3,), v (3,) from position, axes R, velocity and angular velocity of the body frame, world."""
        arm = R @ plan.origin
        e1, e2, n = plane.T
        angle = np.arctan2(e2 @ R @ e1, e1 @ R @ e1)
        x, v = position + arm, velocity + np.cross(w, arm)
        return np.array([e1 @ x, e2 @ x, angle]), np.array([e1 @ v, e2 @ v, n @ w])

    @staticmethod
    def point(position: Array, axes: Array, plan: BodyPlan) -> Array:
        """Point record (12,) of a marker, from its position [m] and axes in the body frame."""
        return np.concatenate([position - plan.origin, axes.ravel()])

    @staticmethod
    def prepare(q, v, p, c):
        """c = R row by row, ω.   R = cos θ (1 − n nᵀ) + sin θ [n]× + n nᵀ:  rotation by θ about n"""
        n = (p[2], p[5], p[8])
        cs, sn = cos(q[2]), sin(q[2])
        for i in range(3):
            for j in range(3):
                c[3 * i + j] = (1.0 - cs) * n[i] * n[j]
            c[4 * i] += cs
        c[1] -= sn * n[2]
        c[2] += sn * n[1]
        c[3] += sn * n[2]
        c[5] -= sn * n[0]
        c[6] -= sn * n[1]
        c[7] += sn * n[0]
        c[9], c[10], c[11] = v[2] * n[0], v[2] * n[1], v[2] * n[2]

    @staticmethod
    def locate(q, v, p, c, r):
        R = load9(c, 0)
        w, arm = load3(c, 9), rotate(R, load3(r, 0))
        swing = cross(w, arm)
        x, v_P = add(in_world(p, q), arm), add(in_world(p, v), swing)
        return x, product(R, load9(r, 3)), v_P, w, cross(w, swing), ZERO

    @staticmethod
    def point_at(q, p, c, x, R, r):
        R_body = load9(c, 0)
        store3(r, 0, rotate_back(R_body, sub(x, in_world(p, q))))
        store9(r, 3, product_back(R_body, R))

    @staticmethod
    def to_generalized_force(q, p, x, force, torque, out):
        e1, e2, n = (p[0], p[3], p[6]), (p[1], p[4], p[7]), (p[2], p[5], p[8])
        arm = sub(x, in_world(p, q))
        out[0] = dot(e1, force)
        out[1] = dot(e2, force)
        out[2] = dot(n, add(torque, cross(arm, force)))

    @staticmethod
    def geometric(q, v, p, c, x, force, torque, K, E):
        """A rotation δθ changes the arm by δθ n × arm, and the moment n·(arm × f) of a force in the plane by
        −δθ arm·f.
        """
        n, arm = (p[2], p[5], p[8]), sub(x, in_world(p, q))
        rotated = cross(n, arm)
        K[2, 2] = -dot(n, cross(rotated, force))
        on_v = cross(load3(c, 9), rotated)
        for i in range(3):
            E[i, 2] = on_v[i]

    @staticmethod
    def turning(q: Array, v: Array, p: Array, spin: Array) -> tuple[Array, Array]:
        """Increments of x, y rotate about n with the world; the increment of θ is invariant."""
        S = np.zeros((3, 3))
        S[1, 0] = spin @ p[2:9:3]
        S[0, 1] = -S[1, 0]
        return S, np.zeros((3, 3))

    @staticmethod
    def rate(q, v, q_dot):
        q_dot[0], q_dot[1], q_dot[2] = v[0], v[1], v[2]

    @staticmethod
    def retract(q, dq):
        q[0] += dq[0]
        q[1] += dq[1]
        q[2] += dq[2]


@jit
def in_world(p, q):
    """The first two coordinates or velocities as a vector in world axes."""
    return add(scale(q[0], (p[0], p[3], p[6])), scale(q[1], (p[1], p[4], p[7])))
