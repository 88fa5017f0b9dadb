"""What becomes of the parts of a URDF file."""

import struct
from pathlib import Path

import numpy as np
import pytest
from mbplugin_import.poses import rotation
from refusals import has, refused, stopped
from snapshots import same_message

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.errors import SceneError
from mbplugin.imports.one_scene import import_scene
from mbplugin.interface import quaternion_of

LINK = """
  <link name="{name}"><inertial><origin xyz="{c}"/><mass value="{m}"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>{rest}</link>"""


def link(name, m=1.0, c="0 0 0", rest=""):
    return LINK.format(name=name, m=m, c=c, rest=rest)


def joint(name, parent, child, kind="revolute", rest=""):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="0 1 0"/>{rest}</joint>'
    )


def imported(tmp_path, *parts, **keys):
    file = tmp_path / "robot.urdf"
    file.write_text(f'<robot name="r">{"".join(parts)}</robot>')
    import_scene(file, tmp_path / "scene", plugins()[0], keys)
    return mb.System.from_file(tmp_path / "scene")


def refuse(tmp_path, parts, *names):
    with stopped(SceneError, *names):
        imported(tmp_path, *parts)
    assert not (tmp_path / "scene").exists()


def test_links_that_a_fixed_joint_holds_together_are_one_body(tmp_path):
    offset = '<origin xyz="0 0 -2"/>'
    system = imported(
        tmp_path, '<link name="base"/>', link("rod", 3.0, "0 0 -0.5"), link("ball", 1.0),
        joint("hinge", "base", "rod"), joint("glue", "rod", "ball", "fixed", offset),
    )  # fmt: skip
    (body,) = system.bodies
    mass, centre, inertia = body.mass_properties()
    assert mass == 4.0
    assert centre == pytest.approx([0, 0, -(3 * 0.5 + 1 * 2) / 4])
    # parallel axes: both moments, and the reduced mass times the squared distance of the centres
    assert inertia[0, 0] == pytest.approx(0.2 + 3 / 4 * 1.5**2)
    (marker,) = [marker for marker in body.markers if marker.name == "ball"]
    assert marker.position == (0, 0, -2)


def test_moments_of_a_link_without_mass_count_where_it_is_fixed_to_one_that_has_some(tmp_path):
    rotor = link("rotor", 0.0), joint("glue", "arm", "rotor", "fixed", '<origin xyz="0 0 -2"/>')
    system = imported(tmp_path, '<link name="base"/>', link("arm", 3.0), joint("j", "base", "arm"), *rotor)
    mass, centre, inertia = system.bodies[0].mass_properties()
    assert (mass, list(centre)) == (3.0, [0, 0, 0])
    assert np.diag(inertia) == pytest.approx([0.2] * 3)
    assert not system.scene.left_out


def test_a_pendulum_accelerates_by_its_moment_and_damping(tmp_path):
    rest = '<origin xyz="0 0 1"/><dynamics damping="0.4" friction="0.1"/><limit lower="-1" upper="1"/>'
    system = imported(
        tmp_path,
        '<link name="base"/>',
        link("bob", 2.0, "0 0 -0.5"),
        joint("hinge", "base", "bob", rest=rest),
    )
    folder = tmp_path / "scene"
    started = mb.System.from_file(folder, set={"joint.hinge.start": {"angle": 0.7, "speed": 1.5}})
    bob = started.simulate()["bob"]
    moment = 0.1 + 2.0 * 0.5**2
    expected = (-2.0 * 9.81 * 0.5 * np.sin(0.7) - 0.4 * 1.5 - 0.1) / moment
    assert bob.angular_acceleration == pytest.approx([0, expected, 0], abs=1e-12)
    assert not system.scene.left_out


def test_a_floating_root_is_free_and_a_massless_root_takes_the_mass_of_what_is_fixed_to_it(tmp_path):
    parts = '<link name="base"/>', link("trunk"), joint("glue", "base", "trunk", "fixed")
    system = imported(tmp_path, *parts, floating="true")
    assert [body.name for body in system.bodies] == ["base"]
    assert system.check().mobility == 6


