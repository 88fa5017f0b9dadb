"""Drawn limits: stops stay on the one body, pointers move with the other."""

from __future__ import annotations

import numpy as np
import pytest
import pyvista
from mbplugin_joints.joints import Revolute, Translational
from mbplugin_joints.measures.distance import Distance
from mbplugin_joints.shafts import Universal
from scene_text import body, joint, solver, world

import mbplugin as mb
from mbplugin.compile.axes import axis_of
from mbplugin.decoder.rotation import rotation
from mbplugin.export.limits import LOWER, POINTER, RANGE, UPPER, Limits

AXIS = np.array([1.0, 2.0, 2.0]) / 3
LOW, HIGH = -0.4, 0.9


def moving(kind: str, ground_is_b: bool = False, ends=(LOW, HIGH)) -> mb.Result:
    """A carrier that tumbles, and an arm that turns or slides on it between limits."""
    text = world() + body("carrier", mass=50, inertia=[5, 6, 7], angular_velocity=[0.3, -0.4, 0.5])
    place = {"position": [0.5, -0.2, 0.1], "velocity": [0.5, -0.4, 1.2]}
    text += body("arm", mass=1, inertia=[0.1, 0.1, 0.1], **place)
    a, b = ("arm", "ground") if ground_is_b else ("carrier", "arm")
    text += joint("pin", kind, a, b, at=[0.1, 0.1, 0.1], axis=AXIS.tolist(), limits=list(ends))
    return mb.System.from_text(text + solver(tolerance=1e-9, end=2.0)).run(files=False)


def lines(result: mb.Result, carrier: bool = True):
    """Value of the coordinate, part -> points, in the axes of the carrier if it is one, and which are
    touched; frame by frame.
    """
    limits = Limits(result.raw.static())
    for i in range(result.raw.frames):
        frame = result.raw.frame(i)
        R, x = rotation(frame["bodies/orientation"][0]), frame["bodies/position"][0]
        if not carrier:
            R, x = np.eye(3), np.zeros(3)
        found = zip(limits.parts, limits.at(frame, 0.1))
        parts = {part.what: (line - x) @ R for part, line in found}
        yield float(frame["coordinates/value"][0]), parts, limits.reached(frame)


@pytest.mark.parametrize("ground_is_b", [False, True])
def test_stops_of_a_hinge_stay_and_the_pointer_is_as_far_from_them_as_the_angle(ground_is_b):
    seen = list(lines(moving("revolute", ground_is_b), carrier=not ground_is_b))
    _, first, _ = seen[0]
    for value, parts, _ in seen:
        for what in (LOWER, UPPER, RANGE):
            np.testing.assert_allclose(parts[what], first[what], atol=1e-8)
        for what, end in ((LOWER, LOW), (UPPER, HIGH)):
            one, other = (parts[k][1] - parts[k][0] for k in (POINTER, what))
            sine = np.cross(one, other) @ AXIS / np.linalg.norm(one) / np.linalg.norm(other)
            away = value - end if ground_is_b else end - value
            assert sine == pytest.approx(np.sin(away), abs=1e-8)
    assert min(value for value, _, _ in seen) < LOW + 1e-6


@pytest.mark.parametrize("ground_is_b", [False, True])
def test_stops_of_a_slide_stay_and_its_pointer_is_at_its_place(ground_is_b):
    seen = list(lines(moving("translational", ground_is_b), carrier=not ground_is_b))
    _, first, _ = seen[0]
    for value, parts, _ in seen:
        for what in (LOWER, UPPER):
            np.testing.assert_allclose(parts[what], first[what], atol=1e-8)
        place = parts[POINTER][:4].mean(axis=0)
        low, high = (parts[what][:4].mean(axis=0) for what in (LOWER, UPPER))
        np.testing.assert_allclose(parts[RANGE], [low, high], atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(place - low), value - LOW, atol=1e-8)
        np.testing.assert_allclose(np.linalg.norm(high - place), HIGH - value, atol=1e-8)


def test_a_side_without_a_limit_is_open_and_has_no_stop():
    for _, parts, _ in lines(moving("revolute", ends=(LOW, np.inf))):
        assert set(parts) == {RANGE, LOWER, POINTER}
        np.testing.assert_allclose(
            np.cross(parts[LOWER][1] - parts[LOWER][0], parts[RANGE][0] - parts[LOWER][0]), 0.0, atol=1e-12
        )


def test_the_series_has_the_lines_and_a_stop_that_is_touched(tmp_path):
    text = world() + body("mass", mass=3, inertia=[1, 1, 1], position=[0, 0, 1])
    text += joint("rail", "translational", "ground", "mass", at=[0, 0, 1], axis=[0, 0, 1], limits=[-1, 2])
    mb.System.from_text(text + solver(tolerance=1e-9, end=1.0) + "[output]\nframes = 5\n").run(tmp_path)
    reader = pyvista.get_reader(str(tmp_path / "limits.pvd"))
    meshes = []
    for t in reader.time_values:
        reader.set_active_time_value(t)
        meshes.append(reader.read()[0])
    first, last = meshes[0], meshes[-1]
    assert first.n_lines == 1 + 3 * 4 and set(first["part"]) == {RANGE, LOWER, UPPER, POINTER}
    assert set(first["coordinate_name"]) == {"rail.length"} and not first["touched"].any()
    held = last.extract_points(last["touched"] == 1, adjacent_cells=False)
    assert held.n_points == 5 and np.abs(held.points[:, 2]).max() < 1e-9


@pytest.mark.parametrize(
    ("measure", "found"),
    [
        (Revolute.coordinates["angle"], (0, [0, 0, 1])),
        (Translational.coordinates["length"], (0, [0, 0, 1])),
        (Universal.coordinates["angle_x"], (0, [1, 0, 0])),
        (Universal.coordinates["angle_y"], (1, [0, 1, 0])),
        (Distance, None),
    ],
)
def test_the_axis_of_a_measure_is_that_of_the_marker_to_which_it_is_fixed(measure, found):
    axis = axis_of(measure)
    if found is None:
        assert axis is None
        return
    assert axis[0] == found[0]
    np.testing.assert_allclose(axis[1], found[1], atol=1e-12)
