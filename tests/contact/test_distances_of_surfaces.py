"""Points of surfaces of triangles and convex shapes at random places, beside the distances of coal."""

from __future__ import annotations

import numpy as np
import pytest
from mbplugin_contact.triangles.surface import surface_of
from on_surfaces import BOX, CAPSULE, CONVEX, PLANE, SPHERE, Probe, cube, flat, ring
from scipy.spatial.transform import Rotation

SIZES = {SPHERE: (0.1, 0, 0), CAPSULE: (0.05, 0.3, 0), BOX: (0.3, 0.15, 0.2), CONVEX: (1, 1, 1)}
MARGIN = 0.1
UNTURNED = np.eye(3).reshape(1, 9)


def two_parts():
    points, triangles = cube(0.6, 1)
    more, others = ring(0.1, 0.25, 0.3, 9)
    both = np.vstack([points + np.array([-0.35, 0, 0]), more + np.array([0.3, 0, 0])])
    return both, np.vstack([triangles, others + len(points)])


SURFACES = {
    "cube": lambda: cube(0.6, 2),
    "ring": lambda: ring(0.25, 0.5, 0.2, 20, 1),
    "sheet": lambda: flat(6, 1.0),
    "two parts": two_parts,
}


@pytest.mark.parametrize("n", [400, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SURFACES)
def test_the_smallest_gap_is_the_distance(name, n):
    """Outside; inside a solid all gaps are overlaps. Seams, hollow edges and far sides give no points."""
    probe, rng = Probe(*SURFACES[name]()), np.random.default_rng(11)
    for kind, size in SIZES.items():
        x, R = rng.uniform(-0.7, 0.7, (n, 3)), Rotation.random(n, rng).as_matrix().reshape(n, 9)
        found, distance = probe.find(kind, size, x, R, MARGIN), probe.distances(kind, size, x, R)
        solid = probe.surface.both_sides.max() == 0
        outside = (distance > 1e-9) & ~probe.holds(x) if solid else distance > 1e-9
        near = outside & (distance < MARGIN - 1e-9)
        least = found.least()
        assert near.sum() > 0.1 * n
        np.testing.assert_allclose(least[near], distance[near], atol=1e-9)
        assert (least[outside & (distance > MARGIN + 1e-9)] == np.inf).all()
        if solid:  # whose surface goes through the shape
            assert (least[distance <= 0.0] < 1e-9).mean() > 0.98
        used = np.arange(found.gap.shape[1]) < found.count[:, None]
        across = found.x_b - found.x_a - found.gap[..., None] * found.normal
        assert np.abs(across[used]).max() < 1e-12


def test_only_convex_edges_and_corners_of_a_ring_touch():
    """Of n sides: 2 n edges of each rim, n upright ones outside; those in the hole are hollow, seams flat."""
    surface = surface_of(*ring(0.25, 0.5, 0.2, 20, 1))
    assert len(np.unique(surface.edge[surface.edge >= 0])) == 5 * 20
    assert (np.diff(surface.corner_first) > 0).sum() == 4 * 20
    assert surface.plane.max() + 1 == 2 * 20 + 2 and surface.both_sides.max() == 0


def test_a_ball_in_a_solid_leaves_by_the_nearest_face():
    probe, rng = Probe(*cube(0.6, 2)), np.random.default_rng(4)
    x = rng.uniform(-0.29, 0.29, (200, 3))
    depth = 0.3 - np.abs(x).max(axis=1)
    reached = depth < 0.05 + MARGIN
    found = probe.find(SPHERE, (0.05, 0, 0), x, np.repeat(UNTURNED, 200, 0), MARGIN)
    np.testing.assert_allclose(found.least()[reached], -depth[reached] - 0.05, atol=1e-12)
    assert reached.sum() > 100


def test_a_flat_triangulation_touches_as_one_plane():
    """A box that lies on 288 triangles has four points, its corners; a capsule its two ends."""
    probe = Probe(*flat(12, 2.0))
    angle = 0.3
    R = Rotation.from_euler("z", angle).as_matrix()
    found = probe.find(BOX, (0.5, 0.3, 0.2), np.array([[0.03, 0.07, 0.1]]), R.reshape(1, 9), 0.01)
    corners = np.array([[i, j, 0] for i in (-0.25, 0.25) for j in (-0.15, 0.15)]) @ R.T + [0.03, 0.07, 0]
    points = found.x_a[0, : found.count[0]]
    assert found.count[0] == 4 and len(set(found.feature[0, :4].tolist())) == 4
    assert np.abs(points[:, None] - corners[None]).max(axis=2).min(axis=0).max() < 1e-12
    level = Rotation.from_euler("y", np.pi / 2).as_matrix().reshape(1, 9)
    found = probe.find(CAPSULE, (0.05, 0.4, 0), np.array([[0.013, 0.021, 0.05]]), level, 0.01)
    assert found.count[0] == 2
    np.testing.assert_allclose(np.sort(found.x_a[0, :2, 0]), [-0.187, 0.213], atol=1e-12)


def test_a_ball_over_the_mesh_of_a_sphere_converges_to_the_sphere():
    """Twice as many divisions, a quarter of the error: facets of edge a lie a² / 24 R to a² / 6 R inside."""
    trimesh = pytest.importorskip("trimesh")
    rng = np.random.default_rng(1)
    u = rng.normal(size=(500, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    errors = []
    for divisions in (2, 3, 4):
        mesh = trimesh.creation.icosphere(subdivisions=divisions, radius=0.5)
        probe = Probe(mesh.vertices, mesh.faces)
        found = probe.find(SPHERE, (0.1, 0, 0), 0.605 * u, np.repeat(UNTURNED, 500, 0), 0.05)
        errors.append((found.least() - 0.005).mean())
    assert 0.0 < errors[2] < 2e-3
    np.testing.assert_allclose(np.array(errors[:-1]) / errors[1:], 4.0, rtol=0.05)


def test_a_mesh_over_a_half_space_has_its_lowest_corners():
    probe, rng = Probe(*cube(0.6, 1)), np.random.default_rng(2)
    turned = Rotation.random(50, rng).as_matrix()
    up = turned[:, :, 2]
    x = -up * (0.3 * np.abs(up).sum(axis=1) - 0.01)[:, None]
    found = probe.find(PLANE, (1, 1, 0), x, turned.reshape(-1, 9), 0.05)
    np.testing.assert_allclose(found.least(), -0.01, atol=1e-12)
    found = probe.find(PLANE, (1, 1, 0), np.array([[0, 0, -0.3]]), UNTURNED, 0.05)
    assert found.count[0] == 4