@pytest.mark.parametrize(
    "parts", [link("mug"), link("mug") + link("lid") + joint("glue", "mug", "lid", "fixed")]
)
def test_a_robot_of_one_part_is_a_body_that_the_ground_holds_or_a_free_one(parts, tmp_path):
    for name in ("held", "free"):
        (tmp_path / name).mkdir()
    held = imported(tmp_path / "held", parts)
    assert [body.name for body in held.bodies] == ["mug"]
    assert held.check().mobility == 0
    file = tmp_path / "held" / "robot.urdf"
    (told,) = import_scene(file, tmp_path / "again", plugins()[0], {}).scene.left_out
    assert has(told, "root", "floating=true")
    free = imported(tmp_path / "free", parts, floating="true")
    assert free.check().mobility == 6


def test_a_joint_that_mimics_another_follows_it(tmp_path):
    rest = '<mimic joint="first" multiplier="-0.5" offset="0.2"/>'
    imported(
        tmp_path, '<link name="base"/>', link("one", c="0 0 -1"), link("two", c="0 0 -1"),
        joint("first", "base", "one"), joint("second", "base", "two", rest=rest),
    )  # fmt: skip
    set_ = {"joint.first.start": {"angle": 0.4, "speed": 2.0}}
    simulation = mb.System.from_file(tmp_path / "scene", set=set_).simulate()
    second = simulation.coordinate("second.angle")
    assert (second.value, second.speed) == pytest.approx((-0.5 * 0.4 + 0.2, -1.0))


def test_a_cardan_joint_of_two_hinges_needs_no_mass_between_them(tmp_path):
    """Two crossed hinges with a massless link, against one joint `universal`."""
    origin = '<origin xyz="0 0 1"/>'
    cross = joint("y", "cross", "bob").replace("0 1 0", "1 0 0")
    imported(
        tmp_path, '<link name="base"/><link name="cross"/>', link("bob", 2.0, "0.1 0.2 -0.5"),
        joint("x", "base", "cross", rest=origin), cross,
    )  # fmt: skip
    text = (tmp_path / "scene" / "scene.toml").read_text()
    assert "mass = 2.0\n" not in text  # some of it is lent
    started = {"joint.x.start": {"angle": 0.6, "speed": 1.0}, "joint.y.start": {"angle": -0.3, "speed": 2.0}}
    solver = {"solver.tolerance": 1e-11, "solver.end": 2.0}
    chain = mb.System.from_file(tmp_path / "scene", set={**started, **solver}).run(files=False)
    first, second = rotation(np.array([0.0, 1.0, 0.0]), 0.6), rotation(np.array([1.0, 0.0, 0.0]), -0.3)
    body = {
        "name": "bob", "mass": 2.0, "inertia": [0.1, 0.1, 0.1], "center_of_mass": [0.1, 0.2, -0.5],
        "position": [0, 0, 1], "orientation": {"quaternion": quaternion_of(first @ second)},
        "angular_velocity": 1.0 * np.array([0.0, 1.0, 0.0]) + 2.0 * first[:, 0],
        "marker": [{"name": "m", "orientation": {"z": [0, 0, 1], "x": [0, -1, 0]}}],  # its y: the second axis
    }  # fmt: skip
    ground = {"name": "m", "position": [0, 0, 1], "orientation": {"z": [0, 0, 1], "x": [0, 1, 0]}}
    cardan = mb.System(
        scene={"marker": [ground]},
        body=[body],
        joint=[{"name": "cardan", "type": "universal", "a": "ground.m", "b": "bob.m"}],
        solver={"tolerance": 1e-11, "end": 2.0},
    ).run(files=False)
    assert chain["bob"].orientation == pytest.approx(cardan["bob"].orientation, abs=1e-8)


def test_meshes_are_found_above_the_file_copied_and_mirrored(tmp_path):
    package = tmp_path / "arm_data"
    (package / "meshes").mkdir(parents=True)
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    content = b" " * 80 + struct.pack("<I", len(faces))
    for face in faces:
        content += struct.pack("<12f", 0, 0, 0, *corners[list(face)].ravel()) + b"\0\0"
    (package / "meshes" / "tip.stl").write_bytes(content)
    meshes = "".join(
        f'<visual><geometry><mesh filename="package://arm_data/meshes/{name}.stl" scale="{scale}"/>'
        "</geometry></visual>"
        for name, scale in (("tip", "2 2 2"), ("tip", "1 -1 1"), ("gone", "1 1 1"))
    )
    # the package is a repository in which the folder above the file is one of several
    meshes += '<visual><geometry><mesh filename="package://many/robots/arm_data/meshes/tip.stl"/></geometry></visual>'
    (package / "urdf").mkdir()
    parts = '<link name="base"/>', link("arm", rest=meshes), joint("hinge", "base", "arm")
    system = imported(package / "urdf", *parts)
    same, mirrored, _ = system.bodies[0].shapes
    assert (same.file, same.scale) == ("meshes/tip.stl", 2.0)
    assert mirrored.surface()[0].min(axis=0) == pytest.approx([0, -1, 0])
    assert mirrored.mass_properties(6.0).mass == pytest.approx(1.0)  # closed, and not inside out
    assert list(system.scene.left_out) == [
        "1 mesh (gone.stl): there is no such file; --set packages.arm_data=FOLDER says where that package is"
    ]


