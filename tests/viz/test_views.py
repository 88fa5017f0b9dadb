"""Named views: where world axes point in the picture, and that all points are in it."""

import numpy as np
import pytest
from refusals import refused

from mbplugin.viz import camera

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
