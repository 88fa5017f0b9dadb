"""Shapes of imported robots that collide: which, with which others, and with what friction."""

import sys
import tomllib
from itertools import combinations

import numpy as np
import pytest
import trimesh
from mbplugin_import.meshes import ply
from mbplugin_import.solids import MAX_CORNERS, hollow, hull
from refusals import has, refused

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.compile.collisions import collisions
from mbplugin.errors import MissingLibraryError
from mbplugin.imports.one_scene import import_scene
from mbplugin.model.toml import document

INERTIAL = """<inertial><mass value="1"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>"""
BOX = '<{}><origin xyz="0 0 {}"/><geometry><box size="0.2 0.2 0.2"/></geometry></{}>'
BALL = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
CYLINDER = '<collision><geometry><cylinder radius="0.1" length="0.3"/></geometry></collision>'
HINGE = """<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/>
  <axis xyz="0 1 0"/></joint>"""


def box(tag, z=0.0):
    return BOX.format(tag, z, tag)


def imported(tmp_path, text, suffix="urdf", **keys):
    file = tmp_path / f"robot.{suffix}"
    file.write_text(text)
    import_scene(file, tmp_path / "scene", plugins()[0], keys)
    return mb.System.from_file(tmp_path / "scene")


def robot(base, arm, hinge=HINGE):
    links = f'<link name="base">{base}</link><link name="arm">{INERTIAL}{arm}</link>'
    return f'<robot name="r">{links}{hinge}</robot>'


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        (box("visual"), [("box", True, None)]),
        (box("visual") + box("collision"), [("box", True, True)]),
        (box("visual") + box("collision", 0.1), [("box", True, None), ("box", False, True)]),
        (box("visual") + CYLINDER, [("box", True, None), ("cylinder", False, True)]),
        (BALL, [("sphere", True, True)]),
        ("<collision/>", []),
    ],
)
def test_a_shape_of_a_link_is_seen_or_collides_or_both(shapes, expected, tmp_path):
    (body,) = imported(tmp_path, robot("", shapes)).bodies
    assert [(shape.type, shape.visible, shape.collide) for shape in body.shapes] == expected


def test_pictures_show_what_is_visible(tmp_path):
    shapes = box("visual") + box("collision", 0.1)
    system = imported(tmp_path, robot(BALL, shapes))
    result = system.run(files=False)
    assert list(result.drawn.body) == [0, -1]
    assert len(result.raw.static()["shapes/body"]) == 3


def test_shapes_that_collide_can_be_left_out(tmp_path):
    system = imported(tmp_path, robot("", box("visual") + box("collision")), collision="false")
    assert [shape.collide for shape in system.bodies[0].shapes] == [None]
    assert system.scene.contacts and not system.materials and not system.scene.left_out


def test_contacts_act_once_the_scene_says_so(tmp_path):
    system = imported(tmp_path, robot(box("collision"), box("collision")))
    assert not system.scene.contacts
    assert system.solver_type == "rk"
    assert "contacts, unless scene.contacts = true" in system.scene.left_out
    system.simulate()
    system.check()
    system = mb.System.from_file(tmp_path / "scene", set={"scene.contacts": True})
    assert system.solver_type == "contact"
    with refused("body[0].shape[0].collide") as error:
        system.analyze("position")
    assert has(error.value.mend, "scene.contacts = false")


def test_a_robot_of_urdf_collides_with_others_but_not_with_itself(tmp_path):
    """It falls onto a floor and stays there, though its own parts overlap."""
    parts = robot(INERTIAL + box("collision"), box("collision", 0.1))
    imported(tmp_path, parts, floating="true")
    lifted = {"scene.contacts": True, "body.base.position": [0, 0, 0.15], "solver.step": 0.005}
    system = mb.System.from_file(tmp_path / "scene", set=lifted)
    tables = system.tables()
    tables["material"].append({"name": "floor", "friction": 0.5})
    tables["scene"]["shape"] = [{"type": "plane", "collide": True, "material": "floor"}]
    tables["body"][1]["position"] = [0, 0, 0.15]
    result = mb.System(**tables).run(files=False)
    assert result["base"].position[-1] == pytest.approx([0, 0, 0.1], abs=1e-3)
    assert np.linalg.norm(result["base"].velocity[-1]) < 1e-3


MASKS = """
<mujoco>
  <worldbody>
    <geom name="floor" type="sphere" size="1" contype="2" conaffinity="1" friction="0.3"/>
    <body name="a"><freejoint/><geom name="ga" size="1" friction="0.5"/>
      <body name="b"><joint axis="0 1 0"/><geom name="gb" size="1" contype="2" conaffinity="2"/>
        <body name="c"><geom name="gc" size="1" priority="1" friction="0.2"/>
          <body name="d"><joint axis="1 0 0"/><joint axis="0 1 0"/><geom name="gd" size="1" condim="1"/>
          </body></body></body></body>
    <body name="e"><freejoint/>
      <geom name="ge" size="1" group="4" contype="1" conaffinity="0" friction="2"/></body>
    <body name="f"><freejoint/><geom name="gf" size="1" friction="0.7"/></body>
    <body name="g"><joint axis="0 1 0"/><geom name="gg" size="1" contype="0" conaffinity="0"/>
      <geom name="gh" size="1" friction="0.9" condim="1"/></body>
  </worldbody>
  <contact><exclude body1="a" body2="f"/></contact>
</mujoco>
"""


