"""What explains a picture: scale of arrows, traces, names, and lines that show what they are."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import SCENES, table
from screen_points import Shot, part
from test_looks import box_result

import mbplugin as mb
from mbplugin.viz import gl
from mbplugin.viz.forces import usual_force
from mbplugin.viz.layers import Edges
from mbplugin.viz.legend import ForceLegend
from mbplugin.viz.lines import COIL, DASHPOT, Lines, dashpot, on_wheel
from mbplugin.viz.names import Names
from mbplugin.viz.numbers import round_number, with_unit

drawn = pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")


@drawn
def test_the_legend_tells_the_scale_of_arrows(results):
    """The reference arrow has as many pixels as one of its force at the focus; the longest is the frame's."""
    result = results("piston_crank")
    with Shot(result, 5, forces=True, size=(1280, 720)) as shot:
        legend = part(shot, ForceLegend)
        largest = np.linalg.norm(result.raw["joints/force"][5], axis=1).max()
        assert f"largest force {with_unit(largest, 'N')}" in legend.text
        assert legend.text.startswith(with_unit(legend.reference, "N"))
        assert float(f"{legend.reference:e}"[0]) in (1, 2, 5)
        view = shot.stage.view
        right = np.cross(view.up, view.position - view.focus)
        ends = view.focus + np.outer(
            [0, legend.reference * legend.scale.factor], right / np.linalg.norm(right)
        )
        length = shot.place(ends[1])[1] - shot.place(ends[0])[1]
        # dark pixels of the row through the middle of the arrow, without the text beside it
        left, _, _, high = legend.box
        upper = 720 - round(high) + 19
        row = shot.picture[upper - 3 : upper + 4, round(left) : round(left + length + 15)].max(axis=2) < 90
        # the smoothed tip has another colour
        assert length - 10 <= np.ptp(np.nonzero(row)[1]) <= length + 1


def test_numbers_are_round_and_have_units():
    assert [round_number(x) for x in (1.0, 1.99, 2.0, 0.0499, 499.0)] == [1, 1, 2, 0.02, 200]
    assert [with_unit(x, "N") for x in (0.0, 999.6, 1234.0, 0.05, 2e7)] == [
        "0 N",
        "1 kN",
        "1.23 kN",
        "50 mN",
        "20 MN",
    ]
    assert with_unit(5e6, "m") == "5000 km"


@drawn
@pytest.mark.parametrize("name", ["box.corner", pytest.param("box", marks=pytest.mark.slow)])
def test_a_trace_reaches_up_to_now(name):
    """Of a box in motion along x: dark where the point was, not where it will be."""
    result = box_result(velocity=(10, 0, 0), end=1.0)
    offset = np.array([0.0, 0, 0] if name == "box" else [0.5, 0.5, 0.5])
    path = result["box"].position + offset
    with Shot(result, 2, trace=(name,), joints=False, view="top", ground=False) as shot:
        before, after = 0.5 * (path[0] + path[1]) - [1, 0, 0], path[3] + [0.0, 0, 0]
        assert shot.at(before, reach=2).max(axis=1).min() < 200
        assert shot.at(after, reach=2).min() > 215
        shot.show(4)
        assert shot.at(after - [1.0, 0, 0], reach=2).max(axis=1).min() < 200


@drawn
def test_a_trace_shines_through_bodies_and_ends_in_a_dot():
    """A trace inside the box that made it is lighter than beside it, and seen; the dot is dark on it."""
    result = box_result(velocity=(1, 0, 0), end=1.0)
    path = result["box"].position
    with Shot(result, 4, joints=False, view="front", ground=False, label=False) as shot:
        without = shot.picture
    with Shot(result, 4, trace=("box",), joints=False, view="front", ground=False, label=False) as shot:
        inside, beside = 0.5 * (path[3] + path[4]), 0.5 * (path[0] + path[1])
        row, column = shot.place(inside)
        plain, hidden = without[row, column], shot.picture[row, column]
        assert 30 < np.abs(hidden - plain).sum() < np.abs(shot.colour(path[4]) - plain).sum()
        assert shot.colour(beside).max() < 120 > shot.colour(path[4]).max()


