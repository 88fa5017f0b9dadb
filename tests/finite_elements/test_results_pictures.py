"""Pictures of bodies with nodes: where their nodes are drawn, and in which colours."""

import block_scenes as blocks
import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOImage import vtkPNGReader

import mbplugin as mb
from mbplugin.errors import SceneError
from mbplugin.viz.deformed import round_top, shapes_of
from mbplugin.viz.places import path_of

RESTS = 'fix = [{ nodes = "x-" }]\nvelocity = [0, 0, 30]'
TURNS = "angular_velocity = [0, 0, 500]"


def pixels(file):
    reader = vtkPNGReader()
    reader.SetFileName(str(file))
    reader.Update()
    return vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars())[:, :3].astype(int)


@pytest.fixture(scope="module")
def bent():
    return mb.System.from_text(blocks.scene(blocks.block(more=RESTS))).run(files=False)


def test_a_held_body_is_drawn_with_its_displacement_scaled(bent):
    frame = bent.raw.frame(4)
    shape, nodes = shapes_of(bent.raw, bent.raw.static(), 3.0)[0], bent.nodes("block")
    np.testing.assert_allclose(shape.points(frame), nodes.rest + 3.0 * nodes.displacement[4], atol=1e-14)
    assert np.abs(nodes.displacement[4]).max() > 1e-3


def test_a_rigid_motion_is_not_scaled():
    result = blocks.deformed_run(blocks.scene(blocks.block()), np.eye(3), (0.0, 0.0, 2.0))
    frame, nodes = result.raw.frame(4), result.nodes("block")
    shape = shapes_of(result.raw, result.raw.static(), 5.0)[0]
    # it has turned by ω t = 2e-3; in so short a time nodes move straight, and r (ω t)² / 2 < 5e-7 outwards
    assert np.abs(nodes.displacement[4]).max() > 3e-4
    np.testing.assert_allclose(shape.points(frame), nodes.points[4], atol=4 * 5e-7)


def test_scales_end_at_round_numbers():
    assert [round_top(x) for x in (82.5, 4.0, 0.0, 0.0011)] == pytest.approx([100.0, 4.0, 0.0, 0.0012])


def test_colours_show_the_field_and_the_body_moves_with_its_nodes(bent, tmp_path):
    files = {}
    for by in ("von_mises", "displacement", "none"):
        files[by] = bent.render(tmp_path / f"{by}.png", time=1e-3, color_by=by, size=(320, 200))
    seen = {by: pixels(file) for by, file in files.items()}
    yellow = {by: int(((p[:, 0] > 180) & (p[:, 1] > 160) & (p[:, 2] < 110)).sum()) for by, p in seen.items()}
    assert (
        yellow["none"] == 0
    )  # the upper end of the colours is yellow: in the scale, and where the field is large
    assert yellow["displacement"] > 50
    assert np.abs(seen["von_mises"] - seen["displacement"]).sum(axis=1).astype(bool).sum() > 500


def test_unknown_fields_and_missing_stresses_are_refused(tmp_path):
    result = mb.System.from_text(blocks.scene(blocks.block(), output="stress = false")).run(files=False)
    with pytest.raises(SceneError, match="coloured by auto, von_mises"):
        result.render(tmp_path / "a.png", color_by="stress")
    with pytest.raises(SceneError, match="no stress of nodes"):
        result.render(tmp_path / "a.png", color_by="von_mises")
    assert result.render(tmp_path / "a.png", size=(320, 200)).exists()


def test_the_trace_of_a_marker_goes_where_its_nodes_are():
    more = 'marker = [{ name = "tip", nodes = "x+" }]\n' + RESTS
    result = mb.System.from_text(blocks.scene(blocks.block(more=more))).run(files=False)
    nodes = result.nodes("block")
    expected = nodes.points[:, nodes.sets["x+"]].mean(axis=1)
    np.testing.assert_allclose(path_of(result.raw, "block.tip"), expected, atol=1e-14)
