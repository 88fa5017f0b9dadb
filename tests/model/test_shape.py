"""Shapes: closed forms of their mass properties, and triangles that enclose the same volume."""

import numpy as np
import pytest
import trimesh
from refusals import refused
from scene_text import body, solver
from trimesh import creation

from mbplugin.compile import compile_system
from mbplugin.model import Body, Box, Capsule, Cone, Convex, Cylinder, Ellipsoid, Mesh, Sphere, System
from mbplugin.model.orientation import matrix
from mbplugin.run.static_arrays import shape_arrays

PRIMITIVES = [
    Box(size=[0.3, 0.5, 0.7]),
    Sphere(radius=0.4),
    Cylinder(radius=0.2, length=0.9),
    Capsule(radius=0.2, length=0.9),
    Cone(radius=0.2, top_radius=0.05, length=0.6),
    Ellipsoid(radii=[0.3, 0.2, 0.4]),
]


def integrated(inside, half, n=60):
    """Volume and inertia of unit density by summing n³ midpoints of a box of half lengths `half`."""
    axes = [(np.arange(n) + 0.5) / n * 2 * h - h for h in half]
    x, y, z = (a.ravel() for a in np.meshgrid(*axes, indexing="ij"))
    x, y, z = (a[inside(x, y, z)] for a in (x, y, z))
    cell = np.prod(2 * np.array(half) / n)
    return len(x) * cell, cell * np.array(
        [(y * y + z * z).sum(), (x * x + z * z).sum(), (x * x + y * y).sum()]
    )


@pytest.mark.parametrize("shape", PRIMITIVES, ids=lambda s: s.type)
def test_mass_and_inertia_are_the_integrals_over_the_volume(shape):
    inside = {
        "box": lambda x, y, z: np.full(x.shape, True),
        "sphere": lambda x, y, z: x * x + y * y + z * z < 0.16,
        "cylinder": lambda x, y, z: x * x + y * y < 0.04,
        "capsule": lambda x, y, z: x * x + y * y + np.maximum(np.abs(z) - 0.45, 0) ** 2 < 0.04,
        "cone": lambda x, y, z: np.hypot(x, y) < 0.2 + (0.05 - 0.2) * (z + 0.3) / 0.6,
        "ellipsoid": lambda x, y, z: (x / 0.3) ** 2 + (y / 0.2) ** 2 + (z / 0.4) ** 2 < 1.0,
    }[shape.type]
    half = {
        "box": (0.15, 0.25, 0.35),
        "sphere": 3 * (0.4,),
        "cylinder": (0.2, 0.2, 0.45),
        "capsule": (0.2, 0.2, 0.65),
        "cone": (0.2, 0.2, 0.3),
        "ellipsoid": (0.3, 0.2, 0.4),
    }
    volume, moments = integrated(inside, half[shape.type])
    mass, center, inertia = shape.mass_properties(1.0)
    assert mass == pytest.approx(volume, rel=3e-3)  # the midpoints' error at curved faces
    moments = moments - volume * center[2] ** 2 * np.array([1, 1, 0])
    assert np.diag(inertia) == pytest.approx(moments, rel=3e-3)
    lower = 0.6 * (0.04 + 2 * 0.01 + 3 * 0.0025) / (4 * (0.04 + 0.01 + 0.0025))  # of a cone over its base
    assert center == pytest.approx([0, 0, lower - 0.3 if shape.type == "cone" else 0.0])


def test_closed_forms_of_the_primitives():
    box = Box(size=[1, 2, 3]).mass_properties(5.0)
    assert box.mass == 30.0
    assert np.diag(box.inertia) == pytest.approx([30 * (4 + 9) / 12, 30 * (1 + 9) / 12, 30 * (1 + 4) / 12])
    ball = Sphere(radius=2).mass_properties(1.0)
    assert np.diag(ball.inertia) == pytest.approx(3 * [0.4 * ball.mass * 4])
    rod = Cylinder(radius=1, length=4).mass_properties(1.0)
    assert np.diag(rod.inertia) == pytest.approx([rod.mass * (1 / 4 + 16 / 12)] * 2 + [rod.mass / 2])


