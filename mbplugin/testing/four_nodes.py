"""A body kind for checks of forces on faces: four free point masses, which are the nodes of its only face."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from mbplugin.interface import (
    Array,
    BodyContent,
    BodyKeys,
    BodyKind,
    BodyPlan,
    FaceRule,
    Faces,
    MassProperties,
)

#: mass of each node [kg]
MASS = 0.4
#: ξ, η of the nodes
CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
#: where they are in the body frame [m]; not in a plane
POINTS = np.array([[-0.6, -0.5, 0.1], [0.7, -0.4, 0.0], [0.5, 0.6, 0.2], [-0.4, 0.5, -0.1]])


def bilinear_rule() -> FaceRule:
    """2 × 2 Gauss points of a face of four nodes."""
    points = CORNERS / sqrt(3.0)
    first, second = (0.5 * (1.0 + points[:, None, k] * CORNERS[:, k]) for k in range(2))
    slopes = 0.5 * CORNERS
    return FaceRule(np.ones(4), first * second, slopes[:, 0] * second, first * slopes[:, 1])


def record(weights: Array, axes: Array) -> Array:
    """Point record: weights of the nodes, axes in the body frame."""
    return np.concatenate([weights, np.ravel(axes)])


class FourNodes(BodyKind):
    name = "four_nodes"
    nq, nv, scratch, record = 12, 12, 0, 13

    @staticmethod
    def content(params: Any, keys: BodyKeys) -> BodyContent:
        arms = POINTS - POINTS.mean(axis=0)
        inertia = MASS * (np.sum(arms**2) * np.eye(3) - arms.T @ arms)
        records = [record(weights, np.eye(3)) for weights in np.eye(4)]
        faces = Faces(POINTS, records, np.arange(4)[None], bilinear_rule())
        return BodyContent(MassProperties(4 * MASS, POINTS.mean(axis=0), inertia), faces=lambda name: faces)

    @staticmethod
    def plan(params: Any, mass: Any, plane: Array) -> BodyPlan:
        return BodyPlan(np.full(12, MASS), np.zeros(0), np.asarray(mass.center_of_mass))

    @staticmethod
    def coordinates(position, R, velocity, w, plan, plane) -> tuple[Array, Array]:
        arms = POINTS @ R.T
        return (position + arms).ravel(), (velocity + np.cross(w, arms)).ravel()

    @staticmethod
    def point(position: Array, axes: Array, plan: BodyPlan) -> Array:
        return record(np.full(4, 0.25), axes)

    @staticmethod
    def locate(q, v, r):
        x = u = (0.0, 0.0, 0.0)
        for k in range(4):
            i, w = 3 * k, r[k]
            x = (x[0] + w * q[i], x[1] + w * q[i + 1], x[2] + w * q[i + 2])
            u = (u[0] + w * v[i], u[1] + w * v[i + 1], u[2] + w * v[i + 2])
        still = (0.0, 0.0, 0.0)
        return x, (r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12]), u, still, still, still

    @staticmethod
    def to_generalized_force(r, force, out):
        for k in range(4):
            for i in range(3):
                out[3 * k + i] = r[k] * force[i]

    @staticmethod
    def rate(v, q_dot):
        for k in range(12):
            q_dot[k] = v[k]

    @staticmethod
    def retract(q, dq):
        for k in range(12):
            q[k] += dq[k]
