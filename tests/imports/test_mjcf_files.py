"""Files of MuJoCo: what they include and name, where mujoco looks for it, and numbers that are none."""

import shutil
from pathlib import Path

import pytest
from refusals import has, refused
from snapshots import same_message

from mbplugin.api import plugins
from mbplugin.errors import SceneError
from mbplugin.imports.one_scene import import_scene

mujoco = pytest.importorskip("mujoco")

CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
#: volume of the tetrahedron [m3] times a density
MASS = 600.0 / 6.0
INERTIAL = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>'
BODY = '<body name="b"><freejoint/>{}<geom type="mesh" mesh="m" density="600"/></body>'


def imported(folder, text, **keys):
    (folder / "robot.xml").write_text(text)
    shutil.rmtree(folder / "scene", ignore_errors=True)
    return import_scene(folder / "robot.xml", folder / "scene", plugins()[0], keys)


def tetrahedron(file: Path) -> None:
    """Write it as the STL file that mujoco reads."""
    import numpy as np
    import trimesh

    file.parent.mkdir(parents=True, exist_ok=True)
    trimesh.Trimesh(np.array(CORNERS, float), np.array(FACES)).export(file)


@pytest.mark.parametrize(
    ("place", "settings", "mesh"),
    [
        ("m.stl", "", "m.stl"),
        ("deep/m.stl", 'meshdir="deep"', "m.stl"),
        ("deep/m.stl", 'assetdir="deep"', "m.stl"),
        ("deep/in/m.stl", 'assetdir="deep" texturedir="none"', "in/m.stl"),
        ("flat/m.stl", 'meshdir="flat" strippath="true"', "../some/where/m.stl"),
        ("m.stl", 'meshdir="none/.."', "m.stl"),
        ("m.stl", 'meshdir="none"', "{folder}/m.stl"),
    ],
)
def test_meshes_are_found_where_mujoco_looks_for_them(place, settings, mesh, tmp_path):
    tetrahedron(tmp_path / place)
    (tmp_path / "none").mkdir()
    asset = f'<asset><mesh name="m" file="{mesh.format(folder=tmp_path)}"/></asset>'
    start = f"<mujoco><compiler {settings}/>{asset}"
    body = imported(tmp_path, f"{start}<worldbody>{BODY.format('')}</worldbody></mujoco>").body("b")
    assert body.mass == pytest.approx(MASS, rel=1e-6)
    (shape,) = [shape for shape in body.shapes if shape.visible]
    assert shape.mass_properties(600.0).mass == pytest.approx(MASS, rel=1e-6)


def test_meshes_of_included_and_attached_files_are_found(tmp_path):
    tetrahedron(tmp_path / "deep" / "m.stl")
    asset = '<compiler meshdir="{}"/><asset><mesh name="m" file="m.stl"/></asset>'
    (tmp_path / "asset.xml").write_text(f"<mujoco>{asset.format('deep')}</mujoco>")
    text = f'<mujoco><include file="asset.xml"/><worldbody>{BODY.format("")}</worldbody></mujoco>'
    assert imported(tmp_path, text).body("b").mass == pytest.approx(MASS, rel=1e-6)
    part = f"<mujoco>{asset.format('deep')}<worldbody>{BODY.format('')}</worldbody></mujoco>"
    (tmp_path / "part.xml").write_text(part)
    text = (
        '<mujoco><asset><model name="part" file="part.xml"/></asset>'
        '<worldbody><attach model="part" body="b" prefix="my_"/></worldbody></mujoco>'
    )
    assert imported(tmp_path, text).body("my_b").mass == pytest.approx(MASS, rel=1e-6)


