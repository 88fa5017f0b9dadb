"""ParaView reader of results of mbplugin: `File > Open > result.mbr`.

This file runs in ParaView's own Python, 3.8 or later: it needs numpy, ParaView and the folder `decoder` of
mbplugin, which is beside the one of this file, or beside this file where both were copied elsewhere.
Load it by `Tools > Manage Plugins > Load New`, or start ParaView by `mbplugin paraview RESULT`, which loads
it. docs/result-format.md describes the store.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

import numpy as np
from paraview.util.vtkAlgorithm import VTKPythonAlgorithmBase, smdomain, smhint, smproperty, smproxy
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import (
    vtkDataArray,
    vtkDataArraySelection,
    vtkDoubleArray,
    vtkFloatArray,
    vtkOutputWindow,
    vtkPoints,
    vtkStringArray,
)
from vtkmodules.vtkCommonDataModel import (
    vtkCellArray,
    vtkCompositeDataSet,
    vtkDataObject,
    vtkMultiBlockDataSet,
    vtkPolyData,
    vtkTable,
    vtkUnstructuredGrid,
)
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkFiltersCore import vtkPolyDataNormals


def load_decoder():
    """Make the folder `decoder`, by which mbplugin reads results too, the package `mbplugin_decoder`."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [os.path.join(folder, "decoder") for folder in (here, os.path.dirname(here))]
    folder = next(filter(os.path.isdir, folders), folders[-1])
    found = importlib.util.spec_from_file_location(
        "mbplugin_decoder", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    sys.modules["mbplugin_decoder"] = module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)


load_decoder()
from mbplugin_decoder.colours import culprit_colours, default_colours
from mbplugin_decoder.contact_frame import derived, supporting_forces
from mbplugin_decoder.drawn import Drawn
from mbplugin_decoder.files import FORMAT, VERSION, Damaged, array_info, chunk_name, read_node
from mbplugin_decoder.nodal import nodal_meshes
from mbplugin_decoder.pressure import contact_loads
from mbplugin_decoder.rotation import product, rotation, with_ground

#: colours of lines, and of those that had a part in an error
LINE, CULPRIT = (89, 89, 89), (214, 0, 0)
#: triangles that meet at a larger angle have an edge between them [deg]
SHARP = 30.0
#: a frame is shown from its time on; times within this relative distance are the same
SAME_TIME = 1e-12
#: blocks of what does not move: shapes of the ground, and its planes, which have no end
GROUND, PLANES = "ground", "ground plane"
#: groups with static arrays and attributes
STATIC = ("bodies", "shapes", "meshes", "nodes", "deformations")
#: names at the mass centres of arrays of the bodies
AT_CENTRES = {
    "center_of_mass_velocity": "velocity",
    "position": "origin",
    "velocity": "origin_velocity",
    "acceleration": "origin_acceleration",
}
#: name and type of each output
PORTS = (
    ("Bodies", "vtkMultiBlockDataSet"),
    ("Joints", "vtkPolyData"),
    ("Contacts", "vtkPolyData"),
    ("Mass centres", "vtkPolyData"),
    ("Lines", "vtkPolyData"),
    ("Table", "vtkTable"),
    ("Shapes", "vtkPolyData"),
    ("Meshes", "vtkMultiBlockDataSet"),
)
TABLE, SHAPES, MESHES = 5, 6, 7
#: errors of a store that is not as its format says
DAMAGE = (OSError, ValueError, KeyError, IndexError, TypeError, Damaged)
WITHOUT_TIME = (TABLE, MESHES)
TIME_STEPS = vtkStreamingDemandDrivenPipeline.TIME_STEPS()
TIME_RANGE = vtkStreamingDemandDrivenPipeline.TIME_RANGE()
UPDATE_TIME_STEP = vtkStreamingDemandDrivenPipeline.UPDATE_TIME_STEP()
FROM_OUTPUT_PORT = vtkStreamingDemandDrivenPipeline.FROM_OUTPUT_PORT()


# ---- the store ----


def folder_of_store(path):
    """The folder of the store, from its index file, itself, or the folder of both."""
    if os.path.isdir(path):
        inside = os.path.join(path, "result.zarr")
        return inside if os.path.isdir(inside) else path
    with open(path, encoding="utf-8") as file:
        return os.path.join(os.path.dirname(path), json.load(file)["store"])


