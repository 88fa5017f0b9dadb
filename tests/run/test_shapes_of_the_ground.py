"""Shapes of bodies and of the ground: in the table that plugins read, and in results."""

from __future__ import annotations

import numpy as np
import pytest
from headless import show
from refusals import refused
from scene_text import NO_GRAVITY, body, solver, world

import mbplugin as mb
from mbplugin.decoder.drawn import Drawn
from mbplugin.stepping.shapes import BOX_SHAPE, PLANE_SHAPE, SPHERE_SHAPE, Shapes
from mbplugin.tables.groups import Markers

TURNED = {"axis": [0, 0, 1], "angle_deg": 90}
SLOPE = {
    "type": "plane",
    "size": [2, 3],
    "position": [0, 0, -1],
    "orientation": {"axis": [0, 1, 0], "angle": 0.3},
}
BALL = {"type": "sphere", "radius": 0.2, "position": [0.5, 0, 0]}
CRATE = {"type": "box", "size": [1, 2, 3]}
SCENE = world(shape=[SLOPE, CRATE], gravity=[0, 0, 0]) + body(
    "arm",
    mass=1,
    inertia=[1, 2, 2.5],
    position=[1, 2, 3],
    center_of_mass=[0.1, 0, 0],
    orientation=TURNED,
    shape=[BALL],
)


def test_the_table_of_shapes_names_body_type_size_and_place(runs):
    shapes = runs.prepare(SCENE + solver()).problem[Shapes]
    assert shapes.index.type.tolist() == [SPHERE_SHAPE, PLANE_SHAPE, BOX_SHAPE]
    assert shapes.index.body.tolist() == [0, -1, -1]
    assert shapes.p.reshape(3, 3).tolist() == [[0.2, 0, 0], [2, 3, 0], [1, 2, 3]]
    assert shapes.x.tolist() == [[0.5, 0, 0], [0, 0, -1], [0, 0, 0]]
    c, s = np.cos(0.3), np.sin(0.3)
    np.testing.assert_allclose(shapes.R[1].reshape(3, 3), [[c, 0, s], [0, 1, 0], [-s, 0, c]], atol=1e-15)


def test_the_marker_of_a_shape_and_its_arm_give_its_place_in_the_world(runs):
    prepared = runs.prepare(SCENE + solver())
    show(prepared.start(1.0), 1.0, 0.0)
    shapes, markers = prepared.problem[Shapes], prepared.problem[Markers]
    m = shapes.index[0].marker
    x = markers.x[m] + markers.R[m].reshape(3, 3) @ shapes.arm[0]
    np.testing.assert_allclose(x, [1, 2.5, 3], atol=1e-15)  # 0.5 along the body's x, which is y of the world


def test_shapes_of_the_ground_are_in_the_result_and_do_not_move(tmp_path):
    text = SCENE.replace("mass = 1", "velocity = [1, 0, 0]\nmass = 1") + solver(end=0.5)
    result = mb.System.from_text(text).run(tmp_path / "out")
    raw = result.raw
    owners = dict(zip(raw.attribute("shapes/name"), raw["shapes/body"]))
    assert owners == {"arm_0": 0, "ground_0": -1, "ground_1": -1}
    assert raw.attribute("shapes/type")[1] == "plane"
    mesh, scale = Drawn(raw.static()).meshes[raw["shapes/mesh"][1]][0], raw["shapes/scale"][1]
    assert mesh.shape == (4, 3)
    assert np.ptp(mesh[:, 1] * scale[1]) == 3.0
    pv = pytest.importorskip("pyvista")
    reader = pv.get_reader(str(tmp_path / "out" / "result.mbr"))
    meshes = []
    for t in (0.0, 0.5):
        reader.set_active_time_value(t)
        meshes.append(reader.read()["bodies"])
    of_ground = [mesh.extract_cells(mesh.cell_data["body"] == -1).points for mesh in meshes]
    assert len(of_ground[0]) == 4 + 24  # corners; those of a box for each of its faces
    assert np.array_equal(*of_ground)


def test_the_ground_has_no_mass():
    with refused("scene.shape[0].density", 1.0):
        mb.System.from_text(world(shape=[CRATE | {"density": 1.0}]) + body("b", mass=1, inertia=[1, 1, 1]))


def test_a_plane_has_no_mass():
    with refused("body[0].shape[0]", "plane"):
        mb.System.from_text(NO_GRAVITY + body("b", density=1.0, shape=[{"type": "plane"}])).check()
