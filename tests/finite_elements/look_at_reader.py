"""Run by pvpython: the blocks of the last frame that the reader plugin gives, printed as JSON.

look_at_reader.py READER INDEX
"""

import inspect
import json
import sys

if not hasattr(inspect, "getargspec"):
    inspect.getargspec = inspect.getfullargspec
from paraview.simple import LoadPlugin, OpenDataFile
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet

LoadPlugin(sys.argv[1], remote=False, ns=globals())
result = OpenDataFile(sys.argv[2])
result.UpdatePipelineInformation()
result.UpdatePipeline(result.TimestepValues[-1])
blocks = result.GetClientSideObject().GetOutputDataObject(0)
found = {}
for k in range(blocks.GetNumberOfBlocks()):
    block = blocks.GetBlock(k)
    arrays = block.GetPointData()
    names = [arrays.GetArrayName(n) for n in range(arrays.GetNumberOfArrays())]
    found[blocks.GetMetaData(k).Get(vtkCompositeDataSet.NAME())] = {
        "class": block.GetClassName(),
        "points": vtk_to_numpy(block.GetPoints().GetData()).tolist(),
        "cells": block.GetNumberOfCells(),
        "arrays": {name: vtk_to_numpy(arrays.GetArray(name)).tolist() for name in names},
    }
print("READ" + json.dumps(found))
