"""Models of MuJoCo: accelerations against mujoco's own, and what becomes of their parts."""

from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from robot_references import differences, of_mujoco

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.imports.one_scene import import_scene

pytest.importorskip("mujoco")

ARM = """
<mujoco model="arm">
  <compiler angle="degree" eulerseq="XYZ"/>
  <option gravity="0.3 0 -9.81"/>
  <default>
    <joint damping="0.2" armature="0.05"/>
    <default class="stiff"><joint stiffness="7" springref="25" ref="10"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <frame pos="0 0 1" euler="0 20 10">
      <body name="upper">
        <joint name="shoulder" axis="0 1 0.2" pos="0 0.02 0" range="-90 90"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0"/>
        <body name="flange" pos="0.4 0 0" euler="0 0 30">
          <geom type="box" size="0.05 0.04 0.03" density="500"/>
          <body name="rail" pos="0.05 0 0">
            <joint name="slide" type="slide" axis="1 0 1" class="stiff" frictionloss="0.1"/>
            <geom type="cylinder" size="0.02 0.1" mass="0.7"/>
            <body name="tool" pos="0 0 0.2"><joint name="wrist" class="stiff" axis="0 0 1"/>
              <geom type="sphere" size="0.05" pos="0.1 0 0"/><site name="tip" pos="0.15 0 0"/></body>
          </body>
        </body>
      </body>
    </frame>
    <body name="drone" pos="0 2 0"><freejoint/><geom type="box" size="0.2 0.1 0.05"/>
      <body name="load" pos="0 0 -0.3"><joint type="ball" damping="0" armature="0" pos="0 0 0.3"/>
        <geom type="box" size="0.1 0.1 0.02"/></body>
    </body>
  </worldbody>
  <actuator>
    <motor name="shoulder" joint="shoulder" gear="12"/>
    <position name="place" joint="slide" kp="40" kv="3"/>
    <general name="both" tendon="pair" gainprm="2 0.5 0.1" gaintype="affine" biastype="affine"
      biasprm="0.3 -2 -0.4"/>
  </actuator>
  <tendon>
    <fixed name="pair"><joint joint="shoulder" coef="0.5"/><joint joint="wrist" coef="-2"/></fixed>
  </tendon>
  <keyframe><key name="up" qpos="0.5 0.1 -4 0 2 1 0.8 0.6 0 0 0.8 0 0 0.6" ctrl="0.1 0.2 0.3"/></keyframe>
</mujoco>
"""

BALL = """
<mujoco model="ball">
  <worldbody><body name="upper" pos="0 0 1" quat="0.9 0.1 -0.3 0.2">
    <joint name="hip" type="ball" pos="0.02 0 0.1" stiffness="3" damping="0.1"/>
    <geom type="box" size="0.1 0.05 0.2" mass="2" pos="0.03 0 -0.3"/>
    <body name="lower" pos="0 0.1 -0.5">
      <joint name="knee" type="ball" stiffness="5" damping="0.2"/>
      <geom type="box" size="0.05 0.04 0.1" mass="1" pos="0 0.1 -0.2"/></body></body></worldbody>
</mujoco>
"""

LOOPS = """
<mujoco model="loops">
  <default>
    <geom type="capsule" size="0.02" mass="0.5"/>
    <joint axis="0 1 0" armature="0.02" damping="0.1"/>
  </default>
  <worldbody>
    <body name="crank"><joint name="a"/><geom fromto="0 0 0 0 0 0.3"/>
      <body name="coupler" pos="0 0 0.3"><joint name="b"/><geom fromto="0 0 0 1 0 0.2"/></body></body>
    <body name="rocker" pos="1 0 0"><joint name="c"/><geom fromto="0 0 0 0 0 0.5"/></body>
    <body name="first" pos="0 1 0"><joint name="f"/><geom fromto="0 0 0 0 0 0.3"/></body>
    <body name="second" pos="0 2 0"><joint name="g"/><geom fromto="0 0 0 0 0 0.3"/></body>
    <body name="third" pos="0 3 0"><joint name="h"/><geom fromto="0 0 0 0 0 0.3"/></body>
    <body name="loose" pos="0 4 0.4"><freejoint/><geom fromto="0 0 0 0.2 0 0.1"/></body>
    <body name="holder" pos="0 4 0"><joint name="k"/><geom fromto="0 0 0 0 0 0.3"/></body>
  </worldbody>
  <equality>
    <connect body1="coupler" body2="rocker" anchor="1 0 0.2"/>
    <joint joint1="g" joint2="f" polycoef="0.1 0.5 0 0 0"/>
    <joint joint1="h" joint2="f" polycoef="0 0 0.3 0.2 0"/>
    <weld body1="holder" body2="loose"/>
    <joint joint1="a" joint2="f" active="false"/>
  </equality>
</mujoco>
"""
GRIPPER = (Path(__file__).parent / "models" / "2f85.xml").read_text()