@drawn
def test_a_trace_of_no_marker_is_refused_with_the_markers():
    result = box_result()
    with refused("trace", "box.tip"):
        Shot(result, trace=("box.tip",))
    with refused("trace", "bix.corner"):
        Shot(result, trace=("bix.corner",))


def rope_result(force: str) -> mb.Result:
    """A body on a rope along x, which pulls with this function of time."""
    system = mb.System(
        scene={"gravity": [0, 0, 0]}, solver={"type": "rk", "end": 0.2}, output={"frames": 2, "series": False}
    )
    ball = {"type": "sphere", "radius": 0.1}
    system.add(mb.Body(name="ball", mass=1e6, inertia=[1, 1, 1], position=[2, 0, 0], shape=[ball]))
    system.add(mb.Force(name="rope", type="line_force", a="ground", b="ball", force=force))
    return system.run(files=False)


@drawn
def test_a_slack_rope_is_dashed():
    result = rope_result("if(time < 0.15, 0, -1)")
    with Shot(result, view="front", joints=False, label=False) as shot:
        dark = []
        for frame in (0, 2):
            shot.show(frame)
            along = [shot.at([x, 0, 0]).max(axis=1).min() < 150 for x in np.linspace(0.1, 1.8, 100)]
            dark.append(np.mean(along))
    assert 0.3 < dark[0] < 0.85 and dark[1] == 1.0


@drawn
def test_the_strands_of_a_pulley_that_push_are_slack():
    """Under gravity the loads pull; if it points up, the rope would have to push."""
    slack = []
    for gravity in ("[0, 0, -9.81]", "[0, 0, 9.81]"):
        changes = {"scene.gravity": gravity, "output.frames": 2, "output.series": "false"}
        result = mb.System.from_file(SCENES / "atwood", changes).run(files=False, end=0.01)
        with Shot(result, joints=False) as shot:
            frame, lines = result.raw.frame(0), part(shot, Lines)
            slack.append({lines.slack(k, frame, b - a) for k, (a, b) in enumerate(frame["lines/ends"])})
    assert slack == [{False}, {True}]


@drawn
def test_a_spring_is_a_coil_and_a_damper_is_not(results):
    """The coil goes around the line between its ends, which it joins."""
    with Shot(results("spring_mass_chain"), joints=False) as shot:
        lines = part(shot, Lines)
        ends = shot.stage.raw.frame(0)["lines/ends"]
        assert set(lines.looks) == {COIL}
        points = lines.meshes[True, False].points[: len(lines.meshes[True, False].points) // len(ends)]
    a, b = ends[0]
    axis = (b - a) / np.linalg.norm(b - a)
    off = points - a - np.outer((points - a) @ axis, axis)
    np.testing.assert_allclose(points[[0, -1]], [a, b], atol=1e-6)
    assert np.linalg.norm(off, axis=1).max() == pytest.approx(lines.radius[0], rel=1e-4)


@pytest.mark.parametrize("length", [0.3, 1.0, 1.7])
def test_a_damper_is_a_dashpot_whose_piston_is_in_its_cylinder(length):
    """However long; its cylinder and its rod keep their lengths unless there is no room."""
    a, b = np.array([1.0, 0, 0]), np.array([1.0, length, 0])
    left, rod, bottom, top, piston, *_ = dashpot(a, b, 1.0, 0.05)
    np.testing.assert_allclose([left[0], rod[1]], [a, b])
    low, high, at = (ring[:, 1].mean() for ring in (bottom, top, piston))
    assert low <= at <= high < length + 1e-12 and left[1, 1] == pytest.approx(low)
    assert np.linalg.norm(bottom[:, [0, 2]] - [1, 0], axis=1) == pytest.approx(0.05)
    if length == 1.0:
        assert high - low == pytest.approx(0.45) and length - at == pytest.approx(0.5)


@drawn
def test_a_damper_is_drawn_as_one():
    system = mb.System(solver={"end": 0.1}, output={"frames": 1, "series": False})
    system.add(mb.Body(name="ball", mass=1, inertia=[1, 1, 1], position=[1, 0, 0]))
    system.add(mb.Force(name="d", type="spring_damper", a="ground", b="ball", damping=1.0))
    with Shot(system.run(files=False)) as shot:
        lines = part(shot, Lines)
        assert lines.looks == [DASHPOT] and lines.meshes[True, False].n_lines > 6


def test_a_rope_lies_on_its_wheel():
    """Strands that leave a wheel of radius 0.1 at its sides: the rope between is within 2 % of its circle."""
    down = np.array([0, 0, -1.0])
    a, b = np.array([-0.1, 0, 0]), np.array([0.1, 0, 0])
    points = on_wheel(a, a + down, b, b + down)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 0.1, rtol=0.02)
    assert points[:, 2].max() > 0.098
    # without visible corners
    steps = np.diff(points, axis=0)
    steps /= np.linalg.norm(steps, axis=1)[:, None]
    assert np.degrees(np.arccos((steps[1:] * steps[:-1]).sum(axis=1))).max() < 4.0
    # strands in one line
    along = np.array([1.0, 0, 0])
    straight = on_wheel(a, a - along, b, b + along)
    assert np.abs(straight[:, 1:]).max() == 0.0


