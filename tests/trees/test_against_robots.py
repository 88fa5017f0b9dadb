"""Mass matrices and accelerations of robots in joint coordinates, against pin and mujoco.

pin: M by its composite-rigid-body algorithm, accelerations by its articulated bodies. Both engines read the
same file without its shapes. Joints that mimic others are equations there as here.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
from both_coordinates import Both, begun, prepared
from robot_references import accelerations_of, full_mass, identifier, mimicked, urdf_model, without_left_out
from robots import urdf_files

from mbplugin.api import plugins
from mbplugin.errors import MbpluginError
from mbplugin.imports.one_scene import import_scene
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.problem.trees import mass_of_tree
from mbplugin.stepping.rates import rates
from mbplugin.tables.groups import Bodies, Rates, State
from mbplugin.tables.records import FREE

Array = Any
MODELS = Path(__file__).parents[1] / "imports" / "models"
#: file, and whether its root is free
DEFAULT = [
    (MODELS / "ur5_robot.urdf", False),
    (MODELS / "tiago_pro.urdf", False),
    (MODELS / "solo12.urdf", True),
    (MODELS / "simple_humanoid.urdf", True),
]
OTHERS = [(file, free) for file in urdf_files() for free in (False, True)]
CASES = [
    *(pytest.param(file, free, id=f"{file.stem}-{'free' if free else 'fixed'}") for file, free in DEFAULT),
    *(
        pytest.param(
            file,
            free,
            id=f"{file.parents[1].name}-{file.stem}-{'free' if free else 'fixed'}",
            marks=pytest.mark.slow,
        )
        for file, free in OTHERS
    ),
]
STATES = 3
TOLERANCE = 1e-10


class Coordinate(NamedTuple):
    """Where a joint of the robot is in the problem: number of the tree's body, places in q and v."""

    q: int
    v: int


class Robot:
    """A robot in joint coordinates. `free`: number of the root link among the links, and its mass centre."""

    def __init__(self, file: Path, floating: bool, folder: Path) -> None:
        self.file = without_shapes(file, folder)
        keys = {"floating": floating, "limits": False}
        import_scene(self.file, folder / "scene", plugins()[0], keys)
        system = System.from_file(folder / "scene")
        system.solver.raw["coordinates"] = "joint"
        self.two: Both = begun(prepared(system))
        self.joints: dict[str, Coordinate] = {}
        self.root: Coordinate | None = None
        self.centre = np.zeros(3)
        bodies, folded = self.two.tree[Bodies].index, self.two.joint.folded
        for t, links in enumerate(folded.trees):
            q, v = (int(n) for n in (bodies[folded.first_body + t][name] for name in ("first_q", "first_v")))
            for link in links:
                if link.form == FREE:
                    self.root, self.centre = Coordinate(q, v), link.x
                for k, _ in enumerate(link.coordinates):
                    assert len(link.coordinates) == 1
                    self.joints[self.two.full.names.joints[link.joint].name] = Coordinate(q + k, v + k)
                q, v = q + link.nq, v + link.rates

    @property
    def state(self) -> State:
        return self.two.tree[State]

    def mass(self) -> Array:
        """M of all trees, at the present state."""
        tree = self.two.tree
        tree.check(entries.evaluate(tree.addresses))
        M = np.zeros((tree.nv, tree.nv))
        for body in tree[Bodies].index[tree[Bodies].index.nv > 0]:
            own = slice(int(body.first_v), int(body.first_v) + int(body.nv))
            assert body.tree >= 0
            M[own, own] = mass_of_tree(tree, body)
        return M

    def accelerations(self) -> Array:
        tree = self.two.tree
        tree.check(tree.call_function(rates, 0))
        return tree[Rates].v_dot.copy()


def without_shapes(file: Path, folder: Path) -> Path:
    """The file without what has no mass, in `folder`."""
    document = ElementTree.parse(file)
    for link in document.getroot().iter("link"):
        for shape in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shape)
    target = folder / file.name
    document.write(target)
    return target


def imported(file: Path, floating: bool, folder: Path) -> Robot:
    try:
        robot = Robot(file, floating, folder)
    except MbpluginError as error:
        assert (file, floating) not in DEFAULT, error
        pytest.skip(f"refused: {error}")
    if not robot.joints:
        pytest.skip("it has no joint, and a body alone is no tree")
    return robot


def close(ours: Array, theirs: Array, what: str) -> None:
    scale = max(float(np.abs(theirs).max(initial=0.0)), 1e-3)
    assert np.abs(ours - theirs).max(initial=0.0) < TOLERANCE * scale, what


