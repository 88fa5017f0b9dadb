"""Meshes that no body can have, and sets that are not there, are refused by name."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from mbplugin_flexible.meshes import Mesh, beam, box, check_mesh, cylinder, read_mesh, remark_on_size
from mesh_measures import of_kinds
from mesh_texts import ABAQUS, GMSH, NASTRAN
from refusals import has, refused, stopped
from snapshots import same_message

from mbplugin.errors import MissingLibraryError

meshio = pytest.importorskip("meshio")


@pytest.fixture
def read(tmp_path):
    """The mesh of a text."""

    def of(text: str, suffix: str, **keys):
        (tmp_path / f"two{suffix}").write_text(text)
        return read_mesh(tmp_path, f"two{suffix}", **keys)

    return of


def test_an_unknown_set_is_refused_with_a_similar_one():
    mesh = box((1, 1, 1), (1, 1, 1))
    with refused("fix[0].nodes", "x"):
        mesh.nodes("x", "fix[0].nodes")
    with refused("load.faces", "sides"):
        cylinder(1, 1, (4, 1, 1)).faces("sides", "load.faces")
    with refused("nodes", "left"):
        Mesh(mesh.points, mesh.type, mesh.elements).nodes("left")


def test_a_set_of_nodes_on_an_edge_has_no_faces():
    mesh = box((1, 1, 1), (2, 2, 2))
    edge = np.intersect1d(mesh.nodes("x-"), mesh.nodes("y-"))
    with refused("faces", "edge"):
        Mesh(mesh.points, mesh.type, mesh.elements, {"edge": edge}).faces("edge")


@of_kinds
def test_inverted_elements_are_listed(kind):
    """A corner is pushed through the opposite one: the elements around it, and no other, are inverted."""
    mesh = beam(8.0, (1.0, 1.0), (8, 1, 1), kind)
    corner = int(np.argmin(((mesh.points - [-4.0, -0.5, -0.5]) ** 2).sum(axis=1)))
    mesh.points[corner] = [-2.5, 0.6, 0.6]
    around = np.flatnonzero((mesh.elements == corner).any(axis=1))
    with refused("file", "bar.msh", hide=None) as caught:
        check_mesh(mesh, "file", "bar.msh")
    listed = ", ".join(map(str, around)) if len(around) > 1 else f"element {around[0]} of"
    assert listed in caught.value.mend and "inverted" in caught.value.mend


def test_of_many_inverted_elements_ten_are_listed():
    mesh = box((1, 1, 1), (20, 1, 1))
    mesh.elements[::-1][:15] = mesh.elements[::-1][:15, mesh.kind.mirrored]
    with refused("file", "bar.msh") as caught:
        check_mesh(mesh, "file", "bar.msh")
    assert has(caught.value.mend, "15 of 20", *range(5, 15), "5 more")


@of_kinds
def test_flat_elements_are_degenerate(kind):
    mesh = box((1, 1, 1), (2, 1, 1), kind)
    flat = mesh.points * [1.0, 1.0, 0.0]
    with refused("file", "plate.msh", hide=None) as caught:
        check_mesh(Mesh(flat, mesh.type, mesh.elements), "file", "plate.msh")
    assert "degenerate" in caught.value.mend


def test_a_hexahedron_with_two_equal_nodes_is_degenerate():
    mesh = box((1, 1, 1), (3, 1, 1))
    mesh.elements[1, 6] = mesh.elements[1, 5]
    with refused("file", "bar.msh"):
        check_mesh(mesh, "file", "bar.msh")


def test_a_thin_element_is_no_degenerate_one():
    check_mesh(box((1.0, 1.0, 1e-5), (1, 1, 1), "tet4"))


def test_middle_nodes_far_from_the_middle_are_inverted():
    """On an edge of length 1 with its middle node at s, dx/dξ at its ends is 4 s − 1 and 3 − 4 s."""
    for s, fits in ((0.27, True), (0.23, False)):
        mesh = box((1, 1, 1), (1, 1, 1), "hex27")
        middle = np.flatnonzero((np.abs(mesh.points - [0.0, -0.5, -0.5]) < 1e-9).all(axis=1))
        mesh.points[middle, 0] = s - 0.5
        if fits:
            check_mesh(mesh)
        else:
            with refused("file", "m", hide=None):
                check_mesh(mesh, "file", "m")


def two_bars(gap):
    one = box((1, 1, 1), (2, 1, 1))
    points = np.vstack([one.points, one.points + np.array([1.0 + gap, 0.0, 0.0])])
    return Mesh(points, "hex8", np.vstack([one.elements, one.elements[:1] + len(one.points)]))


def test_unconnected_parts_are_counted():
    with refused("file", "bars.msh"):
        check_mesh(two_bars(0.5), "file", "bars.msh")


def test_unconnected_parts_that_touch_are_told_with_their_nodes():
    """The two bars have four nodes at the same places."""
    with refused("file", "bars.msh") as caught:
        check_mesh(two_bars(0.0), "file", "bars.msh")
    assert has(caught.value.mend, "2 parts", "2, 1 elements", "4 pairs")


def test_a_face_of_three_elements_is_refused():
    mesh = box((1, 1, 1), (2, 1, 1))
    with refused("file", "m"):
        check_mesh(Mesh(mesh.points, "hex8", mesh.elements[[0, 1, 1]]), "file", "m")


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".msh", GMSH.replace("4 5 1 5", "2 3 1 3").partition("3 1 5 2")[0] + "$EndElements\n"),
        (".inp", ABAQUS.replace("C3D8R", "C3D6")),
        (".inp", ABAQUS.replace("TYPE=C3D8R, ELSET=first", "TYPE=C3D27, ELSET=first")),
        (".inp", ABAQUS + "*INCLUDE, INPUT=other.inp\n"),
        (".inp", ABAQUS.replace("106, 108", "106, 999")),
        (".inp", ABAQUS.replace("LEFT, right", "LEFT, night")),
        (".inp", ABAQUS.replace("8, S4", "8, S7")),
        (".inp", ABAQUS.replace("*NODE, ", "*NODE, SYSTEM=C, ")),
        (".inp", f"*PART, NAME=a\n{ABAQUS}*END PART\n*PART, NAME=b\n*NODE\n1, 0, 0, 0\n*END PART\n"),
        (".inp", ABAQUS + "*INSTANCE, NAME=a, PART=b\n1., 0., 0.\n*END INSTANCE\n"),
        (".inp", "two cubes\n"),
        (".inp", ABAQUS.replace("101, 102, 103", "101, x, 103")),
        (".bdf", NASTRAN.replace("GRID    1               ", "GRID    1       5       ").replace(
            "        0.0     0.0     0.0", "       0.0     0.0     0.0")),
        (".bdf", NASTRAN.partition("CHEXA")[0]),
        (".bdf", "rubbish"),
        (".msh", "rubbish"),
        (".msh", ""),
        (".vtu", "rubbish"),
        (".vtu", ""),
    ],
)  # fmt: skip
def test_files_without_a_mesh_of_a_body_are_refused(read, suffix, text):
    with refused("file", f"two{suffix}"):
        read(text, suffix)


def test_mixed_elements_are_counted(read):
    """A wedge beside the two cubes."""
    wedge = "*ELEMENT, TYPE=C3D6\n20, 101, 102, 103, 105, 106, 107\n*NSET, NSET=left\n"
    with refused("file", "two.inp") as caught:
        read(ABAQUS.replace("*NSET, NSET=left\n", wedge), ".inp")
    assert has(caught.value.mend, "2 hex8", "1 wedge")


def test_elements_of_other_kinds_are_named(tmp_path):
    """A hexahedron of 20 nodes: corners and middles of edges."""
    mesh = box((1, 1, 1), (1, 1, 1), "hex27")
    meshio.Mesh(mesh.points, [("hexahedron20", mesh.elements[:, :20])]).write(tmp_path / "box.vtu")
    with refused("file", "box.vtu") as caught:
        read_mesh(tmp_path, "box.vtu")
    assert has(caught.value.mend, "1 hexahedron20", "hex27")


def test_a_slit_is_remarked(tmp_path):
    """Of four cubes around an edge, two have nodes of their own where they touch, but for the edge."""
    mesh = box((2, 2, 1), (2, 2, 1))
    one, other = mesh.elements[0], mesh.elements[1]
    ends = np.intersect1d(np.intersect1d(one, other), np.concatenate([mesh.nodes("x-"), mesh.nodes("y-")]))
    copies = {n: len(mesh.points) + k for k, n in enumerate(ends)}
    elements = mesh.elements.copy()
    elements[1] = [copies.get(n, n) for n in other]
    points = np.vstack([mesh.points, mesh.points[ends]])
    meshio.Mesh(points, [("hexahedron", elements)]).write(tmp_path / "slit.vtu")
    (line,) = read_mesh(tmp_path, "slit.vtu").remarks
    assert has(line, "2 pairs")
    same_message(line)


def test_broken_med_files_are_refused(read):
    pytest.importorskip("h5py")
    with refused("file", "two.med"):
        read("rubbish", ".med")


def test_files_elsewhere_and_of_other_kinds_are_refused(tmp_path):
    with refused("mesh.file", "bar.msh", hide=None):
        read_mesh(tmp_path, "bar.msh", key="mesh.file")
    (tmp_path / "bar.stp").write_text("")
    with refused("mesh.file", "bar.stp"):
        read_mesh(tmp_path, "bar.stp", key="mesh.file")
    (tmp_path / "in").mkdir()
    with refused("mesh.file", "../bar.stp"):
        read_mesh(tmp_path / "in", "../bar.stp", key="mesh.file")


@pytest.mark.parametrize(("library", "suffix"), [("meshio", ".msh"), ("meshio", ".bdf"), ("h5py", ".med")])
def test_missing_libraries_are_named(read, monkeypatch, library, suffix):
    monkeypatch.setitem(sys.modules, library, None)
    with stopped(MissingLibraryError, library, suffix):
        read(GMSH, suffix)


def test_vtu_and_inp_files_need_no_further_library(read, monkeypatch):
    monkeypatch.setitem(sys.modules, "meshio", None)
    assert len(read(ABAQUS, ".inp").elements) == 2


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: box((1, 0, 1), (1, 1, 1)), "size[1]"),
        (lambda: box((1, 1), (1, 1, 1)), "size"),
        (lambda: box((1, 1, 1), (1, 1, 0)), "divisions[2]"),
        (lambda: box((1, 1, 1), (1, 1, 1.5)), "divisions[2]"),
        (lambda: box((1, 1, 1), (1, 1)), "divisions"),
        (lambda: box((1, 1, 1), (100_000, 100_000, 100_000)), "divisions"),
        (lambda: box((1, 1, 1), (1, 1, 1), "hex20"), "elements"),
        (lambda: beam(-1.0, (1, 1), (1, 1, 1)), "length"),
        (lambda: beam(1.0, (1, -1), (1, 1, 1)), "section[1]"),
        (lambda: cylinder(0.0, 1, (4, 1, 1)), "radius"),
        (lambda: cylinder(1, float("nan"), (4, 1, 1)), "length"),
        (lambda: cylinder(1, 1, (6, 1, 1)), "divisions[0]"),
        (lambda: cylinder(1, 1, (8, 0, 1)), "divisions[1]"),
    ],
)
def test_shapes_without_extent_or_elements_are_refused(make, key):
    with refused(key, hide=r"\d\S* GB"):
        make()


def test_a_mesh_in_millimetres_is_remarked_as_stl_files_are():
    bracket = box((120.0, 50.0, 30.0), (4, 2, 1))
    (line,) = remark_on_size(bracket, "bracket.msh", rest=0.3)
    assert has(line, "120 m", "0.3 m", "scale = 0.001")
    same_message(line)
    assert not remark_on_size(bracket, "bracket.msh", rest=40.0) and not remark_on_size(
        bracket, "bracket.msh"
    )
    (line,) = remark_on_size(box((900.0, 1.0, 1.0), (1, 1, 1)), "bar.msh")
    assert has(line, "900 m", "scale = 0.001")


def test_linear_tetrahedra_are_remarked(read):
    (line,) = box((1, 1, 1), (1, 1, 1), "tet4").remarks
    assert has(line, "tet4", "tet10", "stiff")
    assert not box((1, 1, 1), (1, 1, 1), "tet10").remarks
    tetrahedron = (
        "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n"
    )
    assert read(tetrahedron, ".inp").remarks == (line,)
