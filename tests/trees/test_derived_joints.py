"""Joints that carry bodies by their own rows and coordinates, against scenes in maximal coordinates."""

from __future__ import annotations

from math import pi

import acme_screws
import barrel_cam
import numpy as np
import pytest
from headless import Runs, show
from scene_text import body, bundled, changed, hinge, joint, solver, torque, with_keys, world
from scipy.spatial.transform import Rotation

from mbplugin.errors import PhysicsError
from mbplugin.kernels import entries
from mbplugin.kernels.tree.numbers import NUMBERS
from mbplugin.stepping.rates import rates
from mbplugin.tables.groups import DerivedRows, Elements, FrameValues, Measures, Rates, Rows, State, Trees
from mbplugin.tables.purposes import COORDINATE

END, HEIGHT = 0.8, 0.08
TIGHT = {"integrator": "dop853", "tolerance": 1e-12, "end": END}
#: of both links of a scene; their markers stand along z, as shafts do
SHAFT = {"mass": 1.5, "inertia": [0.02, 0.03, 0.01]}


def shafts(kind: str, first: str = "a", **keys) -> str:
    """Two shafts: the first hangs by the joint from the end of a turning arm, the second by another one from
    its end. first: which marker of them is on the ground's side.
    """
    ends = (("arm.end", "one.top"), ("one.bottom", "two.top"))
    pairs = [pair if first == "a" else pair[::-1] for pair in ends]
    down = {"axis": [1, 0, 0], "angle_deg": 180}
    marker = lambda name, z: {"name": name, "position": [0, 0, z], "orientation": down}
    return (
        world(gravity=[0, 0, -9.81])
        + body(
            "arm",
            mass=1.0,
            inertia=[0.01, 0.1, 0.1],
            marker=[{**marker("end", 0.0), "position": [0.4, 0, 0]}],
        )
        + body("one", **SHAFT, position=[0.4, 0, -0.3], marker=[marker("top", 0.3), marker("bottom", -0.3)])
        + body("two", **SHAFT, position=[0.4, 0, -0.8], marker=[marker("top", 0.2)])
        + hinge("shoulder", "ground", "arm", axis=[0.2, 0, 1], start={"speed": 2.0})
        + joint("upper", kind, *pairs[0], **keys)
        + joint("lower", kind, *pairs[1], **keys)
        + torque("two", x="0.3*sin(5*time)", y="0.2*cos(3*time)", z="0.02")
    )


def cams() -> str:
    """A barrel cam on a swinging arm."""
    return (
        world(gravity=[0, 0, -9.81])
        + body("arm", mass=1.0, inertia=[0.05, 0.1, 0.1], marker=[{"name": "end", "position": [0.3, 0, 0]}])
        + body(
            "follower",
            mass=0.8,
            inertia=[0.01, 0.02, 0.03],
            center_of_mass=[0.05, 0.02, 0.1],
            position=[0.3, 0, 0],
        )
        + hinge("shoulder", "ground", "arm", axis=[0, 1, 0.3], start={"speed": 1.0})
        + joint("cam", "barrel_cam", "arm.end", "follower", height=HEIGHT, start={"angle": 0.4, "speed": 6.0})
    )


SCENES = {
    "universal": shafts("universal"),
    "universal from b": shafts("universal", "b"),
    "constant_velocity": shafts("constant_velocity"),
    "constant_velocity from b": shafts("constant_velocity", "b"),
    "barrel_cam": cams(),
    "with armature": with_keys(shafts("universal"), "upper", armature={"angle_x": 0.1, "angle_y": 0.05}),
}
#: joints whose motion is derived, of the others of a scene
DERIVED = {"barrel_cam": 1, "constant_velocity": 2, "constant_velocity from b": 2}


@pytest.fixture(scope="module")
def offered() -> Runs:
    return Runs.offering(barrel_cam=barrel_cam, acme_screws=acme_screws)


def in_joint_coordinates(text: str, **keys) -> str:
    return text + solver(**(TIGHT | keys), coordinates="joint")


