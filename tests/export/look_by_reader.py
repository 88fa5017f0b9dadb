"""Run by pvpython: what the reader plugin gives for results. Prints one JSON document after FOUND.

look_by_reader.py READER MAIN GROWING NEWER LOST SERIES SCRIPT PICTURE: index files of results, a folder
with two series, and a script that draws a picture, or - if there is no screen
"""

import inspect
import json
import runpy
import sys

if not hasattr(inspect, "getargspec"):
    inspect.getargspec = inspect.getfullargspec
from paraview.simple import ExtractBlock, LoadPlugin, OpenDataFile, OutputPort, ReloadFiles
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet

reader, main, growing, newer, lost, series, script, picture = sys.argv[1:9]
LoadPlugin(reader, remote=False, ns=globals())


def opened(path):
    source = OpenDataFile(path)
    source.UpdatePipelineInformation()
    return source


def times(source):
    given = source.TimestepValues
    return list(given) if hasattr(given, "__len__") else [given]


def output(source, port):
    return source.GetClientSideObject().GetOutputDataObject(port)


def blocks(data):
    """Name, bounds, colours and bodies of each block."""
    found = []
    for k in range(data.GetNumberOfBlocks()):
        block = data.GetBlock(k)
        colours = vtk_to_numpy(block.GetPointData().GetArray("color"))
        used = set(map(int, vtk_to_numpy(block.GetPolys().GetConnectivityArray())))
        found.append(
            dict(
                name=data.GetMetaData(k).Get(vtkCompositeDataSet.NAME()),
                bounds=block.GetBounds(),
                unused=block.GetNumberOfPoints() - len(used),
                colours=sorted({tuple(map(int, colour)) for colour in colours}),
                bodies=sorted(set(map(int, vtk_to_numpy(block.GetCellData().GetArray("body"))))),
                velocity=vtk_to_numpy(block.GetPointData().GetArray("velocity")).mean(axis=0).tolist(),
            )
        )
    return found


def columns(fields):
    """Values of arrays by name."""
    found = {}
    for k in range(fields.GetNumberOfArrays()):
        values = fields.GetAbstractArray(k)
        if values.IsA("vtkStringArray"):
            found[values.GetName()] = [values.GetValue(i) for i in range(values.GetNumberOfValues())]
        else:
            found[values.GetName()] = vtk_to_numpy(values).tolist()
    return found


def dots(data):
    found = columns(data.GetPointData())
    found["points"] = vtk_to_numpy(data.GetPoints().GetData()).tolist() if data.GetPoints() else []
    return found


def lines(data):
    points = vtk_to_numpy(data.GetPoints().GetData()).tolist() if data.GetPoints() else []
    return dict(columns(data.GetCellData()), points=points)


def at(source, i):
    """All outputs of a reader at step i."""
    source.UpdatePipeline(times(source)[i])
    bodies, joints, contacts, centres, of_lines, table, shapes, meshes = (output(source, k) for k in range(8))
    return dict(
        blocks=blocks(bodies),
        joints=dots(joints),
        contacts=dots(contacts),
        centres=dots(centres),
        lines=lines(of_lines),
        shapes=dots(shapes),
        meshes=meshes.GetNumberOfBlocks(),
        table=columns(table.GetRowData()),
    )


def names(data):
    return [array.Name for array in data.values()]


def of_series(path):
    """Times, bounds at each of them and names of arrays of a series."""
    source = opened(path)
    steps, bounds = times(source), []
    for t in steps:
        source.UpdatePipeline(t)
        bounds.append(source.GetDataInformation().GetBounds())
    points, cells, fields = map(names, (source.PointData, source.CellData, source.FieldData))
    return dict(steps=steps, bounds=bounds, points=points, cells=cells, fields=fields)


result = opened(main)
found = {"steps": times(result), "frames": {i: at(result, i) for i in (3, len(times(result)) - 1)}}

one = ExtractBlock(Input=OutputPort(result, 0), Selectors=["/Root/top"])
one.UpdatePipeline(found["steps"][-1])
found["extracted"] = one.GetDataInformation().GetBounds()

result.Bodies, result.ContactBodies, result.Joints = ["top", "far"], ["top", "bottom"], []
result.UpdatePipeline(found["steps"][-1])
found["chosen"] = dict(
    blocks=[block["name"] for block in blocks(output(result, 0))],
    pairs=sorted(set(zip(*(dots(output(result, 2))[f"body_{end}_name"] for end in "ab")))),
    joints=output(result, 1).GetNumberOfPoints(),
    shapes=output(result, 6).GetNumberOfPoints(),
)
result.BlockLimit = 1
result.UpdatePipeline(found["steps"][-1])
found["beyond the limit"] = [output(result, 0).GetNumberOfBlocks(), output(result, 6).GetNumberOfPoints()]

live = opened(growing)
before = times(live)
print("GROW", flush=True)
sys.stdin.readline()
ReloadFiles(live)
live.UpdatePipelineInformation()
live.UpdatePipeline(times(live)[-1])
found["growing"] = [before, times(live), dots(output(live, 3))["points"], blocks(output(live, 0))]

print("OF NEWER", flush=True)
source = opened(newer)
source.UpdatePipeline()
found["newer"] = len(times(source)), output(source, 0).GetNumberOfBlocks()
print("OF LOST", flush=True)
source = opened(lost)
shown = times(source)
source.UpdatePipeline(shown[-1])
found["lost"] = (
    shown,
    dots(output(source, 1))["force"],
    dots(output(source, 3))["points"],
    [block["name"] for block in blocks(output(source, 0))],
)
print("OF PICTURE", flush=True)
found["series"] = {name: of_series(series + "/" + name + ".pvd") for name in ("result", "joints")}
if script != "-":
    sys.argv = [script, picture]
    runpy.run_path(script, run_name="__main__")
print("DONE", flush=True)
print("FOUND " + json.dumps(found))
