"""Names stand on what they name, and cover neither each other nor what explains the picture."""

from __future__ import annotations

import numpy as np
import pytest
from screen_points import Shot, part

import mbplugin as mb
from mbplugin.viz import gl
from mbplugin.viz.labels import Crowd, Placement
from mbplugin.viz.legend import ForceLegend
from mbplugin.viz.lines import Lines
from mbplugin.viz.names import Names

drawn = pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
COLOURS = {"red": [0.9, 0.1, 0.1], "green": [0.1, 0.7, 0.1]}
CENTRES = {
    "one mass centre": ((0, 0, 0), (0, 0.06, 0)),
    "frames at one point": ((0.5, 0, 0), (0.4, 0.06, 0.5)),
}
NOWHERE = np.zeros((0, 2)), np.zeros(0)


def system_of(**extra) -> mb.System:
    return mb.System(
        scene={"gravity": [0, 0, 0], **extra}, solver={"end": 0.1}, output={"frames": 1, "series": False}
    )


def bar(name: str, centre, angle: float) -> mb.Body:
    """A body whose frame is at the origin, with a bar about `centre`, turned about y."""
    shape = {"type": "box", "size": [1, 0.05, 0.08], "color": COLOURS[name], "position": list(centre)}
    shape["orientation"] = {"axis": [0, 1, 0], "angle_deg": angle}
    return mb.Body(name=name, mass=1, inertia=[1, 1, 1], shape=[shape])


@drawn
@pytest.mark.parametrize(
    ("centres", "view"),
    [
        pytest.param(centres, view, marks=() if where == view_of else pytest.mark.slow, id=f"{name}, {view}")
        for view_of, (name, centres) in enumerate(CENTRES.items())
        for where, view in enumerate(("front", "corner"))
    ],
)
def test_a_body_is_named_where_it_is_seen(centres, view):
    """At the points of both labels the picture without names has the colours of the bodies."""
    system = system_of()
    for name, centre, angle in zip(COLOURS, centres, (40, -40)):
        system.add(bar(name, centre, angle))
    with Shot(system.run(files=False), size=(640, 480), view=view, names=True) as shot:
        names = part(shot, Names)
        assert set(names.boxes) == set(COLOURS)
        points = {name: names.anchors.at[k].astype(int) for k, name in enumerate(COLOURS)}
        names.named = set()
        shot.show(0)
        for channel, name in enumerate(COLOURS):
            x, y = points[name]
            assert np.argmax(shot.picture[479 - y, x]) == channel, name


@drawn
def test_a_hidden_body_has_no_name_and_is_counted():
    system = system_of()
    for name, y in (("front", -1.0), ("behind", 0.0)):
        shape = {"type": "box", "size": [1, 0.1, 1] if y else [0.2, 0.2, 0.2]}
        system.add(mb.Body(name=name, mass=1, inertia=[1, 1, 1], position=[0, y, 0], shape=[shape]))
    with Shot(system.run(files=False), view="front", names=True) as shot:
        names = part(shot, Names)
        assert set(names.boxes) == {"front"} and (names.hidden, names.left_out) == (1, 0)
        assert shot.stage.front.texts["left out"].GetInput() == "names left out: 1 of hidden bodies"


@drawn
def test_springs_and_ropes_are_named_at_their_middle(results):
    with Shot(results("spring_mass_chain"), names=True, size=(1280, 720)) as shot:
        names, elements = part(shot, Names), shot.stage.raw.names("lines")
        assert set(elements) <= set(names.boxes)
        middles = shot.stage.raw.frame(0)["lines/ends"].mean(axis=1)
        for name, middle in zip(elements, middles):
            row, column = shot.place(middle)
            left, right, bottom, top = names.boxes[name]
            nearest = np.clip([column, 719 - row], [left, bottom], [right, top])
            assert np.linalg.norm(nearest - [column, 719 - row]) < 60
    with Shot(results("atwood", 0.1), names=True) as shot:
        assert "rope" in part(shot, Names).boxes


@drawn
def test_the_name_of_a_spring_is_beside_it():
    system = system_of()
    for k in range(2):
        system.add(mb.Body(name=f"ball_{k}", mass=1, inertia=[1, 1, 1], position=[k, 0, 0]))
    system.add(mb.Force(name="spring", type="spring_damper", a="ball_0", b="ball_1", stiffness=1.0))
    with Shot(system.run(files=False), names=True, view="front") as shot:
        left, right, bottom, top = part(shot, Names).boxes["spring"]
        for row, column in map(shot.place, part(shot, Lines).shafts):
            assert not (left < column < right and bottom < 359 - row < top)


@drawn
def test_names_keep_off_the_legend_and_the_heads_of_arrows(results):
    with Shot(results("piston_crank"), 5, forces=True, names=True, size=(1280, 720)) as shot:
        names, legend = part(shot, Names), part(shot, ForceLegend)
        heads = [head for each in shot.stage.parts for head in getattr(each, "heads", ())]
        assert len(heads) > 2 and len(names.boxes) > 4
        for left, right, bottom, top in names.boxes.values():
            assert left >= legend.box[1] or bottom >= legend.box[3]
            for row, column in map(shot.place, heads):
                assert not (left < column < right and bottom < 719 - row < top)


@drawn
def test_names_keep_off_the_note_about_those_left_out():
    system = system_of()
    for k in range(100):
        shape = [{"type": "box", "size": [0.9, 0.1, 0.9]}]
        place = [k % 10, 0, k // 10]
        system.add(mb.Body(name=f"body_{k}", mass=1, inertia=[1, 1, 1], position=place, shape=shape))
    with Shot(system.run(files=False), names=True, view="front") as shot:
        names, front = part(shot, Names), shot.stage.front
        note = front.box(front.texts["left out"])
        assert names.left_out > 0 and len(names.boxes) > 50
        assert all(box[1] <= note[0] or box[3] <= note[2] for box in names.boxes.values())


def test_a_label_is_moved_to_where_there_is_room_or_left_out():
    taken = [(0.0, 300.0, 0.0, 100.0)]
    placement = Placement(300, 200, 1.0, list(taken))
    crowd = Crowd(300, 200, *NOWHERE)
    box = placement.place(np.array([150.0, 90.0]), (60, 20), crowd)
    assert box is not None and box[2] >= 100.0 and box in placement.taken
    full = Placement(300, 200, 1.0, [(0.0, 300.0, 0.0, 200.0)])
    assert full.place(np.array([150.0, 90.0]), (60, 20), crowd) is None


def test_a_label_covers_an_arrow_head_only_where_there_is_no_other_room():
    anchor, extent = np.array([150.0, 100.0]), (60, 20)
    free = Placement(300, 200, 1.0, []).place(anchor, extent, Crowd(300, 200, *NOWHERE))
    head = np.array([[0.5 * (free[0] + free[1]), 0.5 * (free[2] + free[3])]])
    moved = Placement(300, 200, 1.0, []).place(anchor, extent, Crowd(300, 200, head, np.array([70.0])))
    assert not (moved[0] < head[0, 0] < moved[1] and moved[2] < head[0, 1] < moved[3])