def put_random_state(tree, random) -> None:
    """Coordinates and rates anywhere near those of the scene, in both problems."""
    state = tree[State]
    state.q[:] += random.uniform(-0.4, 0.4, len(state.q))
    state.v[:] = random.uniform(-3.0, 3.0, len(state.v))
    state.time[0] = random.uniform(0.0, 1.0)


def accelerations_of_coordinates(problem) -> dict[str, float]:
    """s̈ of all joint coordinates, from the accelerations of the markers: J (twist rates) + bias."""
    problem.check(entries.marker_rates(problem.addresses))
    problem.check(entries.call_purpose(problem.addresses, COORDINATE))
    measures, slots, values = problem[Measures], problem[Elements].marker, problem[FrameValues]
    found = {}
    for coordinate in problem.names.coordinates:
        one = measures.index[coordinate.measure]
        at = slots[one.first_slot : one.first_slot + one.slots]
        twist_rates = np.hstack([values.v_dot[at], values.w_dot[at]]).ravel()
        J = measures.J[one.first_J : one.first_J + len(twist_rates)]
        found[coordinate.name] = float(J @ twist_rates + measures.bias[coordinate.measure])
    return found


@pytest.mark.parametrize("scene", SCENES)
def test_accelerations_at_random_states(scene, offered):
    prepared = offered.prepare(in_joint_coordinates(SCENES[scene]))
    integrator = prepared.start(END)
    tree, full = integrator.problem, prepared.problem
    assert len(tree[DerivedRows].index) == DERIVED.get(scene, 0)
    assert tree.nc == 0
    names = [
        f"{tree.names.joints[link.joint].name}.{name}"
        for link in prepared.joint.folded.links
        for name in link.coordinates
    ]
    random = np.random.default_rng(3)
    for _ in range(5):
        put_random_state(tree, random)
        tree.check(tree.call_function(rates, 0))
        prepared.joint.put_back(tree, full)
        full.check(full.call_function(rates, 0))
        rows = [r for one in full.names.joints for r in one.rows]
        assert np.abs(full[Rows].phi[rows]).max() < 1e-13
        expected = accelerations_of_coordinates(full)
        scale = 1.0 + max(map(abs, expected.values()))
        for name, found in zip(names, tree[Rates].v_dot, strict=True):
            assert found == pytest.approx(expected[name], abs=1e-10 * scale), name


@pytest.mark.parametrize("scene", SCENES)
def test_motion_is_that_of_maximal_coordinates(scene, offered):
    times = np.linspace(0.0, END, 9)
    joint = offered.frames(in_joint_coordinates(SCENES[scene]), times)
    maximal = offered.frames(SCENES[scene] + solver(**TIGHT), times)
    for a, b in zip(maximal, joint, strict=True):
        for key in ("bodies/center_of_mass", "coordinates/value", "joints/force", "joints/torque"):
            scale = 1.0 + np.abs(a[key]).max()
            assert b[key] == pytest.approx(a[key], abs=2e-9 * scale), key


def test_the_cardan_shaft_moves_as_in_maximal_coordinates(offered):
    text = bundled("cardan_shaft")
    times = np.linspace(0.0, 2 * pi / 20, 7)
    maximal = offered.frames(text, times)
    joint = offered.frames(changed(text, "[solver]\n", '[solver]\ncoordinates = "joint"\n'), times)
    for a, b in zip(maximal, joint, strict=True):
        # q and −q are one orientation
        turns = [np.abs(np.sum(a["bodies/orientation"] * b["bodies/orientation"], axis=-1))]
        assert np.min(turns) >= 1.0 - 1e-14
        for key in ("bodies/position", "coordinates/value", "joints/torque"):
            assert b[key] == pytest.approx(a[key], abs=1e-10 * (1.0 + np.abs(a[key]).max())), key