def imported(tmp_path, text, **keys):
    file = tmp_path / "robot.xml"
    file.write_text(text)
    return import_scene(file, tmp_path / "scene", plugins()[0], keys)


@pytest.mark.parametrize("text", [ARM, BALL, LOOPS, GRIPPER], ids=["arm", "ball", "loops", "gripper"])
def test_coordinates_speeds_and_accelerations_are_those_of_mujoco(text, tmp_path):
    (tmp_path / "robot.xml").write_text(text)
    rng = np.random.default_rng(3)
    for state in range(2):
        folder = tmp_path / f"scene_{state}"
        reference = of_mujoco(tmp_path / "robot.xml", folder, rng)
        values, speeds, accelerations = differences(folder, reference)
        assert values < 1e-12
        assert speeds < 1e-12
        assert accelerations < 1e-9  # rounding is about 1e-13


def test_what_is_left_out_is_listed(tmp_path):
    (tmp_path / "arm").mkdir()
    arm = imported(tmp_path / "arm", ARM).scene.left_out
    loops = imported(tmp_path, LOOPS).scene.left_out
    assert set(arm) == {
        "1 keyframe (up); choose one: --set keyframe=up",
        "contacts, unless scene.contacts = true",
    }
    assert list(loops) == ["1 equality (relation (not active))", "contacts, unless scene.contacts = true"]


def test_a_keyframe_is_a_start(tmp_path):
    imported(tmp_path, ARM, keyframe="up")
    simulation = mb.System.from_file(tmp_path / "scene").simulate()
    values = [simulation.coordinate(name).value for name in ("shoulder.angle", "slide.length", "wrist.angle")]
    assert values == pytest.approx([0.5, 0.1, -4.0], abs=1e-12)
    assert simulation.inputs["place"] == 0.2
    assert simulation["drone"].position == pytest.approx([0, 2, 1])
    with refused("keyframe", "down"):
        imported(tmp_path / "scene", ARM, keyframe="down")


def test_inertias_are_those_of_mujoco_and_links_without_joints_are_merged(tmp_path):
    import mujoco

    system = imported(tmp_path, ARM)
    model = mujoco.MjModel.from_xml_string(ARM)
    assert [body.name for body in system.bodies] == ["upper", "rail", "tool", "drone", "load"]
    upper = system.body("upper")
    assert upper.mass_properties().mass == pytest.approx(
        model.body("upper").mass[0] + model.body("flange").mass[0]
    )
    assert {marker.name for marker in system.body("tool").markers} == {"wrist", "tip"}
    assert [shape.type for shape in upper.shapes] == ["capsule", "box"]
    assert [shape.type for shape in system.scene.shapes] == ["plane"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", ""),
        ("<mujoco><worldbody/></mujoco>", ""),
        ("<sdf/>", "import"),
    ],
)
def test_a_model_that_makes_no_scene_is_refused(text, key, tmp_path):
    with refused(key, hide=r"refuses it: .*"):
        imported(tmp_path, text)


def test_a_mesh_is_written_where_mujoco_has_it(tmp_path):
    vertex = "0 0 0  1 0 0  0 1 0  0 0 1"
    text = (
        f'<mujoco><asset><mesh name="m" vertex="{vertex}"/></asset><worldbody><body name="b"><freejoint/>'
        '<geom type="mesh" mesh="m" density="600"/></body></worldbody></mujoco>'
    )
    shape, hull = imported(tmp_path, text).body("b").shapes
    assert (hull.type, hull.visible, hull.collide) == ("convex", False, True)
    assert shape.mass_properties(600.0).mass == pytest.approx(100.0, rel=1e-6)
    assert shape.mass_properties(600.0).center_of_mass == pytest.approx([0.25] * 3, abs=1e-6)


RESERVED = ("step", "time", "rate", "pi", "min", "sign", "polynomial", "ground")


