"""The kit, and the scene of the README."""

import textwrap
from pathlib import Path

import mbplugin_ellipsoid
import numpy as np

import mbplugin as mb
from mbplugin import api
from mbplugin.hooks.load import load_plugins
from mbplugin.testing import check_shape

README = (Path(__file__).parents[1] / "README.md").read_text()
SCENE = textwrap.dedent(README[README.index("    [scene]") : README.index("The page")])


def test_the_kit():
    report = check_shape(mbplugin_ellipsoid.Ellipsoid)
    assert report.ok, f"\n{report}"


def test_the_pebble_of_the_page_falls_and_comes_to_lie_on_its_flat_side(tmp_path, monkeypatch):
    plugins = load_plugins(extra=[("mbplugin_ellipsoid", mbplugin_ellipsoid)])
    monkeypatch.setattr(api, "plugins", lambda: plugins)
    result = mb.System.from_text(SCENE).run(tmp_path / "out")
    height = result["pebble"].position[:, 2]
    # never below its shortest half axis, and at the end it rocks about it
    assert height.min() > 0.1 - 1e-6
    np.testing.assert_allclose(height[-10:], 0.1, atol=0.02)
