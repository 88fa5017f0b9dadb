"""Arrows tell the forces of joints, drives, ropes and contacts, however large."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from screen_points import Shot, part
from test_looks import box_result

import mbplugin as mb
from mbplugin.cli.commands import with_value
from mbplugin.viz import Options, gl
from mbplugin.viz.arrows import LONGEST, TIP, USUAL, ForceScale, arrow_mesh
from mbplugin.viz.forces import Drives, Reactions, sources_of
from mbplugin.viz.legend import ForceLegend
from mbplugin.viz.torques import TorqueArcs

drawn = pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")


def driven(reverse: bool = False) -> mb.Result:
    """A mass of 2 kg that is lifted with 1 m/s², and a wheel that is turned with 3 rad/s²."""
    system = mb.System(solver={"type": "rk", "end": 0.1}, output={"frames": 2, "series": False})
    for name, x in (("load", 0.0), ("wheel", 2.0)):
        shape = [{"type": "box", "size": [0.3, 0.2, 0.3]}]
        system.add(mb.Body(name=name, mass=2, inertia=[3, 4, 3], position=[x, 0, 0.5 * (x > 0)], shape=shape))
    ends = {"a": "load", "b": "ground"} if reverse else {"a": "ground", "b": "load"}
    system.add(mb.Joint(name="hoist", type="translational", **ends, at=[0.7, 0, 0], axis=[0, 0, 1]))
    system.add(mb.Joint(name="pin", type="revolute", a="ground", b="wheel", at=[2, 0, 0.5], axis=[0, 1, 0]))
    lift = "-0.5*time**2" if reverse else "0.5*time**2"
    system.add(mb.Motion(joint="hoist", length=lift))
    system.add(mb.Motion(joint="pin", angle="1.5*time**2"))
    return system.run(files=False)


@pytest.mark.parametrize("reverse", [False, True], ids=["b is lifted", "a is lifted"])
def test_drives_have_their_force_at_the_joint_on_body_b(reverse):
    raw = driven(reverse).raw
    drives, frame = Drives(raw), raw.frame(1)
    point, force, torque = drives.wrenches(frame)
    sign = -1.0 if reverse else 1.0
    np.testing.assert_allclose(force, [[0, 0, sign * 2 * (9.81 + 1.0)], [0, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(torque, [[0, 0, 0], [0, 4 * 3.0, 0]], atol=1e-6)
    assert not torque[0].any()
    np.testing.assert_allclose(point, frame["joints/position"])
    assert drives.largest()[1] == pytest.approx(2 * 10.81)
    assert drives.largest_torque()[1] == pytest.approx(12.0)


@drawn
def test_drives_and_their_legend_are_drawn():
    with Shot(driven(), 1, forces=True) as shot:
        legend, arcs = part(shot, ForceLegend), part(shot, TorqueArcs)
        assert [name for name, _ in legend.kinds] == ["reaction", "drive"]
        assert arcs.largest == pytest.approx(12.0) and arcs.lines.n_points > 3
        texts = {actor.GetInput() for actor in shot.stage.front.shown_texts()}
        assert any("largest torque 12 N m" in text for text in texts)


def test_the_rope_of_a_pulley_pulls_at_both_ends(results):
    raw = results("atwood", 0.1).raw
    frame = raw.frame(3)
    point, force, _ = Reactions(raw).at(3, frame)
    joints, lines = raw.names("joints"), raw.names("lines")
    pulleys = [name for name in joints if name in lines]
    assert len(pulleys) == 2 and len(point) == len(joints) + 2
    loads = dict.fromkeys(raw.attribute("loads/name", []))
    wrench = dict(zip(loads, frame["loads/wrench"]))
    for k, (rope, body) in enumerate(zip(pulleys, ("heavy", "counterweight"))):
        np.testing.assert_allclose(point[len(joints) + k], frame["lines/ends"][lines.index(rope), 1])
        # the block hangs on two strands
        np.testing.assert_allclose(force[len(joints) + k], wrench[f"{rope} on {body}"][:3], atol=1e-9)
        assert force[len(joints) + k, 2] > 10.0


def test_a_larger_force_has_a_longer_arrow_and_an_impact_a_short_thin_one():
    scale, sizes = ForceScale(1.0, 3.0), np.array([0.0, 1.0, 1.9, 93.0, 186.0, 279.0, 372.0])
    force = np.column_stack([sizes, 0 * sizes, 0 * sizes])
    length = np.linalg.norm(scale.arrows(force), axis=1)
    np.testing.assert_allclose(length[:3], sizes[:3] * USUAL * 3.0)
    assert (np.diff(length) > 0.04).all() and length[-1] < 2.0 * LONGEST * 3.0
    assert list(scale.broken(force)) == [False] * 3 + [True] * 4
    if gl.can_draw():
        starts = np.zeros((7, 3))
        mesh = arrow_mesh(starts, scale.arrows(force), scale.broken(force), TIP * 3.0)
        left, right, *across = mesh.bounds
        assert (left, right) == pytest.approx((0.0, length[-1]), abs=1e-6)
        assert np.ptp(across[:2]) < TIP * 3.0


@drawn
def test_the_camera_sees_arrows_and_ropes(results):
    """The rope runs over a wheel above everything else; reactions point out of the scene."""
    result = results("atwood", 0.1)
    for scale in (None, 1.0):
        with Shot(result, forces=True, force_scale=scale) as shot:
            for frame in range(0, result.raw.frames, 4):
                shot.show(frame)
                for head in (head for each in shot.stage.parts for head in getattr(each, "heads", ())):
                    row, column = shot.place(head + shot.stage.origin)
                    assert 0 <= row < 360 and 0 <= column < 640
            assert (np.linalg.norm(shot.stage.motion.points - [-0.6, 0, 0.1], axis=1) < 0.01).any()


def test_forces_are_chosen():
    raw = box_result().raw
    assert [type(source).__name__ for source in sources_of(raw)] == ["Reactions"]
    assert sources_of(raw, ["contacts"]) == []
    with refused("forces", "contact"):
        Options(forces="contact")
    with refused("forces", "drive"):
        Options(forces=("joints", "drive"))
    with refused("force_scale", 0.0):
        Options(forces=True, force_scale=0.0)
    with refused("force_scale", 5.0):
        Options(force_scale=5.0)
    if gl.can_draw():
        with refused("forces", "contacts"):
            Shot(box_result(), forces=("joints", "contacts"))


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("out --forces", "out --forces=all"),
        ("--forces out", "--forces=all out"),
        ("out --forces contacts -o a.png", "out --forces=contacts -o a.png"),
        ("--forces joints,drives out", "--forces=joints,drives out"),
        ("out --forces=contacts", "out --forces=contacts"),
        ("out --forces --names", "out --forces=all --names"),
    ],
)
def test_the_option_forces_may_have_a_value(given, read):
    assert with_value(given.split()) == read.split()