def test_a_short_capsule_is_a_sphere():
    capsule, sphere = Capsule(radius=0.3, length=1e-12), Sphere(radius=0.3)
    assert capsule.mass_properties(1.0).mass == pytest.approx(sphere.mass_properties(1.0).mass)
    assert capsule.mass_properties(1.0).inertia == pytest.approx(sphere.mass_properties(1.0).inertia)


@pytest.mark.parametrize("shape", PRIMITIVES, ids=lambda s: s.type)
def test_triangles_close_the_surface_and_point_outward(shape):
    points, triangles = shape.mesh()
    mesh = trimesh.Trimesh(points, triangles, process=False)
    assert mesh.is_watertight and mesh.is_winding_consistent
    volume = shape.mass_properties(1.0).mass
    exact = shape.type == "box"
    # inscribed: never larger; 320 triangles or 32 sides lose a few per cent
    assert mesh.volume == pytest.approx(volume, rel=1e-12 if exact else 0.06)
    assert mesh.volume <= volume * (1 + 1e-12)


@pytest.mark.parametrize(
    "shape, same",
    [
        (Box(size=[0.3, 0.2, 0.7]), creation.box([0.3, 0.2, 0.7])),
        (Sphere(radius=0.37), creation.icosphere(subdivisions=2, radius=0.37)),
        (Cylinder(radius=0.23, length=0.71), creation.cylinder(0.23, 0.71, sections=32)),
        (Capsule(radius=0.23, length=0.71), creation.capsule(0.71, 0.23, count=(32, 16))),
    ],
    ids=lambda s: getattr(s, "type", ""),
)
def test_triangles_are_those_of_trimesh(shape, same):
    points, triangles = shape.surface()
    assert points == pytest.approx(np.array(same.vertices), rel=1e-12, abs=1e-15)
    assert np.array_equal(triangles, same.faces)


@pytest.mark.parametrize(
    "shape",
    [Cylinder(radius=1e-6, length=1e-6), Capsule(radius=1e-6, length=1e-6), Cone(radius=1e-6, length=1e-6)],
    ids=lambda s: s.type,
)
def test_the_surface_of_a_tiny_shape_is_closed(shape):
    assert trimesh.Trimesh(*shape.surface(), process=False).is_watertight


@pytest.mark.parametrize("shape, count", [(PRIMITIVES[0], 12), (PRIMITIVES[1], 320)])
def test_the_number_of_triangles_is_moderate(shape, count):
    assert len(shape.mesh()[1]) == count


def test_a_shape_is_where_it_is_placed_in_the_body():
    placed = Box(size=[1, 2, 3], position=[5, 6, 7], orientation={"axis": [1, 2, 3], "angle": 0.8})
    mass, center, inertia = placed.mass_properties(2.0)
    points, triangles = placed.mesh()
    mesh = trimesh.Trimesh(points, triangles, process=False)
    mesh.density = 2.0
    assert center == pytest.approx(mesh.center_mass)
    assert mass == pytest.approx(mesh.mass)
    assert inertia == pytest.approx(mesh.moment_inertia, abs=1e-10)


def test_two_half_boxes_weigh_as_the_whole():
    whole = Body(name="a", density=700, shape=[Box(size=[2, 1, 1])]).mass_properties()
    halves = [Box(size=[1, 1, 1], position=[x, 0, 0]) for x in (-0.5, 0.5)]
    parts = Body(name="a", density=700, shape=halves).mass_properties()
    assert parts.mass == pytest.approx(whole.mass)
    assert parts.inertia == pytest.approx(whole.inertia)


