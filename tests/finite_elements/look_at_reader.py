"""Run by pvpython: the blocks of the last frame that the reader plugin gives, and the last frame of a
collection of .vtu files, printed as JSON.

look_at_reader.py READER INDEX COLLECTION
"""

import inspect
import json
import sys

if not hasattr(inspect, "getargspec"):
    inspect.getargspec = inspect.getfullargspec
from paraview.servermanager import Fetch
from paraview.simple import LoadPlugin, OpenDataFile, UpdatePipeline
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet

LoadPlugin(sys.argv[1], remote=False, ns=globals())
result = OpenDataFile(sys.argv[2])
result.UpdatePipelineInformation()
result.UpdatePipeline(result.TimestepValues[-1])
data = result.GetClientSideObject().GetOutputDataObject(0)
blocks = {}
for k in range(data.GetNumberOfBlocks()):
    block = data.GetBlock(k)
    arrays = block.GetPointData()
    names = [arrays.GetArrayName(n) for n in range(arrays.GetNumberOfArrays())]
    blocks[data.GetMetaData(k).Get(vtkCompositeDataSet.NAME())] = {
        "class": block.GetClassName(),
        "points": vtk_to_numpy(block.GetPoints().GetData()).tolist(),
        "cells": block.GetNumberOfCells(),
        "arrays": {name: vtk_to_numpy(arrays.GetArray(name)).tolist() for name in names},
    }

collection = OpenDataFile(sys.argv[3])
times = list(collection.TimestepValues)
UpdatePipeline(time=times[-1], proxy=collection)
grid = Fetch(collection)
while hasattr(grid, "GetBlock"):
    grid = grid.GetBlock(0)
series = {
    name: vtk_to_numpy(grid.GetPointData().GetArray(name)).tolist()
    for name in ("displacement", "von_mises", "stress")
}
tensor = collection.PointData.GetArray("stress")
components = [tensor.GetComponentName(k) for k in range(tensor.GetNumberOfComponents())]
print("READ" + json.dumps({"blocks": blocks, "times": times, "components": components, "series": series}))
