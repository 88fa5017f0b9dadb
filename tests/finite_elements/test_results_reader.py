"""The reader plugin of ParaView shows bodies with nodes: its arrays against the store."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import block_scenes as blocks
import numpy as np
import pytest

import mbplugin as mb
from mbplugin.paraview.script import READER

pytestmark = pytest.mark.skipif(
    not (shutil.which("pvpython") and shutil.which("xvfb-run")), reason="ParaView or Xvfb is not installed"
)
LOOK = Path(__file__).with_name("look_at_reader.py")
RIGID = '[[body]]\nname = "ball"\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0, 9]\n'


#: a box that deforms as a whole
SOFT = """
[[body]]
name = "soft"
type = "pseudo_rigid"
material = "rubber"
position = [0, 5, 0]
velocity = [0.3, 0.1, 0.2]
angular_velocity = [3, -2, 4]
stretch_rate = [40, -60, 30]
shape = [{ type = "box", size = [0.4, 0.1, 0.2] }]
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """A result, and what ParaView finds in it and in the series of its first body."""
    folder = tmp_path_factory.mktemp("reader")
    moves = "velocity = [0.3, 0, 0]\nangular_velocity = [0, 0, 20]"
    other = blocks.block("other", "tet10", position=(5, 0, 0), more=moves)
    text = blocks.scene(blocks.block("first", "hex27", more=moves), RIGID, other, SOFT)
    result = mb.System.from_text(text).run(folder)
    files = [str(READER), str(folder / "result.mbr"), str(folder / "mesh_first.pvd")]
    line = ["xvfb-run", "-a", "pvpython", str(LOOK), *files]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    run = subprocess.run(line, capture_output=True, text=True, env=environment, timeout=120)
    assert "READ" in run.stdout, run.stdout + run.stderr
    return result, json.loads(run.stdout.partition("READ")[2])


def test_the_reader_shows_the_grids_of_bodies_with_nodes_among_rigid_ones(seen):
    result, found = seen[0], seen[1]["blocks"]
    assert list(found) == ["first", "ball", "other", "soft"]
    assert found["ball"]["class"] == found["soft"]["class"] == "vtkPolyData"
    for name in ("first", "other"):
        nodes, block = result.nodes(name), found[name]
        assert (block["class"], block["cells"]) == ("vtkUnstructuredGrid", len(nodes.elements))
        np.testing.assert_array_equal(block["points"], nodes.points[-1])
        for array in ("displacement", "velocity", "stress", "von_mises"):
            values = getattr(nodes, array)[-1]
            np.testing.assert_allclose(
                block["arrays"][array], values, rtol=1e-9, atol=1e-9 * np.abs(values).max()
            )


def test_the_reader_shows_the_surface_of_a_body_that_deforms_as_a_whole(seen):
    """Corners x + F X, X of half the edges, that move at v + Ḟ X; normals of length 1 across the faces."""
    result, block = seen[0], seen[1]["blocks"]["soft"]
    frame, points = result.raw.frame(result.raw.frames - 1), np.array(block["points"])
    F, rate = (frame[f"deformations/{name}"][0].reshape(3, 3) for name in ("gradient", "rate"))
    assert np.abs(F.T @ F - np.eye(3)).max() > 0.03
    k = result.bodies.index("soft")
    X = (points - frame["bodies/center_of_mass"][k]) @ np.linalg.inv(F).T
    np.testing.assert_allclose(np.abs(X), np.tile(np.array(blocks.SIZE) / 2, (len(X), 1)), atol=1e-8)
    velocity = frame["bodies/center_of_mass_velocity"][k] + X @ rate.T
    np.testing.assert_allclose(block["arrays"]["velocity"], velocity, rtol=1e-5, atol=1e-5)
    normals = np.array(block["arrays"]["Normals"])
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-6)
    # pulled back they are along the axes of the undeformed box, outwards
    back = normals @ F
    back /= np.linalg.norm(back, axis=1)[:, None]
    np.testing.assert_allclose(np.sort(np.abs(back), axis=1), np.tile([0, 0, 1], (len(X), 1)), atol=1e-5)
    assert (back * X).sum(axis=1).min() > 0.0


def test_paraview_reads_the_values_of_the_store(seen):
    """From the series."""
    result, found = seen
    nodes = result.nodes("first")
    assert found["times"] == result.time.tolist()
    assert found["components"] == ["XX", "YY", "ZZ", "XY", "YZ", "XZ"]
    for name, series in found["series"].items():
        values = getattr(nodes, name)
        np.testing.assert_allclose(series, values[-1], atol=1e-6 * np.abs(values).max())