def test_names_that_expressions_keep_for_themselves_are_changed_and_listed(tmp_path):
    bodies = "".join(
        f'<body name="{name}"><joint name="{name}" axis="0 1 0"/><geom size="0.1" pos="1 0 0"/></body>'
        for name in RESERVED
    )
    motors = "".join(f'<position name="{name}" joint="{name}" kp="2" kv="1"/>' for name in RESERVED)
    text = f"<mujoco><worldbody>{bodies}</worldbody><actuator>{motors}</actuator></mujoco>"
    system = imported(tmp_path, text)
    assert [entry.name for entry in system.inputs] == [f"{name}_2" for name in RESERVED]
    assert [joint.name for joint in system.joints] == [f"{name}_2" for name in RESERVED]
    changed = ", ".join(f"{name}: {name}_2" for name in RESERVED)
    for what in ("bodies", "joints", "inputs and forces"):
        assert f"names of {what} that are taken or reserved ({changed})" in system.scene.left_out
    mb.System.from_file(tmp_path / "scene").simulate()


SWITCHED = """
<mujoco><option actuatorgroupdisable="{group}"><flag {flags}/></option><worldbody>
  <body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0" stiffness="30" springref="9" damping="0.3"/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="1"/>
    <body name="b" pos="0.4 0 0"><joint name="jb" axis="0 1 0" stiffness="10" armature="0.1"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.5"/></body></body>
  <body name="c" pos="0 1 1"><joint name="jc" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0" mass="1"/></body>
</worldbody>
<equality><joint joint1="ja" joint2="jc" polycoef="0 2 0 0 0"/></equality>
<actuator><position name="servo" joint="ja" kp="50" kv="2" group="1"/><motor joint="jb" gear="3"/></actuator>
</mujoco>
"""


@pytest.mark.parametrize(
    ("flags", "group"),
    [
        ("", ""),
        ("", "1"),
        ("", "0 2"),
        *((f'{name}="disable"', "") for name in ("spring", "damper", "equality", "constraint", "actuation")),
        *((f'{name}="disable"', "") for name in ("gravity", "clampctrl", "warmstart")),
        ('spring="disable" damper="disable" equality="disable"', "0 1"),
    ],
)
def test_flags_and_groups_switch_off_what_they_do_in_mujoco(flags, group, tmp_path):
    (tmp_path / "robot.xml").write_text(SWITCHED.format(flags=flags, group=group))
    reference = of_mujoco(tmp_path / "robot.xml", tmp_path / "scene", np.random.default_rng(3))
    assert max(differences(tmp_path / "scene", reference)) < 1e-12


def test_what_flags_switch_off_is_listed_and_so_are_those_of_the_solver(tmp_path):
    flags = 'spring="disable" equality="disable" warmstart="disable" energy="enable" contact="disable"'
    left_out = imported(tmp_path, SWITCHED.format(flags=flags, group="1")).scene.left_out
    assert list(left_out) == [
        "1 equality (relation (not active))",
        "1 actuator (servo) that the file switches off",
        'springs of joints, switched off by <flag spring="disable"/>',
        "2 flags (energy, warmstart) of MuJoCo's solver",
    ]


def test_an_actuator_adds_its_damping_and_armature_to_its_joint(tmp_path):
    import mujoco

    if not hasattr(mujoco.MjModel, "actuator_armature"):
        pytest.skip("of mujoco 3.4 and later")
    text = SWITCHED.format(flags="", group="").replace('gear="3"', 'gear="3" armature="0.2" damping="0.4"')
    (tmp_path / "robot.xml").write_text(text)
    reference = of_mujoco(tmp_path / "robot.xml", tmp_path / "scene", np.random.default_rng(3))
    assert max(differences(tmp_path / "scene", reference)) < 1e-12
    assert mb.System.from_file(tmp_path / "scene").joint("jb").armature == pytest.approx(0.1 + 9 * 0.2)


MOVING = """
<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="hand" mocap="true" pos="0 0 5"><geom size="0.1"/><site name="grip"/></body>
  <body name="base" pos="0 0 1"><freejoint name="root"/><geom size="0.2"/>
    <body name="arm" pos="0.2 0 0.1" euler="0 30 0"><joint name="turn" axis="0 1 0.5" pos="0.1 0 0" ref="10"/>
      <geom size="0.1" pos="0.3 0 0"/>
      <body name="rod" pos="0.5 0 0"><joint name="push" type="slide" axis="1 0 1"/>
        <geom size="0.1" pos="0.3 0 0"/>
        <body name="bob" pos="0.2 0 0"><joint name="swing" type="ball" pos="0 0 0.1"/>
          <geom size="0.1" pos="0.1 0 0"/></body></body></body></body>
</worldbody>
<actuator><motor name="drive" joint="turn"/><position name="lag" joint="push" timeconst="0.1"/></actuator>
<keyframe><key name="spin" time="2" qpos="1 2 3 0.8 0.6 0 0 0.5 0.1 0.8 0 0.6 0"
  qvel="0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.1" ctrl="0.5 0.2" act="0.3" mpos="1 1 1" mquat="0 1 0 0"/>
  <key name="other"/></keyframe>
</mujoco>
"""


