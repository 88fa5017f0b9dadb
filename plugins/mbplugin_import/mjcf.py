"""Importer of MJCF, the models of MuJoCo.

The library mujoco reads the file: it resolves defaults, included files, orientations, inertias from shapes
and the conventions of its compiler as nobody else can be trusted to. The scene is made of its compiled model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, suggestion
from mbplugin.interface import Imported, Importer, MassProperties
from mbplugin_import.actuators import AT_JOINT, AT_JOINT_IN_PARENT, add_actuators, of_actuators
from mbplugin_import.chains import join_chains
from mbplugin_import.equalities import JOINT as RELATION
from mbplugin_import.equalities import OF_JOINT, add_equalities
from mbplugin_import.geoms import add_geoms
from mbplugin_import.left_out import list_left_out
from mbplugin_import.mjcf_file import compiled
from mbplugin_import.options import switched_off
from mbplugin_import.poses import Pose, of_quaternion
from mbplugin_import.robot import WORLD, Joint, Link, Robot
from mbplugin_import.scene import MassKeys, scene_of
from mbplugin_import.words import LeftOut

FREE, BALL, SLIDE, HINGE = range(4)
TYPES = {FREE: "free", BALL: "ball", SLIDE: "translational", HINGE: "revolute"}
NO_NAME = "MuJoCo Model"  # of a file that gives none
EXAMPLE = """
<mujoco model="pendulum">
  <worldbody>
    <body name="bob" pos="0 0 1">
      <joint name="hinge" axis="0 1 0" armature="0.1" damping="0.2"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -1" mass="2"/>
    </body>
  </worldbody>
  <actuator><motor name="drive" joint="hinge" gear="3"/></actuator>
