"""Results that are made up, and ParaView to look at them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from child import told

sys.path.insert(0, str(Path(__file__).parent.parent / "results"))

LOOK = """
import json, sys
from paraview.simple import OpenDataFile, GetAnimationScene
found = {}
for name in ("result", "joints"):
    source = OpenDataFile(sys.argv[1] + "/" + name + ".pvd")
    source.UpdatePipelineInformation()
    steps, bounds = list(source.TimestepValues), {}
    for i in map(int, sys.argv[2:]):
        source.UpdatePipeline(steps[i])
        bounds[i] = source.GetDataInformation().GetBounds()
    names = lambda data: [a.Name for a in data.values()]
    found[name] = dict(
        steps=steps, bounds=bounds,
        points=names(source.PointData), cells=names(source.CellData), fields=names(source.FieldData),
    )
history = OpenDataFile(sys.argv[1] + "/history.pvd")
history.UpdatePipelineInformation()
found["history"] = {}
for i in map(int, sys.argv[2:]):
    history.UpdatePipeline(history.TimestepValues[i])
    found["history"][i] = {
        a.Name: [a.GetRange(c)[0] for c in range(a.GetNumberOfComponents())]
        for a in history.PointData.values()
    }
print("FOUND " + json.dumps(found))
"""


@pytest.fixture
def paraview(tmp_path):
    """What ParaView finds in the series of a folder: times, bounds at these frames, names of arrays, and the
    numbers of its history.
    """
    if shutil.which("pvpython") is None:
        pytest.skip("ParaView (pvpython) is not installed")

    def look(folder, frames):
        (tmp_path / "look.py").write_text(LOOK)
        line = ["pvpython", "look.py", str(folder), *map(str, frames)]
        ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        found = told(ran, "FOUND ")
        assert "ERR" not in ran.stderr
        return found

    return look
