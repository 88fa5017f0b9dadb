"""Two surfaces of triangles that touch: distances beside coal, and meshes in whole runs beside boxes."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
import trimesh
from on_surfaces import SURFACE, Probe, cube, flat, ring
from scene_text import body, solver, table, world
from scipy.spatial.transform import Rotation

import mbplugin as mb

MARGIN, G = 0.1, 9.81
UNTURNED = np.eye(3).reshape(1, 9)
STONE = {"mass": 2.0, "inertia": [0.05] * 3, "collide": True, "material": "stone"}


def torus(radius=0.3, thick=0.1, around=16, across=8):
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.torus(radius, thick, major_sections=around, minor_sections=across)
    return mesh.vertices, mesh.faces


PAIRS = {
    "cubes": lambda: (cube(0.6, 1), cube(0.4, 2)),
    "cube in ring": lambda: (ring(0.25, 0.5, 0.2, 12, 1), cube(0.4)),
    "rings": lambda: (ring(0.25, 0.5, 0.2, 12, 1), ring(0.1, 0.2, 0.15, 7)),
    "tori": lambda: (torus(), torus()),
    "sheet": lambda: (flat(4, 1.0), torus()),
}


@pytest.mark.parametrize("n", [150, pytest.param(4_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PAIRS)
def test_the_smallest_gap_of_two_surfaces_is_their_distance(name, n):
    """Where they are apart, as coal says; points of both are as far apart as the gap says."""
    first, second = PAIRS[name]()
    probe, rng = Probe(*first, other=second), np.random.default_rng(3)
    x, R = rng.uniform(-0.7, 0.7, (n, 3)), Rotation.random(n, rng).as_matrix().reshape(n, 9)
    found, distance = probe.find(SURFACE, (1, 1, 1), x, R, MARGIN), probe.distances(SURFACE, None, x, R)
    apart, least = distance > 1e-9, found.least()
    near = apart & (distance < MARGIN - 1e-9)
    if probe.surface.both_sides.max() == 0:
        near &= ~probe.holds(x)
    assert near.sum() > 0.08 * n
    # a sheet that reaches beyond what touches it does not know its side in each case
    exact = np.abs(least[near] - distance[near]) < 1e-9
    assert exact.all() if name != "sheet" else exact.mean() > 0.99
    assert (least[apart & (distance > MARGIN + 1e-9)] == np.inf).all()
    assert (least[~apart] < 1e-9).mean() > 0.8
    used = np.arange(found.gap.shape[1]) < found.count[:, None]
    across = found.x_b - found.x_a - found.gap[..., None] * found.normal
    assert np.abs(across[used]).max() < 1e-12


def test_faces_that_lie_on_each_other_touch_at_the_corners_of_what_they_share():
    """Two cubes of many triangles, one turned by 30 degrees: an octagon's corners, or each crossing of edges
    where one deforms.
    """
    probe = Probe(*cube(0.4, 1), other=cube(0.4, 2))
    R = Rotation.from_euler("z", pi / 4).as_matrix().reshape(1, 9)
    place = np.array([[0.0, 0.0, 0.4]])
    found = probe.find(SURFACE, (1, 1, 1), place, R, 0.01)
    on = found.x_a[0, : found.count[0]]
    assert found.count[0] == 8
    np.testing.assert_allclose(np.abs(on[:, :2]).max(axis=1), 0.2, atol=1e-12)
    np.testing.assert_allclose(np.abs(on[:, :2]).min(axis=1), 0.2 * (sqrt(2) - 1), atol=1e-12)
    assert len(set(found.feature[0, :8].tolist())) == 8


def test_ridges_of_two_flat_roofs_touch_where_they_cross():
    """Slopes of 0.005: faces that count as flat for all but the crossing of their edges, which is seen along
    the middle of two of their normals.
    """
    eaves = [[x, y, z] for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.2, -0.001)]
    roof = trimesh.Trimesh([*eaves, [-0.2, 0, 0], [0.2, 0, 0]]).convex_hull
    solid = np.array(roof.vertices), np.array(roof.faces)
    R = Rotation.from_euler("xz", [pi, pi / 2]).as_matrix().reshape(1, 9)
    found = Probe(*solid, other=solid).find(SURFACE, (1, 1, 1), np.array([[0.03, 0.02, 0.001]]), R, 0.01)
    np.testing.assert_allclose(found.least(), 0.001, atol=1e-8)


def test_what_lies_behind_a_thin_wall_does_not_touch():
    """Two plates of 20 mm, 1 mm apart, within a margin of 100 mm: their far sides are no overlap."""
    points, triangles = cube(0.4, 1)
    plate = np.array(points) * [1, 1, 0.05], triangles
    probe = Probe(*plate, other=plate)
    found = probe.find(SURFACE, (1, 1, 1), np.array([[0.03, 0.02, 0.021]]), UNTURNED, MARGIN)
    np.testing.assert_allclose(found.least(), 0.001, atol=1e-12)
    found = probe.find(SURFACE, (1, 1, 1), np.array([[0.03, 0.02, 0.019]]), UNTURNED, MARGIN)
    np.testing.assert_allclose(found.least(), -0.001, atol=1e-12)


def write(folder, name, points, triangles):
    lines = ["v {:.17g} {:.17g} {:.17g}".format(*p) for p in points]
    lines += ["f {} {} {}".format(*(np.array(t) + 1)) for t in triangles]
    (folder / name).write_text("\n".join(lines) + "\n")


def mesh(file, **keys):
    return {"type": "mesh", "file": file, **keys}


def ground(*shapes, gravity=(0.0, 0.0, -G), **keys):
    keys = {"friction": 0.3} | keys
    return world(gravity=list(gravity), collide=True, material="stone", shape=list(shapes)) + table(
        "material", name="stone", **keys
    )


def run(folder, text, end, step=1e-3, **keys):
    tables = solver(type="contact", end=end, step=step, **keys) + table("output", frames=20)
    (folder / "scene.toml").write_text(text + tables)
    return mb.System.from_file(folder / "scene.toml").run(files=False)


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_meshes_of_boxes_rest_as_boxes_do(tmp_path, coordinates):
    """Forces at rest on a slope, turned by 0.3 rad against each other, beyond an edge."""
    write(tmp_path, "low.obj", *cube(0.6, 1))
    write(tmp_path, "high.obj", *cube(0.4, 2))
    results = []
    for low, high in (({"type": "box", "size": [0.6] * 3}, {"type": "box", "size": [0.4] * 3}),
                      (mesh("low.obj"), mesh("high.obj"))):  # fmt: skip
        text = ground(low, gravity=(0.5, 0.2, -G)) + body(
            "high", position=[0.2, 0.1, 0.5], orientation={"axis": [0, 0, 1], "angle": 0.3}, shape=[high],
            **STONE,
        )  # fmt: skip
        results.append(run(tmp_path, text, 0.1, coordinates=coordinates))
    forces = [result.contact("ground", "high").force[-1] for result in results]
    np.testing.assert_allclose(forces[0], [-1.0, -0.4, 2 * G], atol=1e-9)
    np.testing.assert_allclose(forces[1], forces[0], atol=1e-9)
    np.testing.assert_allclose(results[1]["high"].position, results[0]["high"].position, atol=1e-12)


def test_a_square_peg_of_triangles_slides_down_its_hole(tmp_path):
    """Both are meshes; without friction it falls freely, also pressed to two walls of the hole."""
    write(tmp_path, "hole.obj", *ring(0.1 * sqrt(2.0), 0.4, 0.3, 4, 1))
    write(tmp_path, "peg.obj", *(np.array(one) for one in cube(0.198, 1)))
    turned = {"orientation": {"axis": [0, 0, 1], "angle": pi / 4}}
    for gravity, atol in (((0.0, 0.0, -G), 1e-9), ((3.0, 2.0, -G), 1e-4)):
        text = ground(mesh("hole.obj"), gravity=gravity, friction=0.0)
        text += body("peg", position=[0, 0, 0.1], shape=[mesh("peg.obj")], **turned, **STONE)
        result = run(tmp_path, text, 0.15)
        assert result["peg"].position[-1, 2] == pytest.approx(0.1 - 0.5 * G * 0.15**2, abs=atol)
        assert np.abs(result["peg"].position[-1, :2]).max() < 2e-3


def test_a_chain_of_rings_hangs(tmp_path):
    """Tori as meshes: each carries what is below it, and nothing falls apart."""
    write(tmp_path, "ring.obj", *torus())
    upright = {"orientation": {"axis": [1, 0, 0], "angle_deg": 90}}
    across = {"orientation": {"axis": [0, 1, 0], "angle_deg": 90}}
    text = ground(mesh("ring.obj", **upright), friction=0.4)
    for k, turn in enumerate((across, upright)):
        text += body(f"ring_{k}", position=[0, 0, -0.41 - 0.415 * k], shape=[mesh("ring.obj")], **turn,
                     **(STONE | {"mass": 1.0, "inertia": [0.03, 0.03, 0.05]}))  # fmt: skip
    result = run(tmp_path, text, 1.0)
    np.testing.assert_allclose(result.contact("ground", "ring_0").force[-1], [0, 0, 2 * G], atol=0.05)
    np.testing.assert_allclose(result.contact("ring_0", "ring_1").force[-1], [0, 0, G], atol=0.05)
    assert np.abs(result["ring_1"].position[-1, :2]).max() < 2e-3
    assert np.abs(result.energy.balance).max() < 1e-6 * G


def test_meshes_that_strike_each_other_keep_their_momenta(tmp_path):
    """Two tori in the air, which turn."""
    write(tmp_path, "ring.obj", *torus())
    text = world(gravity=[0, 0, 0]) + table("material", name="stone", friction=0.4, restitution=0.5)
    keys = STONE | {"inertia": [0.05, 0.05, 0.08], "shape": [mesh("ring.obj")]}
    text += body("a", velocity=[1, 0, 0], angular_velocity=[1, 2, 0], **keys)
    text += body("b", position=[0.75, 0.1, 0.05], orientation={"axis": [1, 1, 0], "angle": 1.0}, **keys)
    result = run(tmp_path, text, 0.5)
    a, b = result["a"], result["b"]
    p = 2.0 * (a.velocity + b.velocity)
    np.testing.assert_allclose(p, np.broadcast_to(p[0], p.shape), atol=1e-12)
    assert np.abs(b.velocity[-1]).max() > 0.1
    L = 0.0
    for one in (a, b):
        turn = Rotation.from_quat(one.orientation[:, [1, 2, 3, 0]])
        spin = turn.apply(turn.inv().apply(one.angular_velocity) * [0.05, 0.05, 0.08])
        L = L + spin + 2.0 * np.cross(one.position, one.velocity)
    # points of contact move in the step of an impact
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), atol=2e-4 * np.abs(L).max())
    assert np.abs(result.energy.balance).max() < 5e-5 * result.energy.kinetic[0]


def test_a_mesh_on_terrain_of_a_plane_rests_as_on_the_plane(tmp_path):
    write(tmp_path, "high.obj", *cube(0.4, 2))
    np.save(tmp_path / "field.npy", np.zeros((24, 31)))
    field = {"type": "heightfield", "file": "field.npy", "size": [2.0, 2.5]}
    results = []
    for floor in (field, {"type": "plane"}):
        text = ground(floor, gravity=(4.0, 0.2, -G)) + body(
            "high", position=[-0.3, 0.1, 0.2], orientation={"axis": [0, 0, 1], "angle": 0.3},
            shape=[mesh("high.obj")], **STONE,
        )  # fmt: skip
        results.append(run(tmp_path, text, 0.5))
    assert results[0]["high"].position[-1, 0] > -0.3 + 0.1, "it slides"
    np.testing.assert_allclose(results[0]["high"].position, results[1]["high"].position, atol=1e-9)
