"""Pictures show the motion: nothing clipped, and every body at its position."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused, stopped
from scene_text import body as body_of
from scene_text import joint, solver, table
from screen_points import Shot, part

import mbplugin as mb
from mbplugin.viz import Options, gl
from mbplugin.viz.joints import loops
from mbplugin.viz.layers import Shadow
from mbplugin.viz.lines import Lines
from mbplugin.viz.names import Names
from mbplugin.viz.stage import Stage

drawn = pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
SCENES = {"piston_crank": None, "double_pendulum": 1.0, "four_bar_n2": 1.0, "free_body": 2.0}


def stage_of(result, **options) -> Stage:
    return Stage(result.raw, np.array(result.system.scene.gravity), Options(**options), off_screen=True)


def pixels(stage: Stage) -> np.ndarray:
    """Red, green and blue (height, width, 3) of what is shown."""
    stage.plotter.render()
    return stage.plotter.screenshot(return_img=True)[..., :3].astype(int)


def on_screen(stage: Stage, points) -> np.ndarray:
    """Pixels (n, 2) of world points."""
    renderer = stage.plotter.renderer
    found = []
    for x in points:
        renderer.SetWorldPoint(*x, 1.0)
        renderer.WorldToDisplay()
        found.append(renderer.GetDisplayPoint()[:2])
    return np.array(found)


@drawn
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if "_" in name[:5] else ()) for name in SCENES]
)
def test_the_camera_shows_the_whole_motion_and_fills_the_picture(results, name):
    result = results(name, SCENES[name])
    stage = stage_of(result, size=(640, 360))
    stage.show(0)
    stage.plotter.render()
    seen = []
    for i in range(result.raw.frames):
        points, _ = stage.geometry.at(result.raw.frame(i))
        seen.append(on_screen(stage, points[:: max(1, len(points) // 200)]))
    stage.close()
    seen = np.concatenate(seen)
    assert (seen >= 0).all() and (seen[:, 0] <= 640).all() and (seen[:, 1] <= 360).all()
    share = np.ptp(seen, axis=0) / [640, 360]
    assert share.max() > 0.5


@drawn
@pytest.mark.parametrize("name", ["piston_crank", pytest.param("double_pendulum", marks=pytest.mark.slow)])
def test_every_body_is_seen_at_its_position_in_the_result(results, name):
    """Hiding one body changes pixels around its place, and only there."""
    result = results(name, SCENES[name])
    stage = stage_of(result, size=(320, 180), joints=False)
    stage.show(5)
    whole = pixels(stage)
    placed = stage.bodies.shapes.placed
    assert {body for _, body, *_ in placed} == set(range(len(result.bodies)))
    actors = [a for a in stage.plotter.renderer.GetViewProps() if a.IsA("vtkActor")]
    for body in range(len(result.bodies)):
        # without the shadow, which is elsewhere
        matrices = [m for layer, b, _, m in placed if b == body and not isinstance(layer, Shadow)]
        of_body = [a for a in actors if any(a.GetUserMatrix() is matrix for matrix in matrices)]
        assert of_body
        for actor in of_body:
            actor.SetVisibility(False)
        without = pixels(stage)
        for actor in of_body:
            actor.SetVisibility(True)
        changed = np.argwhere(np.abs(whole - without).sum(axis=2) > 30)
        assert len(changed) > 30, result.bodies[body]
        points, _ = stage.geometry.at(result.raw.frame(5))
        place = on_screen(stage, points[stage.geometry._owner == body])
        low, high = place.min(axis=0) - 3, place.max(axis=0) + 3
        x, y = changed[:, 1], 180 - changed[:, 0]
        assert ((x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1])).all()
    stage.close()


@drawn
def test_rods_without_mass_are_seen_from_marker_to_marker(results):
    """Three links of 1 m of a plate: half of each pixel row between their ends changes when they are hidden,
    and nothing beside them.
    """
    result = results("three_link_plate", 0.2)
    assert result.raw.names("lines") == ["link_A", "link_B", "link_C"]
    ends = result.raw["lines/ends"]
    assert np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=2) == pytest.approx(1.0, abs=1e-9)
    plate = result["plate"]
    assert ends[:, :, 1] == pytest.approx(
        plate.position[:, None] + [[-1, 0, 0], [0, 0, 0], [1, 0, 0]], abs=1e-9
    )
    stage = stage_of(result, size=(640, 360), joints=False, ground=False, label=False)
    stage.show(3)
    pictures = []
    (lines,) = (part for part in stage.parts if isinstance(part, Lines))
    for seen in (True, False):
        for actor in stage.plotter.renderer.actors.values():
            if actor.GetMapper().GetInput() is lines.meshes[False, False]:
                actor.SetVisibility(seen)
        pictures.append(pixels(stage))
    y, x = np.nonzero(np.abs(pictures[0] - pictures[1]).sum(axis=2) > 30)
    places = np.column_stack([x + 0.5, 360 - y - 0.5])
    distances = []
    for a, b in zip(on_screen(stage, ends[3, :, 0]), on_screen(stage, ends[3, :, 1])):
        along = np.clip((places - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        distances.append(np.linalg.norm(places - a - along[:, None] * (b - a), axis=1))
        # the last tenth of each is inside the plate
        assert np.ptp(along[distances[-1] < 4]) > 0.75
    stage.close()
    assert np.min(distances, axis=0).max() < 5


@drawn
def test_arrows_and_dots_are_seen_through_the_bodies(results):
    result = results("piston_crank")
    pictures = []
    for options in ({"joints": False}, {"joints": True}, {"joints": True, "forces": True}):
        stage = stage_of(result, size=(320, 180), **options)
        stage.show(0)
        pictures.append(pixels(stage))
        stage.close()
    dots = np.abs(pictures[1] - pictures[0]).sum(axis=2) > 60
    assert 20 < dots.sum() < 3000
    red, green, blue = (pictures[k][..., channel] for k in (2,) for channel in range(3))
    arrows = (red > green + 80) & (blue > green + 30)
    assert 30 < arrows.sum() < 3000


@drawn
def test_files_hold_the_pictures_that_were_asked_for(results, tmp_path):
    import imageio.v3 as iio

    result = results("double_pendulum", 1.0)
    assert iio.imread(result.render(tmp_path / "a.png", size=(320, 180))).shape[:2] == (180, 320)
    gif = iio.imread(result.render(tmp_path / "a.gif", size=(160, 96), fps=5, speed=1.0, trace=("lower",)))
    assert len(gif) == 5
    assert np.abs(gif[0].astype(int) - gif[-1].astype(int)).max() > 50
    # no multiple of 16, as 1080 is none; an odd one has no colours of its own
    movie = result.render(tmp_path / "a.mp4", size=(158, 101), fps=5, speed=0.5)
    frames = iio.imread(movie, plugin="FFMPEG")
    assert frames.shape[1:] == (100, 158, 3) and len(frames) >= 9


@drawn
def test_a_movie_tells_its_speed_unless_it_is_real_time(results, tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(Stage, "set_label", lambda stage, text: told.append(text))
    for speed in (0.5, 1.0):
        results("double_pendulum", 1.0).render(tmp_path / "a.gif", size=(64, 48), fps=4, speed=speed)
    assert {text.partition(", ")[2] for text in told if text} == {"0.5 ×", ""}


def test_what_cannot_be_drawn_is_named(results, tmp_path, monkeypatch):
    result = results("double_pendulum", 1.0)
    with refused("file", str(tmp_path / "a.bmp")):
        result.render(tmp_path / "a.bmp")
    with refused("time", 99):
        result.render(tmp_path / "a.png", time=99)
    if gl.can_draw():
        with refused("trace", "lowr"):
            result.render(tmp_path / "a.png", trace=("lowr",))
    # a machine on which VTK's probe is killed
    monkeypatch.setattr(gl, "PROBE", "import os; os.abort()")
    gl.can_draw.cache_clear()
    try:
        with stopped(gl.NoGraphicsError, "libegl1", hide=None) as caught:
            result.render(tmp_path / "b.png")
    finally:
        gl.can_draw.cache_clear()
    assert caught.value.exit_code == 4
    assert not (tmp_path / "b.png").exists()


@drawn
def test_bodies_far_from_the_origin_are_seen_where_there_is_no_floor(tmp_path):
    """Without gravity there is no floor whose size would hold the clipping planes apart."""
    system = mb.System(
        scene={"gravity": [0, 0, 0]}, solver={"end": 0.1}, output={"frames": 2, "series": False}
    )
    for k in range(9):
        box = {"type": "box", "size": [0.4, 0.4, 0.4 + 0.01 * k], "color": [0.0, 0.0, 0.0]}
        system.add(mb.Body(name=f"b{k}", mass=1.0, inertia=[1, 1, 1], position=[k, 0, 0], shape=[box]))
    result = system.run(tmp_path / "out")
    stage = stage_of(result, size=(640, 360))
    stage.show(1)
    dark = pixels(stage).max(axis=2) < 100
    places = on_screen(stage, [[k, 0, 0] for k in range(9)]).astype(int)
    stage.close()
    for x, y in places:
        assert dark[360 - y - 3 : 360 - y + 3, x - 3 : x + 3].any()


def test_the_vectors_of_a_joint_make_a_loop(results):
    """r + s is the joint's point, by either body; for the ground r is nothing."""
    raw = results("double_pendulum", 1.0).raw
    frame = raw.frame(8)
    (origins, r), (starts, s) = loops(frame, [(-1, 0), (0, 1)])
    assert np.array_equal(origins, np.zeros((2, 3))) and np.array_equal(r, frame["bodies/center_of_mass"])
    np.testing.assert_allclose(starts + s, frame["joints/position"][[0, 0, 1, 1]], atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(s, axis=1), [0.0, 0.5, 0.5, 0.5], atol=1e-12)
    np.testing.assert_allclose(starts[1:], frame["bodies/center_of_mass"][[0, 0, 1]], atol=1e-15)


