"""The series of bodies with nodes for ParaView: files read back by VTK and by meshio, against the store."""

import xml.etree.ElementTree as ET

import block_scenes as blocks
import mbplugin_cable
import meshio
import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import (
    vtkHexahedron,
    vtkQuadraticTetra,
    vtkTetra,
    vtkTriQuadraticHexahedron,
)
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

import mbplugin as mb
from mbplugin import api
from mbplugin.hooks.load import load_plugins

MOVES = "velocity = [0.3, 0, 0]\nangular_velocity = [0, 0, 20]"
CELLS = {
    "hex8": vtkHexahedron,
    "tet4": vtkTetra,
    "tet10": vtkQuadraticTetra,
    "hex27": vtkTriQuadraticHexahedron,
}


def grid_of(path):
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput()


def run(folder, *bodies, **keys):
    return mb.System.from_text(blocks.scene(*bodies, **keys)).run(folder)


@pytest.mark.parametrize("name", CELLS)
def test_nodes_of_elements_are_in_the_order_of_vtk(name):
    from mbplugin_flexible.elements import KINDS

    cell = CELLS[name]()
    coordinates = np.array(cell.GetParametricCoords()).reshape(-1, 3)
    nodes = KINDS[name].nodes
    unit = nodes if name.startswith("tet") else 0.5 * (nodes + 1.0)
    np.testing.assert_allclose(unit, coordinates, atol=1e-15)


@pytest.mark.parametrize("elements", CELLS)
def test_a_frame_read_by_vtk_has_the_values_of_the_store(tmp_path, elements):
    result = run(tmp_path, blocks.block(elements=elements, more=MOVES), law="linear")
    nodes = result.nodes("block")
    for i in (0, 4):
        grid = grid_of(tmp_path / "mesh_block" / f"frame_{i:06d}.vtu")
        assert {grid.GetCellType(k) for k in range(grid.GetNumberOfCells())} == {
            CELLS[elements]().GetCellType()
        }
        np.testing.assert_array_equal(vtk_to_numpy(grid.GetPoints().GetData()), nodes.points[i])
        arrays = grid.GetPointData()
        for name in ("displacement", "velocity", "stress", "von_mises"):
            values, scale = getattr(nodes, name)[i], np.abs(getattr(nodes, name)).max()
            np.testing.assert_allclose(vtk_to_numpy(arrays.GetArray(name)), values, atol=1e-6 * scale)
        assert np.array_equal(vtk_to_numpy(arrays.GetArray("node")), np.arange(len(nodes.rest)))
    assert np.abs(nodes.von_mises[4]).max() > 0.0


def test_pyvista_reads_meshes_with_their_stress_beside_rigid_bodies(tmp_path):
    """Its reader for stores: places and stress at each time, and colours by them."""
    pv = pytest.importorskip("pyvista")
    bar = '[[body]]\nname = "bar"\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 5, 0]\n'
    result = run(tmp_path, blocks.block(more=MOVES), bar)
    nodes = result.nodes("block")
    reader = pv.get_reader(str(tmp_path / "result.mbr"))
    for i in (1, 4):
        reader.set_active_time_point(i)
        mesh = reader.read()
        grid = mesh["mesh_block"]
        assert mesh.keys().count("mesh_bar") == 0 and mesh["centers"].n_points == 2
        np.testing.assert_array_equal(grid.points, nodes.points[i])
        for name in ("displacement", "velocity", "stress", "von_mises"):
            values = getattr(nodes, name)[i]
            np.testing.assert_allclose(grid[name], values, atol=1e-6 * np.abs(values).max())
    assert grid.n_cells == 2 and grid["von_mises"].min() > 0.0


def test_the_volume_of_the_cells_is_that_of_the_block(tmp_path):
    """Wrongly ordered nodes would turn cells inside out or make them overlap."""
    from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter

    for elements in CELLS:
        run(tmp_path / elements, blocks.block(elements=elements), law="linear")
        sizes = vtkCellSizeFilter()
        sizes.SetInputData(grid_of(tmp_path / elements / "mesh_block" / "frame_000000.vtu"))
        sizes.Update()
        volumes = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume"))
        assert volumes.min() > 0.0
        assert volumes.sum() == pytest.approx(0.4 * 0.1 * 0.2, rel=1e-6)


def test_meshio_reads_points_cells_and_arrays(tmp_path):
    result = run(tmp_path, blocks.block(elements="hex27", more=MOVES))
    mesh = meshio.read(tmp_path / "mesh_block" / "frame_000004.vtu")
    nodes = result.nodes("block")
    assert np.array_equal(mesh.cells_dict["hexahedron27"], nodes.elements)
    np.testing.assert_array_equal(mesh.points, nodes.points[4])
    np.testing.assert_allclose(mesh.point_data["displacement"], nodes.displacement[4], atol=1e-9)


def test_every_body_has_a_collection_that_lists_its_frames(tmp_path, monkeypatch):
    plugins = load_plugins(extra=[("mbplugin_cable", mbplugin_cable)])
    monkeypatch.setattr(api, "plugins", lambda: plugins)
    cable = '[[body]]\nname = "cable"\ntype = "cable"\nlength = 1\nsegments = 2\n'
    cable += "line_density = 1\nstiffness = 1e3\n"
    result = run(tmp_path, blocks.block(more='fix = [{ nodes = "x-" }]'), cable, output="stress = false")
    for name, cells in (("mesh_block", 2), ("mesh_cable", 2)):
        listed = ET.parse(tmp_path / f"{name}.pvd").getroot().iter("DataSet")
        found = [(float(one.get("timestep")), one.get("file")) for one in listed]
        assert [t for t, _ in found] == result.time.tolist()
        grid = grid_of(tmp_path / found[-1][1])
        assert grid.GetNumberOfCells() == cells
        assert grid.GetPointData().GetArray("stress") is None


def test_a_series_written_later_is_that_of_the_run(tmp_path):
    from stored_series import write_series

    result = run(tmp_path / "run", blocks.block(more=MOVES))
    assert write_series(result.raw, tmp_path / "later", every=2) == 3
    written = (tmp_path / "run" / "mesh_block" / "frame_000004.vtu").read_bytes()
    assert (tmp_path / "later" / "mesh_block" / "frame_000002.vtu").read_bytes() == written