def test_geoms_collide_with_those_that_mujoco_has_collide_and_with_its_friction(tmp_path):
    """All geoms are one sphere in one place, so that mujoco makes every contact that it allows."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(MASKS)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    wanted = {
        tuple(sorted(contact.geom.tolist())): contact.friction[0] if contact.dim > 1 else 0.0
        for contact in data.contact
    }
    imported(tmp_path, MASKS, "xml", massless="1e-3")
    names = mb.System.from_file(tmp_path / "scene").compile().names
    system = mb.System.from_file(tmp_path / "scene", set={"scene.contacts": True})
    found = collisions(system, names)
    # in the order of the table of shapes: a body has those of its links, and the ground's come last
    bodies = {"a": ["ga"], "b": ["gb", "gc"], "d": ["gd"], "e": ["ge"], "f": ["gf"], "g": ["gg", "gh"]}
    geoms = [name for body in system.bodies for name in bodies.get(body.name, ())] + ["floor"]
    owner = [k for k, body in enumerate(system.bodies) for _ in bodies.get(body.name, ())] + [-1]
    joined = set(map(tuple, found.joined.tolist()))
    seen = {}
    for i, k in combinations(range(len(geoms)), 2):
        one, other = found.surface[i], found.surface[k]
        if min(one, other) < 0 or found.pass_through[one, other] or owner[i] == owner[k]:
            continue
        if tuple(sorted((owner[i], owner[k]))) not in joined:
            pair = tuple(sorted(model.geom(geoms[n]).id for n in (i, k)))
            seen[pair] = found.friction[one, other]
    assert seen == pytest.approx(wanted)
    assert len(wanted) > 8


def test_a_wheel_rolls_on_as_the_cylinder_that_it_is(tmp_path):
    turned = CYLINDER.replace("<geometry>", '<origin rpy="1.5707963267948966 0 0"/><geometry>')
    wheel = f'<robot name="w"><link name="wheel">{INERTIAL}{turned}</link></robot>'
    system = imported(tmp_path, wheel)
    table = tomllib.loads(system.to_toml())
    table["scene"] |= {
        "contacts": True, "collide": True, "material": "robot surface",
        "shape": [{"type": "plane", "position": [0, 0, -0.1]}],
    }  # fmt: skip
    # a robot stands on the ground, and does not touch itself
    table["contact"], table["joint"] = [], []
    (body,) = table["body"]
    body |= {"velocity": [1, 0, 0], "angular_velocity": [0, 10, 0]}
    table["solver"] = {"type": "contact", "step": 1e-3, "end": 2.0}
    result = mb.System.model_validate(table).run(files=False)
    assert np.abs(result["wheel"].velocity[-1] - [1, 0, 0]).max() < 1e-6
    assert result["wheel"].position[-1] == pytest.approx([2.0, 0.0, 0.0], abs=1e-6)


def test_a_hull_keeps_what_is_outermost():
    cloud = np.random.default_rng(0).normal(size=(2000, 3))
    ball = cloud / np.linalg.norm(cloud, axis=1)[:, None]
    table, depth = hull(np.vstack([ball, 0.5 * ball]))
    corners = np.array(table["points"])
    assert len(corners) <= MAX_CORNERS
    assert np.linalg.norm(corners, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert 0.0 < depth < 0.03
    square = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    assert hull(np.array(square, float)) == (None, 0.0)
    cube = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float)
    assert len(hull(cube)[0]["points"]) == 8


def ring(inner):
    """A closed mesh: a square plate of 2 x 2 x 1 with a square hole of the edge 2 `inner`."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
    points = np.array([[*(r * corner), z] for z in (0, 1) for r in (1.0, inner) for corner in square])
    outer, hole, above = np.arange(4), np.arange(4, 8), 8
    quads = []
    for k in range(4):
        n = (k + 1) % 4
        quads.append([outer[k], outer[n], outer[n] + above, outer[k] + above])
        quads.append([hole[n], hole[k], hole[k] + above, hole[n] + above])
        quads.append([outer[n], outer[k], hole[k], hole[n]])
        quads.append([outer[k] + above, outer[n] + above, hole[n] + above, hole[k] + above])
    return points, np.array([[q[0], *q[i : i + 2]] for q in quads for i in (1, 2)])


