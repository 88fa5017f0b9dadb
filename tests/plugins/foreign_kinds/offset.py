"""A rigid body whose state is that of its frame's origin P and not of its mass centre, at c from P: its mass
matrix is full and turns with it.

v = (ẋ_P in world axes, ω in body axes),  J_P about P
m ẍ_P + m R (ω̇ × c) = f − m R (ω × (ω × c))
J_P ω̇ + m c × (Rᵀ ẍ_P) = τ_P − ω × J_P ω
"""

from __future__ import annotations

import numpy as np
from mbplugin_bodies.spatial import Spatial

from mbplugin.interface import BodyPlan, quaternion_of
from mbplugin.math.vec3 import cross, load9, rotate


class Offset(Spatial):
    name = "foreign_offset"

    @staticmethod
    def plan(params, mass, plane) -> BodyPlan:
        c = np.asarray(mass.center_of_mass, float)
        about = np.asarray(mass.inertia, float) + mass.mass * (c @ c * np.eye(3) - np.outer(c, c))
        return BodyPlan(mass=None, parameters=np.concatenate([[mass.mass], c, about.ravel()]), origin=c)

    @staticmethod
    def coordinates(position, R, velocity, w, plan, plane):
        return np.concatenate([position, quaternion_of(R)]), np.concatenate([velocity, R.T @ w])

    @staticmethod
    def point(position, axes, plan):
        return np.concatenate([position, axes.ravel()])

    @staticmethod
    def inertia(c, p, M):
        m, centre = p[0], (p[1], p[2], p[3])
        for i in range(3):
            for j in range(3):
                M[6 * i + j] = m if i == j else 0.0
                M[6 * (3 + i) + 3 + j] = p[4 + 3 * i + j]
        for j in range(3):
            e = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            column = rotate(load9(c, 0), cross(e, centre))
            for i in range(3):
                M[6 * i + 3 + j] = m * column[i]
                M[6 * (3 + j) + i] = m * column[i]

    @staticmethod
    def internal(v, c, p, h):
        m, centre, w = p[0], (p[1], p[2], p[3]), (v[3], v[4], v[5])
        f = rotate(load9(c, 0), cross(w, cross(w, centre)))
        t = cross(w, rotate(load9(p, 4), w))
        for i in range(3):
            h[i], h[3 + i] = -m * f[i], -t[i]