def test_steiner_moves_the_inertia_of_a_dumbbell():
    balls = [Sphere(radius=0.1, position=[0, 0, z], density=1000) for z in (-1, 3)]
    mass, center, inertia = Body(name="a", shape=balls).mass_properties()
    one = 1000 * 4 / 3 * np.pi * 0.001
    assert mass == pytest.approx(2 * one)
    assert center == pytest.approx([0, 0, 1])
    assert np.diag(inertia) == pytest.approx([2 * one * (0.4 * 0.01 + 4)] * 2 + [2 * one * 0.4 * 0.01])


def test_a_shape_of_density_zero_weighs_nothing():
    shapes = [Box(size=[1, 1, 1]), Sphere(radius=9, density=0)]
    assert Body(name="a", density=3, shape=shapes).mass_properties().mass == pytest.approx(3.0)


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply"])
def test_a_mesh_file_weighs_as_the_shape_it_shows(tmp_path, suffix):
    trimesh.creation.box(extents=[100, 200, 300]).export(tmp_path / f"part.{suffix}")
    system = System.from_text(scene_with(f"part.{suffix}"), folder=tmp_path)
    mass, center, inertia = system.bodies[0].mass_properties()
    expected = Box(size=[0.1, 0.2, 0.3], position=[1, 0, 0]).mass_properties(1000.0)
    assert mass == pytest.approx(expected.mass, rel=1e-6)
    assert center == pytest.approx([1, 0, 0], abs=1e-7)
    assert inertia == pytest.approx(expected.inertia, abs=1e-7)
    points, triangles = system.bodies[0].shapes[0].mesh()
    assert points.max(axis=0) == pytest.approx([1.05, 0.1, 0.15]) and triangles.shape == (12, 3)


def test_a_mesh_turned_inside_out_has_a_positive_mass(tmp_path):
    box = trimesh.creation.box(extents=[100, 100, 100])
    box.invert()
    box.export(tmp_path / "part.ply")
    assert System.from_text(scene_with("part.ply"), folder=tmp_path).bodies[0].mass_properties().mass > 0.0


def test_the_hull_of_the_corners_of_a_box_is_the_box():
    """Points inside, in a face and twice the same change nothing."""
    box = Box(size=[0.3, 0.5, 0.7])
    more = np.array([[0.0, 0.0, 0.0], [0.15, 0.1, 0.2], [0.15, 0.25, 0.35]])
    hull = Convex(points=np.vstack([box.surface()[0], more]))
    for own, same in zip(hull.mass_properties(2.0), box.mass_properties(2.0)):
        assert own == pytest.approx(same, abs=1e-15)
    mesh = trimesh.Trimesh(*hull.mesh(), process=False)
    assert mesh.is_watertight and mesh.volume == pytest.approx(0.3 * 0.5 * 0.7) and len(mesh.vertices) == 8


@pytest.mark.parametrize(
    ("points", "key"),
    [
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], ""),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1e-9]], ""),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1]], "[3]"),
        ([[0, 0, 0], [1, 0, 0], [0, "a", 0], [1, 1, 1]], "[2][1]"),
    ],
)
def test_points_without_a_volume_are_refused(points, key):
    scene = "\n" + body("part", density=1000, shape=[{"type": "convex", "points": points}])
    with refused(f"body[0].shape[0].points{key}"):
        System.from_text(scene)


def test_a_convex_shape_is_drawn_as_its_hull():
    """A box given by its corners has the box's mesh in the arrays of a result."""
    box = Box(size=[0.3, 0.5, 0.7])
    shape = {"type": "convex", "points": box.surface()[0].tolist()}
    arrays = shape_arrays(System.from_text("\n" + body("part", density=1000, shape=[shape, shape])))
    np.testing.assert_array_equal(arrays["shapes/mesh"], [0, 0])
    mesh = trimesh.Trimesh(arrays["meshes/points"], arrays["meshes/triangles"], process=False)
    assert mesh.volume == pytest.approx(0.3 * 0.5 * 0.7)