def test_looks_whose_files_are_missing_are_listed(tmp_path):
    tetrahedron(tmp_path / "here.stl")
    text = f"""
        <mujoco><compiler strippath="true"/>
          <asset><mesh name="m" file="a/gone.stl"/><mesh name="n" file="b/gone.stl"/><mesh file="here.stl"/>
            <mesh file="away.obj"/><texture name="t" type="2d" file="gone.png"/>
            <texture name="sky" type="skybox" fileup="u.png" filedown="d.png" fileleft="l.png"
              fileright="r.png" filefront="f.png" fileback="b.png"/>
            <material name="paint" texture="t" rgba="1 0 0 1"/>
            <hfield name="hills" file="hills.png" size="1 1 1 1"/></asset>
          <worldbody><geom type="hfield" hfield="hills"/>
            <body name="b"><freejoint/>{INERTIAL}<geom type="mesh" mesh="m"/><geom type="mesh" mesh="n"/>
              <geom type="mesh" mesh="here" material="paint"/><geom type="mesh" mesh="away"/></body>
          </worldbody>
        </mujoco>"""
    system = imported(tmp_path, text)
    why = "there is no such file"
    for what in ("3 meshes (m, n, away)", "2 textures (t, sky)", "1 height field (hills)"):
        assert f"{what}: {why}" in system.scene.left_out
    assert system.body("b").mass == 2.0
    (shape,) = [shape for shape in system.body("b").shapes if shape.visible]
    assert list(shape.color) == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("settings", "inside", "geom", "ends"),
    [
        ("", "", "", True),
        ("", INERTIAL, "", False),
        ('inertiafromgeom="true"', INERTIAL, "", True),
        ("", '<geom size="1"/>', 'mass="0"', False),
        ("", '<geom size="1"/>', 'density="0"', False),
        ('inertiagrouprange="3 4"', '<geom size="1" group="3"/>', 'group="2"', False),
    ],
)
def test_a_missing_mesh_ends_the_import_where_a_mass_depends_on_it(settings, inside, geom, ends, tmp_path):
    text = (
        f'<mujoco><compiler {settings}/><asset><mesh name="m" file="gone.stl"/></asset><worldbody>'
        f'<body name="b"><freejoint/>{inside}<geom type="mesh" mesh="m" {geom}/></body></worldbody></mujoco>'
    )
    if not ends:
        (left_out,) = [line for line in imported(tmp_path, text).scene.left_out if has(line, "1 mesh (m)")]
        same_message(left_out)
        return
    with refused('body "b"'):
        imported(tmp_path, text)


def with_number(element: str, attribute: str, value: str) -> str:
    """A model in which one attribute of one element has another value."""
    from xml.etree import ElementTree

    root = ElementTree.fromstring("""
        <mujoco><option gravity="0 0 -9.81"/><default><joint damping="0.1"/></default>
        <asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
        <material name="paint" rgba="1 1 1 1"/></asset>
        <worldbody>
        <body name="b" pos="0 0 1" quat="1 0 0 0"><joint name="Infinity" axis="0 1 0" pos="0 0 0"/>
        <inertial pos="0 0 0" mass="2" diaginertia="1 1 1" quat="1 0 0 0"/>
        <geom size="0.1" friction="1 1 1"/><geom type="mesh" mesh="m"/><site name="s" pos="0 0 0"/></body>
        </worldbody>
        <tendon><fixed name="t"><joint joint="Infinity" coef="1"/></fixed></tendon>
        <equality><connect body1="b" anchor="0 0 0" active="false"/></equality>
        <actuator><position name="p" joint="Infinity" kp="3" gear="2"/></actuator>
        <keyframe><key qpos="0" qvel="0" ctrl="0"/></keyframe></mujoco>""")
    if element:
        next(root.iter(element)).set(attribute, value)
    return ElementTree.tostring(root, encoding="unicode")


