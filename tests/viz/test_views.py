"""Named views: where world axes point in the picture, and that all points are in it."""

import numpy as np
import pytest
from refusals import refused

from mbplugin.decoder.rotation import rotation
from mbplugin.viz import camera
from mbplugin.viz.motion import plane_of_motion

#: view -> world axes along right and up of the picture, with z up and with y up, as drawings have them
Z_UP = {
    "front": ("x", "z"),
    "back": ("-x", "z"),
    "right": ("y", "z"),
    "left": ("-y", "z"),
    "top": ("x", "y"),
    "bottom": ("x", "-y"),
}
Y_UP = {
    "front": ("x", "y"),
    "back": ("-x", "y"),
    "right": ("-z", "y"),
    "left": ("z", "y"),
    "top": ("x", "-z"),
    "bottom": ("x", "z"),
}


def axis(name):
    return (-1.0 if name.startswith("-") else 1.0) * np.eye(3)["xyz".index(name[-1])]


@pytest.mark.parametrize("gravity, views", [((0, 0, -9.81), Z_UP), ((0, -9.81, 0), Y_UP)])
@pytest.mark.parametrize("name", Z_UP)
def test_a_view_has_the_axes_of_drawings_and_no_perspective(gravity, views, name):
    points = np.random.default_rng(0).uniform(-1, 2, (50, 3)) * [3, 1, 2]
    view = camera.fit(points, np.array(gravity), 16 / 9, name)
    to = (view.position - view.focus) / np.linalg.norm(view.position - view.focus)
    right = np.cross(view.up, to)
    np.testing.assert_allclose(right, axis(views[name][0]), atol=1e-14)
    np.testing.assert_allclose(view.up, axis(views[name][1]), atol=1e-14)
    assert view.parallel
    across = (points - view.focus) @ np.column_stack([right, view.up])
    assert (np.abs(across) <= view.half * np.array([16 / 9, 1])).all()


@pytest.mark.parametrize("size", [(1, 1, 1), (9, 1, 1)])
def test_what_stands_beside_or_below_the_motion_does_not_hide_it(size):
    points = np.random.default_rng(0).uniform(-1, 2, (50, 3)) * size
    view = camera.fit(points, np.array(FALL), 16 / 9, "front", foot=0.1, side=0.13)
    x, z = (points - view.focus)[:, [0, 2]].T / view.half
    assert x.min() > -16 / 9 and x.max() < 16 / 9 * (1.0 - 2.0 * 0.13)
    assert z.min() > -(1.0 - 2.0 * 0.1) and z.max() < 1.0


def test_an_unknown_view_is_refused_by_name():
    with refused("view", "side"):
        camera.fit(np.zeros((1, 3)), np.array([0, 0, -9.81]), 1.0, "side")


def test_a_notebook_gets_pictures_and_plots_as_png(results, tmp_path):
    import imageio.v3 as iio

    result = results("double_pendulum", 0.5)
    shown = result.picture(0.2, view="front", size=(320, 200))
    assert iio.imread(shown._repr_png_()).shape[:2] == (200, 320)
    result.render(tmp_path / "same.png", time=0.2, view="front", size=(320, 200))
    np.testing.assert_array_equal(
        iio.imread(shown.save(tmp_path / "x.png")), iio.imread(tmp_path / "same.png")
    )
    assert repr(shown).startswith("Picture: PNG of ")
    curves = result.plot("energy.kinetic", size=(300, 200))
    assert curves._repr_png_().startswith(b"\x89PNG")


def view_of(places, turns=None, spread=(2.0, 1.0, 0.1), gravity=(0, 0, 0)):
    """Axes to the camera and to the right, of the default view of one body; None of an oblique one."""
    places = np.array(places, float)[:, None]
    turns = np.tile(np.eye(3), (len(places), 1, 1, 1)) if turns is None else np.array(turns)[:, None]
    up = -np.array(gravity) / 9.81 if any(gravity) else np.array([0, 0, 1.0])
    normal = plane_of_motion(places, turns, np.outer([-0.5, 0.5], spread), up, any(gravity))
    if normal is None:
        return None
    view = camera.fit(np.eye(3), np.array(gravity, float), 1.5, normal=normal)
    assert view.parallel
    look = (view.position - view.focus) / np.linalg.norm(view.position - view.focus)
    return tuple(np.round(look, 9) + 0.0), tuple(np.round(np.cross(view.up, look), 9) + 0.0)


ROUND = np.linspace(0.0, 3.0, 7)
CIRCLE = np.column_stack([np.cos(ROUND), np.sin(ROUND), 0 * ROUND])
FALL = (0, 0, -9.81)


def test_a_flat_planar_motion_without_gravity_is_seen_straight_with_x_to_the_right():
    x, y, z = map(tuple, np.eye(3))
    assert view_of(CIRCLE) == (z, x)
    assert view_of(CIRCLE[:, [0, 2, 1]], spread=(2, 0.1, 1)) == ((0, -1, 0), x)
    assert view_of(CIRCLE[:, [2, 0, 1]], spread=(0.1, 2, 1)) == (x, y)
    # along a line the plane is that of the least extent, about an axis the one across it
    assert view_of(np.outer(ROUND, [1, 0, 0])) == (z, x)
    turns = rotation(np.column_stack([np.cos(ROUND), 0 * ROUND, 0 * ROUND, np.sin(ROUND)]))
    assert view_of(0 * CIRCLE, turns) == (z, x)
    # in an inclined plane, from the side where x is to the right
    slope = CIRCLE @ np.array([[1, 0, 0], [0, 0.8, 0.6], [0, -0.6, 0.8]])
    assert view_of(slope, spread=(2, 0.8, 0.6))[1] == x


def test_other_motions_are_seen_obliquely():
    assert view_of(CIRCLE + np.outer(ROUND, [0, 0, 0.1])) is None
    assert view_of(0 * CIRCLE) is None
    assert view_of(CIRCLE, spread=(2, 1, 1.5)) is None
    # under gravity only what is level: no pendulum, and no slider, which moves in upright planes too
    assert view_of(CIRCLE, gravity=FALL) is not None
    assert view_of(CIRCLE[:, [0, 2, 1]], spread=(2, 0.1, 1), gravity=FALL) is None
    assert view_of(np.outer(ROUND, [1, 0, 0]), gravity=FALL) is None
    assert view_of(CIRCLE, spread=(2, 1, 3), gravity=FALL) is None
