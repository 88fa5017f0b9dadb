"""Mass matrix, bias forces and Jacobians of problems and simulations: against Pinocchio, against motions in
maximal coordinates, and in control loops whose error has a known equation.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, solver, table, with_keys, world

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.errors import SceneError
from mbplugin.imports.one_scene import import_scene
from mbplugin.tables.groups import State

G = [0.3, -0.2, -9.81]
#: trees of all kinds of joints: a free root with a ball and a branch, an arm on the ground, a lone body, an
#: armature
TREES = (
    world(gravity=G)
    + body("base", mass=3, inertia=[0.3, 0.4, 0.5], center_of_mass=[0.1, 0.05, 0], velocity=[1, 2, 0.3])
    + body("a", mass=1, inertia=[0.1, 0.2, 0.25], position=[1, 0, 0], angular_velocity=[0.3, 1, 2])
    + body("b", mass=0.5, inertia=[0.1, 0.12, 0.2], position=[2, 0.1, 0], center_of_mass=[0.2, 0, 0.1])
    + body("c", mass=0.7, inertia=[0.05, 0.07, 0.08], position=[1, 1, 0], velocity=[0, 0, 1])
    + body("arm", mass=0.9, inertia=[0.05, 0.07, 0.09], position=[0, 0, 2])
    + body("ball", mass=1.1, inertia=[0.2, 0.3, 0.35], position=[5, 0, 0], angular_velocity=[1, 2, 3])
    + body("dot", type="point", mass=0.4, position=[6, 1, 0], velocity=[1, 0, 0])
    + joint("hip", "ball", "base", "a", at=[0.5, 0, 0])
    + joint("knee", "revolute", "a", "b", at=[1.5, 0, 0], axis=[0.1, 1, 0.3], armature=0.2)
    + joint("rail", "cylindrical", "a", "c", at=[1, 0.5, 0], axis=[0, 1, 0.2])
    + joint("pin", "revolute", "ground", "arm", at=[0.3, 0, 2], axis=[0, 1, 0], start={"speed": 2.0})
)
TREES = with_keys(TREES, "b", marker=[{"name": "tip", "position": [0.3, 0.1, -0.2]}])
PLANAR = (
    world(gravity=[0.5, 0, -9.81], plane="xz")
    + body("cart", type="planar", mass=2, inertia=0.4, position=[0, 0], velocity=[1, 0.2], angular_velocity=1)
    + body("rod", type="planar", mass=1, inertia=0.1, position=[1, 0.5], center_of_mass=[0.1, 0.05])
    + joint("pin", "pin", "cart", "rod", at=[0.5, 0.2], start={"speed": 0.4})
)


def simulation(text, coordinates, **keys):
    tight = {"tolerance": 1e-12, "end": 1.0, "coordinates": coordinates} | keys
    return mb.System.from_text(text + solver(**tight)).simulate()


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_names_tell_the_columns(coordinates):
    names = simulation(TREES, coordinates).joint_names()
    of_base = [f"base.{c}" for c in ("x", "y", "z", "wx", "wy", "wz")]
    of_hip = [f"hip.{c}" for c in ("wx", "wy", "wz")]
    assert [n for n in names if n.startswith(("base", "hip"))] == of_base + of_hip
    others = ["knee.angle", "rail.angle", "rail.length", "pin.angle", "ball.wz", "dot.v2"]
    assert set(others) < set(names)
    assert len(names) == len(set(names)) == 6 + 3 + 1 + 2 + 1 + 6 + 3
    planar = simulation(PLANAR, coordinates).joint_names()
    assert planar == ["cart.x", "cart.z", "cart.angle", "pin.angle"]


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
@pytest.mark.parametrize("text", [TREES, PLANAR])
def test_jacobians_give_the_velocities_of_the_bodies(text, coordinates):
    """[v; ω] = J ṡ of each mass centre, and v of a marker as the rate of its place."""
    motion = simulation(text, coordinates)
    motion.step(0.3)
    v = motion.joint_velocities()
    for name in motion._prepared.problem.names.bodies:
        J, seen = motion.jacobian(name), motion[name]
        expected = [*seen.center_of_mass_velocity, *seen.angular_velocity]
        assert J @ v == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert np.array_equal(motion.jacobian("ground"), np.zeros((6, len(v))))


def test_the_jacobian_of_a_marker_gives_its_velocity():
    motion = simulation(TREES, "joint")
    motion.step(0.3)
    seen = motion["b"]
    arm = rotated(seen.orientation, np.array([0.3, 0.1, -0.2]) - [0.2, 0, 0.1])
    J = motion.jacobian("b.tip")
    expected = seen.center_of_mass_velocity + np.cross(seen.angular_velocity, arm)
    assert (J @ motion.joint_velocities())[:3] == pytest.approx(expected, abs=1e-10)


def rotated(q, x):
    """x turned by a quaternion (w, x, y, z)."""
    w, u = q[0], np.asarray(q[1:])
    return x + 2.0 * np.cross(u, np.cross(u, x) + w * x)


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_the_mass_matrix_is_that_of_the_bodies(coordinates):
    """M = Σ m J_vᵀ J_v + J_ωᵀ R I Rᵀ J_ω, and armatures: from the mass matrix in maximal coordinates."""
    motion = simulation(TREES, coordinates)
    motion.step(0.3)
    names = motion.joint_names()
    M = np.zeros((len(names), len(names)))
    M[names.index("knee.angle"), names.index("knee.angle")] = 0.2
    for one in motion._prepared.system.bodies:
        J, of = motion.jacobian(one.name), one.mass_properties()
        R = np.column_stack([rotated(motion[one.name].orientation, e) for e in np.eye(3)])
        inertia = of.inertia if one.type != "point" else np.zeros((3, 3))
        M += of.mass * J[:3].T @ J[:3] + J[3:].T @ R @ inertia @ R.T @ J[3:]
    found = motion.mass_matrix()
    assert np.abs(found - M).max() <= 1e-12 * np.abs(M).max()
    assert np.array_equal(found, found.T)


@pytest.mark.parametrize("text", [TREES, PLANAR])
def test_bias_forces_are_those_of_the_free_motion_in_maximal_coordinates(text):
    """M s̈ + bias = 0 where nothing but gravity acts; s̈ by differences of a run in maximal coordinates."""
    motion, dt = simulation(text, "maximal"), 1e-3
    rates = []
    for k in range(5):
        motion.step(dt if k else 0.2)
        rates.append(motion.joint_velocities())
        if k == 2:
            M, bias, gravity = motion.mass_matrix(), motion.bias_forces(), motion.gravity_forces()
    acceleration = (rates[0] - 8 * rates[1] + 8 * rates[3] - rates[4]) / (12 * dt)
    assert M @ acceleration + bias == pytest.approx(np.zeros(len(bias)), abs=1e-8 * np.abs(bias).max())
    # gravity alone: −Σ m J_vᵀ g
    problem, g = motion._prepared.problem, np.array(motion._prepared.system.scene.gravity)
    repeated = simulation(text, "maximal")
    repeated.step(0.2)
    for _ in range(2):
        repeated.step(dt)
    expected = -sum(
        one.mass_properties().mass * repeated.jacobian(one.name)[:3].T @ g
        for one in repeated._prepared.system.bodies
    )
    assert gravity == pytest.approx(expected, abs=1e-11)
    assert problem.names.bodies


def test_a_problem_has_them_at_its_present_state():
    """Both coordinates, and after a change of a key."""
    quantities = []
    for coordinates in ("maximal", "joint"):
        text = TREES + solver(end=1.0, coordinates=coordinates)
        problem = mb.System.from_text(text).compile()
        quantities.append((problem.mass_matrix(), problem.bias_forces(), problem.jacobian("b.tip")))
        heavier = problem.copy()
        heavier.set_parameter("body.ball.mass", 2.2)
        k = heavier.joint_names().index("ball.x")
        assert (problem.mass_matrix()[k, k], heavier.mass_matrix()[k, k]) == pytest.approx((1.1, 2.2))
        assert problem.jacobian().shape == (problem.nc, problem.nv)
        names = problem.joint_names()
        before = problem.joint_velocities()
        problem[State].v[:] = 0.0
        assert np.array_equal(problem.joint_velocities(), np.zeros(len(names)))
        assert before.any()
        assert problem.bias_forces() == pytest.approx(problem.gravity_forces(), abs=1e-12)
    for a, b in zip(*quantities):
        assert a == pytest.approx(b, abs=1e-12)


def test_other_names_are_refused():
    motion = simulation(TREES, "maximal")
    with pytest.raises(SceneError, match='there is no body "nobody"'):
        motion.jacobian("nobody")
    with pytest.raises(SceneError, match='body "b" has no marker "tool"'):
        motion.jacobian("b.tool")


INPUTS = "".join(table("input", name=f"u{k}") for k in range(3))
#: an arm of three joints, whose motors take inputs
ARM = (
    world(gravity=[0, 0, -9.81])
    + INPUTS
    + "".join(
        body(f"b{k}", mass=2.0 - 0.5 * k, inertia=[0.02, 0.1, 0.12], position=[0.5 * k + 0.2, 0.02 * k, 0.1])
        for k in range(3)
    )
    + joint("j0", "revolute", "ground", "b0", at=[0, 0, 0], axis=[0.1, 1, 0])
    + joint("j1", "revolute", "b0", "b1", at=[0.5, 0, 0], axis=[0, 0.2, 1])
    + joint("j2", "translational", "b1", "b2", at=[1, 0, 0], axis=[1, 0, 0.3])
    + "".join(
        table("force", name=f"m{k}", type="joint_force", joint=f"j{k}", **{key: f"u{k}"})
        for k, key in enumerate(("torque", "torque", "force"))
    )
)


def act(motion, names, tau):
    """Set the motors' inputs: those of the joints' columns."""
    for name, value in zip(names, tau):
        motion.inputs[f"u{name[1]}"] = value


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_gravity_forces_hold_an_arm_at_rest(coordinates):
    motion = simulation(ARM, coordinates)
    names = motion.joint_names()
    assert sorted(names) == ["j0.angle", "j1.angle", "j2.length"]
    motion.run(1.0, control=lambda m: act(m, names, m.gravity_forces()), every=0.05)
    assert np.abs(motion.joint_velocities()).max() <= 1e-12
    assert np.abs(motion.joint_positions()).max() <= 1e-12


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_computed_torque_follows_a_path_by_the_equation_of_its_error(coordinates):
    """τ = M (s̈_d − k₁ ė − k₀ e) + bias makes ë + k₁ ė + k₀ e = 0. Held over a sample it does so to first
    order of the sample's length.
    """
    k0, k1 = 25.0, 6.0
    amplitude, rate = np.array([0.4, -0.3, 0.1]), np.array([2.0, 1.5, 3.0])
    e0 = np.array([0.2, -0.1, 0.05])
    # s(0) = 0, ṡ(0) = 0
    path = lambda t: (
        -e0 + amplitude * (1 - np.cos(rate * t)),
        amplitude * rate * np.sin(rate * t),
        amplitude * rate**2 * np.cos(rate * t),
    )
    s, w = k1 / 2, np.sqrt(k0 - k1**2 / 4)
    error = lambda t: e0 * np.exp(-s * t) * (np.cos(w * t) + s / w * np.sin(w * t))
    worst = []
    for every in (4e-3, 2e-3):
        motion = simulation(ARM, coordinates, tolerance=1e-9)
        names, deviations = motion.joint_names(), []

        def control(m, every=every, names=names, deviations=deviations):
            t = m.time + 0.5 * every
            s, v = m.joint_positions(), m.joint_velocities()
            deviations.append(np.abs(s - path(m.time)[0] - error(m.time)).max())
            at, rates, _ = path(m.time)
            a = path(t)[2] - k1 * (v - rates) - k0 * (s - at)
            act(m, names, m.mass_matrix() @ a + m.bias_forces())

        motion.run(1.0, control=control, every=every)
        worst.append(max(deviations))
    assert worst[1] < 1e-3
    assert 1.7 < worst[0] / worst[1] < 2.3


LINK = """
<link name="{name}"><inertial><origin xyz="{x}" rpy="0.1 0.2 0.3"/><mass value="{mass}"/>
  <inertia ixx="0.1" ixy="0.01" ixz="-0.02" iyy="0.15" iyz="0.005" izz="0.12"/></inertial></link>
