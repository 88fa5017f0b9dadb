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
from mbplugin_import.actuators import add_actuators
from mbplugin_import.equalities import add_equalities
from mbplugin_import.geoms import add_geoms
from mbplugin_import.mjcf_file import compiled
from mbplugin_import.poses import Pose, of_quaternion
from mbplugin_import.robot import WORLD, Joint, Link, Robot
from mbplugin_import.scene import MassKeys, scene_of
from mbplugin_import.words import few

FREE, BALL, SLIDE, HINGE = range(4)
TYPES = {FREE: "free", BALL: "ball", SLIDE: "translational", HINGE: "revolute"}
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
    """Bodies, shapes, joints with springs, damping and armature, actuators, and equalities as joints."""

    name = "mjcf"
    suffixes = (".xml", ".mjcf")
    root = "mujoco"
    parameters = MjcfKeys
    examples = (EXAMPLE,)

    @classmethod
    def read(cls, file: Path, params: Any) -> Imported:
        left_out: list[str] = []
        model = compiled(file, left_out)
        reader = Reader(model, params)
        reader.robot.left_out = left_out
        reader.robot.name = reader.robot.name or file.stem
        return scene_of(reader.whole(), params)


class Reader:
    """What is made of one compiled model."""

    def __init__(self, model: Any, params: Any) -> None:
        self.model, self.params = model, params
        self.robot = Robot(text(model.names, 0))
        self.names, self.signals = self.robot.names, self.robot.signals
        self.qpos, self.ctrl = self.start()
        self.link: list[str] = [WORLD]  # of each body
        #: number of a joint -> its name in the scene and its coordinate, "" if it has no single one
        self.joint: dict[int, tuple[str, str]] = {}

    def name(self, what: str, number: int, default: str = "") -> str:
        """Name of an object; `what`: body, jnt, geom, site, mesh, eq, tendon, actuator, key."""
        given = text(self.model.names, int(getattr(self.model, f"name_{what}adr")[number]))
        return given or default or f"{what}_{number}"

    def start(self) -> tuple[Any, Any]:
        """qpos and ctrl at the start. Raises SceneError."""
        keys = [self.name("key", k) for k in range(self.model.nkey)]
        wanted = self.params.keyframe
        if not wanted:
            return self.model.qpos0, np.zeros(self.model.nu)
        if wanted not in keys:
            raise SceneError("keyframe", wanted, f"there is no such keyframe{suggestion(wanted, keys)}")
        k = keys.index(wanted)
        return self.model.key_qpos[k], self.model.key_ctrl[k]

    def whole(self) -> Robot:
        """The robot. Raises SceneError."""
        model, robot = self.model, self.robot
        disabled = int(model.opt.disableflags)
        robot.gravity = [0.0] * 3 if disabled & GRAVITY_OFF else model.opt.gravity.tolist()
        for body in range(1, model.nbody):
            self.add_body(body)
        add_geoms(self)
        for site in range(model.nsite):
            pose = Pose(model.site_pos[site], of_quaternion(model.site_quat[site]))
            link = robot.links[self.link[model.site_bodyid[site]]]
            link.frames[self.name("site", site)] = pose
        add_equalities(self)
        add_actuators(self)
        self.list_left_out()
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
        parent, pose = (
            self.link[model.body_parentid[body]],
            Pose(model.body_pos[body].copy(), of_quaternion(model.body_quat[body])),
        )
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
        q, dof = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
        name = self.names.new(self.name("jnt", j, f"{child}_joint"))
        joint = Joint(name, TYPES[kind], parent, child, pose, model.jnt_pos[j].copy())
        self.joint[j] = (name, {SLIDE: "length", HINGE: "angle"}.get(kind, ""))
        if kind == FREE:
            joint.moved = Pose(self.qpos[q : q + 3], of_quaternion(self.qpos[q + 3 : q + 7]))
        elif kind == BALL:
            R = of_quaternion(self.qpos[q : q + 4])
            joint.moved = pose @ Pose(joint.at - R @ joint.at, R)
        else:
            joint.axis = model.jnt_axis[j] / np.linalg.norm(model.jnt_axis[j])
            joint.zero, joint.value = float(model.qpos0[q]), float(self.qpos[q])
            stiffness = float(model.jnt_stiffness[j])
            keys = {
                "stiffness": stiffness,
                "free": float(model.qpos_spring[q]) if stiffness else 0.0,
                "damping": float(model.dof_damping[dof]),
                "armature": float(model.dof_armature[dof]),
            }
            joint.keys = {key: value for key, value in keys.items() if value}
        self.robot.joints.append(joint)

    def list_left_out(self) -> None:
        """What the model has and a scene has not."""
        model, left_out = self.model, self.robot.left_out
        joints = range(model.njnt)
        of_dof = lambda array, j: array[dofs(model, j)].any()
        listed = [
            ("limits", [j for j in joints if model.jnt_limited[j]]),
            ("friction loss", [j for j in joints if of_dof(model.dof_frictionloss, j)]),
        ]
        round_ones = [j for j in joints if model.jnt_type[j] in (FREE, BALL)]
        listed += [
            ("stiffness", [j for j in round_ones if model.jnt_stiffness[j]]),
            ("damping", [j for j in round_ones if of_dof(model.dof_damping, j)]),
            ("armature", [j for j in round_ones if of_dof(model.dof_armature, j)]),
        ]
        for field in ("jnt_stiffnesspoly", "dof_dampingpoly"):
            array = np.asarray(getattr(model, field, np.zeros((model.nv, 1))))
            rows: Any = np.flatnonzero(array.reshape(len(array), -1).any(axis=1)) if array.size else []
            owners = {int(model.dof_jntid[r]) if field.startswith("dof") else int(r) for r in rows}
            listed.append((f"nonlinear {field[4:-4]}", sorted(owners)))
        for what, numbers in listed:
            if numbers:
                left_out.append(f"{what} of {few([self.joint[j][0] for j in numbers], 'joint', 'joints')}")
        solid = [g for g in range(model.ngeom) if model.geom_contype[g] or model.geom_conaffinity[g]]
        if solid:
            left_out.append(f"contacts of {len(solid)} geoms")
        held = [b for b in range(1, model.nbody) if model.body_gravcomp[b]]
        if held:
            bodies = [self.name("body", b) for b in held]
            left_out.append(f"gravity compensation of {few(bodies, 'body', 'bodies')}")
        if model.opt.density or model.opt.viscosity:
            left_out.append("forces of the medium (density, viscosity, wind)")
        for count, what in ((model.nsensor, "sensors"), (model.nflex, "flexes"), (model.nplugin, "plugins")):
            if count:
                left_out.append(f"{count} {what}")
        if model.nkey and not self.params.keyframe:
            keys = [self.name("key", k) for k in range(model.nkey)]
            left_out.append(f"{few(keys, 'keyframe', 'keyframes')}; choose one: --set keyframe={keys[0]}")


#: of `disableflags`
GRAVITY_OFF = 1 << 7


def dofs(model: Any, j: int) -> slice:
    """The velocities of a joint."""
    first = int(model.jnt_dofadr[j])
    return slice(first, first + {FREE: 6, BALL: 3}.get(int(model.jnt_type[j]), 1))


def text(names: bytes, first: int) -> str:
    """A text that ends with a zero byte."""
    return names[first : names.index(b"\0", first)].decode("utf-8", "replace")
