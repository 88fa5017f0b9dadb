"""Chains of joints with nothing between, as one joint: against mujoco, which has them as they are written."""

import numpy as np
import pytest
from refusals import has
from robot_references import differences, of_mujoco

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.errors import SceneError
from mbplugin.imports.one_scene import import_scene

BOX = '<geom size="0.1 0.2 0.3" type="box" pos="0.2 0.1 0"/>'
BODY = f'<body name="b" pos="0.1 0.2 0.3" euler="20 30 40">{{}}{BOX}</body>'
REST = 'damping="0.3" armature="0.1" stiffness="4" springref="0.2" ref="0.1"'


def slide(name, axis, rest=""):
    return f'<joint name="{name}" type="slide" axis="{axis}" {rest}/>'


def hinge(name, axis, rest=""):
    return f'<joint name="{name}" axis="{axis}" {rest}/>'


X, Y, Z = "1 0 0", "0 1 0", "0 0 1"
SLIDES = slide("x", X) + slide("y", Y) + slide("z", Z)
DAMPED = slide("x", X, REST) + slide("y", Z, REST) + slide("z", Y, REST)
TURNS = hinge("a", X, 'pos="0.1 0 0"') + hinge("b", "0 1 0.2") + hinge("c", Z)
BALL = '<joint name="ball" type="ball" pos="0.1 0 0"/>'
TABLE = slide("x", X, REST) + slide("y", Y)
MOTORS = '<motor name="{0}" joint="{0}" gear="2"/>'


def model(joints, around="{}", driven=(), more=""):
    actuators = "".join(MOTORS.format(name) for name in driven)
    world = f"<worldbody>{around.format(BODY.format(joints))}</worldbody>"
    return f"<mujoco>{world}<actuator>{actuators}</actuator>{more}</mujoco>"


CARRIED = '<body pos="0 1 0"><joint axis="1 1 0"/><geom size="0.2" pos="0 0.4 0"/>{}</body>'
PLANAR = slide("x", X, REST) + slide("y", Y, REST) + hinge("t", Z, f'{REST} pos="0.3 -0.1 0"')
RELATION = '<equality><joint joint1="x" joint2="t" polycoef="0 0.3 0 0 0"/></equality>'