@pytest.mark.parametrize("given", [{"tolerance": 1e-8}, {"integrator": "rk4", "step": 1e-3}])
def test_a_position_without_coordinates_is_named(given, offered):
    """Both angles of a joint of constant velocity are 90 degrees wherever the angle of the shafts is."""
    text = changed(shafts("constant_velocity"), 'torque_x = "0.3*sin(5*time)"', 'torque_x = "4.0"')
    keys = {"integrator": "dop853", **given}
    integrator = offered.prepare(in_joint_coordinates(text, **{"tolerance": None, **keys})).start(END)
    with pytest.raises(PhysicsError, match="its coordinates do not describe its motion") as raised:
        show(integrator, END, END)
    said = str(raised.value)
    assert 'joint "lower" (constant_velocity)' in said
    assert 'use coordinates = "maximal"' in said
    assert 0.0 < raised.value.time < END


def test_a_universal_has_coordinates_at_any_angle(offered):
    """The lower shaft turns right round about its cross, through 90 and 180 degrees between the shafts."""
    text = shafts("universal").replace("0.3*sin(5*time)", "6.0").replace("0.2*cos(3*time)", "0")
    times = np.linspace(0.0, END, 9)
    joint = offered.frames(in_joint_coordinates(text), times)
    assert max(np.abs(frame["coordinates/value"]).max() for frame in joint) > 2 * pi
    maximal = offered.frames(text + solver(**TIGHT), times)
    for a, b in zip(maximal, joint, strict=True):
        assert b["bodies/center_of_mass"] == pytest.approx(a["bodies/center_of_mass"], abs=1e-8)


def test_far_coordinates_are_found(offered):
    """As after a checkpoint: the pose is that of the coordinates, wherever the last one was."""
    integrator = offered.prepare(in_joint_coordinates(SCENES["barrel_cam"])).start(END)
    tree = integrator.problem
    pose, random = tree[DerivedRows].pose, np.random.default_rng(4)
    for _ in range(20):
        tree[State].q[1] = angle = random.uniform(-8.0, 8.0)
        tree.check(entries.evaluate(tree.addresses))
        found = Rotation.from_quat(np.roll(pose[3:], -1)).as_matrix()
        assert found == pytest.approx(Rotation.from_euler("Z", angle).as_matrix(), abs=1e-13)
        assert pose[:3] == pytest.approx([0, 0, HEIGHT * (1.0 - np.cos(angle))], abs=1e-13)


@pytest.mark.parametrize("first", "ab")
def test_universals_in_the_momentum_form(first, offered):
    times = np.linspace(0.0, END, 9)
    text = shafts("universal", first)
    momentum = offered.frames(in_joint_coordinates(text, form="momentum"), times)
    maximal = offered.frames(text + solver(**TIGHT), times)
    for a, b in zip(maximal, momentum, strict=True):
        for key in ("bodies/center_of_mass", "bodies/angular_velocity", "joints/force", "joints/torque"):
            assert b[key] == pytest.approx(a[key], abs=2e-9 * (1.0 + np.abs(a[key]).max())), key


def test_joints_of_other_coordinates_have_the_same_form(offered):
    """A cross whose first angle is the one about the axis of the second body, on a chain with common ones."""
    text = shafts("other_cross")
    times = np.linspace(0.0, END, 5)
    joint = offered.frames(in_joint_coordinates(text), times)
    maximal = offered.frames(text + solver(**TIGHT), times)
    assert np.ptp([frame["coordinates/value"] for frame in joint], axis=0).min() > 0.03
    for a, b in zip(maximal, joint, strict=True):
        for key in ("bodies/center_of_mass", "coordinates/value", "joints/torque"):
            assert b[key] == pytest.approx(a[key], abs=2e-9 * (1.0 + np.abs(a[key]).max())), key


@pytest.mark.parametrize("beyond", [(2.0, 2.1), (1.7, 1.9), (2.5, 2.5), (-1.8, 1.75)])
def test_coordinates_beyond_a_singular_position_are_refused(beyond, offered):
    """Poses with these coordinates exist, but no motion leads there without losing them on its way."""
    integrator = offered.prepare(in_joint_coordinates(SCENES["constant_velocity"])).start(END)
    tree = integrator.problem
    tree.check(entries.evaluate(tree.addresses))
    tree[State].q[1:3] = beyond
    with pytest.raises(PhysicsError, match=r'joint "upper" .* do not describe its motion'):
        tree.check(entries.evaluate(tree.addresses))


