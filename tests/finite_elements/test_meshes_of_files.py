"""Meshes of files: points, elements and sets are those that the file says, in each format."""

from __future__ import annotations

import numpy as np
import pytest
from mbplugin_flexible.elements import KINDS
from mbplugin_flexible.meshes import box, cylinder, read_mesh
from mesh_measures import areas, enclosed_volume, normals, of_kinds, volumes_of_elements
from mesh_texts import ABAQUS, CUBES, GMSH, GMSH_22, LEFT, NASTRAN, POINTS, RIGHT
from refusals import has

meshio = pytest.importorskip("meshio")


@pytest.fixture
def read(tmp_path):
    """The mesh of a text."""

    def of(text: str, suffix: str, **keys):
        (tmp_path / f"two{suffix}").write_text(text)
        return read_mesh(tmp_path, f"two{suffix}", **keys)

    return of


def numbers(mesh, nodes):
    """Nodes as in the texts, from 1, by their places."""
    found = (np.abs(mesh.points[nodes][:, None] - POINTS[None]).max(axis=2) < 1e-12).argmax(axis=1)
    np.testing.assert_allclose(POINTS[found], mesh.points[nodes])
    return {int(k) + 1 for k in found}


def check_cubes(mesh):
    assert mesh.type == "hex8" and len(mesh.points) == 12
    assert [
        [int(n) for n in map(lambda k: numbers(mesh, [k]).pop(), element)] for element in mesh.elements
    ] == [list(cube) for cube in CUBES]


def check_wall(mesh, name, nodes, outward):
    (face,) = mesh.faces(name)
    assert numbers(mesh, face) == nodes
    np.testing.assert_allclose(normals(mesh, face[None])[0], outward, atol=1e-12)


@pytest.mark.parametrize("text", [GMSH, GMSH_22], ids=["4.1", "2.2"])
def test_gmsh_physical_groups_are_sets(read, text):
    mesh = read(text, ".msh")
    check_cubes(mesh)
    check_wall(mesh, "left", LEFT, [-1, 0, 0])
    check_wall(mesh, "physical_3", RIGHT, [1, 0, 0])
    assert numbers(mesh, mesh.nodes("left")) == LEFT and len(mesh.nodes("bar")) == 12
    if text is GMSH:
        assert numbers(mesh, mesh.nodes("tip")) == {12}


def test_nastran_properties_are_sets(read):
    mesh = read(NASTRAN, ".bdf")
    check_cubes(mesh)
    check_wall(mesh, "pid_9", LEFT, [-1, 0, 0])
    assert len(mesh.nodes("pid_4")) == 12


def test_abaqus_sets_and_surfaces_are_sets(read):
    mesh = read(ABAQUS, ".inp")
    check_cubes(mesh)
    assert numbers(mesh, mesh.nodes("left")) == LEFT and numbers(mesh, mesh.nodes("right")) == RIGHT
    assert numbers(mesh, mesh.nodes("ends")) == LEFT | RIGHT
    assert numbers(mesh, mesh.nodes("at")) == LEFT and len(mesh.nodes("ALL")) == 12
    assert numbers(mesh, mesh.nodes("first")) == set(CUBES[0]) and len(mesh.nodes("both")) == 12
    check_wall(mesh, "wall", LEFT, [-1, 0, 0])
    check_wall(mesh, "tip", RIGHT, [1, 0, 0])
    assert len(mesh.faces("skin")) == 10 and not any(has(line, "skin") for line in mesh.remarks)


@pytest.mark.parametrize("side", range(1, 7))
def test_sides_of_abaqus_hexahedra(read, side):
    """S1 to S6 of the first cube: z-, z+, y-, x+ (inside here), y+, x-, from 1-2-3-4, 5-8-7-6, ..."""
    outward = {1: [0, 0, -1], 2: [0, 0, 1], 3: [0, -1, 0], 5: [0, 1, 0], 6: [-1, 0, 0]}
    mesh = read(ABAQUS.replace("first, S6", f"first, S{side}"), ".inp")
    if side in outward:
        (face,) = mesh.faces("wall")
        np.testing.assert_allclose(normals(mesh, face[None])[0], outward[side], atol=1e-12)
    else:
        assert "wall" not in mesh.face_sets and any(has(line, "wall") for line in mesh.remarks)