@drawn
@pytest.mark.parametrize(
    ("option", "colour"),
    [("vectors", (239, 108, 0)), pytest.param("names", (26, 26, 26), marks=pytest.mark.slow)],
)
def test_vectors_and_names_are_drawn_over_the_bodies(results, option, colour):
    result = results("double_pendulum", 1.0)
    count = []
    for shown in (False, True):
        stage = stage_of(result, size=(640, 360), joints=False, label=False, **{option: shown})
        stage.show(8)
        picture = pixels(stage)
        stage.close()
        count.append(int((np.abs(picture - colour).max(axis=2) < 12).sum()))
    assert count[1] > count[0] + 40


@drawn
def test_joints_at_one_point_share_a_label(results):
    with Shot(results("four_bar_n2", 1.0), names=True) as shot:
        stage, names = shot.stage, part(shot, Names)
        points = stage.raw.frame(0)["joints/position"]
        seen = [label for label in names.boxes if label.split(", ")[0] in stage.raw.names("joints")]
    assert sorted(", ".join(seen).split(", ")) == sorted(stage.raw.names("joints"))
    assert len(seen) < len(points)


@drawn
def test_names_do_not_cover_each_other():
    """Thirty short links, seen as one line: no two labels have a pixel in common."""
    text = "".join(
        body_of(f"link{i}", mass=1.0, inertia=[1, 1, 1], position=[0.01 * i, 0, 0.002 * i]) for i in range(30)
    )
    text += "".join(
        joint(f"joint{i}", "ball", f"link{i - 1}" if i else "ground", f"link{i}", at=[0.01 * i, 0, 0.002 * i])
        for i in range(30)
    )
    result = mb.System.from_text(text + solver(end=0.001) + table("output", frames=1)).run(files=False)
    with Shot(result, size=(640, 480), names=True, joints=False) as shot:
        names = part(shot, Names)
        boxes = list(names.boxes.values())
    # all joints are named, and as many bodies as there is room for
    assert 30 < len(boxes) == 60 - names.left_out - names.hidden
    for k, (left, right, bottom, top) in enumerate(boxes):
        for other in boxes[:k]:
            beside = right <= other[0] or other[1] <= left
            assert beside or top <= other[2] or other[3] <= bottom