def test_a_keyframe_gives_poses_speeds_controls_and_places_of_mocap_bodies(tmp_path):
    import mujoco

    system = imported(tmp_path, MOVING, keyframe="spin")
    model = mujoco.MjModel.from_xml_string(MOVING)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    simulation = mb.System.from_file(tmp_path / "scene").simulate()
    for name in ("base", "arm", "rod", "bob"):
        twist = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, model.body(name).id, twist, 0)
        body = simulation[name]
        assert body.angular_velocity == pytest.approx(twist[:3], abs=1e-12)
        assert body.center_of_mass_velocity == pytest.approx(twist[3:], abs=1e-12)
    for name, speed in (("turn.angle", 0.7), ("push.length", 0.8)):
        assert simulation.coordinate(name).speed == pytest.approx(speed, abs=1e-12)
    assert simulation.inputs["drive"] == 0.5
    (grip,) = [marker for marker in system.scene.markers if marker.name == "grip"]
    assert list(grip.position) == [1.0, 1.0, 1.0]
    listed = set(system.scene.left_out)
    assert "motion by mocap of 1 body (hand): they stay in their places" in listed
    assert {"activations of the keyframe spin", "time of the keyframe spin", "1 other keyframe"} <= listed
    assert "1 actuator (lag)" in listed


EVERYTHING = """
<mujoco>
  <option timestep="0.001" density="1.2" cone="elliptic">
    <flag override="enable" eulerdamp="disable"/></option>
  <size nuserdata="3"/>
  <custom><numeric name="n" data="1"/><text name="t" data="a"/></custom>
  <worldbody>
    <camera name="eye"/><light/>
    <body name="a" gravcomp="0.5"><joint name="ja" stiffness="1 2" damping="1 2" actuatorfrcrange="-1 1"/>
      <geom name="ga" size="0.1" pos="1 0 0"/><site name="sa"/></body>
    <body name="b" pos="0 3 0"><joint name="jb" type="ball" stiffness="1" damping="1" armature="1"/>
      <geom name="gb" size="0.1" pos="1 0 0"/><site name="sb"/></body>
    <body name="c" pos="0 6 0"><joint name="jc" frictionloss="1" range="-1 1" limited="true"/>
      <geom name="gc" size="0.1" pos="1 0 0"/></body>
  </worldbody>
  <contact><pair geom1="ga" geom2="gb"/><exclude body1="a" body2="c"/></contact>
  <equality><joint name="even" joint1="ja" joint2="jc" solref="0.1 1"/></equality>
  <tendon>
    <spatial name="rope"><site site="sa"/><site site="sb"/></spatial>
    <fixed name="sum" stiffness="3" damping="2" frictionloss="1" range="0 1" limited="true" armature="1">
      <joint joint="ja" coef="1"/></fixed>
  </tendon>
  <actuator><motor name="m" tendon="sum" ctrlrange="-1 1" ctrllimited="true"
      damping="0 1"/>
    <position name="late" joint="ja" timeconst="0.1"/><motor name="pull" tendon="rope"/></actuator>
  <sensor><jointpos joint="ja"/></sensor>
</mujoco>
"""


def test_all_that_a_scene_does_not_have_is_listed(tmp_path):
    import mujoco

    if not hasattr(mujoco.MjModel, "actuator_dampingpoly"):
        pytest.skip("of later versions of mujoco")
    assert set(imported(tmp_path, EVERYTHING).scene.left_out) == {
        "armature of 1 joint (jb)",
        "nonlinear stiffness of 1 joint (ja)",
        "nonlinear damping of 1 joint (ja)",
        "contacts, unless scene.contacts = true",
        "1 contact pair",
        "gravity compensation of 1 body (a)",
        "forces of the medium (density, viscosity, wind)",
        "softness (solref, solimp) of 1 equality (even)",
        "1 sensor",
        "1 custom number",
        "1 custom text",
        "3 numbers of user data",
        "2 flags (eulerdamp, override) of MuJoCo's solver",
        "2 settings (cone, timestep) of MuJoCo's solver",
        "2 actuators (late, pull)",
        "1 tendon (rope)",
        *(f"{what} of 1 tendon (sum)" for what in ("stiffness", "damping", "armature")),
        *(f"{what} of 1 tendon (sum)" for what in ("friction loss", "limits")),
        "nonlinear damping of 1 actuator (m)",
    }