def test_inner_faces_of_a_surface_are_left_out_with_a_remark(read):
    mesh = read(ABAQUS.replace("first, S6", "first, S6\nfirst, S4"), ".inp")
    check_wall(mesh, "wall", LEFT, [-1, 0, 0])
    assert sum(has(line, "wall", "1 of 2") for line in mesh.remarks) == 1


@pytest.mark.parametrize(("side", "opposite"), [("S1", 4), ("S2", 3), ("S3", 1), ("S4", 2)])
def test_sides_of_abaqus_tetrahedra(read, side, opposite):
    """S1 = 1-2-3, S2 = 1-4-2, S3 = 2-4-3, S4 = 3-4-1: none has the opposite node."""
    text = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n"
    mesh = read(f"{text}*SURFACE, NAME=side\n1, {side}\n", ".inp")
    (face,) = mesh.faces("side")
    assert {int(n) + 1 for n in face} == {1, 2, 3, 4} - {opposite}
    assert normals(mesh, face[None])[0] @ (mesh.points[opposite - 1] - mesh.points[face[0]]) < 0.0


def test_a_part_of_abaqus_with_its_instance(read):
    """Sets of the assembly name the instance; its reference point, numbered as a node of the part, is left
    out.
    """
    mesh = f"*PART, NAME=Bar\n{ABAQUS.partition('*NSET, NSET=left')[0]}*END PART\n"
    mesh += "*ASSEMBLY, NAME=A\n*INSTANCE, NAME=Bar-1, PART=Bar\n*END INSTANCE\n*NODE\n101, 9, 9, 9\n"
    mesh += "*NSET, NSET=grip, INSTANCE=Bar-1\n101, 102\n*NSET, NSET=reference\n101,\n*END ASSEMBLY\n"
    found = read(mesh, ".inp")
    check_cubes(found)
    assert numbers(found, found.nodes("grip")) == {1, 2} and "reference" not in found.node_sets
    assert any(has(line, "assembly") for line in found.remarks)


@of_kinds
def test_vtu_arrays_of_integers_are_sets(tmp_path, kind):
    """Written by VTK itself."""
    pyvista = pytest.importorskip("pyvista")
    mesh = box((1.0, 2.0, 3.0), (2, 1, 2), kind)
    vtk_type = {"hex8": 12, "hex27": 29, "tet4": 10, "tet10": 24}[kind]
    grid = pyvista.UnstructuredGrid({vtk_type: mesh.elements}, mesh.points)
    left = np.isin(np.arange(len(mesh.points)), mesh.nodes("x-"))
    grid.point_data["clamped"] = left
    grid.point_data["zone"] = np.where(left, 7, 0).astype(np.int32) + np.arange(len(left)) // (len(left) - 1)
    grid.point_data["temperature"] = np.linspace(0, 1, len(left))
    grid.cell_data["half"] = np.arange(len(mesh.elements)) % 2
    grid.save(tmp_path / "box.vtu")
    found = read_mesh(tmp_path, "box.vtu")
    np.testing.assert_array_equal(found.elements, mesh.elements)
    np.testing.assert_allclose(found.points, mesh.points)
    np.testing.assert_array_equal(found.nodes("clamped"), mesh.nodes("x-"))
    np.testing.assert_array_equal(found.nodes("zone_7"), mesh.nodes("x-"))
    np.testing.assert_array_equal(found.nodes("zone_1"), [len(left) - 1])
    np.testing.assert_array_equal(found.nodes("half"), np.unique(mesh.elements[1::2]))
    assert "temperature" not in found.node_sets and "zone" not in found.node_sets
    assert {tuple(face) for face in found.faces("clamped")} == {tuple(face) for face in mesh.faces("x-")}


