"""Pictures come from the store alone: of shapes made in Python, and of meshes whose files are elsewhere."""

from __future__ import annotations

import pytest

import mbplugin as mb
from mbplugin.viz import gl

pytestmark = pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
SHORT = {"solver": {"end": 0.05}, "output": {"frames": 2, "series": False}}


def test_a_shape_made_in_python_keeps_its_type_in_the_stored_scene(tmp_path):
    system = mb.System(**SHORT)
    shapes = [mb.Box(size=[1, 1, 1]), mb.Sphere(radius=0.5), mb.Cylinder(radius=0.1, length=1)]
    for k, shape in enumerate(shapes):
        system.add(mb.Body(name=f"b{k}", density=1000, position=[2 * k, 0, 0], shape=[shape]))
    result = system.run(tmp_path / "out")
    assert [body.shapes[0].type for body in result.system.bodies] == ["box", "sphere", "cylinder"]
    assert result.render(tmp_path / "a.png", size=(160, 96)).stat().st_size > 1000


def test_a_result_with_a_mesh_is_drawn_from_anywhere(tmp_path, monkeypatch):
    trimesh = pytest.importorskip("trimesh")
    scene = tmp_path / "scene"
    scene.mkdir()
    trimesh.creation.icosphere().export(scene / "part.stl")
    text = "[[body]]\nname = 'a'\ndensity = 1000\nshape = [{ type = 'mesh', file = 'part.stl' }]\n"
    (scene / "s.toml").write_text(text + "[solver]\nend = 0.05\n[output]\nframes = 2\n")
    mb.System.from_file(scene / "s.toml").run(tmp_path / "out")
    (scene / "part.stl").unlink()
    monkeypatch.chdir("/")
    assert mb.load(tmp_path / "out").render(tmp_path / "a.png", size=(160, 96)).stat().st_size > 1000
