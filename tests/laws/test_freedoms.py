"""Constrained and free directions of each joint, by the poses of two bodies that a load has moved:
independent of the joint's rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_systems import Draws, Force, Scene, in_motion, random_body, random_joint, show

from mbplugin.model.orientation import matrix


def moved(scene: Scene, frame):
    """Where the joint's point, fixed in a and in b, has gone; what turns b's frame into a's and the axis as a
    has it.
    """
    joint = scene.joints[0]
    x = []
    for k, body in enumerate(scene.bodies):
        R = matrix(tuple(frame["bodies/orientation"][k]))
        place = joint.at if joint.type != "rod" else body.x + body.R @ body.eye
        x.append(frame["bodies/position"][k] + R @ body.R.T @ (place - body.x))
    Ra, Rb = (matrix(tuple(q)) @ body.R.T for q, body in zip(frame["bodies/orientation"], scene.bodies))
    return x[1] - x[0], Rb @ Ra.T, Ra @ joint.axis


@pytest.mark.parametrize(
    ("kind", "freedoms"), [("ball", 3), ("revolute", 1), ("translational", 1), ("fixed", 0), ("rod", 5)]
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_joint_leaves_exactly_the_freedoms_of_its_kind(runs, kind, freedoms, seed):
    draw = Draws(seed)
    level = lambda vector: vector
    bodies = tuple(random_body(draw, k, None, level) for k in range(2))
    joint = random_joint(draw, "j", 0, 1, (kind,), bodies, level)
    loads = [
        Force("load", "force", -1, 1, (), "20*cos(5*time)", draw.direction()),
        Force("twist", "torque", -1, 1, (), "5*cos(3*time)", draw.direction()),
    ]
    scene = in_motion(runs, Scene(bodies, (joint,), tuple(loads), np.zeros(3), np.zeros(3)), seed)
    start, end = show(runs, scene, (0.0, 0.5))
    assert start.prepared.rank.dof == 6 + freedoms
    d0, _, _ = moved(scene, start.frame)
    d, turn, axis = moved(scene, end.frame)
    along, angle = abs(d @ axis), np.linalg.norm(turn - np.eye(3))
    if kind in ("ball", "revolute", "fixed"):
        assert np.linalg.norm(d) < 1e-11
    if kind in ("translational", "fixed"):
        assert angle < 1e-11
    if kind == "ball":
        assert angle > 0.05
    if kind == "revolute":
        assert np.linalg.norm(turn @ axis - axis) < 1e-11 and angle > 0.01
    if kind == "translational":
        assert np.linalg.norm(np.cross(d, axis)) < 1e-11 and along > 0.01
    if kind == "rod":
        assert (
            abs(np.linalg.norm(d) - np.linalg.norm(d0)) < 1e-11
            and np.linalg.norm(d - d0) > 0.05
            and angle > 0.05
        )


def test_the_axis_of_a_joint_is_the_given_one(runs):
    """A slider along (1, 2, 2)/3 under its own weight falls with g·axis."""
    draw = Draws(5)
    body = replace(random_body(draw, 0, None, lambda vector: vector), x=np.zeros(3))
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    joint = replace(
        random_joint(draw, "j", -1, 0, ("translational",), (body,), lambda vector: vector), axis=axis
    )
    (shown,) = show(runs, Scene((body,), (joint,), (), np.array([0.0, 0.0, -9.0]), np.zeros(3)))
    np.testing.assert_allclose(shown.frame["bodies/acceleration"][0], -6.0 * axis, atol=1e-12)