@pytest.mark.parametrize("inner", [0.2, 0.5, 0.9])
def test_what_a_hull_fills_is_the_hole_of_a_ring(inner):
    points, triangles = ring(inner)
    assert hollow(points, triangles) == pytest.approx(inner**2, rel=1e-12)
    assert hollow(points, triangles[:, ::-1]) == pytest.approx(inner**2, rel=1e-12)
    # as in an STL file, where each triangle has its own corners
    assert hollow(points[triangles.ravel()], np.arange(triangles.size).reshape(-1, 3)) == pytest.approx(
        inner**2
    )
    # an open surface encloses nothing
    assert hollow(points, triangles[1:]) == 0.0


RING = '<collision><geometry><mesh filename="ring.ply"/></geometry></collision>'


def with_ring(inner, folder, text=None, suffix="urdf", **keys):
    """A scene with a ring that collides."""
    (folder / "ring.ply").write_bytes(ply(*ring(inner)))
    return imported(folder, text or robot("", RING), suffix, **keys)


@pytest.mark.parametrize(
    ("inner", "concave", "type", "words"),
    [
        (0.2, "mesh", "convex", ()),
        (0.5, "mesh", "mesh", ("the convex hull of 1 mesh", "ring.ply", "25%", "triangles")),
        (0.5, "hull", "convex", ("hollows and holes of 1 mesh", "ring.ply", "25%", "concave=parts")),
    ],
)
def test_a_mesh_with_a_hole_keeps_it_and_the_report_says_how(inner, concave, type, words, tmp_path):
    system = with_ring(inner, tmp_path, concave=concave)
    (shape,) = system.bodies[0].shapes
    assert (shape.type, shape.collide) == (type, True)
    told = [line for line in system.scene.left_out if "ring.ply" in line]
    assert len(told) == bool(words) and all(has(line, *words) for line in told)


def test_a_mesh_that_is_seen_and_collides_is_one_shape(tmp_path):
    both = RING + RING.replace("collision", "visual")
    (shape,) = with_ring(0.5, tmp_path, robot("", both)).bodies[0].shapes
    assert (shape.type, shape.visible, shape.collide) == ("mesh", True, True)


def test_an_imported_ring_lets_a_peg_through(tmp_path):
    """It lies on a floor; the peg falls through its hole onto the floor, as it would not through a hull."""
    tables = with_ring(0.5, tmp_path, robot(INERTIAL, RING), floating="true").tables()
    tables["scene"] |= {
        "contacts": True, "collide": True, "material": "wood",
        "shape": [{"type": "plane", "position": [0, 0, 0]}],
    }  # fmt: skip
    peg = {"type": "box", "size": [0.8, 0.8, 2.0]}
    tables["material"] += [{"name": "wood", "friction": 0.3}]
    tables["body"] += [
        {
            "name": "peg",
            "position": [0, 0, 2.5],
            "density": 100,
            "collide": True,
            "material": "wood",
            "shape": [peg],
        }
    ]
    tables["solver"] = {"type": "contact", "step": 2e-3, "end": 0.8}
    (tmp_path / "scene" / "scene.toml").write_text(document(tables))
    result = mb.System.from_file(tmp_path / "scene").run(files=False)
    assert result["peg"].position[-1] == pytest.approx([0, 0, 1.0], abs=1e-6)
    assert result["arm"].position[-1, 2] == pytest.approx(0.0, abs=1e-6)


def test_parts_are_made_at_the_import(tmp_path, monkeypatch):
    monkeypatch.setattr("mbplugin.model.parts.decomposed", lambda surface, concavity: [surface[0]])
    system = with_ring(0.5, tmp_path, concave="parts")
    (shape,) = system.bodies[0].shapes
    assert shape.collision == "parts"
    assert (tmp_path / "scene" / "meshes" / "ring.ply.parts_0.05.obj").is_file()
    assert any(has(line, "ring.ply", "convex parts") for line in system.scene.left_out)


def test_an_import_with_parts_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(MissingLibraryError, match=r"mbplugin\[parts\]"):
        with_ring(0.5, tmp_path, concave="parts")
    assert not (tmp_path / "scene").exists()


RINGS = """<mujoco><asset><mesh name="ring" file="ring.stl"/></asset><worldbody>
  <geom type="mesh" mesh="ring"/>
  <body name="a"><freejoint/><geom name="ga" type="mesh" mesh="ring"/></body>
  <body name="b"><freejoint/><geom name="gb" type="mesh" mesh="ring"/></body></worldbody></mujoco>"""


def test_meshes_of_mujoco_keep_their_hollows_though_they_may_meet(tmp_path):
    pytest.importorskip("mujoco")
    trimesh.Trimesh(*ring(0.5), process=False).export(tmp_path / "ring.stl")
    system = imported(tmp_path, RINGS, "xml")
    solids = [s for owner in (system.scene, *system.bodies) for s in owner.shapes if s.collide]
    assert [s.type for s in solids] == ["mesh", "mesh", "mesh"]
    mb.System.from_file(tmp_path / "scene", set={"scene.contacts": True}).compile()
