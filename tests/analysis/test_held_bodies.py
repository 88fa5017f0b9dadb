"""A body that a rigid joint between markers holds finds its place from any turn."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import stopped
from scene_text import body, joint, solver, table
from scipy.spatial.transform import Rotation

import mbplugin as mb
from mbplugin.errors import PhysicsError


def load_on(axis, angle, **keys):
    """A load whose marker is fixed to one of the ground, 1 m away and turned."""
    text = table(
        "scene", marker=[{"name": "m", "position": [0, 0, 1], "orientation": {"axis": axis, "angle": angle}}]
    )
    grip = [{"name": "grip", "position": [0.2, 0, 0]}]
    return text + body("load", mass=1.0, inertia=[1, 2, 2], marker=grip, **keys)


@pytest.mark.parametrize("axis", [[1, 0, 0], [1, 1, 1], [1, -2, 0.5]])
@pytest.mark.parametrize("angle", [0.4, 1.2, np.pi / 2, 2.5, np.pi])
@pytest.mark.parametrize("ends", [("ground.m", "load.grip"), ("load.grip", "ground.m")])
def test_a_load_is_put_where_its_markers_coincide(axis, angle, ends):
    text = load_on(axis, angle) + joint("flange", "fixed", *ends) + solver(end=0.1)
    load = mb.System.from_text(text).run(files=False)["load"]
    turn = Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis))
    found = Rotation.from_quat(load.orientation[0], scalar_first=True)
    assert (found * turn.inv()).magnitude() < 1e-9
    np.testing.assert_allclose(load.position[0], [0, 0, 1] - turn.apply([0.2, 0, 0]), atol=1e-9)


def test_it_goes_along_with_what_it_hangs_on():
    """The arm starts a quarter turn from where it is written; the load is on its end, turned half round."""
    tip = [{"name": "tip", "position": [0.5, 0, 0], "orientation": {"axis": [0, 0, 1], "angle_deg": 180}}]
    text = body("arm", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0], marker=tip)
    text += body("load", mass=1.0, inertia=[1, 1, 1], marker=[{"name": "grip"}])
    text += joint(
        "pivot", "revolute", "ground", "arm", at=[0, 0, 0], axis=[0, 1, 0], start={"angle": -np.pi / 2}
    )
    text += joint("flange", "fixed", "arm.tip", "load.grip") + solver(end=0.1)
    load = mb.System.from_text(text).run(files=False)["load"]
    np.testing.assert_allclose(load.position[0], [0, 0, 1], atol=1e-9)
    x = Rotation.from_quat(load.orientation[0], scalar_first=True).apply([1, 0, 0])
    np.testing.assert_allclose(x, [0, 0, -1], atol=1e-9)


def test_bodies_that_more_joints_hold_are_told_to_be_written_near_their_place():
    quarter = [{"name": "m", "orientation": {"axis": [1, 0, 0], "angle_deg": 90}}]
    text = body("a", mass=1.0, inertia=[1, 1, 1], marker=quarter)
    text += body("b", mass=1.0, inertia=[1, 1, 1], marker=[{"name": "m"}])
    text += joint("one", "ball", "ground", "a", at=[0, 0, 1]) + joint("flange", "fixed", "a.m", "b.m")
    text += joint("two", "point_on_plane", "ground", "b", at=[0, 0, 1], axis=[0, 0, 1]) + solver(end=0.1)
    with stopped(PhysicsError, "flange"):
        mb.System.from_text(text).run(files=False)