</mujoco>
"""


class MjcfKeys(MassKeys):
    keyframe: str = ""
    """Name of the keyframe at which the scene starts; default: the configuration of the file."""


class Mjcf(Importer):
    """Bodies, shapes, joints with their springs, friction and limits, actuators, and equalities as joints."""

    name = "mjcf"
    suffixes = (".xml", ".mjcf")
    root = "mujoco"
    parameters = MjcfKeys
    examples = (EXAMPLE,)

    @classmethod
    def read(cls, file: Path, params: Any) -> Imported:
        left_out = LeftOut()
        reader = Reader(compiled(file, left_out), params, left_out)
        if reader.robot.name == NO_NAME:
            reader.robot.name = file.stem
        return scene_of(reader.whole(), params)


class Reader:
    """What is made of one compiled model."""

    def __init__(self, model: Any, params: Any, left_out: LeftOut) -> None:
        self.model, self.params = model, params
        self.robot = Robot(text(model.names, 0), left_out=left_out)
        self.names, self.signals = self.robot.names, self.robot.signals
        self.off = switched_off(model)
        self.key = self.keyframe()  # number of the keyframe at the start, or None
        key = self.key
        self.qpos = model.qpos0 if key is None else model.key_qpos[key]
        self.qvel = np.zeros(model.nv) if key is None else model.key_qvel[key]
        self.ctrl = np.zeros(model.nu) if key is None else model.key_ctrl[key]
        self.equalities: list[int] = []  # that the scene has
        self.link: list[str] = [WORLD]  # of each body
        #: number of a joint -> its name in the scene and its coordinate, "" if it has no single one
        self.joint: dict[int, tuple[str, str]] = {}
        self.merged: set[str] = set()  # joints that have several coordinates
        self.shared: set[int] = set()  # joints with a range of what motors exert, and several of them

    def name(self, what: str, number: int, default: str = "") -> str:
        """Name of an object; `what`: body, jnt, geom, site, mesh, eq, tendon, actuator, key."""
        given = text(self.model.names, int(getattr(self.model, f"name_{what}adr")[number]))
        return given or default or f"{what}_{number}"

    def keyframe(self) -> int | None:
        """Number of the keyframe that is the start. Raises SceneError."""
        keys = [self.name("key", k) for k in range(self.model.nkey)]
        wanted = self.params.keyframe
        if not wanted:
            return None
        if wanted not in keys:
            raise SceneError("keyframe", wanted, f"there is no such keyframe{suggestion(wanted, keys)}")
        return keys.index(wanted)

    def whole(self) -> Robot:
        """The robot. Raises SceneError."""
        model, robot = self.model, self.robot
        robot.gravity = [0.0] * 3 if "gravity" in self.off else model.opt.gravity.tolist()
        for body in range(1, model.nbody):
            self.add_body(body)
        add_geoms(self)
        for site in range(model.nsite):
            pose = Pose(model.site_pos[site], of_quaternion(model.site_quat[site]))
            link = robot.links[self.link[model.site_bodyid[site]]]
            link.frames[self.name("site", site)] = pose
        self.join_chains()
        add_equalities(self)
        add_actuators(self)
        list_left_out(self)
        return robot

    def add_body(self, body: int) -> None:
        """Add a link, its joints, and links without mass between several joints."""
        model, robot = self.model, self.robot
        mass = None
        if model.body_mass[body] > 0.0:
            R = of_quaternion(model.body_iquat[body])
            inertia = R @ np.diag(model.body_inertia[body]) @ R.T
            mass = MassProperties(float(model.body_mass[body]), model.body_ipos[body].copy(), inertia)
        name = self.name("body", body)
        while name in robot.links:
            name += "_"
        robot.links[name] = Link(name, mass)
        x, q = model.body_pos[body], model.body_quat[body]
        mocap = int(model.body_mocapid[body])
        if mocap >= 0 and self.key is not None:
            at_key = (model.key_mpos[self.key], model.key_mquat[self.key])
            x, q = (array.reshape(model.nmocap, -1)[mocap] for array in at_key)
        parent, pose = self.link[model.body_parentid[body]], Pose(x.copy(), of_quaternion(q))
        self.link.append(name)
        first, number = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if number == 0:
            robot.joints.append(Joint(f"{name}_fixed", "fixed", parent, name, pose))
        for k in range(number):
            child = name if k == number - 1 else f"{name}_before_{k + 1}"
            robot.links.setdefault(child, Link(child))
            self.add_joint(first + k, parent, child, pose)
            parent, pose = child, Pose()

    def add_joint(self, j: int, parent: str, child: str, pose: Pose) -> None:
        model = self.model
        kind = int(model.jnt_type[j])
        q, v = int(model.jnt_qposadr[j]), self.dofs(j)
        rates = self.qvel[v]
        name = self.names.new(self.name("jnt", j, f"{child}_joint"))
        joint = Joint(name, TYPES[kind], parent, child, pose, model.jnt_pos[j].copy())
        self.joint[j] = (name, {SLIDE: "length", HINGE: "angle"}.get(kind, ""))
        if kind == FREE:
            joint.moved = Pose(self.qpos[q : q + 3], of_quaternion(self.qpos[q + 3 : q + 7]))
            joint.twist = (joint.moved.R.T @ rates[:3], rates[3:])
        elif kind == BALL:
            R = of_quaternion(self.qpos[q : q + 4])
            joint.moved = pose @ Pose(joint.at - R @ joint.at, R)
            joint.twist = (np.cross(joint.at, rates), rates)
            joint.keys = self.keys_of_ball(j)
        else:
            with np.errstate(invalid="ignore"):  # zero, where the file has it too large
                joint.axis = model.jnt_axis[j] / np.linalg.norm(model.jnt_axis[j])
            joint.zero, joint.value = float(model.qpos0[q]), float(self.qpos[q])
            joint.twist = joint.rates(float(rates[0]))
            stiffness = 0.0 if "spring" in self.off else float(model.jnt_stiffness[j])
            damping, armature = of_actuators(model, j)
            damping += float(model.dof_damping[v][0])
            keys = {
                "stiffness": stiffness,
                "rest": float(model.qpos_spring[q]) if stiffness else 0.0,
                "damping": 0.0 if "damper" in self.off else damping,
                "armature": armature + float(model.dof_armature[v][0]),
                **self.bounds(j),
            }
            joint.keys = {key: value for key, value in keys.items() if value}
            for key in keys.keys() - {"rest", "limits"}:
                if keys[key] < 0.0:
                    given = self.name("jnt", j, name)
                    raise SceneError(f'joint "{given}": {key}', keys[key], "must not be negative")
        self.robot.joints.append(joint)

    def keys_of_ball(self, j: int) -> dict[str, Any]:
        """Springs, limits and friction of a ball joint, as keys of a scene: MuJoCo's spring and limit are of
        the angle of the whole rotation, its damper acts in all directions.
        """
        model, v = self.model, self.dofs(j)
        keys: dict[str, Any] = {
            "stiffness": 0.0 if "spring" in self.off else float(model.jnt_stiffness[j]),
            "damping": 0.0 if "damper" in self.off else float(model.dof_damping[v][0]),
        }
        for key, value in keys.items():
            if value < 0.0:
                raise SceneError(f'joint "{self.name("jnt", j)}": {key}', value, "must not be negative")
        keys = {key: {"rotation": value} for key, value in keys.items() if value}
        if not self.params.limits:
            return keys
        if model.jnt_limited[j] and "limit" not in self.off:
            keys["limits"] = {"rotation": [0.0, float(model.jnt_range[j].max())]}
        dry = float(model.dof_frictionloss[v][0])
        if dry and "frictionloss" not in self.off:
            keys["friction_torque"] = {"swing": dry, "twist": dry}
        return keys

    def bounds(self, j: int) -> dict[str, Any]:
        """Limits and dry friction of a joint with one coordinate, as keys of a scene."""
        model, keys = self.model, {}
        if not self.params.limits:
            return {}
        if model.jnt_limited[j] and "limit" not in self.off:
            keys["limits"] = model.jnt_range[j].tolist()
        if "frictionloss" not in self.off:
            dry = "friction_torque" if int(model.jnt_type[j]) == HINGE else "friction_force"
            keys[dry] = float(model.dof_frictionloss[self.dofs(j)][0])
        return keys

    def join_chains(self) -> None:
        """Make one joint of those that are one in a scene."""
        model = self.model
        read = {int(n) for n, t in zip(model.wrap_objid, model.wrap_type) if t == OF_JOINT}
        at_joints = np.isin(model.actuator_trntype, (AT_JOINT, AT_JOINT_IN_PARENT))
        read |= set(model.actuator_trnid[at_joints, 0].tolist())
        related = model.eq_type == RELATION
        read |= {*model.eq_obj1id[related].tolist(), *model.eq_obj2id[related].tolist()} - {-1}
        names = join_chains(self.robot, {self.joint[j][0] for j in read})
        self.merged = {name for name, _ in names.values()}
        self.joint = {j: names.get(name, (name, coordinate)) for j, (name, coordinate) in self.joint.items()}

    def dofs(self, j: int) -> slice:
        """The velocities of a joint."""
        first = int(self.model.jnt_dofadr[j])
        return slice(first, first + {FREE: 6, BALL: 3}.get(int(self.model.jnt_type[j]), 1))


def text(names: bytes, first: int) -> str:
    """A text that ends with a zero byte."""
    return names[first : names.index(b"\0", first)].decode("utf-8", "replace")
