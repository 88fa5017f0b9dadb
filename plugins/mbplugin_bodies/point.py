"""A point mass: it moves and does not rotate.

q = (x, quaternion w x y z),  v = ẋ in world axes        x: mass centre; the quaternion stays as it is
m ẍ = f                                                  torques and rows about it have no effect

A point record is the marker's position r and axes A in the body frame; the scene keeps r = 0. The axes keep
their directions in the world, so that markers and shapes have an orientation.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array, BodyKind, BodyPlan, quaternion_of
from mbplugin.math.quat import load4, matrix
from mbplugin.math.vec3 import ZERO, add, load3, load9, product, rotate, store9
from mbplugin_bodies.planar import Planar
from mbplugin_bodies.spatial import Spatial, crossed


class Point(BodyKind):
    name = "point"
    nq, nv, scratch, record = 7, 3, 9, 12
    rotates = False

    @staticmethod
    def plan(params, mass, plane) -> BodyPlan:
        return BodyPlan(
            mass=np.full(3, mass.mass), parameters=np.zeros(0), origin=np.asarray(mass.center_of_mass, float)
        )

    @staticmethod
    def coordinates(
        position: Array, R: Array, velocity: Array, w: Array, plan: BodyPlan, plane
    ) -> tuple[Array, Array]:
        """q (7,), v (3,) from position, axes R and velocity of the body frame, world."""
        return np.concatenate([position + R @ plan.origin, quaternion_of(R)]), np.array(velocity, float)

    point = staticmethod(Planar.point)

    @staticmethod
    def prepare(q, c):
        store9(c, 0, matrix(load4(q, 3)))

    @staticmethod
    def locate(q, v, c, r):
        R = load9(c, 0)
        x = add(load3(q, 0), rotate(R, load3(r, 0)))
        return x, product(R, load9(r, 3)), load3(v, 0), ZERO, ZERO, ZERO

    point_at = staticmethod(Spatial.point_at)

    @staticmethod
    def to_generalized_force(force, out):
        out[0], out[1], out[2] = force

    @staticmethod
    def geometric(K):
        """The generalized force is the force: K = 0, and velocities of points do not depend on q: E = 0."""

    @staticmethod
    def turning(q: Array, v: Array, p: Array, spin: Array) -> tuple[Array, Array]:
        """Increments are in world axes, which rotate with the world."""
        return crossed(spin), np.zeros((3, 3))

    @staticmethod
    def rate(v, q_dot):
        q_dot[0], q_dot[1], q_dot[2] = v[0], v[1], v[2]
        q_dot[3], q_dot[4], q_dot[5], q_dot[6] = 0.0, 0.0, 0.0, 0.0

    retract = staticmethod(Planar.retract)
    normalise = staticmethod(Spatial.normalise)
