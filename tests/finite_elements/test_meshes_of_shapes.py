"""Meshes of shapes: volumes, areas, closed surfaces that look outwards, sets where they should be."""

from __future__ import annotations

from math import hypot, pi, sin

import numpy as np
import pytest
from mbplugin_flexible.elements import KINDS
from mbplugin_flexible.meshes import beam, box, check_mesh, cylinder
from mesh_measures import areas, edges_and_vertices, enclosed_volume, normals, of_kinds, volumes_of_elements

SIZE, DIVISIONS = (0.4, 0.3, 0.7), (3, 2, 4)
RADIUS, LENGTH = 0.2, 0.5
ROD = lambda kind: cylinder(1.0, 2.0, (8, 1, 2), kind)
ROUND = ((4, 1, 1), (12, 2, 3), (16, 1, 2))


@of_kinds
def test_a_box_has_its_volume_its_area_and_its_sides(kind):
    mesh = box(SIZE, DIVISIONS, kind)
    check_mesh(mesh)
    a, b, c = SIZE
    np.testing.assert_allclose(volumes_of_elements(mesh).sum(), a * b * c, rtol=1e-12)
    np.testing.assert_allclose(areas(mesh, mesh.surface.faces).sum(), 2 * (a * b + b * c + c * a), rtol=1e-12)
    for k, axis in enumerate("xyz"):
        for sign, place in (("-", -0.5), ("+", 0.5)):
            faces = mesh.faces(axis + sign)
            np.testing.assert_allclose(mesh.points[faces][..., k], place * SIZE[k], atol=1e-15)
            np.testing.assert_allclose(areas(mesh, faces).sum(), a * b * c / SIZE[k], rtol=1e-12)
            outward = np.zeros(3)
            outward[k] = 2.0 * place
            np.testing.assert_allclose(normals(mesh, faces), np.tile(outward, (len(faces), 1)), atol=1e-12)
            on_side = np.flatnonzero(np.abs(mesh.points[:, k] - place * SIZE[k]) < 1e-12)
            np.testing.assert_array_equal(mesh.nodes(axis + sign), on_side)


@pytest.mark.parametrize(("kind", "nodes", "elements"), [("hex8", 60, 24), ("tet4", 60, 144)])
def test_a_box_has_so_many_nodes_and_elements(kind, nodes, elements):
    mesh = box(SIZE, DIVISIONS, kind)
    assert mesh.points.shape == (nodes, 3) and len(mesh.elements) == elements


@pytest.mark.parametrize("kind", ["hex27", "tet10"])
def test_quadratic_nodes_are_those_of_the_doubled_lattice(kind):
    """Each middle of an edge, a face or an element of the hexahedra is a point of the lattice with half its
    distances, and each of these points is one.
    """
    mesh = box((3.0, 2.0, 4.0), DIVISIONS, kind)
    doubled = 2.0 * (mesh.points + np.array([1.5, 1.0, 2.0]))
    np.testing.assert_allclose(doubled, np.round(doubled), atol=1e-12)
    assert len(np.unique(np.round(doubled), axis=0)) == len(mesh.points) == 7 * 5 * 9


def test_a_beam_lies_along_x():
    mesh = beam(2.0, (0.1, 0.2), (10, 1, 2))
    np.testing.assert_allclose(np.ptp(mesh.points, axis=0), [2.0, 0.1, 0.2], rtol=1e-14)
    np.testing.assert_allclose(mesh.points.mean(axis=0), 0.0, atol=1e-14)
    assert len(mesh.faces("x-")) == 2 and len(mesh.faces("y-")) == 20 and len(mesh.faces("z+")) == 10


@pytest.mark.parametrize("divisions", ROUND, ids=str)
@of_kinds
def test_a_cylinder_is_a_prism_over_a_polygon(kind, divisions):
    n = divisions[0]
    section, chord = 0.5 * n * sin(2 * pi / n) * RADIUS**2, 2 * RADIUS * sin(pi / n)
    mesh = cylinder(RADIUS, LENGTH, divisions, kind)
    check_mesh(mesh)
    np.testing.assert_allclose(volumes_of_elements(mesh).sum(), section * LENGTH, rtol=1e-12)
    of = {name: areas(mesh, mesh.faces(name)).sum() for name in ("side", "z-", "z+")}
    np.testing.assert_allclose(of["side"], n * chord * LENGTH, rtol=1e-12)
    np.testing.assert_allclose([of["z-"], of["z+"]], section, rtol=1e-12)
    np.testing.assert_allclose(sum(of.values()), areas(mesh, mesh.surface.faces).sum(), rtol=1e-12)
    for name, z in (("z-", -1.0), ("z+", 1.0)):
        np.testing.assert_allclose(mesh.points[mesh.nodes(name), 2], 0.5 * z * LENGTH, atol=1e-15)
        ends = mesh.faces(name)
        np.testing.assert_allclose(normals(mesh, ends), np.tile([0.0, 0.0, z], (len(ends), 1)), atol=1e-12)
    centres = mesh.points[mesh.faces("side")[:, : mesh.kind.face_corners]].mean(axis=1)
    radial = centres[:, :2] / np.hypot(*centres.T[:2])[:, None]
    assert ((normals(mesh, mesh.faces("side"))[:, :2] * radial).sum(axis=1) > 0.9 * np.cos(pi / n)).all()
    corners = np.unique(mesh.faces("side")[:, : mesh.kind.face_corners])
    np.testing.assert_allclose(np.hypot(*mesh.points[corners].T[:2]), RADIUS, rtol=1e-14)