@drawn
def test_the_rope_of_a_pulley_is_drawn_over_its_wheel(results):
    result = results("atwood", 0.1)
    with Shot(result, joints=False, size=(1280, 720)) as shot:
        over = np.array([-0.6, 0.0, 0.1])  # on top of the wheel of radius 0.1 about (−0.6, 0, 0)
        points = np.asarray(part(shot, Lines).meshes[False, False].points)
        seen = shot.stage.motion.points
    # the camera takes it into account
    assert np.linalg.norm(seen - over, axis=1).min() < 0.005
    assert np.linalg.norm(points - over, axis=1).min() < 0.005


@drawn
def test_bodies_without_room_for_their_names_are_counted():
    system = mb.System(
        scene={"gravity": [0, 0, 0]}, solver={"end": 0.1}, output={"frames": 1, "series": False}
    )
    for k in range(40):
        system.add(
            mb.Body(name=f"bead_{k}", mass=1, inertia=[1, 1, 1], position=[0.05 * (k % 20), k // 20, 0])
        )
    with Shot(system.run(files=False), names=True, size=(320, 240)) as shot:
        names = part(shot, Names)
        seen = names.boxes
        note = shot.stage.front.texts["left out"].GetInput()
    assert 2 <= len(seen) < 40 and len(seen) + names.left_out + names.hidden == 40
    assert f"{names.left_out} without room" in note


@drawn
def test_smooth_bodies_have_no_edges_inside():
    from mbplugin.math.primitives import unit_primitive

    assert Edges().mesh(*unit_primitive("sphere")).n_points == 0
    assert Edges().mesh(*unit_primitive("box")).n_lines == 12


def test_one_impact_does_not_make_the_other_arrows_vanish():
    """A ball that falls and then lies: arrows are made for its weight."""
    text = table("scene", collide=True, shape=[{"type": "plane"}])
    ball = [{"type": "sphere", "radius": 0.1}]
    text += table("body", name="ball", density=1000.0, position=[0, 0, 0.3], collide=True, shape=ball)
    text += table("solver", type="contact", step=1e-3, end=0.6) + table("output", frames=600)
    result = mb.System.from_text(text).run(files=False)
    weight = 9.81 * 1000.0 * 4 / 3 * np.pi * 0.1**3
    force = np.linalg.norm(result.list("contacts")["force"], axis=1)
    assert force.max() > 20 * weight
    assert usual_force(result.raw) == pytest.approx(weight, rel=1e-6)