def scene_with(file):
    mesh = {"type": "mesh", "file": file, "scale": 1e-3, "position": [1, 0, 0]}
    return "\n" + body("part", density=1000, shape=[mesh])


@pytest.mark.parametrize("file", ["part.stl", "../part.stl", "/etc/part.stl", "part.step"])
def test_a_mesh_file_that_cannot_be_read_is_named(tmp_path, file):
    with refused("body[0].shape[0].file", file, file="scene.toml", line=5):
        System.from_text(scene_with(file), folder=tmp_path)


def test_a_link_does_not_lead_out_of_the_folder(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    trimesh.creation.box().export(tmp_path / "part.stl")
    (inside / "part.stl").symlink_to(tmp_path / "part.stl")
    with refused("body[0].shape[0].file", "part.stl"):
        System.from_text(scene_with("part.stl"), folder=inside)


def test_an_open_mesh_has_no_mass_but_can_be_shown(tmp_path):
    box = trimesh.creation.box()
    box.update_faces(np.arange(11))
    box.export(tmp_path / "part.ply")
    part = System.from_text(scene_with("part.ply"), folder=tmp_path).bodies[0]
    with refused("body[0].shape[0].file", "part.ply"):
        part.mass_properties()
    assert len(part.shapes[0].mesh()[1]) == 11


@pytest.mark.parametrize("content", [b"", b"solid\nnonsense", b"\x00" * 200])
def test_a_broken_mesh_file_is_named(tmp_path, content):
    (tmp_path / "part.stl").write_bytes(content)
    part = System.from_text(scene_with("part.stl"), folder=tmp_path).bodies[0]
    with refused("body[0].shape[0].file", "part.stl"):
        part.mass_properties()


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: Box(size=[1, 0, 1]), "Box.size[1]"),
        (lambda: Box(size=[1, 1]), "Box.size"),
        (lambda: Sphere(radius=-1), "Sphere.radius"),
        (lambda: Sphere(), "Sphere.radius"),
        (lambda: Sphere(radius=1, colour="red"), "Sphere.colour"),
        (lambda: Sphere(radius=1, color="teal"), "Sphere.color"),
        (lambda: Sphere(radius=1, color=[2, 0, 0]), "Sphere.color"),
        (lambda: Mesh(file="a.stl", scale=0), "Mesh.scale"),
        (lambda: Body(name="b", density=1, shape=[{"type": "egg"}]).mass_properties(), "shape.type"),
        (lambda: Body(name="b", shape=[{"size": [1, 1, 1]}]), "Body.shape[0].type"),
    ],
)
def test_an_impossible_shape_is_refused(make, key):
    with refused(key):
        make()


@pytest.mark.parametrize("type", ["bx", "capsul", "torus"])
def test_a_type_that_neither_the_engine_nor_a_plugin_knows_is_refused(runs, type):
    text = body("a", mass=1, inertia=[1, 1, 1], shape=[{"type": type, "size": [1, 1, 1]}]) + solver(end=1)
    for refuse in (runs.prepare, lambda text: compile_system(System.from_text(text), runs.registry)):
        line = 1 + next(k for k, x in enumerate(text.splitlines()) if "type" in x)
        with refused("body[0].shape[0].type", type, line=line):
            refuse(text)


def test_colors_have_names_and_hex():
    assert Sphere(radius=1, color="#ff0080").color == pytest.approx((1.0, 0.0, 128 / 255))
    assert Sphere(radius=1, color=[0.1, 0.2, 0.3]).color == (0.1, 0.2, 0.3)


def test_rotation_of_a_shape_is_a_quaternion():
    shape = Box(size=[1, 1, 1], orientation={"axis": [0, 0, 1], "angle_deg": 90})
    assert matrix(tuple(shape.rotation())) @ [1, 0, 0] == pytest.approx([0, 1, 0])
