"""Meshes and height fields that collide, in whole runs: seams, holes, sheets, bowls, terrain."""

from __future__ import annotations

from math import cos, pi, sqrt

import numpy as np
import pytest
from blocks import Watch, contact_solver
from headless import show
from mbplugin_contact.triangles.grid import field_surface
from mbplugin_contact.triangles.surface import rings
from mbplugin_contact.triangles.tables import SMOOTH
from on_surfaces import cube, flat, ring
from scene_text import body, solver, table, world

from mbplugin.errors import SceneError

LEVEL = {"axis": [0, 1, 0], "angle": pi / 2}
PYRAMID = [*([x, y, -0.05] for x in (0.1, -0.1) for y in (0.1, -0.1)), [0, 0, 0.1]]
MOVERS = {
    "sphere": ({"type": "sphere", "radius": 0.1}, 0.1),
    "capsule": (
        {
            "type": "capsule",
            "radius": 0.05,
            "length": 0.2,
            "orientation": {"axis": [0, 1, 0], "angle": pi / 2},
        },
        0.05,
    ),
    "box": ({"type": "box", "size": [0.3, 0.2, 0.1]}, 0.05),
    "convex": (
        {
            "type": "convex",
            "points": [
                [0.1, 0.1, -0.05],
                [-0.1, 0.1, -0.05],
                [-0.1, -0.1, -0.05],
                [0.1, -0.1, -0.05],
                [0, 0, 0.1],
            ],
        },
        0.05,
    ),
    "cylinder": ({"type": "cylinder", "radius": 0.08, "length": 0.1}, 0.05),
    "roller": (
        {
            "type": "cylinder",
            "radius": 0.05,
            "length": 0.2,
            "orientation": {"axis": [0, 1, 0], "angle": pi / 2},
        },
        0.05,
    ),
}
MESH = {"type": "mesh", "file": "mesh.obj"}


def write(folder, points, triangles):
    lines = ["v {:.17g} {:.17g} {:.17g}".format(*p) for p in points]
    lines += ["f {} {} {}".format(*(np.array(t) + 1)) for t in triangles]
    (folder / "mesh.obj").write_text("\n".join(lines) + "\n")


class In:
    """Runs of scenes with files in this folder."""

    def __init__(self, runs, folder):
        self.runs, self.folder = runs, folder

    def prepare(self, text):
        (self.folder / "scene.toml").write_text(text)
        return self.runs.prepare_file(self.folder / "scene.toml")


def ground(shape, friction=0.5, restitution=0.4, gravity=(0.3, 0.1, -9.81)):
    shapes = shape if isinstance(shape, list) else [shape]
    return world(gravity=list(gravity), collide=True, material="stone", shape=shapes) + table(
        "material", name="stone", friction=friction, restitution=restitution
    )


def mover(shape, at, name="mover", **keys):
    keys = {"mass": 1.0, "inertia": [0.004, 0.005, 0.006], "collide": True, "material": "stone"} | keys
    return body(name, position=list(at), shape=[shape], **keys)


def test_a_cylinder_stands_on_two_triangles_as_on_the_plane(runs, tmp_path):
    """Under gravity that leans to 0.9 of its tipping angle and back; none of its points is over a corner."""
    write(tmp_path, *flat(1, 3.0))
    shape = {"type": "cylinder", "radius": 0.08, "length": 0.2}
    exact = solver(type="contact", step=1e-3, end=0.4, residual=1e-8)
    still = mover(shape, [-0.31, -0.2, 0.1])
    for lean in (0.9, -0.9):
        scene = ground(MESH, friction=2.0, gravity=[lean * 9.81 * 0.8, 0, -9.81]) + still + exact
        motion = path(Watch(In(runs, tmp_path), scene), 400)
        assert np.abs(motion - motion[0]).max() < 1e-9


def path(watch, steps, every=1):
    """(steps, 7) poses of the first body."""
    return np.array([watch.q[0] for _ in watch.steps(steps)])


