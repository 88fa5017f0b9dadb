"""The kit, and the scene of the README."""

import textwrap
from pathlib import Path

import mbplugin_ellipsoid
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbplugin as mb
from mbplugin import api
from mbplugin.hooks.load import load_plugins
from mbplugin.testing import check_shape

README = (Path(__file__).parents[1] / "README.md").read_text()
SCENE = textwrap.dedent(README[README.index("    [scene]") : README.index("The page")])


def test_the_kit():
    report = check_shape(mbplugin_ellipsoid.Ellipsoid)
    assert report.ok, f"\n{report}"


@pytest.mark.slow
def test_the_pebble_of_the_page_lands_and_rocks_on_the_ground_without_sinking(tmp_path, monkeypatch):
    plugins = load_plugins(extra=[("mbplugin_ellipsoid", mbplugin_ellipsoid)])
    monkeypatch.setattr(api, "plugins", lambda: plugins)
    pebble = mb.System.from_text(SCENE).run(tmp_path / "out")["pebble"]
    up = Rotation.from_quat(np.asarray(pebble.orientation), scalar_first=True).as_matrix()[:, 2]
    # an ellipsoid reaches down by |A Rᵀ e_z|
    gap = pebble.position[:, 2] - np.linalg.norm(up * [0.3, 0.2, 0.1], axis=1)
    # while it rolls, its curved surface follows the ground to second order in the step of 5 ms: by about what
    # gravity falls in one (a quarter of that with half the step)
    fall = 0.5 * 9.81 * 5e-3**2
    assert gap[0] > 0.3
    np.testing.assert_allclose(gap[-100:], 0.0, atol=fall)
    assert gap.min() > -2.0 * fall
