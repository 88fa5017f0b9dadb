"""Many bodies of one shape, drawn by one actor, look as if drawn by many."""

from __future__ import annotations

import numpy as np
import pytest

import mbplugin as mb
from mbplugin.viz import Options, bodies, gl
from mbplugin.viz.film import Film, smoothed
from mbplugin.viz.stage import Stage
from mbplugin.viz.swarm import Each, Swarm

pytestmark = pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
BOXES = 24


@pytest.fixture(scope="module")
def boxes(tmp_path_factory) -> mb.Result:
    """Boxes of one shape, each with its own place and turn, mass centres beside their frames; one is of the
    ground.
    """
    box = {"type": "box", "size": [0.5, 0.3, 0.2], "position": [0.1, 0, 0]}
    system = mb.System(
        scene={"gravity": [0, 0, -9.81], "shape": [box]},
        solver={"type": "rk", "end": 0.2},
        output={"frames": 3, "series": False},
    )
    for k in range(BOXES):
        turn = {"axis": [1, k % 3, 2 - k % 5], "angle_deg": 17.0 * k}
        system.add(
            mb.Body(
                name=f"b{k}",
                mass=1.0,
                inertia=[1, 1, 1],
                center_of_mass=[0.05, 0, 0.1],
                position=[k % 6, k // 6, 0],
                orientation=turn,
                shape=[box],
            )
        )
    return system.run(tmp_path_factory.mktemp("boxes"))


def picture(result: mb.Result, many: int, monkeypatch) -> tuple[Stage, np.ndarray]:
    monkeypatch.setattr(bodies, "MANY", many)
    shown = Stage(result.raw, np.array(result.system.scene.gravity), Options(size=(480, 320)))
    shown.show(2)
    image = shown.plotter.screenshot(return_img=True).astype(int)
    shown.close()
    return shown, image


def test_one_actor_draws_what_many_draw(boxes, monkeypatch):
    pack, one = picture(boxes, BOXES + 1, monkeypatch)
    apart, each = picture(boxes, BOXES + 2, monkeypatch)
    assert isinstance(pack.bodies.shapes, Swarm) and len(pack.bodies.shapes.drawn) == BOXES + 1
    assert isinstance(apart.bodies.shapes, Each)
    different = np.abs(one - each).sum(axis=2) > 60
    drawn = np.abs(one - one[2, -3]).sum(axis=2) > 60
    assert drawn.mean() > 0.05
    assert different.sum() < 0.01 * drawn.sum()


def test_a_plane_is_drawn_and_does_not_widen_the_view(tmp_path):
    """A ball on a plane of 10 m: the picture is as large as the motion of the ball, and shows the plane."""
    plane = {"type": "plane", "position": [0, 0, -1], "color": [1, 0, 0]}
    system = mb.System(
        scene={"shape": [plane]}, solver={"type": "rk", "end": 0.1}, output={"frames": 2, "series": False}
    )
    ball = {"type": "sphere", "radius": 0.5}
    system.add(mb.Body(name="ball", mass=1.0, inertia=[1, 1, 1], shape=[ball]))
    result = system.run(tmp_path / "out")
    shown = Stage(result.raw, np.array(result.system.scene.gravity), Options(size=(320, 240)))
    shown.show(0)
    image = shown.plotter.screenshot(return_img=True).astype(int)
    shown.close()
    assert shown.size < 1.2
    red = (image[:, :, 0] > 100) & (image[:, :, 1] < 60) & (image[:, :, 2] < 60)
    assert red.mean() > 0.1


def test_a_film_shows_what_multisampling_shows(boxes):
    options = Options(size=(480, 320), quality="normal")
    stages = [Stage(boxes.raw, boxes.raw.gravity, options) for _ in range(2)]
    for shown in stages:
        shown.show(1)
    true = stages[0].plotter.screenshot(return_img=True)[..., :3].astype(int)
    film = Film(stages[1])
    fast = film.picture().astype(int)
    stages[1].show(2)
    later = film.picture().astype(int)
    for shown in stages:
        shown.close()
    # floor, shadows and background are there, and only edges differ
    assert (np.abs(fast - true).max(axis=2) > 60).mean() < 0.05
    assert np.abs(fast - true).mean() < 8.0
    assert np.median(np.abs(fast - true)) == 0.0
    assert (np.abs(later - fast).max(axis=2) > 30).any()


def test_an_edge_becomes_a_slope_and_the_rest_stays():
    picture = np.zeros((8, 9, 4), np.uint8)
    picture[:, 5:] = 240
    across = smoothed(picture)[4, :, 0].tolist()
    assert across == [0, 0, 0, 0, 40, 200, 240, 240, 240]  # a sixth from the other side
    even = np.full((8, 9, 4), 77, np.uint8)
    assert np.array_equal(smoothed(even), even)


def test_many_bodies_without_a_shape_are_balls_of_one_actor(tmp_path):
    system = mb.System(
        scene={"gravity": [0, 0, 0]}, solver={"end": 0.1}, output={"frames": 2, "series": False}
    )
    for k in range(BOXES):
        system.add(
            mb.Body(name=f"b{k}", mass=1.0, inertia=[1, 1, 1], position=[k, 0, 0], center_of_mass=[0, 0.5, 0])
        )
    result = system.run(tmp_path / "out")
    shown = Stage(result.raw, result.raw.gravity, Options(size=(640, 240), label=False))
    shown.show(1)
    picture = shown.plotter.screenshot(return_img=True)[..., :3].astype(int)
    renderer, seen = shown.plotter.renderer, 0
    for k in range(BOXES):
        renderer.SetWorldPoint(k, 0.5, 0, 1)
        renderer.WorldToDisplay()
        x, y, _ = map(int, renderer.GetDisplayPoint())
        seen += np.abs(picture[240 - y, x] - picture[2, 2]).sum() > 60
    assert seen == BOXES and isinstance(shown.bodies.shapes, Swarm)
    shown.close()