class Store:
    """The arrays of a store up to its committed frames, as docs/result-format.md describes them.

    What a missing or short chunk does not hold reads as nan (integers: -1); `report` is told of it.
    """

    def __init__(self, path, report):
        self.path, self.report, self.nodes, self.damaged = path, report, {}, set()
        root = self.attributes("")
        if root.get("format") != FORMAT:
            raise ValueError("not a result of mbplugin")
        if root.get("version") != VERSION:
            raise ValueError(
                f"result format {root.get('version')}, and this reader reads format {VERSION}: take the "
                "reader of the mbplugin that wrote it (mbplugin paraview --plugin-path)"
            )
        self.frames, self.frame_arrays = root["frames"], root["frame_arrays"]
        self.static_arrays = root["static_arrays"]
        self.of_contacts = root.get("lists", {}).get("contacts", [])
        self.time = self.all("time")
        whole = np.isfinite(self.time)
        for key in ("bodies/position", "bodies/orientation"):
            whole &= self.present(key)
        #: frames in which the bodies can be placed
        self.whole_frames = np.flatnonzero(whole)
        self.local_centre = self.all("bodies/local_center_of_mass")

    def node(self, key):
        if key not in self.nodes:
            self.nodes[key] = read_node(Path(self.path, key))
        return self.nodes[key]

    def attributes(self, key):
        return self.node(key).get("attributes", {})

    def names(self, group):
        return list(self.attributes(group).get("name", [])) if self.keys(group) else []

    def culprits(self, group):
        """Names of those that had a part in the error, in last steps before one."""
        marks = self.attributes(group).get("culprit", [])
        return {name for name, mark in zip(self.names(group), marks) if mark}

    def keys(self, group):
        """The frame arrays of a group."""
        return [key for key in self.frame_arrays if key.startswith(group + "/")]

    def unit(self, key):
        """Unit of an array; "" without one, or without the array."""
        if not os.path.isdir(os.path.join(self.path, key)):
            return ""
        unit = self.attributes(key).get("units", "")
        return "" if unit == "1" else unit

    def chunk(self, key, index):
        """Path of a chunk: the array, then 4 bytes of a checksum."""
        return os.path.join(self.path, key, chunk_name(index, len(self.node(key)["shape"])))

    def rows(self, key, first, stop):
        """Rows first <= i < stop of an array."""
        shape, (chunk, *row), dtype = array_info(self.node(key))
        size = int(np.prod(shape[1:], dtype=int))
        out = np.full((max(0, stop - first), size), np.nan if dtype.kind == "f" else -1, dtype)
        i = first
        while i < stop and size:
            index, row = divmod(i, chunk)
            count = min(stop - i, chunk - row)
            found = np.zeros(0, dtype)
            path = self.chunk(key, index)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    file.seek(row * size * dtype.itemsize)
                    found = np.fromfile(file, dtype, count * size)
            whole = len(found) // size
            out[i - first : i - first + whole] = found[: whole * size].reshape(whole, size)
            if whole < count:
                self.tell_damage(key, path)
            i += count
        return out.reshape([len(out), *shape[1:]])

    def row(self, key, i):
        return self.rows(key, i, i + 1)[0]

    def all(self, key):
        return self.rows(key, 0, self.frames if key in self.frame_arrays else self.node(key)["shape"][0])

    def static(self):
        """Static arrays and attributes by name, as `RawResult.static`."""
        found = {key: self.all(key) for key in self.static_arrays}
        for group in STATIC:
            if os.path.isdir(os.path.join(self.path, group)):
                found.update({f"{group}/{name}": value for name, value in self.attributes(group).items()})
        return found

    def present(self, key):
        """(frames,) whether the row of each frame is there, by the sizes of the chunks."""
        shape, (chunk, *_), dtype = array_info(self.node(key))
        size = int(np.prod(shape[1:], dtype=int))
        out = np.ones(self.frames, bool)
        for index in range(-(-self.frames // chunk) if size else 0):
            path, first = self.chunk(key, index), index * chunk
            held = os.path.getsize(path) // (size * dtype.itemsize) if os.path.isfile(path) else 0
            out[first + held : first + chunk] = False
            if held < min(chunk, self.frames - first):
                self.tell_damage(key, path)
        return out

    def tell_damage(self, key, path):
        """Report a damaged chunk, once for each array."""
        if key not in self.damaged:
            self.damaged.add(key)
            self.report(f"{path}: is missing or short; what such chunks of {key} held is left out")

    def frame_at(self, t):
        """The frame shown at a time: the last one that is not later."""
        late = np.searchsorted(self.time[self.whole_frames], t + SAME_TIME * max(1.0, abs(t)), "right")
        return int(self.whole_frames[max(0, late - 1)])

    def bodies(self, i):
        """Arrays of the bodies in frame i by name."""
        of = {key.partition("/")[2]: self.row(key, i) for key in self.keys("bodies")}
        for name in ("velocity", "angular_velocity", "acceleration", "angular_acceleration"):
            of.setdefault(name, np.zeros_like(of["position"]))
        return of

    def deformations(self, i):
        """(body, F, its rate) of the bodies that deform: a point s of one is at position + F s."""
        if "deformations/gradient" not in self.frame_arrays:
            return []
        F, rate = (self.row(f"deformations/{key}", i).reshape(-1, 3, 3) for key in ("gradient", "rate"))
        return list(zip(self.all("deformations/body").tolist(), F, rate))

    def contacts(self, i):
        """Arrays of the contacts in frame i by name; forces act on body b, and the ground is body a."""
        first, stop = (int(self.row("lists/contacts/stop", k)) if k >= 0 else 0 for k in (i - 1, i))
        if min(first, stop) < 0:
            first = stop = 0
        of = {key: self.rows("lists/contacts/" + key, first, stop) for key in self.of_contacts}
        of.update(derived(of["normal"], of["force"]))
        gravity = self.attributes("forces").get("gravity", [0.0, 0.0, 0.0])
        of["supporting_force"] = supporting_forces(of["force"], gravity)
        whole = np.isfinite(of["point"]).all(axis=1)
        return {key: values[whole] for key, values in of.items()}

    def words(self, name):
        """Words for the integers of an array of the contacts; none of most arrays."""
        return self.attributes("lists/contacts/" + name).get("words", ())


# ---- VTK ----


def array(name, values, unit=""):
    out = numpy_to_vtk(np.ascontiguousarray(values), deep=True)
    out.SetName(name)
    if unit:
        out.GetInformation().Set(vtkDataArray.UNITS_LABEL(), unit)
    return out


def strings(name, texts):
    out = vtkStringArray()
    out.SetName(name)
    out.SetNumberOfValues(len(texts))
    for i, text in enumerate(texts):
        out.SetValue(i, str(text))
    return out


def part(name, values, kind):
    """A vector array over a part of a numpy array, without a copy (3 us instead of 350)."""
    out = kind()
    out.SetName(name)
    out.SetNumberOfComponents(3)
    out.SetVoidArray(values.reshape(-1), values.size, 1)
    out._numpy_reference = values  # kept as long as VTK keeps the array
    return out


def points_of(data):
    out = vtkPoints()
    out.SetDataTypeToDouble()
    out.SetData(data)
    return out


def cells(corners):
    """Cells of (n, k) indices of points."""
    n, k = corners.shape
    out = vtkCellArray()
    offsets, corners = np.arange(0, n * k + 1, k, dtype=np.int64), np.ascontiguousarray(corners, np.int64)
    out.SetData(
        numpy_to_vtkIdTypeArray(offsets, deep=True), numpy_to_vtkIdTypeArray(corners.ravel(), deep=True)
    )
    return out


def dots(points, arrays):
    """A mesh with one vertex at each of the points (n, 3), and arrays of them."""
    mesh = vtkPolyData()
    mesh.SetPoints(points_of(array("Points", np.asarray(points, float).reshape(-1, 3))))
    mesh.SetVerts(cells(np.arange(len(points)).reshape(-1, 1)))
    for values in arrays:
        mesh.GetPointData().AddArray(values)
    return mesh


def smoothed(points, triangles):
    """Points, triangles and normals of a mesh, smooth except at sharp edges, where points are doubled."""
    if not len(triangles):
        return points, triangles, np.zeros_like(points)
    mesh = vtkPolyData()
    mesh.SetPoints(points_of(array("Points", points)))
    mesh.SetPolys(cells(triangles))
    normals = vtkPolyDataNormals()
    normals.SetInputData(mesh)
    normals.SetFeatureAngle(SHARP)
    normals.ConsistencyOff()
    normals.SetOutputPointsPrecision(1)  # double
    normals.Update()
    out = normals.GetOutput()
    corners = vtk_to_numpy(out.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    of_points = vtk_to_numpy(out.GetPointData().GetNormals())
    return vtk_to_numpy(out.GetPoints().GetData()).astype(float), corners.copy(), of_points.astype(float)


# ---- what of a result does not change with time ----


class Shapes(Drawn):
    """The visible shapes, one row each, and their meshes (points, triangles, normals).

    block:   (n,) its body; behind the bodies the ground, then the planes of the ground
    palette: (m, 3) all colours; index: (n,) of the shapes in it; of_bare: body -> that of one without a shape
    """

    def __init__(self, static):
        super().__init__(static)
        self.block = np.where(self.body < 0, self.bodies + self.endless, self.body)
        self.colour = self.colours()
        of_culprits = culprit_colours(static, self.bare)
        given = np.isfinite(of_culprits)
        of_bare = np.where(given, 255.0 * np.nan_to_num(of_culprits), default_colours(self.bare))
        all_colours = np.vstack([self.colour, np.round(of_bare)]).astype(np.uint8)
        self.palette, index = np.unique(all_colours, axis=0, return_inverse=True)
        self.index, of_bare = np.split(index.reshape(-1), [len(self.body)])
        self.of_bare = dict(zip(self.bare.tolist(), of_bare.tolist()))
        self.meshes = [smoothed(*mesh) for mesh in self.meshes]

    def of_block(self, number):
        """Points, triangles, normals and indices of colours of all shapes of one block, in its frame."""
        found = []
        for k in np.flatnonzero(self.block == number):
            points, triangles, normals = self.meshes[self.mesh[k]]
            R = rotation(self.orientation[k : k + 1])[0]
            normals = normals / self.scale[k]
            normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
            start = sum(len(one[0]) for one in found)
            colours = np.full(len(points), self.index[k])
            points = (points * self.scale[k]) @ R.T + self.position[k]
            found.append((points, triangles + start, normals @ R.T, colours))
        return [np.concatenate(of_all) for of_all in zip(*found)]

    def as_blocks(self):
        """The meshes as blocks, for glyphs."""
        out = vtkMultiBlockDataSet()
        for k, (points, triangles, normals) in enumerate(self.meshes):
            mesh = vtkPolyData()
            mesh.SetPoints(points_of(array("Points", points)))
            mesh.SetPolys(cells(triangles))
            mesh.GetPointData().SetNormals(array("Normals", normals.astype(np.float32)))
            out.SetBlock(k, mesh)
        return out


class Surface:
    """The surface of one block in the frame of its body (-1: the ground). A body without a shape is a vertex
    at its mass centre.
    """

    def __init__(self, shapes, number, body, name, centre):
        self.body, self.mesh = body, vtkPolyData()
        found = shapes.of_block(number)
        if found:
            self.points, triangles, normals, colours = found
            self.mesh.SetPolys(cells(triangles))
        else:
            self.points, normals = centre[None], np.zeros((1, 3))
            colours = np.array([shapes.of_bare[number]])
            self.mesh.SetVerts(cells(np.zeros((1, 1))))
        self.points32, self.normals = self.points.astype(np.float32), normals.astype(np.float32)
        self.mesh.GetPointData().AddArray(array("color", shapes.palette[colours]))
        self.mesh.GetPointData().AddArray(array("color_index", colours.astype(np.int32)))
        of_cells = np.full(self.mesh.GetNumberOfCells(), body, np.int32)
        self.mesh.GetCellData().AddArray(array("body", of_cells))
        self.mesh.GetFieldData().AddArray(strings("body_name", [name]))

    def moved(self, points, normals, velocity):
        """The mesh with parts of numpy arrays as points, normals and velocities."""
        mesh = vtkPolyData()
        mesh.ShallowCopy(self.mesh)
        mesh.SetPoints(points_of(part("Points", points, vtkDoubleArray)))
        mesh.GetPointData().SetNormals(part("Normals", normals, vtkFloatArray))
        mesh.GetPointData().AddArray(part("velocity", velocity, vtkFloatArray))
        return mesh


class Deformed:
    """The cells of a body with nodes; colour: red, green, blue, and its index."""

    def __init__(self, mesh, body, colour):
        self.mesh, self.body, self.grid = mesh, body, vtkUnstructuredGrid()
        types = [of.vtk for of in mesh.cells for _ in of.nodes]
        corners = [of.nodes.reshape(-1) for of in mesh.cells]
        widths = [of.nodes.shape[1] for of in mesh.cells for _ in of.nodes]
        out, offsets = vtkCellArray(), np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        whole = np.concatenate(corners or [np.zeros(0)]).astype(np.int64)
        out.SetData(numpy_to_vtkIdTypeArray(offsets, deep=True), numpy_to_vtkIdTypeArray(whole, deep=True))
        self.grid.SetCells(numpy_to_vtk(np.array(types, np.uint8), deep=True), out)
        n = len(mesh.rest)
        of_points = self.grid.GetPointData()
        of_points.AddArray(array("color", np.tile(np.array(colour[0], np.uint8), (n, 1))))
        of_points.AddArray(array("color_index", np.full(n, colour[1], np.int32)))
        of_points.AddArray(array("node", np.arange(n, dtype=np.int32)))
        self.grid.GetCellData().AddArray(array("body", np.full(len(types), body, np.int32)))
        self.grid.GetFieldData().AddArray(strings("body_name", [mesh.name]))

    def at(self, store, i):
        """The grid with moved points in frame i: displacement, velocity, and stress and contacts if any."""
        mesh, grid = self.mesh, vtkUnstructuredGrid()
        arrays = mesh.arrays(store.frame_arrays, lambda key: store.row(key, i))
        grid.ShallowCopy(self.grid)
        grid.SetPoints(points_of(array("Points", mesh.rest + arrays["displacement"])))
        for name, values in arrays.items():
            unit = store.unit("nodes/" + ("stress" if name == "von_mises" else name))
            grid.GetPointData().AddArray(array(name, values, unit))
        if store.of_contacts:
            force, pressure = contact_loads(mesh, self.body, arrays["displacement"], store.contacts(i))
            grid.GetPointData().AddArray(array("contact_force", force, "N"))
            grid.GetPointData().AddArray(array("contact_pressure", pressure, "Pa"))
        return grid


class Scene:
    """Names and surfaces of a result, and the outputs of the reader at a frame."""

    def __init__(self, store):
        self.bodies = store.names("bodies")
        self.mass = np.array(store.attributes("bodies").get("mass", []), float)  # no mass: nan
        self.joints, self.lines = store.names("joints"), store.names("lines")
        self.contacts = [*self.bodies, GROUND] if store.of_contacts else []
        static = store.static()
        self.shapes, self.centres, self.surfaces = Shapes(static), store.local_centre, {}
        resting = {len(self.bodies) + k: name for k, name in enumerate((GROUND, PLANES))}
        resting = {number: name for number, name in resting.items() if number in self.shapes.block}
        self.blocks, self.numbers = self.bodies + list(resting.values()), [*range(len(self.bodies)), *resting]
        self.meshes = self.shapes.as_blocks()
        self.deformed = {}
        for mesh in nodal_meshes(static):
            body = self.bodies.index(mesh.name)
            index = self.shapes.of_bare.get(body, 0)
            self.deformed[body] = Deformed(mesh, body, (self.shapes.palette[index], index))
        culprits = store.culprits("joints") | store.culprits("forces")
        self.line_colours = np.array([CULPRIT if name in culprits else LINE for name in self.lines], np.uint8)

    def surface(self, number):
        """That of a block, made once."""
        if number not in self.surfaces:
            moves = number < len(self.bodies)
            body, name = (number, self.bodies[number]) if moves else (-1, GROUND)
            centre = self.centres[number] if moves else np.zeros(3)
            self.surfaces[number] = Surface(self.shapes, number, body, name, centre)
        return self.surfaces[number]

    def places(self, chosen):
        """(blocks,) whether each is chosen, by its number. chosen: whether each of `blocks` is"""
        out = np.zeros(len(self.bodies) + 2, bool)
        out[self.numbers] = chosen
        return out

    def bodies_at(self, of, chosen, deformations):
        """A named block for each of these indices into `blocks`. deformations: of `Store.deformations`"""
        surfaces = [self.surface(self.numbers[k]) for k in chosen]
        deformed = {body for body, _, _ in deformations}
        x, v, w = (with_ground(of[key], np.zeros(3)) for key in ("position", "velocity", "angular_velocity"))
        RT = np.concatenate([rotation(of["orientation"]).transpose(0, 2, 1), np.eye(3)[None]])
        W = np.zeros((len(x), 3, 3))  # rows: p W = w x p
        W[:, 1, 0], W[:, 2, 0], W[:, 2, 1] = -w[:, 2], w[:, 1], -w[:, 0]
        W -= W.transpose(0, 2, 1)
        RTW, RTN = RT @ W, RT.copy()
        for body, F, F_dot in deformations:
            RT[body], RTW[body], RTN[body] = F.T, F_dot.T, np.linalg.inv(F)
        RTW, RT32, v32 = RTW.astype(np.float32), RTN.astype(np.float32), v.astype(np.float32)
        # all blocks are parts of three arrays, which is faster than arrays of their own
        stops = np.cumsum([len(surface.points) for surface in surfaces]).tolist()
        total = stops[-1] if stops else 0
        points, normals, velocity = (np.empty((total, 3), kind) for kind in ("f8", "f4", "f4"))
        out = vtkMultiBlockDataSet()
        out.SetNumberOfBlocks(len(surfaces))
        for k, (surface, start, stop) in enumerate(zip(surfaces, [0, *stops], stops)):
            b, p, n, s = surface.body, points[start:stop], normals[start:stop], velocity[start:stop]
            np.add(surface.points.dot(RT[b]), x[b], out=p)
            surface.normals.dot(RT32[b], out=n)
            if b in deformed:
                n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-30)
            np.add(surface.points32.dot(RTW[b]), v32[b], out=s)
            out.SetBlock(k, surface.moved(p, n, s))
            out.GetMetaData(k).Set(vtkCompositeDataSet.NAME(), self.blocks[chosen[k]])
        return out

    def deform(self, store, i, blocks, chosen):
        """Put the grids of bodies with nodes in the place of their blocks at these indices into `blocks`."""
        for k, number in enumerate(self.numbers[one] for one in chosen):
            if number in self.deformed:
                blocks.SetBlock(k, self.deformed[number].at(store, i))
        return blocks

    def centres_at(self, store, of, chosen):
        """The mass centres with all that is known of the bodies; `AT_CENTRES` are names that differ."""
        arrays = [array("body", chosen.astype(np.int32)), array("mass", self.mass[chosen], "kg")]
        arrays.append(strings("body_name", [self.bodies[b] for b in chosen]))
        for name, values in of.items():
            if name != "center_of_mass":
                key = "velocity" if name == "center_of_mass_velocity" else name
                unit = store.unit(f"bodies/{key}")
                arrays.append(array(AT_CENTRES.get(name, name), values[chosen], unit))
        return dots(of["center_of_mass"][chosen], arrays)

    def joints_at(self, store, i, chosen):
        arrays = [array("joint", chosen.astype(np.int32))]
        arrays.append(strings("joint_name", [self.joints[j] for j in chosen]))
        for name, key in (("joint_type", "type"), ("body_a_name", "a"), ("body_b_name", "b")):
            texts = store.attributes("joints").get(key, [""] * len(self.joints))
            arrays.append(strings(name, [texts[j] for j in chosen]))
        for key in store.keys("joints"):
            if key != "joints/position":
                arrays.append(array(key.partition("/")[2], store.row(key, i)[chosen], store.unit(key)))
        points = store.row("joints/position", i)[chosen] if len(chosen) else np.zeros((0, 3))
        return dots(points, arrays)

    def contacts_at(self, store, i, chosen):
        """The contacts between chosen bodies; names and words beside the integers."""
        if not self.contacts:
            return vtkPolyData()
        of = store.contacts(i)
        kept = chosen[of["body_a"]] & chosen[of["body_b"]]  # -1 is the ground, which is the last one
        arrays = []
        for name, values in of.items():
            key = "force" if name.endswith("_force") else name
            arrays.append(array(name, values[kept], store.unit("lists/contacts/" + key)))
        for name in ("body_a", "body_b"):
            arrays.append(strings(name + "_name", [self.contacts[b] for b in of[name][kept]]))
        for name in store.of_contacts:
            words = dict(enumerate(store.words(name)))
            if words:
                arrays.append(strings(name + "_name", [words.get(k, "") for k in of[name][kept].tolist()]))
        return dots(of["point"][kept], arrays)

    def lines_at(self, store, i, chosen):
        if not len(chosen):
            return vtkPolyData()
        ends = store.row("lines/ends", i)[chosen]
        mesh = vtkPolyData()
        mesh.SetPoints(points_of(array("Points", ends.reshape(-1, 3))))
        mesh.SetLines(cells(np.arange(2 * len(ends)).reshape(-1, 2)))
        mesh.GetCellData().AddArray(array("line", chosen.astype(np.int32)))
        mesh.GetCellData().AddArray(strings("line_name", [self.lines[k] for k in chosen]))
        mesh.GetCellData().AddArray(array("color", self.line_colours[chosen]))
        return mesh

    def shapes_at(self, of, chosen):
        """A point for each shape, for the representation 3D Glyphs with the meshes of the last output."""
        shapes = self.shapes
        k = np.flatnonzero(chosen[shapes.block])
        b = shapes.body[k]
        q = with_ground(of["orientation"], np.array([1.0, 0.0, 0.0, 0.0]))[b]
        keys = ("position", "velocity", "angular_velocity")
        x, v, w = (with_ground(of[key], np.zeros(3))[b] for key in keys)
        arm = np.einsum("nij,nj->ni", rotation(q), shapes.position[k])
        arrays = [
            array("orientation", product(q, shapes.orientation[k]).astype(np.float32)),
            array("scale", shapes.scale[k].astype(np.float32)),
            array("mesh", shapes.mesh[k].astype(np.int32)),
            array("color", shapes.colour[k]),
            array("color_index", shapes.index[k].astype(np.int32)),
            array("velocity", (v + np.cross(w, arm)).astype(np.float32), "m/s"),
            array("body", b.astype(np.int32)),
        ]
        return dots(x + arm, arrays)


def table(store):
    """Scalars and reactions of joints over time, a column each component: name and unit as in the tables that
    mbplugin exports.
    """
    out = vtkTable()
    out.AddColumn(array("time [s]", store.time[store.whole_frames]))

    def add(name, values, unit):
        heading = f"{name} [{unit}]" if unit not in ("", "1") else name
        out.AddColumn(array(heading, values[store.whole_frames], unit))

    words = {"coordinates": "coordinate", "forces": "force", "bounds": "bound"}
    words |= {"states": "", "inputs": "", "outputs": ""}
    for key in store.frame_arrays:
        group, _, quantity = key.partition("/")
        dimensions = len(store.node(key)["shape"])
        if group in ("energy", "constraints"):
            add(f"{group}.{quantity}", store.all(key), store.unit(key))
        elif group in words and dimensions == 2:
            units = store.attributes(group).get("unit", [])
            values = store.all(key)
            for k, name in enumerate(store.names(group)):
                unit = units[k] if units else store.unit(key)
                if quantity == "speed":
                    unit += "/s"
                elif quantity == "drive":
                    unit = "N m" if unit == "rad" else "N"
                elif quantity == "status":
                    unit = ""
                full = f"{words[group]}.{name}.{quantity}" if words[group] else name
                add(full, values[:, k], unit)
        elif key in ("joints/force", "joints/torque"):
            values, unit = store.all(key), store.unit(key)
            for k, name in enumerate(store.names(group)):
                for c, letter in enumerate("xyz"):
                    add(f"joint.{name}.{quantity}.{letter}", values[:, k, c], unit)
    return out


# ---- ParaView ----


def output_ports(reader):
    """Declare the outputs of the reader by name; those for charts and glyphs are not shown at once."""
    for k, (name, _) in enumerate(PORTS):
        reader = smproperty.xml(f'<OutputPort name="{name}" index="{k}" id="port{k}"/>')(reader)
    for k in (TABLE, SHAPES, MESHES):
        reader = smhint.xml(f'<View type="None" port="{k}"/>')(reader)
    return reader


@smproxy.reader(
    name="MbpluginResult",
    label="mbplugin result",
    extensions="mbr",
    file_description="mbplugin result",
    support_reload=False,
)
@smhint.xml('<ReloadFiles property="Refresh"/>')
@smhint.xml('<RepresentationType view="RenderView" type="Surface" port="0"/>')
@output_ports
class ResultReader(VTKPythonAlgorithmBase):
    """Outputs as `PORTS` lists them; each request fills all of them, as the pipeline expects."""

    def __init__(self):
        VTKPythonAlgorithmBase.__init__(self, nInputPorts=0, nOutputPorts=len(PORTS))
        self.path = None
        self.store = self.scene = self.table = None
        self.limit = 200
        self.reported = set()
        self.latest = (None, None)  # frame and selection, and their outputs: a view asks several times
        self.chosen = (None, {})  # times of change of the lists, and what is ticked in them
        self.lists = {}
        for group in ("blocks", "joints", "contacts", "lines"):
            self.lists[group] = vtkDataArraySelection()
            self.lists[group].AddObserver("ModifiedEvent", lambda *_: self.Modified())

    # properties

    @smproperty.stringvector(name="FileName", panel_visibility="never")
    @smdomain.filelist()
    @smhint.filechooser(extensions="mbr", file_description="mbplugin result")
    def SetFileName(self, path):
        if self.path != path:
            self.path = path
            self.Refresh()

    @smproperty.xml('<Property name="Refresh" command="Refresh" panel_visibility="never"/>')
    def Refresh(self):
        self.store, self.reported = None, set()
        self.latest, self.chosen = (None, None), (None, {})
        self.Modified()

    @smproperty.intvector(name="BlockLimit", default_values=200)
    @smdomain.xml(
        "<Documentation>Up to so many bodies are blocks of the output Bodies; 0: it is empty. More bodies "
        "are shown faster by the outputs Shapes and Meshes, with the representation 3D Glyphs."
        "</Documentation>"
    )
    def SetBlockLimit(self, limit):
        if limit != self.limit:
            self.limit, self.latest = limit, (None, None)
            self.Modified()

    @smproperty.doublevector(name="TimestepValues", information_only="1", si_class="vtkSITimeStepsProperty")
    def GetTimestepValues(self):
        return self.store.time[self.store.whole_frames].tolist() if self.store else None

    @smproperty.dataarrayselection(name="Bodies")
    def GetBodies(self):
        return self.lists["blocks"]

    @smproperty.dataarrayselection(name="Joints")
    def GetJoints(self):
        return self.lists["joints"]

    @smproperty.dataarrayselection(name="ContactBodies")
    def GetContacts(self):
        return self.lists["contacts"]

    @smproperty.dataarrayselection(name="Lines")
    def GetLines(self):
        return self.lists["lines"]

    # requests

    def FillOutputPortInformation(self, port, info):
        info.Set(vtkDataObject.DATA_TYPE_NAME(), PORTS[port][1])
        return 1

    def report(self, text, show="DisplayWarningText"):
        """One line in ParaView's messages, once."""
        if text not in self.reported:
            self.reported.add(text)
            getattr(vtkOutputWindow.GetInstance(), show)(f"mbplugin: {text}\n")

    def open(self):
        """Open the store; False where there is none that can be read, of which one line tells."""
        if self.store is None and self.path and self.path != "None" and self.path not in self.reported:
            try:
                store = Store(folder_of_store(self.path), self.report)
                self.scene, self.table = Scene(store), table(store)
                for group, chosen in self.lists.items():
                    update_list(chosen, getattr(self.scene, group))
                self.store = store
            except DAMAGE as error:
                self.reported.add(self.path)  # is not tried again before it is reloaded
                self.report(f"{self.path}: {reason(error)}", "DisplayErrorText")
        return self.store is not None

    def RequestInformation(self, request, inputs, outputs):
        steps = self.store.time[self.store.whole_frames].tolist() if self.open() else []
        for port in range(len(PORTS)):
            info = outputs.GetInformationObject(port)
            for key in (TIME_STEPS, TIME_RANGE):
                info.Remove(key)
            if steps and port not in WITHOUT_TIME:
                info.Set(TIME_STEPS, steps, len(steps))
                info.Set(TIME_RANGE, [steps[0], steps[-1]], 2)
        return 1

    def RequestData(self, request, inputs, outputs):
        if not self.open() or not len(self.store.whole_frames):
            return self.empty(outputs)
        info = outputs.GetInformationObject(max(0, request.Get(FROM_OUTPUT_PORT)))
        t = info.Get(UPDATE_TIME_STEP) if info.Has(UPDATE_TIME_STEP) else self.store.time[0]
        i = self.store.frame_at(t)
        changed = [chosen.GetMTime() for chosen in self.lists.values()]
        if self.chosen[0] != changed:
            picked = {group: is_chosen(one, getattr(self.scene, group)) for group, one in self.lists.items()}
            self.chosen = (changed, picked)
        asked = (i, *changed)
        if self.latest[0] != asked:
            try:
                self.latest = (asked, self.at(i))
            except DAMAGE as error:
                self.report(reason(error), "DisplayErrorText")
                return self.empty(outputs)
        for port, made in enumerate(self.latest[1]):
            out = outputs.GetInformationObject(port).Get(vtkDataObject.DATA_OBJECT())
            out.ShallowCopy(made)
            if port not in WITHOUT_TIME:
                out.GetInformation().Set(vtkDataObject.DATA_TIME_STEP(), float(self.store.time[i]))
        return 1

    def empty(self, outputs):
        for port in range(len(PORTS)):
            outputs.GetInformationObject(port).Get(vtkDataObject.DATA_OBJECT()).Initialize()
        return 1

    def at(self, i):
        """The data of all outputs at frame i."""
        store, scene, chosen = self.store, self.scene, self.chosen[1]
        of = store.bodies(i)
        numbers = np.flatnonzero(chosen["blocks"])
        if len(numbers) > self.limit > 0:
            self.report(
                f"{len(numbers)} bodies are more than the {self.limit} of BlockLimit, so that the output "
                "Bodies is empty: show the output Shapes as 3D Glyphs with the output Meshes (`mbplugin "
                "paraview` does it), choose fewer bodies, or raise the limit"
            )
        places = scene.places(chosen["blocks"])
        numbers = numbers if len(numbers) <= self.limit else []
        return (
            scene.deform(
                store,
                i,
                scene.bodies_at(of, numbers if len(numbers) <= self.limit else [], store.deformations(i)),
                numbers,
            ),
            scene.joints_at(store, i, np.flatnonzero(chosen["joints"])),
            scene.contacts_at(store, i, chosen["contacts"]),
            scene.centres_at(store, of, np.flatnonzero(places[: len(scene.bodies)])),
            scene.lines_at(store, i, np.flatnonzero(chosen["lines"])),
            self.table,
            scene.shapes_at(of, places),
            scene.meshes,
        )


def reason(error):
    """One line about what cannot be read."""
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) if isinstance(error, (ValueError, Damaged)) else repr(error)


def update_list(chosen, names):
    """Let a check-list hold these names; new ones are chosen."""
    present = [chosen.GetArrayName(k) for k in range(chosen.GetNumberOfArrays())]
    if present != list(dict.fromkeys(names)):
        off = {name for name in present if not chosen.ArrayIsEnabled(name)}
        chosen.RemoveAllArrays()
        for name in names:
            chosen.AddArray(name, name not in off)


def is_chosen(chosen, names):
    """(n,) whether each of these names is chosen."""
    on = {chosen.GetArrayName(k) for k in range(chosen.GetNumberOfArrays()) if chosen.GetArraySetting(k)}
    return np.array([name in on for name in names], bool)
