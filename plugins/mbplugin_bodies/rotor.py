"""A rotor: what adds an inertia to a joint coordinate.

q = (s),  v = (ṡ)                   a s̈ = f,  T = ½ a ṡ²

The engine adds one for each `armature` of a joint, and a row that keeps s equal to the coordinate. It has one
velocity, and stands nowhere: its only marker is the point (0, 0, s), so that the component along z tells s.
Weight and torques have no effect on it, and it turns with no body, so there are no gyroscopic terms: that is
what the armature of MuJoCo and the rotor inertia of robots' data sheets mean.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array, BodyKind, BodyPlan, Parameters, Positive
from mbplugin.math.vec3 import ZERO, load9


class RotorParameters(Parameters):
    armature: Positive = 1.0  # type: ignore[assignment]
    """Inertia on the coordinate [kg·m²] of an angle, or [kg] of a length."""


class Rotor(BodyKind):
    name = "rotor"
    nq, nv, scratch, record = 1, 1, 0, 12
    parameters = RotorParameters

    @staticmethod
    def plan(params, mass, plane) -> BodyPlan:
        return BodyPlan(mass=np.array([params.armature]), parameters=np.zeros(0))

    @staticmethod
    def coordinates(
        position: Array, R: Array, velocity: Array, w: Array, plan: BodyPlan, plane
    ) -> tuple[Array, Array]:
        """q (1,), v (1,): the parts along z, the others do not exist."""
        return np.array([position[2]]), np.array([velocity[2]])

    @staticmethod
    def point(position: Array, axes: Array, plan: BodyPlan) -> Array:
        """Point record (12,) of a marker, from its position [m] and axes in the body frame."""
        return np.concatenate([position, axes.ravel()])

    @staticmethod
    def locate(q, v, r):
        return (r[0], r[1], r[2] + q[0]), load9(r, 3), (0.0, 0.0, v[0]), ZERO, ZERO, ZERO

    @staticmethod
    def to_generalized_force(force, out):
        out[0] = force[2]

    @staticmethod
    def geometric(K):
        """The generalized force is the force along z: K = 0, and velocities do not depend on q: E = 0."""

    @staticmethod
    def turning(q: Array, v: Array, p: Array, spin: Array) -> tuple[Array, Array]:
        """A coordinate of a joint does not rotate with the world."""
        return np.zeros((1, 1)), np.zeros((1, 1))

    @staticmethod
    def rate(v, q_dot):
        q_dot[0] = v[0]

    @staticmethod
    def retract(q, dq):
        q[0] += dq[0]
