"""What makes a picture clear, by pixels at projected points: colours, shadows, outlines, floors, planes."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from screen_points import Shot

import mbplugin as mb
from mbplugin.viz import bodies, gl
from mbplugin.viz.film import darkened
from mbplugin.viz.floor import FLOOR

pytestmark = pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
RED = [0.8, 0.1, 0.1]
#: half an edge of the box
HALF, UP = 0.5, np.array([0.0, 0.0, 1.0])


def box_result(
    at=(0, 0, 0), size=1.0, gravity=(0, 0, -9.81), velocity=(0, 0, 0), shapes=(), end=0.01
) -> mb.Result:
    """A red box of edge 1, without its weight, and what else the ground has; all lengths times `size`."""
    system = mb.System(
        scene={"gravity": list(gravity), "shape": list(shapes)},
        solver={"type": "rk", "end": end},
        output={"frames": 4, "series": False},
    )
    box = {"type": "box", "size": [size] * 3, "color": RED}
    system.add(
        mb.Body(
            name="box",
            mass=1,
            inertia=[1, 1, 1],
            position=list(at),
            velocity=list(velocity),
            shape=[box],
            marker=[{"name": "corner", "position": [HALF * size] * 3}],
        )
    )
    system.add(mb.Joint(name="rail", type="translational", a="ground", b="box", at=list(at), axis=[1, 0, 0]))
    return system.run(files=False)


def shadow_of(shot: Shot, point, level: float):
    """Where the shadow of a world point falls on the floor at the height z = level."""
    sun = shot.stage.sun
    return np.asarray(point) - sun * (point[2] - level) / sun[2]


EACH, ALL = 20, 1  # bodies from which one glyph mapper draws them
PLACES = {
    "here": ((0, 0, 0), 1.0),
    "6,000 km away": ((6e6, -3e6, 2e6), 1.0),
    "tiny": ((0, 0, 0), 1e-5),
    "huge": ((0, 0, 0), 1e6),
}


@pytest.mark.parametrize(
    ("place", "many"),
    [
        pytest.param(
            place,
            many,
            marks=() if (place, many) in (("here", EACH), ("6,000 km away", ALL)) else pytest.mark.slow,
        )
        for place in PLACES
        for many in (EACH, ALL)
    ],
)
def test_a_body_has_its_colour_an_outline_and_a_shadow(monkeypatch, place, many):
    monkeypatch.setattr(bodies, "MANY", many)
    at, size = np.array(PLACES[place][0]), PLACES[place][1]
    with Shot(box_result(at, size), joints=False) as shot:
        level = at[2] - HALF * size
        top = shot.colour(at + HALF * size * UP)
        assert top[0] > 130 and top[0] > 3 * max(top[1:])
        # the farthest corner of the shadow, seen past the box, and the floor beside it
        corners = at + size * HALF * np.array([[x, y, 1] for x in (-1, 1) for y in (-1, 1)])
        shadows = np.array([shadow_of(shot, corner, level) for corner in corners])
        middle = shadows.mean(axis=0)
        corner = max(shadows, key=lambda s: np.linalg.norm(s - [at[0], at[1], level]))
        inside, beside = (
            shot.colour(corner + 0.1 * (middle - corner)),
            shot.colour(corner - 0.3 * (middle - corner)),
        )
        assert np.abs(beside - FLOOR).max() < 8
        assert inside == pytest.approx(0.82 * np.array(FLOOR), abs=10)
        # dark somewhere on the way over the silhouette of the top corner nearest to the left
        left = min(corners, key=lambda corner: shot.place(corner)[1])
        row, column = shot.place(left)
        across = shot.picture[row + 4, column - 4 : column + 5].sum(axis=1)
        assert across.min() < 0.5 * top.sum() and across[0] > 600


def test_sharp_edges_inside_the_outline_are_dark():
    with Shot(box_result(), joints=False, label=False) as shot:
        edge = [shot.at([HALF, s, HALF]).sum(axis=1).min() for s in np.linspace(-0.4, 0.4, 9)]
        edge += [shot.at([s, -HALF, HALF]).sum(axis=1).min() for s in np.linspace(-0.4, 0.4, 9)]
        face = shot.colour([0, 0, HALF]).sum()
    assert np.max(edge) < 0.7 * face


def test_hidden_edges_do_not_shine_through():
    """The top face is of one colour, though the edges of the bottom lie behind it."""
    with Shot(box_result(), joints=False, label=False) as shot:
        face = np.array(
            [shot.colour([x, y, HALF]) for x in np.linspace(-0.4, 0.4, 15) for y in (-0.3, 0.0, 0.3)]
        )
    assert np.ptp(face, axis=0).max() < 6


def test_without_gravity_there_is_no_floor():
    with Shot(box_result(gravity=(0, 0, 0)), joints=False) as shot:
        assert shot.stage.bodies.floor is None
        assert shot.picture[-30:, :150].min() > 225  # nothing beside the box


def test_only_the_upward_plane_of_the_ground_is_the_floor():
    """A wall beside it stays what it is; the shadow falls on the floor alone."""
    ground = [
        {"type": "plane", "position": [0, 0, -1], "color": [0.2, 0.6, 0.2]},
        {
            "type": "plane",
            "position": [-3, 0, 0],
            "size": [4, 4],
            "orientation": {"axis": [0, 1, 0], "angle_deg": 90},
        },
    ]
    with Shot(box_result(shapes=ground), joints=False, quality="normal") as shot:
        parts = shot.stage.bodies
        assert parts.floor.level == -1.0 and tuple(parts.floor.colour) == (51, 153, 51)
        assert len(parts.shapes.drawn) == 1 and parts.more_ground
        place = shadow_of(shot, [HALF, HALF, HALF], -1.0)
        beside = shot.colour(place + np.array([0.15, 0.15, 0]))
        inside = shot.colour(shadow_of(shot, [0.3, 0.3, HALF], -1.0))
    assert beside[1] > 1.5 * beside[0] and inside == pytest.approx(0.82 * beside, abs=8)


@pytest.mark.parametrize("view", ["front", pytest.param("top", marks=pytest.mark.slow)])
def test_a_plane_is_seen_from_its_edge(view):
    wall = {"type": "plane", "position": [-0.7, 0, 0], "size": [2, 2], "color": [0, 0, 0.8]}
    wall["orientation"] = {"axis": [0, 1, 0], "angle_deg": 90}
    result = box_result(shapes=[wall], gravity=(0, 0, 0))
    with Shot(result, view=view, joints=False) as shot:
        edge = [-0.7, -1.0, 0.3] if view == "front" else [-0.7, 0.3, 1.0]
        blue = shot.at(edge, reach=3)
    assert (blue[:, 2] > 60 + blue[:, 0]).any()


@pytest.mark.parametrize(("angle", "hidden"), [(90, False), (-90, True)])
def test_a_wall_that_is_seen_from_its_solid_side_hides_nothing(angle, hidden):
    """A wall between the box and the camera, which faces the box, or the camera."""
    wall = {"type": "plane", "position": [0, HALF + 0.1, 0], "size": [3, 3], "color": [0, 0, 0.8]}
    wall["orientation"] = {"axis": [1, 0, 0], "angle_deg": angle}
    with Shot(box_result(shapes=[wall], gravity=(0, 0, 0)), view="back", joints=False) as shot:
        red, _, blue = shot.colour([0, HALF, 0])
    assert blue > 3 * red if hidden else red > 3 * blue


def test_the_floor_touches_what_stands_on_it():
    with Shot(box_result()) as shot:
        assert shot.stage.bodies.floor.level == pytest.approx(-HALF, abs=1e-9)


def test_the_step_of_the_grid_is_told_where_a_grid_is_seen():
    for view, told in (("corner", True), ("front", False), ("top", True)):
        with Shot(box_result(), view=view) as shot:
            assert ("grid" in shot.stage.front.texts) == told


def test_the_floor_is_not_between_camera_and_bodies():
    ground = [{"type": "plane", "position": [0, 0, -1]}]
    with Shot(box_result(shapes=ground), view="bottom", joints=False) as shot:
        assert shot.stage.bodies.floor is None
    with Shot(box_result(), view="bottom", joints=False) as shot:
        red = shot.colour([0, 0, -HALF])
    assert red[0] > 3 * red[1]


def test_a_followed_body_stays_in_the_middle_and_is_never_clipped():
    result = box_result(velocity=(3e6, 0, 0), end=2.0)
    with Shot(result, follow="box", joints=False, trace=("box",)) as shot:
        for frame in range(result.raw.frames):
            shot.show(frame)
            place = result["box"].position[frame]
            row, column = shot.place(place)
            assert abs(row - 180) <= 1 and abs(column - 320) <= 1
            red = shot.colour(place + HALF * UP)
            assert red[0] > 130 and red[0] > 3 * max(red[1:])
            level = -HALF
            shadow, out = shadow_of(shot, place + HALF * np.ones(3), level), np.array([1, 1, 0])
            inside, beside = shot.colour(shadow - 0.2 * out), shot.colour(shadow + 0.4 * out)
            assert inside.sum() < 0.9 * beside.sum()


def test_a_followed_body_fills_a_good_part_of_the_picture():
    """Though the other one is far away."""
    system = mb.System(scene={"gravity": [0, 0, -9.81]}, output={"frames": 2, "series": False})
    for name, x in (("box", 0.0), ("other", 30.0)):
        shape = [{"type": "box", "size": [1, 1, 1]}]
        system.add(mb.Body(name=name, mass=1, inertia=[1, 1, 1], position=[x, 0, 0], shape=shape))
    with Shot(system.run(files=False, end=0.1), follow="box", view="front", joints=False) as shot:
        top, bottom = (shot.place(shot.stage.path[0] + HALF * sign * UP)[0] for sign in (1, -1))
    assert 0.25 * 360 < bottom - top < 0.5 * 360


def test_high_quality_darkens_corners_and_needs_perspective():
    """A box on a lower one of the ground: the seam becomes darker."""
    table = {"type": "box", "size": [3, 3, 1], "position": [0, 0, -1], "color": [0.9, 0.9, 0.9]}
    result = box_result(shapes=[table])
    seam = []
    for quality in ("normal", "high", "auto"):
        with Shot(result, joints=False, quality=quality) as shot:
            along = [[HALF + 0.05, y, -HALF] for y in np.linspace(-0.4, 0.4, 17)]
            seam.append(np.mean([shot.colour(place).sum() for place in along]))
    # VTK takes samples at random
    assert seam[1] < 0.97 * seam[0] and seam[2] == pytest.approx(seam[1], rel=0.02)
    with refused("quality", "high"):
        Shot(result, quality="high", view="front")
    with refused("quality", "best"):
        Shot(result, quality="best")
    with refused("follow", "bix"):
        Shot(result, follow="bix")


def test_no_outline_crosses_what_is_drawn_on_top():
    """Rows that are kept stay as they are; above and below them both sides of a jump are dark."""
    z, top = np.full((20, 20), 0.5, np.float32), np.zeros((20, 20), bool)
    z[:, 10:], top[8:12] = 0.6, True
    plain = np.full((20, 20, 4), 200, np.uint8)
    lined = darkened(plain, z, (1.0, 3.0), True, 0.01, [top])
    assert (lined[:8, 9:11, :3] == 50).all() and (lined[8:12] == 200).all()
    assert (lined[:, :9] == 200).all() and (lined[:, 11:] == 200).all()


def test_a_plane_seen_at_a_flat_angle_has_no_outline():
    """Its distance grows fast from pixel to pixel, but 1/d is affine."""
    near, far = 1.0, 50.0
    distance = 1.0 / np.linspace(1 / 40.0, 1 / 2.0, 60)[:, None] * np.ones(30)
    z = (far / (far - near) - far * near / ((far - near) * distance)).astype(np.float32)
    plain = np.full((60, 30, 4), 200, np.uint8)
    assert np.array_equal(darkened(plain, z, (near, far), False, 0.05), plain)
