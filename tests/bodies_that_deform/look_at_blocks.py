"""Run by pvpython: bounds, largest velocity and error of the normals of each block of the reader plugin.

look_at_blocks.py READER INDEX TIME
"""

import inspect
import json
import sys

if not hasattr(inspect, "getargspec"):
    inspect.getargspec = inspect.getfullargspec
from paraview.simple import LoadPlugin, OpenDataFile
from vtkmodules.util.numpy_support import vtk_to_numpy

reader, main, time = sys.argv[1:4]
LoadPlugin(reader, remote=False, ns=globals())
source = OpenDataFile(main)
source.UpdatePipelineInformation()
source.UpdatePipeline(float(time))
data = source.GetClientSideObject().GetOutputDataObject(0)
found = []
for k in range(data.GetNumberOfBlocks()):
    block = data.GetBlock(k)
    velocity, normals = (
        vtk_to_numpy(block.GetPointData().GetArray(name)) for name in ("velocity", "Normals")
    )
    error = abs((normals**2).sum(axis=1) - 1).max()
    found.append([*block.GetBounds(), float(velocity[:, 0].max()), float(error)])
print("FOUND", json.dumps(found))
