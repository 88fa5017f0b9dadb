"""Run by pvpython: reads a collection of .vtu files and prints arrays of its last frame as JSON."""

import json
import sys

from paraview.servermanager import Fetch
from paraview.simple import OpenDataFile, UpdatePipeline
from vtkmodules.util.numpy_support import vtk_to_numpy

series = OpenDataFile(sys.argv[1])
times = list(series.TimestepValues)
UpdatePipeline(time=times[-1], proxy=series)
grid = Fetch(series)
while hasattr(grid, "GetBlock"):
    grid = grid.GetBlock(0)
arrays = {
    name: vtk_to_numpy(grid.GetPointData().GetArray(name)).tolist()
    for name in ("displacement", "von_mises", "stress")
}
tensor = series.PointData.GetArray("stress")
names = [tensor.GetComponentName(k) for k in range(tensor.GetNumberOfComponents())]
print("READ" + json.dumps({"times": times, "components": names, **arrays}))