@pytest.mark.parametrize("kind", MOVERS)
def test_what_falls_and_slides_on_a_flat_triangulation_moves_as_on_the_plane(runs, tmp_path, kind):
    """Twice: a sheet of 1,058 triangles and a height field, and a half-space. Round ones fall with spin and
    rebound; faces slide with friction, whose shares after a fall depend on the order of their points.
    """
    write(tmp_path, *flat(23, 2.0))
    np.save(tmp_path / "field.npy", np.zeros((24, 31)))
    shape, height = MOVERS[kind]
    is_round = kind in ("sphere", "capsule")
    moving = mover(
        shape,
        [-0.31, -0.2, height + 0.02 * is_round],
        velocity=[0.7, 0.4, 0],
        angular_velocity=[1.0 * is_round, 2.0 * is_round, 3.0 * is_round],
    )
    field = {"type": "heightfield", "file": "field.npy", "size": [2.0, 2.5]}
    exact = solver(type="contact", step=1e-3, end=1.0, residual=1e-8)
    paths = [
        path(Watch(In(runs, tmp_path), ground(one) + moving + exact), 200)
        for one in ({"type": "plane"}, MESH, field)
    ]
    assert np.abs(paths[0][-1, :2] - paths[0][0, :2]).min() > 0.03
    assert np.abs(paths[1] - paths[0]).max() < 1e-9
    assert np.abs(paths[2] - paths[0]).max() < 1e-9


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
@pytest.mark.parametrize("kind", ["sphere", "box"])
def test_a_body_with_the_mesh_of_a_cube_moves_as_a_box(runs, tmp_path, kind, coordinates):
    """A cube of 192 triangles in the air is struck, both fall on a half-space, and turn over."""
    write(tmp_path, *cube(0.3, 2))
    solid = {"mass": 2.0, "inertia": [0.03] * 3, "angular_velocity": [0.3, 0.2, 0.1]}
    paths = []
    for shape in ({"type": "box", "size": [0.3] * 3}, MESH):
        paths.append([])
        text = ground({"type": "plane"}, gravity=(0, 0, -9.81)) + mover(shape, [0, 0, 0.2], "solid", **solid)
        text += mover(MOVERS[kind][0], [-0.4, 0.03, 0.25], velocity=[3.0, 0.1, 0])
        text += solver(type="contact", step=1e-3, end=1.0, coordinates=coordinates)
        prepared = In(runs, tmp_path).prepare(text)
        integrator = prepared.start(0.2)
        for k in range(1, 21):
            show(integrator, 0.2, 0.01 * k)
            frame = prepared.recorder.frame()
            poses = [frame["bodies/position"], frame["bodies/orientation"]]
            paths[-1].append(np.concatenate(poses, axis=1))
    paths = np.array(paths)
    assert np.abs(paths[0][-1, 0, :2]).max() > 0.05
    assert np.abs(paths[1] - paths[0]).max() < 1e-8


def test_a_ball_falls_through_the_hole_of_a_ring_and_a_larger_one_rests_on_its_rim(runs, tmp_path):
    n, inner, thick = 24, 0.2, 0.1
    write(tmp_path, *ring(inner, 0.5, thick, n))
    scene = ground(MESH, 0.5, 0.0, (0, 0, -9.81))
    ball = {"type": "sphere", "radius": 0.15}
    watch = Watch(In(runs, tmp_path), scene + mover(ball, [0.01, 0, 0.4]) + contact_solver(2e-3)).to(0.6)
    assert watch.q[0, 2] < -0.8
    assert np.abs(watch.q[0, :2] - [0.01, 0]).max() < 1e-12
    wide, rim = 0.3, inner * cos(pi / n)  # middles of the edges are nearest to the axis
    rest = 0.5 * thick + sqrt(wide**2 - rim**2)
    text = scene + mover({"type": "sphere", "radius": wide}, [0, 0, rest]) + contact_solver(2e-3)
    watch = Watch(In(runs, tmp_path), text).to(0.2)
    np.testing.assert_allclose(watch.q[0, :3], [0, 0, rest], atol=1e-9)
    assert watch.problem.names is not None and len(contacts(watch)) == n


def contacts(watch):
    """Impulses of the contacts of the last step [N s]."""
    from mbplugin.tables.groups import TransientRows

    rows = watch.problem[TransientRows]
    return rows.impulse[: 3 * rows.used[0] : 3].copy()


def test_a_square_peg_slides_down_its_hole(runs, tmp_path):
    """Without friction as it falls, with play of 1 mm; concave edges of the hole hold nothing."""
    write(tmp_path, *ring(0.1 * sqrt(2.0), 0.4, 0.3, 4))
    peg = {"type": "box", "size": [0.198, 0.198, 0.2]}
    turned = {"orientation": {"axis": [0, 0, 1], "angle": pi / 4}}
    text = ground(MESH, 0.0, 0.0, (0, 0, -9.81)) + mover(peg, [0, 0, 0.1], **turned) + contact_solver(1e-3)
    watch = Watch(In(runs, tmp_path), text).to(0.2)
    np.testing.assert_allclose(watch.q[0, 2], 0.1 - 0.5 * 9.81 * 0.2**2, atol=1e-9)
    # pressed to one wall it slides all the same
    text = (
        ground(MESH, 0.0, 0.0, (3.0, 2.0, -9.81)) + mover(peg, [0, 0, 0.05], **turned) + contact_solver(1e-3)
    )
    watch = Watch(In(runs, tmp_path), text).to(0.15)
    np.testing.assert_allclose(watch.q[0, 2], 0.05 - 0.5 * 9.81 * 0.15**2, atol=1e-4)