@pytest.mark.parametrize(("file", "floating"), CASES)
def test_mass_matrix_and_accelerations_are_those_of_pin(file, floating, tmp_path):
    pin = pytest.importorskip("pinocchio")
    robot = imported(file, floating, tmp_path)
    root = [pin.JointModelFreeFlyer()] if floating else []
    model = pin.buildModelFromUrdf(str(robot.file), *root)
    data = model.createData()
    S, c = mimicked(robot.file, model)
    of_pin, of_ours = [], []
    for number, name in enumerate(model.names):
        joint = model.joints[number]
        if number > 0 and joint.nv == 1:
            of_pin.append(joint.idx_v)
            of_ours.append(robot.joints[identifier(name)])
    rng = np.random.default_rng(1)
    for _ in range(STATES):
        s = S @ rng.uniform(-1.0, 1.0, S.shape[1]) + c
        v = S @ rng.uniform(-2.0, 2.0, S.shape[1])
        q = pin.integrate(model, pin.neutral(model), s)
        J, J_dot_v = np.zeros((robot.two.tree.nv, model.nv)), np.zeros(robot.two.tree.nv)
        state = robot.state
        for i, at in zip(of_pin, of_ours):
            J[at.v, i] = 1.0
            state.q[at.q] = s[i]
        if robot.root is not None:
            J_root, J_dot_v_root = put_root(robot, pin, q, v)
            J[robot.root.v : robot.root.v + 6, :6] = J_root
            J_dot_v[robot.root.v : robot.root.v + 6] = J_dot_v_root
        state.v[:] = J @ v
        M = np.array(pin.crba(model, data, q))
        M = np.triu(M) + np.triu(M, 1).T
        close(J.T @ robot.mass() @ J, M, "M")
        tau = -model.damping * v
        if S.shape[0] == S.shape[1]:
            a = pin.aba(model, data, q, v, tau)
        else:
            h = tau - pin.nle(model, data, q, v)
            a = S @ np.linalg.solve(S.T @ M @ S, S.T @ h)
        close(robot.accelerations(), J @ a + J_dot_v, "accelerations")


def put_root(robot: Robot, pin: Any, q: Array, v: Array) -> tuple[Array, Array]:
    """Put the free root into the state that pin has; returns J and J̇ v of its velocities: of the mass centre
    in world axes and the angular one in axes of the body, from those of the link's origin in body axes.
    """
    assert robot.root is not None
    at, c = robot.root, robot.centre
    x, y, z, w = q[3:7]
    R = pin.Quaternion(w, x, y, z).toRotationMatrix()
    robot.state.q[at.q : at.q + 7] = [*(q[:3] + R @ c), w, x, y, z]
    J, omega = np.zeros((6, 6)), v[3:6]
    J[:3, :3], J[:3, 3:], J[3:, 3:] = R, -R @ pin.skew(c), np.eye(3)
    linear = v[:3] + np.cross(omega, c)
    return J, np.concatenate([R @ np.cross(omega, linear), np.zeros(3)])


@cache
def fixed_files() -> list[Any]:
    """Of two robots by default: the others are compared with pin."""
    marks = lambda file: () if (file, False) in DEFAULT[:2] else pytest.mark.slow
    return [
        pytest.param(*case.values, id=case.id, marks=marks(case.values[0]))
        for case in CASES
        if not case.values[1]
    ]


@pytest.mark.parametrize(("file", "floating"), fixed_files())
def test_mass_matrix_and_accelerations_are_those_of_mujoco(file, floating, tmp_path):
    pytest.importorskip("mujoco")
    import mujoco

    robot = imported(file, floating, tmp_path)
    try:
        model = urdf_model(robot.file)
    except ValueError as error:
        pytest.skip(f"mujoco refuses it: {error}")
    data = mujoco.MjData(model)
    without_left_out(model, set())
    S, c = mimic_of_mujoco(robot.file, model)
    rng = np.random.default_rng(2)
    names = [identifier(model.joint(j).name) for j in range(model.njnt)]
    assert all(name in robot.joints for name in names) and model.nv == len(names)
    places = [robot.joints[name] for name in names]
    order = [at.v for at in places]
    for _ in range(STATES):
        data.qpos[:] = S @ rng.uniform(-1.0, 1.0, S.shape[1]) + c
        data.qvel[:] = S @ rng.uniform(-2.0, 2.0, S.shape[1])
        state = robot.state
        for k, at in enumerate(places):
            state.q[at.q], state.v[at.v] = data.qpos[k], data.qvel[k]
        a = accelerations_of(model, data)
        close(robot.mass()[np.ix_(order, order)], full_mass(model, data), "M")
        close(robot.accelerations()[order], a, "accelerations")


def mimic_of_mujoco(file: Path, model: Any) -> tuple[Array, Array]:
    """S (nv, n) and c (nv,) of q = S y + c in mujoco's order of joints."""

    class Joints:
        """The interface of pin's model that `mimicked` reads."""

        nv = model.nv
        joints = {model.joint(j).name: At(int(model.jnt_dofadr[j])) for j in range(model.njnt)}

        def existJointName(self, name: str) -> bool:
            return name in self.joints

        def getJointId(self, name: str) -> str:
            return name

    return mimicked(file, Joints())


class At(NamedTuple):
    idx_v: int