def test_no_hexahedron_of_a_cylinder_is_flat():
    """The angles between edges in the section stay between 35 and 145 degrees."""
    mesh = cylinder(1.0, 1.0, (16, 2, 1))
    quads = mesh.points[mesh.faces("z+")][..., :2]
    ahead, behind = np.roll(quads, -1, axis=1) - quads, np.roll(quads, 1, axis=1) - quads
    cosine = (ahead * behind).sum(axis=2) / (np.hypot(*ahead.T) * np.hypot(*behind.T)).T
    assert np.degrees(np.arccos(cosine)).min() > 35.0 and np.degrees(np.arccos(cosine)).max() < 145.0


@of_kinds
@pytest.mark.parametrize(
    "make", [lambda kind: box(SIZE, DIVISIONS, kind), lambda kind: cylinder(1, 2, (8, 1, 2), kind)]
)
def test_surfaces_are_closed_and_look_outwards(kind, make):
    """Each edge belongs to two triangles, which pass it in opposite directions; the surface is a sphere by
    Euler's formula V − E + F = 2, and its volume by the divergence theorem is that of the elements.
    """
    mesh = make(kind)
    triangles = mesh.triangles()
    directed, vertices = edges_and_vertices(triangles)
    assert len(np.unique(directed, axis=0)) == len(directed)
    assert {tuple(edge) for edge in directed} == {tuple(edge[::-1]) for edge in directed}
    assert len(vertices) - len(directed) // 2 + len(triangles) == 2
    volume = volumes_of_elements(mesh).sum()
    np.testing.assert_allclose(enclosed_volume(mesh.points, triangles), volume, rtol=1e-12)


@of_kinds
def test_the_owner_of_a_face_has_its_nodes(kind):
    mesh = box(SIZE, DIVISIONS, kind)
    for face, owner in zip(mesh.surface.faces, mesh.surface.owners):
        assert set(face) <= set(mesh.elements[owner])


@of_kinds
def test_faces_of_a_set_of_nodes_are_those_with_all_nodes_in_it(kind):
    mesh = box(SIZE, DIVISIONS, kind)
    bare = type(mesh)(mesh.points, mesh.type, mesh.elements, mesh.node_sets)
    for name in ("x+", "z-"):
        assert {tuple(face) for face in bare.faces(name)} == {tuple(face) for face in mesh.faces(name)}


@of_kinds
def test_nodes_are_numbered_as_in_vtk(kind):
    cells = pytest.importorskip("vtk")
    names = {
        "hex8": "Hexahedron",
        "hex27": "TriQuadraticHexahedron",
        "tet4": "Tetra",
        "tet10": "QuadraticTetra",
    }
    cell = getattr(cells, f"vtk{names[kind]}")()
    there = np.array([cell.GetParametricCoords()[k] for k in range(3 * cell.GetNumberOfPoints())])
    lowest = KINDS[kind].nodes.min()  # −1 of cubes, which VTK has from 0 to 1
    np.testing.assert_allclose((KINDS[kind].nodes - lowest) / (1.0 - lowest), there.reshape(-1, 3))


@of_kinds
def test_mirror_images_keep_the_nodes_of_edges_and_faces(kind):
    """A mirrored element, in the order of mirror images, is one of positive volume with the same map."""
    of = KINDS[kind]
    mirrored = of.nodes * [1.0, 1.0, -1.0]
    weights = np.linalg.solve(  # ξ as a function of the mirrored element's own coordinates is affine
        np.column_stack([np.ones(4), of.nodes[[0, 1, 3, 4] if of.corners == 8 else slice(4)]]),
        mirrored[of.mirrored][[0, 1, 3, 4] if of.corners == 8 else slice(4)],
    )
    assert np.linalg.det(weights[1:]) > 0.0
    found = np.column_stack([np.ones(of.k), of.nodes]) @ weights
    np.testing.assert_allclose(found, mirrored[of.mirrored], atol=1e-14)


def test_the_largest_distance_of_a_box_is_its_diagonal():
    mesh = box((3.0, 4.0, 12.0), (1, 1, 1))
    assert np.linalg.norm(np.ptp(mesh.points, axis=0)) == pytest.approx(hypot(5.0, 12.0))