"""
HINGE = """
<joint name="{name}" type="{kind}"><parent link="{a}"/><child link="{b}"/>
  <origin xyz="{at}" rpy="0.3 -0.2 0.5"/><axis xyz="{axis}"/>
  <limit lower="-9" upper="9" effort="9" velocity="9"/></joint>
"""


def robot():
    """URDF of an arm of six joints with a branch."""
    text = '<robot name="arm"><link name="world"/>'
    parents = ["world", "l0", "l1", "l2", "l1", "l4"]
    for k, parent in enumerate(parents):
        text += LINK.format(name=f"l{k}", x=f"0.1 {0.05 * k} 0.2", mass=1.0 + 0.3 * k)
        kind = "prismatic" if k == 2 else "continuous"
        axis = ("0 0 1", "0 1 0", "0.6 0 0.8", "1 0 0", "0 0.8 -0.6", "0 1 0")[k]
        text += HINGE.format(name=f"j{k}", kind=kind, a=parent, b=f"l{k}", at=f"0.2 0.1 {0.1 * k}", axis=axis)
    return text + "</robot>"


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_a_robot_has_the_matrices_of_pinocchio(coordinates, tmp_path):
    pinocchio = pytest.importorskip("pinocchio")
    file = tmp_path / "arm.urdf"
    file.write_text(robot())
    import_scene(file, tmp_path / "scene", plugins()[0], {"limits": False})
    system = mb.System.from_file(tmp_path / "scene")
    system.solver.raw["coordinates"] = coordinates
    motion = system.simulate()
    motion.step(0.7)  # it falls
    model = pinocchio.buildModelFromXML(robot())
    data = model.createData()
    names = motion.joint_names()
    order = [model.joints[model.getJointId(name.partition(".")[0])].idx_v for name in names]
    q, v = pinocchio.neutral(model), np.zeros(model.nv)
    for name, s, rate in zip(names, motion.joint_positions(), motion.joint_velocities()):
        one = model.joints[model.getJointId(name.partition(".")[0])]
        q[one.idx_q : one.idx_q + one.nq] = s if one.nq == 1 else [np.cos(s), np.sin(s)]
        v[one.idx_v] = rate
    assert len(names) == model.nv == 6
    assert np.abs(v).max() > 1.0
    sorted_as_here = lambda a: np.asarray(a)[order]
    M = pinocchio.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    assert motion.mass_matrix() == pytest.approx(M[np.ix_(order, order)], rel=1e-9, abs=1e-10)
    bias = pinocchio.nonLinearEffects(model, data, q, v)
    assert motion.bias_forces() == pytest.approx(sorted_as_here(bias), rel=1e-9, abs=1e-9)
    gravity = pinocchio.computeGeneralizedGravity(model, data, q)
    assert motion.gravity_forces() == pytest.approx(sorted_as_here(gravity), rel=1e-9, abs=1e-9)
    pinocchio.computeJointJacobians(model, data, q)
    pinocchio.updateFramePlacements(model, data)
    world_aligned = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J = pinocchio.getFrameJacobian(model, data, model.getFrameId("l5"), world_aligned)
    # of the frame of the link, from that of its mass centre
    body_of = system.body("l5")
    arm = rotated(motion["l5"].orientation, body_of.mass_properties().center_of_mass)
    found = motion.jacobian("l5")
    found[:3] -= np.cross(found[3:].T, arm).T
    assert found == pytest.approx(J[:, order], rel=1e-9, abs=1e-9)
