"""Importer of URDF, the robot description of ROS.

URDF is small: links with mass, shapes and a frame, in a tree of joints. It is read with the XML parser of the
standard library. The root link is fixed to the ground, unless `floating` is asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import MissingLibraryError, SceneError
from mbplugin.interface import Imported, Importer, MassProperties
from mbplugin_import.chains import join_chains
from mbplugin_import.meshes import Meshes
from mbplugin_import.packages import mesh_path, why_missing
from mbplugin_import.poses import Pose, of_rpy
from mbplugin_import.robot import WORLD, Joint, Link, Robot
from mbplugin_import.scene import MassKeys, Names, scene_of
from mbplugin_import.words import few
from mbplugin_import.xml import Element, attribute, child, number, read_xml, vector

#: `type` of a joint -> kind of joint of a scene
TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "translational",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
#: kinds that take the axis
WITH_AXIS = ("revolute", "translational", "planar")


EXAMPLE = """
<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint>
</robot>
"""


class UrdfKeys(MassKeys):
    floating: bool = False
    """Whether the root link is free to move; default: it is fixed to the ground."""
    packages: dict[str, str] = {}
    """Folders of the packages in paths of meshes: packages.talos_data=/opt/talos. Default: searched."""


class Urdf(Importer):
    """Links, inertias, shapes, joints, damping, mimicked joints, and an input for each transmission."""

    name = "urdf"
    examples = (EXAMPLE,)
    suffixes = (".urdf", ".xml")
    root = "robot"
    parameters = UrdfKeys

    @classmethod
    def read(cls, file: Path, params: Any) -> Imported:
        root = read_xml(file)
        if root.tag != "robot":
            raise SceneError(file=str(file), mend=f"the root element is <{root.tag}>; URDF has <robot>")
        if any("xacro" in element.tag for element in root.iter() if isinstance(element.tag, str)):
            mend = "is a xacro file; expand it first: xacro FILE > robot.urdf"
            raise SceneError(file=str(file), mend=mend)
        return scene_of(Reader(root, file, params).robot(), params)


class Reader:
    """What is read from one file."""

    def __init__(self, root: Element, file: Path, params: Any) -> None:
        self.root, self.file, self.params = root, file, params
        self.meshes = Meshes()
        self.missing: dict[str, str] = {}  # mesh -> why it is left out
        self.names = Names()
        self.joint_names: dict[str, str] = {}  # of the file -> of the scene
        self.merged: dict[str, tuple[str, str]] = {}  # joint -> the joint and coordinate that it became
        self.colors = {
            material.get("name", ""): color
            for material in root.findall("material")
            for color in [color_of(material)]
            if color is not None
        }

    def robot(self) -> Robot:
        """The robot. Raises SceneError."""
        robot = Robot(self.root.get("name") or self.file.stem, names=self.names)
        for element in self.root.findall("link"):
            link = self.link(element)
            if link.name in robot.links:
                raise SceneError(f'link "{link.name}"', mend="there are two links of this name")
            robot.links[link.name] = link
        elements = {attribute(e, "name", "<joint>"): e for e in self.root.findall("joint")}
        joints = {name: self.joint(name, element, robot) for name, element in elements.items()}
        robot.joints = self.from_the_root(joints, robot)
        self.join_chains(joints, robot)
        for name, element in elements.items():
            self.mimic(name, element, joints, robot)
        self.transmissions(joints, robot)
        self.list_left_out(elements, robot)
        robot.files = self.meshes.files
        return robot

    def link(self, element: Element) -> Link:
        name = attribute(element, "name", "<link>")
        owner = f'link "{name}"'
        shapes = [
            shape
            for visual in element.findall("visual")
            for shape in [self.shape(visual, owner)]
            if shape is not None
        ]
        return Link(name, mass_of(element.find("inertial"), owner), shapes)

    def shape(self, visual: Element, owner: str) -> dict[str, Any] | None:
        """The table of a shape with its `pose`; None for a mesh that cannot be read. Raises SceneError."""
        geometry = child(visual, "geometry", f"{owner}: <visual>")
        form = next(iter(geometry), None)
        table: dict[str, Any]
        match None if form is None else form.tag:
            case "box":
                table = {"type": "box", "size": vector(form, "size", owner, 3).tolist()}
            case "sphere":
                table = {"type": "sphere", "radius": number(form, "radius", owner)}
            case "cylinder":
                sizes = {key: number(form, key, owner) for key in ("radius", "length")}
                table = {"type": "cylinder", **sizes}
            case "capsule":
                sizes = {key: number(form, key, owner) for key in ("radius", "length")}
                table = {"type": "capsule", **sizes}
            case "mesh":
                assert form is not None
                mesh = self.mesh(form, owner)
                if mesh is None:
                    return None
                table = {"type": "mesh", **mesh}
            case other:
                what = f"a <{other}>" if other else "nothing"
                raise SceneError(f"{owner}: <geometry>", mend=f"holds {what}, which is no shape of URDF")
        material = visual.find("material")
        color = None
        if material is not None:
            color = color_of(material) or self.colors.get(material.get("name", ""))
        return {**table, **({"color": color} if color else {}), "pose": pose_of(visual.find("origin"), owner)}

    def mesh(self, form: Element, owner: str) -> dict[str, Any] | None:
        """`file` and `scale` of a mesh; None if it is left out. Raises SceneError."""
        uri = attribute(form, "filename", owner)
        scale = vector(form, "scale", owner, 3, [1.0, 1.0, 1.0])
        path = mesh_path(uri, self.file, self.params.packages)
        if path is None:
            self.missing[uri] = why_missing(uri, self.params.packages)
            return None
        try:
            return self.meshes.add(path, scale)
        except (MissingLibraryError, ValueError, OSError) as error:
            self.missing[uri] = str(error)
            return None

    def joint(self, name: str, element: Element, robot: Robot) -> Joint:
        owner = f'joint "{name}"'
        kind = attribute(element, "type", owner)
        if kind not in TYPES:
            raise SceneError(f"{owner}: type", kind, f"must be one of {', '.join(TYPES)}")
        above, below = (attribute(child(element, tag, owner), "link", owner) for tag in ("parent", "child"))
        for end in (above, below):
            if end not in robot.links or end == WORLD:
                raise SceneError(owner, mend=f'there is no link "{end}"')
        axis = vector(element.find("axis"), "xyz", owner, 3, [1.0, 0.0, 0.0])
        size = float(np.linalg.norm(axis))
        if TYPES[kind] in WITH_AXIS and size < 1e-9:
            raise SceneError(f"{owner}: <axis xyz>", mend="must not be zero")
        damping = number(element.find("dynamics"), "damping", owner, 0.0)
        self.joint_names[name] = self.names.new(name)
        return Joint(
            self.joint_names[name],
            TYPES[kind],
            above,
            below,
            pose_of(element.find("origin"), owner),
            axis=axis / size if size else axis,
            keys={"damping": damping} if damping and TYPES[kind] in WITH_AXIS[:2] else {},
        )

    def from_the_root(self, joints: dict[str, Joint], robot: Robot) -> list[Joint]:
        """The joints, each after that of its parent, with one between the ground and the root. Raises
        SceneError.
        """
        below: dict[str, list[Joint]] = {}
        above: dict[str, str] = {}
        for name, joint in joints.items():
            if joint.child in above:
                mend = f'is the child of "{above[joint.child]}" and of "{name}"; URDF is a tree'
                raise SceneError(f'link "{joint.child}"', mend=mend)
            above[joint.child] = name
            below.setdefault(joint.parent, []).append(joint)
        roots = [link for link in robot.links if link != WORLD and link not in above]
        if len(roots) != 1:
            what = "links are in a ring"
            if roots:
                what = f"{len(roots)} links have no parent ({', '.join(roots[:5])})"
            raise SceneError("robot", mend=f"{what}; URDF is a tree with one root")
        kind = "free" if self.params.floating else "fixed"
        ordered = [Joint(self.names.new("root"), kind, WORLD, roots[0], Pose())]
        for joint in ordered:
            ordered += below.get(joint.child, [])
        if len(ordered) <= len(joints):
            raise SceneError("robot", mend="some links form a ring; URDF is a tree")
        return ordered

    def join_chains(self, joints: dict[str, Joint], robot: Robot) -> None:
        """Make one joint of those that are one in a scene."""
        used = {e.get("name", "") for e in self.root.iterfind("joint[mimic]")}
        used |= {e.get("joint", "") for e in self.root.iterfind("joint/mimic")}
        used |= {e.get("name", "") for e in self.root.iterfind("transmission/joint")}
        attached = {joint.name for name, joint in joints.items() if name in used}
        self.merged = join_chains(robot, attached)

    def coordinate(self, joint: str) -> str:
        """What couplers and forces call the coordinate of a joint of one."""
        return ".".join(self.merged[joint]) if joint in self.merged else joint

    def mimic(self, name: str, element: Element, joints: dict[str, Joint], robot: Robot) -> None:
        """The coupler of a joint that mimics another: s = multiplier s' + offset. Raises SceneError."""
        mimic = element.find("mimic")
        if mimic is None or joints[name].type not in ("revolute", "translational"):
            return
        owner = f'joint "{name}"'
        other = attribute(mimic, "joint", owner)
        if other not in joints or joints[other].type not in ("revolute", "translational"):
            robot.left_out.append(f'{owner}: it mimics "{other}", and no joint of this name moves')
            return
        factor = number(mimic, "multiplier", owner, 1.0)
        offset = number(mimic, "offset", owner, 0.0)
        robot.couplings.append(
            {
                "name": self.names.new(f"{self.joint_names[name]}_mimic"),
                "type": "coupler",
                "joints": [self.coordinate(n) for n in (self.joint_names[name], self.joint_names[other])],
                "factors": [1.0, -factor],
                "target": offset,
            }
        )

    def transmissions(self, joints: dict[str, Joint], robot: Robot) -> None:
        """An input and a force for each joint that a transmission drives."""
        for transmission in self.root.findall("transmission"):
            for element in transmission.findall("joint"):
                joint = joints.get(element.get("name", ""))
                if joint is None or joint.type not in ("revolute", "translational"):
                    continue
                angle = joint.type == "revolute"
                motor = f"{joint.name}_motor"
                if any(known["name"] == motor for known in robot.inputs):
                    continue
                robot.inputs.append({"name": motor, "unit": "N m" if angle else "N"})
                key = "torque" if angle else "force"
                at = dict(zip(("joint", "coordinate"), self.coordinate(joint.name).split(".")))
                robot.forces.append({"name": motor, "type": "joint_force", **at, key: motor})

    def list_left_out(self, elements: dict[str, Element], robot: Robot) -> None:
        """What the file has and a scene has not."""
        limited = [name for name, e in elements.items() if e.get("type") in ("revolute", "prismatic")]
        limited = [name for name in limited if elements[name].find("limit") is not None]
        rubbing = [name for name, e in elements.items() if number(e.find("dynamics"), "friction", name, 0.0)]
        solid = [e.get("name", "") for e in self.root.findall("link") if e.find("collision") is not None]
        robot.left_out += [f"limits of {few(limited, 'joint', 'joints')}"] * bool(limited)
        robot.left_out += [f"friction loss of {few(rubbing, 'joint', 'joints')}"] * bool(rubbing)
        robot.left_out += [f"shapes for contacts of {few(solid, 'link', 'links')}"] * bool(solid)
        for why in dict.fromkeys(self.missing.values()):
            files = [uri.rpartition("/")[2] for uri, reason in self.missing.items() if reason == why]
            robot.left_out.append(f"{few(files, 'mesh', 'meshes')}: {why}")
        if self.root.find("gazebo") is not None:
            robot.left_out.append("what <gazebo> says")


def pose_of(origin: Element | None, owner: str) -> Pose:
    """The pose of an <origin>. Raises SceneError."""
    zero = [0.0, 0.0, 0.0]
    return Pose(vector(origin, "xyz", owner, 3, zero), of_rpy(vector(origin, "rpy", owner, 3, zero).tolist()))


def color_of(material: Element) -> list[float] | None:
    """The colour of a <material>, red, green, blue from 0 to 1."""
    color = material.find("color")
    if color is None:
        return None
    return [min(1.0, max(0.0, float(value))) for value in vector(color, "rgba", "<material>", 4)[:3]]


def mass_of(inertial: Element | None, owner: str) -> MassProperties | None:
    """Mass properties in the link's frame; None without mass. Raises SceneError."""
    if inertial is None:
        return None
    mass = number(child(inertial, "mass", owner), "value", owner)
    if mass == 0.0:
        return None
    if mass < 0.0:
        raise SceneError(f"{owner}: <mass value>", mass, "must be positive")
    moments = inertial.find("inertia")
    xx, xy, xz, yy, yz, zz = (
        number(moments, key, owner, 0.0) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    pose = pose_of(inertial.find("origin"), owner)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return MassProperties(mass, pose.x, pose.R @ inertia @ pose.R.T)
