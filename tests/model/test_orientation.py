"""Orientations against scipy's rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from snapshots import same_message

from mbplugin.errors import SceneError
from mbplugin.model.orientation import Orientation, from_matrix, matrix


def rotation(**keys):
    return matrix(Orientation(**keys).to_quaternion())


@pytest.mark.parametrize("order", ["xyz", "ZXZ", "zyx", "YXZ", "zxz", "XYX"])
def test_euler_angles_are_those_of_scipy(order):
    angles = [0.3, -1.1, 2.4]
    expected = Rotation.from_euler(order, angles).as_matrix()
    assert rotation(euler=order, angles=angles) == pytest.approx(expected, abs=1e-15)
    assert rotation(euler=order, angles_deg=np.degrees(angles)) == pytest.approx(expected, abs=1e-15)


def test_axis_and_angle_turn_about_the_axis():
    axis = np.array([1.0, -2.0, 0.5])
    expected = Rotation.from_rotvec(0.7 * axis / np.linalg.norm(axis)).as_matrix()
    assert rotation(axis=axis, angle=0.7) == pytest.approx(expected, abs=1e-15)
    assert rotation(axis=axis, angle_deg=np.degrees(0.7)) == pytest.approx(expected, abs=1e-15)


def test_given_axes_are_columns_of_the_rotation():
    R = rotation(z=[1, 1, 0], x=[0, 0, 3])
    assert R[:, 2] == pytest.approx(np.array([1, 1, 0]) / np.sqrt(2))
    assert R[:, 0] == pytest.approx([0, 0, 1])
    assert np.linalg.det(R) == pytest.approx(1.0)


def test_x_is_made_perpendicular_to_z():
    R = rotation(z=[0, 0, 1], x=[1, 0, 5])
    assert pytest.approx(np.eye(3), abs=1e-15) == R


def test_a_quaternion_is_made_unit():
    assert Orientation(quaternion=[2, 0, 0, 0]).to_quaternion() == (1.0, 0.0, 0.0, 0.0)


def test_an_angle_alone_turns_about_the_normal_of_the_plane():
    q = Orientation(angle_deg=90).to_quaternion((0.0, -1.0, 0.0))
    assert matrix(q) @ [1, 0, 0] == pytest.approx([0, 0, 1], abs=1e-15)  # in the xz plane, x turns towards z


def test_every_rotation_matrix_has_its_quaternion():
    rotations = Rotation.random(200, random_state=1).as_matrix()
    turns = [Rotation.from_rotvec(np.pi * np.array(a)).as_matrix() for a in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
    for R in [*rotations, *turns]:
        assert matrix(from_matrix(R)) == pytest.approx(R, abs=1e-14)


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"axis": [0, 0, 1]},
        {"axis": [0, 0, 1], "angle": 1, "angle_deg": 1},
        {"quaternion": [1, 0, 0, 0], "angle": 1},
        {"axis": [0, 0, 0], "angle": 1},
        {"quaternion": [0, 0, 0, 0]},
        {"quaternion": [1, 0, 0]},
        {"euler": "xxz", "angles": [1, 2, 3]},
        {"euler": "xYz", "angles": [1, 2, 3]},
        {"euler": "xy", "angles": [1, 2, 3]},
        {"z": [0, 0, 1], "x": [0, 0, 2]},
        {"z": [0, 0, 1]},
        {"axes": [0, 0, 1], "angle": 1},
    ],
)
def test_an_incomplete_orientation_is_refused(keys):
    with pytest.raises(SceneError) as caught:
        Orientation(**keys)
    assert caught.value.key.startswith("Orientation")
    same_message(str(caught.value))
