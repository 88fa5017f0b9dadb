"""Faces, edges and triangles of polyhedra from their points."""

import itertools

import numpy as np
import pytest
import trimesh
from mbplugin_contact.geometry.hulls import cube, hull_tables, polyhedron
from mbplugin_contact.geometry.tables import CUBE, FIRST_HULL, SEGMENT
from pairs import ball_points, some_hulls
from refusals import stopped
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

PRISM = np.array([[np.cos(a), np.sin(a), z] for a in 2 * np.pi * np.arange(32) / 32 for z in (-1, 1)])
DODECAHEDRON = trimesh.creation.icosahedron().triangles.mean(axis=1)
SHAPES = {
    "cube": (np.indices((2, 2, 2)).reshape(3, 8).T - 0.5, 6, 12, 8),
    "tetrahedron": (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), 4, 6, 4),
    "octahedron": (np.vstack([np.eye(3), -np.eye(3)]), 8, 12, 6),
    "prism": (PRISM, 34, 96, 64),
    "dodecahedron": (DODECAHEDRON, 12, 30, 20),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_triangles_in_one_plane_are_one_face(name, scale):
    points, faces, edges, vertices = SHAPES[name]
    turned = scale * points @ Rotation.from_rotvec([0.3, -0.4, 0.5]).as_matrix().T + scale
    body = polyhedron(turned)
    assert (len(body.faces), len(body.edges), len(body.vertices)) == (faces, edges, vertices)


@pytest.mark.parametrize("seed", range(10))
def test_faces_look_outward_and_meet_in_edges(seed):
    rng = np.random.default_rng(seed)
    body = polyhedron(ball_points(rng, 60) * rng.uniform(0.2, 1.0, 3))
    assert len(body.vertices) - len(body.edges) + len(body.faces) == 2  # Euler
    for f, face in enumerate(body.faces):
        heights = (body.vertices - body.vertices[face[0]]) @ body.normals[f]
        assert heights.max() < 1e-9 and np.abs(heights[face]).max() < 1e-9
        for k in range(len(face)):
            p, q, r = (body.vertices[face[(k + i) % len(face)]] for i in range(3))
            assert np.cross(q - p, r - q) @ body.normals[f] > 0.0
    for i, j, f0, f1 in body.edges:
        pairs = [(face, face[1:] + face[:1]) for face in (body.faces[f0], body.faces[f1])]
        assert (i, j) in zip(*pairs[0]) and (j, i) in zip(*pairs[1])


def test_points_inside_in_faces_and_on_edges_are_left_out():
    corners = cube().vertices
    more = np.array([[0.0, 0.0, 0.0], [0.5, 0.1, 0.2], [0.5, 0.5, 0.1], [0.5, 0.5, 0.5], [0.2, -0.5, 0.5]])
    body = polyhedron(np.vstack([more, corners]))
    assert sorted(map(tuple, body.vertices)) == sorted(map(tuple, corners))
    assert len(body.faces) == 6


@pytest.mark.parametrize("seed", range(5))
def test_triangles_enclose_the_volume_of_the_hull(seed):
    rng = np.random.default_rng(seed)
    points = ball_points(rng, 30) * rng.uniform(0.2, 1.0, 3) + rng.normal(size=3)
    body = polyhedron(points)
    mesh = trimesh.Trimesh(body.vertices, body.triangles, process=False)
    assert mesh.is_volume
    assert mesh.volume == pytest.approx(ConvexHull(points).volume, rel=1e-12)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((3, 3)),
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]],
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1e-8]],
        np.zeros((5, 3)),
        [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]],
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, np.nan]],
        [[0, 0], [1, 0], [0, 1], [0, 0]],
        ball_points(np.random.default_rng(0), 600),
    ],
)
def test_points_that_make_no_polyhedron_are_refused(points):
    with stopped(ValueError):
        polyhedron(points)


def test_tables_begin_with_the_cube_the_segment_and_a_triangle():
    hulls, bodies, *_ = some_hulls()
    assert hulls.index.vertices.tolist() == [8, 2, 3, *(len(b.vertices) for b in bodies)]
    record = hulls.index[CUBE]
    corners = hulls.vertex[record.first_vertex : record.first_vertex + 8]
    bits = (np.arange(8)[:, None] >> np.arange(3)) & 1
    assert (corners == bits - 0.5).all()
    assert hulls.index[SEGMENT].faces == hulls.index[SEGMENT].edges == 0
    last = hulls.index[FIRST_HULL + len(bodies) - 1]
    place = hulls.list[last.corners : last.corners + last.faces + 1]
    corners = [hulls.list[i:j].tolist() for i, j in itertools.pairwise(place)]
    assert corners == bodies[-1].faces


def test_empty_tables_have_these_alone():
    assert len(hull_tables([]).index) == FIRST_HULL == 3
