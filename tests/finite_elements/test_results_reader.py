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


def test_the_reader_shows_the_grids_of_bodies_with_nodes_among_rigid_ones(tmp_path):
    moves = "velocity = [0.3, 0, 0]\nangular_velocity = [0, 0, 20]"
    other = blocks.block("other", "tet10", position=(5, 0, 0), more=moves)
    text = blocks.scene(blocks.block("first", "hex27", more=moves), RIGID, other)
    result = mb.System.from_text(text).run(tmp_path)
    line = ["xvfb-run", "-a", "pvpython", str(LOOK), str(READER), str(tmp_path / "result.mbr")]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    run = subprocess.run(line, capture_output=True, text=True, env=environment, timeout=120)
    assert "READ" in run.stdout, run.stdout + run.stderr
    found = json.loads(run.stdout.partition("READ")[2])
    assert list(found) == ["first", "ball", "other"]
    assert found["ball"]["class"] == "vtkPolyData"
    for name in ("first", "other"):
        nodes, block = result.nodes(name), found[name]
        assert (block["class"], block["cells"]) == ("vtkUnstructuredGrid", len(nodes.elements))
        np.testing.assert_array_equal(block["points"], nodes.points[-1])
        for array in ("displacement", "velocity", "stress", "von_mises"):
            values = getattr(nodes, array)[-1]
            np.testing.assert_allclose(
                block["arrays"][array], values, rtol=1e-9, atol=1e-9 * np.abs(values).max()
            )
