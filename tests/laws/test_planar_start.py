"""The given velocity of a body is that of its frame's origin; its mass centre has another one if it spins."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, solver, table

import mbplugin as mb


# without an impulse the given velocities are fitted once more, to what joints allow
@pytest.mark.parametrize("given", ["first", "impulse"])
@pytest.mark.parametrize(("plane", "places"), [("xy", [0, 1]), ("xz", [0, 2])])
def test_the_mass_centre_of_a_spinning_planar_body_starts_with_v_plus_omega_cross_arm(plane, places, given):
    v, w, angle, offset = np.array([1.0, 2.0]), 3.0, 0.5, np.array([0.3, 0.1])
    text = (
        table("scene", plane=plane, gravity=[0, 0, 0], given_velocities=given)
        + body(
            "plate",
            type="planar",
            mass=2.0,
            inertia=0.1,
            center_of_mass=offset.tolist(),
            orientation={"angle": angle},
            velocity=v.tolist(),
            angular_velocity=w,
        )
        + solver(end=1e-3)
    )
    plate = mb.System.from_text(text).compile().run()["plate"]
    arm = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ offset
    np.testing.assert_allclose(plate.center_of_mass[0, places], arm, atol=1e-14)
    np.testing.assert_allclose(
        plate.center_of_mass_velocity[0, places], v + w * np.array([-arm[1], arm[0]]), atol=1e-14
    )
