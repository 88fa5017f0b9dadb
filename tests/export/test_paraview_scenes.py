"""ParaView opens what three scenes leave: as many steps as frames, the bodies and joints where the result has
them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mbplugin as mb
from mbplugin.export.geometry import Geometry

SCENES = Path(__file__).parents[2] / "scenes"
LOOK = """
import json, sys
from paraview.simple import OpenDataFile
found = {}
for name in ("result", "joints"):
    source = OpenDataFile(sys.argv[1] + "/" + name + ".pvd")
    source.UpdatePipelineInformation()
    steps = list(source.TimestepValues)
    bounds = {}
    for i in map(int, sys.argv[2:]):
        source.UpdatePipeline(steps[i])
        bounds[i] = source.GetDataInformation().GetBounds()
    found[name] = dict(steps=steps, bounds=bounds, points=[a.Name for a in source.PointData.values()], cells=[a.Name for a in source.CellData.values()])
print("FOUND " + json.dumps(found))
"""


@pytest.mark.skipif(shutil.which("pvpython") is None, reason="ParaView (pvpython) is not installed")
@pytest.mark.parametrize(
    ("name", "end"), [("piston_crank", None), ("double_pendulum", 0.5), ("four_bar_n2", 0.8)]
)
def test_paraview_shows_the_scene_where_the_result_has_it(tmp_path, name, end):
    result = mb.System.from_file(SCENES / name, {"output.frames": "20"}).run(tmp_path / "out", end=end)
    (tmp_path / "look.py").write_text(LOOK)
    frames = [0, 5, 10, 15, 20]
    ran = subprocess.run(
        ["pvpython", "look.py", str(tmp_path / "out"), *map(str, frames)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    lines = [line for line in ran.stdout.splitlines() if line.startswith("FOUND ")]
    assert lines, ran.stdout + ran.stderr
    found = json.loads(lines[0].removeprefix("FOUND "))
    geometry = Geometry(result.raw.static())
    for i in frames:
        frame = result.raw.frame(i)
        for what, points in (("result", geometry.at(frame)[0]), ("joints", frame["joints/position"])):
            bounds = np.stack([points.min(axis=0), points.max(axis=0)], axis=1).ravel()
            np.testing.assert_allclose(found[what]["bounds"][str(i)], bounds, atol=1e-6)
    for what in ("result", "joints"):
        np.testing.assert_allclose(found[what]["steps"], result.time, atol=1e-12)
    assert {"velocity"} <= set(found["result"]["points"]) and "body" in found["result"]["cells"]
    assert {"force", "torque", "determined", "joint"} <= set(found["joints"]["points"])