@pytest.mark.parametrize("kind", ["hex8", "tet4", "tet10"])
def test_med_groups_are_sets_and_its_numbering_is_turned(tmp_path, kind):
    """MED numbers the nodes of elements as mirror images: of a tetrahedron 1 3 2 4 in the order of VTK."""
    pytest.importorskip("h5py")
    made = cylinder(1.0, 2.0, (8, 1, 2), kind)
    face = {"hex8": "quad", "tet4": "triangle", "tet10": "triangle6"}[kind]
    swapped = {
        "hex8": [0, 3, 2, 1, 4, 7, 6, 5],
        "tet4": [0, 2, 1, 3],
        "tet10": [0, 2, 1, 3, 6, 5, 4, 7, 9, 8],
    }[kind]
    ends = made.faces("z+")
    file = meshio.Mesh(made.points, [(KINDS[kind].meshio, made.elements[:, swapped]), (face, ends)])
    file.cell_data = {"cell_tags": [np.full(len(made.elements), -6), np.full(len(ends), -7)]}
    file.cell_tags = {-6: ["all"], -7: ["top", "loaded"]}
    file.point_data = {"point_tags": np.isin(np.arange(len(made.points)), made.nodes("z-")) * 3}
    file.point_tags = {3: ["bottom"]}
    file.write(tmp_path / "rod.med")
    mesh = read_mesh(tmp_path, "rod.med")
    assert (volumes_of_elements(mesh) > 0.0).all() and not any("mirror" in line for line in mesh.remarks)
    np.testing.assert_array_equal(mesh.elements, made.elements)
    np.testing.assert_array_equal(mesh.nodes("bottom"), made.nodes("z-"))
    for name in ("top", "loaded"):
        assert {tuple(f) for f in mesh.faces(name)} == {tuple(f) for f in ends}


@of_kinds
def test_mirrored_elements_of_other_formats_are_turned_with_a_remark(tmp_path, kind):
    made = box((1.0, 2.0, 3.0), (2, 1, 1), kind)
    mirrored = made.points * [-1.0, 1.0, 1.0]
    meshio.Mesh(mirrored, [(KINDS[kind].meshio, made.elements)]).write(tmp_path / "box.vtu")
    mesh = read_mesh(tmp_path, "box.vtu")
    assert (volumes_of_elements(mesh) > 0.0).all() and any("mirror" in line for line in mesh.remarks)
    assert enclosed_volume(mesh.points, mesh.triangles()) == pytest.approx(6.0)


@of_kinds
def test_a_round_trip_through_gmsh_keeps_the_order_of_nodes(tmp_path, kind):
    """The order of gmsh differs from that of VTK; a wrong one would fold the elements."""
    made = cylinder(1.0, 2.0, (8, 1, 1), kind)
    cells = [(KINDS[kind].meshio, made.elements)]
    meshio.Mesh(made.points, cells).write(tmp_path / "rod.msh", file_format="gmsh22", binary=True)
    mesh = read_mesh(tmp_path, "rod.msh")
    np.testing.assert_array_equal(mesh.elements, made.elements)
    np.testing.assert_allclose(mesh.points, made.points)


def test_scale_is_in_metres_of_a_unit(read):
    mesh = read(ABAQUS, ".inp", scale=0.001)
    np.testing.assert_allclose(np.ptp(mesh.points, axis=0), [0.002, 0.001, 0.001])
    assert areas(mesh, mesh.faces("wall")).sum() == pytest.approx(1e-6)


def test_unused_points_are_left_out_and_sets_say_so(read):
    lone = ABAQUS.replace("*ELEMENT, TYPE=C3D8R, ELSET", "*NODE\n9, 5, 5, 5\n*ELEMENT, TYPE=C3D8R, ELSET")
    mesh = read(lone.replace("*NSET, NSET=left\n", "*NSET, NSET=left\n9,\n"), ".inp")
    check_cubes(mesh)
    assert numbers(mesh, mesh.nodes("left")) == LEFT
    assert sum(has(line, "left", "1 of 5") for line in mesh.remarks) == 1


def test_cells_without_volume_are_told(read):
    assert any(has(line, "2 quad", "1 vertex") for line in read(GMSH, ".msh").remarks)
