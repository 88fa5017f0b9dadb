"""A scene with the solver, and the kit: order, turns, memory, events, impulses, frames and continued runs."""

import mbplugin_spheres
import numpy as np

import mbplugin as mb
from mbplugin import api
from mbplugin.hooks.load import load_plugins
from mbplugin.testing import check_solver

SCENE = """
[scene]
shape = [{ type = "plane" }]
[[body]]
name = "ball"
mass = 1
inertia = [0.004, 0.004, 0.004]
position = [0, 0, 0.5]
shape = [{ type = "sphere", radius = 0.1 }]
[solver]
type = "spheres"
step = 1e-3
end = 1.0
"""


def test_the_kit():
    report = check_solver(mbplugin_spheres.Spheres)
    assert report.ok, f"\n{report}"


def test_a_ball_comes_to_rest_and_its_contact_is_in_the_result(tmp_path, monkeypatch):
    plugins = load_plugins(extra=[("mbplugin_spheres", mbplugin_spheres)])
    monkeypatch.setattr(api, "plugins", lambda: plugins)
    result = mb.System.from_text(SCENE).run(tmp_path / "out")
    np.testing.assert_allclose(result["ball"].position[-1], [0, 0, 0.1], atol=1e-12)
    np.testing.assert_allclose(result.list("contacts").at(-1).force, [[0, 0, 9.81]], rtol=1e-9)