@pytest.mark.parametrize(
    ("text", "types"),
    [
        (model(PLANAR, driven="xyt"), ["planar"]),
        (model(PLANAR.replace('axis="0 0 1"', 'axis="0 0 -1"'), driven="xyt"), ["planar"]),
        (model(PLANAR, CARRIED, driven="xyt"), ["revolute", "planar"]),
        (model(PLANAR, more=RELATION), ["planar", "coupler"]),
        (model(slide("x", X, REST) + slide("y", "0 3 4", REST), driven="xy"), ["planar"]),
        (
            model(slide("x", X, REST) + slide("y", Y) + hinge("t", X, REST), CARRIED),
            ["revolute", "planar", "revolute"],
        ),
        (model(TABLE + BALL), ["planar", "ball"]),
        (model(DAMPED, driven="xyz"), ["orientation"]),
        (model(DAMPED + hinge("t", Y, REST), driven="xyzt"), ["parallel"]),
        (model(SLIDES + TURNS), []),
        (model(TURNS + SLIDES), []),
        (model(SLIDES + BALL), []),
        (model(DAMPED + BALL), ["orientation", "ball"]),
        (model(SLIDES + BALL, CARRIED), ["revolute", "orientation", "ball"]),
        (model(DAMPED + hinge("t", "1 2 3", REST)), ["orientation", "revolute"]),
        (model(slide("x", X, REST) + hinge("t", Y, REST)), ["translational", "revolute"]),
        (
            model(hinge("t", X, REST) + slide("x", X, REST), CARRIED),
            ["revolute", "revolute", "translational"],
        ),
        (model(hinge("t", X, REST) + slide("x", Y, REST)), ["revolute", "translational"]),
        (model(slide("x", X) + BALL), ["translational", "ball"]),
    ],
)
def test_a_chain_in_one_body_moves_as_in_mujoco_without_placeholder_masses(text, types, tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text(text)
    system = import_scene(file, tmp_path / "scene", plugins()[0], {})
    assert [joint.type for joint in system.joints] == types
    rng = np.random.default_rng(2)
    for state in range(2):
        reference = of_mujoco(file, tmp_path / f"state_{state}", rng)
        values, speeds, accelerations = differences(tmp_path / f"state_{state}", reference)
        assert values < 1e-12
        assert speeds < 1e-12
        assert accelerations < 1e-10


@pytest.mark.parametrize(
    "joints", [TURNS.replace("/>", ' damping="0.1"/>'), SLIDES + TURNS.replace("/>", ' damping="0.1"/>')]
)
def test_a_chain_that_is_no_joint_keeps_its_coordinates_and_needs_placeholder_masses(joints, tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text(model(joints))
    with pytest.raises(SceneError) as error:
        import_scene(file, tmp_path / "scene", plugins()[0], {})
    assert has(error.value.mend, "massless")
    system = import_scene(file, tmp_path / "scene", plugins()[0], {"massless": 1e-3})
    assert [joint.type for joint in system.joints][-2:] == ["revolute"] * 2


def test_a_chain_starts_at_its_keyframe_also_after_turns(tmp_path):
    file = tmp_path / "robot.xml"
    key = '<keyframe><key name="k" qpos="0.5 0.6 {}" qvel="1 2 3"/></keyframe>'
    for angle, turn in ((2.0, "b_planar.angle"), (7.0, "t.angle")):
        file.write_text(model(PLANAR, more=key.format(angle)))
        folder = tmp_path / f"scene_{angle}"
        import_scene(file, folder, plugins()[0], {"keyframe": "k"})
        simulation = mb.System.from_file(folder).simulate()
        planar = "b_planar" if angle < 3.0 else "b_before_2_planar"
        coordinates = [simulation.coordinate(name) for name in (f"{planar}.x", f"{planar}.y", turn)]
        assert [c.value for c in coordinates] == pytest.approx([0.5, 0.6, angle])
        assert [c.speed for c in coordinates] == pytest.approx([1.0, 2.0, 3.0])


URDF = """
<robot name="cart"><link name="base"/><link name="rail"/><link name="carriage"/>
  <link name="cart"><inertial><origin xyz="0 0 0.1"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.15"/></inertial></link>
  <joint name="x" type="prismatic"><parent link="base"/><child link="rail"/>
    <origin xyz="1 0 0" rpy="0 0 0.3"/><axis xyz="1 0 0"/><dynamics damping="0.5"/></joint>
  <joint name="y" type="prismatic"><parent link="rail"/><child link="carriage"/><origin rpy="0.2 0 0"/>
    <axis xyz="0 {c} {s}"/></joint>
  <joint name="turn" type="continuous"><parent link="carriage"/><child link="cart"/><origin rpy="-0.2 0 0"/>
    <axis xyz="0 0 1"/></joint>
  {more}
</robot>
"""


def urdf(tmp_path, more=""):
    file = tmp_path / "cart.urdf"
    file.write_text(URDF.format(c=np.cos(0.2), s=-np.sin(0.2), more=more))
    return import_scene(file, tmp_path / "scene", plugins()[0], {})


def test_links_that_only_carry_joints_become_a_planar_joint_in_urdf(tmp_path):
    drives = "".join(f'<transmission><joint name="{name}"/></transmission>' for name in ("x", "y", "turn"))
    system = urdf(tmp_path, drives)
    assert [joint.type for joint in system.joints] == ["planar"]
    (name,) = [joint.name for joint in system.joints]
    inputs = {"x_motor": 3.0, "y_motor": 4.0, "turn_motor": 0.8}
    started = mb.System.from_file(tmp_path / "scene", set={f"input.{k}.start": v for k, v in inputs.items()})
    cart = started.simulate()["cart"]
    along = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]]) @ [3.0 / 2.0, 4.0 / 2.0]
    assert cart.acceleration == pytest.approx([*along, 0.0], abs=1e-12)
    assert cart.angular_acceleration == pytest.approx([0, 0, 0.8 / 0.15], abs=1e-12)
    assert started.joint(name).damping == {"x": 0.5}


def test_a_slide_that_mimics_another_reads_the_coordinate_of_the_joint_that_it_became(tmp_path):
    more = '<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    more += '<joint name="arm" type="continuous"><parent link="cart"/><child link="arm"/>'
    more += '<axis xyz="0 0 1"/><mimic joint="y" multiplier="2"/></joint>'
    system = urdf(tmp_path, more)
    (coupler,) = [joint for joint in system.joints if joint.type == "coupler"]
    assert coupler.raw["joints"] == ["arm", "cart_planar.y"]


def test_limits_and_friction_go_to_the_coordinates_of_the_joint_that_a_chain_becomes(tmp_path):
    text = """
<mujoco><worldbody><body>
  <joint name="jx" type="slide" axis="1 0 0" range="0.1 2" frictionloss="3"/>
  <joint name="jy" type="slide" axis="0 1 0"/>
  <joint name="jt" axis="0 0 1" limited="true" range="-60 60" frictionloss="2"/>
  <geom size="0.1" pos="1 0 0"/></body></worldbody></mujoco>
"""
    (tmp_path / "robot.xml").write_text(text)
    system = import_scene(tmp_path / "robot.xml", tmp_path / "scene", plugins()[0], {})
    (joint,) = system.joints
    assert joint.limits == {"x": [0.1, 2.0], "angle": pytest.approx([-np.pi / 3, np.pi / 3])}
    assert (joint.friction_force, joint.friction_torque) == ({"x": 3.0}, {"angle": 2.0})
    outside = f"a start within the limits of 1 joint ({joint.name}.x)"
    assert any(line.startswith(outside) for line in system.scene.left_out)