def test_a_transmission_becomes_an_input_and_a_torque(tmp_path):
    transmission = '<transmission name="t"><joint name="hinge"/><actuator name="m"/></transmission>'
    system = imported(
        tmp_path, '<link name="base"/>', link("arm"), joint("hinge", "base", "arm"), transmission
    )
    assert [(i.name, i.unit) for i in system.inputs] == [("hinge_motor", "N m")]
    simulation = system.simulate()
    simulation.inputs["hinge_motor"] = 3.0
    assert simulation["arm"].angular_acceleration == pytest.approx([0, 30.0, 0])


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("<link/>",), '"name"'),
        ((link("a", m="heavy"),), '"heavy"'),
        ((link("a"), link("a")), '"a"'),
        ((link("a"), joint("j", "a", "b")), '"b"'),
        ((link("a"), link("b"), joint("j", "a", "b", "ball")), "revolute"),
        ((link("a"), link("b")), "2 links"),
        ((link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")), ""),
        ((link("a"), '<link name="b"/>', joint("j", "a", "b")), "massless=1e-3"),
        ((link("a"), link("b").replace('izz="0.1"', 'izz="9"'), joint("j", "a", "b")), "balance=true"),
        (("<joint/>",), "<link>"),
    ],
)  # fmt: skip
def test_a_file_that_makes_no_scene_is_refused_with_what_to_change(parts, name, tmp_path):
    refuse(tmp_path, parts, name)


def test_a_file_that_is_no_xml_is_refused(tmp_path):
    with stopped(SceneError, tmp_path, hide=r"is not XML.*"):
        imported(tmp_path, "<link")


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path):
    (tmp_path / "scene").mkdir()
    (tmp_path / "scene" / "notes.txt").write_text("mine")
    parts = '<link name="base"/>', link("arm"), joint("hinge", "base", "arm")
    with refused("-o", str(tmp_path / "scene")):
        imported(tmp_path, *parts)
    assert [path.name for path in Path(tmp_path / "scene").iterdir()] == ["notes.txt"]


def test_a_follower_is_drawn_where_its_leader_at_zero_has_it(tmp_path):
    limits = '<limit lower="0" upper="0.6" effort="1" velocity="1"/>'
    system = imported(
        tmp_path, '<link name="base"/>', *(link(name, c="0 0 -0.5") for name in "abc"),
        joint("ja", "base", "a"),
        joint("jb", "a", "b", rest=f'{limits}<mimic joint="ja" multiplier="-1" offset="0.7"/>'),
        joint("jc", "b", "c", "prismatic", '<mimic joint="jb" multiplier="0.1" offset="0.02"/>'),
    )  # fmt: skip
    simulation = system.simulate()
    values = [simulation.coordinate(name).value for name in ("ja.angle", "jb.angle", "jc.length")]
    assert values == pytest.approx([0.0, 0.7, 0.09], abs=1e-12)
    (left_out,) = [line for line in system.scene.left_out if has(line, 0.7, 0, 0.6, "1 joint (jb)")]
    assert not system.joints[1].limits
    same_message(left_out)


BOX = '<geometry><box size="1 1 1"/></geometry>'


