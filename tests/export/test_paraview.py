"""ParaView itself opens the series: all time steps, bounds where the bodies are, arrays by name."""

import json
import shutil
import subprocess

import made_up
import numpy as np
import pytest
from test_series import FLOAT32, series, truth

SCRIPT = """
import json
from paraview.simple import OpenDataFile, GetAnimationScene
found = {{}}
for name in ("result", "joints"):
    source = OpenDataFile({folder!r} + "/" + name + ".pvd")
    source.UpdatePipelineInformation()
    steps = list(source.TimestepValues)
    bounds = []
    for t in steps:
        source.UpdatePipeline(t)
        bounds.append(source.GetDataInformation().GetBounds())
    found[name] = dict(
        steps=steps, bounds=bounds,
        points=[a.Name for a in source.PointData.values()], cells=[a.Name for a in source.CellData.values()],
        fields=[a.Name for a in source.FieldData.values()],
    )
print("FOUND " + json.dumps(found))
"""


@pytest.mark.skipif(shutil.which("pvpython") is None, reason="ParaView (pvpython) is not installed")
def test_paraview_steps_through_the_series_with_the_right_bounds(tmp_path):
    frames = 25
    series(tmp_path, frames)
    script = tmp_path / "look.py"
    script.write_text(SCRIPT.format(folder=str(tmp_path)))
    ran = subprocess.run(["pvpython", str(script)], capture_output=True, text=True, timeout=300)
    lines = [line for line in ran.stdout.splitlines() if line.startswith("FOUND ")]
    assert lines, ran.stdout + ran.stderr
    assert "ERR" not in ran.stderr
    found = json.loads(lines[0].removeprefix("FOUND "))

    times = [i * made_up.DT for i in range(frames)]
    assert found["result"]["steps"] == times
    assert found["joints"]["steps"] == times
    for i in range(frames):
        for name, points in (("result", truth(i)), ("joints", made_up.frame(i)["joints/position"])):
            bounds = np.stack([points.min(axis=0), points.max(axis=0)], axis=1).ravel()
            assert np.abs(np.array(found[name]["bounds"][i]) - bounds).max() < FLOAT32, (name, i)
    assert found["result"]["points"] == ["velocity"]
    assert found["result"]["cells"] == ["body"]
    assert sorted(found["joints"]["points"]) == ["determined", "force", "joint", "torque"]
    assert "names" in found["result"]["fields"]
    assert "names" in found["joints"]["fields"]
