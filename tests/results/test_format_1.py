"""A result of format 1, as mbplugin wrote it before meshes were shared, with the last frame of its series.

The scene: a box with a ball on it, a ball, a body without a shape, and a plane of the ground.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

import mbplugin as mb
from mbplugin.export.drawn import Drawn
from mbplugin.export.geometry import Geometry
from mbplugin.viz import gl


@pytest.fixture
def folder(tmp_path) -> Path:
    with zipfile.ZipFile(Path(__file__).with_name("format_1.zip")) as archive:
        archive.extractall(tmp_path)
    for name in ("a", "b"):
        (tmp_path / "result.zarr/checkpoint" / name).mkdir(exist_ok=True)
    return tmp_path


def test_a_result_of_format_1_is_read_and_drawn_as_it_was(folder):
    pv = pytest.importorskip("pyvista")
    raw = mb.load(folder).raw
    assert raw.attributes["version"] == 1 and raw.frames == 5
    geometry = Geometry(raw.static())
    written = pv.read(folder / "result/frame_000003.vtp")
    points, velocity = geometry.at(raw.frame(3))
    np.testing.assert_allclose(points, written.points, atol=1e-6)
    np.testing.assert_allclose(velocity, written.point_data["velocity"], atol=1e-6)
    assert np.array_equal(geometry.body, written.cell_data["body"])
    assert geometry.ends.sum() == len(geometry) - 4  # a plane has four corners
    np.testing.assert_array_equal(raw.gravity, [0, 0, -5])
    # the ball sits apart from the box's origin, so only in its own frame is it the other ball
    drawn = Drawn(raw.static())
    assert len(drawn) == 4 and len(drawn.meshes) == 3 and list(drawn.bare) == [2]
    assert drawn.colours()[0].tolist() == [214, 38, 41]


@pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
def test_a_result_of_format_1_makes_a_picture(folder):
    assert mb.load(folder).render(folder / "a.png", size=(160, 96)).stat().st_size > 1000