@pytest.mark.parametrize(
    ("look", "shapes", "lost"),
    [
        ("<visual/>", 0, "<geometry> is missing"),
        ("<visual><geometry/></visual>", 0, "<geometry> has 0 elements"),
        ('<visual><geometry><ellipsoid radii="1 2 3"/></geometry></visual>', 0, "<ellipsoid>"),
        ('<visual><geometry><box size="1 1"/></geometry></visual>', 0, '<box size> = "1 1"'),
        ('<visual><geometry><sphere radius="-1"/></geometry></visual>', 0, '<sphere radius> = "-1"'),
        ('<visual><geometry><mesh scale="1 1 1"/></geometry></visual>', 0, '"filename" is missing'),
        ('<visual><geometry><mesh filename=""/></geometry></visual>', 0, "no such file"),
        (f'<visual><geometry><mesh filename="{300 * "n"}.stl"/></geometry></visual>', 0, "no such file"),
        ('<visual><geometry><mesh filename="a.stl" scale="1 2"/></geometry></visual>', 0, '"1 2"'),
        (f'<visual><origin xyz="0 nan 0"/>{BOX}</visual>', 0, '"0 nan 0"'),
        (f"<visual>{BOX}<material/></visual>", 1, ""),
        (f'<visual>{BOX}<material name="gone"/></visual>', 1, ""),
        (f'<visual>{BOX}<material name="m"><color rgba="1 0 red 1"/></material></visual>', 1, "red"),
        (f'<visual>{BOX}<material name="m"><texture filename="a.png"/></material></visual>', 1, "texture"),
        ('<sensor:camera name="c"/>', 0, "<sensor:camera>"),
    ],
)  # fmt: skip
def test_a_look_that_is_half_written_is_listed_and_refuses_no_robot(look, shapes, lost, tmp_path):
    parts = '<link name="base"/>', link("arm", rest=look), joint("hinge", "base", "arm")
    system = imported(tmp_path, *parts)
    assert len(system.bodies[0].shapes) == shapes
    (line,) = system.scene.left_out or ("",)
    assert lost in line


