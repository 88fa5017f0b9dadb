"""Pictures of the last steps before an error: who had a part in it is red and named, and in sight."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, solver, spring, table, world
from screen_points import Shot, part

import mbplugin as mb
from mbplugin.errors import PhysicsError
from mbplugin.viz import gl
from mbplugin.viz.culprits import frames_in_sight
from mbplugin.viz.joints import Joints
from mbplugin.viz.lines import Lines
from mbplugin.viz.movie import usual_frame
from mbplugin.viz.names import Names

pytestmark = pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
CUBE = [{"type": "box", "size": [0.3, 0.3, 0.3]}]


@pytest.fixture(scope="module")
def last(tmp_path_factory):
    """A cube that a stiff spring flings away, one that only slides, and a point on a spring."""
    text = world(gravity=[0, 0, -1])
    text += body("flung", density=1000, position=[1, 0, 0], marker=[{"name": "eye"}], shape=CUBE)
    text += body("calm", density=1000, position=[0, 1, 0], shape=CUBE)
    text += body("point", type="point", mass=1, position=[0, 0, 1], marker=[{"name": "eye"}])
    text += joint("rail", "translational", "ground", "calm", at=[0, 1, 0], axis=[1, 0, 0])
    text += spring("ground", "flung.eye", name="stiff", stiffness=3e5, length=0.5)
    text += spring("ground", "point.eye", name="soft", stiffness=3, length=0.5)
    text += solver(integrator="rk4", step=0.1, end=40.0) + table("output", frames=2, series=False)
    with pytest.raises(PhysicsError) as stopped:
        mb.System.from_text(text).run(tmp_path_factory.mktemp("last") / "out")
    return mb.load(stopped.value.last_steps)


def shot_of(last, **options):
    return Shot(last, frame=usual_frame(last.raw), **options)


def places(last, name):
    return last.raw["bodies/position"][usual_frame(last.raw), last.bodies.index(name)]


def test_the_picture_shows_the_last_frame_in_which_all_are_near(last):
    x = np.abs(last.raw["bodies/center_of_mass"]).max(axis=(1, 2))
    assert frames_in_sight(last.raw) < last.raw.frames and x[-1] > 100.0
    assert x[: frames_in_sight(last.raw)].max() < 10.0 < x[frames_in_sight(last.raw)] * 10.0
    with shot_of(last, joints=False) as shot:
        assert shot.stage.size < 20.0


def test_those_that_had_a_part_are_red_and_named(last):
    with shot_of(last) as shot:
        red, pale = (shot.colour(places(last, name)) for name in ("flung", "calm"))
        labels = set(part(shot, Names).boxes)
        lines = part(shot, Lines)
        marked = {name for name, mark in zip(lines.elements, lines.marked) if mark}
        joints = part(shot, Joints)
    assert red[0] > 3 * red[1] and np.ptp(pale) < 12
    assert labels == {"flung", "stiff"} and marked == {"stiff"} and not joints.marked


def test_a_body_without_a_shape_is_pale_too(last):
    with shot_of(last, joints=False) as shot:
        assert np.ptp(shot.colour(places(last, "point"))) < 12
