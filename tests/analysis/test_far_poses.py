"""Arms whose joints start anywhere: the assembly finds each pose, not one with an axis that points the other
way.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, hinge, motion, solver
from scipy.spatial.transform import Rotation
from small import system

AXES = np.array([[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]])
LINK = np.array([0.5, 0.1, 0.2])


def arm(angles, how: str) -> str:
    """Six links, each with its hinge at its origin and the next one at LINK, held at these angles."""
    text = ""
    for i, (axis, angle) in enumerate(zip(AXES, angles)):
        text += body(f"link{i}", mass=1.0 + i, inertia=[0.1, 0.2, 0.15], position=i * LINK)
        before = f"link{i - 1}" if i else "ground"
        keys = {"start": {"angle": float(angle)}} if how == "start" else {}
        text += hinge(f"hinge{i}", before, f"link{i}", at=i * LINK, axis=axis, **keys)
        if how == "motion":
            text += motion(f"hinge{i}", angle=repr(float(angle)))
    return text + solver(end=0.1)


def forward_kinematics(angles):
    """Origins (6, 3) and axes (6, 3, 3) of the links by the product of their rotations."""
    R, x, places, turned = Rotation.identity(), np.zeros(3), [], []
    for axis, angle in zip(AXES, angles):
        R = R * Rotation.from_rotvec(angle * axis)
        places.append(x)
        turned.append(R.as_matrix())
        x = x + R.apply(LINK)
    return np.array(places), np.array(turned)


@pytest.mark.parametrize("how", ["motion", "start"])
def test_an_open_chain_takes_every_pose(how):
    random = np.random.default_rng(0)
    for _ in range(15):
        angles = random.uniform(-3.1, 3.1, 6)
        simulation = system(arm(angles, how)).simulate()
        places, turned = forward_kinematics(angles)
        for i in range(6):
            link = simulation[f"link{i}"]
            np.testing.assert_allclose(link.position, places[i], atol=1e-9)
            w, x, y, z = link.orientation
            np.testing.assert_allclose(Rotation([x, y, z, w]).as_matrix(), turned[i], atol=1e-9)
            assert simulation.coordinate(f"hinge{i}.angle").value == pytest.approx(angles[i], abs=1e-9)


def test_position_analysis_takes_the_same_short_steps():
    angles = [1.5, -1.57, 2.0, -2.0, -1.57, 1.5]
    report = system(arm(angles, "motion")).analyze("position")
    np.testing.assert_allclose(report.position, forward_kinematics(angles)[0], atol=1e-9)
    assert report.steps[-1][1] < 1e-12 and min(fraction for fraction, _ in report.steps) < 0.5