def test_one_number_scales_a_mesh_in_all_directions(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    mesh = '<visual><geometry><mesh filename="a.obj" scale="0.001"/></geometry></visual>'
    parts = '<link name="base"/>', link("arm", rest=mesh), joint("hinge", "base", "arm")
    (shape,) = imported(tmp_path, *parts).bodies[0].shapes
    assert shape.scale == 0.001


@pytest.mark.parametrize("before", ["\n  \n", "\ufeff", "\ufeff\n"])
def test_blanks_and_marks_before_the_declaration_do_no_harm(before, tmp_path):
    file = tmp_path / "robot.urdf"
    parts = '<link name="base"/>', link("arm"), joint("hinge", "base", "arm")
    file.write_text(f'{before}<?xml version="1.0"?><robot name="r">{"".join(parts)}</robot>')
    import_scene(file, tmp_path / "scene", plugins()[0], {})
    file.write_text(f'{before}<?xml version="1.0"?>\n<robot name="r">')
    with pytest.raises(SceneError) as error:
        import_scene(file, tmp_path / "other", plugins()[0], {})
    assert error.value.line == 2 + before.count("\n")


def test_what_is_dropped_is_listed(tmp_path):
    controls = '<safety_controller k_velocity="1"/><calibration rising="0"/>'
    limit = '<limit effort="3" velocity="2"/>'
    gear = "<actuator><mechanicalReduction>50</mechanicalReduction></actuator>"
    system = imported(
        tmp_path, '<link name="base"><audio/></link>', link("arm"), link("rider"),
        joint("hinge", "base", "arm", "continuous", limit + controls),
        joint("board", "arm", "rider", "planar", '<dynamics damping="1"/>'),
        '<ros2_control name="x"><joint name="hinge"/></ros2_control><gazebo/><gazebo/>',
        f'<transmission name="t"><joint name="hinge"/>{gear}</transmission>',
        '<transmission name="u"><joint name="board"/></transmission><material name="red"/>',
    )  # fmt: skip
    assert set(system.scene.left_out) == {
        "what <audio> says of 1 link (base)",
        "what <safety_controller> says of 1 joint (hinge)",
        "what <calibration> says of 1 joint (hinge)",
        "velocity limits of 1 joint (hinge)",
        "damping of 1 joint (board)",
        "what <ros2_control> says",
        "what <gazebo> says",
        "mechanical reduction of 1 transmission (t)",
        "what drives no joint that moves of 1 transmission (u)",
    }


def test_names_that_expressions_know_are_changed_and_listed(tmp_path):
    drive = '<transmission name="t"><joint name="step"/></transmission>'
    system = imported(
        tmp_path, '<link name="base"/>', link("pi"), link("ground"), joint("time", "base", "pi"),
        joint("step", "pi", "ground"), drive,
    )  # fmt: skip
    assert [body.name for body in system.bodies] == ["pi_2", "ground_2"]
    assert [joint.name for joint in system.joints] == ["time_2", "step_2"]
    system.add(mb.Motion(joint="step_2", angle="0.3*sin(time_2.angle)"))
    system.simulate()
    assert set(system.scene.left_out) == {
        "names of bodies that are taken or reserved (pi: pi_2, ground: ground_2)",
        "names of joints that are taken or reserved (time: time_2, step: step_2)",
    }


INERTIAL = '<link name="b"><inertial>{}</inertial></link>'
MASS, MOMENTS = '<mass value="1"/>', '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        ((INERTIAL.format(MOMENTS),), 'link "b"'),
        ((INERTIAL.format(MASS),), 'link "b"'),
        ((INERTIAL.format(f"<mass/>{MOMENTS}"),), 'link "b": <mass>'),
        ((INERTIAL.format(f'<mass value="nan"/>{MOMENTS}'),), 'link "b": <mass value>'),
        ((INERTIAL.format(f'<mass value="-1"/>{MOMENTS}'),), 'link "b": <mass value>'),
        ((INERTIAL.format(f'{MASS}<inertia ixx="1" iyy="1"/>'),), 'link "b": <inertia>'),
        ((INERTIAL.format(MASS + MOMENTS.replace('izz="1"', 'izz="inf"')),), 'link "b": <inertia izz>'),
        ((INERTIAL.format(MASS + MASS + MOMENTS),), 'link "b"'),
        ((INERTIAL.format(MASS + MOMENTS + '<origin rpy="0 0 x"/>'),), 'link "b": <origin rpy>'),
        ((link("b"), joint("j", "a", "b").replace("0 1 0", "0 0 0")), 'joint "j": <axis xyz>'),
        ((link("b"), joint("j", "a", "b").replace("0 1 0", "0 1 nan")), 'joint "j": <axis xyz>'),
        ((link("b"), joint("j", "a", "b").replace(' xyz="0 1 0"', "")), 'joint "j": <axis>'),
        ((link("b"), joint("j", "a", "b", rest='<limit lower="${low}"/>')), 'joint "j": <limit lower>'),
        ((link("b"), joint("j", "a", "b", rest='<limit effort="nan"/>')), 'joint "j": <limit effort>'),
        ((link("b"), joint("j", "a", "b", rest='<dynamics damping=""/>')), 'joint "j": <dynamics damping>'),
        ((link("b"), joint("j", "a", "b", rest='<dynamics damping="-1"/>')), 'joint "j": <dynamics damping>'),
        ((link("b"), joint("j", "a", "b", rest='<origin xyz="0,1 0 0"/>')), 'joint "j": <origin xyz>'),
        ((link("b"), joint("j", "a", "b", rest='<origin xyz="1e200 0 0"/>')), 'joint "j": <origin xyz>'),
        ((link("b"), joint("j", "a", "b", rest="<mimic/>")), 'joint "j": <mimic>'),
        ((link("b"), joint("j", "a", "b", rest='<mimic joint="j"/>')), 'joint "j"'),
        ((link("b"), joint("j", "a", "b"), joint("j", "a", "b")), 'joint "j"'),
    ],
)  # fmt: skip
def test_physics_that_is_half_written_is_refused_by_name(parts, key, tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(f'<robot name="r"><link name="a"/>{"".join(parts)}</robot>')
    with refused(key, file=file) as error:
        import_scene(file, tmp_path / "scene", plugins()[0], {})
    assert "\n" not in str(error.value)


def test_a_scene_that_is_refused_is_told_in_one_line_of_the_file_that_was_imported(tmp_path):
    """Offsets that are accepted one by one, and add up to more than a scene takes."""
    far = '<origin xyz="9e19 0 0"/>'
    file = tmp_path / "robot.urdf"
    parts = '<link name="base"/>', link("a"), link("b"), joint("i", "base", "a", rest=far)
    file.write_text(f'<robot name="r">{"".join(parts)}{joint("j", "a", "b", rest=far)}</robot>')
    with refused("body[1].position[0]", 1.8e20, file=file) as error:
        import_scene(file, tmp_path / "scene", plugins()[0], {})
    assert "\n" not in str(error.value)


def test_effort_limits_bound_the_motors_and_limits_the_joints(tmp_path):
    """A motor asked for 10 N m exerts 3, less friction of 1, and drives the arm to its limit of 0.5 rad."""
    limit = '<limit lower="-0.5" upper="0.5" effort="3" velocity="2"/><dynamics friction="1"/>'
    parts = '<link name="base"/>', link("arm"), joint("hinge", "base", "arm", rest=limit)
    system = imported(tmp_path, *parts, '<transmission name="t"><joint name="hinge"/></transmission>')
    assert set(system.scene.left_out) == {"velocity limits of 1 joint (hinge)"}
    keys = {"input.hinge_motor.start": 10.0, "solver.end": 0.5, "solver.tolerance": 1e-10}
    result = mb.System.from_file(tmp_path / "scene", set=keys).run(files=False)
    exact = np.minimum(0.5, (3.0 - 1.0) / 0.1 * result.time**2 / 2)
    np.testing.assert_allclose(result.coordinate("hinge.angle").value, exact, atol=1e-10)


def test_limits_that_a_scene_cannot_have_are_listed(tmp_path):
    system = imported(
        tmp_path, '<link name="base"/>', *(link(name, c="0 0 -0.5") for name in "abcd"),
        joint("ja", "base", "a", rest='<limit lower="0.2" upper="1" effort="3"/>'),
        joint("jb", "base", "b", rest='<limit lower="1" upper="-1"/>'),
        joint("jc", "base", "c", "planar", '<limit lower="-1" upper="1"/><dynamics friction="2"/>'),
        joint("jd", "base", "d", rest='<limit lower="-inf" upper="0"/>'),
    )  # fmt: skip
    same_message("\n".join(system.scene.left_out))
    assert [one.limits for one in system.joints] == [[0.2, 1.0], None, None, [-np.inf, 0.0]]
    with refused("joint[0].limits"):
        system.run(files=False)


def test_a_follower_has_those_limits_that_its_leader_does_not_keep(tmp_path):
    range_of = '<limit lower="{}" upper="{}"/>{}'.format
    leader = '<mimic joint="ja" multiplier="-2"/>'
    system = imported(
        tmp_path, '<link name="base"/>', *(link(name, c="0 0 -0.5") for name in "abc"),
        joint("ja", "base", "a", rest=range_of(-0.1, 0.4, "")),
        joint("jb", "base", "b", rest=range_of(-0.8, 0.2, leader)),
        joint("jc", "base", "c", rest=range_of(-0.7, 0.2, leader)),
    )  # fmt: skip
    assert [one.limits for one in system.joints[:3]] == [[-0.1, 0.4], None, [-0.7, 0.2]]


def test_limits_friction_and_efforts_can_be_left_out(tmp_path):
    limit = '<limit lower="0.2" upper="1" effort="3"/><dynamics friction="1"/>'
    parts = '<link name="base"/>', link("arm"), joint("hinge", "base", "arm", rest=limit)
    system = imported(tmp_path, *parts, limits="false")
    expected = {f"{what} of 1 joint (hinge)" for what in ("limits", "friction loss", "effort limits")}
    assert set(system.scene.left_out) == expected
    assert system.analyze("static").position is not None


@pytest.mark.parametrize("name", ["kinova", "z1"])
def test_a_robot_without_motors_falls_onto_its_limits_and_not_beyond(name, tmp_path):
    """Kinova has limits that its zero is outside of, Z1 friction in each joint."""
    file = Path(__file__).parent / "models" / f"{name}.urdf"
    joints = import_scene(file, tmp_path / "scene", plugins()[0], {}).joints
    outside = {
        k: one.limits
        for k, one in enumerate(joints)
        if one.limits and not one.limits[0] <= 0 <= one.limits[1]
    }
    keys = {f"joint[{k}].start": {"angle": 0.5 * sum(ends)} for k, ends in outside.items()}
    keys["solver.tolerance"] = 1e-8
    result = mb.System.from_file(tmp_path / "scene", set=keys).run(files=False, end=1.5)
    reached = 0
    for one in joints:
        low, high = one.limits or (-np.inf, np.inf)
        value = result.coordinate(f"{one.name}.angle").value
        assert value.min() > low - 1e-9 and value.max() < high + 1e-9
        reached += min(value.min() - low, high - value.max()) < 1e-9
    assert reached > 0
    assert np.abs(result.energy.balance).max() < 1e-6 * np.ptp(result.energy.potential)


def test_a_robot_with_joints_has_their_coordinates_and_a_body_alone_its_own(tmp_path):
    system = imported(tmp_path, '<link name="base"/>', link("rod"), joint("hinge", "base", "rod"))
    assert system.solver.raw["coordinates"] == "joint"
    assert system.simulate()._prepared.joint.folded.links[0].joint == 0
    (tmp_path / "alone").mkdir()
    alone = imported(tmp_path / "alone", link("stone"), floating=True)
    assert "coordinates" not in alone.solver.raw