def test_a_trial_beyond_a_singular_position_is_shortened(offered):
    """A shaft that hits an elastic stop before 90 degrees, in steps that would lead beyond."""
    text = (
        world(gravity=[0, 0, 0])
        + body("shaft", mass=1.0, inertia=[1, 1, 1], angular_velocity=[2, 0, 0])
        + joint("cv", "constant_velocity", "ground", "shaft", at=[0, 0, 0])
        + torque("shaft", x="-1e5*max(cv.angle_x - 1.4, 0)**3")
    )
    times = [0.0, 1.5]
    loose = {"tolerance": 1e-4, "end": 1.5}
    joint_end = offered.frames(in_joint_coordinates(text, **loose), times)[-1]
    maximal_end = offered.frames(text + solver(**TIGHT | {"end": 1.5}), times)[-1]
    assert joint_end["coordinates/value"] == pytest.approx(maximal_end["coordinates/value"], abs=1e-2)


def test_poses_do_not_depend_on_the_way(offered):
    """Ten thousand small steps and back: rounding does not add up."""
    integrator = offered.prepare(in_joint_coordinates(SCENES["constant_velocity"])).start(END)
    tree = integrator.problem
    rows, q = tree[DerivedRows], tree[State].q.copy()
    tree.check(entries.evaluate(tree.addresses))
    before = rows.pose.copy()
    for k in range(10000):
        tree[State].q[1:] = q[1:] + 0.3 * np.sin(0.01 * k * np.array([1.0, 1.3, 0.7, 1.9]))
        tree.check(entries.evaluate(tree.addresses))
    tree[State].q[:] = q
    tree.check(entries.evaluate(tree.addresses))
    assert rows.pose == pytest.approx(before, abs=1e-15)


def test_a_relation_of_the_coordinates_stays_a_row(offered):
    """Its coordinates are not those of a state: turns cannot be told from the position."""
    text = shafts("coupled_cross")
    prepared = offered.prepare(in_joint_coordinates(text))
    reasons = prepared.joint.folded.choice.reasons
    assert reasons["upper"] == "it relates its coordinates, and its body moves on no line, circle or screw"
    assert len(prepared.start(END).problem[DerivedRows].index) == 0


def test_links_without_mass_are_named(offered):
    """No scene can have one, but the motion of a light link between heavy ones may be lost in rounding."""
    free = body("free", mass=1.0, inertia=[1, 1, 1], position=[3, 0, 0])
    text = SCENES["universal"] + free + joint("on it", "revolute", "free", "four") + body("four", **SHAFT)
    integrator = offered.prepare(in_joint_coordinates(text)).start(END)
    on_free = 'joint "on it" moves no mass: give body "four" a mass'
    for links, armature, message in (
        ([2], 0.0, 'joint "lower" moves no mass: give body "two" a mass'),
        ([4], 0.0, on_free),
        ([3, 4], 1.0, 'free motion of body "free" moves no mass'),
    ):
        tree = integrator.problem.copy()
        tree[Trees].fixed.reshape(-1, NUMBERS)[links, 12:] = 0.0
        tree[Trees].armature[-1] = armature
        with pytest.raises(PhysicsError, match=message) as raised:
            tree.check(entries.evaluate(tree.addresses))
        assert raised.value.time == 0.0
        assert 'use coordinates = "maximal"' in str(raised.value)


def test_a_run_ends_where_a_coordinate_turns_back(offered):
    """An angle whose thread has its largest value where its rate is zero, and the length goes on."""
    text = world(gravity=[0, 0, -9.81]) + body("nut", mass=0.7, inertia=[0.03, 0.04, 0.05])
    text += joint("thread", "variable_screw", "ground", "nut", turn=4.0, growth=30.0)
    text += solver(tolerance=1e-11, end=0.5, coordinates="joint")
    with pytest.raises(PhysicsError, match=r'joint "thread".*where its coordinates do not describe.*angle ='):
        offered.frames(text, [0.5])