def test_a_sheet_touches_from_both_sides(runs, tmp_path):
    """What strikes it from below does what its mirror image does from above."""
    write(tmp_path, *flat(5, 2.0))
    paths = []
    for side in (1.0, -1.0):
        text = ground(MESH, 0.3, 0.5, (0, 0, 0))
        text += mover(MOVERS["box"][0], [0.02, 0.03, 0.3 * side], velocity=[0.2, 0, -2.0 * side])
        paths.append(path(Watch(In(runs, tmp_path), text + contact_solver(1e-3)), 250))
    mirrored = paths[1][:, :3] * [1, 1, -1]
    assert np.abs(paths[0][:, :3] - mirrored).max() < 1e-9
    assert paths[0][-1, 2] > 0.1


@pytest.mark.parametrize("speed", [5.0, 80.0, 500.0])
def test_a_small_fast_ball_does_not_pass_through_a_sheet(runs, tmp_path, speed):
    """Of 1 mm, up to 500 radii a step; on triangles, seams and beside corners."""
    write(tmp_path, *flat(5, 2.0))
    text = ground(MESH, 0.0, 1.0, (0, 0, 0))
    rng, way = np.random.default_rng(8), [0.1 * speed, 0, -speed]
    for k in range(12):
        at = [*rng.uniform(-0.6, 0.6, 2), speed * 1e-3 * (3.0 + k / 12)]
        at[0] = 0.2 if k % 3 == 0 else at[0]  # over a seam
        text += mover({"type": "sphere", "radius": 1e-3}, at, f"ball_{k}", group="balls", velocity=way)
    watch = Watch(In(runs, tmp_path), text + contact_solver(1e-3)).to(0.012)
    assert (watch.q[:, 2] > 0.0).all()
    np.testing.assert_allclose(watch.v[:, 2], speed, rtol=1e-9)


def test_what_flies_past_an_edge_is_not_deflected(runs, tmp_path):
    """At 20 m/s, 10 µm beside the edge of a table of triangles, and over one corner."""
    write(tmp_path, *cube(1.0, 2))
    for kind in ("sphere", "box"):
        shape, half = MOVERS[kind]
        reach = 0.15 if kind == "box" else half
        text = ground(MESH, 0.0, 0.5, (0, 0, 0))
        text += mover(shape, [0.5 + reach + 1e-5, 0.013, 1.0], velocity=[0, 0, -20.0])
        watch = Watch(In(runs, tmp_path), text + contact_solver(1e-3)).to(0.1)
        np.testing.assert_allclose(watch.v[0], [0, 0, -20.0, 0, 0, 0], atol=1e-9)


def test_a_ball_in_a_bowl_of_triangles_swings_as_in_the_bowl(runs, tmp_path):
    """Without friction, as a pendulum of the length R − r: quarter of the period to 1 %."""
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere(subdivisions=4, radius=0.5)
    write(tmp_path, mesh.vertices, mesh.faces[mesh.triangles_center[:, 2] < 0.1])
    r, angle = 0.1, 0.3
    at = [0.4 * np.sin(angle), 0.0, -0.4 * np.cos(angle)]
    text = ground(MESH, 0.0, 0.0, (0, 0, -9.81))
    text += mover({"type": "sphere", "radius": r - 1e-3}, at) + contact_solver(1e-3)
    x = path(Watch(In(runs, tmp_path), text), 500)
    crossing = np.flatnonzero((x[:-1, 0] > 0) & (x[1:, 0] <= 0))[0]
    period = 2 * pi * sqrt(0.401 / 9.81) * (1 + angle**2 / 16)
    np.testing.assert_allclose(1e-3 * crossing, period / 4, rtol=0.02)
    assert np.abs(x[:, 1]).max() < 0.02
    assert np.abs(np.linalg.norm(x[:, :3], axis=1) - 0.401).max() < 3e-3


