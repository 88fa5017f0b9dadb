"""A thin disc that rolls on the plane z = 0 of the ground, as a scene; and its steady circle.

With the axis at the angle θ from the normal, precession Ω, spin ω₃ about the axis, moments A across and C
about it:

    (C + m R²) ω₃ Ω sin θ − A Ω² sin θ cos θ + m g R cos θ = 0            (L̇ = c × F, F = m (a + g n))
"""

from __future__ import annotations

import numpy as np
from scene_text import body, joint, solver, world

MASS, RADIUS, GRAVITY = 1.5, 0.4, 9.81
ACROSS, ABOUT = 0.25 * MASS * RADIUS**2, 0.5 * MASS * RADIUS**2


def disc(centre, axis, velocity, w, gravity, kind="rolling_disc", more="", plane="ground.floor"):
    """Text of the scene; `kind` is the joint that rolls, `plane` the marker on whose plane it does."""
    return (
        world(gravity=gravity, marker=[{"name": "floor"}])
        + body(
            "disc",
            mass=MASS,
            inertia=[ACROSS, ACROSS, ABOUT],
            position=centre,
            orientation={"z": axis, "x": np.cross(axis, [0.3, 0.2, 0.9])},
            velocity=velocity,
            angular_velocity=w,
            marker=[{"name": "centre"}],
        )
        + joint("rolls", kind, plane, "disc.centre", radius=RADIUS)
        + more
        + solver(tolerance=1e-10, end=1.5)
    )


class SteadyCircle:
    """Centre, axis, velocity and angular velocity at t = 0 of a disc that leans by `lean` and goes round at
    the rate `precession`.
    """

    def __init__(self, lean, precession):
        n, self.axis = np.array([0, 0, 1.0]), np.array([np.sin(lean), 0, np.cos(lean)])
        u = (n - np.cos(lean) * self.axis) / np.sin(lean)
        balance = ACROSS * precession**2 * np.sin(lean) * np.cos(lean) - MASS * GRAVITY * RADIUS * np.cos(
            lean
        )
        spin = balance / ((ABOUT + MASS * RADIUS**2) * precession * np.sin(lean))
        self.w = precession * np.sin(lean) * u + spin * self.axis
        self.velocity, self.centre = -RADIUS * spin * np.cross(u, self.axis), RADIUS * u
        self.lean, self.spin = lean, spin
        self.precession, self.arm = precession, np.cross(n, self.velocity) / precession

    def turn(self, t):
        """How far it went round."""
        c, s = np.cos(self.precession * t), np.sin(self.precession * t)
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])

    def place(self, t):
        """Position of the centre: the centre of the circle stays."""
        return self.centre + self.arm - self.turn(t) @ self.arm

    def scene(self, kind="rolling_disc"):
        return disc(self.centre, self.axis, self.velocity, self.w, [0, 0, -GRAVITY], kind)
