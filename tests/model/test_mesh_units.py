"""A mesh file in millimetres without `scale` gets one remark; one in metres, or with a `scale`, gets none."""

from __future__ import annotations

import pytest
from refusals import has
from snapshots import same_message

import mbplugin as mb
from mbplugin.model.remarks import large_meshes

trimesh = pytest.importorskip("trimesh")


@pytest.fixture
def scene(tmp_path):
    """The remarks on a bracket of 120 x 50 x 30, of the file's unit, beside a ball 0.3 m away."""

    def of(position="[0.3, 0, 0]", ball="0.1", ground=False, size=120.0, **keys) -> list[str]:
        trimesh.creation.box((size, 50.0, 30.0)).export(tmp_path / "bracket.stl")
        more = "".join(f", {key} = {value}" for key, value in keys.items())
        mesh = f'shape = [{{ type = "mesh", file = "bracket.stl"{more} }}]\n'
        text = f"[scene]\n{mesh}" if ground else ""
        text += "[[body]]\nname = 'a'\nmass = 1\ninertia = [1, 1, 1]\n" + ("" if ground else mesh)
        text += f"[[body]]\nname = 'b'\nmass = 1\ninertia = [1, 1, 1]\nposition = {position}\n"
        text += f'shape = [{{ type = "sphere", radius = {ball} }}]\n' if ball else ""
        (tmp_path / "s.toml").write_text(text)
        return large_meshes(mb.System.from_file(tmp_path / "s.toml"))

    return of


def test_a_bracket_of_120_metres_beside_a_ball_is_remarked_with_its_mend(scene):
    (line,) = scene()
    assert has(line, "body[0].shape[0].file", "120 m", "0.3 m", "scale = 0.001")
    same_message(line)


def test_scale_says_the_unit(scene):
    assert scene(scale=0.001) == [] and scene(scale=1) == []


def test_what_is_large_among_large_things_is_not_remarked(scene):
    assert scene(position="[40, 0, 0]") == []
    # a ground of 120 m under a robot is a landscape, under a watch it is not
    assert scene(ground=True) == []
    assert len(scene(ground=True, position="[0.03, 0, 0]", ball="0.01")) == 1


def test_a_mesh_alone_is_judged_by_its_metres(scene):
    assert scene(position="[0, 0, 0]", ball="") == []
    (line,) = scene(position="[0, 0, 0]", ball="", size=900.0)
    assert has(line, "900 m")