def heights(i, j):
    return 0.1 * i - 0.2 * j


def test_a_field_and_the_mesh_of_its_triangles_have_the_same_edges():
    """What is beside each edge follows from its cell, and from the corners of all triangles."""
    values = np.random.default_rng(6).normal(size=(5, 7))
    field = field_surface(values, (2.0, 3.0))
    ring, edges = rings(field.corner)
    np.testing.assert_array_equal(field.across, ring)
    sharp = field.edge != SMOOTH
    assert sharp[edges == 1].all() and 0.2 < sharp[edges == 2].mean() < 0.8


def test_the_files_of_a_height_field_hold_the_same_terrain(runs, tmp_path):
    """A plane with slopes along x and y, from a CSV, an .npy and a picture: the ball slides down as on it."""
    import imageio.v3

    values = heights(np.arange(5)[None, :], np.arange(4)[:, None])
    np.savetxt(tmp_path / "field.csv", values, delimiter=",")
    np.save(tmp_path / "field.npy", values)
    low, high = values.min(), values.max()
    levels = np.round((values - low) / (high - low) * 65535).astype(np.uint16)
    imageio.v3.imwrite(tmp_path / "field.png", levels[::-1])
    size = [4.0, 3.0]
    n = np.array([-0.1, 0.2, 1.0]) / np.linalg.norm([-0.1, 0.2, 1.0])
    ends = []
    for name in ("field.csv", "field.npy", "field.png"):
        shape = {"type": "heightfield", "file": name, "size": size}
        middle = heights(2, 1.5)
        if name == "field.png":
            shape |= {"scale": float(high - low), "position": [0, 0, float(low)]}
        at = np.array([0.0, 0.0, middle]) + 0.1 * n
        text = ground(shape, 0.0, 0.0, (0, 0, -9.81))
        text += mover({"type": "sphere", "radius": 0.1}, at) + contact_solver(2e-3)
        ends.append(Watch(In(runs, tmp_path), text).to(0.4).q[0, :3] - at)
    g = np.array([0, 0, -9.81])
    slope = g - n * (n @ g)
    for end, tolerance in zip(ends, (1e-9, 1e-9, 1e-4)):
        np.testing.assert_allclose(end, 0.5 * 0.4**2 * slope, atol=tolerance)


@pytest.mark.parametrize(
    "keys, said",
    [
        ({"file": "none.npy"}, "there is no such file"),
        ({"file": "field.txt"}, "must be a file that ends in"),
        ({"file": "row.npy"}, "two or more rows and columns"),
        ({"file": "holes.npy"}, "no numbers"),
        ({"file": "colour.png"}, "shades of grey"),
        ({"file": "text.csv"}, "cannot be read"),
    ],
)
def test_files_that_are_no_terrain_are_refused(runs, tmp_path, keys, said):
    import imageio.v3

    np.save(tmp_path / "row.npy", np.zeros((1, 5)))
    np.save(tmp_path / "holes.npy", np.full((3, 3), np.nan))
    imageio.v3.imwrite(tmp_path / "colour.png", np.zeros((4, 4, 3), np.uint8))
    (tmp_path / "text.csv").write_text("a,b\n1,2\n")
    (tmp_path / "field.txt").write_text("1,2\n")
    text = ground({"type": "heightfield", "size": [1, 1]} | keys) + mover(MOVERS["box"][0], [0, 0, 1])
    with pytest.raises(SceneError, match=said) as refused:
        In(runs, tmp_path).prepare(text + contact_solver())
    assert refused.value.key.endswith("shape[0].file")


def test_two_fields_that_may_meet_are_refused_by_name(runs, tmp_path):
    write(tmp_path, *cube(0.3))
    np.save(tmp_path / "field.npy", np.zeros((4, 4)))
    field = {"type": "heightfield", "file": "field.npy", "size": [2.0, 2.5]}
    pair = ground(field) + mover(field, [0, 0, 1.0])
    with pytest.raises(SceneError, match='"ground" and "mover" may meet'):
        In(runs, tmp_path).prepare(pair + contact_solver()).start(1.0)
    apart = pair + table("contact", a="ground", b="mover", collide=False)
    In(runs, tmp_path).prepare(apart + contact_solver()).start(1.0)
    hull = ground(MESH) + mover(MESH | {"collision": "hull"}, [0, 0, 0.3]) + contact_solver(1e-3)
    watch = Watch(In(runs, tmp_path), hull).to(0.1)
    np.testing.assert_allclose(watch.q[0, 2], 0.3, atol=1e-9)
