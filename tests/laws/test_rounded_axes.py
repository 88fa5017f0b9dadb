"""Axes that are parallel up to rounding: exactly, the loop locks, and with `angle_tolerance` it moves."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, solver, world

import mbplugin as mb
from mbplugin.errors import SceneError

TOLERANCE = 1e-5
#: hinges of a four-bar in the plane y = 0, and how their axes along y are tilted to x and z
PINS = [[0, 0, 0], [0.1, 0, 0.3], [0.6, 0, 0.5], [0.5, 0, 0]]
TILTS = [(1.0, -0.5), (-0.4, 1.0), (0.6, 0.2), (-0.8, -0.7)]


def linkage(tilt=0.0, slider=False, **scene):
    """Three bars, four hinges with axes along y but for `tilt` [rad]; or a slider along x for a bar."""
    text = world(gravity=[0, 0, -9.81], **scene)
    for k in range(2 if slider else 3):
        a, b = np.array(PINS[k]), np.array(PINS[k + 1])
        keys = {"mass": 1.0 + k, "inertia": [0.02, 0.01 * (k + 1), 0.02]}
        text += body(f"bar{k}", position=list((a + b) / 2), **keys)
    ends = ["ground", "bar0", "bar1", "bar2", "ground"]
    if slider:
        ends[3] = "block"
        text += body("block", mass=1.0, inertia=[0.01] * 3, position=PINS[2])
        text += joint("rail", "translational", "ground", "block", at=PINS[2], axis=[1, tilt, 0])
    for k, (x, z) in enumerate(TILTS[: 3 if slider else 4]):
        axis = [x * tilt, 1, z * tilt]
        text += joint(f"j{k}", "revolute", ends[k], ends[k + 1], at=PINS[k], axis=axis)
    return mb.System.from_text(text + solver(tolerance=1e-9, end=0.3))


def angle(result):
    return result.coordinate("j0.angle").value


@pytest.mark.parametrize(
    "tilt",
    [3.7e-5, 3.7e-8, *(pytest.param(tilt, marks=pytest.mark.slow) for tilt in (3.7e-6, 1.1e-6, 3.7e-7))],
)
def test_tilted_hinges_lock_and_the_run_does_not_move(tilt):
    """Whatever the tilt, the mobility that is printed is that of the motion, and few steps are taken."""
    system = linkage(tilt)
    report, result = system.check(), system.run(files=False)
    assert report.mobility == 0 and result.summary.dof == 0
    assert np.abs(angle(result) - angle(result)[0]).max() < 1e-9
    assert result.summary.steps < 200
    assert sum(m.level == "warning" for m in result.messages) == 1


def test_what_is_not_held_is_counted_as_free():
    system = linkage(1e-10)
    result = system.run(files=False)
    assert system.check().mobility == result.summary.dof == 1
    np.testing.assert_allclose(angle(result), angle(linkage().run(files=False)), atol=1e-8)


@pytest.mark.parametrize("slider", [False, True])
def test_the_report_offers_a_tolerance_with_which_the_linkage_moves_as_without_tilts(slider):
    tilted, straight = linkage(3.7e-6, slider), linkage(0.0, slider)
    report = tilted.check()
    assert report.mobility == 0 and "`angle_tolerance = 1e-05` in `[scene]`" in str(report)
    result, exact = (
        tilted.changed("scene.angle_tolerance", TOLERANCE).run(files=False),
        straight.run(files=False),
    )
    assert result.summary.dof == 1
    assert np.ptp(angle(exact)) > 0.1
    np.testing.assert_allclose(angle(result), angle(exact), atol=1e-8)
    (remark,) = [m.text for m in result.messages if "angle_tolerance" in m.text and m.level == "info"]
    assert "axes of joints were rotated" in remark


def test_markers_with_rounded_orientations_and_points_move_as_exact_ones():
    """A quarter turn as 1.5708 rad, and the ends of the loop, which are open, 4e-6 m apart along the axes."""

    def scene(quarter, gap, **keys):
        turned = {"axis": [1, 0, 0], "angle": quarter}
        at = lambda name, x, y=0.0: {"name": name, "position": [x, y, 0], "orientation": turned}
        text = world(gravity=[0, 0, -9.81], marker=[at("a", 0), at("d", 1)], **keys)
        at_end = [0.3 * np.cos(1), 0, 0.3 * np.sin(1)]
        for name, x, turn, length in (("crank", [0, 0, 0], -1.0, 0.3), ("rod", at_end, 0.0, 0.9)):
            marker = [{"name": "p", "orientation": turned}, at("q", length, gap if name == "rod" else 0.0)]
            placed = {"position": x, "orientation": {"axis": [0, 1, 0], "angle": turn}}
            text += body(name, mass=1.0, inertia=[0.01, 0.05, 0.05], marker=marker, **placed)
        rocker = {"position": [1, 0, 0], "orientation": {"axis": [0, 1, 0], "angle": -1.4}}
        marker = [{"name": "p", "orientation": {"axis": [1, 0, 0], "angle": np.pi / 2}}, at("q", 0.25)]
        text += body("rocker", mass=1.0, inertia=[0.01, 0.05, 0.05], marker=marker, **rocker)
        text += joint("j0", "revolute", "ground.a", "crank.p") + joint("j1", "revolute", "crank.q", "rod.p")
        text += joint("j2", "revolute", "rod.q", "rocker.q") + joint("j3", "revolute", "ground.d", "rocker.p")
        return mb.System.from_text(text + solver(tolerance=1e-9, end=0.4))

    exact = scene(np.pi / 2, 0.0).run(files=False)
    rounded = scene(1.5708, 4e-6, angle_tolerance=TOLERANCE).run(files=False)
    assert rounded.summary.dof == exact.summary.dof == 1
    np.testing.assert_allclose(angle(rounded), angle(exact), atol=1e-8)


def test_a_tolerance_changes_nothing_else():
    """Angles that are meant stay: a joint 1e-3 rad off, and one between other directions."""
    tilted = linkage(1e-3)
    same = tilted.changed("scene.angle_tolerance", TOLERANCE)
    assert same.check().mobility == tilted.check().mobility == 0
    assert not [m for m in same.run(files=False).messages if m.text.startswith("angle_tolerance")]


def test_a_tolerance_that_is_no_rounding_is_refused():
    with pytest.raises(SceneError) as caught:
        linkage(angle_tolerance=0.1)
    assert caught.value.key == "scene.angle_tolerance" and caught.value.value == 0.1