@pytest.mark.parametrize(
    ("element", "attribute", "value"),
    [
        ("inertial", "quat", "0 nan 0 1"),
        ("inertial", "pos", "0 inf 0"),
        ("inertial", "mass", "NaN"),
        ("inertial", "diaginertia", "1 -inf 1"),
        ("joint", "damping", "nan"),
        ("body", "pos", "nan 0 0"),
        ("geom", "size", "inf"),
        ("geom", "friction", "nan 1 1"),
        ("site", "pos", "0 0 -Infinity"),
        ("mesh", "vertex", "nan 0 0 1 0 0 0 1 0 0 0 1"),
        ("material", "rgba", "1 nan 1 1"),
        ("option", "gravity", "0 0 nan"),
        ("connect", "anchor", "0 nan 0"),
        ("position", "kp", "nan"),
        ("position", "gear", "inf"),
        ("key", "qpos", "nan"),
        ("key", "qvel", "inf"),
    ],
)
def test_numbers_that_are_not_finite_are_refused_by_element_and_key(element, attribute, value, tmp_path):
    with pytest.raises(SceneError) as error:
        imported(tmp_path, with_number(element, attribute, value))
    assert error.value.key == f"<{element} {attribute}>"
    assert error.value.value == value
    assert error.value.line
    assert Path(error.value.file) == tmp_path / "robot.xml"
    assert not (tmp_path / "scene").exists()


def test_a_name_may_look_like_a_number(tmp_path):
    system = imported(tmp_path, with_number("", "", ""))
    assert [joint.name for joint in system.joints] == ["Infinity"]
    assert system.scene.name == "robot"


def test_numbers_of_included_files_are_refused_in_their_file(tmp_path):
    (tmp_path / "part.xml").write_text('<mujoco>\n<!-- nan="nan" --><option\n gravity="0 0 nan"/></mujoco>')
    text = f'<mujoco><include file="part.xml"/><worldbody>{BODY.format(INERTIAL)}</worldbody></mujoco>'
    with pytest.raises(SceneError) as error:
        imported(tmp_path, text)
    assert (Path(error.value.file), error.value.line) == (tmp_path / "part.xml", 3)


@pytest.mark.parametrize(
    ("inside", "more", "key"),
    [
        ('<freejoint/><geom size="1e150"/>', "", "body_mass"),
        ('<joint stiffness="1e300"/><geom size="1"/>', "", "jnt_stiffness"),
        ('<joint pos="1e200 0 0"/><geom size="1"/>', "", "jnt_pos"),
        ('<joint name="j"/><geom size="1"/>', '<motor joint="j" gear="1e300"/>', "actuator_gear"),
        ('<joint name="j"/><geom size="1"/>', '<position joint="j" kp="1e60"/>', "actuator_gainprm"),
        ('<joint name="j" stiffness="-5"/><geom size="1"/>', "", 'joint "j": stiffness'),
        ('<joint name="j" damping="-5"/><geom size="1"/>', "", 'joint "j": damping'),
        ('<joint name="j" armature="-5"/><geom size="1"/>', "", 'joint "j": armature'),
    ],
)
def test_numbers_that_no_scene_has_are_refused_by_name(inside, more, key, tmp_path):
    text = f"<mujoco><worldbody><body>{inside}</body></worldbody><actuator>{more}</actuator></mujoco>"
    with pytest.raises(SceneError) as error:
        imported(tmp_path, text)
    assert error.value.key == key
    assert not (tmp_path / "scene").exists()


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ('<joint name="j" axis="1e300 1 0"/><geom size="1"/>', 'joint "j"'),
        ('<joint name="j" pos="0 1e30 0"/><geom size="1"/>', 'joint "j"'),
        (
            '<joint/><geom size="1"/><body pos="0 1e30 0"><joint name="k"/><geom size="1"/></body>',
            'joint "k"',
        ),
    ],
)
def test_what_is_out_of_reach_is_refused_by_name(body, key, tmp_path):
    with pytest.raises(SceneError) as error:
        imported(tmp_path, f'<mujoco><worldbody><body name="b">{body}</body></worldbody></mujoco>')
    assert (error.value.key, error.value.file) == (key, str(tmp_path / "robot.xml"))