SWING = """
<mujoco><option timestep="1e-4"/><compiler angle="degree"/>
  <worldbody><body><joint name="hinge" axis="0 1 0" range="-10 {range}" frictionloss="0.6" {stiff}/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0.5 0 0" mass="2"/></body></worldbody></mujoco>
"""


@pytest.mark.parametrize("range_of", [60, 170], ids=["onto its limit", "until friction holds it"])
def test_a_pendulum_with_limit_and_friction_moves_as_in_mujoco_with_stiff_rows(range_of, tmp_path):
    """MuJoCo's rows yield: with time constants of 1 ms at steps of 0.1 ms by about 1e-3 rad."""
    import mujoco

    stiff = " ".join(
        f'solref{row}="0.001 1" solimp{row}="0.9999 0.9999 0.001"' for row in ("limit", "friction")
    )
    text = SWING.format(range=range_of, stiff=stiff)
    imported(tmp_path, text)
    system = mb.System.from_file(
        tmp_path / "scene", set={"solver.end": 4.0, "solver.tolerance": 1e-9, "output.frames": 40}
    )
    ours = system.run(files=False).coordinate("hinge.angle").value
    model = mujoco.MjModel.from_xml_string(text)
    data, theirs = mujoco.MjData(model), [0.0]
    for _ in range(40):
        for _ in range(1000):
            mujoco.mj_step(model, data)
        theirs.append(data.qpos[0])
    np.testing.assert_allclose(ours, theirs, atol=3e-3)
    if range_of == 60:
        assert ours[-1] == pytest.approx(np.pi / 3, abs=1e-12)


RANGES = """
<mujoco><compiler angle="degree"/>
  <worldbody><body><joint name="ja" axis="0 1 0" actuatorfrcrange="-2 3"/><geom size="0.1" pos="1 0 0"/>
    <body pos="1 0 0"><joint name="jb" type="slide" axis="1 0 0" range="-0.1 0.2" margin="0.01"/>
      <geom size="0.1" pos="0 0 1"/></body></body></worldbody>
  <actuator><motor name="ma" joint="ja" ctrlrange="-1 1" gear="{gear}"/>
    <position name="mb" joint="jb" kp="100" forcerange="-4 5"/></actuator>
  <keyframe><key name="k" qpos="0.3 -0.05" qvel="0.1 0.2" ctrl="{ctrl}"/></keyframe></mujoco>
"""


@pytest.mark.parametrize("ctrl", ["5 0.3", "-5 -0.3", "0.5 -0.02"])
@pytest.mark.parametrize("gear", [2, 7])
def test_ranges_of_controls_forces_and_joints_are_those_of_mujoco(gear, ctrl, tmp_path):
    import mujoco

    text = RANGES.format(gear=gear, ctrl=ctrl)
    system = imported(tmp_path, text, keyframe="k")
    assert system.joints[1].limits == [-0.1, 0.2]
    assert "softness or margin of limits and friction of 1 joint (jb)" in system.scene.left_out
    simulation = mb.System.from_file(tmp_path / "scene").simulate()
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    forces = [simulation.output(f"{name}.force") for name in ("ma", "mb")]
    np.testing.assert_allclose(forces, data.qfrc_actuator, rtol=1e-12)


def test_friction_of_ball_joints_and_forces_of_several_motors_are_listed(tmp_path):
    text = """
<mujoco><compiler angle="degree"/>
  <worldbody><body><joint name="ja" axis="0 1 0" actuatorfrcrange="-2 3"/><geom size="0.1" pos="1 0 0"/>
    <body pos="1 0 0"><joint name="jb" type="ball" range="0 30" frictionloss="0.1"/>
      <geom size="0.1" pos="0 0 1"/></body></body></worldbody>
  <actuator><motor name="one" joint="ja"/><motor name="two" joint="ja"/></actuator></mujoco>
"""
    system = imported(tmp_path, text)
    assert system.joints[1].limits == {"rotation": [0, pytest.approx(np.pi / 6)]}
    assert system.joints[1].friction_torque == {"swing": 0.1, "twist": 0.1}
    assert set(system.scene.left_out) == {
        "friction loss about each axis, instead of that of swing and twist, of 1 joint (jb)",
        "ranges of the motor force of 1 joint (ja)",
        "contacts, unless scene.contacts = true",
    }
